"""Copying a runtime's runs into a workspace, and saying what came."""

from datetime import datetime
from typing import TYPE_CHECKING

from kindgi_tui.cli.call import Call, opened
from kindgi_tui.cli.next_steps import in_place
from kindgi_tui.cli.shared_options import Asked
from kindgi_tui.cli.tables import pairs
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import NewCorrection
from kindgi_tui.domain.queries import NewJudgment, RunFilter

if TYPE_CHECKING:
    from kindgi_tui.domain.judgments import Group, Restriction
    from kindgi_tui.domain.runs import RunDetail
    from kindgi_tui.workbench import Workbench

BATCH = 50
"""How many runs are written down at once."""

_Said = tuple[NewJudgment, str, datetime | None]
_Corrected = tuple[NewCorrection, str, datetime | None]


async def pull_into(call: Call, query: RunFilter, most: int | None, to_project: str | None) -> None:
    """Copies the runs of a filter into the workspace of the shared options, and prints what came."""
    from kindgi_tui.opening import Target, pull_runs, workspace_folder

    asked = call.asked
    source = Target(url=asked.url, profile=asked.profile)
    folder = workspace_folder(Target(workspace=asked.workspace))
    came = known = judgments = corrections = 0
    async with opened(Asked(folder, asked.person, asked.json)) as bench:
        project = await bench.projects.get(to_project)
        runs: list[RunDetail] = []
        said: list[_Said] = []
        corrected: list[_Corrected] = []
        groups: dict[str, Group] = {}
        spoke: dict[str, set[str]] = {}

        async def write_down() -> None:
            nonlocal came, known, judgments, corrections
            await _make_groups(bench, groups, spoke)
            outcome = await bench.runs.add(runs, said, corrected)
            came, known = came + len(outcome.added), known + len(outcome.known)
            judgments += outcome.judgments
            corrections += outcome.corrections
            runs.clear()
            said.clear()
            corrected.clear()

        async for pulled in pull_runs(source, query, most):
            runs.append(pulled.run.model_copy(update={"project_id": project.id, "comparison_id": None}))
            said += pulled.judgments
            corrected += pulled.corrections
            groups |= {one.name: one for one in pulled.groups}
            speaking = [(new.group, judge) for new, judge, _ in pulled.judgments]
            speaking += [(new.group, judge) for new, judge, _ in pulled.corrections]
            for group, judge in speaking:
                if group is not None:
                    spoke.setdefault(group, set()).add(judge)
            if len(runs) == BATCH:
                await write_down()
        if runs:
            await write_down()
    if call.json:
        said_of: dict[str, Json] = {"judgments": judgments, "corrections": corrections}
        call.out.json({"cameIn": came, "known": known, **said_of, "projectId": project.id})
        return
    if not came and not known:
        call.out.paragraph(f"No run of the runtime matches: nothing was copied.{_where_to_look(asked)}")
        return
    rows = [("came in", f"{came:,}"), ("known already", f"{known:,}"), ("judgments", f"{judgments:,}")]
    rows.append(("corrections", f"{corrections:,}"))
    call.out.lines(pairs([*rows, ("project", project.name)]))


def _where_to_look(asked: Asked) -> str:
    if asked.url is None and asked.profile is None:
        return ""
    there = Asked(None, None, False, asked.url, asked.profile)
    return in_place(there, " What is there: kindgi-tui runs list")


async def _make_groups(bench: "Workbench", wanted: "dict[str, Group]", spoke: dict[str, set[str]]) -> None:
    """Makes the groups that judgments and corrections were said as and the workspace lacks, as they are at the runtime.

    A runtime names the members of a restricted group to admins alone. Where it doesn't, those stand for them who
    spoke as it (`spoke`): a group for experts never becomes one for everybody.
    """
    known = {one.name for one in await bench.groups.list(retired=True)}
    for name, group in wanted.items():
        if name not in known:
            await bench.groups.add(
                name,
                group.weight,
                description=group.description or "Came with runs pulled from a runtime.",
                restriction=_restriction(group.restriction, spoke.get(name, set())),
            )
    wanted.clear()


def _restriction(told: "Restriction | None", spoke: set[str]) -> "Restriction | None":
    if told is None or not told.unnamed:
        return told
    return told.model_copy(update={"principal_ids": tuple(sorted(spoke)), "unnamed": 0})
