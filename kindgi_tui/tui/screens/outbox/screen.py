"""The outbox: what a runtime doesn't have yet, why, and sending it again or dropping it; an entry whole beside."""

from collections.abc import Coroutine
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.widgets import Static

from kindgi_tui.domain.outbox import OutboxEntry
from kindgi_tui.tui.content import line
from kindgi_tui.tui.registry import bindings_of
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.screens.moves import Moves
from kindgi_tui.tui.screens.outbox.rows import counted, named, outbox_parts, outbox_row
from kindgi_tui.tui.widgets.line_list import Cell, LineList
from kindgi_tui.tui.widgets.prompt import Prompt
from kindgi_tui.tui.widgets.text_pane import TextPane
from kindgi_tui.workbench import WorkbenchError

LOOK_SECONDS = 2.0
"""How often it is looked what waits: it is sent by itself. Nothing is painted when nothing changed."""

SEND_SECONDS = 2.0
"""How long it is waited for what sending again comes to, before it is said how it stands."""

FIRST = "Looking what waits."
"""What stands there until it is known."""

EMPTY = "Nothing waits: every verdict said here is at the runtime."
"""What stands there when nothing waits."""

HERE = "Verdicts are recorded here at once: nothing ever waits."
"""What stands there on a workspace of this machine."""

SETTLING = "settling"
"""The workers that wait for what sending again comes to."""


class OutboxScreen(Moves, WorkScreen):
    """The list of what waits."""

    PLACE = "outbox"
    CSS_PATH = "screen.tcss"
    BINDINGS = bindings_of("outbox")
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (16, "-high")]

    def __init__(self) -> None:
        super().__init__()
        self._entries: tuple[OutboxEntry, ...] | None = None
        self._asked: OutboxEntry | None = None
        self._acting = False
        self._unloaded = ""

    def compose_body(self) -> ComposeResult:
        """The title with the counts, the list, the entry the cursor stands on."""
        yield Static(line("Outbox"), id="outbox-title", markup=False)
        with Container(id="outbox-body"):
            yield LineList(self._row, id="outbox-list", empty=FIRST)
            yield TextPane(id="outbox-entry")

    @property
    def current(self) -> OutboxEntry | None:
        """The entry the cursor stands on."""
        entries, at = self._entries or (), self.rows.cursor
        return entries[at] if at < len(entries) else None

    def on_mount(self) -> None:
        """Loads the list, and looks after it where something can wait."""
        self._show_entry()
        self.focus_body()
        self.load(self._load)
        if self.app.remote:
            self.every(LOOK_SECONDS, self._look)

    def on_screen_resume(self) -> None:
        """What was said or sent meanwhile shows when one comes back."""
        if self._entries is not None:
            self.load(self._load)

    async def _look(self) -> None:
        if self.is_current and self._entries is not None:
            await self._load()

    async def _load(self) -> None:
        """Reads the list anew; the cursor stays on its entry, and nothing is painted when nothing changed."""
        entries = await self.workbench.outbox.list()
        if entries == self._entries:
            return
        here = self.current
        self._entries, self._unloaded = entries, ""
        places = {one.id: at for at, one in enumerate(entries)}
        cursor = self.rows.cursor if here is None else places.get(here.id, self.rows.cursor)
        self.rows.show(len(entries), cursor, self._nothing)
        self.query_one("#outbox-title", Static).update(
            line(" · ".join(filter(None, ("Outbox", counted(entries)))))
        )
        self._show_entry(keep_place=here is not None and here.id in places)
        self.changed()

    @property
    def _nothing(self) -> str:
        return EMPTY if self.app.remote else HERE

    def show_unloaded(self, sentence: str) -> None:
        """The reason stands where the rows would, and is what the keys answer."""
        self._unloaded = sentence
        super().show_unloaded(sentence)
        self.changed()

    def _row(self, number: int, width: int) -> list[Cell] | None:
        return None if self._entries is None else outbox_row(self._entries[number], width)

    def _show_entry(self, keep_place: bool = False) -> None:
        entry, pane = self.current, self.query_one(TextPane)
        pane.set_class(entry is None, "-nothing")
        if entry is None:
            pane.show([])
        else:
            pane.show(outbox_parts(entry, self.app.in_place(entry.sentence or "")), keep_place=keep_place)

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._show_entry()
        self.changed()

    @on(LineList.Chosen)
    async def _chosen(self) -> None:
        await self.action_act("outbox.open")

    def why_not(self, verb: str) -> str | None:
        """What needs an entry, and that what was asked before is done."""
        if verb in ("open", "send", "drop") and self.current is None:
            return self._unloaded or (FIRST if self._entries is None else self._nothing)
        if verb in ("send", "drop") and self._acting:
            return "One moment: what was asked before is being done."
        return None

    def do_open(self) -> None:
        """Opens the run."""
        if self.current is not None:
            self.work(self._open(self.current.run_id), group="open", exclusive=True)

    async def _open(self, run_id: str) -> None:
        from kindgi_tui.tui.screens.run.screen import RunScreen

        # Looked up first: a run the runtime doesn't know is a sentence here, not an empty screen.
        run = await self.workbench.runs.get(run_id)
        if self.is_current:
            self.app.push_screen(RunScreen(run.id))

    def do_refresh(self) -> None:
        """Looks what waits now."""
        self.load(self._load)

    # What is done

    def _act(self, job: Coroutine[Any, Any, None]) -> None:
        """Does one thing at a time: a second one is about what the first one leaves."""
        self._acting = True
        self.changed()
        # What an earlier sending came to isn't said over what is done now.
        self.workers.cancel_group(self, SETTLING)
        self.work(self._acted(job), group="act")

    async def _acted(self, job: Coroutine[Any, Any, None]) -> None:
        try:
            await job
        except WorkbenchError:
            # It was sent or dropped elsewhere meanwhile: the list shows that.
            self.load(self._load)
            raise
        finally:
            self._acting = False
            self.changed()

    def do_send(self) -> None:
        """Sends it again, or tries everything that waits."""
        if self.current is not None:
            self._act(self._send(self.current))

    async def _send(self, entry: OutboxEntry) -> None:
        waits = entry.state == "waiting"
        await self.workbench.outbox.retry(None if waits else entry.id)
        self.say("What waits is being sent." if waits else f"Being sent again: {named(entry)}.")
        await self._load()
        self.work(self._settled(entry), group=SETTLING, exclusive=True)

    async def _settled(self, entry: OutboxEntry) -> None:
        """Says what sending it came to."""
        await self.workbench.outbox.settle(SEND_SECONDS)
        await self._load()
        if not self.is_current:
            return
        now = next((one for one in self._entries or () if one.id == entry.id), None)
        if now is None:
            self.say(f"Sent: {named(entry)}.")
        else:
            stands = "It waits still" if now.state == "waiting" else "It isn't taken"
            self.say(f"{stands}: {named(entry)}. {now.sentence or ''}", "no")

    def do_drop(self) -> None:
        """Asks whether it is meant."""
        self._asked = entry = self.current
        if entry is not None:
            self.say("Type y, then Enter: it is forgotten and never sent. Anything else keeps it.", "hint")
            self.prompt.ask("drop", f"Drop {named(entry, 20)}? y, then Enter:")

    @on(Prompt.Answered)
    def _answered(self, event: Prompt.Answered) -> None:
        entry = self._asked
        if entry is None or event.purpose != "drop":
            return
        if event.text.strip().casefold() in ("y", "yes"):
            self._act(self._drop(entry))
        else:
            self.say(f"Kept: {named(entry)}.")

    @on(Prompt.Left)
    def _left(self, event: Prompt.Left) -> None:
        if event.purpose == "drop" and self._asked is not None:
            self.say(f"Kept: {named(self._asked)}.")

    async def _drop(self, entry: OutboxEntry) -> None:
        await self.workbench.outbox.drop(entry.id)
        self.say(f"Dropped: {named(entry)}. It is never sent.")
        await self._load()
