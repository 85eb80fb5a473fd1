"""The words of a run that search finds: every text in its input and output, capped."""

from kindgi_tui.domain.base import Json

TEXT_LIMIT = 65_536
"""How many characters of a run are searched at most."""


def search_text(*values: Json) -> str:
    """The texts in these JSON values, in order, joined by newlines, at most TEXT_LIMIT characters."""
    found: list[str] = []
    left = TEXT_LIMIT
    stack: list[Json] = list(reversed(values))
    while stack and left > 0:
        value = stack.pop()
        if isinstance(value, str):
            piece = value[:left]
            found.append(piece)
            left -= len(piece) + 1
        elif isinstance(value, dict):
            stack.extend(reversed(list(value.values())[:left]))
        elif isinstance(value, list):
            stack.extend(reversed(value[:left]))
    return "\n".join(found).encode("utf-8", "replace").decode("utf-8").replace("\x00", " ")


def spoken_output(output: Json) -> list[Json]:
    """What of an output is searched: of an agent's turn the agent's words and the typed answer, else all."""
    if not isinstance(output, dict) or not isinstance(output.get("appended"), list):
        return [output]
    parts: list[Json] = []
    appended = output["appended"]
    for message in appended if isinstance(appended, list) else ():
        if isinstance(message, dict) and message.get("role") != "user":
            parts.append(message.get("content"))
    parts.append(output.get("output"))
    return parts


def preview_of(value: Json, limit: int = 200) -> str:
    """The first words of an input, on one line, for a list."""
    words = search_text(value)[: limit * 4].split()
    return " ".join(words)[:limit]
