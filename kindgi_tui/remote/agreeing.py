"""How far people agree at a runtime, which counts it nowhere: counted here from what it lists."""

from collections.abc import Collection, Mapping

from kindgi_tui.domain.agreement import Agreement, Corrected, Rating, agreement_of, rater
from kindgi_tui.domain.corrections import CorrectionFilter
from kindgi_tui.domain.queries import JudgmentFilter
from kindgi_tui.remote.parts.corrections import RemoteCorrections
from kindgi_tui.remote.parts.judgments import RemoteJudgments
from kindgi_tui.workbench import Unsupported

PAGES = 50
"""Pages of 100 judgments, or corrections, that are read for agreement at most."""


class Saying:
    """What people said at a runtime of an agent's or flow's runs."""

    def __init__(self, judgments: RemoteJudgments, corrections: RemoteCorrections) -> None:
        self._judgments = judgments
        self._corrections = corrections

    async def agreement(
        self,
        project_id: str | None,
        subject_id: str | None,
        places: Mapping[str, int],
        groups: Collection[str] = (),
    ) -> Agreement:
        """Agreement over the runs that have a place, by id, in the order of the places.

        `groups`: ids of those whose word counts; none: everybody's. Raises Unsupported where there is too much to read.
        """
        query = JudgmentFilter(project_id=project_id, subject_id=subject_id)
        ratings: list[Rating] = []
        cursor: str | None = None
        for _ in range(PAGES):
            page = await self._judgments.list(query, 100, cursor)
            ratings += [
                Rating(one.run_id, one.item.key, rater(one.asserter, one.participant), one.verdict)
                for one in page.data
                if one.run_id in places and (not groups or one.group_id in groups)
            ]
            cursor = page.next_cursor
            if not page.has_more or cursor is None:
                break
        else:
            raise _too_many("judgments")
        ratings.sort(key=lambda one: (places[one.run_id], one.item_key, one.person))
        corrected = await self._corrected(project_id, subject_id, places, groups)
        return agreement_of(ratings, sorted(corrected, key=lambda one: places[one.run_id]))

    async def _corrected(
        self,
        project_id: str | None,
        subject_id: str | None,
        places: Mapping[str, int],
        groups: Collection[str],
    ) -> list[Corrected]:
        """The live corrections of those runs, newest first; none where the runtime has no corrections."""
        query = CorrectionFilter(project_id=project_id, subject_id=subject_id)
        found: list[Corrected] = []
        cursor: str | None = None
        for _ in range(PAGES):
            try:
                page = await self._corrections.list(query, 100, cursor)
            except Unsupported:
                return []
            found += [
                Corrected(one.run_id, rater(one.asserter, one.participant), one.expect)
                for one in page.data
                if one.run_id in places and (not groups or one.group_id in groups)
            ]
            cursor = page.next_cursor
            if not page.has_more or cursor is None:
                return found
        raise _too_many("corrections")


def _too_many(what: str) -> Unsupported:
    return Unsupported(
        f"A runtime counts no agreement, and here are over {PAGES * 100:,} {what}, too many to read: "
        "pull the runs (kindgi-tui runs pull) and build the set from them."
    )
