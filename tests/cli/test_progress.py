"""The progress line: share, rate and time left; and that it is painted for people alone."""

import sys
from io import StringIO

import pytest

from kindgi_tui.cli.progress import Bar, duration, progress_line
from kindgi_tui.domain.comparison_records import ComparisonProgress


def progress(finished: int, repetitions: int = 100, errors: int = 0, cost: float = 0.0) -> ComparisonProgress:
    return ComparisonProgress(
        cases=repetitions,
        repetitions=repetitions,
        finished=finished,
        finished_cases=finished,
        errors=errors,
        cost_usd=cost,
        cached=0,
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0s"), (59.4, "59s"), (59.6, "1m 00s"), (125, "2m 05s"), (3600, "1h 00m"), (7322, "2h 02m")],
)
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_says_rate_and_time_left_of_what_was_followed() -> None:
    line = progress_line(progress(60, errors=2, cost=0.5), done_here=10, seconds=5.0, cells=200)
    assert "60/100" in line
    assert "2.0/s" in line
    assert "20s left" in line
    assert "2 errors" in line
    assert "$0.5000" in line
    slow = progress_line(progress(60), done_here=1, seconds=60.0, cells=200)
    assert "1.0/min" in slow
    assert "40m 00s left" in slow


def test_without_anything_finished_there_is_no_rate() -> None:
    line = progress_line(progress(0), done_here=0, seconds=3.0, cells=200)
    assert "/s" not in line
    assert "left" not in line
    assert "0/0" in progress_line(progress(0, 0), 0, 1.0, 200)


def test_says_how_many_answers_were_judged() -> None:
    whole = progress(100)
    assert "judged" not in progress_line(whole, 0, 1.0, 200)
    assert "1 answer judged" in progress_line(whole.model_copy(update={"judged": 1}), 0, 1.0, 200)
    assert "1,200 answers judged" in progress_line(whole.model_copy(update={"judged": 1200}), 0, 1.0, 200)


def test_what_is_not_known_is_left_out() -> None:
    unknown = progress(1_007).model_copy(update={"cases": None, "repetitions": None, "cost_usd": None})
    line = progress_line(unknown, done_here=10, seconds=5.0, cells=200)
    assert line == "1,007 done · 2.0/s · Ctrl-C cancels"


def test_fits_the_terminal() -> None:
    assert len(progress_line(progress(60), 10, 5.0, 40)) <= 40


class Terminal(StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_repaints_at_most_four_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    now = [100.0]
    bar = Bar(clock=lambda: now[0])
    for step in range(100):
        now[0] += 0.01
        bar.update(progress(step))
    assert 3 <= screen.getvalue().count("\r") <= 5
    bar.update(progress(100))
    assert "100/100" in screen.getvalue()
    bar.clear()
    assert screen.getvalue().endswith("\r\x1b[K")


def test_paints_nothing_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    bar = Bar()
    bar.update(progress(1))
    bar.clear()
    assert screen.getvalue() == ""
