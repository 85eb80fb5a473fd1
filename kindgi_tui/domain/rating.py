"""The score of one output, and how its items changed (DESIGN section 4, "A score of one output", "Changes")."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kindgi_tui.domain.comparisons import DroppedItem, FreshEvidence, ItemChanges, KeptItem, NewItem, Score
from kindgi_tui.domain.javascript import Number, whole
from kindgi_tui.domain.matching import Matched, Pair
from kindgi_tui.domain.test_sets import Evidence, JudgedItem


def score_items(matched: Iterable[Matched | Mapping[str, Any]], k: Number | None = 10) -> Score:
    """The score of one output's matched items; `k` is how many ranked items count for precision.

    The ranked items of all lists stand together in the order of their ranks, ties in the order given.
    """
    return score_pairs(Matched.read_all(matched), 10 if k is None else k)


def score_pairs(matched: Sequence[Matched | Pair], k: Number) -> Score:
    """`score_items` of what was matched already."""
    yes = total = fresh_yes = fresh_total = 0.0
    judged_items = fresh_items = 0
    for one in matched:
        said = one.judged or one.fresh
        if said is None:
            continue
        judged_items += 1
        yes += said.yes_weight
        total += said.total_weight
        if one.judged is None:
            fresh_items += 1
            fresh_yes += said.yes_weight
            fresh_total += said.total_weight
    given: dict[str, Any] = {}
    if fresh_items:
        given["fresh"] = FreshEvidence.make(
            yes_weight=whole(fresh_yes), total_weight=whole(fresh_total), items=fresh_items
        )
    return Score.make(
        yes_weight=whole(yes),
        total_weight=whole(total),
        items=len(matched),
        judged_items=judged_items,
        top_k=_top(matched, k),
        **given,
    )


def _top(matched: Sequence[Matched | Pair], k: Number) -> Evidence:
    ranked = [one for one in matched if "rank" in one.item.model_fields_set]
    ranked.sort(key=lambda one: one.item.rank or 0)
    yes = total = 0.0
    for one in ranked[: math.trunc(k) if math.isfinite(k) else len(ranked)]:
        said = one.judged or one.fresh
        if said is not None:
            yes += said.yes_weight
            total += said.total_weight
    return Evidence.make(yes_weight=whole(yes), total_weight=whole(total))


def item_changes(
    matched: Iterable[Matched | Mapping[str, Any]], judged: Iterable[JudgedItem | Mapping[str, Any]]
) -> ItemChanges:
    """Which judged items were kept and dropped, and which items are new, for people to judge."""
    return changes_of(Matched.read_all(matched), JudgedItem.read_all(judged))


def changes_of(matched: Iterable[Matched | Pair], judged: Iterable[JudgedItem]) -> ItemChanges:
    """`item_changes` of what was matched already."""
    kept: list[KeptItem] = []
    new: list[NewItem] = []
    kept_keys: set[str] = set()
    for one in matched:
        item, before = one.item, one.judged
        rank: dict[str, Any] = {"rank": item.rank} if "rank" in item.model_fields_set else {}
        if before is not None:
            kept_keys.add(before.key)
            kept.append(KeptItem.make(key=before.key, **_rank_before(before), **rank))
        else:
            place: dict[str, Any] = {"key": item.key, **rank}
            if "pointer" in item.model_fields_set:
                place["pointer"] = item.pointer
            if one.fresh is not None:
                place["judged"] = _evidence(one.fresh)
            new.append(NewItem.make(**place))
    dropped = [
        DroppedItem.make(key=before.key, **_rank_before(before))
        for before in judged
        if before.key not in kept_keys
    ]
    return ItemChanges.make(kept=tuple(kept), dropped=tuple(dropped), new=tuple(new))


def _evidence(said: JudgedItem) -> Evidence:
    return Evidence.make(yes_weight=said.yes_weight, total_weight=said.total_weight)


NO_CHANGES = ItemChanges.make(kept=(), dropped=(), new=())
"""The changes of an output that does not exist."""


def _rank_before(before: JudgedItem) -> dict[str, Any]:
    return {"rank_before": before.rank} if "rank" in before.model_fields_set else {}
