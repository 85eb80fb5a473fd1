"""Runs of the local workbench: recorded here, or imported from files."""

import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.domain.runs import Run, RunDetail, Segment, TurnGiven
from kindgi_tui.local.access import Access
from kindgi_tui.local.store import run_lists, run_search, runs
from kindgi_tui.workbench import ImportOutcome, Page

if TYPE_CHECKING:
    from kindgi_tui.domain.imports import ImportOptions, ImportReport
    from kindgi_tui.local.parts.importing import Riding, RidingCorrection


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
        await take_into_search(self._access)

    async def get(self, run_id: str) -> RunDetail:
        """One run, whole."""
        return await self._access.read(lambda c: runs.get_run(c, run_id))

    async def add(
        self,
        new: Sequence[RunDetail],
        judgments: "Sequence[Riding]" = (),
        corrections: "Sequence[RidingCorrection]" = (),
    ) -> ImportOutcome:
        """Writes runs down; those whose id is known are left as they are."""
        from kindgi_tui.local.parts.importing import add_runs

        write = partial(add_runs, new=new, judgments=judgments, corrections=corrections)
        outcome = await self._access.write("editor", None, write)
        await take_into_search(self._access)
        return outcome

    async def import_files(
        self, paths: Sequence[Path], options: "ImportOptions", dry_run: bool = False
    ) -> "ImportReport":
        """Reads runs from files and folders and writes them down."""
        from kindgi_tui.local.parts.importing import import_files

        return await import_files(self._access, paths, options, dry_run)

    async def export(self, run_id: str) -> str:
        """One run with its live judgments and corrections as a line of our JSONL; environment values are masked."""
        from kindgi_tui.local.imports.kindgi_jsonl import export_line
        from kindgi_tui.local.store.corrections import corrections_of_run
        from kindgi_tui.local.store.judgments import judgments_of_run

        def line(connection: sqlite3.Connection) -> str:
            seq = runs.run_seq(connection, run_id)
            return export_line(
                masked(runs.read_run(connection, seq)),
                judgments_of_run(connection, seq),
                corrections=corrections_of_run(connection, seq),
            )

        return await self._access.read(line)

    async def start(
        self,
        project_id: str,
        agent_id: str,
        version: str | None,
        message: str,
        segments: Sequence[Segment] = (),
        fresh: bool = False,
        given: TurnGiven | None = None,
        begun: Callable[[RunDetail], None] | None = None,
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
            given or TurnGiven(),
            self._access.note_made,
            begun,
        )


async def take_into_search(access: Access) -> None:
    """Takes the runs that are not in the search yet into it."""
    if await access.read(run_search.search_is_behind):
        while await access.database.write(run_search.index_for_search):
            pass


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
