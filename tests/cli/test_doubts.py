"""What is doubtful of the tools that corrections and cases name is told wherever they are written, and stored."""

import json
from pathlib import Path

import pytest

from tests.cli.driving import Cli
from tests.cli.test_corrections import PASSWORD, REFUND, SEARCH

STRANGE = "nosuch.tool is no tool that the run called or a pack brings."
UNFIT = (
    f"The arguments of {SEARCH} don't fit what it takes: \"querry\" is no field of the tool's input: query."
)
NULL = f"The arguments of {SEARCH} don't fit what it takes: in query: null is not of type 'string'."
CALLS = ("nosuch.tool", f'{SEARCH} {{"querry": "x"}}', f'{SEARCH} {{"query": null}}')
FLAGS = ("--decisions", "wrong", *(word for call in CALLS for word in ("--should-call", call)))
FIELDS = {
    "decisions": "wrong",
    "shouldCall": [
        {"toolId": "nosuch.tool"},
        {"toolId": SEARCH, "args": {"querry": "x"}},
        {"toolId": SEARCH, "args": {"query": None}},
    ],
}


def told(said: str) -> list[str]:
    """The notes on tools, without the way out."""
    notes = [line.removeprefix("Note: ") for line in said.splitlines() if " If it is a typo" in line]
    return [line.partition(" If it is a typo")[0] for line in notes]


def test_flags_and_files_of_corrections_and_cases_are_doubted_alike(demo: Cli, tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    file.write_text(json.dumps(FIELDS))
    asked = ("--agent", "acme-ops.article-picker", "--project", "docs", "--input", "Hello?")
    for words in (
        ("corrections", "add", PASSWORD, *FLAGS), ("corrections", "add", PASSWORD, "--file", str(file)),
        ("cases", "add", "--run", PASSWORD, *FLAGS), ("cases", "add", "--run", PASSWORD, "--file", str(file)),
    ):  # fmt: skip
        assert told(demo.done(*words).said) == [STRANGE, UNFIT, NULL], words
    for words in (("cases", "add", *asked, *FLAGS), ("cases", "add", *asked, "--file", str(file))):
        assert told(demo.done(*words).said) == ["nosuch.tool is no tool that a pack brings.", UNFIT, NULL]


def test_each_doubt_of_a_list_names_its_correction_and_the_way_back(demo: Cli, tmp_path: Path) -> None:
    file = tmp_path / "several.json"
    fine = {"decisions": "wrong", "shouldCall": [{"toolId": SEARCH, "args": {"query": "x"}}]}
    never = {"decisions": "wrong", "mustNotCall": ["nosuch.tool"]}
    file.write_text(json.dumps([{"runId": PASSWORD, **fine}, {"runId": REFUND, **never}]))
    said = demo.done("corrections", "add", "--file", str(file)).said
    back = f"kindgi-tui --workspace {demo.workspace} corrections take-back {REFUND[:8]}"
    assert said == f"Note: Correction 2: {STRANGE} If it is a typo: {back}\n"
    assert demo(*back.split()[3:]).code == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (f'{SEARCH} {{"query": "a", "query": "b"}}', 'the field "query" stands in one object twice'),
        (f'{SEARCH} {{"query": NaN}}', "it has no number NaN"),
        (f"{SEARCH} {{query: a}}", 'at line 1, column 2: a name in double quotes, or "}", is missing'),
        (f"{SEARCH} [1]", "must be an object of arguments"),
        (f"{SEARCH} " + '{"a":' * 5_000, "nested too deep"),
        (f'{SEARCH}={{"query":"a"}}', "Put a space between the tool and its arguments"),
        ("  ", "Name a tool"),
    ],
)
def test_arguments_on_the_line_are_held_to_what_files_are(demo: Cli, call: str, words: str) -> None:
    sentence = demo.refused(2, "corrections", "add", PASSWORD, "--decisions", "wrong", "--should-call", call)
    assert words in sentence
    assert "'--should-call'" in sentence
    twice = demo.refused(
        2, "comparisons", "start", "acme.article-picks", "--override-settings", 'acme.w={"a": 1, "a": 2}'
    )
    assert 'the field "a" stands in one object twice' in twice
    assert "'--override-settings'" in twice
