"""Filters of runs as one types them: `agent:acme.x version:0.2.0 status:failed judged:no segment:company=acme words`.

Words that name no filter are searched for. What can't be understood is said, and the rest still holds.
"""

import re
from datetime import UTC, datetime, timedelta

from kindgi_tui.domain.base import Frozen
from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.domain.runs import Segment

STATUSES = ("pending", "running", "suspended", "completed", "failed", "cancelled")
"""The statuses a filter may name."""

HELP = (
    "agent:ID version:X.Y.Z status:failed judged:yes|no segment:key=value since:2026-10-01|7d until:… "
    "replays:include|only source:FORMAT — other words are searched"
)
"""What a filter may hold, for the line where it is typed."""

TOKEN = re.compile(r'(?:[^\s"]+:)?"[^"]*"|\S+')
"""One part of a typed filter: a word, or a name with its value, which may stand in quotes."""


class TypedFilter(Frozen):
    """What a typed filter means."""

    query: RunFilter
    """The filter."""
    problem: str | None = None
    """What in it could not be understood; None when all was."""


def read_filter(text: str, project_id: str, now: datetime | None = None) -> TypedFilter:
    """Reads a typed filter for one project."""
    given: dict[str, object] = {"project_id": project_id}
    words: list[str] = []
    segments: list[Segment] = []
    problem: str | None = None
    for token in TOKEN.findall(text):
        name, colon, value = token.partition(":")
        value = value.strip('"')
        if not colon or name not in _READERS:
            words.append(token)
            continue
        if not value:
            continue
        if name == "segment":
            key, _, rest = value.replace("=", ":", 1).partition(":")
            segments.append(Segment(key=key, value=rest))
            continue
        try:
            given.update(_READERS[name](value, now or datetime.now(UTC)))
        except ValueError as wrong:
            problem = problem or str(wrong)
    if given.get("subject_version") is not None and given.get("subject_id") is None:
        del given["subject_version"]
        problem = problem or "version: needs agent: beside it"
    query = RunFilter.model_validate(
        {**given, "segments": tuple(segments), "text": " ".join(words) if words else None}
    )
    return TypedFilter(query=query, problem=problem)


def _agent(value: str, now: datetime) -> dict[str, object]:
    return {"subject_kind": "agent", "subject_id": value}


def _flow(value: str, now: datetime) -> dict[str, object]:
    return {"subject_kind": "flow", "subject_id": value}


def _version(value: str, now: datetime) -> dict[str, object]:
    return {"subject_version": value}


def _status(value: str, now: datetime) -> dict[str, object]:
    wanted = tuple(part for part in value.split(",") if part)
    wrong = [part for part in wanted if part not in STATUSES]
    if wrong:
        raise ValueError(f"status: is one of {', '.join(STATUSES)}")
    return {"statuses": wanted}


def _judged(value: str, now: datetime) -> dict[str, object]:
    if value not in ("yes", "no"):
        raise ValueError("judged: is yes or no")
    return {"judged": value == "yes"}


def _replays(value: str, now: datetime) -> dict[str, object]:
    if value not in ("include", "only", "exclude"):
        raise ValueError("replays: is include, only or exclude")
    return {"replays": value}


def _source(value: str, now: datetime) -> dict[str, object]:
    return {"source": value}


def _comparison(value: str, now: datetime) -> dict[str, object]:
    return {"comparison_id": value, "replays": "include"}


def _since(value: str, now: datetime) -> dict[str, object]:
    return {"created_since": read_moment("since", value, now)}


def _until(value: str, now: datetime) -> dict[str, object]:
    return {"created_until": read_moment("until", value, now)}


def read_moment(name: str, value: str, now: datetime) -> datetime:
    """A typed time: a date or a time (UTC unless it says), or so long ago. Raises ValueError with a sentence."""
    ago = re.fullmatch(r"(\d{1,5})([hdw])", value)
    if ago:
        hours = int(ago[1]) * {"h": 1, "d": 24, "w": 168}[ago[2]]
        return now - timedelta(hours=hours)
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise ValueError(f"{name}: is a date (2026-10-01), a time, or so long ago (12h, 7d, 3w)") from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


_READERS = {
    "agent": _agent, "flow": _flow, "version": _version, "status": _status, "judged": _judged, "replays": _replays,
    "source": _source, "comparison": _comparison, "since": _since, "until": _until, "segment": _agent,
}  # fmt: skip
