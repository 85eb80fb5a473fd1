"""Text on its way to a provider and back: JSON that always encodes, and words that never carry a key."""

import json
import re

from kindgi_tui.domain.base import Json

_UPPER = re.compile(r"(?<=[a-z0-9])([A-Z])")


def snake(name: str) -> str:
    """A setting's name in snake case: `maxTokens` is `max_tokens`."""
    return _UPPER.sub(lambda match: "_" + match.group(1).lower(), name) if not name.islower() else name


def json_text(value: Json) -> str:
    """A tool's result or arguments as the text a model reads: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def lenient_json(arguments: object) -> Json:
    """A call's arguments: the JSON value of the text, `{}` for none, the text itself when it is not JSON."""
    if arguments is None:
        return {}
    if not isinstance(arguments, str):
        return arguments  # type: ignore[return-value]  # some servers send the value itself, read from JSON
    if not arguments.strip():
        return {}
    try:
        parsed: Json = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    return parsed


def encoded(body: object) -> bytes:
    """A request's body as UTF-8 JSON. Raises ValueError for NaN and infinities, which JSON does not have.

    A lone surrogate can't be written in UTF-8 and most servers refuse its escape, so the model reads U+FFFD in its
    place. What is stored and the cache key keep the words as they are.
    """
    text = json.dumps(body, ensure_ascii=False, allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def clean(value: Json) -> Json:
    """A JSON value with U+FFFD in place of lone surrogates, for an SDK that encodes by itself."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        text = json.dumps(value, ensure_ascii=False).encode("utf-16-le", "surrogatepass")
        cleaned: Json = json.loads(text.decode("utf-16-le", "replace"))
        return cleaned
    return value


def short(words: str, secret: str | None = None, longest: int = 300) -> str:
    """A provider's words for a sentence of ours: on one line, not endless, and without the key it may echo."""
    if secret and secret in words:
        words = words.replace(secret, "…")
    words = " ".join(words[: longest * 4].split())
    return words if len(words) <= longest else words[: longest - 1] + "…"
