"""The terminal face through a pseudo-terminal at 120×40, beside its floors in the same run (DESIGN section 15).

    python -m tests.benchmarks.tui_speed [--folder WORKSPACE] [--rounds 5]

Without a folder it makes the demo. A factor is ours over the floor. It prints a table and asserts nothing.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.slow_line import slow_line
from tests.pty.terminal import KEYS, Terminal, workbench

QUIET = 0.03
"""A key's answer has ended after so many seconds of silence."""

FLOORS = Path(__file__).parent / "floors"


def started(command: Sequence[str], words: str, env: dict[str, str]) -> tuple[float, float]:
    """Seconds from the start until the screen shows these words, and the peak memory in MB."""
    begin = time.perf_counter()
    with Terminal(command, columns=120, rows=40, env=env) as terminal:
        while words not in terminal.text:
            terminal.read(0.005)
            assert time.perf_counter() - begin < 60, terminal.text
        ready = time.perf_counter() - begin
        terminal.read(0.5)
        memory = _memory(terminal.process.pid)
    return ready, memory


def _memory(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return float("nan")
    return next(float(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def answered(terminal: Terminal, key: str) -> tuple[float, int]:
    """Milliseconds until the last byte of a key's answer, and how many bytes it was."""
    begin = time.perf_counter()
    terminal.send(KEYS.get(key, key))
    count, last = 0, begin
    while True:
        got = terminal.read_raw(QUIET)
        if not got:
            break
        count += len(got)
        last = time.perf_counter()
    return (last - begin) * 1000, count


def keys(
    command: Sequence[str], words: str, pressed: Sequence[str], env: dict[str, str], pause: float = 0.0
) -> str:
    """A line of what these keys cost: median and worst milliseconds, median and mean bytes."""
    with Terminal(command, columns=120, rows=40, env=env) as terminal:
        terminal.wait(words)
        terminal.read(1.0)
        found = []
        for key in pressed:
            if pause:
                terminal.read(pause)
            found.append(answered(terminal, key))
    times = sorted(each[0] for each in found)
    sizes = [each[1] for each in found]
    worst = times[min(len(times) - 1, int(len(times) * 0.99))]
    return (
        f"{statistics.median(times):7.1f} ms  p99 {worst:7.1f} ms  {statistics.median(sizes):8.0f} B  "
        f"mean {statistics.mean(sizes):8.0f} B"
    )


def idle(command: Sequence[str], words: str, env: dict[str, str]) -> int:
    """Bytes in three seconds of an idle screen."""
    with Terminal(command, columns=120, rows=40, env=env) as terminal:
        terminal.wait(words)
        terminal.read(3.0)
        return len(terminal.read(3.0))


def far_away(scratch: Path, env: dict[str, str]) -> None:
    """What a verdict costs at a runtime: the outbox answers, and not the network, however far it is."""
    from tests.remote.targets import make_ours, start_ours

    served = scratch / "served"
    token = make_ours(served)
    runtime = start_ours(served, token, "0.4")
    try:
        port = int(runtime.address.rsplit(":", 1)[1])
        for seconds in (0.0, 0.25):
            with slow_line(port, seconds) as near:
                address = f"http://127.0.0.1:{near}"
                remote = {
                    **env,
                    "XDG_DATA_HOME": f"{scratch}/data-{near}",
                    "KINDGI_API_URL": address,
                    "KINDGI_API_TOKEN": token,
                }
                command = [sys.executable, "-m", "kindgi_tui", "--url", address, "judge"]
                told = keys(command, "not judged", ["y", "n"] * 10, remote, pause=0.25)
                print(f"at a runtime {seconds * 2000:4.0f} ms off ", told)
    finally:
        runtime.stop()


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = asked.folder
        if folder is None:
            from kindgi_tui.demo.make import make_demo

            folder = Path(scratch) / "demo"
            asyncio.run(make_demo(folder))
        env = {"XDG_STATE_HOME": f"{scratch}/state"}
        ours, hello = workbench(folder), [sys.executable, str(FLOORS / "hello.py")]
        bare = [sys.executable, str(FLOORS / "bare_list.py")]
        starts = [(started(ours, " runs", env), started(hello, "Hello", env)) for _ in range(asked.rounds)]
        mine = statistics.median(each[0][0] for each in starts)
        floor = statistics.median(each[1][0] for each in starts)
        print(
            f"start to the first rows   {mine * 1000:7.0f} ms   hello {floor * 1000:7.0f} ms   × {mine / floor:.2f}"
        )
        memory, least = (statistics.median(each[side][1] for each in starts) for side in (0, 1))
        print(
            f"memory                    {memory:7.1f} MB   hello {least:7.1f} MB   goal {least * 1.5 + 40:.0f}"
        )
        print("a step, in view     ours ", keys(ours, " runs", ["j", "k"] * 15, env))
        print("                    floor", keys(bare, "number 0", ["j", "k"] * 15, env))
        print("steps down          ours ", keys(ours, " runs", ["j"] * 60, env))
        print("                    floor", keys(bare, "number 0", ["j"] * 60, env))
        judge = workbench(folder, "judge")
        print("a verdict           ours ", keys(judge, "not judged", ["y", "n"] * 20, env, pause=0.25))
        far_away(Path(scratch), env)
        print(f"idle, 3 s           ours  {idle(ours, ' runs', env)} B")


if __name__ == "__main__":
    main()
