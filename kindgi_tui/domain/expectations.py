"""Whether an expectation is well-formed, so that it can be graded (DESIGN section 7)."""

from kindgi_tui.domain.corrections import CALLS_LIMIT, TEXT_LIMIT, Expectation
from kindgi_tui.domain.limits import LimitError, utf16_length


def checked_expectation(expect: Expectation, *, recorded: bool = True) -> Expectation:
    """The expectation itself, each forbidden tool once, when it can be graded; raises LimitError with the wrong field.

    `recorded` is False for a case made from nothing, which has no recording that could be right.
    """
    _check_marks(expect, recorded)
    _check_calls(expect)
    _check_answer(expect)
    if not expect.parts:
        raise LimitError(
            "expect",
            "expect says nothing yet: say whether the decisions, the answer or both were right or wrong.",
        )
    forbidden = tuple(dict.fromkeys(expect.must_not_call))
    return (
        expect
        if forbidden == expect.must_not_call
        else expect.model_copy(update={"must_not_call": forbidden})
    )


def _check_marks(expect: Expectation, recorded: bool) -> None:
    for part in expect.parts:
        if not recorded and getattr(expect, part) == "right":
            raise LimitError(
                f"expect.{part}",
                f"expect.{part} can't be right: a case made from nothing has no recorded run. Say what it should do.",
            )


def _check_calls(expect: Expectation) -> None:
    """What should have been called, and what must not be."""
    if expect.decisions != "wrong":
        for field, given in (("shouldCall", expect.should_call), ("mustNotCall", expect.must_not_call)):
            if given:
                raise LimitError(
                    f"expect.{field}",
                    f"expect.{field} goes with wrong decisions: mark the decisions wrong, or leave it out.",
                )
        return
    if not expect.should_call and not expect.must_not_call:
        raise LimitError(
            "expect.decisions",
            "Wrong decisions need at least one call in expect.shouldCall, or one tool in expect.mustNotCall.",
        )
    if len(expect.should_call) > CALLS_LIMIT:
        raise LimitError("expect.shouldCall", f"expect.shouldCall takes at most {CALLS_LIMIT} calls.")
    if len(expect.must_not_call) > CALLS_LIMIT:
        raise LimitError("expect.mustNotCall", f"expect.mustNotCall takes at most {CALLS_LIMIT} tools.")
    listed = {call.tool_id for call in expect.should_call}
    if any(not tool_id.strip() for tool_id in listed):
        raise LimitError("expect.shouldCall", "expect.shouldCall: each call needs the id of its tool.")
    for tool_id in expect.must_not_call:
        if not tool_id.strip():
            raise LimitError("expect.mustNotCall", "expect.mustNotCall: a tool's id can't be empty.")
        if tool_id in listed:
            raise LimitError(
                "expect.mustNotCall",
                f'expect.mustNotCall: "{tool_id}" is in expect.shouldCall too: keep it in one of them.',
            )


def _check_answer(expect: Expectation) -> None:
    """What the answer should say, or why it is wrong."""
    texts = {"shouldSay": expect.should_say, "why": expect.why}
    given = {field: text for field, text in texts.items() if text is not None}
    for field, text in given.items():
        if expect.answer != "wrong":
            raise LimitError(
                f"expect.{field}",
                f"expect.{field} goes with a wrong answer: mark the answer wrong, or leave it out.",
            )
        if not text.strip():
            raise LimitError(f"expect.{field}", f"expect.{field} is blank: fill it in, or leave it out.")
        if utf16_length(text) > TEXT_LIMIT:
            raise LimitError(f"expect.{field}", f"expect.{field} must be at most {TEXT_LIMIT} characters.")
    if expect.answer == "wrong" and not given:
        raise LimitError("expect.answer", "A wrong answer needs expect.shouldSay, expect.why or both.")
