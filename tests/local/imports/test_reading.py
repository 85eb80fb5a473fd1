"""Files, folders, formats told apart, and the report."""

import gzip
import json
import os
from pathlib import Path
from typing import Any, Literal

import pytest

from kindgi_tui.domain.imports import ImportReport
from kindgi_tui.local.imports.reading import Outcome, read_files, summarise
from kindgi_tui.local.imports.records import ImportedRun, Problem
from tests.local.imports.reading_lines import OPTIONS, assistant, call, imported, said, user, written

CHAT = {"messages": [user("x"), assistant("y")]}
TAU = {"task_id": 1, "reward": 1.0, "traj": [user("x"), assistant("y")]}
OURS = {"agent": {"id": "a.b", "version": "1.0.0"}, "input": "x", "output": "y"}


def test_each_file_has_its_own_format(tmp_path: Path) -> None:
    written(tmp_path, CHAT, name="c.jsonl")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.json").write_text(json.dumps([TAU], indent=1))
    (tmp_path / "a.ndjson.gz").write_bytes(gzip.compress(json.dumps(OURS).encode()))
    (tmp_path / "notes.txt").write_text("not read")
    (tmp_path / ".hidden.json").write_text("not read")
    runs, problems = imported(tmp_path)
    assert problems == []
    assert [run.detail.source for run in runs] == ["kindgi-jsonl", "chat", "tau-bench"]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([user("x"), assistant("y")]),
        json.dumps([user("x"), assistant("y")], indent=1),
        json.dumps([[user("x"), assistant("y")]]),
        json.dumps(CHAT, indent=1),
        json.dumps([user("x"), assistant("y")]) + "\n" + json.dumps([user("x"), assistant("y")]),
    ],
)
def test_a_bare_conversation_is_one_run(tmp_path: Path, text: str) -> None:
    (tmp_path / "talk.json").write_text(text)
    runs, problems = imported(tmp_path)
    assert problems == []
    assert len(runs) == 1 + text.count("\n[")
    assert len({run.detail.id for run in runs}) == 1
    assert said(runs[0]) == [("user", "x"), ("agent", "y")]


def test_the_first_record_that_is_known_decides(tmp_path: Path) -> None:
    runs, problems = imported(written(tmp_path, b"# a comment", {"who": "knows"}, CHAT, b"{", CHAT))
    assert len(runs) == 2
    assert [(problem.position, problem.reason) for problem in problems] == [
        (1, "The line is not JSON: expecting value, character 1."),
        (2, "The record has no `messages`, a list of a conversation's messages."),
        (4, "The line is not JSON: expecting property name enclosed in double quotes, character 2."),
    ]


def test_a_format_can_be_chosen(tmp_path: Path) -> None:
    path = written(tmp_path, {**CHAT, "traj": CHAT["messages"], "reward": 1})
    assert imported(path)[0][0].detail.source == "tau-bench"
    chosen = OPTIONS.model_copy(update={"format": "chat"})
    assert imported(path, options=chosen)[0][0].detail.source == "chat"
    runs, problems = imported(path, options=OPTIONS.model_copy(update={"format": "csv"}))
    assert runs == []
    assert [problem.reason for problem in problems] == [
        "There is no format of that name: the formats are kindgi-jsonl, tau-bench, chat."
    ]


@pytest.mark.parametrize(
    "content", [b"a,b\n1,2\n", b"\x89PNG\r\n\x1a\n\0\0", b'{"a": 1}\n' * 100, b"[1, 2]", b"7"]
)
def test_an_unknown_file_is_one_problem(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    runs, problems = imported(path)
    assert runs == []
    assert len(problems) == 1
    assert problems[0].position is None
    assert problems[0].reason.startswith("This is none of the formats that can be read")


def test_missing_files_and_empty_folders_are_sentences(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "empty").mkdir()
    paths = [tmp_path / name for name in ("absent.json", "pipe", "loop", "empty", "x" * 300)]
    runs, problems = imported(*paths)
    assert runs == []
    assert len(problems) == 5
    assert problems[0].reason == "The file can't be read: no such file or directory."
    assert problems[1].reason == "The file can't be read: it is not a file."
    assert problems[3].reason == "The folder holds no .json, .jsonl or .ndjson file."
    assert all(problem.position is None for problem in problems)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_one_may_not_read_is_a_sentence(tmp_path: Path) -> None:
    path = written(tmp_path, CHAT)
    path.chmod(0)
    assert imported(path)[1][0].reason == "The file can't be read: permission denied."


def test_a_name_that_is_no_utf8(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.jsonl")
    path.write_text(json.dumps(CHAT))
    runs, _ = imported(path)
    assert runs[0].file.encode().endswith(b"caf\\udce9.jsonl")
    assert runs[0].detail.subject.id == "caf-udce9"


def report(paths: list[Path], **more: Any) -> ImportReport:
    seen: set[str] = set()

    def outcomes() -> list[Outcome]:
        listed: list[Outcome] = []
        for one in read_files(paths, OPTIONS):
            if isinstance(one, Problem):
                listed.append(one)
            else:
                state: Literal["new", "known"] = "known" if one.detail.id in seen else "new"
                seen.add(one.detail.id)
                listed.append((one, state))
        return listed

    return summarise(outcomes(), **more)


def test_the_report(tmp_path: Path) -> None:
    judged = {**OURS, "judgments": [{"item": "answer", "verdict": "no"}, {"item": "answer"}]}
    told = report(
        [written(tmp_path, judged, OURS, b"{", {**OURS, "agent": {"id": "c.d"}}), tmp_path / "absent"]
    )
    assert (told.came_in, told.known, told.left_out, told.judgments) == (2, 1, 3, 1)
    assert [(problem.position, bool(problem.reason)) for problem in told.problems] == [
        (1, True),
        (3, True),
        (None, True),
    ]
    assert [(one.subject.id, one.subject.version, one.runs) for one in told.subjects] == [
        ("a.b", "1.0.0", 2),
        ("c.d", "unknown", 1),
    ]
    assert told.formats == ("kindgi-jsonl",)
    assert told.can_replay is False
    assert told.replay[0].startswith("Nothing here can answer for a.b, c.d")


def test_what_the_report_says_of_replaying(tmp_path: Path) -> None:
    calling = {
        "messages": [user("x"), assistant(None, tool_calls=[call("shop.find", "{}", "c")]), assistant("y")]
    }
    chats = written(tmp_path, CHAT, calling, name="bot.jsonl")
    here = {"bot": ["1.0.0"]}
    assert report([chats], published=here, tools=["shop.find"]).can_replay is True
    without = report([chats], published=here)
    assert without.can_replay is False
    assert without.replay[0] == "They call tools that no pack here has: shop.find."
    trajectories = report([written(tmp_path, TAU, name="bot.json")], published=here)
    assert trajectories.can_replay is False
    assert trajectories.replay[0].startswith("It holds several turns of one conversation")
    assert report([]).replay == ()


def test_a_report_is_made_from_a_stream_once(tmp_path: Path) -> None:
    path = written(tmp_path, *({"messages": [user(str(i)), assistant("y")]} for i in range(10_000)))
    stream = ((one, "new") for one in read_files([path], OPTIONS) if isinstance(one, ImportedRun))
    told = summarise(stream)  # type: ignore[arg-type]
    assert told.came_in == 10_000
