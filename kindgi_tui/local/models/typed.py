"""Typed answers: asking for one in words, and reading what came (DESIGN section 9; repairing is the engine's)."""

import json
import re
from functools import lru_cache
from typing import Any

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.schema_words import in_json_words

_FENCED = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL)
_NAMED = 3
_LONG = 300


class Typed(Frozen):
    """What a typed answer's text holds: a value that fits, or a problem to tell the model."""

    value: Json = None
    """The JSON value; only meaningful without a problem (it may itself be null)."""
    problem: str | None = None
    """What is wrong, in a sentence the model can act on; None when the value fits."""


def typed_instructions(schema: Json) -> str:
    """What a model is told when it must answer in a shape."""
    return (
        "Answer with one JSON value that fits the JSON schema below, and nothing else: no explanation, no code fence."
        f"\n\n{json.dumps(schema, ensure_ascii=False)}"
    )


def parse_typed(text: str | None, schema: Json, *, alone: bool = False) -> Typed:
    """The JSON value in a typed answer, checked against its schema.

    A code fence around it, or words around one fence, are forgiven. With `alone`, no words may stand around the value
    or its fence, and no field may be there twice: a value that is quoted in other words is not the answer. A schema
    that is none is a problem too, never an exception.
    """
    if text is None or not text.strip():
        return Typed(problem="The answer is empty; it must be one JSON value.")
    parsed = _json_alone(text) if alone else _json_in(text)
    if isinstance(parsed, str):
        return Typed(problem=parsed)
    (value,) = parsed
    problem = _misfit(value, schema)
    return Typed(problem=problem) if problem else Typed(value=value)


def _json_in(text: str) -> tuple[Json] | str:
    """The value in a tuple of one, or the sentence on why there is none."""
    plain = text.strip().removeprefix("\ufeff").strip()
    try:
        return (json.loads(plain),)
    except RecursionError:
        return "The answer is nested too deeply."
    except ValueError as error:
        said = str(error)
    fences = _FENCED.findall(plain)
    if len(fences) == 1:
        try:
            return (json.loads(fences[0]),)
        except RecursionError:
            return "The answer is nested too deeply."
        except ValueError as error:
            said = str(error)
    return f"The answer is not valid JSON: {said[:_LONG]}."


def _json_alone(text: str) -> tuple[Json] | str:
    """The same, where the whole text must be the value, or a fence around it."""
    plain = text.strip().removeprefix("\ufeff").strip()
    fence = _FENCED.fullmatch(plain)
    try:
        return (json.loads(plain if fence is None else fence[1], object_pairs_hook=_each_once),)
    except RecursionError:
        return "The answer is nested too deeply."
    except ValueError as error:
        return f"The answer is not one JSON value alone: {str(error)[:_LONG]}."


def _each_once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field is there twice")
    return fields


def _misfit(value: Json, schema: Json) -> str | None:
    try:
        check = _checker(json.dumps(schema, sort_keys=True))
        if isinstance(check, str):
            return check
        errors = []
        for error in check.iter_errors(value):
            errors.append(f"at {error.json_path}: {in_json_words(error)[:_LONG]}")
            if len(errors) == _NAMED:
                break
    except RecursionError:
        return "The answer is nested too deeply."
    except Exception as error:  # noqa: BLE001  # a reference that can't be resolved, a pattern that is no regex
        return f"The output's schema can't be used: {type(error).__name__}: {str(error)[:_LONG]}."
    return f"The answer doesn't fit the schema: {'; '.join(errors)}." if errors else None


@lru_cache(maxsize=64)
def _checker(schema_json: str) -> Any:
    """A validator of the schema, or a sentence. References to other places are never fetched."""
    import jsonschema  # type: ignore[import-untyped,unused-ignore]
    from referencing import Registry

    schema = json.loads(schema_json)
    if not isinstance(schema, dict | bool):
        return "The output's schema is not a JSON schema: it must be an object."
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(schema)
    except jsonschema.SchemaError as error:
        return f"The output's schema is not a JSON schema: {in_json_words(error)[:_LONG]}."
    return kind(schema, registry=Registry())


def strictly_described(schema: Json) -> bool:
    """Whether a provider's strict mode takes the schema: every object closed, and all its fields required."""
    if isinstance(schema, list):
        return all(strictly_described(part) for part in schema)
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        fields = schema.get("properties")
        required = schema.get("required")
        if schema.get("additionalProperties") is not False or not isinstance(fields, dict):
            return False
        if not isinstance(required, list) or set(fields) != {r for r in required if isinstance(r, str)}:
            return False
        if not all(strictly_described(field) for field in fields.values()):
            return False
    return all(
        strictly_described(part)
        for key, part in schema.items()
        if key not in ("properties", "required", "enum", "const")
    )
