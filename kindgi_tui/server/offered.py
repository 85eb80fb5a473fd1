"""Every operation the server offers, in the dialects it speaks."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kindgi_tui.server import (
    catalog,
    comparison_starts,
    comparisons,
    conversations,
    groups,
    identity,
    judgments,
    own_cases,
    own_test_sets,
    queue,
    run_corrections,
    runs,
    test_sets,
)
from kindgi_tui.server.operations import Operation
from kindgi_tui.wire.dialects import Dialect, path_04

OPERATIONS: tuple[Operation, ...] = (
    *identity.OPERATIONS,
    *runs.OPERATIONS,
    *conversations.OPERATIONS,
    *catalog.OPERATIONS,
    *judgments.OPERATIONS,
    *run_corrections.OPERATIONS,
    *groups.OPERATIONS,
    *queue.OPERATIONS,
    *test_sets.OPERATIONS,
    *own_test_sets.OPERATIONS,
    *own_cases.OPERATIONS,
    *comparison_starts.OPERATIONS,
    *comparisons.OPERATIONS,
)
"""All of them, in 0.1's names."""


class Offered(NamedTuple):
    """One operation at one place."""

    operation: Operation
    """What is offered."""
    path: str
    """Where, in the dialect's names."""
    dialect: Dialect
    """How its bodies are written."""
    both: bool
    """Whether the path is the same in both dialects and both are spoken: then its records have both names."""


def offered(dialects: Sequence[Dialect]) -> Iterator[Offered]:
    """What is offered in these dialects; a path that both have stands once."""
    for operation in OPERATIONS:
        if operation.only is not None:
            if operation.only in dialects:
                yield Offered(operation, operation.path, operation.only, False)
            continue
        newer = path_04(operation.path)
        if newer == operation.path:
            yield Offered(operation, newer, dialects[0], len(dialects) > 1)
            continue
        for dialect in dialects:
            yield Offered(operation, newer if dialect == "0.4" else operation.path, dialect, False)
