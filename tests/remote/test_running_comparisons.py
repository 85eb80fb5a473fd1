"""A comparison at a runtime while it runs and once it was cancelled: what is known is shown, and nothing else."""

import asyncio
import copy
import os
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from kindgi_tui.domain.test_set_versions import TestSetVersion as SetVersion
from kindgi_tui.remote.ours import with_ours
from kindgi_tui.remote.parts.test_sets import RemoteTestSets
from kindgi_tui.remote.workbench import RemoteWorkbench, open_remote
from kindgi_tui.session.following import looks
from kindgi_tui.workbench import Unsupported
from tests.remote.targets import PROGRAM, Target, start_ours, token_of
from tests.session.comparing import CHARGE, Frozen, compared, docs_of, freeze, make_compared
from tests.workspaces import copy_workspace


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A workspace with a comparison of 3 cases, each run twice, and a token; not to be written to."""
    folder = tmp_path_factory.mktemp("compared") / "demo"
    asyncio.run(make_compared(folder))
    return folder, token_of(folder)


@pytest.fixture(params=["0.1", "0.4"])
def served(
    request: pytest.FixtureRequest, made: tuple[Path, str], tmp_path: Path
) -> Iterator[tuple[Target, Path]]:
    folder = tmp_path / "served"
    copy_workspace(made[0], folder)
    target = start_ours(folder, made[1], str(request.param))
    yield target, folder
    target.stop()


@pytest.fixture
async def bench(served: tuple[Target, Path], tmp_path: Path) -> AsyncIterator[RemoteWorkbench]:
    opened = await open_remote(served[0].address, SecretStr(served[0].token), tmp_path / "outbox")
    yield opened
    await opened.close()


async def frozen(folder: Path, half: bool = False) -> tuple[Frozen, str]:
    """The comparison as if it ran on, with a case to come, and of another half of its repetitions where asked."""
    async with docs_of(folder) as docs:
        identity = (await compared(docs)).id
    held = freeze(folder, identity, without=(CHARGE,))
    if half:
        with closing(sqlite3.connect(folder / "workspace.db")) as connection, connection:
            connection.execute("DELETE FROM repetitions WHERE case_id <> ? AND repetition = 2", (CHARGE,))
            connection.execute("UPDATE comparisons SET finished = 2, finished_cases = 0, cached = 2")
    return held, identity


def cancel(folder: Path) -> None:
    """Whoever ran it ends it, as an executor does."""
    with closing(sqlite3.connect(folder / "workspace.db")) as connection, connection:
        connection.execute(
            "UPDATE comparisons SET status = 'cancelled', cancel_reason = 'person', completed = 1, owner = NULL"
        )


def command(target: Target, folder: Path, *words: str) -> str:
    """What a command at the runtime prints, in one line."""
    environment = {
        **os.environ,
        "KINDGI_API_TOKEN": target.token,
        "XDG_DATA_HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
        "COLUMNS": "200",
    }
    line = [*PROGRAM, "--url", target.address, *words]
    done = subprocess.run(line, capture_output=True, text=True, env=environment, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return " ".join(done.stdout.split())


def said(result: Any) -> Any:
    """A result without what only the place that runs it knows, and without the moment it was counted."""
    summary, ours = dict(result["summary"]), dict(result["ours"])
    for name in ("completedAt", "sampling"):
        del summary[name]
    del ours["costUsd"]
    return {**result, "summary": summary, "ours": ours}


@pytest.mark.parametrize("half", [False, True])
async def test_what_it_comes_to_so_far_is_what_the_place_that_runs_it_says(
    served: tuple[Target, Path], bench: RemoteWorkbench, half: bool
) -> None:
    held, identity = await frozen(served[1], half)
    async with docs_of(served[1]) as docs:
        there = await docs.comparisons.partial(identity)
        known = await docs.comparisons.get(identity)
    here: Any = await bench.comparisons.partial(identity)
    assert said(here) == said(there)
    assert len(here["perCase"]) == 2
    assert here["summary"]["metrics"]["weightedYesShare"]["candidate"] == 1.0
    assert "ended early" not in here["ours"]["headline"]
    told = await bench.comparisons.get(identity)
    for one in (told, (await bench.comparisons.list(folded=True)).data[0]):
        assert one.status == "running"
        assert one.progress == known.progress.model_copy(update={"cost_usd": None, "cached": None})
    thawed = False
    async for look in looks(bench, identity, hz=20):
        if look.ended:
            assert look.comparison.progress.done() == "6 of 6"
            assert look.comparison.progress.cost_usd is None
            ended: Any = look.result
            assert ended["ours"]["costUsd"] is None
        elif look.result is not None and not thawed:
            assert said(look.result) == said(there)
            held.thaw()
            thawed = True
    assert thawed


async def test_of_how_many_is_only_said_where_it_is_known(
    served: tuple[Target, Path], bench: RemoteWorkbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, identity = await frozen(served[1])

    async def nobody(self: RemoteTestSets, test_set_id: str, version: str | None = None) -> SetVersion:
        raise Unsupported("This runtime doesn't offer test sets.")

    monkeypatch.setattr(RemoteTestSets, "get", nobody)
    one = await bench.comparisons.get(identity)
    (listed,) = (await bench.comparisons.list(folded=True)).data
    for found in (one, listed):
        assert (found.progress.done(), found.progress.cases) == ("4", None)
    # A part of the cases is another number than all of them.
    monkeypatch.undo()
    with closing(sqlite3.connect(served[1] / "workspace.db")) as connection, connection:
        part = '{"part":"search","seed":"s","hold_out_share":0.5}'
        connection.execute("UPDATE comparisons SET request = json_set(request, '$.sample', json(?))", (part,))
    sampled = await bench.comparisons.get(identity)
    assert sampled.request.sample is not None
    assert (sampled.progress.repetitions, sampled.progress.done()) == (None, str(sampled.progress.finished))


async def test_the_report_says_so_far_and_offers_nothing_a_runtime_does_not_do(
    served: tuple[Target, Path], bench: RemoteWorkbench, tmp_path: Path
) -> None:
    target, folder = served
    _, identity = await frozen(folder)
    running = await asyncio.to_thread(command, target, tmp_path, "comparisons", "show", identity)
    assert "So far: People's judgments rate" in running
    assert "4 of 6 finished so far." in running
    assert "Judged yes 33% 100%" in running
    assert "Case by case" in running
    assert "comparisons follow" in running
    listed = await asyncio.to_thread(command, target, tmp_path, "comparisons", "list")
    assert " running 4/6" in listed
    cancel(folder)
    ended = await asyncio.to_thread(command, target, tmp_path, "comparisons", "show", identity)
    assert "It was cancelled before it finished." in ended
    listed = await asyncio.to_thread(command, target, tmp_path, "comparisons", "list")
    assert " cancelled " in listed
    for told in (running, ended):
        assert "$0" not in told
        assert "resume" not in told
        assert "models" not in told
    with pytest.raises(Unsupported, match="start it again") as cause:
        await bench.comparisons.resume(identity)
    assert cause.value.sentence == bench.comparisons.no_resume


async def test_where_experts_alone_count_only_what_they_liked_can_be_lost(made: tuple[Path, str]) -> None:
    async with docs_of(made[0]) as docs:
        known = await compared(docs)
        cases = (await docs.test_sets.cases(known.test_set_id, known.test_set_version, 100)).data
    result: Any = copy.deepcopy(known.result)
    del result["ours"]
    (row,) = [one for one in result["perCase"] if one["caseId"] == CHARGE]
    row["changes"]["dropped"].append({"key": row["changes"]["kept"].pop()["key"]})
    none = {"yesWeight": 0, "totalWeight": 0}
    nothing = {**none, "items": 1, "judgedItems": 0, "topK": none}
    row |= {"baseline": nothing, "candidate": [nothing, nothing]}
    standings = []
    for weighing in ("as-recorded", "experts-only"):
        request = known.request.model_copy(update={"weighing": weighing})
        told: Any = with_ours(result, cases, request, known.id, known.test_set_version, 3, quick=True)
        standings += [one["standing"] for one in told["ours"]["cases"] if one["caseId"] == CHARGE]
    assert standings == ["regressed", "unknown"]
