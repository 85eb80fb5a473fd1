"""Hostile words through every command: no control byte, no crash, one sentence, and what is stored is unchanged."""

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.driving import Cli, process
from tests.cli.serving import serving
from tests.hostile.corpus import LARGE_DOCUMENTS, assert_clean_bytes, documents, strings
from tests.local.models.server import ModelServer, typed

WORDS = strings()


def record(number: int, words: str, output: Any = None, **more: Any) -> dict[str, Any]:
    """A run that says `words` everywhere a run can say anything."""
    call = {"id": "c1", "name": words, "arguments": {words: words}}
    answer = {
        "appended": [
            {"sequence": 0, "role": "user", "content": words},
            {"sequence": 1, "role": "agent", "content": {"text": words, "toolCalls": [call]}},
            {
                "sequence": 2,
                "role": "tool",
                "content": words,
                "toolCall": {"toolId": words, "invocationId": "c1"},
            },
            {"sequence": 3, "role": "agent", "content": words},
        ],
        "output": {"list": [{"id": words, "title": words}, {"id": "plain", words: words}, words]},
    }
    return {
        "id": f"hostile-{number}",
        "agent": {"id": words, "version": words, "conversationId": words},
        "status": "completed",
        "createdAt": "2026-11-30T00:00:00Z",
        "input": words,
        "output": answer if output is None else output,
        "context": {"history": [{"role": "user", "content": words}]},
        "corrections": [
            {
                "expect": {
                    "decisions": "wrong",
                    "shouldCall": [{"toolId": f"t{words}", "args": {words: words}}],
                    "mustNotCall": [f"not {words}"],
                    "answer": "wrong",
                    "shouldSay": f"say {words}"[:2000],
                    "why": f"why {words}"[:2000],
                },
                "judge": "mira",
            }
        ],
        "judgments": [
            {
                "item": "answer",
                "verdict": "no",
                "reason": words[:4000],
                "judge": words,
                "participantId": words,
            },
            {"item": {"key": words}, "verdict": "yes", "judge": words},
        ],
        **more,
    }


def jsonl(folder: Path, records: list[dict[str, Any]]) -> Path:
    file = folder / "hostile.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in records))
    return file


@pytest.fixture
def hostile(empty: Cli, tmp_path: Path) -> Cli:
    """A workspace that holds the whole corpus."""
    file = jsonl(tmp_path, [record(number, words) for number, words in enumerate(WORDS.values())])
    report = empty("runs", "import", str(file), "--keep-judges", "--json").json
    assert report["cameIn"] == len(WORDS)
    return empty


def test_runs_and_judgments_are_listed_shown_and_exported(hostile: Cli, tmp_path: Path) -> None:
    hostile.done("runs", "list", "--all")
    rows = hostile.done("runs", "list", "--all", "--json").json["data"]
    assert len(rows) == len(WORDS)
    seen = set()
    for row in rows:
        shown = hostile.done("runs", "show", row["id"], "--json").json
        assert shown["output"]["appended"][3]["content"] == shown["input"]
        seen.add(shown["input"])
        hostile.done("runs", "show", row["id"])
        hostile.done("runs", "show", row["id"], "--raw")
    assert seen == set(WORDS.values()), "what is stored is what came in"
    hostile.done("judgments", "list", "--all")
    hostile.done("judgments", "export")
    exported = hostile.done("runs", "export").out
    assert_clean_bytes(exported)
    assert {json.loads(line)["input"] for line in exported.splitlines()} == set(WORDS.values())


def test_corrections_are_listed_and_shown(hostile: Cli, tmp_path: Path) -> None:
    hostile.done("corrections", "list", "--all")
    rows = hostile.done("corrections", "list", "--all", "--json").json["data"]
    assert {row["expect"]["shouldSay"] for row in rows} == {f"say {words}"[:2000] for words in WORDS.values()}
    for row in rows:
        assert row["expect"]["shouldCall"][0]["toolId"] == "t" + next(
            iter(row["expect"]["shouldCall"][0]["args"])
        )
        hostile.done("corrections", "show", row["id"])
        hostile.done("runs", "show", row["runId"])
    file = tmp_path / "again.json"
    file.write_text(json.dumps([{"runId": row["runId"], **row["expect"]} for row in rows]))
    made = hostile.done("corrections", "add", "--file", str(file), "--json").json["data"]
    assert [row["expect"] for row in made] == [row["expect"] for row in rows]


def test_test_sets_of_hostile_runs(hostile: Cli) -> None:
    agents = [row["agent"] for row in hostile.done("runs", "list", "--all", "--json").json["data"]]
    built = 0
    for agent in agents[::6]:
        result = hostile("test-sets", "build", "acme.x", "--version", f"1.0.{built}", "--agent", agent["id"])
        assert result.code in (0, 2)
        built += result.code == 0
    assert built
    hostile.done("test-sets", "list")
    hostile.done("test-sets", "show", "acme.x")
    hostile.done("test-sets", "cases", "acme.x", "--all")
    hostile.done("test-sets", "export", "acme.x")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.long) if place % 3 else name for place, name in enumerate(WORDS)],
)
def test_hostile_words_on_the_command_line(demo: Cli, name: str) -> None:
    words = WORDS[name]
    run = "240c0a0b-542b-4cb1-9156-fe7153a4377a"
    for line in (
        ["judgments", "add", "--run", run, "--item", "kb-101", "--yes", "--reason", words[:4000]],
        ["judgments", "add", "--run", run, "--item", words, "--yes"],
        ["judgments", "add", "--run", run, "--item", "kb-101", "--yes", "--participant", words[:200]],
        ["judgments", "add", "--run", words, "--item", "kb-101", "--yes"],
        ["judgments", "list", "--run", run],
        ["judgments", "list", "--by", words],
        ["judgments", "remove", words],
        ["corrections", "add", run, "--answer", "wrong", "--should-say", words[:2000], "--why", words[:2000]],
        [
            "corrections",
            "add",
            run,
            "--decisions",
            "wrong",
            "--must-not-call",
            words,
            "--participant",
            words[:200],
        ],
        [
            "corrections",
            "add",
            run,
            "--decisions",
            "wrong",
            "--should-call",
            f"{words} {json.dumps({words: words})}",
        ],
        [
            "corrections",
            "add",
            run,
            "--decisions",
            "wrong",
            "--should-call",
            f"a.b {json.dumps({words: words})}",
        ],
        ["corrections", "add", run, "--decisions", "wrong", "--should-call", f"a.b {words}"],
        ["corrections", "add", words, "--decisions", "right"],
        ["corrections", "add", run, "--file", words],
        ["corrections", "list"],
        ["corrections", "list", "--by", words],
        ["corrections", "show", words],
        ["corrections", "remove", words],
        ["corrections", "take-back", words],
        ["runs", "show", run],
        ["runs", "show", words],
        ["runs", "list", "--text", words],
        ["runs", "list", "--agent", words, "--agent-version", words],
        ["runs", "list", "--project", words],
        ["runs", "list", "--cursor", words],
        ["runs", "list", "--segment", words],
        ["runs", "list", "--since", words],
        ["runs", "import", words],
        ["runs", "start", words, "--message", words],
        ["projects", "add", words],
        ["projects", "list"],
        ["people", "add", words, "--name", words],
        ["people", "list"],
        ["groups", "add", words, "--weight", "1", "--description", words],
        ["groups", "list"],
        ["test-sets", "build", words, "--version", "1.0.0", "--agent", words],
        ["test-sets", "build", "a.b", "--version", words, "--agent", "acme-ops.article-picker"],
        ["test-sets", "show", words],
        ["comparisons", "start", words, "--agent", words, "--agent-version", words],
        ["comparisons", "show", words],
        ["comparisons", "start", "x", "--agent", "y", "--agent-version", "1.0.0", "--fail-under", words],
        ["agents", "show", words],
        ["packs", "publish", words],
        ["packs", "env", "set", words, words, "--value", words],
        ["packs", "env", "list", words],
        ["backup", words + "/x"],
        [words],
        ["runs", words],
        ["runs", "list", f"--{words}"],
    ):
        for more in ([], ["--json"]) if line[-1] == "list" else ([],):
            result = demo(*line, *more)
            assert result.code in (0, 1, 2, 3, 4), line
            assert result.code == 0 or result.said.strip(), line
            assert "doesn't expect" not in result.said, (line, result.said)


def test_documents_that_only_json_can_say_come_out_as_they_came(empty: Cli, tmp_path: Path) -> None:
    found = {name: document for name, document in documents().items() if name != "numbers"}
    records = [
        {"id": name, "flowId": "acme.flow", "flowVersion": "1.0.0", "input": one, "output": one}
        for name, one in found.items()
    ]
    empty.done("runs", "import", str(jsonl(tmp_path, records)))
    rows = empty.done("runs", "list", "--json").json["data"]
    outputs = [empty.done("runs", "show", row["id"], "--json").json["output"] for row in rows]
    for name, document in found.items():
        assert document in outputs, name
    for row in rows:
        empty.done("runs", "show", row["id"])


def test_numbers_that_json_does_not_have(empty: Cli, tmp_path: Path) -> None:
    numbers = {"nan": math.nan, "huge": 10**400, "tiny": 5e-324, "infinity": math.inf}
    one = {"id": "n", "flowId": "acme.flow", "flowVersion": "1.0.0", "input": numbers, "output": numbers}
    assert empty("runs", "import", str(jsonl(tmp_path, [one]))).code in (0, 1)
    for row in empty.done("runs", "list", "--json").json["data"]:
        shown = json.loads(
            empty.done("runs", "show", row["id"], "--json").out, parse_constant=lambda name: pytest.fail(name)
        )
        assert shown["output"]["nan"] is None
        empty.done("runs", "show", row["id"])


@pytest.mark.parametrize(
    "name",
    ["long line", "list of 100,000"]
    + [pytest.param(name, marks=pytest.mark.long) for name in ("100,000 answers", "100,000 keys")],
)
def test_large_documents(empty: Cli, tmp_path: Path, name: str) -> None:
    document = LARGE_DOCUMENTS[name]()
    one = {"id": "n", "flowId": "acme.flow", "flowVersion": "1.0.0", "input": document, "output": document}
    empty.done("runs", "import", str(jsonl(tmp_path, [one])))
    [row] = empty.done("runs", "list", "--json").json["data"]
    assert len(empty.done("runs", "show", row["id"]).text) < 100_000
    assert empty.done("runs", "show", row["id"], "--json").json["output"] == document
    empty.done("judgments", "add", "--run", row["id"], "--item", "output", "--yes")
    empty.done("test-sets", "build", "acme.large", "--version", "1.0.0", "--flow", "acme.flow")
    assert len(empty.done("test-sets", "cases", "acme.large").text) < 100_000


def test_bytes_that_are_no_text_on_a_real_command_line(empty: Cli) -> None:
    words = os.fsdecode(b"\xff\xfe\x80 caf\xe9 \x1b]0;x\x07")
    for line in (
        ["runs", "show", words],
        ["runs", "import", words],
        ["projects", "add", words],
        ["projects", "list"],
    ):
        result = process("--workspace", str(empty.workspace), *line)
        assert result.code in (0, 1, 2)
        assert_clean_bytes(result.out)
        assert_clean_bytes(result.err)
        assert b"Traceback" not in result.err


def test_a_comparison_whose_model_says_hostile_words(demo: Cli) -> None:
    """Every hostile word as an answer's item, over a real model server, through the report and as JSON."""
    said = iter(
        [
            [{"id": text[:2000], "title": text[:2000]} for text in WORDS.values()][start::3]
            for start in range(3)
        ]
    )
    server = ModelServer()
    server.respond = lambda _: typed({"articles": next(said)})
    docs = ("--project", "docs", "--agent", "acme-ops.article-picker")
    demo.done("test-sets", "build", "acme.picks", "--version", "1.0.0", *docs)
    with serving(server, demo.workspace):
        report = demo("comparisons", "start", "acme.picks", *docs, "--agent-version", "0.2.0", "--wait")
    assert "doesn't expect" not in report.said
    assert report.code == 0, report.said + report.text
    assert "‹U+202E›" in report.text
    [row] = demo.done("comparisons", "list", "--json").json["data"]
    told = demo.done("comparisons", "show", row["testRunId"], "--all", "--json").json
    keys = {item["key"] for case in told["result"]["perCase"] for item in case["changes"]["new"]}
    assert WORDS["bidi override"] in keys
    for run in demo.done("runs", "list", "--comparison", row["testRunId"], "--json").json["data"]:
        for item in demo.done("runs", "show", run["id"], "--json").json["items"][1:6]:
            demo.done("judgments", "add", "--run", run["id"], "--item", item["key"], "--no")
    assert demo("comparisons", "rescore", row["testRunId"]).code == 0
