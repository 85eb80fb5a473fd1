"""Comparisons by command on the demo: the documents' numbers, the report, gates and exit codes."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.cli.driving import Cli
from tests.cli.serving import serving
from tests.local.models.server import ModelServer, typed

PROJECT = ("--project", "docs")
AGENT = ("--agent", "acme-ops.article-picker")
START = ("comparisons", "start", "acme.article-picks", *PROJECT, *AGENT, "--agent-version")


@pytest.fixture
def built(demo: Cli) -> Cli:
    demo.done("test-sets", "build", "acme.article-picks", "--version", "1.0.0", *PROJECT, *AGENT)
    return demo


def sides(metrics: Any, name: str) -> tuple[float, float, int]:
    metric = metrics[name]
    return metric["baseline"], metric["candidate"], metric["n"]


def test_the_documents_numbers_in_the_wires_names(built: Cli) -> None:
    told = built.done(*START, "0.2.0", "--wait", "--json").json
    assert (told["testSetId"], told["testSetVersion"], told["status"]) == (
        "acme.article-picks",
        "1.0.0",
        "completed",
    )
    summary = told["result"]["summary"]
    assert sides(summary["metrics"], "passRate") == (1 / 3, 1, 3)
    assert sides(summary["metrics"], "caseCoverage") == (0.75, 0.5, 3)
    assert sides(summary["metrics"], "weightedPrecisionAtK") == (1 / 3, 1, 3)
    counts = {name: summary[name] for name in ("cases", "diverged", "refusedWrites", "errors", "stopped")}
    assert counts == {"cases": 3, "diverged": 1, "refusedWrites": 0, "errors": 0, "stopped": 0}
    assert summary["baseline"]["versions"] == [
        {"agentId": "acme-ops.article-picker", "version": "0.1.0", "cases": 3}
    ]
    assert summary["sampling"]["models"][0]["runs"] == 3
    cases = told["result"]["perCase"]
    assert len(cases) == 3
    for case in cases:
        assert len(case["changes"]["kept"]) == 1
        assert len(case["changes"]["dropped"]) == 2
        assert [item["key"] for item in case["changes"]["new"]] == ["answer"]
        assert {call["source"] for call in case["tools"]} <= {"recorded", "live"}
    assert built.done("comparisons", "show", told["testRunId"][:8], "--json").json == told


def test_the_report_reads_and_says_what_to_do_next(built: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    first = built.done(*START, "0.2.0", "--wait")
    assert "Comparison " in first.said
    text = first.text
    flat = " ".join(text.split())
    for words in (
        "rate acme-ops.article-picker 0.2.0 better than the recorded runs: 33% yes before, 100% now",
        "In 1 case it read something the recording didn't have.",
        "Judged yes 33% 100% +67",
        "Judged items 75% 50% −25",
        "too few cases (n = 3)",
        "acme-ops.article-picker 0.1.0 (3 cases)",
        "got better, 33% yes before, 100% now",
        "= kb-101 yes Reset your password",
        "- kb-102 no Change the email on your account",
        "+ answer new, nobody judged it yet",
        "live: acme-ops.search-articles 0.1.0",
        "3 new answers to judge",
    ):
        assert words in flat, words
    # What it says to run next works as it stands.
    commands = [
        line.strip() for line in text.splitlines() if line.strip().startswith("kindgi-tui --workspace")
    ]
    judge, rescore = (shlex.split(line.replace("(or --no)", "")) for line in commands)
    built.done(*judge[3 : judge.index("--yes") + 1])
    rescored = built.done(*rescore[3:])
    assert "2 new answers to judge" in rescored.text
    assert "rescore of" in rescored.text
    assert "new, 1 of 1 yes" in rescored.text
    assert len(built.done("comparisons", "list", "--json").json["data"]) == 2
    listed = built.done("comparisons", "list").text
    assert "rescore" in listed
    assert "33% → 100%, too few cases" in listed
    monkeypatch.setenv("COLUMNS", "60")
    narrow = built.done("comparisons", "show", rescore[-1], "--cases", "1").text
    assert "2 more cases" in narrow


def test_refused_calls_are_shown_with_their_reason(built: Cli) -> None:
    text = built.done(*START, "0.3.0", "--wait").text
    assert "3 tool calls were refused and not carried out." in " ".join(text.split())
    assert text.count("replay: this call changes things and has no recorded result") == 3
    assert "refused: acme-ops.log-suggestion" in text


GATES = [
    (("--fail-under", "pass-rate=1"), 0),
    (("--fail-under", "pass-rate=0", "--fail-under", "precision-at-k=1e-3"), 0),
    (("--fail-under", "case-coverage=0.51"), 1),
    (("--fail-on-regression",), 0),
    (("--fail-on-regression=any",), 0),
]
"""Gates on 0.2.0, and the exit code each gives."""


def test_gates_wait_and_decide_the_exit_code(built: Cli) -> None:
    for gates, code in GATES:
        result = built(*START, "0.2.0", *gates, "--json")
        assert result.code == code, gates
        assert result.json["status"] == "completed"
        assert ("Gate failed" in result.said) is (code == 1)


def test_a_share_that_none_reaches_is_no_gate(built: Cli) -> None:
    told = built.refused(2, *START, "0.2.0", "--fail-under", "pass-rate=2")
    assert "0 to 1" in told


def test_a_set_of_another_project_names_it(built: Cli) -> None:
    start = [word if word != "docs" else "default" for word in START]
    assert "belongs to project docs: compare it there." in built.refused(2, *start, "0.2.0")


def test_a_regression_fails_its_gate(built: Cli) -> None:
    """The recorded runs' own version on cases where people changed their minds: a yes that is dropped."""
    for run in built.done("runs", "list", *PROJECT, *AGENT, "--json").json["data"]:
        for item in built.done("runs", "show", run["id"], "--json").json["items"]:
            if item["key"].startswith("kb-"):
                for person in ("mira", "jonas"):
                    built.done(
                        "judgments", "add", "--run", run["id"], "--item", item["key"], "--yes", "--as", person
                    )
    build = ("test-sets", "build", "acme.liked", "--version", "1.0.0", *PROJECT, *AGENT)
    built.done(*build)
    start = ("comparisons", "start", "acme.liked", *PROJECT, *AGENT, "--agent-version", "0.2.0")
    assert built(*start, "--fail-on-regression=worse", "--json").code == 0, "the pass rate is the same"
    result = built(*start, "--fail-on-regression=any")
    assert result.code == 1
    assert "3 cases got worse" in result.said
    assert "got worse" in result.text


REFUSED = [
    (("0.2.0", "--sample", "search", "--seed", "s", "--fail-under", "pass-rate=0"), "search part"),
    (("0.2.0", "--sample", "search"), "--seed"),
    (("0.2.0", "--seed", "s"), "--sample"),
    (("0.2.0", "--sample", "search", "--seed", "s", "--hold-out-share", "0.95"), "number from 0.1 to 0.9"),
    (("0.2.0", "--dry-run", "--fail-under", "pass-rate=0"), "dry run"),
    (("0.2.0", "--repetitions", "11"), "1<=x<=10"),
    (("0.2.0", "--k", "0"), "1<=x<=100"),
    (("0.2.0", "--fail-under", "nonsense=1"), "pass-rate"),
    (("0.2.0", "--flow", "acme.flow"), "exactly one"),
    (("0.2.0", "--correlation-id", "pin:x"), "pin:"),
    (("9.9.9",), "9.9.9"),
    (("0.2.0", "--project", "nowhere"), "nowhere"),
    (("0.2.0", "--version", "7.7.7"), "7.7.7"),
    (("0.2.0", "--fresh"), "configured"),
]
"""Words after the start of a comparison, and what the refusal says."""


def test_what_can_not_start_is_refused_at_once(built: Cli) -> None:
    for words, told in REFUSED:
        assert told in built.refused(2, *START, *words), words
    assert built.done("comparisons", "list", "--json").json["data"] == []


def test_a_dry_run_says_what_would_run(built: Cli) -> None:
    plan = built.done(*START, "0.2.0", "--dry-run", "--json").json["dryRunPreview"]
    assert (plan["cases"], plan["repetitions"], plan["cached"]) == (3, 3, 3)
    assert "from stored replies" in built.done(*START, "0.2.0", "--dry-run").text
    assert built.done("comparisons", "list", "--json").json["data"] == []


def test_options_reach_the_comparison(built: Cli) -> None:
    told = built(
        *START, "0.2.0", "--wait", "--json", "--k", "1", "--group-weights", "experts-only", "--reads", "live",
        "--sample", "hold-out", "--seed", "s", "--hold-out-share", "0.5", "--correlation-id", "mine",
    ).json  # fmt: skip
    assert told["comparison"] == {
        "baseline": "recorded",
        "reads": "live",
        "repetitions": 1,
        "k": 1,
        "groupWeights": "experts-only",
        "sample": {"part": "hold-out", "seed": "s", "holdOutShare": 0.5},
    }
    assert told["correlationId"] == "mine"
    assert told["result"]["summary"]["groupWeights"] == "experts-only"


def test_a_comparison_without_wait_can_be_followed_and_its_replays_listed(built: Cli) -> None:
    started = built.done(*START, "0.2.0", "--json").json
    assert started["status"] in ("pending", "running")
    ended = built.done(
        "comparisons", "follow", started["testRunId"], "--json", "--fail-under", "pass-rate=0.5"
    ).json
    assert ended["status"] == "completed"
    replays = built.done("runs", "list", "--comparison", started["testRunId"][:8], "--json").json["data"]
    assert len(replays) == 3
    assert {one["testRunId"] for one in replays} == {started["testRunId"]}
    assert all(one["replayOf"] for one in replays)
    hidden = built.done("runs", "list", *PROJECT, *AGENT, "--json").json["data"]
    assert len(hidden) == 3
    only = built.done("runs", "list", *PROJECT, "--replays", "only", "--json").json["data"]
    assert len(only) == 3
    assert "already completed" in built.refused(2, "comparisons", "cancel", ended["testRunId"])
    built.refused(2, "comparisons", "resume", ended["testRunId"])
    built.refused(2, "comparisons", "show", "00000000-0000")


def test_a_case_that_fails_makes_the_answer_no(built: Cli, tmp_path: Path) -> None:
    """A question that no stored reply answers: without a provider, its case is an error."""
    record = {
        "agent": {"id": "acme-ops.article-picker", "version": "0.1.0"},
        "input": "How do I feed my parrot?",
        "output": "Not at all.",
        "judgments": [{"item": "answer", "verdict": "no", "judge": "mira"}],
    }
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps(record))
    built.done("runs", "import", str(file), *PROJECT)
    built.done("test-sets", "build", "acme.article-picks", "--version", "1.1.0", *PROJECT, *AGENT)
    result = built(*START, "0.2.0", "--wait")
    assert result.code == 1
    assert "1 errors" in result.text
    assert "Error: " in result.text
    assert "feed my parrot" in result.text
    first = built(*START, "0.2.0", "--wait", "--json", "--version", "1.0.0")
    assert first.code == 0, "a version of the set never changes"


def test_reaching_the_cost_limit_is_no_yes_and_can_be_resumed(built: Cli) -> None:
    server = ModelServer()
    server.script(typed({"articles": [{"id": "kb-101", "title": "Reset your password"}]}))
    with serving(server, built.workspace):
        models = built.workspace / "models.toml"
        prices = "[providers.mock.prices]\nmock = { input = 1000.0, output = 1000.0 }\n[instead]\n"
        models.write_text(models.read_text().replace("[instead]\n", prices))
        result = built(*START, "0.2.0", "--cost-limit", "0.03", "--concurrency", "1", "--wait")
        assert result.code == 1, result.text
        assert "It reached its cost limit of $0.03" in result.text
        assert "comparisons resume" in result.text
        told = built.done("comparisons", "list", "--json").json["data"][0]
        assert (told["status"], told["cancelReason"]) == ("cancelled", "cost-limit")


def test_an_empty_list_says_what_to_do(empty: Cli) -> None:
    assert "comparisons start" in empty.done("comparisons", "list").text
    assert empty.done("comparisons", "list", "--json").json == {"data": [], "hasMore": False}
    assert "test-sets build" in empty.done("test-sets", "list").text
