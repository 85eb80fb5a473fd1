"""The items of an output (DESIGN section 4), pointers, and carrying a judgment over."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain import items, pointers, scoring
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.items import Item, answer_of
from kindgi_tui.wire import v01

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda c: (
        st.lists(c, max_size=4) | st.dictionaries(st.sampled_from(["id", "key", "l", "1", "a/b", "~"]), c)
    ),
)


def keys(found: tuple[Item, ...]) -> list[tuple[str, str, object, bool]]:
    return [(item.key, item.pointer, item.rank, item.own_key) for item in found]


def test_an_agents_answer_and_lists() -> None:
    output: Any = {
        "appended": [
            {"role": "user", "content": "q"},
            {"role": "agent", "content": "first"},
            {"role": "agent", "content": {"toolCalls": []}},
            {"role": "tool", "content": "r"},
        ],
        "output": {
            "articles": [{"id": "kb-1"}, {"key": 2.0}, {"id": "kb-1"}, {"id": True}, "text"],
            "n": {"a/b": [1]},
        },
    }
    assert keys(items.output_items(output, True)) == [
        ("answer", "/appended/1/content", None, False),
        ("kb-1", "/output/articles/0", 0, True),
        ("2", "/output/articles/1", 1, True),
        ("/output/articles/2", "/output/articles/2", 2, False),
        ("/output/articles/3", "/output/articles/3", 3, False),
        ("/output/articles/4", "/output/articles/4", 4, False),
        ("/output/n/a~1b/0", "/output/n/a~1b/0", 0, False),
    ]


def test_a_null_content_is_an_answer() -> None:
    found = items.output_items({"appended": [{"role": "agent", "content": None}, {"role": "agent"}]}, True)
    assert v01.dump(found) == [
        {"key": "answer", "pointer": "/appended/0/content", "ownKey": False, "value": None},
    ]


def test_a_flows_output_and_depth() -> None:
    deep: Any = {"a": {"b": {"c": [1], "d": {"e": [2]}}}}
    assert keys(items.output_items(deep, False)) == [
        ("output", "", None, False),
        ("/a/b/c/0", "/a/b/c/0", 0, False),
    ]
    assert items.output_items(None, False) == ()
    assert keys(items.output_items([[1]], False))[1:] == [("/0", "/0", 0, False)]


@pytest.mark.parametrize(("length", "found"), [(0, 0), (1, 1), (100, 100), (101, 0)])
def test_lists_of_one_to_a_hundred_give_items(length: int, found: int) -> None:
    assert len(items.output_items({"output": list(range(length))}, True)) == found


@given(JSON, st.booleans())
def test_each_item_stands_at_its_pointer(output: Any, agent: bool) -> None:
    for item in items.output_items(output, agent):
        assert pointers.resolve(output, item.pointer).value is item.value
        assert items.value_at(output, item.pointer).value is item.value
        assert item.own_key or item.key in ("answer", "output", item.pointer)


@given(JSON, st.booleans())
def test_every_item_of_an_unchanged_output_is_the_same_item(output: Any, agent: bool) -> None:
    found = items.output_items(output, agent)
    judged = {item.key: {**_place(item), "yesWeight": 1, "totalWeight": 1} for item in found}
    matched = scoring.match_judged(found, list(judged.values()), output)
    assert all(
        one.judged is not None for one in matched if one.item.pointer == judged[one.item.key]["pointer"]
    )
    score = scoring.score_items(matched, 10)
    assert score.items == len(found)
    assert score.yes_weight == score.total_weight == score.judged_items


def _place(item: Item) -> dict[str, Any]:
    place: dict[str, Any] = {"key": item.key, "pointer": item.pointer}
    return place if item.rank is None else {**place, "rank": item.rank}


def test_pointers_are_read_leniently_and_strictly() -> None:
    document: Any = {"l": [10, 20], "a/b": {"~": 1}}
    assert items.value_at(document, "/l/01").value == 20
    assert not pointers.resolve(document, "/l/01").found
    assert items.value_at(document, "/a~1b/~0").value == pointers.resolve(document, "/a~1b/~0").value == 1
    assert v01.dump(items.value_at(document, "/l/2")) == {"found": False}
    assert v01.dump(items.value_at(document, "")) == {"found": True, "value": document}
    assert v01.dump(items.value_at({"a": None}, "/a")) == {"found": True, "value": None}
    assert v01.dump(items.value_at({}, "/toString")) == {"found": True}


def test_a_changed_answer_is_a_new_item() -> None:
    past: Any = {"appended": [{"role": "agent", "content": {"b": 1, "a": 2}}]}
    judged = [{"key": "answer", "pointer": "/appended/0/content", "yesWeight": 1, "totalWeight": 1}]
    same = items.output_items({"appended": [None, {"role": "agent", "content": {"a": 2.0, "b": 1}}]}, True)
    other = items.output_items({"appended": [{"role": "agent", "content": {"a": True, "b": 1}}]}, True)
    assert scoring.match_judged(same, judged, past)[0].judged is not None
    assert scoring.match_judged(other, judged, past)[0].judged is None
    no_pointer = [{"key": "answer", "yesWeight": 1, "totalWeight": 1}]
    assert scoring.match_judged(same, no_pointer, past)[0].judged is None


def test_what_is_passed_on_keeps_the_fields_nobody_knows() -> None:
    judged = [
        {
            "key": "a",
            "yesWeight": 1,
            "totalWeight": 1,
            "yes": 1,
            "reasons": [{"verdict": "yes"}],
            "rank": None,
        }
    ]
    matched = scoring.match_judged([{"key": "a", "ownKey": True, "value": 2**53 + 1}], judged, None)
    assert v01.dump(matched) == [
        {"item": {"key": "a", "ownKey": True, "value": 2**53}, "judged": judged[0]},
    ]


def test_the_answer_of_an_output() -> None:
    appended: list[Json] = [
        {"role": "agent", "content": "first"},
        {"role": "agent", "content": {"text": "last"}},
    ]
    assert answer_of({"appended": appended, "output": {"x": [{"id": "answer"}]}}, True) == {"text": "last"}
    # An element that calls itself `answer` is none.
    assert answer_of({"appended": [], "output": {"x": [{"id": "answer"}]}}, True) is None
    assert answer_of({"total": 3}, False) == {"total": 3}
    assert answer_of(None, True) is None
