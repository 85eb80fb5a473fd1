"""Runs, judgments and test sets by command, on the demo."""

import json
from pathlib import Path

import pytest

from tests.cli.driving import Cli

PASSWORD = "240c0a0b-542b-4cb1-9156-fe7153a4377a"
"""The demo's run about a forgotten password: kb-101 yes, kb-102 and kb-103 no."""

BUILD = (
    "test-sets",
    "build",
    "acme.article-picks",
    "--project",
    "docs",
    "--agent",
    "acme-ops.article-picker",
)


def test_runs_are_filtered_and_paged(demo: Cli) -> None:
    docs = demo.done("runs", "list", "--project", "docs", "--agent", "acme-ops.article-picker", "--json").json
    assert [one["judgments"] for one in docs["data"]] == [3, 3, 3]
    scorer = demo.done(
        "runs", "list", "--segment", "company:acme", "--project", "docs", "--all", "--json"
    ).json
    assert len(scorer["data"]) == 20
    assert scorer["hasMore"] is False
    first = demo.done("runs", "list", "--limit", "2", "--json").json
    assert (len(first["data"]), first["hasMore"]) == (2, True)
    second = demo.done("runs", "list", "--limit", "2", "--cursor", first["nextCursor"], "--json").json
    assert not {one["id"] for one in first["data"]} & {one["id"] for one in second["data"]}
    assert f"--cursor {first['nextCursor']}" in demo.done("runs", "list", "--limit", "2").said
    failed = demo.done("runs", "list", "--status", "failed", "--status", "cancelled", "--json").json["data"]
    assert {one["status"] for one in failed} == {"failed"}
    unjudged = demo.done("runs", "list", "--unjudged", "--all", "--json").json["data"]
    judged = demo.done("runs", "list", "--judged", "--all", "--json").json["data"]
    assert unjudged
    assert judged
    assert {one["judgments"] for one in unjudged} == {0}
    found = demo.done("runs", "list", "--text", "forgot my password", "--project", "docs", "--json").json[
        "data"
    ]
    assert [one["id"] for one in found] == [PASSWORD]
    day = ("--since", "2026-05-01", "--until", "2026-05-02")
    found = demo.done(
        "runs", "list", *day, "--project", "docs", "--agent", "acme-ops.article-picker", "--json"
    )
    assert [one["id"] for one in found.json["data"]] == [PASSWORD]
    assert "No runs match" in demo.done("runs", "list", "--agent", "nobody").text


def test_filters_that_can_not_be_meant_are_refused(demo: Cli) -> None:
    assert "--agent-version needs --agent" in demo.refused(2, "runs", "list", "--agent-version", "0.1.0")
    assert "not both" in demo.refused(2, "runs", "list", "--agent", "a", "--flow", "f")
    assert "cursor" in demo.refused(2, "runs", "list", "--cursor", "nonsense").lower()
    demo.refused(2, "runs", "list", "--project", "nowhere")
    demo.refused(2, "runs", "list", "--comparison", "00000000")


def test_a_run_is_shown_with_its_items(demo: Cli) -> None:
    text = demo.done("runs", "show", PASSWORD[:8]).text
    for words in (
        "forgot my password",
        "acme-ops.search-articles 0.1.0",
        "#1 kb-101",
        "yes, mira: Resets the password",
    ):
        assert words in text
    shown = demo.done("runs", "show", PASSWORD, "--json").json
    assert shown["input"] == "I forgot my password and can't sign in."
    assert {"key": "kb-102", "pointer": "/output/articles/1", "rank": 1} in shown["items"]
    assert len(shown["judgments"]) == 3
    assert demo.refused(2, "runs", "show", "00000000-1111")


def test_a_verdict_is_said_changed_taken_back_and_removed(demo: Cli) -> None:
    add = ("judgments", "add", "--run", PASSWORD[:13], "--item", "kb-102")
    first = demo.done(*add, "--no", "--reason", "Not asked", "--json").json
    assert first["item"] == {"key": "kb-102", "pointer": "/output/articles/1", "rank": 1}
    assert (first["runId"], first["verdict"], first["reason"]) == (PASSWORD, "no", "Not asked")
    demo.done(*add, "--yes")
    mine = ("judgments", "list", "--run", PASSWORD, "--by", first["assertedBy"]["id"], "--json")
    assert [one["verdict"] for one in demo.done(*mine).json["data"]] == ["yes"]
    back = demo.done("judgments", "take-back", "--run", PASSWORD, "--item", "kb-102", "--json").json
    assert (back["verdict"], back["reason"]) == ("no", "Not asked")
    assert back["id"] != first["id"]
    demo.done("judgments", "remove", back["id"])
    assert demo.done(*mine).json["data"] == []
    demo.refused(2, "judgments", "remove", back["id"])
    demo.done(*add, "--yes")
    assert "no verdict" in demo.done("judgments", "take-back", "--run", PASSWORD, "--item", "kb-102").text
    theirs = demo.done("judgments", "list", "--run", PASSWORD, "--by", "mira", "--json").json["data"]
    assert len(theirs) == 3, "nobody's undo touches another person's verdict"
    demo.refused(3, "--as", "jonas", "judgments", "remove", theirs[0]["id"])


REFUSED = [
    (("--item", "kb-999", "--yes"), "It has answer, kb-101, kb-102, kb-103"),
    (("--item", "kb-101", "--pointer", "/output/articles/2", "--yes"), "stands at"),
    (("--item", "kb-101", "--rank", "1", "--yes"), "rank 0"),
    (("--item", "kb-101"), "exactly one of --yes and --no"),
    (("--item", "kb-101", "--yes", "--no"), "exactly one of --yes and --no"),
    (("--item", "kb-101", "--yes", "--group", "nobody"), "nobody"),
    (("--item", "kb-101", "--yes", "--reason", "x" * 4001), "4000"),
]
"""Words of a verdict that can't be recorded, and what the refusal says."""


def test_verdicts_that_can_not_be_recorded(demo: Cli) -> None:
    before = demo.done("judgments", "list", "--run", PASSWORD, "--json").json
    for words, told in REFUSED:
        assert told in demo.refused(2, "judgments", "add", "--run", PASSWORD, *words), words
    assert demo.done("judgments", "list", "--run", PASSWORD, "--json").json == before


def test_the_documents_commands_work_as_they_are_spelt(demo: Cli) -> None:
    demo.done(
        "judgments", "add", f"--run={PASSWORD}", "--item=kb-101", "--pointer=/output/articles/0", "--rank=0",
        "--yes", "--reason=Resets the password",
    )  # fmt: skip
    built = demo.done(
        "eval-suites", "from-judgments", "acme.rank-acme-segment", "--suite-version=1.0.0", "--project=docs",
        "--agent=acme.rank.scorer", "--segment=company:acme", "--description=acme company only", "--json",
    ).json  # fmt: skip
    assert (built["caseCount"], built["truncated"]) == (20, False)
    cases = demo.done(
        "eval-suites", "cases", "acme.rank-acme-segment", "--suite-version=1.0.0", "--json"
    ).json
    assert len(cases["data"]) == 20


def test_a_test_set_is_built_shown_and_exported(demo: Cli) -> None:
    preview = demo.done(*BUILD, "--version", "1.0.0", "--dry-run", "--json").json
    assert (preview["runs"], preview["items"], preview["judgments"]) == (3, 9, 9)
    text = demo.done(*BUILD, "--version", "1.0.0", "--description", "What people asked").text
    assert "comparisons start acme.article-picks --project docs" in text
    assert "already registered" in demo.refused(2, *BUILD, "--version", "1.0.0")
    demo.refused(2, *BUILD, "--version", "1.0.0-rc.1")
    demo.refused(2, *BUILD, "--version", "1.1.0", "--since", "2199-01-01")
    demo.done(*BUILD, "--version", "2.0.0", "--min-judgments", "3")
    assert "2.0.0" in demo.done("test-sets", "list", "--project", "docs").text
    shown = demo.done("test-sets", "show", "acme.article-picks", "--version", "1.0.0", "--json").json
    assert (shown["caseCount"], shown["versions"]) == (3, ["2.0.0", "1.0.0"])
    assert (
        "What people asked" in demo.done("test-sets", "show", "acme.article-picks", "--version", "1.0.0").text
    )
    text = demo.done("test-sets", "cases", "acme.article-picks").text
    assert "kb-101  1 yes, 0 no  100% yes by weight  Reset your password" in text
    lines = demo.done("test-sets", "export", "acme.article-picks").text.splitlines()
    assert {json.loads(line)["subject"]["version"] for line in lines} == {"0.1.0"}
    assert len(lines) == 3
    demo.refused(2, "test-sets", "show", "nowhere")
    demo.refused(2, "test-sets", "build", "x", "--version", "1.0.0")


def test_runs_go_out_and_come_in_again_once(demo: Cli, empty: Cli, tmp_path: Path) -> None:
    lines = demo.done("runs", "export", "--project", "docs").out
    assert lines.count(b"\n") == 23
    file = tmp_path / "runs.jsonl"
    file.write_bytes(lines)
    dry = empty.done("runs", "import", str(file), "--dry-run", "--json").json
    assert (dry["cameIn"], dry["dryRun"]) == (23, True)
    assert empty.done("runs", "list", "--json").json["data"] == []
    report = empty.done("runs", "import", str(file), "--keep-judges", "--json").json
    assert (report["cameIn"], report["leftOut"], report["judgments"]) == (23, 0, dry["judgments"])
    assert report["judgments"] >= 9
    again = empty.done("runs", "import", str(file), "--json").json
    assert (again["cameIn"], again["known"], again["judgments"]) == (0, 23, 0)
    shown = empty.done("runs", "show", PASSWORD, "--json").json
    assert shown["items"] == demo.done("runs", "show", PASSWORD, "--json").json["items"]
    judges = {one["assertedBy"]["id"] for one in shown["judgments"]}
    assert len(judges) == 1
    assert "mira" not in judges, "judges go out under an alias"
    assert "23 runs" in empty.done("runs", "import", str(file)).text
    assert empty.done("runs", "show", PASSWORD, "--raw").json["id"] == PASSWORD


def test_an_import_that_leaves_something_out_says_where_and_why(empty: Cli, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    good = '{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}'
    file.write_text(f"{good}\nnot json\n{good.replace('Hi', 'Ho')}\n")
    result = empty(
        "runs", "import", str(file), "--agent", "acme.chat", "--agent-version", "1.2.3", "--segment", "a:b"
    )
    assert result.code == 1
    assert f"{file}, line 2" in result.said
    assert "2 runs" in result.text
    rows = empty.done("runs", "list", "--agent", "acme.chat", "--agent-version", "1.2.3", "--json").json[
        "data"
    ]
    assert [one["segments"] for one in rows] == [[{"key": "a", "value": "b"}]] * 2
    told = empty("runs", "import", str(file), "--json").json
    assert told["problems"][0]["line"] == 2
    missing = empty("runs", "import", str(tmp_path / "nowhere.jsonl"))
    assert missing.code in (1, 2, 4)
    assert "nowhere.jsonl" in missing.said


def test_judgments_are_listed_by_every_filter_and_exported(demo: Cli) -> None:
    yes = demo.done("judgments", "list", "--project", "docs", "--verdict", "yes", "--all", "--json").json[
        "data"
    ]
    assert {one["verdict"] for one in yes} == {"yes"}
    agent = ("--agent", "acme-ops.article-picker", "--agent-version", "0.1.0", "--project", "docs")
    lines = demo.done("judgments", "export", *agent).text.splitlines()
    assert sorted(json.loads(line)["verdict"] for line in lines) == ["no"] * 6 + ["yes"] * 3
    assert "Resets the password" in demo.done("judgments", "list", "--run", PASSWORD).text
    assert "No judgments match" in demo.done("judgments", "list", "--by", "nobody").text
    demo.refused(2, "judgments", "list", "--agent-version", "1.0.0")


def test_a_backup_is_a_workspace_of_its_own(
    demo: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "copy"
    folder.mkdir()
    demo.done("backup", str(folder / "workspace.db"))
    copy = Cli(folder, monkeypatch)
    assert (
        copy.done("runs", "list", "--all", "--json").out == demo.done("runs", "list", "--all", "--json").out
    )
    assert "workspace.db" in demo.refused(2, "backup", str(folder / "workspace.db"))


def test_the_doctor_looks_and_makes_nothing(demo: Cli, empty: Cli) -> None:
    healthy = demo.done("doctor", "--json").json
    assert healthy["ok"] is True
    assert {"python", "kindgi", "workspace", "integrity", "disk", "opens", "packs", "models"} <= {
        one["what"] for one in healthy["findings"]
    }
    assert "None yet" in empty.done("doctor").text
    assert not empty.workspace.exists()
    file = demo.workspace / "workspace.db"
    content = bytearray(file.read_bytes())
    content[:100] = b"x" * 100
    file.write_bytes(content)
    broken = demo("doctor", "--json")
    assert broken.code == 4
    assert broken.json["ok"] is False


def test_agreement_of_a_set_and_what_people_differ_on(demo: Cli) -> None:
    demo.done("test-sets", "build", "acme.picks", "--version", "1.0.0", "--agent", "acme-ops.article-picker")
    text = demo.done("test-sets", "agreement", "acme.picks").text
    assert "2 people judged the same 72 items: they agree on 88% (kappa 0.71), 31% yes." in " ".join(
        text.split()
    )
    told = demo.done("test-sets", "agreement", "acme.picks", "--version", "1.0.0", "--json").json
    assert (told["testSetId"], told["version"], told["people"]) == ("acme.picks", "1.0.0", ["jonas", "mira"])
    assert (told["shared"], told["agreed"], told["coefficient"]) == (72, 63, "kappa")
    assert (told["raw"], told["yesRate"]) == (63 / 72, 45 / 144)
    (pair,) = told["pairs"]
    counts = [pair[name] for name in ("bothYes", "bothNo", "onlyFirst", "onlySecond")]
    assert counts == [18, 45, 3, 6]
    by_chance = (21 * 24 + 51 * 48) / 72**2
    assert abs(told["value"] - (63 / 72 - by_chance) / (1 - by_chance)) < 1e-12
    assert len(told["split"]) == 9
    for one in told["split"]:
        assert f"{one['runId'][:8]}  {one['itemKey']}" in text
    assert "nowhere" in demo.refused(2, "test-sets", "agreement", "nowhere")


def test_two_who_judged_too_few_are_told_in_counts(demo: Cli) -> None:
    demo.done(*BUILD, "--version", "1.0.0")
    told = demo.done("test-sets", "agreement", "acme.article-picks", "--json").json
    assert (told["shared"], told["alone"]) == (0, ["mira"])
    assert not {"coefficient", "value", "raw", "yesRate"} & told.keys()
    assert "Only mira judged" in demo.done("test-sets", "agreement", "acme.article-picks").text


def test_agreement_of_an_own_set_is_of_its_cases_as_they_are_now(demo: Cli) -> None:
    """No version is frozen yet; two people correct a run, each otherwise."""
    projects = demo.done("projects", "list", "--json").json["data"]
    (project,) = [one["id"] for one in projects if one["slug"] != "docs"]
    own = f"agent.acme-ops.article-picker.{project}"
    told = demo.done("test-sets", "agreement", own, "--json").json
    assert "version" not in told
    assert (told["shared"], told["agreed"], told["apart"]) == (72, 63, [])
    run = told["split"][0]["runId"]
    for person, options in (
        ("mira", ("--answer", "right")),
        ("jonas", ("--answer", "wrong", "--why", "No.")),
    ):
        demo.done("--as", person, "corrections", "add", run, *options)
    told = demo.done("test-sets", "agreement", told["testSetId"], "--json").json
    assert told["apart"] == [
        {
            "runId": run,
            "said": [
                {"person": "jonas", "expect": {"answer": "wrong", "why": "No."}},
                {"person": "mira", "expect": {"answer": "right"}},
            ],
        }
    ]
    text = " ".join(demo.done("test-sets", "agreement", told["testSetId"]).text.split())
    assert "1 run is corrected differently by several people." in text
    assert f"{run[:8]} jonas the answer is wrong" in text
    assert "s on the set's cases in kindgi-tui settles them" in text
