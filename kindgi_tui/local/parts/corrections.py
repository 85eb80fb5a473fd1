"""Corrections of the local workbench."""

from collections.abc import Sequence

from kindgi_tui.domain.corrections import Correction, CorrectionFilter, NewCorrection
from kindgi_tui.local.access import Access
from kindgi_tui.local.store import corrections
from kindgi_tui.local.store.runs import run_seq
from kindgi_tui.workbench import Page


class LocalCorrections:
    """What runs should have done. They are not audited, but for removing: each record says who made it and when."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def add(self, new: NewCorrection) -> Correction:
        """Records a correction of the acting person; it replaces their live one of the run."""
        person = self._access.person
        return await self._access.write("judge", None, lambda c: corrections.add_correction(c, new, person))

    async def add_all(self, new: Sequence[NewCorrection]) -> tuple[Correction, ...]:
        """Records corrections of the acting person in their order, all or none."""
        person = self._access.person
        return await self._access.write("judge", None, lambda c: corrections.add_corrections(c, new, person))

    async def get(self, correction_id: str) -> Correction:
        """One correction, live or not."""
        return await self._access.read(lambda c: corrections.get_correction(c, correction_id))

    async def list(
        self, query: CorrectionFilter, limit: int = 25, cursor: str | None = None
    ) -> Page[Correction]:
        """Live corrections, newest first."""
        return await self._access.read(lambda c: corrections.list_corrections(c, query, limit, cursor))

    async def history(self, run_id: str) -> tuple[Correction, ...]:
        """Every correction ever made of a run, newest first."""
        return await self._access.read(lambda c: corrections.history_of_run(c, run_seq(c, run_id)))

    async def remove(self, correction_id: str) -> None:
        """Removes a live correction."""
        person = self._access.person
        await self._access.write(
            "judge",
            "corrections.remove",
            lambda c: corrections.remove_correction(c, correction_id, person),
            lambda removed: removed.id,
        )

    async def take_back(self, run_id: str, participant: str | None = None) -> Correction | None:
        """Takes the acting person's correction of a run back."""
        person = self._access.person
        return await self._access.write(
            "judge",
            None,
            lambda c: corrections.take_back_correction(c, run_id, person, participant),
            # A request with a key notes the run where nothing came back: it isn't to be run again either.
            run_id,
        )
