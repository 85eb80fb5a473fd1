"""Carrying a judgment over to another output's items (DESIGN section 4, "Carrying a judgment over")."""

from collections.abc import Iterable, Mapping
from typing import Any

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
    by_key = {one.key: one for one in JudgedItem.read_all(judged)}
    matched: list[Matched] = []
    for item in Item.read_all(items):
        one = by_key.get(item.key)
        if one is not None and (item.own_key or _unchanged(item, one, judged_output)):
            matched.append(Matched.make(item=item, judged=one))
        else:
            matched.append(Matched.make(item=item))
    return tuple(matched)


def with_fresh(
    matched: Iterable[Matched | Mapping[str, Any]], fresh: Iterable[JudgedItem | Mapping[str, Any]]
) -> tuple[Matched, ...]:
    """The same, with judgments of the new output itself on the items that the past output's do not cover."""
    by_key = {one.key: one for one in JudgedItem.read_all(fresh)}
    covered: list[Matched] = []
    for one in Matched.read_all(matched):
        said = None if one.judged is not None else by_key.get(one.item.key)
        covered.append(one if said is None else Matched.make(item=one.item, fresh=said))
    return tuple(covered)


def _unchanged(item: Item, judged: JudgedItem, judged_output: Json) -> bool:
    if judged.pointer is None:
        return False
    before = look_up(judged_output, judged.pointer)
    return before.found and json_equal(before.value, item.value)
