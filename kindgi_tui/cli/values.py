"""Values of flags that have limits: numbers, versions, texts that can't be empty, each refused by its flag's name."""

import math
from collections.abc import Callable
from typing import Any

import click

from kindgi_tui.domain.limits import (
    MAX_SEED,
    MAX_SHARE,
    MIN_SHARE,
    LimitError,
    check_correlation_id,
    check_version,
    utf16_length,
)


class NumberType(click.ParamType[float]):
    """A number that has an end, within limits."""

    name = "number"

    def __init__(self, words: str, fits: Callable[[float], bool]) -> None:
        self._words = words
        self._fits = fits

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Refuses what is no number, `nan` and `inf` too, and what lies outside."""
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or not self._fits(number):
            self.fail(f"{self._words}; got {value!r}.", param, ctx)
        return number


class LimitedText(click.ParamType[str]):
    """A text that a limit of the domain holds for, said in words of the command line."""

    name = "text"

    def __init__(self, words: str, check: Callable[[str], object]) -> None:
        self._words = words
        self._check = check

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text as it came."""
        text = str(value)
        try:
            self._check(text)
        except LimitError:
            self.fail(f"{self._words}; got {text!r}.", param, ctx)
        return text


def _seed(text: str) -> None:
    if not 1 <= utf16_length(text) <= MAX_SEED:
        raise LimitError("sample", "")


def _filled(text: str) -> None:
    if not text.strip():
        raise LimitError("text", "")


WEIGHT = NumberType("A weight is a number, 0 or more", lambda number: number >= 0)
"""How much a group's judgments weigh."""

DOLLARS = NumberType("It is a number of US dollars, 0 or more", lambda number: number >= 0)
"""An amount of money."""

SECONDS = NumberType("It is a number of seconds over 0", lambda number: number > 0)
"""A length of time."""

SHARE = NumberType(
    f"It is a number from {MIN_SHARE:g} to {MAX_SHARE:g}", lambda number: MIN_SHARE <= number <= MAX_SHARE
)
"""The share of a sample that is held out."""

VERSION = LimitedText("A version is x.y.z, such as 1.0.0", check_version)
"""A version of a test set, an agent or a flow, as one is published."""

SEED = LimitedText(f"A seed has 1 to {MAX_SEED} characters", _seed)
"""What splits the cases of a sample."""

CORRELATION = LimitedText("It can't be empty, or begin with pin: or latest:", check_correlation_id)
"""A comparison's free name."""

FILLED = LimitedText("It may not be empty", _filled)
"""A text that says something."""

PARTICIPANT = LimitedText("Name the app's own user, or leave it out", _filled)
"""For whom of an app's own users something is said."""
