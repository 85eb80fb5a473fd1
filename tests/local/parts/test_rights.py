"""Rights are enforced in the workbench, whatever face asks (DESIGN section 9)."""

import hashlib
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from kindgi_tui.domain.comparison_records import ComparisonRequest
from kindgi_tui.domain.corrections import CorrectionFilter
from kindgi_tui.domain.imports import ImportOptions
from kindgi_tui.domain.projects import RIGHTS, Right
from kindgi_tui.domain.queries import AuditFilter, JudgmentFilter, RunFilter
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.local.workbench import LocalWorkbench, open_local
from kindgi_tui.workbench import Denied, NotFound, Refused, WorkbenchError
from tests.local.parts.conftest import As
from tests.local.store.correcting import RIGHT, corrected
from tests.local.store.making import person, run, said

Ask = Callable[[LocalWorkbench], Awaitable[object]]

REQUEST = BuildRequest(test_set_id="acme.set", version="1.0.0", project_id="p", agent_id="acme.picker")
COMPARISON = ComparisonRequest(
    test_set_id="acme.set", project_id="p", agent_id="acme.picker", subject_version="0.2.0"
)

WRITES: dict[str, tuple[Right, Ask]] = {
    "projects.add": ("admin", lambda b: b.projects.add("New")),
    "projects.use": ("editor", lambda b: b.projects.use("default")),
    "people.add": ("admin", lambda b: b.people.add(person("eve", "admin"))),
    "runs.add": ("editor", lambda b: b.runs.add([run()])),
    "runs.import_files": (
        "editor",
        lambda b: b.runs.import_files([Path("x.jsonl")], ImportOptions(project_id="p")),
    ),
    "runs.start": ("editor", lambda b: b.runs.start("p", "acme.picker", None, "hello")),
    "groups.add": ("admin", lambda b: b.groups.add("G", 1)),
    "groups.change": ("admin", lambda b: b.groups.change("G", weight=2)),
    "groups.retire": ("admin", lambda b: b.groups.retire("G")),
    "groups.bring_back": ("admin", lambda b: b.groups.bring_back("G")),
    "test_sets.build": ("editor", lambda b: b.test_sets.build(REQUEST)),
    "comparisons.plan": ("editor", lambda b: b.comparisons.plan(COMPARISON)),
    "comparisons.start": ("editor", lambda b: b.comparisons.start(COMPARISON)),
    "comparisons.cancel": ("editor", lambda b: b.comparisons.cancel("none")),
    "comparisons.resume": ("editor", lambda b: b.comparisons.resume("none")),
    "comparisons.rescore": ("editor", lambda b: b.comparisons.rescore("none")),
    "packs.publish": ("admin", lambda b: b.packs.publish(Path("/nowhere"))),
    "packs.set_env": ("admin", lambda b: b.packs.set_env("acme", "A", "x")),
    "models.remember": ("editor", lambda b: b.models.remember({"k": 1})),
    "backup": ("admin", lambda b: b.backup(Path("/nowhere/copy.db"))),
}


async def digest(bench: LocalWorkbench) -> str:
    """What every table but the search's own holds."""

    def dump(connection: sqlite3.Connection) -> str:
        whole = hashlib.sha256()
        tables = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'run_[wt]*' ORDER BY name"
        ).fetchall()
        assert len(tables) > 10
        for (table,) in tables:
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                whole.update(repr((table, row)).encode())
        return whole.hexdigest()

    return await bench.access.read(dump)


@pytest.mark.parametrize("name", WRITES)
async def test_who_may_what(bench: LocalWorkbench, opened_as: As, name: str) -> None:
    least, ask = WRITES[name]
    for right in RIGHTS:
        theirs = await opened_as(f"a-{right}", right)
        before = await digest(bench)
        try:
            await ask(theirs)
        except Denied as denied:
            assert RIGHTS.index(right) < RIGHTS.index(least), "they may"
            assert f"a-{right}" in denied.sentence and "people add" in denied.sentence
            assert await digest(bench) == before
            continue
        except WorkbenchError:
            pass
        assert RIGHTS.index(right) >= RIGHTS.index(least), "they may not"


async def test_a_judge_reads_and_judges(bench: LocalWorkbench, opened_as: As) -> None:
    made = run(project_id=(await bench.projects.get()).id)
    await bench.runs.add([made])
    judge = await opened_as("ben", "judge")
    assert (await judge.runs.list(RunFilter(text="refund"))).data[0].id == made.id
    first = await judge.judgments.add(said(made.id))
    assert first.asserter == "ben"
    assert (await judge.judgments.list(JudgmentFilter())).data == (first,)
    await judge.judgments.remove(first.id)
    await judge.judgments.add(said(made.id))
    assert await judge.judgments.take_back(made.id, "a") is None


async def test_a_judge_corrects_and_only_removing_is_audited(bench: LocalWorkbench, opened_as: As) -> None:
    made = run(project_id=(await bench.projects.get()).id)
    await bench.runs.add([made])
    judge = await opened_as("ben", "judge")
    before = len((await bench.audit.list()).data)
    first = await judge.corrections.add(corrected(made.id))
    assert (first.asserter, first.ended_at) == ("ben", None)
    assert (await judge.corrections.list(CorrectionFilter(asserter="ben"))).data == (first,)
    (second,) = await judge.corrections.add_all([corrected(made.id, RIGHT)])
    back = await judge.corrections.take_back(made.id)
    assert back is not None
    assert back.expect == first.expect
    assert len((await bench.audit.list()).data) == before
    await judge.corrections.remove(back.id[:8])
    newest = (await bench.audit.list()).data[0]
    assert (newest.actor, newest.action, newest.subject) == ("ben", "corrections.remove", back.id)
    assert {each.id for each in await judge.corrections.history(made.id)} == {first.id, second.id, back.id}


async def test_a_list_of_corrections_is_kept_whole_or_not_at_all(
    bench: LocalWorkbench, opened_as: As
) -> None:
    made = run(project_id=(await bench.projects.get()).id)
    await bench.runs.add([made])
    judge = await opened_as("ben", "judge")
    await judge.corrections.add(corrected(made.id))
    before = await digest(bench)
    with pytest.raises(Refused):
        await judge.corrections.add_all([corrected(made.id, RIGHT), corrected("nothing-here")])
    assert await digest(bench) == before


async def test_a_right_that_was_taken_counts_at_once(bench: LocalWorkbench, opened_as: As) -> None:
    editor = await opened_as("eddy", "editor")
    project = (await bench.projects.get()).id
    await editor.runs.add([run(project_id=project)])
    await bench.people.add(person("eddy", "judge"))
    with pytest.raises(Denied):
        await editor.runs.add([run(project_id=project)])


async def test_the_last_admin_stays_one(bench: LocalWorkbench, opened_as: As) -> None:
    me = await bench.people.me()
    with pytest.raises(Denied, match="only admin"):
        await bench.people.add(me.model_copy(update={"right": "judge"}))
    other = await opened_as("other", "admin")
    await bench.people.add(me.model_copy(update={"right": "judge"}))
    with pytest.raises(Denied, match="only admin"):
        await other.people.add(person("other", "editor"))


async def test_strangers_are_told_how_to_come_in(bench: LocalWorkbench, tmp_path: Path) -> None:
    for name in ("nobody-here", "", "\ud800", "a\x00b"):
        with pytest.raises(NotFound) as refused:
            await open_local(tmp_path / "w", name)
        assert refused.value.code == "person-not-found"


async def test_what_was_done_is_noted(bench: LocalWorkbench, opened_as: As) -> None:
    admin = await opened_as("ann", "admin")
    project = await admin.projects.add("Noted")
    await admin.groups.add("G", 2)
    with pytest.raises(WorkbenchError):
        await admin.groups.add("G", 2)
    await admin.projects.use("noted")
    done = [(each.actor, each.action, each.subject) for each in (await bench.audit.list()).data]
    me = (await bench.people.me()).id
    assert done[0] == ("ann", "projects.use", project.id)
    assert done[2] == ("ann", "projects.add", project.id)
    assert [action for _, action, _ in done] == ["projects.use", "groups.add", "projects.add", "people.add"]
    assert done[3] == (me, "people.add", "ann")
    first = await bench.audit.list(limit=3)
    second = await bench.audit.list(limit=3, cursor=first.next_cursor)
    assert [each.id for each in (*first.data, *second.data)] == [4, 3, 2, 1]
    assert (first.has_more, second.has_more) == (True, False)
    assert await bench.audit.count() == 4
    assert await bench.audit.count(AuditFilter(actor="ann")) == 3
    assert await bench.audit.count(AuditFilter(actor="ann", action="groups", subject="none")) == 0
