"""A correction while it is written: what stands in it, and every change of it, as values (DESIGN section 7)."""

from collections.abc import Sequence
from typing import Literal

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.corrections import (
    CALLS_LIMIT,
    TEXT_LIMIT,
    Expectation,
    ExpectedCall,
    Mark,
)
from kindgi_tui.domain.decisions import MadeCall, decision_differences
from kindgi_tui.domain.javascript import json_equal
from kindgi_tui.domain.limits import utf16_length
from kindgi_tui.domain.runs import RecordedCall

Stance = Literal["call", "free", "never"]
"""What a row says: the tool should be called so; this call isn't asked for; the tool must not be called."""

Text = Literal["should_say", "why"]
"""One of the two texts of a wrong answer."""


class CallRow(Frozen):
    """One row of the decisions: a recorded call, or one that was added."""

    tool_id: str
    """The tool."""
    stance: Stance = "call"
    """What the row says."""
    arguments: Json = None
    """The top-level fields the call should have; None: any arguments."""
    recorded: int | None = None
    """Which of the run's calls it is, from 0; None: it was added."""


class Draft(Frozen):
    """A correction as it stands while it is written. What doesn't count now (rows of right decisions) stays."""

    decisions: Mark | None = None
    """Whether the run's calls were right; None: not said."""
    calls: tuple[CallRow, ...] = ()
    """The recorded calls and added ones; they count while the decisions are wrong."""
    answer: Mark | None = None
    """Whether its answer was right; None: not said."""
    should_say: str = ""
    """What it should say; it counts while the answer is wrong."""
    why: str = ""
    """Why it is wrong; likewise."""


def call_arguments(call: RecordedCall) -> Json:
    """What a call can be asked to have: the object it was called with; None (any) where that was no object."""
    return call.arguments if isinstance(call.arguments, dict) else None


def draft_of(recorded: Sequence[RecordedCall]) -> Draft:
    """Nothing said yet; every recorded call stands there to be kept."""
    rows = (
        CallRow(tool_id=call.tool_id, arguments=call_arguments(call), recorded=place)
        for place, call in enumerate(recorded)
    )
    return Draft(calls=tuple(rows))


def draft_from(expect: Expectation, recorded: Sequence[RecordedCall]) -> Draft:
    """What a correction says, on the run's calls: listed ones keep their order, those it doesn't list are free."""
    texts = {"should_say": expect.should_say or "", "why": expect.why or ""}
    if expect.decisions != "wrong":
        plain = draft_of(recorded)
        return plain.model_copy(update={"decisions": expect.decisions, "answer": expect.answer, **texts})
    rows: list[CallRow] = []
    taken: set[int] = set()
    for call in expect.should_call:
        place = _place_of(call, recorded, taken)
        if place is not None:
            taken.add(place)
        rows.append(CallRow(tool_id=call.tool_id, arguments=call.arguments, recorded=place))
    for place, one in enumerate(recorded):
        if place not in taken:
            stance: Stance = "never" if one.tool_id in expect.must_not_call else "free"
            row = CallRow(tool_id=one.tool_id, stance=stance, arguments=call_arguments(one), recorded=place)
            rows.insert(_behind(rows, place), row)
    shown = {row.tool_id for row in rows if row.stance == "never"}
    rows += [CallRow(tool_id=tool, stance="never") for tool in expect.must_not_call if tool not in shown]
    return Draft(decisions="wrong", calls=tuple(rows), answer=expect.answer, **texts)


def _place_of(call: ExpectedCall, recorded: Sequence[RecordedCall], taken: set[int]) -> int | None:
    """The recorded call a listed one is about: the one with its arguments, else the first of its tool."""
    places = [n for n, one in enumerate(recorded) if n not in taken and one.tool_id == call.tool_id]
    same = (
        n for n in places if call.arguments is not None and json_equal(recorded[n].arguments, call.arguments)
    )
    return next(same, places[0] if places else None)


def _behind(rows: Sequence[CallRow], place: int) -> int:
    """Where a recorded call belongs: behind the last row of an earlier one."""
    earlier = [n for n, row in enumerate(rows) if row.recorded is not None and row.recorded < place]
    return earlier[-1] + 1 if earlier else 0


# Changes


def mark_decisions(draft: Draft, mark: Mark | None) -> Draft:
    """The decisions are right or wrong; None: that isn't said any more."""
    return draft.model_copy(update={"decisions": mark})


def mark_answer(draft: Draft, mark: Mark | None) -> Draft:
    """The answer is right or wrong; None: that isn't said any more."""
    return draft.model_copy(update={"answer": mark})


def set_text(draft: Draft, name: Text, text: str) -> Draft:
    """What it should say, or why it is wrong."""
    return draft.model_copy(update={name: text.strip()})


def keep_call(draft: Draft, place: int, recorded: Sequence[RecordedCall]) -> Draft:
    """The call is right as it was recorded; an added one stays with its arguments."""
    row = draft.calls[place]
    own = row.arguments if row.recorded is None else call_arguments(recorded[row.recorded])
    return _called(draft, place, own)


def any_arguments(draft: Draft, place: int) -> Draft:
    """The tool should be called, with whatever arguments."""
    return _called(draft, place, None)


def change_call(draft: Draft, place: int, arguments: Json) -> Draft:
    """The call should have these fields; None: any."""
    return _called(draft, place, arguments)


def _called(draft: Draft, place: int, arguments: Json) -> Draft:
    row = draft.calls[place].model_copy(update={"stance": "call", "arguments": arguments})
    return _allowed(draft, row.tool_id, place, row)


def _allowed(draft: Draft, tool_id: str, place: int, row: CallRow) -> Draft:
    """The draft with that row; its tool isn't forbidden any more: other rows that said so are free, or go."""
    rows = []
    for number, one in enumerate(draft.calls):
        if number == place:
            rows.append(row)
        elif one.tool_id != tool_id or one.stance != "never":
            rows.append(one)
        elif one.recorded is not None:
            rows.append(one.model_copy(update={"stance": "free"}))
    if place >= len(draft.calls):
        rows.append(row)
    return draft.model_copy(update={"calls": tuple(rows)})


def remove_call(draft: Draft, place: int) -> Draft:
    """The call isn't asked for: a recorded one stands there as free, an added one goes; a prohibition ends."""
    row = draft.calls[place]
    rows = list(draft.calls)
    if row.stance == "never":
        rows = [_lifted(one) if one.tool_id == row.tool_id else one for one in rows]
    elif row.recorded is not None:
        rows[place] = row.model_copy(update={"stance": "free"})
    if row.recorded is None:
        del rows[place]
    return draft.model_copy(update={"calls": tuple(rows)})


def _lifted(row: CallRow) -> CallRow:
    return row.model_copy(update={"stance": "free"}) if row.stance == "never" else row


def forbid_tool(draft: Draft, tool_id: str) -> Draft:
    """The tool must not be called: all its recorded calls say so, and added ones go."""
    rows = [
        one.model_copy(update={"stance": "never"}) if one.tool_id == tool_id else one
        for one in draft.calls
        if one.tool_id != tool_id or one.recorded is not None
    ]
    if not any(one.tool_id == tool_id for one in rows):
        rows.append(CallRow(tool_id=tool_id, stance="never"))
    return draft.model_copy(update={"calls": tuple(rows)})


def add_call(draft: Draft, tool_id: str, arguments: Json = None) -> Draft:
    """One more call of a tool should be made; its row is the last."""
    return _allowed(draft, tool_id, len(draft.calls), CallRow(tool_id=tool_id, arguments=arguments))


# What it says


def expectation_of(draft: Draft) -> Expectation:
    """What would be saved: only what is said now. Raises ValueError where a recorded call can't be said."""
    told: dict[str, object] = {}
    if draft.decisions is not None:
        told["decisions"] = draft.decisions
    if draft.decisions == "wrong":
        called = [row for row in draft.calls if row.stance == "call"]
        told["should_call"] = tuple(
            ExpectedCall(tool_id=row.tool_id, arguments=row.arguments)
            if isinstance(row.arguments, dict)
            else ExpectedCall(tool_id=row.tool_id)
            for row in called
        )
        told["must_not_call"] = tuple(
            dict.fromkeys(row.tool_id for row in draft.calls if row.stance == "never")
        )
    if draft.answer is not None:
        told["answer"] = draft.answer
    if draft.answer == "wrong":
        told |= {name: text for name, text in (("should_say", draft.should_say), ("why", draft.why)) if text}
    return Expectation.model_validate({name: value for name, value in told.items() if value != ()})


def says_the_same(draft: Draft, recorded: Sequence[RecordedCall]) -> bool:
    """Whether the recorded run passes what its wrong decisions ask, so that they say nothing was wrong."""
    made = [MadeCall(call.tool_id, call.arguments, False) for call in recorded]
    return not decision_differences(expectation_of(draft), made)


def why_not_saved(draft: Draft, recorded: Sequence[RecordedCall], answered: bool) -> str | None:
    """Why it can't be saved as it stands, with what to press; None when it can.

    `answered` says whether the run gave an answer.
    """
    if draft.decisions is None and draft.answer is None:
        return "Nothing is said yet: d right or D wrong for the decisions, a or A for the answer."
    if draft.decisions == "wrong":
        asked = [row for row in draft.calls if row.stance != "free"]
        if not asked:
            return "Wrong decisions take at least one call: n adds one it should make, F forbids a tool."
        if len(asked) > CALLS_LIMIT:
            return (
                f"A correction takes at most {CALLS_LIMIT} calls, and there are {len(asked)}: x removes one."
            )
        if says_the_same(draft, recorded):
            return "The recorded run passes that as it stands: e changes a call, f forbids one, n adds one."
    if draft.answer == "right" and not answered:
        return "The run gave no answer that could be right: z takes that back."
    if draft.answer == "wrong":
        if not draft.should_say and not draft.why:
            return "A wrong answer takes what it should say, or why it is wrong: Tab goes there, e writes it."
        for name, text in (("What it should say", draft.should_say), ("Why it is wrong", draft.why)):
            length = utf16_length(text)
            if length > TEXT_LIMIT:
                return (
                    f"{name} has {length:,} characters, and may have {TEXT_LIMIT:,}: E opens it in $EDITOR."
                )
    return None
