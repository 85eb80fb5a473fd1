"""The documents' job, end to end, by keys in a real terminal: judge nine articles, build, compare, judge, rescore."""

import asyncio
import sqlite3
from pathlib import Path

from kindgi_tui.demo.make import make_demo
from tests.pty.terminal import Terminal, workbench


def _as_on_the_first_day(folder: Path) -> None:
    """Takes away what people said of the three runs, and the runs that the documents don't show."""
    connection = sqlite3.connect(folder / "workspace.db")
    with connection:
        connection.execute(
            "UPDATE judgments SET ended = created WHERE ended IS NULL AND run IN "
            "(SELECT seq FROM runs WHERE project = (SELECT seq FROM projects WHERE slug = 'docs'))"
        )
    connection.close()


def test_the_documents_job_by_keys(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    asyncio.run(make_demo(folder))
    _as_on_the_first_day(folder)
    env = {"XDG_STATE_HOME": str(tmp_path / "state")}
    command = workbench(folder, "judge", "--project", "docs", "--agent", "acme-ops.article-picker")
    with Terminal(command, columns=120, rows=40, env=env) as terminal:
        # Each run has three articles, and the first one is the right one.
        for run, right in enumerate(("kb-101", "kb-201", "kb-301")):
            terminal.wait(f"▸ 1   · not judged {right}")
            for place, key in enumerate("ynn"):
                # A verdict counts once its item was seen: a person reads it first.
                terminal.read(0.4)
                terminal.keys(key)
                terminal.wait(f"{3 * run + place + 1} of 9")
        terminal.wait("All done")
        terminal.keys("g", "t")
        terminal.wait("own · acme-ops.article-picker")
        terminal.keys("b")
        terminal.wait("acme-ops.article-picker-picks 1.0.0 will take")
        terminal.keys(
            "j",
            "enter",
            *(["backspace"] * len("acme-ops.article-picker-picks")),
            *"acme.article-picks",
            "enter",
        )
        terminal.wait("acme.article-picks 1.0.0 will take")
        assert "9 judged items" in terminal.text
        terminal.keys("b")
        terminal.wait("Built acme.article-picks 1.0.0: 3 cases")
        terminal.keys("c")
        terminal.wait("‹ 0.3.0 ›  recorded 0.1.0")
        terminal.keys("l")
        terminal.wait("‹ 0.2.0 ›  recorded 0.1.0")
        terminal.wait("3 cases of acme-ops.article-picker 0.2.0")
        terminal.keys("s")
        terminal.wait("completed ·", 40)
        terminal.wait("33% → 100%")
        text = " ".join(terminal.wait("33% yes before, 100% now").split())
        assert "75% → 50%" in text
        assert "1 diverged" in text
        terminal.keys("enter")
        terminal.wait("· not judged              answer")
        terminal.read(0.5)
        terminal.keys("y")
        terminal.wait("✓ yes: answer")
        terminal.keys("R")
        terminal.wait("Rescored:")
        terminal.keys("escape")
        terminal.wait("75% → 67%")
        terminal.keys("ctrl+q")
        assert terminal.wait_end() == 0
