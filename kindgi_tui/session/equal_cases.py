"""A case added by hand that says what a live one says already: it would count twice. It is told, never refused."""

import json
from typing import TYPE_CHECKING

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import Expectation
from kindgi_tui.domain.own_test_sets import NewCase, OwnCase
from kindgi_tui.domain.test_sets import MAX_CASES

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench

PAGE = 100
"""Cases read at once."""


class EqualCases:
    """Finds the live case that says the same, reading an agent's cases once. What can't be asked isn't told."""

    def __init__(self, workbench: "Workbench") -> None:
        self._workbench = workbench
        self._known: dict[tuple[str, str], dict[str, list[str]]] = {}

    async def of_new(self, new: NewCase, run_id: str | None, agent_id: str, project_id: str) -> str | None:
        """The id of a live case that says what `new` would; None for none. `run_id` is its run's whole id."""
        items = [(item.key, float(item.verdict == "yes"), float(item.verdict == "no")) for item in new.items]
        about = new.input if run_id is None else None
        return await self._other(_said(run_id, about, new.expect, items), agent_id, project_id, None)

    async def of_made(self, made: OwnCase, project_id: str) -> str | None:
        """The id of another live case that says what this one does; None for none."""
        return await self._other(_of(made), made.case.subject.id, project_id, made.id)

    async def _other(self, said: str, agent_id: str, project_id: str, but: str | None) -> str | None:
        from kindgi_tui.workbench import WorkbenchError

        place = (agent_id, project_id)
        if place not in self._known:
            try:
                self._known[place] = await self._read(agent_id, project_id)
            except WorkbenchError:
                return None
        return next((one for one in self._known[place].get(said, ()) if one != but), None)

    async def _read(self, agent_id: str, project_id: str) -> dict[str, list[str]]:
        known: dict[str, list[str]] = {}
        cursor: str | None = None
        for _ in range(MAX_CASES // PAGE):
            page = await self._workbench.cases.list(agent_id, project_id, False, PAGE, cursor)
            for one in page.data:
                known.setdefault(_of(one), []).append(one.id)
            cursor = page.next_cursor
            if not page.has_more or cursor is None:
                break
        return known


def equal_words(other: str, from_run: bool) -> str:
    """The sentence that names the equal case."""
    return f"Case {other[:8]} says the same of the same {'run' if from_run else 'input'}: both count."


def _of(one: OwnCase) -> str:
    items = [(item.key, float(item.yes), float(item.no)) for item in one.items]
    return _said(one.run_id, one.input if one.run_id is None else None, one.expect, items)


def _said(
    run_id: str | None, about: Json, expect: Expectation | None, items: list[tuple[str, float, float]]
) -> str:
    """What a case says, as one text: equal for cases that are graded alike. Calls and items have no order."""
    told = Expectation() if expect is None else expect
    calls = [[call.tool_id, call.arguments] for call in told.should_call]
    parts: list[object] = [
        run_id, about, told.decisions, sorted(map(_text, calls)), sorted(set(told.must_not_call)), told.answer,
        told.should_say, told.why, sorted(map(_text, items)),
    ]  # fmt: skip
    return _text(parts)


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)
