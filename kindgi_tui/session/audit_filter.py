"""Filters of what was done, as one types them: `by:mira what:groups on:0b8f6a52 since:7d`.

What can't be understood is said, and the rest still holds.
"""

from datetime import UTC, datetime

from kindgi_tui.domain.base import Frozen
from kindgi_tui.domain.queries import AuditFilter
from kindgi_tui.session.filters import TOKEN, read_moment

HELP = "by:NAME what:groups|groups.add on:ID since:2026-11-01|7d until:…"
"""What a filter may hold, for the line where it is typed."""

_TEXTS = {"by": "actor", "what": "action", "on": "subject"}
_MOMENTS = ("since", "until")


class TypedAudit(Frozen):
    """What a typed filter means."""

    query: AuditFilter
    """The filter."""
    problem: str | None = None
    """What in it could not be understood, a sentence; None when all was."""


def read_audit_filter(text: str, now: datetime | None = None) -> TypedAudit:
    """Reads a typed filter; `now` is what times such as `7d` are counted back from."""
    given: dict[str, object] = {}
    problem: str | None = None
    for token in TOKEN.findall(text):
        name, colon, value = token.partition(":")
        value = value.strip('"')
        if not colon or name not in (*_TEXTS, *_MOMENTS):
            problem = problem or f"{token} isn't understood: a filter is by:, what:, on:, since: or until:."
        elif value and name in _TEXTS:
            given[_TEXTS[name]] = value
        elif value:
            try:
                given[name] = read_moment(name, value, now or datetime.now(UTC))
            except ValueError as wrong:
                problem = problem or f"{wrong}."
    return TypedAudit(query=AuditFilter.model_validate(given), problem=problem)
