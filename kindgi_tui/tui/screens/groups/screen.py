"""Groups: who judges speak as, each with its weight and who may, and making, weighing, restricting, retiring them."""

from collections.abc import Coroutine
from functools import partial
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.widgets import Static

from kindgi_tui.domain.judgments import Group
from kindgi_tui.domain.limits import LimitError, check_weight
from kindgi_tui.domain.projects import Person
from kindgi_tui.session.fields import decimal_number
from kindgi_tui.session.groups import GroupStep, take_back_step, why_not_change
from kindgi_tui.tui.content import line
from kindgi_tui.tui.registry import bindings_of
from kindgi_tui.tui.screens.base import WorkScreen
from kindgi_tui.tui.screens.group_form.screen import SAVED, GroupFormScreen
from kindgi_tui.tui.screens.groups.rows import group_parts, group_row
from kindgi_tui.tui.screens.moves import Moves
from kindgi_tui.tui.widgets.line_list import Cell, LineList
from kindgi_tui.tui.widgets.prompt import Prompt
from kindgi_tui.tui.widgets.text_pane import TextPane

EMPTY = "No groups yet: every judgment weighs 1. n makes one, such as experts."
"""What stands there before there are groups."""

NEEDS_LIVE = ("change", "weigh", "lift", "retire")
"""What a retired group can't have done to it."""


class GroupsScreen(Moves, WorkScreen):
    """The list of groups."""

    PLACE = "groups"
    CSS_PATH = "screen.tcss"
    BINDINGS = bindings_of("groups")

    def __init__(self) -> None:
        super().__init__()
        self._groups: tuple[Group, ...] = ()
        self._people: tuple[Person, ...] = ()
        self._steps: list[GroupStep] = []
        self._with_retired = False
        self._asked: Group | None = None
        self._acting = False
        self._loaded = False

    def compose_body(self) -> ComposeResult:
        """The title with the count, the list, the group the cursor stands on."""
        yield Static(line("Groups"), id="groups-title", markup=False)
        with Container(id="groups-body"):
            yield LineList(self._row, id="groups-list")
            yield TextPane(id="groups-about")

    @property
    def current(self) -> Group | None:
        """The group the cursor stands on."""
        at = self.rows.cursor
        return self._groups[at] if at < len(self._groups) else None

    def on_mount(self) -> None:
        """Loads the list."""
        self.focus_body()
        self.load(self._load)

    def on_screen_resume(self) -> None:
        """What was saved or changed elsewhere shows when one comes back."""
        saved = self.app.options.pop(SAVED, None)
        if isinstance(saved, GroupStep):
            self._did(saved, "made" if saved.before is None else "changed")
        elif self._loaded:
            self.load(self._load)

    async def _load(self, wanted: str | None = None) -> None:
        before = self.current
        wanted = wanted or (None if before is None else before.id)
        found = await self.workbench.groups.list(self.app.project.id, self._with_retired)
        self._people = await self.workbench.people.list()
        self._groups = tuple(
            sorted(found, key=lambda one: (one.retired_at is not None, one.name.casefold(), one.id))
        )
        self._loaded = True
        at = next((at for at, one in enumerate(self._groups) if one.id == wanted), self.rows.cursor)
        self.rows.show(len(self._groups), min(at, max(0, len(self._groups) - 1)), EMPTY)
        live = sum(one.retired_at is None for one in self._groups)
        words = f"Groups · {live:,} {'group' if live == 1 else 'groups'}"
        if self._with_retired:
            words += f" · {len(self._groups) - live:,} retired"
        self.query_one("#groups-title", Static).update(line(f"{words} · said as none, a verdict weighs 1"))
        self._show_about()
        self.changed()

    def _row(self, number: int, width: int) -> list[Cell] | None:
        return group_row(self._groups[number], self.app.project.name, width)

    def _show_about(self) -> None:
        group, pane = self.current, self.query_one(TextPane)
        pane.set_class(group is None, "-nothing")
        if group is None:
            pane.show([])
        else:
            pane.show(group_parts(group, self.app.project.name, self.app.person, self._people))

    @on(LineList.Moved)
    def _moved(self) -> None:
        self._show_about()
        self.changed()

    @on(LineList.Chosen)
    async def _chosen(self) -> None:
        await self.action_act("groups.change")

    def why_not(self, verb: str) -> str | None:
        """What takes another right, a group, a live one, a retired one."""
        group = self.current
        if verb in ("new", "undo", "bring-back", *NEEDS_LIVE):
            reason = why_not_change(self.app.person)
            if reason is not None:
                return reason
            if self._acting:
                return "One moment: what was asked before is being done."
        if verb in ("retired", "bring-back") and self.app.remote:
            return "A runtime lists no retired groups and brings none back: make one of the same name."
        if verb in ("bring-back", *NEEDS_LIVE) and group is None:
            return EMPTY
        if verb in NEEDS_LIVE and group is not None and group.retired_at is not None:
            return f"{group.name} is retired: b brings it back."
        if verb == "bring-back" and group is not None and group.retired_at is None:
            return f"{group.name} isn't retired."
        if verb == "lift" and group is not None and group.restriction is None:
            return f"Anyone may speak as {group.name} already."
        if verb == "undo" and not self._steps:
            return "There is nothing to take back."
        return None

    # What is done

    def _act(self, job: Coroutine[Any, Any, None]) -> None:
        """Does one thing at a time: a second one is about what the first one leaves."""
        self._acting = True
        self.work(self._acted(job), group="act")

    async def _acted(self, job: Coroutine[Any, Any, None]) -> None:
        try:
            await job
        finally:
            self._acting = False
            self.changed()

    def _did(self, step: GroupStep, what: str, more: str = "") -> None:
        """Something was done: it is told and can be taken back, but for a retirement at a runtime."""
        final = step.after.retired_at is not None and self.app.remote
        if not final:
            self._steps.append(step)
        # The next key is about the group as it is now, whether the list was read anew yet or not.
        self._groups = tuple(step.after if one.id == step.after.id else one for one in self._groups)
        self.say(f"{step.after.name} is {what}{more}.{'' if final else ' u takes that back.'}")
        self.load(partial(self._load, step.after.id))

    def do_change(self) -> None:
        """Opens the form of the group."""
        if self.current is not None:
            self.app.push_screen(GroupFormScreen(self.current))

    def do_new(self) -> None:
        """Opens an empty form."""
        self.app.push_screen(GroupFormScreen())

    def do_weigh(self) -> None:
        """Asks for the weight."""
        self._asked = group = self.current
        if group is not None:
            self.say("0 or more: 3 counts three times as much as 1. Enter saves, Esc leaves.")
            self.prompt.ask("weigh", f"Weight of {group.name}", f"{group.weight:g}")

    def do_retire(self) -> None:
        """Asks whether it is meant."""
        self._asked = group = self.current
        if group is not None:
            final = " A runtime brings no group back." if self.app.remote else ""
            self.say(f"Type y, then Enter: it is retired. Anything else leaves it.{final}")
            self.prompt.ask("retire", f"Retire {group.name}? y, then Enter:")

    def do_lift(self) -> None:
        """Anyone may speak as it."""
        if self.current is not None:
            self._act(self._lift(self.current))

    async def _lift(self, group: Group) -> None:
        changed = await self.workbench.groups.change(group.id, unrestricted=True)
        self._did(GroupStep(before=group, after=changed), "open to all", ", and no expert group any more")

    def do_bring_back(self) -> None:
        """It may be spoken as again."""
        if self.current is not None:
            self._act(self._bring_back(self.current))

    async def _bring_back(self, group: Group) -> None:
        self._did(GroupStep(before=group, after=await self.workbench.groups.bring_back(group.id)), "back")

    @on(Prompt.Answered)
    def _answered(self, event: Prompt.Answered) -> None:
        group = self._asked
        if group is None:
            return
        if event.purpose == "weigh":
            self._act(self._weigh(group, event.text))
        elif event.purpose == "retire" and event.text.strip().casefold() in ("y", "yes"):
            self._act(self._retire(group))
        elif event.purpose == "retire":
            self.say(f"{group.name} stays.")

    async def _weigh(self, group: Group, text: str) -> None:
        try:
            weight = check_weight(decimal_number(text))
        except LimitError:
            self.say("A weight is a number, 0 or more, such as 2 or 0.5: nothing was changed.", "no")
            return
        if weight == group.weight:
            self.say(f"{group.name} weighs {weight:g} already.")
            return
        changed = await self.workbench.groups.change(group.id, weight=weight)
        self._did(
            GroupStep(before=group, after=changed), f"at weight {weight:g}", f" (it was {group.weight:g})"
        )

    async def _retire(self, group: Group) -> None:
        gone = await self.workbench.groups.retire(group.id)
        self._did(GroupStep(before=group, after=gone), "retired", "; what was said as it still counts")

    @on(Prompt.Left)
    def _left(self, event: Prompt.Left) -> None:
        if event.purpose in ("weigh", "retire") and self._asked is not None:
            self.say(f"{self._asked.name} stays as it is.")

    def do_undo(self) -> None:
        """Takes the last step back."""
        self._act(self._undo())

    async def _undo(self) -> None:
        step = self._steps[-1]
        sentence = await take_back_step(self.workbench, step)
        self._steps.pop()
        await self._load(step.after.id)
        self.say(sentence)

    def do_retired(self) -> None:
        """Shows retired ones too, or not."""
        self._with_retired = not self._with_retired
        self.say("Retired groups show too." if self._with_retired else "Live groups alone.")
        self.load(self._load)

    def do_refresh(self) -> None:
        """Looks for new ones."""
        self.load(self._load)
