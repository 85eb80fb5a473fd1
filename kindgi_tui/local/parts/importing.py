"""Writing imported runs down: a batch at a time, with the judgments and corrections that ride along."""

import itertools
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal

from kindgi_tui.domain.corrections import NewCorrection
from kindgi_tui.domain.imports import ImportOptions, ImportReport
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.queries import NewJudgment
from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.local.access import Access
from kindgi_tui.local.imports.reading import read_files, summarise
from kindgi_tui.local.imports.records import ImportedRun, Problem
from kindgi_tui.local.parts.runs import take_into_search
from kindgi_tui.local.store import runs
from kindgi_tui.local.store.catalog import entry_versions, list_entries
from kindgi_tui.local.store.corrections import add_correction
from kindgi_tui.local.store.judgments import add_judgment
from kindgi_tui.local.store.people import find_person, put_person
from kindgi_tui.local.store.values import from_ms, now_ms, to_ms
from kindgi_tui.workbench import ImportOutcome, WorkbenchError

BATCH = 200
"""How many runs one transaction of an import writes."""

Riding = tuple[NewJudgment, str, datetime | None]
"""A verdict that rides along with a run: what was said, by whom, and when."""

RidingCorrection = tuple[NewCorrection, str, datetime | None]
"""A correction that rides along with a run: what was said, by whom, and when."""

_Outcomes = list[tuple[ImportedRun, Literal["new", "known"]] | Problem]


async def import_files(
    access: Access, paths: Sequence[Path], options: ImportOptions, dry_run: bool = False
) -> ImportReport:
    """Reads runs from files and folders and writes them down."""
    access.require("editor")
    published, tools = await access.read(_published)
    outcomes: _Outcomes = []
    # The file is read a batch at a time, so that a long one never stands in memory whole.
    reading = read_files(paths, options)
    seen: set[str] = set()
    for batch in _batches(reading):
        outcomes.extend(each for each in batch if isinstance(each, Problem))
        found = [each for each in batch if isinstance(each, ImportedRun)]
        outcomes.extend(await _import(access, found, seen, dry_run))
        if not dry_run:
            # Now and not at the first search, which would wait for all of them.
            await take_into_search(access)
    report = summarise(outcomes, published, tools)
    if not dry_run and report.came_in:
        await access.write(
            "editor", "runs.import", lambda c: None, options.project_id, {"runs": report.came_in}
        )
    return report


async def _import(access: Access, found: Sequence[ImportedRun], seen: set[str], dry_run: bool) -> _Outcomes:
    if dry_run:
        known = await access.read(lambda c: {each.detail.id for each in found if _is_known(c, each)})
        answer: _Outcomes = []
        for each in found:
            fresh = each.detail.id not in known and each.detail.id not in seen
            seen.add(each.detail.id)
            answer.append((_light(each), "new" if fresh else "known"))
        return answer
    return await access.write("editor", None, partial(_import_batch, found=found))


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
        for told in each.corrections:
            correction = NewCorrection(
                run_id=each.detail.id, expect=told.expect, participant=told.participant
            )
            try:
                _correction_along(connection, correction, told.judge, told.created_at)
            except WorkbenchError as cause:
                outcomes.append(
                    Problem(place=each.place, reason=f"A correction was left out: {cause.sentence}")
                )
    return outcomes


def add_runs(
    connection: sqlite3.Connection,
    new: Sequence[RunDetail],
    judgments: Sequence[Riding],
    corrections: Sequence[RidingCorrection] = (),
) -> ImportOutcome:
    """Writes runs down with the judgments and corrections that ride along; those whose run was known are left out."""
    added, known = runs.insert_runs(connection, new)
    fresh = set(added)
    riding = [each for each in judgments if each[0].run_id in fresh]
    for judgment, judge, at in riding:
        _ride_along(connection, judgment, judge, at)
    corrected = [each for each in corrections if each[0].run_id in fresh]
    for correction, judge, at in corrected:
        _correction_along(connection, correction, judge, at)
    return ImportOutcome(
        added=tuple(added), known=tuple(known), judgments=len(riding), corrections=len(corrected)
    )


def _ride_along(connection: sqlite3.Connection, new: NewJudgment, judge: str, at: datetime | None) -> None:
    """Records a verdict that somebody else said before."""
    add_judgment(connection, new, _speaker(connection, judge), _ms(at), copied=True)


def _correction_along(
    connection: sqlite3.Connection, new: NewCorrection, judge: str, at: datetime | None
) -> None:
    """Records a correction that somebody else made before."""
    add_correction(connection, new, _speaker(connection, judge), _ms(at), copied=True)


def _speaker(connection: sqlite3.Connection, judge: str) -> Person:
    """Who said what rides along; they are added to the people when new, with the right to judge."""
    person = find_person(connection, judge)
    if person is None:
        person = Person(id=judge, right="judge", created_at=from_ms(now_ms()))
        put_person(connection, person)
    return person


def _ms(moment: datetime | None) -> int | None:
    return None if moment is None else to_ms(moment)
