"""What was done, by whom and when, by command."""

import sqlite3

import pytest

from kindgi_tui.local.store.values import storable
from tests.cli.driving import Cli
from tests.hostile.corpus import strings

DAY = 86_400_000


@pytest.fixture
def busy(empty: Cli) -> Cli:
    """A workspace in which two people did six things, a day between each and the next."""
    empty.done("people", "add", "maria", "--right", "admin")
    empty.done("projects", "add", "Help desk", "--slug", "help")
    empty.done("groups", "add", "experts", "--weight", "2", "--as", "maria")
    empty.done("groups", "change", "experts", "--weight", "3")
    empty.done("projects", "use", "help", "--as", "maria")
    empty.done("groups", "retire", "experts")
    first = 1_790_000_000_000  # 2026-09-21T14:13:20Z
    with sqlite3.connect(empty.workspace / "workspace.db") as connection:
        connection.execute("UPDATE audit SET at = ? + id * ?", (first, DAY))
    connection.close()
    return empty


EVERY = ["groups.retire", "projects.use", "groups.change", "groups.add", "projects.add", "people.add"]


def actions(cli: Cli, *words: str) -> list[str]:
    return [one["action"] for one in cli.done("audit", "list", *words, "--json").json["data"]]


def test_it_is_listed_newest_first_for_people_and_for_programs(busy: Cli) -> None:
    lines = busy.done("audit", "list").text.splitlines()
    assert lines[0].split() == ["WHEN", "WHO", "WHAT", "ON", "DETAILS"]
    assert [line.split()[2] for line in lines[1:]] == EVERY
    assert lines[2].split()[:3] == ["2026-09-26T14:13:20.000Z", "maria", "projects.use"]
    rows = busy.done("audit", "list", "--json").json
    assert (rows["hasMore"], [one["action"] for one in rows["data"]]) == (False, EVERY)
    assert rows["data"][-1] == {
        "id": 1,
        "at": "2026-09-22T14:13:20.000Z",
        "actor": rows["data"][0]["actor"],
        "action": "people.add",
        "subject": "maria",
    }


def test_who_what_on_what_and_when(busy: Cli) -> None:
    assert actions(busy, "--by", "maria") == ["projects.use", "groups.add"]
    assert actions(busy, "--mine", "--as", "maria") == ["projects.use", "groups.add"]
    assert actions(busy, "--by", "nobody") == []
    assert actions(busy, "--what", "groups.change") == ["groups.change"]
    assert actions(busy, "--what", "groups") == ["groups.retire", "groups.change", "groups.add"]
    assert actions(busy, "--what", "group") == []
    group = busy.done("groups", "list", "--retired", "--json").json["data"][0]["id"]
    for reference in (group, group[:8]):
        assert actions(busy, "--on", reference) == ["groups.retire", "groups.change", "groups.add"]
    assert actions(busy, "--on", "") == EVERY
    since, until = "2026-09-23T14:13:20Z", "2026-09-25T14:13:20Z"
    assert actions(busy, "--since", since, "--until", until) == ["groups.add", "projects.add"]
    assert actions(busy, "--since", since, "--until", until, "--by", "maria") == ["groups.add"]
    assert "not both" in busy.refused(2, "audit", "list", "--mine", "--by", "maria")


def test_it_comes_in_pages(busy: Cli) -> None:
    first = busy.done("audit", "list", "--what", "groups", "--limit", "2", "--json").json
    assert [one["action"] for one in first["data"]] == ["groups.retire", "groups.change"]
    assert actions(busy, "--what", "groups", "--cursor", first["nextCursor"]) == ["groups.add"]
    assert "There is more" in busy.done("audit", "list", "--limit", "2").said
    assert actions(busy, "--all", "--limit", "1") == EVERY
    busy.refused(2, "audit", "list", "--cursor", "nonsense")


def test_nothing_there_says_so(empty: Cli) -> None:
    assert "Nothing was done here yet" in empty.done("audit", "list").text
    assert "Nothing that was done matches" in empty.done("audit", "list", "--what", "packs").text


def test_names_from_outside_are_plain_text(empty: Cli) -> None:
    empty.done("projects", "list")
    with sqlite3.connect(empty.workspace / "workspace.db") as connection:
        rows = [(storable(text), "x.y", storable(text)) for text in strings().values()]
        connection.executemany("INSERT INTO audit (at, actor, action, subject) VALUES (0, ?, ?, ?)", rows)
    connection.close()
    # The driver holds every byte that is printed to be harmless.
    assert len(empty.done("audit", "list", "--all").text.splitlines()) == len(rows) + 1
    told = empty.done("audit", "list", "--all", "--json").json["data"]
    assert [one["actor"] for one in reversed(told)] == list(strings().values())
