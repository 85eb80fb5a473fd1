"""Bodies of what the 0.4 dialect alone has: in its own names, each unknown field refused by its name."""

from typing import Any

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import Expectation
from kindgi_tui.domain.limits import LimitError
from kindgi_tui.server.asking import Ask
from kindgi_tui.server.bodies import NOTHING, parsed
from kindgi_tui.server.errors import bad
from kindgi_tui.server.fields import Body
from kindgi_tui.wire.expectations import read_expectation


def own_body(ask: Ask, fields: tuple[str, ...], optional: bool = False) -> Body:
    """The body as it came, an object of these fields; `optional`: it may be left out. Raises Refusal."""
    value = parsed(ask.raw)
    if value is NOTHING and optional and not ask.raw:
        return {}
    if value is NOTHING:
        raise bad("Request body must be valid JSON")
    return closed_object(value, fields, "The body")


def closed_object(value: Any, fields: tuple[str, ...], what: str) -> Body:
    """An object with no other fields than these. Raises Refusal."""
    if not fields and value != {}:
        raise bad(f"{what} has no fields here: leave it out, or send an empty object.")
    if not isinstance(value, dict):
        raise bad(f"{what} must be an object of {', '.join(fields)}.")
    unknown = [name for name in value if name not in fields]
    if unknown:
        raise bad(f'{what} has no field "{unknown[0]}". It has {", ".join(fields)}.')
    return value


def optional_text(body: Body, name: str) -> str | None:
    """A field that is text and not blank, where it is there. Raises Refusal."""
    if name not in body:
        return None
    value = body[name]
    if not isinstance(value, str) or not value.strip():
        raise bad(f"{name} must be a non-empty string, or left out.")
    return value


def expectation(value: Any) -> Expectation:
    """What a run should have done. Raises Refusal, which names the field."""
    try:
        return read_expectation(value)
    except LimitError as cause:
        raise bad(cause.sentence) from cause


def with_notes(shaped: dict[str, Json], notes: tuple[str, ...]) -> dict[str, Json]:
    """What was stored, with what is doubtful of it under `notes`: a tool nobody knows, arguments it doesn't take."""
    return {**shaped, "notes": list[Json](notes)} if notes else shaped
