"""What one operation of the API is: where it is asked, who answers, and what its document says of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from kindgi_tui.server.asking import Ask, Handled
from kindgi_tui.wire.dialects import Dialect

Handler = Callable[[Ask], Awaitable[Handled]]
"""Answers one request. Raises Refusal, and the workbench's errors."""


@dataclass(frozen=True)
class Operation:
    """One method on one path, in 0.1's names; 0.4's are made from it."""

    method: str
    """The HTTP method."""
    path: str
    """The path's template."""
    handler: Handler
    """Who answers."""
    summary: str
    """What it does, for the document."""
    answers: str
    """The kind of record it answers with, which is also its schema's name; `page:` before it for a page."""
    status: int = 200
    """The status of a good answer."""
    also: tuple[int, ...] = ()
    """Other statuses of a good answer."""
    query: tuple[str, ...] = ()
    """Its query parameters."""
    body: str | None = None
    """Its request body's schema; None for none."""
    body_required: bool = True
    """Whether the body may not be left out."""
    keyed: bool = False
    """Whether the document says that it takes an `Idempotency-Key`; every write does."""
    again: Callable[[Ask, str], Awaitable[Handled | None]] | None = None
    """Answers a retry of a request that made something whose answer was never kept, by the id of that. None, here or
    as its answer: it is run again, which makes nothing twice."""
    only: Dialect | None = None
    """The one dialect that has it, in whose own names its path, bodies and answers are; None: both."""


PAGED = ("limit", "cursor")
"""The parameters of every page."""

SCOPED = ("scopeKind", "scopeId")
"""The parameters of a scope."""
