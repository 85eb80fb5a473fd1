"""JSON that people write: held to what can be kept, and what is wrong with it said as a person would."""

import json
from typing import NoReturn

from kindgi_tui.domain.base import Json

MOST_DIGITS = 4_000
"""The longest whole number, in digits."""

_WORDS = {
    "Expecting ',' delimiter": "a comma or a closing bracket is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Expecting property name enclosed in double quotes": 'a name in double quotes, or "}", is missing',
    "Expecting value": "a value is missing",
    "Unterminated string starting": "the text that begins here has no closing quote",
    "Extra data": "the {what} ends before this",
    "Invalid control character": "a line break or control character stands in a text",
    "Invalid \\escape": "a backslash escapes nothing here",
    "Invalid \\uXXXX escape": "\\u takes four hex digits",
    "Illegal trailing comma before end of object": "a comma too many",
    "Illegal trailing comma before end of array": "a comma too many",
}


def json_words(error: json.JSONDecodeError, what: str = "value") -> str:
    """What is wrong, without a full stop; `what` is what the text should be, an `object` say."""
    said = _WORDS.get(error.msg.removesuffix(": ").removesuffix(" at"), error.msg)
    return said.replace("{what}", what)


def json_place(text: str, at: int) -> str:
    """Where in a text that is: `character 14`, with the line where there are several."""
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return f"line {line}, character {column}" if "\n" in text.rstrip("\n") else f"character {column}"


def strict_json(text: str) -> Json:
    """The JSON value a text is. Raises json.JSONDecodeError, RecursionError, and ValueError with words for what JSON
    doesn't have (`NaN`), a field that stands in one object twice, and a number that is too long."""
    value: Json = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant, parse_int=_whole)
    return value


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    made: dict[str, Json] = {}
    for field, value in pairs:
        if field in made:
            raise ValueError(f'the field "{field}" stands in one object twice')
        made[field] = value
    return made


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"it has no number {word}")


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError("a number is too long")
    return int(digits)
