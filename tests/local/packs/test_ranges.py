import json
from pathlib import Path

import pytest

from kindgi_tui.local.packs.ranges import is_range, resolve, satisfies

VERSIONS = [
    "0.1.0",
    "0.1.9",
    "0.2.0",
    "1.0.0",
    "1.2.3",
    "1.2.10",
    "1.10.0",
    "2.0.0-rc.1",
    "2.0.0",
    "3.0.0-rc.2",
]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("1.2.3", "1.2.3"),
        ("=1.2.3", "1.2.3"),
        ("v1.2.3", "1.2.3"),
        ("1.2.4", None),
        ("^1.0.0", "1.10.0"),
        ("^0.1.0", "0.1.9"),
        ("^0.0.1", None),
        ("^0", "0.2.0"),
        ("~1.2.3", "1.2.10"),
        ("~1", "1.10.0"),
        (">=1.2.3", "2.0.0"),
        (">1.2", "2.0.0"),
        (">=1.0.0 <1.10.0", "1.2.10"),
        (">= 1.0.0 < 1.10.0", "1.2.10"),
        ("<=1.2", "1.2.10"),
        ("<1", "0.2.0"),
        ("1.2.x", "1.2.10"),
        ("1", "1.10.0"),
        ("*", "2.0.0"),
        ("", "2.0.0"),
        ("0.1.0 - 1.2", "1.2.10"),
        ("0.1.x || 1.2.3", "1.2.3"),
        ("^2.0.0-rc.0", "2.0.0"),
        (">=3.0.0-rc.1", "3.0.0-rc.2"),
        (">=3.0.0-rc.3", None),
        ("latest", None),
        ("^1.2.3.4", None),
        ("01.2.3", None),
    ],
)
def test_resolves_as_npm_does(wanted: str, expected: str | None) -> None:
    assert resolve(wanted, VERSIONS) == expected


def test_ten_is_newer_than_nine_and_the_release_than_its_candidates() -> None:
    assert resolve("*", ["1.9.0", "1.10.0"]) == "1.10.0"
    assert resolve(">=2.0.0-a", ["2.0.0-rc.2", "2.0.0-rc.10", "2.0.0-2"]) == "2.0.0-rc.10"
    assert resolve("*", ["2.0.0-rc.1"]) is None


def test_what_is_no_version_is_never_chosen() -> None:
    assert resolve("*", ["unknown", "1.0", ""]) is None
    assert not satisfies("unknown", "*")
    assert is_range("^1.0.0") and not is_range("newest")
    assert not is_range("1" * 1000)


def test_agrees_with_npm() -> None:
    """`npm_ranges.jsonl`: a range, versions, whether npm's semver 7.8.5 takes the range, the version it picks.

    Left out is what only npm's leniency takes, such as `^=1.2.3` and `x.1 - 2`, which we refuse.
    """
    path = Path(__file__).with_name("npm_ranges.jsonl")
    pairs = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(pairs) > 200
    for wanted, versions, valid, picked in pairs:
        assert (is_range(wanted), resolve(wanted, versions)) == (valid, picked), wanted
