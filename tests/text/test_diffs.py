import json
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.text.diffs import JsonChange, Piece, json_diff, word_diff
from tests.hostile import corpus
from tests.text.test_cleaning import ANY_TEXT, NASTY_TEXT
from tests.text.test_json_text import VALUES

WORDY = st.lists(st.sampled_from(["the ", "a ", "refund", " ", "\n", "5", ".", "é"]), max_size=30).map(
    "".join
)
TEXTS = st.one_of(WORDY, ANY_TEXT, NASTY_TEXT)


def side(pieces: tuple[Piece, ...], kind: str) -> str:
    return "".join(piece.text for piece in pieces if piece.kind in ("same", kind))


@given(TEXTS, TEXTS)
def test_the_pieces_are_the_two_texts(before: str, after: str) -> None:
    pieces = word_diff(before, after)
    assert side(pieces, "removed") == before
    assert side(pieces, "added") == after
    assert all(piece.text for piece in pieces)
    kinds = [piece.kind for piece in pieces]
    assert all(one != other for one, other in pairwise(kinds))
    assert ("added", "removed") not in list(pairwise(kinds))


@given(TEXTS)
def test_equal_texts_have_no_change(text: str) -> None:
    assert word_diff(text, text) == ((Piece("same", text),) if text else ())


def test_words() -> None:
    assert word_diff("The refund takes 5 days.", "The refund takes 10 working days!") == (
        Piece("same", "The refund takes "),
        Piece("removed", "5 "),
        Piece("added", "10 working "),
        Piece("same", "days"),
        Piece("removed", "."),
        Piece("added", "!"),
    )
    assert word_diff("refunds", "refunded") == (Piece("removed", "refunds"), Piece("added", "refunded"))
    assert word_diff("", "new") == (Piece("added", "new"),)


def test_huge_texts_end() -> None:
    line = corpus.long_line()
    changed = line[:10_000_000] + "different" + line[10_000_000:]
    pieces = word_diff(line, changed)
    assert side(pieces, "removed") == line
    assert side(pieces, "added") == changed
    assert sum(len(p.text) for p in pieces if p.kind != "same") < 1_000
    numbers = [str(i * 7919 % 1000) for i in range(30_000)]
    for separator in (" ", "\n"):
        before, after = separator.join(numbers), separator.join(sorted(numbers))
        pieces = word_diff(before, after)
        assert side(pieces, "removed") == before
        assert side(pieces, "added") == after


def test_a_large_text_with_few_changes_is_compared_by_lines() -> None:
    lines = [f"line {i} of the answer" for i in range(20_000)]
    other = list(lines)
    other[10] = "changed"
    other[19_000] = "changed too"
    pieces = word_diff("\n".join(lines), "\n".join(other))
    assert [p.text for p in pieces if p.kind == "removed"] == [
        "line 10 of the answer\n",
        "line 19000 of the answer\n",
    ] or [p.kind for p in pieces].count("removed") == 2


@given(VALUES)
def test_equal_values_have_no_difference(value: Any) -> None:
    assert json_diff(value, json.loads(json.dumps(value))) == ()


@given(VALUES, VALUES)
def test_different_values_have_one(before: Any, after: Any) -> None:
    same = json.dumps(_plain(before), sort_keys=True) == json.dumps(_plain(after), sort_keys=True)
    assert (json_diff(before, after) == ()) == same


def _plain(value: Any) -> Any:
    """The value with whole floats as integers, as JSON means them."""
    if isinstance(value, dict):
        return {key: _plain(element) for key, element in value.items()}
    if isinstance(value, list):
        return [_plain(element) for element in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def test_elements_with_ids_are_found_again() -> None:
    before: Any = {
        "articles": [{"id": "kb-1", "title": "Refund"}, {"id": "kb-2", "title": "Login"}],
        "a/b": 1,
    }
    after: Any = {
        "articles": [{"id": "kb-2", "title": "Sign in"}, {"id": "kb-3", "title": "Parcel"}],
        "n": True,
    }
    assert json_diff(before, after) == (
        JsonChange("/articles/0", "removed", before["articles"][0], None),
        JsonChange("/articles/0/title", "changed", "Login", "Sign in"),
        JsonChange("/articles/1", "added", None, {"id": "kb-3", "title": "Parcel"}),
        JsonChange("/a~1b", "removed", 1, None),
        JsonChange("/n", "added", None, True),
    )
    assert json_diff([{"id": "a"}, {"id": "b"}], [{"id": "b"}, {"id": "a"}]) == (
        JsonChange("/0", "moved", 0, 1),
        JsonChange("/1", "moved", 1, 0),
    )


def test_lists_without_ids_are_lined_up() -> None:
    assert json_diff([1, 2, 3], [0, 1, 2, 3]) == (JsonChange("/0", "added", None, 0),)
    assert json_diff([1, 2, 3], [1, 3]) == (JsonChange("/1", "removed", 2, None),)
    assert json_diff([1, 2], [1, True]) == (JsonChange("/1", "changed", 2, True),)
    assert json_diff([1], [True]) == (JsonChange("/0", "changed", 1, True),)
    assert json_diff({}, []) == (JsonChange("", "changed", {}, []),)


def test_it_stops() -> None:
    changes = json_diff(list(range(100_000)), list(range(1, 100_001)), limit=50)
    assert len(changes) == 51
    assert changes[-1].kind == "more"
    assert json_diff([0] * 1_000, [0] * 1_000, nodes=10)[-1].kind == "more"
    deep = corpus.deep(5_000)
    assert json_diff(deep, corpus.deep(5_000)) == ()
    assert [change.kind for change in json_diff(deep, [deep])] == ["changed"]
