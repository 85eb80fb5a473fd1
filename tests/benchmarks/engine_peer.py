"""Our engine as one of the engines of a shared benchmark: the same cases against the same model server.

    python engine_peer.py --base-url http://127.0.0.1:8000/v1 -n 500 -c 50 [--tools]

Prints one line of JSON: `n`, `c`, `run_wall_s` and `run_cpu_s` of the comparison itself (from claiming it to its
stored result, without start-up), `correct` and `peak_rss_mb`. Its workspace is made anew in a temporary folder.
More than 1,000 cases are 1,000 cases in several repetitions, because a test set holds no more.
"""

import argparse
import asyncio
import json
import math
import resource
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kindgi_tui.local.engine.executor import spare_collections
from tests.benchmarks.engine_workload import config_for, engine_run, make_workspace

MOST_CASES = 1000


async def main(arguments: argparse.Namespace) -> None:
    """Makes the workspace, runs the comparison, and prints what it took."""
    cases = min(arguments.n, MOST_CASES)
    repetitions = math.ceil(arguments.n / cases)
    if cases * repetitions != arguments.n or repetitions > 10:
        raise SystemExit("-n is at most 1,000, or a multiple of 1,000 up to 10,000.")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "workspace"
        workbench = await make_workspace(folder, cases)
        config = config_for(arguments.base_url, arguments.c)
        measured = await engine_run(workbench, folder, config, arguments.c, arguments.tools, repetitions)
        await workbench.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    told = {
        "n": arguments.n,
        "c": arguments.c,
        "http": "aiohttp",
        "run_wall_s": round(measured.wall_s, 4),
        "run_cpu_s": round(measured.cpu_s, 4),
        "correct": measured.correct,
        "peak_rss_mb": round(peak, 1),
    }
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    spare_collections()
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--base-url", required=True)
    parser.add_argument("-n", type=int, default=500)
    parser.add_argument("-c", type=int, default=50)
    parser.add_argument("--tools", action="store_true")
    asyncio.run(main(parser.parse_args()))
