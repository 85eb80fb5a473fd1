"""How JavaScript reads and writes JSON, where the rules depend on it."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain import javascript as js

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
JSON = st.recursive(
    SCALARS, lambda c: st.lists(c, max_size=4) | st.dictionaries(st.text(max_size=3), c, max_size=4)
)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1), ("007", 7), ("1e3", 1), ("2.7", 2), ("2abc", 2), (" \ufeff\u00a02", 2), ("+2", 2), ("-2", -2),
        ("0x2", 0), ("1_0", 1), ("9" * 308, int("9" * 308)), ("0" * 5000 + "1", 1), ("", None), ("x", None),
        ("\x1c2", None), ("\uff12", None), ("9" * 400, None), ("Infinity", None), ("- 2", None),
    ],
)  # fmt: skip
def test_a_leading_whole_number_is_read_as_parse_int_does(text: str, number: int | None) -> None:
    assert js.read_leading_int(text) == number


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e21, "1e+21"),
        (1e-7, "1e-7"),
        (1.5e-7, "1.5e-7"),
        (0.000001, "0.000001"),
        (123456789012345678901, "123456789012345680000"),
        (2**53 + 1, "9007199254740992"),
        (-1.25e25, "-1.25e+25"),
        (5e-324, "5e-324"),
        (10**400, "Infinity"),
        (-(10**400), "-Infinity"),
        (float("nan"), "NaN"),
    ],
)
def test_numbers_are_written_as_javascript_writes_them(number: float, text: str) -> None:
    assert js.number_text(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_written_number_reads_as_itself(number: float) -> None:
    assert float(js.number_text(number)) == number
    assert js.read_number(js.number_text(number)) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", 0),
        (" \ufeff1\u2028", 1),
        ("01", 1),
        ("1e0", 1),
        ("1.", 1),
        (".5", 0.5),
        ("-0", 0),
        ("0x1F", 31),
        ("0b11", 3),
        ("0O7", 7),
        ("+1", 1),
        ("Infinity", math.inf),
        ("1e400", math.inf),
    ],
)
def test_texts_that_read_as_numbers(text: str, number: float) -> None:
    assert js.read_number(text) == number


@pytest.mark.parametrize("text", ["a", "1_0", "٣", "-0x1", "0x", "1n", "nan", "inf", ".", "1 1", "\x1c1"])
def test_texts_that_are_no_numbers(text: str) -> None:
    assert js.read_number(text) is None


def test_a_half_is_rounded_up() -> None:
    values = (0.5, 1.5, 2.5, -0.5, 2.4, 0.49999999999999994)
    assert [js.round_half_up(v) for v in values] == [1, 2, 3, 0, 2, 0]


def test_integer_like_fields_are_walked_first() -> None:
    value: Any = {"b": 1, "10": 2, "2": 3, "01": 4, "-1": 5, "4294967294": 6, "4294967295": 7, "٣": 8}
    assert [key for key, _ in js.fields(value)] == [
        "2",
        "10",
        "4294967294",
        "b",
        "01",
        "-1",
        "4294967295",
        "٣",
    ]


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, 1.0), (-0.0, 0), (2**53 + 1, 2**53), ({"a": 1, "b": [2]}, {"b": [2.0], "a": 1}), (10**400, None)],
)
def test_equal_json(left: Any, right: Any) -> None:
    assert js.json_equal(left, right)
    assert js.json_equal([left], [right])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, True),
        (0, False),
        (None, 0),
        ("1", 1),
        ([], {}),
        ([1], [1, 2]),
        ({"a": None}, {}),
        (None, []),
        (False, None),
    ],
)
def test_different_json(left: Any, right: Any) -> None:
    assert not js.json_equal(left, right)
    assert not js.json_equal(right, left)


@given(JSON)
def test_a_value_equals_itself_as_it_is_written(value: Any) -> None:
    written = js.written(value)
    assert js.json_equal(value, written)
    assert js.written(written) == written
    assert json.loads(json.dumps(written, allow_nan=False)) == written


def test_values_may_be_very_deep() -> None:
    deep: Any = 1
    for _ in range(20_000):
        deep = [deep]
    written = js.written(deep)
    assert js.json_equal(deep, written)
    for _ in range(20_000):
        written = written[0]  # type: ignore[index]
    assert written == 1


def test_lone_surrogates_are_ordered_and_encoded() -> None:
    assert sorted(["\ufb01", "\U0001f600", "\ud83d", "a"], key=js.utf16_order) == [
        "a",
        "\ud83d",
        "\U0001f600",
        "\ufb01",
    ]
    assert js.utf8("a\ud83d:\U0001f600") == "a\ufffd:\U0001f600".encode()
