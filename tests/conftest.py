"""Options of the test run."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option that makes the pictures in `screenshots/` anew."""
    parser.addoption("--remake-pictures", action="store_true", help="make the pictures in screenshots/ anew")
