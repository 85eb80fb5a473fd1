"""Drafts of corrections, kept at once at every change, so that they outlive leaving, restarts and kills."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.javascript import json_equal
from kindgi_tui.domain.runs import RecordedCall
from kindgi_tui.session.correcting_draft import CallRow, Draft, call_arguments

DRAFTS = "correct.drafts"
"""Where they are kept: by run id."""

MOST = 1_000
"""How many are kept; the ones changed longest ago go first."""


class Keeps(Protocol):
    """Where values are kept between starts."""

    def get(self, key: str) -> Json:
        """What is kept under that key; None: nothing."""
        ...

    def update(self, key: str, change: Callable[[Json], Json]) -> None:
        """Keeps at once what `change` makes of the value, whoever kept it; None stands for nothing."""
        ...


class CorrectionDrafts:
    """What is kept of the corrections that were begun, one a run."""

    def __init__(self, keeps: Keeps) -> None:
        self._keeps = keeps

    def get(self, run_id: str) -> tuple[Json, dict[str, str]] | None:
        """A run's draft, and texts that were begun in it by their place; None: there is none."""
        entry = _by_run(self._keeps.get(DRAFTS)).get(run_id)
        if not isinstance(entry, dict):
            return None
        typed = entry.get("typed")
        begun = {str(place): str(text) for place, text in typed.items()} if isinstance(typed, dict) else {}
        return entry.get("draft"), begun

    def put(self, run_id: str, draft: Json, typed: Mapping[str, str]) -> None:
        """Keeps a run's draft."""
        entry: Json = {"draft": draft, "typed": dict(typed)}

        def with_it(value: Json) -> Json:
            others = {run: one for run, one in _by_run(value).items() if run != run_id}
            return dict([*others.items(), (run_id, entry)][-MOST:])

        self._keeps.update(DRAFTS, with_it)

    def drop(self, run_id: str) -> None:
        """Forgets a run's draft."""
        if run_id in _by_run(self._keeps.get(DRAFTS)):
            self._keeps.update(
                DRAFTS,
                lambda value: {run: one for run, one in _by_run(value).items() if run != run_id} or None,
            )


def _by_run(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def kept(draft: Draft, recorded: Sequence[RecordedCall]) -> dict[str, Json]:
    """A draft as JSON to keep; arguments as they were recorded aren't written again."""
    calls: list[Json] = []
    for row in draft.calls:
        entry: dict[str, Json] = {"tool": row.tool_id, "stance": row.stance, "recorded": row.recorded}
        as_was = row.recorded is not None and json_equal(
            row.arguments, call_arguments(recorded[row.recorded])
        )
        if not as_was:
            entry["arguments"] = row.arguments
        calls.append(entry)
    return {
        "decisions": draft.decisions, "calls": calls, "answer": draft.answer,
        "should_say": draft.should_say, "why": draft.why,
    }  # fmt: skip


def restored(value: Json, recorded: Sequence[RecordedCall]) -> Draft | None:
    """The draft that was kept so; None when it isn't one, or isn't one of a run with these calls."""
    try:
        given = Draft.model_validate({**value, "calls": [_row(entry, recorded) for entry in value["calls"]]})  # type: ignore[dict-item,index,union-attr,call-overload]
    except (ValueError, TypeError, KeyError, IndexError):
        return None
    return given


def _row(entry: Json, recorded: Sequence[RecordedCall]) -> CallRow:
    if not isinstance(entry, dict):
        raise TypeError("no row")
    place, tool_id, arguments = entry["recorded"], entry["tool"], entry.get("arguments")
    if place is not None:
        if not isinstance(place, int) or not 0 <= place < len(recorded):
            raise ValueError("no call of this run")
        if recorded[place].tool_id != tool_id:
            raise ValueError("another run's call")
        if "arguments" not in entry:
            arguments = call_arguments(recorded[place])
    return CallRow.model_validate(
        {"tool_id": tool_id, "stance": entry["stance"], "recorded": place, "arguments": arguments}
    )
