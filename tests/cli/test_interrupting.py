"""Ctrl-C in a real terminal while a comparison waits for a slow model server; progress on that terminal alone."""

import signal
import subprocess
import time
from collections.abc import Iterator

import pytest

from tests.cli.driving import PROGRAM, Cli, Terminal
from tests.cli.serving import serving
from tests.cli.test_comparing import AGENT, PROJECT, START, built
from tests.local.models.server import ModelServer, say

__all__ = ["built"]


@pytest.fixture
def slow(built: Cli) -> Iterator[Cli]:
    """The demo, asking a real server that takes a minute for each reply."""
    server = ModelServer()
    server.script(say("a late reply", delay=60.0))
    with serving(server, built.workspace):
        yield built


def statuses(cli: Cli) -> list[str]:
    return [one["status"] for one in cli.done("comparisons", "list", "--json").json["data"]]


def test_the_first_ctrl_c_cancels_and_waits_for_the_end(slow: Cli) -> None:
    terminal = Terminal("--workspace", str(slow.workspace), *START, "0.2.0", "--wait")
    assert terminal.read_until(lambda screen: b"0/3" in screen), terminal.screen
    assert b"Ctrl-C cancels" in terminal.screen
    pressed = time.monotonic()
    terminal.press(b"\x03")
    code = terminal.end()
    assert code == 130
    assert time.monotonic() - pressed < 20, "long before a reply comes"
    assert b"Cancelling" in terminal.screen
    assert b"comparisons resume" in terminal.screen
    assert b"Traceback" not in terminal.screen
    assert statuses(slow) == ["cancelled"]


def test_a_signal_without_a_terminal_cancels_too_and_paints_nothing(slow: Cli) -> None:
    words = [*PROGRAM, "--workspace", str(slow.workspace), *START, "0.2.0", "--wait", "--json"]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 20
    while statuses(slow) != ["running"] and time.monotonic() < deadline:
        time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert child.returncode == 130, err
    assert b"cancelled" in out
    assert b"\r" not in err
    assert b"\x1b" not in err
    assert statuses(slow) == ["cancelled"]


def test_leaving_does_not_end_it_and_any_process_can_cancel(slow: Cli) -> None:
    started = slow.done(*START, "0.2.0", "--json").json["testRunId"]
    assert statuses(slow)[0] in ("pending", "running")
    slow.done("comparisons", "cancel", started[:8])
    ended = slow("comparisons", "follow", started)
    assert ended.code == 1, "a cancelled comparison is no yes"
    assert "cancelled" in ended.text
    (slow.workspace / "models.toml").unlink()
    resumed = slow.done("comparisons", "resume", started, "--wait", "--json").json
    assert resumed["status"] == "completed"
    assert resumed["testRunId"] == started
    assert (AGENT[0], PROJECT[0]) == ("--agent", "--project")
