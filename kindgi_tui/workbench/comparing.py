"""Test sets, and candidates run on them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kindgi_tui.domain.agreement import Agreement
    from kindgi_tui.domain.base import Json
    from kindgi_tui.domain.comparison_records import (
        Comparison,
        ComparisonEvent,
        ComparisonPlan,
        ComparisonRequest,
    )
    from kindgi_tui.domain.test_set_versions import BuildPreview, BuildRequest, TestSetVersion
    from kindgi_tui.domain.test_sets import Case
    from kindgi_tui.workbench.pages import Page


class TestSets(Protocol):
    """Versioned test sets built from judged runs."""

    async def preview(self, request: BuildRequest) -> BuildPreview:
        """What a build would take. Raises Invalid, NotFound."""
        ...

    async def build(self, request: BuildRequest, empty: bool = False) -> TestSetVersion:
        """Builds a version. Raises Conflict (`eval-suite-already-registered`), Invalid (also when nothing
        matches, unless `empty`: then it has no cases and can't be compared on), NotFound, Denied."""
        ...

    async def list(self, project_id: str | None = None) -> tuple[TestSetVersion, ...]:
        """The newest version of each set, by id."""
        ...

    async def versions(self, test_set_id: str) -> tuple[TestSetVersion, ...]:
        """The versions of a set, newest first. Raises NotFound."""
        ...

    async def get(self, test_set_id: str, version: str | None = None) -> TestSetVersion:
        """One version, the newest when none is named. Raises NotFound."""
        ...

    async def cases(
        self, test_set_id: str, version: str | None = None, limit: int = 25, cursor: str | None = None
    ) -> Page[Case]:
        """Its cases, in the order they were taken. Raises NotFound."""
        ...

    async def case(self, test_set_id: str, version: str, case_id: str) -> Case:
        """One of a version's cases. Raises NotFound."""
        ...

    async def agreement(self, test_set_id: str, version: str | None = None) -> Agreement:
        """How far people agree, by the live verdicts on the runs its cases were made from, and by live corrections.

        A version built from certain groups counts what is said as those. Raises NotFound, Unsupported.
        """
        ...


class Comparisons(Protocol):
    """Candidate versions, run on test sets."""

    @property
    def no_resume(self) -> str:
        """Why none can be resumed at this place, a sentence; empty where they can."""
        ...

    async def plan(self, request: ComparisonRequest) -> ComparisonPlan:
        """A dry run: what would run, and what it may cost. Raises what `start` raises."""
        ...

    async def start(self, request: ComparisonRequest) -> Comparison:
        """Starts a comparison in a process of its own and returns at once.

        On an agent's own test set its cases are frozen first (`Cases.freeze`), unless a version is named. Raises
        Conflict (`suggested-change-nothing-to-check`: it has no cases), NotFound, Invalid (`bad-input`: it is another
        agent's or project's, or the candidate is a flow; the sentence names the set that fits),
        Unsupported (`fresh` without a provider), Denied.
        """
        ...

    async def get(self, comparison_id: str) -> Comparison:
        """One comparison, with its result once there is one. A unique beginning of an id is enough."""
        ...

    async def list(
        self,
        project_id: str | None = None,
        test_set_id: str | None = None,
        limit: int = 25,
        cursor: str | None = None,
        *,
        backwards: bool = False,
        folded: bool = False,
    ) -> Page[Comparison]:
        """Comparisons, newest first, with what each came to (`brief`), without their results.

        `backwards` gives the page before the cursor (the last one without), in the list's order. `folded` leaves
        rescores out: what they score again counts them and has the newest one's brief.
        """
        ...

    async def count(self, project_id: str | None = None, test_set_id: str | None = None) -> int:
        """How many comparisons a folded list holds."""
        ...

    async def rescores(self, comparison_id: str) -> tuple[Comparison, ...]:
        """The rescores of a comparison, newest first, without their results. Raises NotFound."""
        ...

    async def partial(self, comparison_id: str) -> Json:
        """The result so far, in a result's shape, with intervals that cost nothing; None before anything finished.

        It changes at most four times a second. Of a comparison that ended it is its result. Raises NotFound.
        """
        ...

    async def waiting(self, comparison_id: str) -> int:
        """How many verdicts on its replays its result doesn't count: a rescore would. Raises NotFound."""
        ...

    def follow(self, comparison_id: str) -> AsyncIterator[ComparisonEvent]:
        """The events until it ends; ends with an `end` event."""
        ...

    async def cancel(self, comparison_id: str) -> Comparison:
        """Cancels it. Raises NotFound, Conflict (`eval-run-already-terminal`), Denied."""
        ...

    async def resume(self, comparison_id: str) -> Comparison:
        """Runs what is left of a failed or cancelled one. Raises NotFound, Conflict, Denied, Unsupported (`no_resume`
        says why)."""
        ...

    async def rescore(self, comparison_id: str) -> Comparison:
        """Scores its replays again, with what was judged on them since, as a comparison of its own.

        Raises NotFound, Conflict (`eval-run-not-rescorable`), Denied.
        """
        ...
