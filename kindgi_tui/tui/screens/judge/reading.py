"""The keys of Judge that are about reading: opening calls, Markdown, the whole item, searching, scrolling."""

from typing import TYPE_CHECKING

from textual import on

from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.screens.judge.conversation import FOLDED, OPEN, WHOLE, Reading
from kindgi_tui.tui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from kindgi_tui.tui.screens.judge.panes import JudgePanes

_FOLDS = {
    FOLDED: "Calls are folded.",
    OPEN: "Calls are open; o once more opens all of their JSON.",
    WHOLE: "All is open.",
}


class ReadingKeys(WorkScreen):
    """How the text is read; mixed into the screen."""

    panes: "JudgePanes"
    """What stands where."""
    _words = ""
    _found = -1

    def restore_reading(self) -> None:
        """As it was left."""
        self.panes.reading = Reading(FOLDED, self.app.state.get("judge.raw") is not True)

    def why_not_reading(self, verb: str) -> str | None:
        """What needs words that were searched."""
        if verb == "next-found" and not self._words:
            return "Nothing was searched yet: / searches."
        return None

    def do_calls(self) -> None:
        """Opens the calls, then all JSON, then folds them."""
        fold = (self.panes.reading.fold + 1) % 3
        self.panes.reading = self.panes.reading._replace(fold=fold)
        self.panes.show_text(keep=True)
        self.say(_FOLDS[fold])

    def do_markdown(self) -> None:
        """Draws Markdown, or shows it as it was written."""
        drawn = not self.panes.reading.drawn
        self.panes.reading = self.panes.reading._replace(drawn=drawn)
        self.app.state.put("judge.raw", None if drawn else True)
        self.panes.show_text(keep=True)
        self.say("Markdown is drawn." if drawn else "Text is shown as it was written.")

    def do_open(self) -> None:
        """Shows the whole item, or the conversation again."""
        self.panes.whole_item = not self.panes.whole_item
        self.panes.guideline_in_text = False
        self.panes.show_text()

    def do_search(self) -> None:
        """Asks for words."""
        self.prompt.ask("search", "Search", self._words)

    @on(Prompt.Answered)
    def _searched(self, event: Prompt.Answered) -> None:
        if event.purpose == "search":
            self._words, self._found = event.text, -1
            if self._words:
                self.do_next_found()
            self.changed()

    def do_next_found(self) -> None:
        """The next place that has the words."""
        found = self.panes.text.find(self._words, self._found)
        if found is None:
            folded = " with its calls folded (o opens them)" if self.panes.reading.fold != WHOLE else ""
            self.say(f'"{self._words}" is not in it{folded}.', "no")
            return
        self._found = found
        self.say(f'"{self._words}": f goes on to the next')

    def do_page_down(self) -> None:
        """A page on."""
        self.panes.text.page(1)

    def do_page_up(self) -> None:
        """A page back."""
        self.panes.text.page(-1)
