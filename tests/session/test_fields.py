"""Values of a form's fields: going round choices, counting, reading numbers."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.session.fields import (
    Choice,
    FormField,
    Numbers,
    decimal_number,
    turned,
    whole_number,
)


def field(**given: object) -> FormField:
    return FormField.model_validate({"name": "x", "label": "X", "help": "An x.", **given})


def choices(*values: str) -> tuple[Choice, ...]:
    return tuple(Choice(value=value) for value in values)


def test_choices_go_round_from_the_value_else_from_the_hint() -> None:
    one = field(choices=choices("a", "b", "c"), hint="b")
    assert turned(one, 1) == "c"
    assert turned(one, -1) == "a"
    assert turned(one.model_copy(update={"value": "c"}), 1) == "a"
    assert turned(one.model_copy(update={"value": "typed"}), 1) == "c"


def test_an_empty_choice_is_a_choice() -> None:
    one = field(choices=(Choice(value="", words="all"), *choices("search")))
    assert one.words == "all"
    assert turned(one, 1) == "search"
    assert turned(one.model_copy(update={"value": "search"}), 1) == ""


def test_numbers_stop_at_their_ends_and_count_in_decimals() -> None:
    share = field(hint="0.3", numbers=Numbers(least=Decimal("0.1"), most=Decimal("0.9"), step=Decimal("0.1")))
    assert turned(share, 1) == "0.4"
    assert turned(share.model_copy(update={"value": "0.9"}), 1) == "0.9"
    assert turned(share.model_copy(update={"value": "0.1"}), -1) == "0.1"
    assert turned(field(numbers=Numbers(), hint="16"), 1) == "17"
    assert turned(field(numbers=Numbers(), value="words"), 1) == "1"
    assert turned(field(numbers=Numbers(), value="100"), 100) == "200"


@given(st.text(), st.integers(-3, 3))
def test_counting_never_fails_and_stays_within_its_limits(typed: str, steps: int) -> None:
    after = turned(field(value=typed, numbers=Numbers(most=Decimal(10))), steps)
    assert after == typed or 1 <= Decimal(after) <= 10


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("3", 3),
        (" 3 ", 3),
        ("3.0", 3),
        ("3.5", "3.5"),
        ("", ""),
        ("NaN", "NaN"),
        ("1e400", "1e400"),
        ("٣", 3),
    ],
)
def test_whole_numbers(typed: str, read: int | str) -> None:
    assert whole_number(typed) == read


@pytest.mark.parametrize(("typed", "read"), [("0.5", 0.5), ("1e3", 1000.0), ("inf", "inf"), ("x", "x")])
def test_decimal_numbers(typed: str, read: float | str) -> None:
    assert decimal_number(typed) == read
