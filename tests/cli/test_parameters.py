"""Values of options, read or refused with a sentence."""

from datetime import UTC, datetime

import click
import pytest

from kindgi_tui.cli.parameters import MOMENT, SEGMENT, pages
from kindgi_tui.domain.runs import Segment
from kindgi_tui.workbench import Page


def test_a_segment_splits_at_its_first_colon() -> None:
    assert SEGMENT.convert("company:acme", None, None) == Segment(key="company", value="acme")
    assert SEGMENT.convert("url:http://x", None, None) == Segment(key="url", value="http://x")


@pytest.mark.parametrize("text", ["company", ":acme", "company:", ""])
def test_refuses_half_a_segment(text: str) -> None:
    with pytest.raises(click.UsageError, match="key:value"):
        SEGMENT.convert(text, None, None)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-10-09", datetime(2026, 10, 9, tzinfo=UTC)),
        ("2026-10-09T12:00:00Z", datetime(2026, 10, 9, 12, tzinfo=UTC)),
        ("2026-10-09T12:00:00+02:00", datetime(2026, 10, 9, 10, tzinfo=UTC)),
    ],
)
def test_moments_are_utc(text: str, moment: datetime) -> None:
    assert MOMENT.convert(text, None, None) == moment


@pytest.mark.parametrize(
    "text", ["yesterday", "2026-13-01", "2026-10-09T12:00:00", "0001-01-01T00:00:00+14:00", "20261009", ""]
)
def test_refuses_moments_that_could_be_several(text: str) -> None:
    with pytest.raises(click.UsageError, match="ISO 8601"):
        MOMENT.convert(text, None, None)


async def test_pages_go_on_only_when_asked_for_all() -> None:
    asked: list[tuple[int, str | None]] = []

    async def read(limit: int, cursor: str | None) -> Page[int]:
        asked.append((limit, cursor))
        place = int(cursor or 0)
        return Page[int](data=(place,), has_more=place < 2, next_cursor=str(place + 1) if place < 2 else None)

    assert [page.data async for page in pages(read, 25, "1", False)] == [(1,)]
    assert asked == [(25, "1")]
    asked.clear()
    assert [page.data async for page in pages(read, 25, None, True)] == [(0,), (1,), (2,)]
    assert asked == [(500, None), (500, "1"), (500, "2")]
