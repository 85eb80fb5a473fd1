"""How far people agree on the cases of a page: one sentence over them, a pane of all of it, and settling in Judge."""

from textual.widgets import Static

from kindgi_tui.domain.agreement import Agreement
from kindgi_tui.tui.content import line
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.screens.test_set_cases.agreement import agreement_parts, agreement_words
from kindgi_tui.tui.widgets.text_pane import Part
from kindgi_tui.workbench import Unsupported

VERBS = ("agreement", "settle")
"""What it adds to a screen's actions."""


class Agreeing(WorkScreen):
    """Agreement, mixed into a screen that shows a `Static` of class `agreement`, and a pane by `show_text`."""

    DEFAULT_CSS = """
    Agreeing .agreement { height: auto; max-height: 3; padding: 0 1; color: $secondary; display: none; }
    Agreeing .agreement.-told { display: block; }
    """

    agreement: Agreement | None = None
    """How far people agree; None while it is counted, and where it can't be."""
    agreement_shown = False
    """Whether the pane shows it in place of a case."""
    _no_agreement = "Who agrees with whom is being counted."

    async def read_agreement(self) -> Agreement:
        """Counts it. Raises Unsupported, with the reason."""
        raise NotImplementedError

    def show_text(self, keep: bool = False) -> None:
        """Shows the case, or the agreement; `keep`: where one is in it."""
        raise NotImplementedError

    def count_agreement(self) -> None:
        """Counts it anew."""
        self.work(self._count_agreement(), group="agreement", exclusive=True)

    async def _count_agreement(self) -> None:
        try:
            self.agreement = await self.read_agreement()
        except Unsupported as cause:
            self.agreement, self._no_agreement = None, cause.sentence
        words = "" if self.agreement is None else agreement_words(self.agreement)
        told = self.query_one(".agreement", Static)
        told.update(line(words, 600))
        told.set_class(bool(words), "-told")
        if self.agreement_shown:
            self.show_text(keep=True)
        self.changed()

    @property
    def agreement_text(self) -> list[Part] | None:
        """What the pane shows of it; None: it shows a case."""
        return (
            agreement_parts(self.agreement) if self.agreement_shown and self.agreement is not None else None
        )

    def why_not_agreement(self, verb: str) -> str | None:
        """Why it can't be shown or settled."""
        if verb not in VERBS:
            return None
        if self.agreement is None:
            return self._no_agreement
        if verb == "settle" and not self.agreement.to_settle:
            return "Nobody disagrees here: there is nothing to settle."
        return None

    def do_agreement(self) -> None:
        """Shows how far people agree, or the case again."""
        self.agreement_shown = not self.agreement_shown
        self.show_text()

    async def do_settle(self) -> None:
        """Judges what people differ on again, then corrects the runs they corrected differently."""
        found = self.agreement
        assert found is not None
        self.app.options["judge_disputed"] = [(one.run_id, one.item_key) for one in found.split]
        self.app.options["judge_apart"] = [(one.run_id, one.people) for one in found.apart]
        await self.app.go_to("judge")
