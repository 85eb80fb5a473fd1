"""The README does what it says: every command in it is run, in order, in a copy of the checkout of its own."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^( *)```sh\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)


def blocks() -> list[str]:
    """The shell blocks of the README, in order."""
    text = (ROOT / "README.md").read_text("utf-8")
    return [
        "".join(line.removeprefix(indent) for line in body.splitlines(keepends=True))
        for indent, body in BLOCK.findall(text)
    ]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what git knows or would take."""
    folder = tmp_path_factory.mktemp("readme") / "kindgi-tui"
    names = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=True
    ).stdout.decode()
    for name in filter(None, names.split("\0")):
        source = ROOT / name
        if source.is_file():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    return folder


def run(script: str, folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Runs a block as a newcomer's shell does, stopping at the first command that fails."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("KINDGI", "XDG", "VIRTUAL_ENV"))},
        "HOME": str(home), "PATH": f"{folder}/.venv/bin:{os.environ['PATH']}",
        "KINDGI_TUI_WORKSPACE": str(folder / "demo-workspace"),
    }  # fmt: skip
    return subprocess.run(
        ["bash", "-e", "-c", script], cwd=folder, env=environment, capture_output=True, text=True,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_every_command_does_what_it_says(checkout: Path, tmp_path: Path) -> None:
    first, second, *rest = blocks()
    assert first.count("\n") == 1, "the first command is one line"
    without = first.replace("kindgi-tui demo", "kindgi-tui --workspace first-look demo")
    done = run(without, checkout, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "33% yes before, 100% now" in " ".join(done.stdout.split())
    assert second == "bash .ci/run\n", "the second command is the one CI runs"
    assert (checkout / ".ci" / "run").exists()
    for block in rest:
        done = run(block, checkout, tmp_path)
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"


def test_every_picture_it_shows_is_there() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    for name in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text):
        assert (ROOT / name).is_file(), name


def test_every_key_it_names_is_in_the_registry() -> None:
    from kindgi_tui.tui.actions import shown_key
    from kindgi_tui.tui.registry import ACTIONS

    known = {shown_key(key) for action in ACTIONS for key in action.keys} | {"r", "t", "c"}
    text = (ROOT / "README.md").read_text("utf-8")
    table = text[text.index("## Keys") : text.index("## Commands")]
    for key in re.findall(r"`([^`]+)`", table):
        wanted = {"Enter": "⏎"}.get(key, key)
        assert wanted in known, key


def test_every_command_in_its_sentences_is_whole() -> None:
    """Each is there, and has the arguments and options that it can't do without."""
    import click

    from kindgi_tui.cli.main import root

    text = (ROOT / "README.md").read_text("utf-8")
    told = re.findall(r"`kindgi-tui ([^`]+)`", BLOCK.sub("", text))
    assert len(told) > 5
    for line in told:
        words = shlex.split(line)
        while words and words[0].startswith("--"):
            words = words[2:]
        found: click.Command | None = root
        name = "kindgi-tui"
        while words and isinstance(found, click.Group):
            name, *words = words
            found = found.get_command(click.Context(found), name)
        assert found is not None, line
        if not isinstance(found, click.Group):
            found.make_context(name, words)
