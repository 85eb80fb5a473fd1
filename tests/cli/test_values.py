"""Values outside their limits are refused in one sentence by the name of their flag, and nothing is made."""

import pytest

from tests.cli.driving import Cli

CANDIDATE = ("--agent", "a.b", "--agent-version", "1.0.0")
SAID = ("judgments", "add", "--run", "r", "--item", "k", "--yes")

WRONG = [
    *(
        ((*words, "--weight", number), "--weight", "A weight is a number, 0 or more")
        for words in (("groups", "add", "g"), ("groups", "change", "g"))
        for number in ("-1", "nan", "inf", "1e400", "x", "")
    ),
    *(
        (("comparisons", "start", "s", *CANDIDATE, flag, number), flag, words)
        for flag, words, numbers in (
            ("--hold-out-share", "It is a number from 0.1 to 0.9", ("5", "nan", "0.09", "-inf", "x")),
            ("--case-timeout", "It is a number of seconds over 0", ("0", "nan", "inf", "-1")),
            ("--cost-limit", "It is a number of US dollars, 0 or more", ("nan", "inf", "-0.1")),
        )
        for number in numbers
    ),
    *(
        (words, flag, "A version is x.y.z, such as 1.0.0")
        for version in ("1", "", "1.0", "1.0.0-rc1", "v1.0.0", "latest", "1.0.0 ")
        for words, flag in (
            (("comparisons", "start", "s", "--agent", "a.b", "--agent-version", version), "--agent-version"),
            (("comparisons", "start", "s", *CANDIDATE, "--version", version), "--version"),
            (("test-sets", "build", "s", "--agent", "a.b", "--version", version), "--version"),
        )
    ),
    (("comparisons", "start", "s", *CANDIDATE, "--seed", ""), "--seed", "A seed has 1 to 200 characters"),
    (
        ("comparisons", "start", "s", *CANDIDATE, "--seed", "x" * 201),
        "--seed",
        "A seed has 1 to 200 characters",
    ),
    *(
        (
            ("comparisons", "start", "s", *CANDIDATE, "--correlation-id", name),
            "--correlation-id",
            "begin with pin:",
        )
        for name in ("", "pin:x", "latest:x")
    ),
    *(
        ((*words, "--participant", name), "--participant", "Name the app's own user, or leave it out")
        for words in (
            SAID,
            ("corrections", "add", "r", "--answer", "right"),
            ("corrections", "take-back", "r"),
        )
        for name in ("", "  ")
    ),
]


@pytest.mark.parametrize(("line", "flag", "words"), WRONG)
def test_a_value_outside_its_limits(empty: Cli, line: tuple[str, ...], flag: str, words: str) -> None:
    sentence = empty.refused(2, *line)
    assert words in sentence
    assert f"'{flag}'" in sentence or f"'{flag}' / " in sentence
    assert not empty.workspace.exists()


def test_values_within_their_limits(empty: Cli) -> None:
    assert empty.done("groups", "add", "g", "--weight", "1e-3", "--json").json["weight"] == 0.001
    assert empty.done("groups", "change", "g", "--weight", "0", "--json").json["weight"] == 0
