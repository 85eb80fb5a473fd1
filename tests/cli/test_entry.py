"""The entry point: quick help, options anywhere, exit codes, and one sentence for whatever goes wrong."""

import os
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from kindgi_tui.cli import logs
from kindgi_tui.cli.errors import ANSWER_NO, INTERRUPTED, MACHINE, NOT_REACHED, WRONG, guarded
from kindgi_tui.cli.main import NOUNS, OTHER_SPELLINGS
from kindgi_tui.workbench import (
    Conflict,
    Denied,
    Interrupted,
    Invalid,
    NotFound,
    Unavailable,
    Unsupported,
    WorkbenchError,
)
from tests.cli.driving import PROGRAM, Cli, Terminal, process
from tests.hostile.corpus import assert_clean_bytes

HEAVY = ("aiohttp", "kindgi", "openai", "anthropic", "pydantic", "rich", "textual", "sqlite3", "asyncio")
"""What the help must not load."""


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom kindgi_tui.cli.main import main\nmain(['--help'])\n"
        f"loaded = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "sys.exit(f'loaded {loaded}' if loaded else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    for noun in NOUNS:
        assert noun.encode() in done.stdout


def test_a_command_on_a_workspace_loads_no_model_library_and_no_server(empty: Cli) -> None:
    code = (
        "import sys\nfrom kindgi_tui.cli.main import main\n"
        f"main(['--workspace', {str(empty.workspace)!r}, 'runs', 'list'])\n"
        "loaded = [n for n in ('aiohttp', 'kindgi', 'openai', 'anthropic', 'textual') if n in sys.modules]\n"
        "sys.exit(f'loaded {loaded}' if loaded else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("noun", [*NOUNS, *OTHER_SPELLINGS])
def test_every_command_has_help_with_an_example(empty: Cli, noun: str) -> None:
    import importlib

    import click

    module = importlib.import_module(f"kindgi_tui.cli.{NOUNS[OTHER_SPELLINGS.get(noun, noun)][0]}")
    command: click.Command = module.noun
    paths = [[noun]]
    if isinstance(command, click.Group):
        for name, verb in command.commands.items():
            paths.append([noun, name])
            if isinstance(verb, click.Group):
                paths.extend([noun, name, inner] for inner in verb.commands)
    for path in paths:
        shown = empty.done(*path, "--help").text
        assert "Example" in shown, path
        assert "kindgi-tui " in shown
        assert "--workspace DIR" in shown
        assert "--json" in shown
    assert not empty.workspace.exists(), "help makes no workspace"


@pytest.mark.parametrize(
    "path", ["people add", "tokens add", "packs env", "packs env set", "packs env list", "test-sets build"]
)
def test_its_example_works_on_the_demo_as_it_is_printed(demo: Cli, path: str) -> None:
    shown = demo.done(*path.split(), "--help").text
    lines = [line.strip() for line in shown[shown.index("Example") :].splitlines()[1:]]
    assert lines
    for line in filter(None, lines):
        said, _, words = line.rpartition("| ")
        name, *rest = shlex.split(words)
        assert name == "kindgi-tui"
        demo.done(*rest, stdin=said.removeprefix("echo "))


def test_the_shared_options_work_before_and_after_noun_and_command(tmp_path: Path) -> None:
    place = str(tmp_path / "w")
    for words in (
        ["--workspace", place, "--json", "projects", "list"],
        ["projects", "--workspace", place, "--json", "list"],
        ["projects", "list", "--workspace", place, "--json"],
        ["--workspace", str(tmp_path / "other"), "projects", "--json", "list", "--workspace", place],
    ):
        assert process(*words).json["data"][0]["slug"] == "default", words
    assert not (tmp_path / "other").exists(), "the innermost wins"
    found = process("projects", "list", "--json", environment={"KINDGI_TUI_WORKSPACE": str(tmp_path / "e")})
    assert found.code == 0
    assert (tmp_path / "e" / "workspace.db").exists()
    found = process(
        "--workspace", place, "projects", "list", environment={"KINDGI_TUI_WORKSPACE": "/nowhere"}
    )
    assert found.code == 0


def test_a_missing_workspace_is_made_private_and_said(empty: Cli) -> None:
    first = empty.done("runs", "list")
    assert f"Made a new workspace in {empty.workspace}." in first.said
    assert stat.S_IMODE(empty.workspace.stat().st_mode) == 0o700
    assert "Made" not in empty.done("runs", "list").said


@pytest.mark.parametrize(
    ("cause", "code"),
    [
        (NotFound("No."), WRONG),
        (Conflict("No."), WRONG),
        (Invalid("No."), WRONG),
        (Unsupported("No."), WRONG),
        (Denied("No."), NOT_REACHED),
        (Unavailable("No."), NOT_REACHED),
        (Unavailable("No.", code="machine-disk-full"), MACHINE),
        (WorkbenchError("No.", code="machine-newer-file"), MACHINE),
        (Interrupted("No."), INTERRUPTED),
        (KeyboardInterrupt(), INTERRUPTED),
        (PermissionError(13, "Permission denied", "/x"), MACHINE),
        (OSError(28, "No space left on device"), MACHINE),
        (ZeroDivisionError(), MACHINE),
    ],
)
def test_exit_codes(
    cause: BaseException,
    code: int,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    def fail() -> None:
        raise cause

    logs.remember_workspace(tmp_path)
    assert guarded(fail) == code
    said = capfd.readouterr().err
    assert len(said.splitlines()) == 1
    assert "Traceback" not in said
    written = list((tmp_path / "logs").glob("*.log")) if (tmp_path / "logs").exists() else []
    assert bool(written) is isinstance(cause, ZeroDivisionError)
    for log in written:
        assert "ZeroDivisionError" in log.read_text()
        assert stat.S_IMODE(log.stat().st_mode) == 0o600
        assert str(log) in said


def test_usage_errors_are_one_sentence_that_names_the_help(empty: Cli) -> None:
    assert "kindgi-tui --help" in empty.refused(WRONG, "nonsense")
    assert "kindgi-tui runs list --help" in empty.refused(WRONG, "runs", "list", "--nonsense")
    assert "Missing argument" in empty.refused(WRONG, "runs", "show")
    assert "1<=x<=500" in empty.refused(WRONG, "runs", "list", "--limit", "0")
    assert "31m" in empty.refused(WRONG, "runs", "list", "--agent-\x1b[31m", "x")
    assert not empty.workspace.exists()


def test_a_file_where_the_workspace_should_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "file"
    place.write_text("not a folder")
    result = Cli(place, monkeypatch)("runs", "list")
    assert result.code in (WRONG, MACHINE)
    assert len(result.said.splitlines()) == 1
    assert place.read_text() == "not a folder"


def test_a_newer_workspace_is_refused_untouched(empty: Cli) -> None:
    import sqlite3

    empty.done("runs", "list")
    file = empty.workspace / "workspace.db"
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    before = file.read_bytes()
    assert "newer" in empty.refused(MACHINE, "runs", "list")
    assert file.read_bytes() == before


def test_a_reader_that_goes_ends_nothing(demo: Cli) -> None:
    line = (
        f"{PROGRAM[0]} -c '{PROGRAM[2]}' --workspace {demo.workspace} runs export | head -c 100 > /dev/null"
    )
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"], capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_standard_output_is_said(demo: Cli) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        result = process("--workspace", str(demo.workspace), "runs", "list", stdout=full)
    finally:
        os.close(full)
    assert result.code == MACHINE
    assert result.said.count("\n") == 1
    assert "No space left" in result.said


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_locale_can_show_a_report(demo: Cli, encoding: str) -> None:
    demo.done("groups", "add", "Ünï→日本", "--weight", "2")
    shown = demo("groups", "list", encoding=encoding)
    assert shown.code == 0
    assert shown.out.decode(encoding)


def test_headings_are_bold_for_people_alone(demo: Cli) -> None:
    words = ("--workspace", str(demo.workspace), "runs", "show", "240c0a0b")
    for environment, bold in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        terminal = Terminal(*words, environment=environment)
        assert terminal.end() == 0
        assert (b"\x1b[1mItems to judge\x1b[0m" in terminal.screen) is bold
        assert_clean_bytes(terminal.screen.replace(b"\r\n", b"\n"), allow_sgr=True)
    assert b"\x1b" not in process(*words).out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(empty: Cli, shell: str) -> None:
    assert "_KINDGI_TUI_COMPLETE" in empty.done("completion", shell).text
    assert not empty.workspace.exists()


def test_completes_ids_and_makes_no_workspace(demo: Cli, tmp_path: Path) -> None:
    def complete(line: str, workspace: Path) -> list[str]:
        words = line.split(" ")
        done = process(
            environment={
                "_KINDGI_TUI_COMPLETE": "bash_complete",
                "COMP_WORDS": line,
                "COMP_CWORD": str(len(words) - 1),
                "KINDGI_TUI_WORKSPACE": str(workspace),
            }
        )
        return [word.partition(",")[2] for word in done.text.split()]

    assert "docs" in complete("kindgi-tui test-sets list --project d", demo.workspace)
    assert complete("kindgi-tui agents show acme", demo.workspace) == ["acme-ops.article-picker"]
    assert "comparisons" in complete("kindgi-tui comp", demo.workspace)
    assert "--fail-under" in complete("kindgi-tui comparisons start --fail-u", demo.workspace)
    made = demo.done("corrections", "add", "240c0a0b", "--decisions", "right", "--json").json["id"]
    assert made in complete("kindgi-tui corrections show ", demo.workspace)
    tool = complete("kindgi-tui corrections add 240c0a0b --must-not-call acme-ops.l", demo.workspace)
    assert tool == ["acme-ops.log-suggestion"]
    nowhere = tmp_path / "nowhere"
    assert complete("kindgi-tui test-sets list --project d", nowhere) == []
    assert not nowhere.exists()


def test_nothing_after_the_program_shows_the_help() -> None:
    done = process()
    assert done.code == 0
    assert "comparisons" in done.text
    assert process("runs").code == WRONG
    assert ANSWER_NO == 1
