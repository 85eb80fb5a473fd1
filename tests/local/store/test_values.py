"""How values stand in the file: whatever an agent wrote comes back as it was."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.local.store.values import cursor_of, dump_json, keys_of, load_json, restored, storable
from kindgi_tui.workbench import Invalid

anything = st.text(st.characters(exclude_categories=()))


@given(anything | anything.map(lambda text: "\x01" + text))
def test_every_text_comes_back_from_a_column(text: str) -> None:
    connection = sqlite3.connect(":memory:")
    stored = connection.execute("SELECT ?", (storable(text),)).fetchone()[0]
    connection.close()
    assert restored(stored) == text


@given(anything, anything)
def test_texts_are_stored_alike_only_when_they_are_equal(one: str, other: str) -> None:
    assert (storable(one) == storable(other)) == (one == other)


@given(
    st.recursive(
        anything | st.integers() | st.booleans() | st.none(), lambda inner: st.lists(inner), max_leaves=9
    )
)
def test_json_comes_back_and_is_ascii(value: object) -> None:
    stored = dump_json(value)  # type: ignore[arg-type]
    assert stored.isascii()
    assert load_json(stored) == value


@given(st.lists(st.integers(-(2**60), 2**60), min_size=1, max_size=3))
def test_cursors_come_back(keys: list[int]) -> None:
    assert keys_of(cursor_of(*keys), len(keys)) == tuple(keys)


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "====",
        "é",
        "\ud800",
        "\x00",
        cursor_of(1),
        cursor_of(1, 2, 3),
        cursor_of(2**63, 1),
        "MTo",
        "MQ MQ",
    ],
)
def test_a_malformed_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(Invalid) as refused:
        keys_of(cursor, 2)
    assert refused.value.field == "cursor"


@given(anything, st.integers(1, 2))
def test_no_cursor_is_anything_but_ours_or_refused(cursor: str, count: int) -> None:
    try:
        keys = keys_of(cursor, count)
    except Invalid:
        return
    assert len(keys) == count
    assert all(-(2**63) <= key < 2**63 for key in keys)
