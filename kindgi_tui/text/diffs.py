"""What changed between two texts, or two JSON values, in bounded time whatever their size.

Pieces and values are as the agents wrote them: a face shows them through `clean`.
"""

import math
import re
from array import array
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from kindgi_tui.domain.base import Json
from kindgi_tui.text.json_text import dumps_line

_WORDS = re.compile(r"\w+[^\S\n]*|[^\w\s][^\S\n]*|\n|[^\S\n]+")
_LONGEST_WORD = 100
"""A longer word is compared by the characters both texts share at its start and end."""

_WORDS_FROM = 200_000
"""Texts whose different parts together have more characters than this are compared by lines."""

_LINES_FROM = 20_000_000
"""And longer ones as a whole."""

_WORK = 2_000_000
"""Steps a comparison of two sequences may take before it gives up: well under a second or two."""

_EDITS = 1_000
"""Differences a comparison of two sequences may find before it gives up; its memory grows with the square."""

_ALIGNED = 2_000
"""Lists up to this long are lined up at both ends before their elements are compared by place."""


class Piece(NamedTuple):
    """A stretch of text: `same` and `removed` ones together are the text before, `same` and `added` the one after."""

    kind: Literal["same", "removed", "added"]
    """Where the stretch stands: in both texts, only before, only after."""

    text: str
    """The stretch itself, never empty."""


class JsonChange(NamedTuple):
    """One difference between two JSON values."""

    pointer: str
    """JSON Pointer (RFC 6901) of the place: in the value before for `removed` and `moved`, else in the value after."""

    kind: Literal["added", "removed", "changed", "moved", "more"]
    """`moved`: an element with an id of its own stands at another place among those in both lists. `more`: the last
    one, when comparing stopped early; there may be other differences."""

    before: Json
    """The value before; the index before for `moved`; None for `added` and `more`."""

    after: Json
    """The value after; the index after for `moved`; None for `removed` and `more`."""


def word_diff(before: str, after: str) -> tuple[Piece, ...]:
    """The words removed and added between two texts, in order; a removed stretch comes before what replaced it.

    Huge or very different texts are compared by lines, and as a whole where even that would take long.
    """
    start = _common_start(before, after)
    end = _common_end(before[start:], after[start:])
    # Not in the middle of a word, unless it is a very long one.
    for _ in range(_LONGEST_WORD):
        if start and before[start - 1].isalnum():
            start -= 1
        if end and before[len(before) - end].isalnum():
            end -= 1
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    middle: list[Piece] | None = None
    size = len(old) + len(new)
    if size <= _WORDS_FROM:
        middle = _diff(_WORDS.findall(old), _WORDS.findall(new))
    if middle is None and size <= _LINES_FROM:
        middle = _diff(old.splitlines(keepends=True), new.splitlines(keepends=True))
    if middle is None:
        middle = [Piece("removed", old), Piece("added", new)]
    return _joined(
        [Piece("same", before[:start]), *middle, Piece("same", before[len(before) - end :] if end else "")]
    )


def json_diff(before: Json, after: Json, limit: int = 1_000, nodes: int = 300_000) -> tuple[JsonChange, ...]:
    """The differences between two JSON values, in the order of the document; key order and `1` or `1.0` don't count.

    Elements with an `id` or `key` of their own are found again at any place of their list. After `limit` differences
    or `nodes` compared values it stops and says so with a last change of kind `more`.
    """
    changes: list[JsonChange] = []
    stack: list[Iterator[JsonChange | tuple[str, Json, Json]]] = [iter([("", before, after)])]
    seen = 0
    while stack:
        found = next(stack[-1], None)
        if found is None:
            stack.pop()
            continue
        seen += 1
        if seen > nodes or len(changes) >= limit:
            if isinstance(found, JsonChange) or not _same_scalar(found[1], found[2]):
                return (*changes, JsonChange("", "more", None, None))
            if seen > nodes:
                return (*changes, JsonChange("", "more", None, None))
            continue
        if isinstance(found, JsonChange):
            changes.append(found)
            continue
        pointer, old, new = found
        if isinstance(old, dict) and isinstance(new, dict):
            stack.append(_object_pairs(pointer, old, new))
        elif isinstance(old, list) and isinstance(new, list):
            stack.append(_list_pairs(pointer, old, new))
        elif not _same_scalar(old, new):
            changes.append(JsonChange(pointer, "changed", old, new))
    return tuple(changes)


def _common_start(one: str, other: str) -> int:
    """How many characters two texts have in common at the start."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(one: str, other: str) -> int:
    """How many characters two texts have in common at the end."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def _diff(old: Sequence[str], new: Sequence[str]) -> list[Piece] | None:
    """The shortest edits from one sequence to the other (Myers 1986), or None when that takes too long."""
    if not old or not new:
        return [Piece("removed", "".join(old)), Piece("added", "".join(new))]
    numbers: dict[str, int] = {}
    a = [numbers.setdefault(word, len(numbers)) for word in old]
    b = [numbers.setdefault(word, len(numbers)) for word in new]
    trace = _trace(a, b)
    if trace is None:
        return None
    pieces: list[Piece] = []
    x, y = len(a), len(b)
    for edits in range(len(trace) - 1, 0, -1):
        reached, k = trace[edits], x - y
        down = _goes_down(reached, edits, k)
        from_k = k + 1 if down else k - 1
        from_x = reached[from_k + edits]
        from_y = from_x - from_k
        while x > from_x and y > from_y:
            x, y = x - 1, y - 1
            pieces.append(Piece("same", old[x]))
        if down:
            y -= 1
            pieces.append(Piece("added", new[y]))
        else:
            x -= 1
            pieces.append(Piece("removed", old[x]))
    pieces.extend(Piece("same", old[i]) for i in range(x - 1, -1, -1))
    pieces.reverse()
    return pieces


def _goes_down(reached: "array[int]", edits: int, k: int) -> bool:
    """Whether diagonal `k` is best reached by an addition. `reached` holds the diagonals from `-edits` to `edits`."""
    return k == -edits or (k != edits and reached[k - 1 + edits] < reached[k + 1 + edits])


def _trace(a: Sequence[int], b: Sequence[int]) -> list["array[int]"] | None:
    """For each number of edits, how far each diagonal had come before it; None when it takes too long."""
    most = min(len(a) + len(b), _EDITS)
    far = array("i", [0]) * (2 * most + 3)
    middle = most + 1
    trace: list[array[int]] = []
    work = 0
    size_a, size_b = len(a), len(b)
    for edits in range(most + 1):
        reached = far[middle - edits : middle + edits + 1]
        trace.append(reached)
        for k in range(-edits, edits + 1, 2):
            if edits == 0:
                x = 0
            elif _goes_down(reached, edits, k):
                x = reached[k + 1 + edits]
            else:
                x = reached[k - 1 + edits] + 1
            y = x - k
            begin = x
            while x < size_a and y < size_b and a[x] == b[y]:
                x, y = x + 1, y + 1
            far[middle + k] = x
            work += 1 + x - begin
            if x >= size_a and y >= size_b:
                return trace
        if work > _WORK:
            return None
    return None


def _joined(pieces: list[Piece]) -> tuple[Piece, ...]:
    """Neighbours of one kind as one piece, removed before added. Blanks between two changes are part of the change."""
    done: list[Piece] = []
    removed: list[str] = []
    added: list[str] = []

    def flush() -> None:
        if removed and any(removed):
            done.append(Piece("removed", "".join(removed)))
        if added and any(added):
            done.append(Piece("added", "".join(added)))
        removed.clear()
        added.clear()

    for index, piece in enumerate(pieces):
        if not piece.text:
            continue
        if piece.kind == "removed":
            removed.append(piece.text)
        elif piece.kind == "added":
            added.append(piece.text)
        elif (removed and added) and piece.text.isspace() and _changes_next(pieces, index):
            removed.append(piece.text)
            added.append(piece.text)
        else:
            flush()
            if done and done[-1].kind == "same":
                done[-1] = Piece("same", done[-1].text + piece.text)
            else:
                done.append(piece)
    flush()
    return tuple(done)


def _changes_next(pieces: list[Piece], index: int) -> bool:
    """Whether the piece after `index` is a change. Empty pieces stand only at the ends."""
    following = pieces[index + 1] if index + 1 < len(pieces) else None
    return following is not None and following.kind != "same" and bool(following.text)


def _same_scalar(old: Json, new: Json) -> bool:
    """JSON equality of two values of which at most one is a container that isn't empty."""
    if isinstance(old, bool) or isinstance(new, bool):
        return old is new
    if isinstance(old, float) and isinstance(new, float) and math.isnan(old) and math.isnan(new):
        return True
    if isinstance(old, dict | list) or isinstance(new, dict | list):
        return type(old) is type(new) and not old and not new
    return old == new


def _object_pairs(
    pointer: str, old: dict[str, Json], new: dict[str, Json]
) -> Iterator[JsonChange | tuple[str, Json, Json]]:
    """What to compare in two objects: the fields before, then the new ones."""
    for key, value in old.items():
        place = f"{pointer}/{_escaped(key)}"
        if key in new:
            yield place, value, new[key]
        else:
            yield JsonChange(place, "removed", value, None)
    for key, value in new.items():
        if key not in old:
            yield JsonChange(f"{pointer}/{_escaped(key)}", "added", None, value)


def _list_pairs(
    pointer: str, old: list[Json], new: list[Json]
) -> Iterator[JsonChange | tuple[str, Json, Json]]:
    """What to compare in two lists: by the elements' own ids where all have one, else by place."""
    old_ids, new_ids = _own_ids(old), _own_ids(new)
    if old_ids is not None and new_ids is not None:
        yield from _by_id(pointer, old, new, old_ids, new_ids)
        return
    skip_start = skip_end = 0
    shorter = min(len(old), len(new))
    if len(old) != len(new) and max(len(old), len(new)) <= _ALIGNED:
        before, after = [dumps_line(e) for e in old], [dumps_line(e) for e in new]
        while skip_start < shorter and before[skip_start] == after[skip_start]:
            skip_start += 1
        while skip_end < shorter - skip_start and before[-1 - skip_end] == after[-1 - skip_end]:
            skip_end += 1
    both = shorter - skip_end
    for index in range(skip_start, both):
        yield f"{pointer}/{index}", old[index], new[index]
    for index in range(both, len(old) - skip_end):
        yield JsonChange(f"{pointer}/{index}", "removed", old[index], None)
    for index in range(both, len(new) - skip_end):
        yield JsonChange(f"{pointer}/{index}", "added", None, new[index])


def _by_id(
    pointer: str, old: list[Json], new: list[Json], old_ids: dict[str, int], new_ids: dict[str, int]
) -> Iterator[JsonChange | tuple[str, Json, Json]]:
    """What to compare in two lists whose elements have ids of their own."""
    kept_before = {key: place for place, key in enumerate(key for key in old_ids if key in new_ids)}
    kept_after = {key: place for place, key in enumerate(key for key in new_ids if key in old_ids)}
    for key, index in old_ids.items():
        if key not in new_ids:
            yield JsonChange(f"{pointer}/{index}", "removed", old[index], None)
            continue
        if kept_before[key] != kept_after[key]:
            yield JsonChange(f"{pointer}/{index}", "moved", index, new_ids[key])
        yield f"{pointer}/{new_ids[key]}", old[index], new[new_ids[key]]
    for key, index in new_ids.items():
        if key not in old_ids:
            yield JsonChange(f"{pointer}/{index}", "added", None, new[index])


def _own_ids(elements: list[Json]) -> dict[str, int] | None:
    """Each element's own id and its place, or None when one has none or two have the same."""
    ids: dict[str, int] = {}
    for index, element in enumerate(elements):
        if not isinstance(element, dict):
            return None
        own = element.get("id")
        if not isinstance(own, str) or not own:
            own = element.get("key")
        if not isinstance(own, str) or not own or own in ids:
            return None
        ids[own] = index
    return ids


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
