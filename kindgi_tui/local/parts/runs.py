"""Runs of the local workbench: recorded here, or imported from files."""

import itertools
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal

from kindgi_tui.domain.imports import ImportOptions, ImportReport
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.queries import NewJudgment, RunFilter
from kindgi_tui.domain.runs import Run, RunDetail, Segment
from kindgi_tui.local.access import Access
from kindgi_tui.local.imports.kindgi_jsonl import export_line
from kindgi_tui.local.imports.reading import read_files, summarise
from kindgi_tui.local.imports.records import ImportedRun, Problem
from kindgi_tui.local.store import run_lists, run_search, runs
from kindgi_tui.local.store.catalog import entry_versions, list_entries
from kindgi_tui.local.store.judgments import add_judgment, judgments_of_run
from kindgi_tui.local.store.people import find_person, put_person
from kindgi_tui.local.store.values import from_ms, now_ms, to_ms
from kindgi_tui.workbench import ImportOutcome, Page, WorkbenchError

BATCH = 200
"""How many runs one transaction of an import writes."""

_RIDING = tuple[NewJudgment, str, datetime | None]
_Outcomes = list[tuple[ImportedRun, Literal["new", "known"]] | Problem]


class LocalRuns:
    """Recorded runs."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def list(
        self, query: RunFilter, limit: int = 25, cursor: str | None = None, backwards: bool = False
    ) -> Page[Run]:
        """Runs, newest first."""
        await self._catch_up(query)
        return await self._access.read(lambda c: run_lists.list_runs(c, query, limit, cursor, backwards))

    async def count(self, query: RunFilter) -> int:
        """How many runs the whole list holds."""
        await self._catch_up(query)
        return await self._access.read(lambda c: run_lists.count_runs(c, query))

    async def _catch_up(self, query: RunFilter) -> None:
        """Takes the runs that are not in the search yet into it, before a search."""
        if query.text is None or not query.text.strip():
            return
        await self._take_into_search()

    async def _take_into_search(self) -> None:
        if await self._access.read(run_search.search_is_behind):
            while await self._access.database.write(run_search.index_for_search):
                pass

    async def get(self, run_id: str) -> RunDetail:
        """One run, whole."""
        return await self._access.read(lambda c: runs.get_run(c, run_id))

    async def add(self, new: Sequence[RunDetail], judgments: Sequence[_RIDING] = ()) -> ImportOutcome:
        """Writes runs down; those whose id is known are left as they are."""
        outcome = await self._access.write("editor", None, partial(_add, new=new, judgments=judgments))
        await self._take_into_search()
        return outcome

    async def import_files(
        self, paths: Sequence[Path], options: ImportOptions, dry_run: bool = False
    ) -> ImportReport:
        """Reads runs from files and folders and writes them down."""
        self._access.require("editor")
        published, tools = await self._access.read(_published)
        outcomes: _Outcomes = []
        # The file is read a batch at a time, so that a long one never stands in memory whole.
        reading = read_files(paths, options)
        seen: set[str] = set()
        for batch in _batches(reading):
            outcomes.extend(each for each in batch if isinstance(each, Problem))
            found = [each for each in batch if isinstance(each, ImportedRun)]
            outcomes.extend(await self._import(found, seen, dry_run))
            if not dry_run:
                # Now and not at the first search, which would wait for all of them.
                await self._take_into_search()
        report = summarise(outcomes, published, tools)
        if not dry_run and report.came_in:
            await self._access.write(
                "editor", "runs.import", lambda c: None, options.project_id, {"runs": report.came_in}
            )
        return report

    async def _import(self, found: Sequence[ImportedRun], seen: set[str], dry_run: bool) -> _Outcomes:
        if dry_run:
            known = await self._access.read(
                lambda c: {each.detail.id for each in found if _is_known(c, each)}
            )
            answer: _Outcomes = []
            for each in found:
                fresh = each.detail.id not in known and each.detail.id not in seen
                seen.add(each.detail.id)
                answer.append((_light(each), "new" if fresh else "known"))
            return answer
        return await self._access.write("editor", None, partial(_import_batch, found=found))

    async def export(self, run_id: str) -> str:
        """One run with its live judgments as a line of our JSONL; environment values are masked."""

        def line(connection: sqlite3.Connection) -> str:
            seq = runs.run_seq(connection, run_id)
            return export_line(masked(runs.read_run(connection, seq)), judgments_of_run(connection, seq))

        return await self._access.read(line)

    async def start(
        self,
        project_id: str,
        agent_id: str,
        version: str | None,
        message: str,
        segments: Sequence[Segment] = (),
        fresh: bool = False,
    ) -> RunDetail:
        """Runs one turn of an agent and records it."""
        from kindgi_tui.local.engine.starting import start_run

        self._access.require("editor")
        return await start_run(
            self._access.database,
            self._access.folder,
            project_id,
            agent_id,
            version,
            message,
            tuple(segments),
            fresh,
        )


def masked(run: RunDetail) -> RunDetail:
    """The run with its tools' environment values hidden: they can be secrets (DESIGN section 6)."""
    sent = run.context.get("toolEnv")
    if not isinstance(sent, dict):
        return run
    hidden = {
        tool: dict.fromkeys(values, "•••") if isinstance(values, dict) else "•••"
        for tool, values in sent.items()
    }
    return run.model_copy(update={"context": {**run.context, "toolEnv": hidden}})


def _batches(reading: "Iterator[ImportedRun | Problem]") -> "Iterator[list[ImportedRun | Problem]]":
    while batch := list(itertools.islice(reading, BATCH)):
        yield batch


def _light(imported: ImportedRun) -> ImportedRun:
    """What a report still reads of a run: without its raw record."""
    return imported.model_copy(update={"detail": imported.detail.model_copy(update={"raw": None})})


def _is_known(connection: sqlite3.Connection, imported: ImportedRun) -> bool:
    return connection.execute("SELECT 1 FROM runs WHERE id = ?", (imported.detail.id,)).fetchone() is not None


def _published(connection: sqlite3.Connection) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    versions = {
        entry.id: tuple(each.version for each in entry_versions(connection, "agent", entry.id))
        for entry in list_entries(connection, "agent")
    }
    return versions, tuple(entry.id for entry in list_entries(connection, "tool"))


def _import_batch(connection: sqlite3.Connection, found: Sequence[ImportedRun]) -> _Outcomes:
    outcomes: _Outcomes = []
    for each in found:
        if not runs.insert_run(connection, each.detail):
            outcomes.append((_light(each), "known"))
            continue
        outcomes.append((_light(each), "new"))
        for said in each.judgments:
            new = NewJudgment(
                run_id=each.detail.id,
                item=said.item,
                verdict=said.verdict,
                reason=said.reason,
                participant=said.participant,
            )
            try:
                _ride_along(connection, new, said.judge, said.created_at)
            except WorkbenchError as cause:
                outcomes.append(
                    Problem(place=each.place, reason=f"A judgment was left out: {cause.sentence}")
                )
    return outcomes


def _add(
    connection: sqlite3.Connection, new: Sequence[RunDetail], judgments: Sequence[_RIDING]
) -> ImportOutcome:
    added, known = runs.insert_runs(connection, new)
    fresh = set(added)
    riding = [each for each in judgments if each[0].run_id in fresh]
    for judgment, judge, at in riding:
        _ride_along(connection, judgment, judge, at)
    return ImportOutcome(added=tuple(added), known=tuple(known), judgments=len(riding))


def _ride_along(connection: sqlite3.Connection, new: NewJudgment, judge: str, at: datetime | None) -> None:
    """Records what somebody else said before; they are added to the people when new, with the right to judge."""
    person = find_person(connection, judge)
    if person is None:
        person = Person(id=judge, right="judge", created_at=from_ms(now_ms()))
        put_person(connection, person)
    add_judgment(connection, new, person, None if at is None else to_ms(at))
