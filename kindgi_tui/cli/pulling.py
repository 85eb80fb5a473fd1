"""Copying a runtime's runs into a workspace, and saying what came."""

from datetime import datetime
from typing import TYPE_CHECKING

from kindgi_tui.cli.call import Call, opened
from kindgi_tui.cli.shared_options import Asked
from kindgi_tui.cli.tables import pairs
from kindgi_tui.domain.queries import NewJudgment, RunFilter

if TYPE_CHECKING:
    from kindgi_tui.domain.runs import RunDetail
    from kindgi_tui.workbench import Workbench

BATCH = 50
"""How many runs are written down at once."""

_Said = tuple[NewJudgment, str, datetime | None]


async def pull_into(call: Call, query: RunFilter, most: int | None, to_project: str | None) -> None:
    """Copies the runs of a filter into the workspace of the shared options, and prints what came."""
    from kindgi_tui.opening import Target, pull_runs, workspace_folder

    asked = call.asked
    source = Target(url=asked.url, profile=asked.profile)
    folder = workspace_folder(Target(workspace=asked.workspace))
    came = known = judgments = 0
    async with opened(Asked(folder, asked.person, asked.json)) as bench:
        project = await bench.projects.get(to_project)
        runs: list[RunDetail] = []
        said: list[_Said] = []
        groups: dict[str, float] = {}

        async def write_down() -> None:
            nonlocal came, known, judgments
            await _make_groups(bench, groups)
            outcome = await bench.runs.add(runs, said)
            came, known = came + len(outcome.added), known + len(outcome.known)
            judgments += outcome.judgments
            runs.clear()
            said.clear()

        async for pulled in pull_runs(source, query, most):
            runs.append(pulled.run.model_copy(update={"project_id": project.id, "comparison_id": None}))
            said += pulled.judgments
            groups |= {one.name: one.weight for one in pulled.groups}
            if len(runs) == BATCH:
                await write_down()
        if runs:
            await write_down()
    if call.json:
        call.out.json({"cameIn": came, "known": known, "judgments": judgments, "projectId": project.id})
        return
    rows = [("came in", f"{came:,}"), ("known already", f"{known:,}"), ("judgments", f"{judgments:,}")]
    call.out.lines(pairs([*rows, ("project", project.name)]))


async def _make_groups(bench: "Workbench", wanted: dict[str, float]) -> None:
    """Makes the groups that the judgments were said as and the workspace lacks, with their weights.

    Who may speak as a group is told by a runtime to admins alone, so they are open here.
    """
    known = {one.name for one in await bench.groups.list(retired=True)}
    for name, weight in wanted.items():
        if name not in known:
            await bench.groups.add(name, weight, description="Came with runs pulled from a runtime.")
    wanted.clear()
