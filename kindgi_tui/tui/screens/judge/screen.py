"""Judge: one item after another, with one key each. Nothing in the loop opens anything over it (DESIGN section 12)."""

import time
from collections.abc import Set
from functools import partial
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from kindgi_tui.session.judging import JudgingSession
from kindgi_tui.session.judging_seen import DWELL
from kindgi_tui.session.judging_sitting import Sitting
from kindgi_tui.session.judging_walk import What
from kindgi_tui.text import one_line
from kindgi_tui.tui.registry import bindings_of
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.screens.judge.correcting import CorrectionKeys
from kindgi_tui.tui.screens.judge.dismissing import DismissKeys
from kindgi_tui.tui.screens.judge.guidelines import GuidelineKeys
from kindgi_tui.tui.screens.judge.items_list import ByHandList, ItemBar, ItemsList
from kindgi_tui.tui.screens.judge.options import sitting_from
from kindgi_tui.tui.screens.judge.painted import PaintReports
from kindgi_tui.tui.screens.judge.panes import JudgePanes
from kindgi_tui.tui.screens.judge.reading import ReadingKeys
from kindgi_tui.tui.screens.judge.rows import ending_parts, nothing_words, queue_row, state_words
from kindgi_tui.tui.screens.judge.verdicts import VerdictKeys
from kindgi_tui.tui.widgets.line_list import Cell
from kindgi_tui.tui.widgets.text_pane import Block, TextPane
from kindgi_tui.workbench import Unsupported

VERDICTS = ("yes", "no", "rest-yes", "rest-no", "skip")
"""What needs an item that is in view."""


class JudgeScreen(VerdictKeys, DismissKeys, ReadingKeys, GuidelineKeys, CorrectionKeys, WorkScreen):
    """The judging loop."""

    PLACE = "judge"
    CSS_PATH = "screen.tcss"
    BINDINGS = bindings_of("judge")
    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-middle"), (40, "-high")]

    session: JudgingSession
    """What is being judged."""
    panes: JudgePanes
    """What stands where."""

    def __init__(self) -> None:
        super().__init__()
        self._seated = False
        self._asked: Sitting | None = None
        self._unloaded = ""
        self._left = False

    def compose_body(self) -> ComposeResult:
        """The queue, the conversation over the items, what to judge by."""
        yield Static("Judge", id="judge-title", markup=False)
        with Horizontal(id="judge-body"):
            yield ByHandList(self._queue_row, id="judge-queue")
            with Vertical(id="judge-centre"):
                yield TextPane(id="judge-text", empty="Looking for what owes a verdict of yours …")
                yield ItemBar(id="judge-bar")
                yield ItemsList(self._written, id="judge-items")
                yield Static("", id="judge-reasons", markup=False)
            with Vertical(id="judge-side"):
                yield TextPane(id="judge-guideline")
                yield TextPane(id="judge-history")

    def on_mount(self) -> None:
        """Sits down."""
        app, options = self.app, self.app.options
        clock = options.get("judge_clock") or time.monotonic
        dwell = options.get("judge_dwell", DWELL)
        self.session = JudgingSession(
            self.workbench, app.person, self._session_changed, self.show_error, clock=clock, dwell=dwell
        )
        self._clock = clock
        self.panes = JudgePanes(self, self.session)
        self._speak_as_chosen()
        self.restore_reading()
        remote = app.profile.name == "ssh"
        self._reports = PaintReports(
            self.session.seen.painted, self._ask_terminal if remote else None, self.set_timer
        )
        self.focus_body()

    def on_screen_resume(self) -> None:
        """Takes what the screen one comes from asks for; else goes on where one was."""
        sitting = sitting_from(self.app.options, self.app.project.id)
        if sitting is None and not self._seated:
            sitting = self._whole_queue()
        if sitting is not None:
            self.sit_down(sitting)
        else:
            self._speak_as_chosen()
            self.look_for_correction()
            if self.session.sitting is not None:
                self._show_title()

    def _speak_as_chosen(self) -> None:
        """As the group last chosen, here or while correcting."""
        kept = self.app.state.get("judge.group")
        self.session.speaking.chosen = kept if isinstance(kept, str) else None

    def _whole_queue(self) -> Sitting:
        found = sitting_from({"judge_queue": True}, self.app.project.id)
        assert found is not None
        return found

    def sit_down(self, sitting: Sitting) -> None:
        """Begins to judge something else."""
        self._seated, self._asked = True, sitting
        self.load(partial(self._sit_down, sitting), "sitting")

    async def _sit_down(self, sitting: Sitting) -> None:
        groups = await self.workbench.groups.list(self.app.project.id, retired=True)
        self.panes.groups = {each.id: each.name for each in groups}
        await self.session.start(sitting)
        self._unloaded = ""
        if not self.session.walk.at_end:
            self.say("y yes · n no · s skip · r reason · u takes back · ? every key")

    def show_unloaded(self, sentence: str) -> None:
        """The reason stands where the conversation would."""
        self._unloaded = sentence
        if self.session.sitting is None:
            self.panes.show_parts([Block(one_line(sentence, 400)), Block("q looks again.", "dim")])

    async def on_unmount(self) -> None:
        """Waits until everything said is stored; nothing is shown of it any more."""
        self._left = True
        await self.session.close()

    # What is seen

    def _written(self, places: Any) -> None:
        self._reports.written(places)

    def _ask_terminal(self, words: str) -> None:
        driver = self.app._driver
        if driver is not None:
            driver.write(words)
            driver.flush()

    def reported(self) -> None:
        """The terminal answered a status report."""
        self._reports.answered()

    def on_paste(self, event: events.Paste) -> None:
        """Pasted text never becomes verdicts."""
        event.stop()
        self.say("Pasted text is no verdict: nothing was judged.", "no")

    # What changes

    def _session_changed(self, what: What) -> None:
        if self._left or not self.is_mounted or self.session.sitting is None:
            return
        if what == "run":
            self._show_run()
        elif what == "item":
            self.panes.show_item()
        elif what == "entries":
            self.panes.show_queue()
        elif what == "written":
            self.panes.show_written()
            return
        else:
            self.work(self.panes.prepare_ahead(), group="ahead", exclusive=True)
        if what != "loaded":
            self._show_title()
            self.changed()

    def _show_run(self) -> None:
        walk = self.session.walk
        sheet = walk.sheet
        if sheet is not None:
            empty = "" if sheet.items else nothing_words(walk.entry)
            self.look_for_guideline(sheet.run.project_id, sheet.run.subject)
            self.look_for_correction()
            self.restore_reasons(sheet.run.subject.id)
            self.show_guideline_where_it_fits()
        else:
            empty = "" if walk.at_end else "Loading …"
        self.panes.show_run(empty)
        if walk.at_end:
            self.panes.show_parts(ending_parts(self._sitting, self.session.done, None, None))
            self.work(self._show_end(), group="end", exclusive=True)

    @property
    def _sitting(self) -> Sitting:
        sitting = self.session.sitting
        assert sitting is not None
        return sitting

    async def _show_end(self) -> None:
        sitting = self._sitting
        await self.session.writes.drain()
        progress = await self.workbench.queue.progress(sitting.query)
        try:
            disputes = (await self.workbench.queue.disagreements(sitting.query, limit=100)).data
            apart = (await self.workbench.queue.corrected_apart(sitting.query, limit=100)).data
        except Unsupported:
            disputes, apart = (), ()
        if self.session.walk.at_end:
            self.panes.show_parts(ending_parts(sitting, self.session.done, progress, disputes, apart))
            self.changed()

    def show_corrected(self) -> None:
        """The title says that the run in view is corrected by me."""
        self._show_title()

    def _show_title(self) -> None:
        walk, words = self.session.walk, ["Judge"]
        sheet = walk.sheet
        if sheet is not None:
            of = len(walk.feed.entries)
            words.append(f"run {walk.index + 1:,} of {of:,}{'' if walk.feed.complete else '+'}")
            words.append(f"{sheet.run.subject.id} {sheet.run.subject.version}")
            group = self.session.speaking.group_for(sheet.run)
            words += [f"as {group.name}"] if group is not None else []
            words += [f"✎ corrected: {self.corrected_words}"] if self.corrected_words else []
            entry = walk.entry
            words += state_words(entry, self.panes.groups) if entry is not None else []
            if walk.entry is not None and walk.entry.apart:
                words.append("corrected differently")
            path = " › ".join(part.value for part in sheet.run.segments)
            words += [path] if path else []
        if self._sitting.words:
            words.append(self._sitting.words)
        self.panes.show_title(" · ".join(words))

    def _queue_row(self, number: int, width: int) -> list[Cell] | None:
        entries = self.session.walk.feed.entries
        return queue_row(entries[number], width) if number < len(entries) else None

    def on_resize(self) -> None:
        """Another size: texts are wrapped anew, and panes may come and go."""
        self.call_after_refresh(self._resized)

    def _resized(self) -> None:
        if self.session.sitting is not None:
            self.show_guideline_where_it_fits()
            self.panes.show_queue()
            self.panes.show_item()
            if not self.session.walk.at_end:
                self.panes.show_text(keep=True)

    def verdicts_refused(self, run_ids: Set[str]) -> None:
        """They stand as not judged again."""
        self.session.refused(run_ids)

    # What can be done

    def why_not(self, verb: str) -> str | None:
        """What needs an item, a verdict, or the end."""
        if self.session.sitting is None:
            if self._unloaded:
                return None if verb == "queue" else f"{self._unloaded} q looks again."
            return "The queue is being looked up."
        walk = self.session.walk
        if verb in VERDICTS or verb in ("open", "group", "owed", "down", "up", "first", "last"):
            if walk.at_end:
                return "All done here: q looks again, u takes the last verdict back."
            if walk.sheet is None:
                return "The run is being loaded."
            if verb != "group" and verb != "owed" and walk.item is None:
                return "This run has nothing to judge: ] goes to the next."
        if verb in ("reason", "used"):
            return self.why_no_reason(verb)
        if verb in ("dismiss", "reopen"):
            return self.why_not_dismissing(verb)
        if verb == "undo" and not self.session.can_take_back:
            return "There is nothing to take back."
        if verb == "correct":
            return self.why_not_correct()
        if verb == "build" and self.app.person.right == "judge":
            return "Building a test set takes the right of an editor."
        if verb in ("skipped", "disputed") and not walk.at_end:
            return "First what is open: this is offered at the end."
        return self.why_not_reading(verb) or self.why_not_guideline(verb)

    # Moving by hand

    def _by_hand(self, steps: int) -> None:
        self.session.moved()
        self.session.walk.move(steps)

    def do_down(self) -> None:
        """The next item."""
        self._by_hand(1)

    def do_up(self) -> None:
        """The item before."""
        self._by_hand(-1)

    def do_first(self) -> None:
        """The first item."""
        self._by_hand(-1_000)

    def do_last(self) -> None:
        """The last item."""
        self._by_hand(1_000)

    @on(ByHandList.Clicked, "#judge-items")
    def _item_clicked(self, event: ByHandList.Clicked) -> None:
        if event.number != self.session.walk.cursor:
            self.session.moved()
            self.session.walk.stand(event.number)

    @on(ByHandList.Clicked, "#judge-queue")
    def _run_clicked(self, event: ByHandList.Clicked) -> None:
        if event.number != self.session.walk.index and not self.session.walk.at_end:
            self._to_run(event.number - self.session.walk.index)

    def _to_run(self, steps: int) -> None:
        self.session.moved()
        if not self.session.walk.go_run(steps):
            self.say("This is the first run." if steps < 0 else "This is the end.", "no")

    def do_next_run(self) -> None:
        """The next run."""
        self._to_run(1)

    def do_last_run(self) -> None:
        """The run before."""
        self._to_run(-1)

    def do_group(self) -> None:
        """The next group one may speak as."""
        sheet = self.session.walk.sheet
        if sheet is None:
            return
        if not self.session.speaking.covering(sheet.run):
            self.say("There is no group you may speak as here: kindgi-tui groups list shows them.", "no")
            return
        group = self.session.speaking.next(sheet.run)
        self.app.state.put("judge.group", self.session.speaking.chosen)
        self.say(
            f"You speak as {group.name} (weight {group.weight:g})"
            if group is not None
            else "You speak as yourself"
        )
        self._show_title()

    # The end

    def _again(self, kind: str) -> None:
        self.sit_down(
            self._sitting.model_copy(
                update={"kind": kind, "limit": None, "first": None, "items": (), "apart": ()}
            )
        )

    def do_skipped(self) -> None:
        """What was skipped, again."""
        self._again("skipped")

    def do_dismissed(self) -> None:
        """What was dismissed."""
        self._again("dismissed")

    def do_disputed(self) -> None:
        """What people differ on."""
        self._again("disputed")

    def do_queue(self) -> None:
        """The queue, looked for anew; where nothing could be loaded yet, what was asked for."""
        if self.session.sitting is None:
            self.sit_down(self._asked or self._whole_queue())
        else:
            self._again("queue")

    async def do_build(self) -> None:
        """To the test sets."""
        await self.app.go_to("test_sets")

    def focus_body(self) -> None:
        """The items have the keys."""
        self.panes.items.focus()
