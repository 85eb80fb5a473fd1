import json
import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.text import clean, dumps_line, dumps_pretty, json_text
from tests.hostile import corpus
from tests.text.test_cleaning import ANY_TEXT, NASTY_TEXT

STRINGS = st.one_of(ANY_TEXT, NASTY_TEXT).filter(
    lambda s: not any("\ud800" <= a <= "\udbff" and "\udc00" <= b <= "\udfff" for a, b in pairwise(s))
)
"""Strings a JSON parser can give: no pair of surrogates stands apart."""

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), STRINGS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(STRINGS, inner, max_size=4)),
    max_leaves=15,
)


@given(VALUES)
def test_what_people_see_is_the_value_and_safe(value: Any) -> None:
    text = json_text(value)
    corpus.assert_clean_bytes(text.encode("utf-8"))
    assert clean(text) == text
    assert json.loads(text) == value


@given(VALUES, st.integers(0, 60))
def test_cut_json_is_safe_and_short(value: Any, limit: int) -> None:
    text = json_text(value, limit)
    corpus.assert_clean_bytes(text.encode("utf-8"))
    assert clean(text) == text
    assert len(text) <= limit
    assert text == json_text(value) or len(json_text(value)) > limit


@given(VALUES)
def test_programs_get_the_value_back(value: Any) -> None:
    finite = json.loads(json.dumps(value), parse_constant=lambda name: None)
    for text in (dumps_line(value), dumps_pretty(value)):
        assert text.isascii()
        corpus.assert_clean_bytes(text.encode())
        assert json.loads(text) == finite
    assert "\n" not in dumps_line(value)
    assert dumps_pretty(value) == json.dumps(finite, indent=2).replace("\x7f", "\\u007f")


def test_no_nan_reaches_a_program() -> None:
    assert dumps_line({"a": [math.nan, math.inf, -math.inf, 1.5]}) == '{"a":[null,null,null,1.5]}'
    assert json_text([math.nan, -math.inf]) == "[\n  NaN,\n  -Infinity\n]"


@pytest.mark.parametrize("name", list(corpus.LARGE_DOCUMENTS))
def test_large_documents(name: str) -> None:
    value = corpus.LARGE_DOCUMENTS[name]()
    corpus.assert_clean_bytes(dumps_line(value).encode())
    shown = json_text(value, 2_000)
    corpus.assert_clean_bytes(shown.encode())
    assert len(shown) <= 2_000


def test_deep_and_huge() -> None:
    assert dumps_line(corpus.deep(1_000)) == "[" * 1_000 + '"\\u001b[31mbottom"' + "]" * 1_000
    assert dumps_line([10**20_000, -(10**20_000)]) == "[1" + "0" * 20_000 + ",-1" + "0" * 20_000 + "]"
    assert json_text(corpus.deep(50_000), 100).endswith("… more")


@pytest.mark.parametrize("name", list(corpus.documents()))
def test_the_documents_come_back_unchanged(name: str) -> None:
    value = corpus.documents()[name]
    stored = json.loads(json.dumps(value), parse_constant=lambda constant: None)
    assert json.loads(dumps_line(value)) == stored
    assert json.loads(json_text(value), parse_constant=lambda constant: None) == stored


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(TypeError, match="set is no JSON value"):
        json_text([set()])  # type: ignore[list-item]
