"""Semantic version ranges as packs write them (npm's grammar, which the Kindgi runtime resolves by)."""

import re
from collections.abc import Iterable
from functools import lru_cache

_PRE = r"(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*))?"
_BUILD = r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
_NUMBER = r"(0|[1-9]\d*)"
_VERSION = re.compile(rf"[v=\s]*{_NUMBER}\.{_NUMBER}\.{_NUMBER}{_PRE}{_BUILD}", re.ASCII)
_PLACE = r"(0|[1-9]\d*|[xX*])"
_PARTIAL = rf"v?{_PLACE}(?:\.{_PLACE}(?:\.{_PLACE}{_PRE}{_BUILD})?)?"
_TERM = re.compile(rf"(\^|~>?|>=|<=|>|<|=|)\s*{_PARTIAL}", re.ASCII)
_HYPHEN = re.compile(rf"\s*({_PARTIAL})\s+-\s+({_PARTIAL})\s*", re.ASCII)
_SPACED = re.compile(r"(\^|~>?|>=|<=|>|<|=)\s+")
_LONGEST = 256

_Pre = tuple[tuple[int, int, str], ...]
_Key = tuple[int, int, int, int, _Pre]
_Bound = tuple[str, _Key]


def version_key(version: str) -> _Key | None:
    """What orders versions: larger is newer, a prerelease stands before its release. None: not a version."""
    match = _VERSION.fullmatch(version.strip()) if len(version) <= _LONGEST else None
    if match is None:
        return None
    major, minor, patch, pre = match.groups()
    return _key([int(major), int(minor), int(patch)], pre)


def is_range(wanted: str) -> bool:
    """Whether the text is a range at all."""
    return _bounds(wanted) is not None


def satisfies(version: str, wanted: str) -> bool:
    """Whether a version is in a range. False when either is not one."""
    key, alternatives = version_key(version), _bounds(wanted)
    return key is not None and alternatives is not None and any(_inside(key, each) for each in alternatives)


def resolve(wanted: str, versions: Iterable[str]) -> str | None:
    """The newest of the versions that is in the range; None when none is, or the range is not one.

    A prerelease counts only where the range names a prerelease of the same `x.y.z`.
    """
    best: tuple[_Key, str] | None = None
    for version in versions:
        key = version_key(version)
        if key is not None and satisfies(version, wanted) and (best is None or key > best[0]):
            best = (key, version)
    return best[1] if best else None


def _key(places: list[int], pre: str | None = None) -> _Key:
    major, minor, patch = places
    if not pre:
        return (major, minor, patch, 1, ())
    if pre == "-":  # before every prerelease: the open end of `<2.0.0-0`
        return (major, minor, patch, 0, ())
    parts = tuple((0, int(p), "") if p.isdigit() else (1, 0, p) for p in pre.split("."))
    return (major, minor, patch, 0, parts)


def _inside(key: _Key, bounds: tuple[_Bound, ...]) -> bool:
    for operator, bound in bounds:
        if operator == ">=" and not key >= bound:
            return False
        if operator == ">" and not key > bound:
            return False
        if operator == "<=" and not key <= bound:
            return False
        if operator == "<" and not key < bound:
            return False
        if operator == "=" and key != bound:
            return False
    if key[3] == 1:
        return True
    return any(bound[3] == 0 and bound[4] and bound[:3] == key[:3] for _, bound in bounds)


@lru_cache(maxsize=1024)
def _bounds(wanted: str) -> tuple[tuple[_Bound, ...], ...] | None:
    """The range as alternatives, each a list of bounds that must all hold; None when it is not a range."""
    if len(wanted) > _LONGEST:
        return None
    found = [_alternative(part.strip()) for part in wanted.split("||")]
    valid = tuple(each for each in found if each is not None)
    return valid if len(valid) == len(found) else None


def _alternative(text: str) -> tuple[_Bound, ...] | None:
    hyphen = _HYPHEN.fullmatch(text)
    if hyphen is not None:
        low, high = hyphen.group(1), hyphen.group(6)
        above, below = _term(f">={low.strip()}"), _term(f"<={high.strip()}")
        return (*above, *below) if above is not None and below is not None else None
    bounds: list[_Bound] = []
    for word in _SPACED.sub(r"\1", text).split():
        term = _term(word)
        if term is None:
            return None
        bounds.extend(term)
    return tuple(bounds)


def _term(text: str) -> tuple[_Bound, ...] | None:
    match = _TERM.fullmatch(text)
    if match is None:
        return None
    operator, *places, pre = match.groups()
    numbers = [int(p) if p is not None and p not in "xX*" else None for p in places]
    first = numbers.index(None) if None in numbers else 3
    operator = "~" if operator == "~>" else operator
    if operator not in ("^", "~") and any(n is not None for n in numbers[first:]):
        return None
    low = [n or 0 if i < first else 0 for i, n in enumerate(numbers)]
    if operator in ("^", "~"):
        return _wide(operator, low, first, pre)
    if first == 3:
        return ((operator or "=", _key(low, pre)),)
    return _partial(operator, low, first)


def _wide(operator: str, low: list[int], given: int, pre: str | None) -> tuple[_Bound, ...]:
    """`^` keeps the first place that is not 0, `~` the minor; both as far as places are given."""
    if given == 0:
        return ()
    first_kept = next((i + 1 for i in range(given) if low[i] != 0), given)
    kept = min(given, 2) if operator == "~" else first_kept
    return ((">=", _key(low, pre)), ("<", _after(low, kept)))


def _partial(operator: str, low: list[int], given: int) -> tuple[_Bound, ...]:
    """A comparison whose later places are open, such as `>1.2` or `1.x`."""
    if given == 0:
        return (("<", _key([0, 0, 0], "-")),) if operator in ("<", ">") else ()
    start, end = (">=", _key(low)), ("<", _after(low, given))
    if operator == ">":
        return ((">=", (*end[1][:3], 1, ())),)
    if operator == ">=":
        return (start,)
    if operator == "<":
        return (("<", _key(low, "-")),)
    if operator == "<=":
        return (end,)
    return (start, end)


def _after(low: list[int], kept: int) -> _Key:
    """The open end: the last kept place is one larger, the rest 0, before any prerelease."""
    places = [*low[: kept - 1], low[kept - 1] + 1, 0, 0][:3]
    return _key(places, "-")
