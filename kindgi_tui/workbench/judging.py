"""What people say of runs: judgments, groups, the queue, guidelines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kindgi_tui.domain.corrections import Correction, CorrectionFilter, NewCorrection
    from kindgi_tui.domain.judging import (
        CorrectedApart,
        Disagreement,
        Guideline,
        Owed,
        QueuedRun,
        QueueFilter,
        QueueProgress,
    )
    from kindgi_tui.domain.judgments import Group, Judgment, Restriction
    from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment
    from kindgi_tui.domain.runs import SubjectKind
    from kindgi_tui.workbench.pages import Page


class Judgments(Protocol):
    """Verdicts on items."""

    async def add(self, new: NewJudgment) -> Judgment:
        """Records a verdict of the caller; it replaces their live one on the item.

        It is on disk when this returns. Raises NotFound, Conflict (`run-not-finished`), Invalid
        (`item-not-found`, `judge-class-not-applicable`), Denied (`judge-class-not-allowed`).
        """
        ...

    async def get(self, judgment_id: str) -> Judgment:
        """One judgment, live or not. Raises NotFound."""
        ...

    async def list(self, query: JudgmentFilter, limit: int = 25, cursor: str | None = None) -> Page[Judgment]:
        """Live judgments, newest first."""
        ...

    async def remove(self, judgment_id: str) -> None:
        """Removes a live judgment. Raises NotFound, Denied (somebody else's)."""
        ...

    async def take_back(self, run_id: str, key: str, participant: str | None = None) -> Judgment | None:
        """Takes the caller's verdict on an item back (DESIGN section 4): the earlier one comes back as a new
        record, which is returned; a first one is removed, and None returned. Raises NotFound."""
        ...


class Groups(Protocol):
    """Who judges speak as."""

    async def list(self, project_id: str | None = None, retired: bool = False) -> tuple[Group, ...]:
        """Groups of the workspace (and of the project), newest first."""
        ...

    async def get(self, reference: str) -> Group:
        """The group with that id or name, retired or not. Raises NotFound."""
        ...

    async def add(
        self,
        name: str,
        weight: float,
        *,
        description: str | None = None,
        project_id: str | None = None,
        agent_id: str | None = None,
        restriction: Restriction | None = None,
    ) -> Group:
        """Makes a group. Raises Conflict (`judge-class-name-taken`), Invalid, Denied."""
        ...

    async def change(
        self,
        reference: str,
        *,
        weight: float | None = None,
        description: str | None = None,
        restriction: Restriction | None = None,
        unrestricted: bool = False,
    ) -> Group:
        """Changes what is given; `unrestricted` lifts the restriction. Raises NotFound, Invalid, Denied."""
        ...

    async def retire(self, reference: str) -> Group:
        """Retires a group: nobody speaks as it any more. Raises NotFound, Denied."""
        ...

    async def bring_back(self, reference: str) -> Group:
        """Brings a retired group back, as it was.

        Raises NotFound, Conflict (it isn't retired, or `judge-class-name-taken`), Denied, Unsupported (a runtime).
        """
        ...


class Queue(Protocol):
    """The runs that owe a verdict of the caller: completed ones, no replays (DESIGN section 12)."""

    async def list(self, query: QueueFilter, limit: int = 25, cursor: str | None = None) -> Page[QueuedRun]:
        """The next ones, in the filter's order, without those the caller skipped. Raises Invalid, NotFound."""
        ...

    async def progress(self, query: QueueFilter) -> QueueProgress:
        """How far the caller is. Raises NotFound."""
        ...

    async def skip(self, run_id: str) -> None:
        """Leaves a run out for the caller, until `unskip` or until they judge it. Raises NotFound, Denied."""
        ...

    async def unskip(self, run_id: str) -> None:
        """Puts a run back in its place; one that wasn't skipped stays. Raises NotFound, Denied."""
        ...

    async def skipped(
        self, query: QueueFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[QueuedRun]:
        """The runs the caller skipped that still owe a verdict of theirs."""
        ...

    async def dismiss(self, run_id: str, reason: str | None = None) -> None:
        """Takes a run that is open off the queue, for everybody.

        Raises NotFound, Conflict (`judging-item-not-open`), Invalid (a reason of over 500 characters), Denied.
        """
        ...

    async def reopen(self, run_id: str) -> None:
        """Puts a dismissed run back in its place. Raises NotFound, Conflict (`judging-item-not-open`), Denied."""
        ...

    async def dismissed(
        self, query: QueueFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[QueuedRun]:
        """The dismissed runs, each with who did it and why, the oldest first. Raises NotFound."""
        ...

    async def disagreements(
        self, query: QueueFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[Disagreement]:
        """Items of which people's live verdicts differ, of at most `limit` runs a page."""
        ...

    async def corrected_apart(
        self, query: QueueFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[CorrectedApart]:
        """Runs of which people's live corrections differ, oldest first. Raises Invalid, NotFound, Unsupported."""
        ...


class Guidelines(Protocol):
    """What judges of an agent's or flow's runs go by, version by version."""

    async def get(self, project_id: str, kind: SubjectKind, subject_id: str) -> Guideline | None:
        """The newest version; None while there is none."""
        ...

    async def versions(self, project_id: str, kind: SubjectKind, subject_id: str) -> tuple[Guideline, ...]:
        """Every version, newest first."""
        ...

    async def save(self, project_id: str, kind: SubjectKind, subject_id: str, text: str) -> Guideline:
        """Saves a new version; the newest one's text again makes none. Raises Invalid, NotFound, Denied."""
        ...

    async def owed(self, project_id: str, kind: SubjectKind, subject_id: str) -> Owed:
        """Which items of its runs are to be judged."""
        ...

    async def set_owed(self, project_id: str, kind: SubjectKind, subject_id: str, chosen: Owed) -> None:
        """Sets which items of its runs are to be judged. Raises Invalid, NotFound, Denied."""
        ...


class Corrections(Protocol):
    """What runs should have done, as people said it (DESIGN section 7)."""

    async def add(self, new: NewCorrection) -> Correction:
        """Records a correction of the caller; it replaces their live one of the run. It is on disk when this returns.

        Saying the same again changes nothing and gives the live one. Raises NotFound, Conflict (`run-not-finished`),
        Invalid (`bad-input`, `judge-class-not-applicable`), Denied (`judge-class-not-allowed`).
        """
        ...

    async def add_all(self, new: Sequence[NewCorrection]) -> tuple[Correction, ...]:
        """Records corrections of the caller in their order, as `add` does each of them: all, or none.

        Raises Refused, which has what `add` would have raised for each one that can't be, and Denied.
        """
        ...

    async def get(self, correction_id: str) -> Correction:
        """One correction, live or not; a unique beginning of an id (8 characters or more) is enough.

        Raises NotFound.
        """
        ...

    async def list(
        self, query: CorrectionFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[Correction]:
        """Live corrections, newest first. Raises NotFound (a run that isn't there), Invalid."""
        ...

    async def history(self, run_id: str) -> tuple[Correction, ...]:
        """Every correction ever made of a run, newest first. Raises NotFound."""
        ...

    async def remove(self, correction_id: str) -> None:
        """Removes a live correction, named as `get` takes it.

        Raises NotFound, Denied (somebody else's, unless an admin removes it).
        """
        ...

    async def take_back(self, run_id: str, participant: str | None = None) -> Correction | None:
        """Takes the caller's correction of a run back: the earlier one comes back as a new record, which is returned;
        a first one is removed, and None returned. Raises NotFound."""
        ...
