"""Breaking any one rule is noticed: each variation of the rules answers some recorded request otherwise."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from tests.conformance.recorded_pairs import pairs


class Variation(NamedTuple):
    """A rule broken: in a module of the domain, this text stands instead of that."""

    rule: str
    module: str
    text: str
    instead: str
    ops: tuple[str, ...]


ITEMS = ("outputItems",)
MATCH = ("matchJudged", "scoreOutput")
SCORE = ("scoreOutput", "scoreItems")
CHANGES = ("scoreOutput", "itemChanges")
COMPARE = ("compare",)
RESCORE = ("rescore",)
BOTH = ("compare", "rescore")
SUM = ("summarizeByItem",)
BUILD = ("buildCases",)
SAMPLE = ("sampleCases",)

VARIATIONS = (
    Variation("items: depth 2", "items", "MAX_DEPTH = 3", "MAX_DEPTH = 2", ITEMS),
    Variation("items: depth 4", "items", "MAX_DEPTH = 3", "MAX_DEPTH = 4", ITEMS),
    Variation("items: lists of 101", "items", "MAX_LIST = 100", "MAX_LIST = 101", ITEMS),
    Variation("items: no lists of 100", "items", "MAX_LIST = 100", "MAX_LIST = 99", ITEMS),
    Variation(
        "items: the first answer", "items", "range(len(appended) - 1, -1, -1)", "range(len(appended))", ITEMS
    ),
    Variation(
        "items: a null answer is none",
        "items",
        '"content" not in message',
        'message.get("content") is None',
        ITEMS,
    ),
    Variation(
        "items: calls of any kind",
        "items",
        'isinstance(content.get("toolCalls"), list)',
        '"toolCalls" in content',
        ITEMS,
    ),
    Variation(
        "items: an empty id is an id",
        "items",
        "isinstance(value, str) and value:",
        "isinstance(value, str):",
        ITEMS,
    ),
    Variation("items: no id from `key`", "items", 'in ("id", "key")', 'in ("id",)', ITEMS),
    Variation("items: true is a number", "items", "and is_number(value)", "", ITEMS),
    Variation("items: the same id twice in a list", "items", "own not in seen", "True", ITEMS),
    Variation("items: places are not ids", "items", "seen.add(key)", "seen.add(own or '')", ITEMS),
    Variation("items: a null flow output", "items", "if output is not None:", "if True:", ITEMS),
    Variation("items: order of insertion", "items", "in fields(value):", "in value.items():", ITEMS),
    Variation("items: `~` as it is", "pointers", 'token.replace("~", "~0")', "token", ITEMS),
    Variation(
        "numbers: as Python writes them",
        "javascript",
        "value = double(number)\n    if math.isnan",
        "return str(number)\n    if math.isnan",
        ITEMS,
    ),
    Variation(
        "numbers: an index past the last",
        "javascript",
        "_LAST_INDEX = 2**32 - 2",
        "_LAST_INDEX = 2**32 - 1",
        ITEMS,
    ),
    Variation(
        "pointers: strict places",
        "pointers",
        "number = read_number(token)",
        "number = float(token) if token.isdecimal() else None",
        ("valueAt",),
    ),
    Variation(
        "pointers: nothing inherited",
        "pointers",
        "return _inherited(tokens[i:])",
        "return NOTHING",
        ("valueAt",),
    ),
    Variation(
        "pointers: `~1` is kept",
        "pointers",
        'token.replace("~1", "/").replace',
        "token.replace",
        ("valueAt", *MATCH),
    ),
    Variation(
        "matching: own keys by content too",
        "matching",
        "and not item.own_key and not _unchanged",
        "and not _unchanged",
        MATCH,
    ),
    Variation(
        "matching: by key alone",
        "matching",
        "before.found and json_equal(before.value, item.value)",
        "True",
        MATCH,
    ),
    Variation(
        "matching: no pointer needed",
        "matching",
        "if judged.pointer is None:\n        return False",
        "if judged.pointer is None:\n        return True",
        MATCH,
    ),
    Variation(
        "matching: the first of a key",
        "matching",
        "for one in JudgedItem.read_all(judged)}",
        "for one in JudgedItem.read_all(judged)[::-1]}",
        MATCH,
    ),
    Variation(
        "equality: key order matters", "javascript", "a.keys() != b.keys()", "list(a) != list(b)", MATCH
    ),
    Variation(
        "equality: 1 is not 1.0",
        "javascript",
        "return _finite(a) == _finite(b)",
        "return _finite(a) == _finite(b) and type(a) is type(b)",
        MATCH,
    ),
    Variation("equality: true is 1", "javascript", "return a is b", "return a == b", MATCH),
    Variation(
        "fresh: overrides",
        "matching",
        "None if one.judged is not None else said_of",
        "said_of",
        ("withFresh", "scoreOutput"),
    ),
    Variation(
        "score: weight 0 is not judged",
        "rating",
        "if said is None:\n            continue",
        "if said is None or not said.total_weight:\n            continue",
        SCORE,
    ),
    Variation(
        "score: unranked items among the first k",
        "rating",
        'if "rank" in one.item.model_fields_set]',
        "]",
        SCORE,
    ),
    Variation(
        "score: the first k as they come",
        "rating",
        "ranked.sort(key=lambda one: one.item.rank or 0)",
        "pass",
        SCORE,
    ),
    Variation("score: one more than k", "rating", "math.trunc(k)", "1 + math.trunc(k)", SCORE),
    Variation(
        "score: all is fresh",
        "rating",
        "if one.judged is None:\n            fresh_items",
        "if True:\n            fresh_items",
        SCORE,
    ),
    Variation("changes: dropped though kept", "rating", "if before.key not in kept_keys", "if True", CHANGES),
    Variation(
        "changes: the fresh weights are not told", "rating", "if one.fresh is not None:", "if False:", CHANGES
    ),
    Variation("sums: the oldest's place", "summing", "newest = judgments[0]", "newest = judgments[-1]", SUM),
    Variation(
        "sums: those without rank first",
        "summing",
        "SAFE_INTEGER if item.rank is None",
        "-1 if item.rank is None",
        SUM,
    ),
    Variation(
        "sums: unknown groups weigh nothing",
        "summing",
        "return 1 if weight is None else weight",
        "return weight or 0",
        SUM,
    ),
    Variation(
        "sums: everybody weighs 1", "summing", "return 1 if weight is None else weight", "return 1", SUM
    ),
    Variation(
        "sums: restricted by group",
        "summing",
        "if said.restricted:\n            restricted_total",
        "if said.group_id:\n            restricted_total",
        SUM,
    ),
    Variation("sums: no is yes", "summing", 'if said.verdict == "yes":', "if True:", SUM),
    Variation("build: replays too", "summing", "if is_replay_copy(run):", "if False:", BUILD),
    Variation(
        "build: replays by their context alone",
        "summing",
        'return isinstance(report, dict) and isinstance(report.get("of"), str)',
        "return False",
        BUILD,
    ),
    Variation("build: every group counts", "summing", "if query.group_ids is not None:", "if False:", BUILD),
    Variation("build: no least judgments", "summing", "or len(kept) < least", "", BUILD),
    Variation("build: 999 cases", "test_sets", "MAX_CASES = 1000", "MAX_CASES = 999", BUILD),
    Variation("build: 1,001 cases", "test_sets", "MAX_CASES = 1000", "MAX_CASES = 1001", BUILD),
    Variation(
        "build: truncated only when more is there",
        "summing",
        "truncated = len(cases) == MAX_CASES",
        "truncated = more",
        BUILD,
    ),
    Variation("sample: one stratum", "sampling", '"no" if has_no else "rest"', '"rest"', SAMPLE),
    Variation(
        "sample: a half to even", "sampling", "round_half_up(cases * share)", "round(cases * share)", SAMPLE
    ),
    Variation("sample: a whole stratum", "sampling", "min(cases - 1, ", "min(cases, ", SAMPLE),
    Variation("sample: none of a small stratum", "sampling", "max(1, round", "max(0, round", SAMPLE),
    Variation(
        "sample: a stratum of one is held out",
        "sampling",
        "0 if cases < 2 else",
        "cases if cases < 2 else",
        SAMPLE,
    ),
    Variation("sample: the last digits", "sampling", "hexdigest()[:8]", "hexdigest()[-8:]", SAMPLE),
    Variation("metrics: errored cases on the recorded side", "metrics", "if result.candidate]", "]", COMPARE),
    Variation("metrics: no mean", "metrics", "_sum(values) / len(values)", "values[0]", COMPARE),
    Variation(
        "metrics: exact sums",
        "metrics",
        "total = 0.0\n    for number in numbers:\n        total += number\n    return total",
        "import math\n    return math.fsum(numbers)",
        BOTH,
    ),
    Variation(
        "metrics: 0 without evidence",
        "metrics",
        "yes / total if total > 0 else None",
        "yes / total if total > 0 else 0.0",
        COMPARE,
    ),
    Variation("metrics: n counts weight 0", "metrics", "if part <= 0:", "if part < 0:", COMPARE),
    Variation(
        "metrics: a candidate's n of all cases",
        "metrics",
        "if any(side.total(score) > 0 for score in result.candidate)",
        "",
        COMPARE,
    ),
    Variation(
        "metrics: weight by those that ran",
        "metrics",
        "_sum(one.weight for one in passes) / max(1, repetitions)",
        "_sum(one.weight for one in passes) / max(1, len(values))",
        COMPARE,
    ),
    Variation("metrics: spread of one", "metrics", "if len(values) > 1:", "if values:", COMPARE),
    Variation(
        "metrics: coverage weighs items",
        "metrics",
        "lambda s: s.items, lambda s: s.total_weight",
        "lambda s: s.items, lambda s: s.items",
        COMPARE,
    ),
    Variation(
        "metrics: fresh weight on precision",
        "metrics",
        "_PRECISION, k=k)",
        "_PRECISION, k=k, fresh_weight=fresh)",
        RESCORE,
    ),
    Variation(
        "metrics: no fresh weight on coverage",
        "metrics",
        "_COVERAGE, fresh_weight=fresh",
        "_COVERAGE",
        RESCORE,
    ),
    Variation(
        "compare: an error with any repetition",
        "comparing",
        "if not self._scores and self._end:",
        "if self._end:",
        COMPARE,
    ),
    Variation(
        "compare: errors before stops",
        "comparing",
        'name = "stopped" if "stopped" in self._end',
        'name = "stopped" if "error" not in self._end',
        COMPARE,
    ),
    Variation(
        "compare: refused calls of all repetitions",
        "comparing",
        'self._refused = max(self._refused, sum(1 for tool in tools if tool.source == "refused"))',
        'self._refused += sum(1 for tool in tools if tool.source == "refused")',
        COMPARE,
    ),
    Variation(
        "compare: diverged under live reads",
        "comparing",
        'self._settings.reads == "recorded" and ',
        "",
        COMPARE,
    ),
    Variation("compare: recomputed calls diverge", "comparing", " and not t.recomputed", "", COMPARE),
    Variation(
        "compare: the last repetition's calls",
        "comparing",
        "if not self._first:\n            self._first =",
        "if changes:\n            self._first =",
        COMPARE,
    ),
    Variation(
        "compare: models of errors too",
        "comparing",
        "if tally.add(outcome) and outcome.provider",
        "if (tally.add(outcome) or True) and outcome.provider",
        COMPARE,
    ),
    Variation("compare: erased cases run", "comparing", "if not case.erased]", "]", COMPARE),
    Variation(
        "compare: erased later, counted as recorded",
        "comparing",
        "if case.case_id not in gone]",
        "]",
        COMPARE,
    ),
    Variation(
        "compare: experts like everybody",
        "comparing",
        'if settings.weighing == "experts-only":',
        "if False:",
        COMPARE,
    ),
    Variation(
        "compare: experts of weight 0", "comparing", "and item.restricted.total_weight > 0", "", COMPARE
    ),
    Variation(
        "compare: no sample",
        "comparing",
        "if settings.sample is not None:",
        "if False:",
        COMPARE,
    ),
    Variation(
        "compare: failed when any case errored",
        "comparing",
        '"partial" if errors < results else "failed"',
        '"failed"',
        COMPARE,
    ),
    Variation(
        "compare: completed though nothing ran",
        "comparing",
        "if results and not errors:",
        "if not errors:",
        COMPARE,
    ),
    Variation(
        "compare: a context of null is none",
        "comparing",
        'no_context="context" not in self._case.model_fields_set',
        "no_context=not self._case.context",
        COMPARE,
    ),
    Variation(
        "compare: not cancelled", "comparing", "if self._started == self._cancel_after:", "if False:", COMPARE
    ),
    Variation(
        "compare: the project it runs in",
        "comparing",
        "of_test_set if isinstance(of_test_set, str) else ",
        "",
        COMPARE,
    ),
    Variation(
        "compare: blocks by code point",
        "comparing",
        "sorted(blocks, key=utf16_order)",
        "sorted(blocks)",
        COMPARE,
    ),
    Variation(
        "rescore: part of the replays",
        "rescoring",
        "if len(earlier.candidate) != len(earlier.run_ids):",
        "if False:",
        RESCORE,
    ),
    Variation("rescore: replays of errors", "rescoring", "if not earlier.candidate:", "if False:", RESCORE),
    Variation(
        "rescore: nothing is fresh", "rescoring", "with_fresh(matched, fresh(run_id))", "matched", RESCORE
    ),
    Variation(
        "rescore: the last replay's changes", "rescoring", "changes = changes or ", "changes = ", RESCORE
    ),
    Variation(
        "rescore: every fresh judgment",
        "rescoring",
        'experts_only(items) if settings.weighing == "experts-only" else items',
        "items",
        RESCORE,
    ),
    Variation(
        "rescore: another test set",
        "rescoring",
        "if before.test_set !=",
        "if False and before.test_set !=",
        RESCORE,
    ),
)

_OURS = ("kindgi_tui.domain", "kindgi_tui.wire.v01", "tests.conformance.ours")


class _Varied(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from another text."""

    def __init__(self, name: str, source: str) -> None:
        self.name = name
        self.source = source

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        return importlib.util.spec_from_loader(name, self) if name == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, self.name, "exec"), module.__dict__)


@contextmanager
def varied(variation: Variation) -> Iterator[Callable[[dict[str, Any]], Any]]:
    """Our answers under a variation: the domain imported again with one text changed, then put back."""
    name = f"kindgi_tui.domain.{variation.module}"
    file = importlib.import_module(name).__file__
    assert file is not None
    source = Path(file).read_text(encoding="utf-8")
    assert source.count(variation.text) == 1, (
        f"{variation.text!r} stands {source.count(variation.text)} times"
    )
    kept = {known: module for known, module in sys.modules.items() if known.startswith(_OURS)}
    for known in kept:
        del sys.modules[known]
    finder = _Varied(name, source.replace(variation.text, variation.instead))
    sys.meta_path.insert(0, finder)
    try:
        yield importlib.import_module("tests.conformance.ours").answer
    finally:
        sys.meta_path.remove(finder)
        for known in [known for known in sys.modules if known.startswith(_OURS)]:
            del sys.modules[known]
        sys.modules.update(kept)
        for known, module in kept.items():
            parent, _, child = known.rpartition(".")
            setattr(sys.modules[parent], child, module)


@pytest.fixture(scope="module")
def recorded() -> dict[str, list[tuple[dict[str, Any], str]]]:
    """The recorded pairs by rule, answers as text; of the builds of a thousand cases only some."""
    by_op: dict[str, list[tuple[dict[str, Any], str]]] = {}
    large = 0
    for request, result in pairs():
        if len(request.get("judgedRuns", ())) > 900:
            large += 1
            if large > 12:
                continue
        by_op.setdefault(request["op"], []).append((request, json.dumps(result, sort_keys=True)))
    return by_op


@pytest.mark.parametrize("variation", VARIATIONS, ids=lambda variation: variation.rule)
def test_a_broken_rule_is_noticed(
    variation: Variation, recorded: dict[str, list[tuple[dict[str, Any], str]]]
) -> None:
    with varied(variation) as answer:
        asked = [pair for op in variation.ops for pair in recorded[op]]
        assert any(_differs(answer, request, text) for request, text in asked), variation.rule


def _differs(answer: Callable[[dict[str, Any]], Any], request: dict[str, Any], text: str) -> bool:
    try:
        return json.dumps(answer(request), sort_keys=True) != text
    except Exception:  # a rule broken so far that it can't answer is noticed too
        return True
