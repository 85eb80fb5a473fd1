"""Tables: aligned, fitting, and harmless whatever stands in a cell."""

import pytest

from kindgi_tui.cli.tables import Column, pairs, short_id, table
from kindgi_tui.text import width
from tests.hostile.corpus import assert_clean_bytes, strings

COLUMNS = [Column("ID"), Column("NAME", least=6), Column("N", right=True), Column("TEXT", least=8)]


def test_lines_up_and_keeps_everything_without_a_limit() -> None:
    lines = table(COLUMNS, [("1", "Ana", "12", "short"), ("22", "Bartholomew", "3", "longer words")], None)
    assert lines == [
        "ID  NAME          N  TEXT",
        "1   Ana          12  short",
        "22  Bartholomew   3  longer words",
    ]


@pytest.mark.parametrize("cells", [34, 40, 50, 79])
def test_fits_the_terminal_and_never_cuts_an_id(cells: int) -> None:
    row = ("0b1c7a52", "name " * 10, "1234", "text 日本語 " * 20)
    lines = table(COLUMNS, [row, ("x", "y", "1", "z")], cells)
    assert all(width(line) <= cells for line in lines)
    assert lines[1].startswith("0b1c7a52  ")
    assert "…" in lines[1]


def test_a_narrow_terminal_gets_the_least_widths() -> None:
    lines = table(COLUMNS, [("0b1c7a52", "name " * 10, "1234", "text " * 20)], 5)
    assert lines[1] == "0b1c7a52  name …  1234  text te…"


@pytest.mark.parametrize("name", strings())
def test_hostile_cells_stay_on_their_line(name: str) -> None:
    text = strings()[name]
    lines = table(COLUMNS, [(text, text, text, text)], 100)
    assert len(lines) == 2
    assert_clean_bytes("\n".join(lines).encode())
    assert_clean_bytes("\n".join(pairs([("a", text), ("b", None)])).encode())


def test_pairs_leave_out_what_is_not_there() -> None:
    assert pairs([("name", "Ana"), ("reason", None), ("id", "1")]) == ["name  Ana", "id    1"]
    assert pairs([]) == []


def test_short_ids_name_uuids_alone() -> None:
    assert short_id("0b1c7a52-61c5-4f4e-9a8e-1f3a4d5e6f70") == "0b1c7a52"
    assert short_id("acme.picks") == "acme.picks"


def test_a_long_value_of_a_pair_goes_on_under_itself_or_is_cut() -> None:
    long = " ".join(f"word{number}" for number in range(60))
    lines = pairs([("name", "Ana"), ("why", long), ("id", "1")], 40)
    assert [line for line in lines if not line.startswith(" ")] == ["name  Ana", lines[1], "id    1"]
    assert all(len(line) <= 40 for line in lines)
    assert " ".join(line[6:] for line in lines[1:-1]) == long
    assert len(pairs([("why", long)])[0]) < len(long)
