"""The demo by command: again and again, and anew."""

from pathlib import Path

from tests.cli.driving import Cli

RUN = "240c0a0b-542b-4cb1-9156-fe7153a4377a"


def test_making_it_again_keeps_verdicts_and_reset_does_not(demo: Cli) -> None:
    demo.done("judgments", "add", "--run", RUN, "--item", "kb-103", "--yes")
    again = demo.done("demo", "--no-open", "--json").json
    assert (again["created"], again["runs"], again["judgments"]) == (False, 0, 0)
    mine = ("judgments", "list", "--run", RUN, "--verdict", "yes", "--json")
    assert len(demo.done(*mine).json["data"]) == 2
    fresh = demo.done("demo", "--reset", "--json").json
    assert fresh["runs"] > 60
    assert len(demo.done(*mine).json["data"]) == 1


def test_it_never_touches_a_workspace_of_ones_own(empty: Cli, tmp_path: Path) -> None:
    empty.done("projects", "add", "Mine")
    for more in ([], ["--reset"]):
        assert "your own" in empty.refused(2, "demo", *more) or more
    assert "Mine" in empty.done("projects", "list").text


def test_without_a_terminal_it_compares_and_says_what_to_try(demo: Cli) -> None:
    text = demo.done("demo").text
    assert "33% yes before, 100% now" in text
    assert demo.done("demo").text.count("33% yes before") == text.count("33% yes before")
    demo.done(
        "test-sets",
        "build",
        "acme.article-picks",
        "--version",
        "1.0.0",
        "--project",
        "docs",
        "--agent",
        "acme-ops.article-picker",
    )
    assert str(demo.workspace) in text
    assert "comparisons start acme.article-picks" in text
