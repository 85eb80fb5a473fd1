"""Fields of request bodies that several operations share, checked in the API's words."""

from typing import Any

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.limits import LimitError, check_segments
from kindgi_tui.domain.projects import Project
from kindgi_tui.domain.runs import Segment
from kindgi_tui.server.asking import Ask
from kindgi_tui.server.bodies import NOTHING
from kindgi_tui.server.errors import bad, missing
from kindgi_tui.server.queries import is_uuid
from kindgi_tui.workbench import NotFound

Body = dict[str, Any]
"""A body's object; a list counts as one without fields, as it does in JavaScript."""


def an_object(value: Json | object, sentence: str) -> Body:
    """The body's fields. Raises Refusal with the sentence for anything that has none."""
    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        return {}
    raise bad(sentence)


def fields_or_none(value: Json | object) -> Body:
    """The body's fields where it has any."""
    return value if isinstance(value, dict) and value is not NOTHING else {}


async def find_project(ask: Ask, identity: str) -> Project | None:
    """The project with exactly that id."""
    try:
        found = await ask.bench.projects.get(identity)
    except NotFound:
        return None
    return found if found.id == identity else None


async def checked_project(ask: Ask, body: Body) -> Project | None:
    """The project a body names, which is looked at before the rest of it. Raises Refusal."""
    if "projectId" not in body:
        return None
    identity = body["projectId"]
    if not isinstance(identity, str) or not is_uuid(identity):
        raise bad("`projectId` must be a project id (a UUID)")
    found = await find_project(ask, identity)
    if found is None:
        sentence = f'No project with id "{identity}" in this tenant'
        raise missing("project-not-found", sentence, {"projectId": identity})
    return found


def segment_path(value: Json) -> tuple[Segment, ...]:
    """A body's segments. Raises Refusal."""
    if not isinstance(value, list):
        raise bad("`segments` must be an array of {key, value}, coarse to fine")
    for one in value:
        if (
            not isinstance(one, dict)
            or not isinstance(one.get("key"), str)
            or not isinstance(one.get("value"), str)
        ):
            raise bad("`segments`: each segment is {key: string, value: string}")
    try:
        checked = check_segments([(one["key"], one["value"]) for one in value])  # type: ignore[index, call-overload]
    except LimitError as cause:
        raise bad(cause.sentence) from cause
    return tuple(Segment(key=key, value=text) for key, text in checked)
