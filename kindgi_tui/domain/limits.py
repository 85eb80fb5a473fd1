"""The limits of DESIGN section 8, checked here so that every face says the same sentence.

Each check takes a value as it came, gives it back when it is within its limits, and raises `LimitError` when
it is not. Where the 0.1 API has a sentence for it, that is the sentence.
"""

import re
from collections.abc import Sequence
from typing import Any, Literal

from kindgi_tui.domain.judgments import REASON_LIMIT

MAX_REPETITIONS = 10
"""The most repetitions of a comparison."""

MAX_K = 100
"""The largest k of precision at k."""

MIN_SHARE, MAX_SHARE = 0.1, 0.9
"""Between which shares the hold-out part of a sample lies."""

MAX_SEED = 200
"""The longest seed of a sample, in characters."""

MAX_SEGMENTS = 8
"""The most steps of a segment path."""

MAX_SEGMENT_VALUE = 256
"""The longest value of a segment, in characters."""

MAX_GROUP_NAME = 100
"""The longest name of a group, in characters."""

_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")
_SEGMENT_KEY = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_SAMPLE = (
    "`sample` must be { part: 'search' | 'hold-out', seed, holdOutShare } with holdOutShare from 0.1 to 0.9"
)


class LimitError(ValueError):
    """A value outside its limits: which field, and a sentence that says what would be right."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field
        """The field's name, as the wire calls it."""
        self.sentence = sentence
        """What is wrong, in words for whoever sent it."""


def _integer(value: Any, field: str, most: int) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise LimitError(field, f"`{field}` must be an integer from 1 to {most}")
    return value


def check_repetitions(value: Any) -> int:
    """How often each case is replayed: 1 to 10."""
    return _integer(value, "repetitions", MAX_REPETITIONS)


def check_k(value: Any) -> int:
    """How many ranked items precision at k looks at: 1 to 100."""
    return _integer(value, "k", MAX_K)


def check_sample(part: Any, seed: Any, share: Any) -> None:
    """A sample: its part, a seed of 1 to 200 characters, and a hold-out share from 0.1 to 0.9."""
    is_share = isinstance(share, int | float) and not isinstance(share, bool)
    if (
        part not in ("search", "hold-out")
        or not isinstance(seed, str)
        or not 1 <= utf16_length(seed) <= MAX_SEED
        or not is_share
        or not MIN_SHARE <= share <= MAX_SHARE
    ):
        raise LimitError("sample", _SAMPLE)


def check_version(value: Any) -> str:
    """A version to publish: `x.y.z`, without a pre-release part."""
    if not isinstance(value, str) or not _VERSION.fullmatch(value):
        raise LimitError("version", 'version is required: a semver such as "1.0.0".')
    return value


def check_reason(value: Any) -> str:
    """A judgment's reason: text of at most 4,000 characters."""
    if not isinstance(value, str) or utf16_length(value) > REASON_LIMIT:
        raise LimitError("reason", f"reason must be a string of at most {REASON_LIMIT} characters.")
    return value


def check_item(key: Any, pointer: Any = None, rank: Any = None) -> None:
    """Which item is judged: a key, and a pointer and a rank where there are any."""
    if not isinstance(key, str) or not key.strip():
        raise LimitError("item.key", "item.key is required.")
    if pointer is not None and not (isinstance(pointer, str) and (pointer == "" or pointer.startswith("/"))):
        sentence = 'item.pointer must be a JSON Pointer such as "/matches/2" (or "" for the whole output).'
        raise LimitError("item.pointer", sentence)
    if rank is not None and (isinstance(rank, bool) or not isinstance(rank, int) or rank < 0):
        raise LimitError("item.rank", "item.rank must be a whole number ≥ 0.")


def check_verdict(value: Any) -> Literal["yes", "no"]:
    """A verdict: `yes` or `no`."""
    if value == "yes":
        return "yes"
    if value == "no":
        return "no"
    raise LimitError("verdict", "verdict must be one of: yes, no.")


def check_segments(path: Sequence[tuple[Any, Any]], field: str = "segments") -> tuple[tuple[str, str], ...]:
    """A segment path of (key, value): at most 8 steps, each key once, values of 1 to 256 characters."""
    if len(path) > MAX_SEGMENTS:
        raise LimitError(field, f"`{field}` takes at most {MAX_SEGMENTS} segments")
    seen: dict[str, str] = {}
    for key, value in path:
        if not isinstance(key, str) or not isinstance(value, str):
            raise LimitError(field, f"`{field}`: each segment is {{key: string, value: string}}")
        if not _SEGMENT_KEY.fullmatch(key):
            rule = "a segment key is lowercase letters, digits, - and _ (starting with a letter)"
            raise LimitError(field, f'`{field}`: {rule}; got "{key}"')
        if key in seen:
            raise LimitError(field, f'`{field}`: the key "{key}" appears twice')
        if not 1 <= utf16_length(value) <= MAX_SEGMENT_VALUE:
            limit = f"a segment value is 1–{MAX_SEGMENT_VALUE} characters"
            raise LimitError(field, f'`{field}`: {limit} (key "{key}")')
        seen[key] = value
    return tuple(seen.items())


def check_min_judgments(value: Any) -> int:
    """The least judgments of a case: a whole number of 1 or more."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise LimitError("minJudgments", "minJudgments must be a whole number ≥ 1.")
    return value


def check_correlation_id(value: Any) -> str:
    """A comparison's free name: not empty, and not one that pins and latest versions are named by."""
    if not isinstance(value, str) or not value:
        raise LimitError("correlationId", "`correlationId` must be a non-empty string when supplied")
    if value.startswith(("pin:", "latest:")):
        sentence = "`correlationId` can't start with `pin:` or `latest:`: those are kept for versions"
        raise LimitError("correlationId", sentence)
    return value


def check_baseline(value: Any) -> Literal["recorded"]:
    """What a comparison compares with: the recorded outputs alone."""
    if value != "recorded":
        raise LimitError("baseline", "Only `baseline: 'recorded'` runs today.")
    return "recorded"


def check_reads(value: Any) -> Literal["recorded", "live"]:
    """Where a replay's reads come from: the recording, or the world of today."""
    if value == "recorded":
        return "recorded"
    if value == "live":
        return "live"
    raise LimitError("reads", "`reads` must be 'recorded' or 'live'")


def check_group_name(value: Any) -> str:
    """A group's name: 1 to 100 characters, not blank."""
    if not isinstance(value, str) or not value.strip() or utf16_length(value) > MAX_GROUP_NAME:
        raise LimitError("name", f"name is required (at most {MAX_GROUP_NAME} characters).")
    return value


def check_weight(value: Any) -> int | float:
    """A group's weight: a finite number of 0 or more."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value < float("inf"):
        raise LimitError("weight", "weight is required: a number ≥ 0.")
    number: int | float = value
    return number


def check_gate(part: str | None, overridden: bool) -> None:
    """Whether a gate may decide by a comparison: not on the search part of a sample, not with overrides."""
    if part == "search":
        sentence = "A gate can't decide by the search part of a sample: compare on the hold-out part, or on all cases"
        raise LimitError("sample", sentence)
    if overridden:
        sentence = (
            "A gate can't decide by a comparison with `overrides`: publish the change as a version first"
        )
        raise LimitError("overrides", sentence)


def utf16_length(text: str) -> int:
    """The text's length in UTF-16 code units, as the API counts characters."""
    return len(text) + sum(1 for character in text if character > "\uffff")
