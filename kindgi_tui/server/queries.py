"""Query parameters that several lists share: scopes, ids, times, words from a list."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from kindgi_tui.server.asking import Ask
from kindgi_tui.server.errors import bad

_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_FULL_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?(Z|z|[+-]\d\d:?\d\d)")

NO_PROJECT = "00000000-0000-0000-0000-000000000000"
"""A project id that no project has: a list of another scope than this workspace's is empty."""


def is_uuid(text: str) -> bool:
    """Whether a text is written as a UUID."""
    return _UUID.fullmatch(text) is not None


def uuid_param(ask: Ask, name: str, what: str) -> str:
    """A path parameter that must be a UUID. Raises Refusal."""
    value = ask.params[name]
    if not is_uuid(value):
        raise bad(f"`{name}` must be a {what} id (a UUID)")
    return value


def scope(ask: Ask, checked: bool = False) -> str | None:
    """The project that the scope parameters name; None for the whole workspace. Raises Refusal.

    There are no organisations here, so the scope of one holds nothing. `checked`: the project's id must be a UUID.
    """
    kind, identity = ask.get("scopeKind"), ask.get("scopeId")
    prefix = "scope query parameters malformed: "
    if kind is None:
        if identity is not None:
            raise bad(f'{prefix}scopeId="{identity}" requires scopeKind', "scope-invalid")
        return None
    if kind in ("tenant", "workspace"):
        if identity is not None:
            sentence = "scopeKind='tenant' takes no scopeId (tenant is implicit from the session)"
            raise bad(f"{prefix}{sentence}", "scope-invalid")
        return None
    if kind not in ("org", "project"):
        words = "'tenant' | 'org' | 'project'"
        raise bad(f'{prefix}scopeKind must be one of {words}, got "{kind}"', "scope-invalid")
    if not identity:
        raise bad(f"{prefix}scopeKind='{kind}' requires scopeId", "scope-invalid")
    if kind == "org":
        return NO_PROJECT
    if checked and not is_uuid(identity):
        raise bad(f'{prefix}scopeId must be a project id (a UUID), got "{identity}"', "scope-invalid")
    return identity


def check_inherit(ask: Ask) -> None:
    """Checks the parameter that widens a scope to those above it, which changes nothing here. Raises Refusal."""
    told = ask.get("inherit")
    if told is not None and told not in ("true", "false"):
        sentence = f"inherit must be 'true' or 'false', got \"{told}\""
        raise bad(f"scope query parameters malformed: {sentence}", "scope-invalid")


def full_time(text: str) -> datetime | None:
    """A date, a time and a zone in ISO 8601, as the strict parameters want them; None when it is none."""
    match = _FULL_TIME.fullmatch(text)
    if match is None:
        return None
    day, time, fraction, zone = match.groups()
    digits = (fraction or "0")[:6].ljust(6, "0")
    if len(time) == 5:
        time += ":00"
    try:
        return datetime.fromisoformat(f"{day}T{time}.{digits}{zone.upper()}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def loose_time(text: str) -> datetime | None:
    """A time, or a date alone; without a zone it is UTC's. None when it is none."""
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def one_of(ask: Ask, name: str, words: Sequence[str], sentence: str) -> str | None:
    """A parameter that must be one of some words. Raises Refusal with the sentence."""
    value = ask.get(name)
    if value is not None and value not in words:
        raise bad(sentence)
    return value
