"""Splitting a test set once into a hold-out part and a search part (DESIGN section 8)."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from kindgi_tui.domain.comparisons import Sample
from kindgi_tui.domain.javascript import double, round_half_up, utf8, utf16_order
from kindgi_tui.domain.test_sets import Case


def sample_cases(
    cases: Iterable[Case | Mapping[str, Any]], sample: Sample | Mapping[str, Any]
) -> tuple[str, ...]:
    """The ids of the cases of a sample's part, in the cases' order.

    Each stratum is split on its own: the cases that carry a correction (the 0.1 wire knows none), then of the
    others those with a no, and the rest. The same seed splits the same way on every machine, whoever's corrections
    count. Of a plain case only `caseId`, its corrections and its items' weights are read.
    """
    wanted = Sample.read(sample)
    ids: list[str] = []
    strata: dict[str, list[str]] = {}
    for case in cases:
        case_id, stratum = _facts(case)
        ids.append(case_id)
        strata.setdefault(stratum, []).append(case_id)
    held_out: set[str] = set()
    for members in strata.values():
        members.sort(key=lambda case_id: (position(wanted.seed, case_id), utf16_order(case_id)))
        held_out.update(members[: held_out_count(len(members), double(wanted.hold_out_share))])
    return tuple([case_id for case_id in ids if (case_id in held_out) == (wanted.part == "hold-out")])


def held_out_count(cases: int, share: float) -> int:
    """How many of a stratum's cases are held out: its share rounded half up, at least one in each part of two."""
    return 0 if cases < 2 else min(cases - 1, max(1, round_half_up(cases * share)))


def position(seed: str, case_id: str) -> int:
    """Where a case falls for a seed: the first 8 hex digits of sha256 of `<seed>:<case id>`, as a number."""
    return int(sha256(utf8(f"{seed}:{case_id}")).hexdigest()[:8], 16)


def _facts(case: Case | Mapping[str, Any]) -> tuple[str, str]:
    """A case's id and its stratum: `corrected`, or `no` when anyone said no to one of its items, or `rest`."""
    if isinstance(case, Case):
        has_no = any(item.yes_weight < item.total_weight for item in case.items)
        return case.case_id, _stratum(case.corrected, has_no)
    expect = case.get("expect")
    corrected = bool(case.get("corrections")) or (
        isinstance(expect, Mapping) and any(expect.get(part) is not None for part in ("decisions", "answer"))
    )
    items: list[Mapping[str, Any]] = case["items"]
    has_no = any("yesWeight" in i and "totalWeight" in i and i["yesWeight"] < i["totalWeight"] for i in items)
    return case["caseId"], _stratum(corrected, has_no)


def _stratum(corrected: bool, has_no: bool) -> str:
    return "corrected" if corrected else "no" if has_no else "rest"
