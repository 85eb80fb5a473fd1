"""Names of imported things: run ids that are the same on every import, agent ids, aliases, times."""

import hashlib
import json
import re
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import PurePath

from kindgi_tui.domain.base import Json

_NAMESPACE = uuid.UUID("7d1f5b0e-6d4e-5c0a-9a53-2f1f0c6b8e11")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_ALIAS = re.compile(r"judge-[0-9a-f]{8}")
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+_-]{0,99}")
_NOT_IN_ID = re.compile(r"[^a-z0-9._-]+")
_NAME_LIMIT = 200
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

UNKNOWN_VERSION = "unknown"
"""The version of an agent whose record does not say."""


def plain(text: str) -> str:
    """The text with lone surrogates written out (`\\ud800`), so that it fits a text column and a terminal."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def quoted(text: str, limit: int = 40) -> str:
    """A word from a record as a reason may show it: quoted, cut, control characters written out."""
    return ascii(text[:limit]) + ("..." if len(text) > limit else "")


def uuid_of(value: Json) -> str | None:
    """The value as a UUID in its usual spelling, or None when it is not one."""
    return value.lower() if isinstance(value, str) and _UUID.fullmatch(value) else None


def canonical(value: Json) -> str:
    """The value as JSON with sorted keys and no spaces: equal for equal content."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def json_text(value: Json) -> str:
    """The value as JSON of one line, keys in their order, letters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def named_id(format_name: str, *parts: Json) -> str:
    """A UUID that depends on the format and the parts alone: the same on every import."""
    digest = hashlib.sha256(canonical(list(parts)).encode("ascii")).hexdigest()
    return str(uuid.uuid5(_NAMESPACE, f"{format_name}:{digest}"))


def dotted_id(text: str) -> str | None:
    """A name made into an agent id: lowercase letters, digits, `-`, `_`, parts joined by dots; None when
    nothing is left of it."""
    if len(text) > _NAME_LIMIT:
        text = text[:_NAME_LIMIT]
    parts = (part.strip("-_") for part in _NOT_IN_ID.sub("-", text.lower()).split("."))
    return ".".join(part for part in parts if part) or None


def agent_id_of_file(file: str) -> str:
    """The agent id a file's name gives: `logs/Shop Bot.jsonl.gz` is `shop-bot`."""
    name = PurePath(file).name.lower()
    for ending in (".gz", ".jsonl", ".ndjson", ".json"):
        name = name.removesuffix(ending)
    return dotted_id(name) or "imported"


def version_of(value: Json) -> str | None:
    """A record's word for a version, where it can be one; None otherwise."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = json.dumps(value)
    return value if isinstance(value, str) and _VERSION.fullmatch(value) else None


def alias(judge: str) -> str:
    """What a judge is called where names are not kept: the same alias for the same judge everywhere.

    UUIDs and aliases name nobody and stay as they are (so exporting and importing again changes nothing).
    """
    if _ALIAS.fullmatch(judge) or _UUID.fullmatch(judge):
        return judge
    return "judge-" + hashlib.sha256(judge.encode("utf-8", "backslashreplace")).hexdigest()[:8]


def time_of(value: Json) -> datetime | None:
    """A record's time as a UTC instant: ISO text (no zone is UTC), or a number of seconds, milli-, micro- or
    nanoseconds since 1970, told by its size. None when it is missing or no time."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return _instant(value)
    if not isinstance(value, str) or not 8 <= len(value) <= 40:
        return None
    try:
        told = datetime.fromisoformat(value.strip())
        return told.replace(tzinfo=UTC) if told.tzinfo is None else told.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _instant(number: int | float) -> datetime | None:
    # Seconds reach 11 digits in the year 5138, so the size tells the unit.
    for limit, per_second in ((10**11, 1), (10**14, 10**3), (10**17, 10**6), (10**20, 10**9)):
        if 0 < number < limit:
            seconds, rest = divmod(number, per_second)
            return _EPOCH + timedelta(seconds=int(seconds), microseconds=int(rest * 10**6 // per_second))
    return None
