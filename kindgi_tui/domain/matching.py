"""Carrying a judgment over to another output's items (DESIGN section 4, "Carrying a judgment over")."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.items import Item
from kindgi_tui.domain.javascript import json_equal
from kindgi_tui.domain.plain import Plain
from kindgi_tui.domain.pointers import look_up
from kindgi_tui.domain.test_sets import JudgedItem


class Matched(Plain):
    """An item of an output with what people said of it, if anything."""

    item: Item
    """The item."""
    judged: JudgedItem | None = None
    """The judged item of the past output that it is; None for none."""
    fresh: JudgedItem | None = None
    """What was said of it on this output itself, where the past output's judgments do not cover it."""


class Pair(NamedTuple):
    """The same as `Matched`, for the many that one comparison makes and throws away."""

    item: Item
    """The item."""
    judged: JudgedItem | None = None
    """The judged item that it is."""
    fresh: JudgedItem | None = None
    """What was said of it on this output itself."""


def match_judged(
    items: Iterable[Item | Mapping[str, Any]],
    judged: Iterable[JudgedItem | Mapping[str, Any]],
    judged_output: Json,
) -> tuple[Matched, ...]:
    """Which judged item each item is, in the items' order.

    `judged_output` is the past output, which the judged items' pointers point into. An item with a key of its
    own is the same at any place; any other only where its content equals what stands at the judged pointer.
    Of judged items with the same key the last counts.
    """
    pairs = carried(Item.read_all(items), by_key(judged), judged_output)
    return tuple([_matched(pair) for pair in pairs])


def by_key(judged: Iterable[JudgedItem | Mapping[str, Any]]) -> dict[str, JudgedItem]:
    """The judged items by their keys; the last of a key counts."""
    return {one.key: one for one in JudgedItem.read_all(judged)}


def carried(items: Iterable[Item], judged: Mapping[str, JudgedItem], judged_output: Json) -> list[Pair]:
    """Each item with the judged item that it is, if any; the judged ones by key."""
    pairs: list[Pair] = []
    for item in items:
        one = judged.get(item.key)
        if one is not None and not item.own_key and not _unchanged(item, one, judged_output):
            one = None
        pairs.append(Pair(item, one))
    return pairs


def _matched(pair: Pair) -> Matched:
    return (
        Matched.make(item=pair.item)
        if pair.judged is None
        else Matched.make(item=pair.item, judged=pair.judged)
    )


def with_fresh(
    matched: Iterable[Matched | Mapping[str, Any]], fresh: Iterable[JudgedItem | Mapping[str, Any]]
) -> tuple[Matched, ...]:
    """The same, with judgments of the new output itself on the items that the past output's do not cover."""
    said_of = by_key(fresh)
    covered: list[Matched] = []
    for one in Matched.read_all(matched):
        said = None if one.judged is not None else said_of.get(one.item.key)
        covered.append(one if said is None else Matched.make(item=one.item, fresh=said))
    return tuple(covered)


def _unchanged(item: Item, judged: JudgedItem, judged_output: Json) -> bool:
    if judged.pointer is None:
        return False
    before = look_up(judged_output, judged.pointer)
    return before.found and json_equal(before.value, item.value)
