"""The process that runs one comparison: `python -m kindgi_tui.local.engine.executor FOLDER ID`."""

import asyncio
import contextlib
import gc
import logging
import signal
import subprocess
import sys
import threading
from pathlib import Path

from kindgi_tui.local.engine.running import run_comparison
from kindgi_tui.local.store.schema import APPLICATION_ID, MIGRATIONS
from kindgi_tui.storage.sqlite import Database
from kindgi_tui.workbench import WorkbenchError


def spawn(folder: Path, comparison_id: str) -> None:
    """Starts the process that runs a comparison; it lives on when this one ends, and logs into the workspace.

    Raises OSError.
    """
    logs = folder / "logs"
    logs.mkdir(mode=0o700, exist_ok=True)
    with (logs / "comparisons.log").open("ab") as log:
        process = subprocess.Popen(
            # -P: nothing that stands in the workspace is imported in place of a module.
            [
                sys.executable,
                "-P",
                "-m",
                "kindgi_tui.local.engine.executor",
                str(folder.absolute()),
                comparison_id,
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd=folder,
        )
    # So that it leaves no zombie behind while this process lives on.
    threading.Thread(target=process.wait, daemon=True, name="executor-wait").start()


def spare_collections() -> None:
    """Has the garbage collector look less often: a comparison makes many small things, hardly any in circles.

    It costs a tenth of a millisecond a case otherwise.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)


async def _run(folder: Path, comparison_id: str) -> int:
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, lambda: task.cancel() if task is not None else None)
    loop.add_signal_handler(signal.SIGINT, lambda: None)
    database = Database(folder / "workspace.db", APPLICATION_ID, MIGRATIONS)
    try:
        await run_comparison(database, folder, comparison_id)
    finally:
        database.close()
    return 0


def main(arguments: list[str]) -> int:
    """Runs one comparison; 0 when it came to an end, 1 when it could not."""
    spare_collections()
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING)
    try:
        return asyncio.run(_run(Path(arguments[0]), arguments[1]))
    except (WorkbenchError, asyncio.CancelledError) as cause:
        with contextlib.suppress(OSError):
            sys.stderr.write(f"{arguments[1]}: {getattr(cause, 'sentence', 'it was ended')}\n")
        return 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
