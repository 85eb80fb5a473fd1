"""Options of the test run."""

import asyncio
import random
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

SLOWEST = 0.12
"""Seconds a hop to a thread takes longer at most under `--slow-threads`."""


_STEADY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", _STEADY, derandomize=True)
settings.register_profile("explore", _STEADY, max_examples=500)
settings.load_profile("same")
"""A run of the tests tries what the one before it tried, however slow the machine; `--hypothesis-profile=explore`
looks further."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option that makes the pictures in `screenshots/` anew, and the one that finds hurried tests."""
    parser.addoption("--remake-pictures", action="store_true", help="make the pictures in screenshots/ anew")
    parser.addoption(
        "--slow-threads",
        action="store_true",
        help="every hop to a thread takes longer, and nothing waits for an idle process: as on a loaded machine",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Makes the machine look loaded, when asked to: what a test doesn't wait for isn't there then."""
    if not config.getoption("--slow-threads"):
        return
    from textual import pilot

    hop = asyncio.BaseEventLoop.run_in_executor
    draw = random.Random(7)

    def slow_hop(self: Any, executor: Any, function: Any, *given: Any) -> Any:
        longer = draw.random() * SLOWEST

        def slowly(*args: Any) -> Any:
            time.sleep(longer)
            return function(*args)

        return hop(self, executor, slowly, *given)

    async def at_once(*_: object) -> None:
        await asyncio.sleep(0)

    patch = pytest.MonkeyPatch()
    patch.setattr(asyncio.BaseEventLoop, "run_in_executor", slow_hop)
    patch.setattr(pilot, "wait_for_idle", at_once)
