"""Tool ids as function names. Ids hold dots, which providers don't take: `^[a-zA-Z0-9_-]{1,64}$`."""

import hashlib
import re
from collections.abc import Iterable

from kindgi_tui.local.models.calls import AgentMessage, ModelRequest, ToolResult

_LONGEST = 64
_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]")


def tool_names(ids: Iterable[str]) -> dict[str, str]:
    """A safe name for each tool id, all different, whatever the order of the ids.

    A dot and every other unsafe character becomes `_`. An id that is safe already keeps its name; another whose name
    is taken or too long gets one that ends in a piece of its hash.
    """
    wanted = sorted(set(ids))
    names = {i: i for i in wanted if 0 < len(i) <= _LONGEST and not _UNSAFE.search(i)}
    taken = set(names)
    for tool_id in wanted:
        if tool_id in names:
            continue
        name = _UNSAFE.sub("_", tool_id)
        if not name or len(name) > _LONGEST or name in taken:
            name = _hashed(tool_id, name, taken)
        taken.add(name)
        names[tool_id] = name
    return names


def _hashed(tool_id: str, name: str, taken: set[str]) -> str:
    digest = hashlib.sha256(tool_id.encode("utf-8", "surrogatepass")).hexdigest()
    # Longer pieces of the hash until it is free; a clash with all of it would be a clash of sha256.
    for length in range(8, len(digest) - 1, 8):
        tried = f"{name[: _LONGEST - length - 1]}_{digest[:length]}"
        if tried not in taken:
            return tried
    return digest


def names_of(request: ModelRequest) -> dict[str, str]:
    """The safe names of every tool that a request offers or its conversation mentions."""
    ids = {tool.id for tool in request.tools}
    for message in request.messages:
        if isinstance(message, ToolResult):
            ids.add(message.tool_id)
        elif isinstance(message, AgentMessage):
            ids.update(call.name for call in message.tool_calls)
    return tool_names(ids) if ids else {}
