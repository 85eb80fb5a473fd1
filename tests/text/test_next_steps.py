"""Commands that sentences name, put where one works."""

import pytest

from kindgi_tui.cli.main import NOUNS
from kindgi_tui.text.next_steps import COMMANDS, in_place


def test_every_command_is_known_as_one() -> None:
    assert set(NOUNS) == COMMANDS


@pytest.mark.parametrize(
    ("words", "placed"),
    [
        ("`kindgi-tui groups list` shows them.", "`kindgi-tui --url http://h:1 groups list` shows them."),
        ("kindgi-tui packs publish DIR.", "kindgi-tui --workspace '/a b' packs publish DIR."),
        ("or start with kindgi-tui demo.", "or start with kindgi-tui demo."),
        ("no runtime that kindgi-tui knows", "no runtime that kindgi-tui knows"),
        ("kindgi-tui --url http://other outbox list", "kindgi-tui --url http://other outbox list"),
        ("my-kindgi-tui-runs", "my-kindgi-tui-runs"),
    ],
)
def test_a_command_works_where_one_works(words: str, placed: str) -> None:
    workspace = "/a b" if "packs" in words else None
    assert in_place(words, url="http://h:1", workspace=workspace) == placed
    assert in_place(words) == words
