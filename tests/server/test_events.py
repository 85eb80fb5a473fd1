"""The events of an eval run: a case has one id, live, joined late, joined again and after the end."""

import asyncio
import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kindgi_tui.local.workbench import open_local
from tests.server.running import Asked, Served, copied, serving
from tests.session.comparing import Frozen, freeze, make_compared
from tests.tui.test_graded_comparison import compared as make_graded


class Held(NamedTuple):
    """A server with a comparison that stands still while it runs, until it is thawed."""

    server: Served
    frozen: Frozen
    cases: tuple[str, ...]
    """The case ids, in the order of the set."""
    waiting: str
    """The case whose repetitions are to come."""
    unjudged: str | None
    """The case whose answers a model has still to judge."""

    def thaw(self) -> None:
        self.frozen.thaw()


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("events") / "demo"
    asyncio.run(make_compared(folder))
    return folder


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graded") / "demo"
    asyncio.run(make_graded(folder))
    return folder


async def oldest(folder: Path) -> tuple[str, tuple[str, ...], str | None]:
    """The comparison made first, its cases in order, and one whose answers a model judged."""
    bench, _ = await open_local(folder)
    try:
        first = (await bench.comparisons.list(limit=100)).data[-1]
        cases = await bench.test_sets.cases(first.test_set_id, first.test_set_version, 100)
        judged = await bench.access.database.read(
            lambda c: c.execute(
                "SELECT v.case_id FROM answer_verdicts v JOIN comparisons c ON c.seq = v.comparison WHERE c.id = ?",
                (first.id,),
            ).fetchone()
        )
        return first.id, tuple(one.case_id for one in cases.data), judged[0] if judged else None
    finally:
        await bench.close()


@pytest.fixture(params=["verdicts", "graded"])
def held(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Held]:
    folder = copied(request.getfixturevalue(str(request.param)), tmp_path / "demo")
    identity, cases, unjudged = asyncio.run(oldest(folder))
    waiting = next(case for case in cases if case != unjudged)
    frozen = freeze(folder, identity, without=(waiting,))
    with serving(folder) as server:
        yield Held(server, frozen, cases, waiting, unjudged)


def frames(
    server: Asked, path: str, last: str | None = None, most: int = 1_000
) -> list[tuple[str, str, Any]]:
    """The first `most` events: id, name and data; `last` is the last one that the client says it had."""
    told: list[tuple[str, str, Any]] = []
    headers = {} if last is None else {"Last-Event-ID": last}
    with server.client.stream("GET", path, headers=headers) as answer:
        lines: dict[str, str] = {}
        for line in answer.iter_lines():
            name, _, words = line.partition(": ")
            if name:
                lines[name] = words
            elif lines:
                told.append((lines["id"], lines["event"], json.loads(lines["data"])))
                lines = {}
            if len(told) == most:
                break
    return told


@pytest.mark.parametrize(("path", "noun"), [("eval-runs", "eval-run"), ("test-runs", "test-run")])
def test_a_case_has_one_id_however_it_is_read(held: Held, path: str, noun: str) -> None:
    server, identity, cases = held.server, held.frozen.identity, held.cases
    events = f"/v1/{path}/{identity}/events"
    verdicts: list[tuple[Any, ...]] = []
    database = server.workspace / "workspace.db"
    if held.unjudged is not None:
        with closing(sqlite3.connect(database, timeout=10)) as connection, connection:
            verdicts = connection.execute(
                "DELETE FROM answer_verdicts WHERE case_id = ? RETURNING *", (held.unjudged,)
            ).fetchall()
    live = [one for one in cases if one not in (held.waiting, held.unjudged)]
    whole: list[tuple[str, str, Any]] = []
    following = Asked(server.url, server.token)
    thread = threading.Thread(target=lambda: whole.extend(frames(following, events)))
    thread.start()
    before = frames(server, events, most=len(live))
    joined = [frames(server, events, last=place, most=len(live)) for place, _, _ in before]
    if verdicts:
        marks = ", ".join("?" * len(verdicts[0]))
        with closing(sqlite3.connect(database, timeout=10)) as connection, connection:
            connection.executemany(f"INSERT INTO answer_verdicts VALUES ({marks})", verdicts)
    held.thaw()
    thread.join()
    after = frames(server, events)
    joined += [frames(server, events, last=place) for place, _, _ in after]

    known = {place: (event, data) for place, event, data in after}
    assert list(known) == [*(f"{identity}:case:{at}" for at in range(len(cases))), f"{identity}:terminal"]
    for at, case in enumerate(cases):
        event, data = known[f"{identity}:case:{at}"]
        assert (event, data["caseIndex"], data["caseId"]) == (f"{noun}.case-completed", at, case)
    assert sorted(data["caseId"] for _, _, data in before) == sorted(live)
    assert len(whole) == len(known), "each event once, the one that came last too"
    assert [place for place, _, _ in whole[:-1]] != [place for place, _, _ in after[:-1]]
    for told in (whole, before, *joined):
        places = [place for place, _, _ in told]
        assert len(places) == len(set(places))
        for place, event, data in told:
            assert (event, data) == known[place]
    # Whoever joins again has, with what it had, each event once.
    assert all({place for place, _, _ in told} == set(known) for told in joined[len(before) :])
