"""What counts as painted: at once here, on the terminal's answer over a slow link, after a while where none comes."""

from collections.abc import Callable

from kindgi_tui.session.judging_seen import Place
from kindgi_tui.tui.screens.judge.painted import ASK, PATIENCE, PaintReports


class Link:
    """A terminal at the end of a link."""

    def __init__(self, slow: bool = True) -> None:
        self.seen: list[Place] = []
        self.asked: list[str] = []
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.reports = PaintReports(
            self.seen.extend, self.asked.append if slow else None, lambda *timer: self.timers.append(timer)
        )


def test_here_it_counts_once_it_is_written() -> None:
    link = Link(slow=False)
    link.reports.written([("r", "a")])
    assert link.seen == [("r", "a")]
    assert not link.timers


def test_over_a_slow_link_each_frame_counts_from_its_own_answer() -> None:
    link = Link()
    link.reports.written([("r", "a")])
    link.reports.written([("r", "b")])
    link.reports.written([])
    assert (link.seen, link.asked) == ([], [ASK, ASK])
    link.reports.answered()
    assert link.seen == [("r", "a")]
    link.reports.answered()
    link.reports.answered()
    assert link.seen == [("r", "a"), ("r", "b")]
    link.reports.written([("r", "c")])
    for _, end in link.timers:
        end()
    assert link.seen[-1] == ("r", "b")


def test_a_terminal_that_never_answers_does_not_stop_the_judging() -> None:
    link = Link()
    link.reports.written([("r", "a")])
    assert [seconds for seconds, _ in link.timers] == [PATIENCE]
    link.timers[0][1]()
    assert link.seen == [("r", "a")]
    link.reports.written([("r", "b")])
    assert link.seen == [("r", "a"), ("r", "b")]
    assert len(link.asked) == 1
