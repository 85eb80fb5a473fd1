"""How values stand in the file: times as milliseconds, JSON as ASCII text, cursors as opaque text."""

import base64
import binascii
import json
import time
import uuid
from datetime import UTC, datetime

from kindgi_tui.domain.base import Json
from kindgi_tui.workbench import Invalid


def now_ms() -> int:
    """The time now, in milliseconds since 1970 (UTC)."""
    return time.time_ns() // 1_000_000


def to_ms(moment: datetime) -> int:
    """A time as it is stored. One without a zone counts as UTC."""
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return round(aware.timestamp() * 1000)


def from_ms(stored: int) -> datetime:
    """A stored time as a UTC time."""
    return datetime.fromtimestamp(stored / 1000, UTC)


def new_id() -> str:
    """A fresh UUID."""
    return str(uuid.uuid4())


def dump_json(value: Json) -> str:
    """JSON as it is stored: ASCII alone, so that lone surrogates survive; NaN and infinities as Python's."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def load_json(stored: str) -> Json:
    """A stored JSON value."""
    value: Json = json.loads(stored)
    return value


_ESCAPED = "\x01"


def storable(text: str) -> str:
    """Text for a TEXT column, which holds UTF-8: text that has none (lone surrogates) is stored as JSON, marked."""
    if text.startswith(_ESCAPED):
        return _ESCAPED + json.dumps(text)
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _ESCAPED + json.dumps(text)
    return text


def restored(stored: str) -> str:
    """The text that `storable` was given."""
    return str(json.loads(stored[1:])) if stored.startswith(_ESCAPED) else stored


def storable_or_none(text: str | None) -> str | None:
    """The same for text that may be missing."""
    return None if text is None else storable(text)


def restored_or_none(stored: str | None) -> str | None:
    """The same for text that may be missing."""
    return None if stored is None else restored(stored)


def cursor_of(*keys: int) -> str:
    """The cursor after a row with these sort keys."""
    return base64.urlsafe_b64encode(":".join(map(str, keys)).encode()).decode().rstrip("=")


def keys_of(cursor: str, count: int) -> tuple[int, ...]:
    """The sort keys in a cursor. Raises Invalid for one that isn't ours."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
        keys = tuple(int(part) for part in text.split(":"))
    except (ValueError, binascii.Error):
        keys = ()
    if len(keys) != count or any(abs(key) > _LARGEST for key in keys):
        raise Invalid("`cursor` is malformed: start again without it.", field="cursor")
    return keys


_LARGEST = 2**62


def checked_limit(limit: int) -> int:
    """How many rows a page has at most, as it was asked. Raises Invalid."""
    if not 1 <= limit <= PAGE_LIMIT:
        raise Invalid(f"limit must be a whole number from 1 to {PAGE_LIMIT}.", field="limit")
    return limit


PAGE_LIMIT = 10_000
"""The most rows of a page."""
