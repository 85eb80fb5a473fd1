"""Corrections, end to end, by keys in a real terminal on the demo.

A run is corrected, the agent's own test set takes it in, a new version is compared on it, and the case says what it
should have done and did instead.
"""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from kindgi_tui.demo.make import make_demo
from tests.pty.terminal import Terminal, workbench


def test_a_run_is_corrected_and_a_version_is_checked_on_it(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    asyncio.run(make_demo(folder))
    env = {"XDG_STATE_HOME": str(tmp_path / "state")}
    with Terminal(
        workbench(folder, "judge", "--project", "default"), columns=120, rows=40, env=env
    ) as terminal:
        terminal.wait("cancel my subscription please, too expensive")
        terminal.wait("· not judged kb-502")
        # It should have searched for something shorter.
        terminal.keys("c")
        terminal.wait("nothing said yet")
        terminal.keys("D")
        terminal.wait("it should make 1 call")
        terminal.keys("e")
        terminal.wait("Fits. Enter takes it")
        terminal.keys("\x01", "\x0b", *'{"query": "cancel subscription"')
        terminal.wait("a comma or a closing bracket is missing")
        terminal.keys("}", "enter")
        terminal.wait("~ changed")
        terminal.keys("s")
        terminal.wait("Saved: decisions wrong (1 to call)")
        # Taken back it is a draft, which saves again.
        terminal.keys("u")
        terminal.wait("it stands here as a draft")
        terminal.keys("s")
        terminal.wait("✓ saved")
        terminal.keys("escape")
        terminal.wait("✎ corrected: decisions")
        # The agent's own test set has every run that was judged or corrected.
        terminal.keys("g", "t")
        terminal.wait("own · acme-ops.article-picker")
        terminal.wait("46 cases")
        terminal.keys("c")
        terminal.wait("‹ 0.3.0 ›  recorded 0.1.0")
        terminal.keys("l")
        terminal.wait("46 cases of acme-ops.article-picker 0.2.0")
        terminal.keys("s")
        terminal.wait("completed ·", 60)
        terminal.wait("46 cases ·", 20)
        text = " ".join(terminal.text.split())
        assert "People's corrections rate acme-ops.article-picker 0.2.0 better" in text
        assert "2 of the 6 corrections that were checked passed" in text
        # To the failed ones, and into the corrected run's.
        for _ in range(12):
            if "failed 4" in terminal.text:
                break
            terminal.keys("f")
            terminal.read(0.4)
        terminal.wait("failed 4")
        found = ""
        for _ in range(4):
            terminal.keys("enter")
            terminal.wait("Case ", 10)
            terminal.wait("Items ·", 10)
            terminal.wait("Expected", 10)
            terminal.read(0.6)
            found = " ".join(terminal.text.split())
            if "cancel my subscription" in found:
                break
            terminal.keys("escape")
            terminal.wait("failed 4")
            terminal.keys("j")
            terminal.read(0.3)
        assert (
            '✗ failed decisions should have called acme-ops.search-articles with query "cancel subscription"'
            in found
        )
        assert 'called it with "cancel my subscription please, too expensive"' in found
        terminal.keys("ctrl+q")
        assert terminal.wait_end() == 0


def test_a_draft_survives_a_kill(tmp_path: Path) -> None:
    """Killed in the middle of a word, the next start has the change made before, and the letters typed so far."""
    folder = tmp_path / "workspace"
    asyncio.run(make_demo(folder))
    env = {"XDG_STATE_HOME": str(tmp_path / "state")}
    command = workbench(folder, "judge", "--project", "default")
    with Terminal(command, columns=120, rows=40, env=env) as terminal:
        terminal.wait("· not judged kb-502")
        terminal.keys("c")
        terminal.wait("nothing said yet")
        terminal.keys("A")
        terminal.wait("e writes what the answer should say")
        terminal.keys("e")
        terminal.wait("should say")
        terminal.read(0.3)
        terminal.keys(*"Only the article on canc")
        terminal.wait("article on canc")
        terminal.read(0.3)
        os.kill(terminal.process.pid, signal.SIGKILL)
        terminal.process.wait(10)
    with Terminal(command, columns=120, rows=40, env=env) as terminal:
        terminal.wait("· not judged kb-502")
        terminal.keys("c")
        terminal.wait("a draft")
        text = terminal.wait("✗ wrong")
        assert "nothing said yet" not in text
        assert "(begun) Only the article on canc" in text
        terminal.keys("tab")
        terminal.wait("▸ should say")
        terminal.keys("e")
        terminal.wait("Enter takes it")
        terminal.keys(*"elling", "enter")
        terminal.wait("Only the article on cancelling")
        terminal.keys("s")
        terminal.wait("Saved: answer wrong")
        terminal.keys("ctrl+q")
        assert terminal.wait_end() == 0


@pytest.mark.parametrize("editor", ["/bin/false", "no-such-editor-anywhere", "bytes"])
def test_an_editor_that_gives_nothing_back_leaves_the_terminal_to_the_screen(
    tmp_path: Path, editor: str
) -> None:
    folder = tmp_path / "workspace"
    asyncio.run(make_demo(folder))
    if editor == "bytes":
        script = tmp_path / "editor"
        script.write_text("#!/bin/sh\nprintf '\\377\\376' > \"$1\"\n")
        script.chmod(0o755)
        editor = str(script)
    env = {"XDG_STATE_HOME": str(tmp_path / "state"), "EDITOR": editor, "VISUAL": ""}
    command = workbench(folder, "judge", "--project", "default")
    with Terminal(command, columns=120, rows=40, env=env) as terminal:
        terminal.wait("· not judged kb-502")
        for key in ("W", "c"):
            terminal.keys(key)
            if key == "c":
                terminal.wait("nothing said yet")
                terminal.keys("A")
                terminal.wait("e writes what the answer should say")
                terminal.keys("E")
            terminal.wait("The editor gave nothing back", 20)
        # The screen has its keys again.
        terminal.keys("escape")
        terminal.wait("· not judged kb-502")
        terminal.keys("ctrl+q")
        assert terminal.wait_end() == 0
