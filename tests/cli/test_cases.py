"""`kindgi-tui cases`, and an agent's own test set in the other commands, on a copy of the demo."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.driving import Cli

AGENT = "acme-ops.article-picker"
PACKAGE = "c9d3a6c4-21d7-4a43-9b8e-6f6f5d4b3a03"
PASSWORD = "240c0a0b-542b-4cb1-9156-fe7153a4377a"
AT = ("--agent", AGENT, "--project", "docs")
SAYS = ("--answer", "wrong", "--should-say", "It comes on Monday.")


def own_id(demo: Cli) -> str:
    (project,) = [
        one["id"] for one in demo.done("projects", "list", "--json").json["data"] if one["slug"] == "docs"
    ]
    return f"agent.{AGENT}.{project}"


def test_the_documents_example_by_command(demo: Cli) -> None:
    start = ("comparisons", "start", own_id(demo), *AT, "--agent-version", "0.2.0", "--wait", "--json")
    done = demo.done(*start).json
    assert (done["testSetId"], done["testSetVersion"], done["status"]) == (own_id(demo), "1.0.1", "completed")
    summary = done["result"]["summary"]
    metrics = {
        name: (one["baseline"], one["candidate"], one["n"]) for name, one in summary["metrics"].items()
    }
    assert metrics["passRate"] == (pytest.approx(1 / 3), 1, 3)
    assert metrics["caseCoverage"] == (0.75, 0.5, 3)
    assert (summary["cases"], summary["diverged"], summary["errors"]) == (3, 1, 0)
    assert demo.done(*start).json["testSetVersion"] == "1.0.1"
    demo.done("judgments", "add", "--run", PACKAGE, "--item", "answer", "--yes")
    shown = demo.done("test-sets", "show", own_id(demo), "--json").json
    assert (shown["version"], shown["changed"], shown["versions"]) == ("1.0.1", True, ["1.0.1"])
    assert demo.done(*start).json["testSetVersion"] == "1.0.2"


@pytest.mark.parametrize("named", [("--own",), (f"agent.{AGENT}",)])
def test_the_own_set_is_named_in_short(demo: Cli, named: tuple[str, ...]) -> None:
    plan = demo.done(
        "comparisons", "start", *named, *AT, "--agent-version", "0.2.0", "--dry-run", "--json"
    ).json
    assert plan["dryRunPreview"]["testSetId"] == own_id(demo)
    assert plan["dryRunPreview"]["testSetVersion"] == "1.0.1"


def test_the_project_of_a_whole_id_need_not_be_named(demo: Cli) -> None:
    words = ("comparisons", "start", own_id(demo), "--agent", AGENT, "--agent-version", "0.2.0", "--dry-run")
    assert "1.0.1" in demo.done(*words).text
    told = demo.refused(2, *words, "--project", "default")
    assert f"runs on agent.{AGENT}." in told


def test_naming_no_set_or_two_is_refused(demo: Cli) -> None:
    version = ("--agent-version", "0.2.0")
    assert "--own" in demo("comparisons", "start", *AT, *version).said
    both = demo("comparisons", "start", "acme.x", "--own", *AT, *version)
    assert (both.code, "acme.x and --own name two test sets: leave one of them out." in both.said) == (
        2,
        True,
    )
    unfrozen = demo("comparisons", "start", "--own", "--version", "1.0.0", *AT, *version)
    assert (unfrozen.code, "without naming one makes the first" in unfrozen.said) == (2, True)
    flow = demo("comparisons", "start", "--own", "--flow", "acme.flow", "--flow-version", "0.1.0")
    assert (flow.code, "built from its judged runs" in flow.said) == (2, True)


def test_a_case_from_a_run_is_added_shown_retired_and_brought_back(demo: Cli) -> None:
    added = demo.done("cases", "add", "--run", PACKAGE[:8], *SAYS, "--item", "kb-301=yes", "--json").json
    assert (added["runId"], added["source"], added["expert"]) == (PACKAGE, "hand", True)
    assert added["expect"] == {"answer": "wrong", "shouldSay": "It comes on Monday."}
    assert [(item["key"], item["rank"], item["yes"], item["no"]) for item in added["items"]] == [
        ("kb-301", 0, 1, 0)
    ]
    case = added["caseId"]
    assert case != PACKAGE
    text = demo.done("cases", "show", case[:8]).text
    assert 'the answer is wrong: should say "It comes on Monday."' in text
    assert "expert case" in text
    assert PACKAGE in text
    listed = demo.done("cases", "list", *AT, "--json").json["data"]
    assert {one["caseId"] for one in listed} >= {case, PACKAGE}
    assert len(listed) == 4
    assert f"cases bring-back {case[:8]}" in demo.done("cases", "retire", case[:8]).text
    demo.done("cases", "retire", PACKAGE)
    assert {one["caseId"] for one in demo.done("cases", "list", *AT, "--json").json["data"]}.isdisjoint(
        {case, PACKAGE}
    )
    retired = demo.done("cases", "list", *AT, "--retired", "--json").json["data"]
    assert {one["caseId"] for one in retired} == {case, PACKAGE}
    assert all(one["retiredAt"] and one["retiredBy"] for one in retired)
    back = demo.done("cases", "bring-back", case, "--json").json
    assert "retiredAt" not in back
    assert len(demo.done("cases", "list", *AT, "--json").json["data"]) == 3


CALLED = (
    "--decisions", "wrong", "--should-call", 'acme-ops.search-articles {"query": "a", "k": 1}', "--should-call",
    "acme-ops.search-articles", "--must-not-call", "acme-ops.log-suggestion",
)  # fmt: skip
TURNED = (
    "--decisions", "wrong", "--must-not-call", "acme-ops.log-suggestion", "--should-call", "acme-ops.search-articles",
    "--should-call", 'acme-ops.search-articles {"k": 1, "query": "a"}',
)  # fmt: skip


@pytest.mark.parametrize(
    ("first", "again", "other", "of"),
    [
        (("--run", PACKAGE, "--answer", "right"), ("--run", PACKAGE[:8], "--answer", "right"), SAYS, "run"),
        (("--run", PACKAGE, *CALLED), ("--run", PACKAGE, *TURNED), ("--answer", "right"), "run"),
        (
            (*AT, "--input", "Open?", "--item", "kb-1=yes", "--item", "kb-2=no"),
            (*AT, "--input", "Open?", "--item", "kb-2=no", "--item", "kb-1=yes"),
            ("--item", "kb-3=yes"),
            "input",
        ),
    ],
)
def test_a_case_that_stands_there_already_is_named_and_added_all_the_same(
    demo: Cli, first: tuple[str, ...], again: tuple[str, ...], other: tuple[str, ...], of: str
) -> None:
    """Whatever the order of its calls and items; a retired one doesn't count any more."""
    made = demo.done("cases", "add", *first, "--json")
    assert "Note: Case" not in made.said
    twice = demo.done("cases", "add", *again, "--json")
    earlier, later = made.json["caseId"], twice.json["caseId"]
    (note,) = [line for line in twice.said.splitlines() if line.startswith("Note: Case ")]
    assert note.startswith(
        f"Note: Case {earlier[:8]} says the same of the same {of}: both count. If one is enough: "
    )
    assert note.endswith(f"cases retire {later[:8]}")
    assert "Note: Case" not in demo.done("cases", "add", *again, *other).said
    for case in (earlier, later):
        demo.done("cases", "retire", case)
    assert "Note: Case" not in demo.done("cases", "add", *again).said


def test_what_a_runs_own_case_says_is_not_said_again_by_hand_unseen(demo: Cli) -> None:
    run = demo.done("runs", "list", "--project", "default", "--limit", "1", "--json").json["data"][0]["id"]
    demo.done("corrections", "add", run, *SAYS)
    assert f"Note: Case {run[:8]} says the same" in demo.done("cases", "add", "--run", run, *SAYS).said


def test_a_case_from_nothing_says_that_it_has_no_recording(demo: Cli) -> None:
    added = demo.done(
        "cases", "add", *AT, "--input", "Is support open on Sunday?", "--item", "kb-410=yes", *SAYS
    )
    assert "no recording" in added.text
    assert "Is support open on Sunday?" in added.text
    (row,) = [
        one for one in demo.done("cases", "list", *AT, "--json").json["data"] if one["source"] == "hand"
    ]
    assert (row["fromNothing"], "runId" in row, row["input"]) == (True, False, "Is support open on Sunday?")
    assert "no recording" in demo.done("cases", "list", *AT).text
    frozen = demo.done("cases", "freeze", *AT, "--json").json
    assert (frozen["version"], frozen["caseCount"]) == ("1.0.1", 4)
    assert "it has no recording" in demo.done("test-sets", "cases", own_id(demo)).text


def test_a_case_is_read_from_a_file_or_its_input_is(demo: Cli, tmp_path: Path) -> None:
    asked = tmp_path / "asked.txt"
    asked.write_text("Where is my parcel?\nIt was due on Friday.")
    one = demo.done("cases", "add", *AT, "--input-file", str(asked), *SAYS, "--json").json
    assert one["input"] == "Where is my parcel?\nIt was due on Friday."
    file = tmp_path / "case.yaml"
    file.write_text(
        f"runId: {PASSWORD}\ndecisions: wrong\nshouldCall:\n- toolId: acme-ops.search-articles\n"
        "  args: {query: password}\nitems: {kb-101: yes, kb-102: no}\n"
    )
    two = demo.done("cases", "add", "--file", str(file), "--json").json
    assert two["runId"] == PASSWORD
    assert two["expect"]["shouldCall"] == [
        {"toolId": "acme-ops.search-articles", "args": {"query": "password"}}
    ]
    assert [(item["key"], item["yes"]) for item in two["items"]] == [("kb-101", 1), ("kb-102", 0)]
    three = demo.done("cases", "add", "--file", "-", "--project", "docs", "--json", stdin=json.dumps(
        {"agentId": AGENT, "input": "Hello?", "items": {"kb-101": True}})).json  # fmt: skip
    assert (three["input"], three["items"][0]["yes"]) == ("Hello?", 1)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("- a list", "no case"),
        ("surprise: 1", "surprise"),
        ("items: [kb-1]", "a field for each item"),
        ("items: {kb-1: perhaps}", "a field for each item"),
        ("runId: 7", "runId must be text"),
        ("runId: ''", "runId may not be empty: fill it in, or leave it out."),
        (
            f'agentId: {AGENT}\ninput: ""\nitems: {{a: yes}}',
            "input may not be empty: fill it in, or leave it out.",
        ),
        (f"agentId: {AGENT}\ninput: 5", "input must be text: put it in quotes."),
        (f"runId: {PASSWORD}\nfoo: 1", 'A case has no field "foo". It has decisions,'),
        (
            f"runId: {PASSWORD}\nwhy: x",
            "why goes with a wrong answer: mark the answer wrong, or leave it out.",
        ),
        ("answer: right", "runId or agentId"),
    ],
)
def test_a_file_that_holds_no_case_is_refused(demo: Cli, tmp_path: Path, document: str, words: str) -> None:
    file = tmp_path / "case.yaml"
    file.write_text(document)
    sentence = demo.refused(2, "cases", "add", "--file", str(file))
    assert words in sentence
    assert words[-1] != "." or sentence.endswith(words)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--run", PACKAGE), "says what is expected"),
        (("--run", PACKAGE, "--item", "kb-1"), "KEY=yes or KEY=no"),
        (("--run", PACKAGE, "--agent", AGENT), "not both"),
        (("--run", PACKAGE, "--input", "x", *SAYS), "not both"),
        (("--run", "00000000-nope", *SAYS), "runs list"),
        ((*AT, *SAYS), "--input"),
        ((*AT, "--input", "x", "--answer", "right"), "can't be right"),
        ((*AT, "--input", "x", "--input-file", "y", *SAYS), "not both"),
        (("--agent", "acme.nobody", "--input", "x", *SAYS), "agents list"),
        (("--file", "x.yaml", *SAYS), "beside flags"),
        ((*AT, "--input", " ", *SAYS), "'--input': It may not be empty"),
    ],
)
def test_what_no_case_can_be_made_of_is_refused(demo: Cli, given: tuple[str, ...], words: str) -> None:
    done = demo("cases", "add", *given)
    assert done.code == 2
    assert words in done.said


def test_an_agent_is_named_only_where_there_are_several(demo: Cli) -> None:
    several = demo("cases", "list", "--project", "docs")
    assert several.code == 2
    assert "--agent acme.rank.scorer" in several.said
    demo.done("projects", "add", "Empty", "--slug", "empty")
    assert "No test cases yet. Judge runs" in demo.done("cases", "list", "--project", "empty").text
    added = ("cases", "add", "--agent", AGENT, "--project", "empty", "--input", "x", *SAYS)
    demo.done(*added)
    (row,) = demo.done("cases", "list", "--project", "empty", "--json").json["data"]
    assert row["input"] == "x"
    told = demo.refused(
        2, "comparisons", "start", "--own", "--agent", "acme.rank.scorer", "--agent-version", "0.1.0",
        "--project", "empty",
    )  # fmt: skip
    assert "has no test cases in this project yet" in told


def test_own_sets_stand_with_the_others(demo: Cli) -> None:
    build = ("test-sets", "build", "acme.picks", "--version", "1.0.0", *AT)
    demo.done(*build)
    text = demo.done("test-sets", "list", "--project", "docs").text
    assert "acme.picks" in text
    assert "the agent's own test cases" in text
    assert "not frozen yet" in text
    demo.done("cases", "freeze", *AT)
    rows = demo.done("test-sets", "list", "--project", "docs", "--json").json["data"]
    (own,) = [row for row in rows if row["testSetId"] == own_id(demo)]
    assert (own["version"], own["changed"], own["caseCount"], own["agentId"]) == ("1.0.1", False, 3, AGENT)
    assert [row["testSetId"] for row in rows].count(own_id(demo)) == 1
    shown = demo.done("test-sets", "show", own_id(demo)).text
    assert "frozen as" in shown
    assert "1.0.1" in shown
    assert "isn't built" in demo.refused(2, "test-sets", "build", own_id(demo), "--version", "9.0.0", *AT)


def test_an_unfrozen_set_has_no_version_yet(demo: Cli) -> None:
    assert "cases list --agent" in demo.refused(2, "test-sets", "cases", own_id(demo))
    shown = demo.done("test-sets", "show", own_id(demo), "--json").json
    assert (shown["caseCount"], shown["versions"], "version" in shown) == (3, [], False)


def test_the_refusal_of_a_set_without_cases_names_commands_that_there_are(demo: Cli) -> None:
    start = ("comparisons", "start", "--own", "--agent", "nosuch.agent", "--agent-version", "0.2.0")
    said = demo(*start).said
    named = re.findall(rf"kindgi-tui --workspace {re.escape(str(demo.workspace))} ([a-z -]+)", said)
    assert "corrections add" in " ".join(named)
    for words in named:
        assert demo(*words.split(), "--help").code == 0, words
    assert "--run" not in said


def test_an_agents_own_set_goes_by_a_short_name(demo: Cli) -> None:
    short = "agent.acme-ops.article-picker"
    several = demo("test-sets", "show", short)
    assert (several.code, "stands for a set in 2 projects" in several.said) == (2, True)
    unknown = demo("test-sets", "show", "agent.nosuch")
    assert unknown.code == 2


def test_a_tool_nobody_knows_is_named(demo: Cli) -> None:
    added = demo("corrections", "add", "240c0a0b", "--decisions", "wrong", "--should-call", "nosuch.tool")
    assert added.code == 0
    assert "nosuch.tool is no tool that the run called" in added.said
    known = ("--should-call", 'acme-ops.search-articles {"query": "password"}')
    assert "is no tool" not in demo("corrections", "add", "240c0a0b", "--decisions", "wrong", *known).said


def test_an_agent_nobody_knows_is_refused_and_the_others_are_named(demo: Cli) -> None:
    words = "There are acme-ops.article-picker."
    for verb in ("list", "freeze"):
        assert demo.refused(2, "cases", verb, "--agent", "nope") == f'No agent is called "nope". {words}'
        assert words in demo.refused(2, "cases", verb, "--agent", "")
    flow = "acme.rank-acme-segment"
    assert words in demo.refused(2, "cases", "list", "--agent", flow), "a flow is no agent"
    # An agent that only runs know is one too, whether it has cases or not.
    found = demo.done("runs", "list", "--all", "--json").json["data"]
    agents = {one["agent"]["id"] for one in found if "agent" in one}
    assert agents
    for agent in agents:
        demo.done("cases", "list", "--agent", agent)
