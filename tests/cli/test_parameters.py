"""Values of options, read or refused with a sentence."""

from collections.abc import Iterator
from datetime import UTC, datetime

import click
import pytest

from kindgi_tui.cli.main import root
from kindgi_tui.cli.parameters import MOMENT, SEGMENT, pages
from kindgi_tui.domain.runs import Segment
from kindgi_tui.workbench import Page
from tests.cli.driving import Cli


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


def verbs(
    command: click.Command, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command there is, with the words that name it."""
    if not isinstance(command, click.Group):
        yield words, command
        return
    with click.Context(command) as ctx:
        for name in command.list_commands(ctx):
            below = command.get_command(ctx, name)
            assert below is not None
            yield from verbs(below, (*words, name))


def test_a_text_that_is_not_utf_8_is_refused_by_every_option_of_every_command(empty: Cli) -> None:
    tried = set()
    for words, command in verbs(root):
        for place, param in enumerate(command.params):
            if isinstance(param.type, click.Path) or getattr(param, "is_flag", False):
                continue
            if isinstance(param, click.Argument):
                before = sum(isinstance(each, click.Argument) for each in command.params[:place])
                line = [*words, *["x"] * before, "x\udcff"]
            else:
                line = [*words, f"{param.opts[0]}=x\udcff"]
            sentence = empty.refused(2, *line)
            assert "bytes that are not UTF-8" in sentence, line
            assert param.get_error_hint(click.Context(command)) in sentence, line
            tried.add(param.name)
    assert {"reason", "why", "given", "description", "must_not_call", "name", "run", "participant"} <= tried
    assert not empty.workspace.exists(), "nothing is made"


def test_who_acts_and_where_is_text_before_any_command_and_a_path_may_be_any_bytes(empty: Cli) -> None:
    assert "'--as'" in empty.refused(2, "--as", "\udcff", "groups", "list")
    assert "can't be read" in empty.refused(2, "cases", "add", "--file", "no-file\udcff")
    empty.done("groups", "add", "Fachkräfte ☃", "--weight", "1")
