"""Correcting runs by command, on the demo."""

import json
from pathlib import Path
from typing import Any

import pytest

from kindgi_tui.demo.corrected import load_corrections
from tests.cli.driving import Cli

PASSWORD = "240c0a0b-542b-4cb1-9156-fe7153a4377a"
REFUND = "5b0c7f1e-9a34-4d0e-8a55-0f3f3f1f2a02"
SEARCH = "acme-ops.search-articles"
LOG = "acme-ops.log-suggestion"

WRONG = (
    "--decisions",
    "wrong",
    "--should-call",
    f'{SEARCH} {{"query": "reset my password"}}',
    "--must-not-call",
    LOG,
)


def live(demo: Cli, *words: str) -> list[dict[str, Any]]:
    """The live corrections beside those the demo has."""
    found: list[dict[str, Any]] = demo.done("corrections", "list", "--all", "--json", *words).json["data"]
    known = {told.run for told in load_corrections()}
    return [one for one in found if one["runId"] not in known]


def test_a_run_is_corrected_changed_taken_back_and_removed(demo: Cli) -> None:
    first = demo.done("corrections", "add", PASSWORD[:8], *WRONG, "--answer", "right", "--json").json
    assert first["expect"] == {
        "decisions": "wrong",
        "shouldCall": [{"toolId": SEARCH, "args": {"query": "reset my password"}}],
        "mustNotCall": [LOG],
        "answer": "right",
    }
    assert (first["runId"], first["assertedBy"]["kind"]) == (PASSWORD, "user")
    assert not {"groupId", "expert", "participantId", "endedAt"} & first.keys()
    again = demo.done("corrections", "add", PASSWORD, *WRONG, "--answer", "right", "--json").json
    assert again == first, "saying the same again changes nothing"
    text = demo.done(
        "corrections", "add", PASSWORD, "--answer", "wrong", "--should-say", "Use the link."
    ).text
    assert 'the answer is wrong: should say "Use the link."' in text
    (now,) = live(demo, "--run", PASSWORD)
    assert now["expect"] == {"answer": "wrong", "shouldSay": "Use the link."}

    shown = demo.done("corrections", "show", now["id"], "--json").json
    (before,) = shown["history"]
    assert (before["id"], before["supersededBy"]) == (first["id"], now["id"])
    text = demo.done("corrections", "show", now["id"][:8]).text
    for words in (now["id"], PASSWORD, now["assertedBy"]["id"], "at other times", first["id"][:8], "until"):
        assert words in text
    text = demo.done("corrections", "show", first["id"]).text
    for words in (
        f'should have called {SEARCH} with query "reset my password"',
        f"must not call {LOG}",
        "replaced by",
    ):
        assert words in text

    back = demo.done("corrections", "take-back", PASSWORD, "--json").json
    assert back["expect"] == first["expect"]
    assert back["id"] not in (first["id"], now["id"])
    assert demo.done("corrections", "remove", back["id"][:8], "--json").json == {
        "correctionId": back["id"],
        "removed": True,
    }
    assert live(demo) == []
    assert "not live any more" in demo.refused(2, "corrections", "remove", back["id"])
    demo.done("corrections", "add", PASSWORD, "--decisions", "right")
    assert "no correction of that run" in demo.done("corrections", "take-back", PASSWORD).text
    assert "no correction" in demo.refused(2, "corrections", "take-back", PASSWORD)
    demo.done("corrections", "add", PASSWORD, "--decisions", "right")
    assert demo.done("corrections", "take-back", PASSWORD, "--json").json == {
        "runId": PASSWORD,
        "correction": None,
    }


def test_lists_are_filtered_and_paged(demo: Cli) -> None:
    demo.done("corrections", "add", PASSWORD, "--decisions", "right")
    demo.done("--as", "mira", "corrections", "add", PASSWORD, "--answer", "right")
    demo.done("--as", "mira", "corrections", "add", REFUND, "--answer", "right")
    assert [one["runId"] for one in live(demo)] == [REFUND, PASSWORD, PASSWORD]
    assert [one["expect"] for one in live(demo, "--mine")] == [{"decisions": "right"}]
    assert len(live(demo, "--by", "mira")) == 2
    assert len(live(demo, "--run", REFUND[:8])) == 1
    assert len(live(demo, "--agent", "acme-ops.article-picker", "--project", "docs")) == 3
    assert live(demo, "--agent", "nobody.here") == live(demo, "--project", "default") == []
    page = demo.done("corrections", "list", "--limit", "2", "--json").json
    assert (len(page["data"]), page["hasMore"]) == (2, True)
    rest = demo.done("corrections", "list", "--cursor", page["nextCursor"], "--json").json
    assert (len(rest["data"]) - len(load_corrections()), rest["hasMore"]) == (1, False)
    assert "the decisions are right" in demo.done("corrections", "list").text
    assert "No corrections match" in demo.done("corrections", "list", "--agent", "nobody.here").text
    assert "not both" in demo.refused(2, "corrections", "list", "--mine", "--by", "mira")
    assert "not both" in demo.refused(2, "corrections", "list", "--agent", "a", "--flow", "b")
    theirs = live(demo, "--by", "mira")[0]
    demo.refused(3, "--as", "jonas", "corrections", "remove", theirs["id"])


def test_a_correction_is_said_as_a_group(demo: Cli) -> None:
    demo.done("groups", "add", "librarians", "--weight", "3", "--only", "mira")
    told = demo.refused(
        3, "--as", "jonas", "corrections", "add", PASSWORD, "--answer", "right", "--group", "librarians"
    )
    assert "You can't correct as" in told
    demo.done("groups", "add", "readers", "--weight", "1")
    as_mira = ("--as", "mira", "corrections", "add", PASSWORD, "--answer", "right")
    plain = demo.done(*as_mira, "-g", "readers", "--json").json
    assert "expert" not in plain
    expert = demo.done(*as_mira, "--class", "librarians", "--participant", "u-1", "--json").json
    assert (expert["expert"], expert["participantId"]) == (True, "u-1")
    demo.done("groups", "change", "librarians", "--unrestricted")
    assert [one["id"] for one in live(demo, "--group", "librarians")] == [expert["id"]]
    assert "(experts)" in demo.done("corrections", "show", expert["id"]).text
    assert "mira (expert)" in demo.done("corrections", "list").text


def test_nobody_speaks_as_a_retired_group_and_is_told_how_to_bring_it_back(demo: Cli) -> None:
    demo.done("groups", "add", "Old readers", "--weight", "1")
    demo.done("groups", "retire", "Old readers")
    corrected = ("corrections", "add", PASSWORD, "--answer", "right")
    judged = ("judgments", "add", "--run", PASSWORD, "--item", "answer", "--yes")
    for words in (corrected, judged):
        told = demo.refused(2, *words, "--group", "Old readers")
        assert told.startswith('The group "Old readers" was retired: nobody speaks as it any more.')
        assert told.endswith("groups bring-back 'Old readers'`.")
        assert "doesn't exist" in demo.refused(2, *words, "--group", "readers")
    demo.done("groups", "bring-back", "Old readers")
    for words in (corrected, judged):
        demo.done(*words, "--group", "Old readers")


def test_a_run_shows_and_exports_its_corrections(demo: Cli, tmp_path: Path) -> None:
    assert demo.done("runs", "show", PASSWORD, "--json").json["corrections"] == []
    assert "Corrections" not in demo.done("runs", "show", PASSWORD).text
    made = demo.done("--as", "mira", "corrections", "add", PASSWORD, *WRONG, "--json").json
    assert demo.done("runs", "show", PASSWORD, "--json").json["corrections"] == [made]
    text = demo.done("runs", "show", PASSWORD).text
    assert f"must not call {LOG}" in text[text.index("Corrections") :]
    (tmp_path / "runs.jsonl").write_text(demo.done("runs", "export", "--project", "docs").text)
    there = ("--workspace", str(tmp_path / "there"))
    report = demo.done("runs", "import", str(tmp_path / "runs.jsonl"), "--keep-judges", *there, "--json").json
    assert report["corrections"] == 1
    (again,) = demo.done("corrections", "list", "--json", *there).json["data"]
    assert (again["runId"], again["expect"], again["createdAt"]) == (
        PASSWORD,
        made["expect"],
        made["createdAt"],
    )
    assert (
        "corrections"
        in demo.done(
            "runs",
            "import",
            str(tmp_path / "runs.jsonl"),
            "--dry-run",
            "--workspace",
            str(tmp_path / "nowhere"),
        ).text
    )


FILE = f"""
- runId: {PASSWORD[:8]}
  decisions: wrong
  shouldCall:
    - toolId: {SEARCH}
      args: {{query: yes, days: [1, 2.5, null]}}
    - {{toolId: {SEARCH}}}
  mustNotCall: [{LOG}]
  group: readers
- runId: {REFUND}
  answer: wrong
  shouldSay: |
    Within five days.
    Really.
  why: Too vague
  participantId: u-1
"""


@pytest.mark.parametrize("kind", ["yaml", "json", "standard input"])
def test_a_file_of_corrections_is_saved_in_order(demo: Cli, tmp_path: Path, kind: str) -> None:
    demo.done("groups", "add", "readers", "--weight", "1")
    document: list[dict[str, Any]] = [
        {
            "runId": PASSWORD,
            "decisions": "wrong",
            "shouldCall": [
                {"toolId": SEARCH, "args": {"query": "yes", "days": [1, 2.5, None]}},
                {"toolId": SEARCH},
            ],
            "mustNotCall": [LOG],
            "group": "readers",
        },
        {
            "runId": REFUND,
            "answer": "wrong",
            "shouldSay": "Within five days.\nReally.\n",
            "why": "Too vague",
            "participantId": "u-1",
        },
    ]
    if kind == "standard input":
        made = demo.done("corrections", "add", "--file", "-", "--json", stdin=FILE).json["data"]
    else:
        file = tmp_path / f"c.{kind}"
        file.write_text(FILE if kind == "yaml" else json.dumps(document))
        assert "Within five days" in demo.done("corrections", "add", "--file", str(file)).text
        made = demo.done("corrections", "add", "--file", str(file), "--json").json["data"]
    beside = ("runId", "group", "participantId")
    assert [one["expect"] for one in made] == [
        {field: value for field, value in one.items() if field not in beside} for one in document
    ]
    assert [one["runId"] for one in made] == [PASSWORD, REFUND]
    assert [one.get("participantId") for one in made] == [None, "u-1"]
    assert "groupId" in made[0] and "groupId" not in made[1]
    assert live(demo) == list(reversed(made))


def test_a_file_of_one_correction_takes_what_the_line_says(demo: Cli, tmp_path: Path) -> None:
    file = tmp_path / "one.yaml"
    file.write_text("answer: right\n")
    made = demo.done(
        "corrections", "add", REFUND[:8], "--file", str(file), "--participant", "u-2", "--json"
    ).json
    assert (made["runId"], made["expect"], made["participantId"]) == (REFUND, {"answer": "right"}, "u-2")
    file.write_text(f"answer: right\nrunId: {PASSWORD}\n")
    assert (
        demo.done("corrections", "add", PASSWORD[:8], "--file", str(file), "--json").json["runId"] == PASSWORD
    )
    assert "leave one of them out" in demo.refused(2, "corrections", "add", REFUND, "--file", str(file))


def test_a_file_with_two_corrections_of_one_run_is_refused(demo: Cli, tmp_path: Path) -> None:
    """The later one would replace the other at once. Of different participants both are kept."""
    file = tmp_path / "twice.yaml"
    listed = [
        (PASSWORD, "u-1"),
        (REFUND, "u-1"),
        (PASSWORD[:8], "u-1"),
        (PASSWORD, "u-2"),
        (REFUND[:9], "u-1"),
    ]

    def write(rows: list[tuple[str, str]]) -> None:
        file.write_text(
            "".join(f"- {{runId: {run}, participantId: {who}, answer: right}}\n" for run, who in rows)
        )

    write(listed)
    result = demo("corrections", "add", "--file", str(file))
    assert (result.code, result.out) == (2, b"")
    same = "It is of the same run as correction {}, and would replace it: keep one of them."
    assert result.said.splitlines() == [
        f"Error: Correction 3: {same.format(1)}",
        f"Error: Correction 5: {same.format(2)}",
        "None was saved.",
    ]
    assert live(demo) == []
    write([listed[place] for place in (0, 1, 3)])
    assert len(demo.done("corrections", "add", "--file", str(file), "--json").json["data"]) == 3
    file.write_text("[{answer: right}, {answer: wrong, why: late}]")
    told = demo("corrections", "add", PASSWORD, "--file", str(file))
    assert (told.code, told.said.splitlines()[0]) == (2, f"Error: Correction 2: {same.format(1)}")


BAD_FILES = [
    ("", "holds no correction"),
    ("- ", "an object of fields"),
    ("[]", "an empty list"),
    ("just words", "holds no correction"),
    ("answer: [", "not YAML at line 1, column 10"),
    ('{"answer": "right" "why": 1}', "not JSON at line 1, column 20"),
    ("answer: right\nverdict: yes", 'no field "verdict". It has decisions, shouldCall'),
    ("answer: right\nanswer: wrong", 'line 2, column 1: the field "answer" stands here twice'),
    ("answer: maybe", "answer must be one of: right, wrong"),
    ("answer: wrong\nshouldSay: 5", "shouldSay must be text: put it in quotes"),
    ("answer: right\nrunId: 5", "runId must be text"),
    ("answer: right\nrunId: ''", "runId may not be empty: fill it in, or leave it out."),
    (
        "runId: 240c0a0b",
        "Nothing is said yet: say whether the decisions, the answer or both were right or wrong.",
    ),
    ("{}", "Nothing is said yet: say whether"),
    ("answer: right\ngroup: nobody", 'The group "nobody" doesn\'t exist'),
    ("answer: wrong", "A wrong answer needs shouldSay, why or both"),
    ("decisions: wrong\nshouldCall: [{args: {}}]", "shouldCall[1].toolId must be a tool's id"),
    ("decisions: wrong\nshouldCall: [{toolId: a, args: {n: 1e999}}]", "a number that JSON doesn't have"),
    ("decisions: right\nmustNotCall: [a]", "goes with wrong decisions"),
    ("a: &x\nb: *x", "an alias"),
    (f"answer: wrong\nwhy: {'x' * 4001}", "at most 4000 characters"),
]


@pytest.mark.parametrize(("text", "told"), BAD_FILES)
def test_bad_files_are_refused_in_one_sentence(demo: Cli, tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "bad"
    file.write_text(text)
    result = demo("corrections", "add", PASSWORD, "--file", str(file))
    assert (result.code, result.out) == (2, b"")
    lines = [line for line in result.said.splitlines() if line != "None was saved."]
    assert len(lines) == 1 and told in lines[0], lines
    assert live(demo) == []


def test_files_that_are_not_there(demo: Cli, tmp_path: Path) -> None:
    assert "can't be read: No such file" in demo.refused(
        2, "corrections", "add", PASSWORD, "--file", str(tmp_path / "x")
    )
    demo.refused(2, "corrections", "add", PASSWORD, "--file", str(tmp_path))
    (tmp_path / "bytes").write_bytes(b"answer: right\nwhy: \xff\xfe")
    assert "not UTF-8 at line 2" in demo.refused(
        2, "corrections", "add", PASSWORD, "--file", str(tmp_path / "bytes")
    )


def test_a_list_is_saved_whole_or_not_at_all_and_each_refused_one_is_told(demo: Cli, tmp_path: Path) -> None:
    demo.done("groups", "add", "librarians", "--weight", "3", "--only", "mira")
    file = tmp_path / "c.json"
    good = {"runId": PASSWORD, "answer": "right"}
    shapes = [good, {"answer": "right"}, {**good, "answer": 1}, good]
    kept = [
        good,
        {**good, "runId": "nothing-here"},
        {**good, "answer": "wrong", "participantId": "u-1"},
        {**good, "group": "librarians", "participantId": "u-2"},
    ]
    denied = [good, {**good, "group": "librarians", "participantId": "u-1"}]
    for document, places, code in ((shapes, (2, 3), 2), (kept, (2, 3, 4), 2), (denied, (2,), 3)):
        file.write_text(json.dumps(document))
        result = demo("--as", "jonas", "corrections", "add", "--file", str(file))
        assert (result.code, result.out) == (code, b"")
        *lines, last = result.said.splitlines()
        assert [line.split(": ")[1] for line in lines] == [f"Correction {place}" for place in places]
        assert last == "None was saved."
        assert live(demo) == []


REFUSED = [
    ((), "Say what was right or wrong"),
    (("--decisions", "maybe"), "'maybe' is not one of 'right', 'wrong'"),
    (("--decisions", "wrong"), "at least one call in --should-call"),
    (
        ("--must-not-call", LOG),
        "--must-not-call goes with wrong decisions: mark the decisions wrong, or leave it out.",
    ),
    (("--why", "x"), "--why goes with a wrong answer: mark the answer wrong, or leave it out."),
    (("--decisions", "right", "--must-not-call", LOG), "goes with wrong decisions"),
    (("--decisions", "wrong", "--should-call", ""), "Name a tool"),
    (
        ("--decisions", "wrong", "--should-call", f"{SEARCH} {{query: 1}}"),
        "is not JSON at line 1, column 2",
    ),
    (("--decisions", "wrong", "--should-call", f"{SEARCH} [1]"), "must be an object of arguments"),
    (("--decisions", "wrong", "--should-call", f'{SEARCH} {{"n": NaN}}'), "it has no number NaN"),
    (("--decisions", "wrong", "--should-call", SEARCH, "--must-not-call", SEARCH), "keep it in one of them"),
    (("--decisions", "wrong", "--should-call", f"{SEARCH} {'[' * 5000}"), "nested too deep"),
    (("--decisions", "wrong", "--should-call", f'{SEARCH} {{"n": {"9" * 5000}}}'), "a number is too long"),
    (("--answer", "wrong"), "--should-say, --why or both"),
    (("--answer", "right", "--why", "x"), "goes with a wrong answer"),
    (("--answer", "wrong", "--why", "x" * 4001), "at most 4000 characters"),
    (("--answer", "right", "--group", "nobody"), "nobody"),
    (
        ("--answer", "right", "--participant", " "),
        "'--participant': Name the app's own user, or leave it out",
    ),
    (("--answer", "right", "--file", "x"), "--file can't stand beside"),
]


def test_corrections_that_can_not_be_recorded(demo: Cli) -> None:
    for words, told in REFUSED:
        assert told in demo.refused(2, "corrections", "add", PASSWORD, *words), words
    assert "Name the run" in demo.refused(2, "corrections", "add", "--answer", "right")
    assert "No run with id" in demo.refused(2, "corrections", "add", "nothing-here", "--answer", "right")
    assert "No correction" in demo.refused(2, "corrections", "show", "nothing-here")
    assert "No correction" in demo.refused(2, "corrections", "remove", PASSWORD)
    assert live(demo) == []


def test_failed_and_running_runs(empty: Cli, tmp_path: Path) -> None:
    failed = {
        "id": PASSWORD,
        "agent": {"id": "acme.bot", "version": "1.0.0"},
        "status": "failed",
        "input": "Hi",
    }
    (tmp_path / "runs.jsonl").write_text(json.dumps(failed) + "\n")
    empty.done("runs", "import", str(tmp_path / "runs.jsonl"))
    assert "no output" in empty.refused(2, "corrections", "add", PASSWORD, "--answer", "right")
    empty.done("corrections", "add", PASSWORD, "--decisions", "right")
    assert empty.done("corrections", "list", "--json").json["data"][0]["expect"] == {"decisions": "right"}
