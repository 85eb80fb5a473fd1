"""Arguments of a tool call as a person types them: read, checked as they are typed, held against the tool's input."""

import json
import math
import re
from functools import lru_cache
from typing import Any, NoReturn

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.json_words import json_place, json_words
from kindgi_tui.domain.schema_words import in_json_words

LONG = 120
"""Characters of arguments that are still comfortable on one line."""

_SAID = 160
"""Characters of a validator's message that are shown."""


class Problem(Frozen):
    """What is wrong with arguments as they stand."""

    place: str
    """Where: `character 14`, `line 2, character 3`, `in places[1].id`; empty: as a whole."""
    words: str
    """What, without a full stop."""
    at: int | None = None
    """Which character of the text, from 0, where that is known."""

    @property
    def sentence(self) -> str:
        """Place and words."""
        told = f"{self.place}: {self.words}" if self.place else self.words
        return told[:1].upper() + told[1:] + "."


class Read(Frozen):
    """What a text of arguments came to: arguments, or the first error."""

    arguments: Json = None
    """An object's top-level fields; None: nothing was typed, so any arguments will do."""
    problem: Problem | None = None
    """The first error; None: there is none."""


class _Wrong(ValueError):
    """JSON that parses and yet can't be kept."""


def read_arguments(text: str) -> Read:
    """The arguments a text says: a JSON object, or nothing at all for any arguments."""
    if not text.strip():
        return Read()
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_finite)
    except json.JSONDecodeError as error:
        place = json_place(text, error.pos)
        return Read(problem=Problem(place=place, words=json_words(error, "object"), at=error.pos))
    except RecursionError:
        return Read(problem=Problem(place="", words="it is nested too deeply"))
    except _Wrong as error:
        return Read(problem=Problem(place="", words=str(error)))
    except ValueError:
        return Read(problem=Problem(place="", words="a number has too many digits"))
    if not isinstance(value, dict):
        return Read(problem=Problem(place="", words="arguments are an object, in { and }", at=0))
    if _halves(value):
        return Read(problem=Problem(place="", words="half a character (\\ud800 to \\udfff) can't be kept"))
    return Read(arguments=value)


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Wrong(f'"{twice}" stands there twice')
    return fields


def _no_constant(name: str) -> NoReturn:
    raise _Wrong(f"{name} is no JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _Wrong("a number is too large")
    return number


def _halves(value: Json) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (UnicodeEncodeError, RecursionError):
        return True
    return False


def arguments_line(arguments: Json) -> str:
    """Arguments as JSON on one line, safe to show and to edit; nothing for any arguments."""
    from kindgi_tui.text import json_text

    if arguments is None:
        return ""
    # A line break in the JSON is never inside a text, where it is escaped.
    text = re.sub(r"(?<=[{\[])\n *|\n *(?=[}\]])", "", json_text(arguments))
    return re.sub(r"\n *", " ", text)


def arguments_page(arguments: Json) -> str:
    """Arguments as JSON over several lines, for an editor."""
    from kindgi_tui.text import json_text

    return json_text({} if arguments is None else arguments) + "\n"


def misfit(arguments: Json, schema: Json) -> Problem | None:
    """The first way in which the listed arguments don't fit the tool's input; fields that aren't listed are free."""
    if not isinstance(arguments, dict) or not isinstance(schema, dict):
        return None
    properties = schema.get("properties")
    known = list(properties) if isinstance(properties, dict) else []
    open_to_more = any(
        schema.get(key) not in (None, False) for key in ("additionalProperties", "patternProperties")
    )
    if known and not open_to_more:
        for name in arguments:
            if name not in known:
                told = ", ".join(known[:8]) + (" …" if len(known) > 8 else "")
                return Problem(place="", words=f'"{name}" is no field of the tool\'s input: {told}')
    try:
        # Only what each listed field must be: a correction lists as few of the required ones as it cares for.
        kept = ("properties", "patternProperties", "additionalProperties", "$defs", "definitions", "$schema")
        check = _checker(json.dumps({key: schema[key] for key in kept if key in schema}, sort_keys=True))
        errors = list(_first(check, arguments))
    except Exception:  # noqa: BLE001  # a schema that is none says nothing about arguments
        return None
    for path, message in errors:
        return Problem(place=f"in {path}" if path else "", words=message[:_SAID])
    return None


def _first(check: Any, arguments: Json) -> list[tuple[str, str]]:
    for error in check.iter_errors(arguments):
        path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)
        return [(path.removeprefix("."), in_json_words(error))]
    return []


@lru_cache(maxsize=64)
def _checker(schema_json: str) -> Any:
    """A validator. References to other places are never fetched."""
    import jsonschema  # type: ignore[import-untyped,unused-ignore]
    from referencing import Registry

    schema = json.loads(schema_json)
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    kind.check_schema(schema)
    return kind(schema, registry=Registry())
