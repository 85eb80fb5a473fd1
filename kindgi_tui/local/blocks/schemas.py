"""Whether values satisfy a JSON Schema, place by place."""

import json
from functools import lru_cache
from typing import Any

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.block_rules import Misfit
from kindgi_tui.domain.pointers import escape
from kindgi_tui.domain.schema_words import in_json_words

MOST_TOLD = 20
"""How many misfits are told at most."""
_LONG = 300


def misfits(values: Json, schema: Json) -> tuple[Misfit, ...]:
    """Where values do not satisfy a schema (draft 2020-12 unless it says another), in the order of its rules.

    A schema that is none is one misfit; references to other places are never fetched.
    """
    try:
        checker = _checker(json.dumps(schema, sort_keys=True))
        if isinstance(checker, Misfit):
            return (checker,)
        found = []
        for error in checker.iter_errors(values):
            found.append(Misfit(pointer=_pointer(error.absolute_path), message=_short(in_json_words(error))))
            if len(found) == MOST_TOLD:
                break
        return tuple(found)
    except RecursionError:
        return (Misfit(pointer="", message="it is nested too deeply"),)
    except Exception as error:  # noqa: BLE001  # a reference that can't be resolved, a pattern that is no regex
        words = f"the schema can't be used: {type(error).__name__}: {_short(str(error))}"
        return (Misfit(pointer="", message=words, in_schema=True),)


@lru_cache(maxsize=64)
def _checker(schema_json: str) -> Any:
    import jsonschema  # type: ignore[import-untyped,unused-ignore]
    from referencing import Registry

    schema = json.loads(schema_json)
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(schema)
    except jsonschema.SchemaError as error:
        words = f"it is no JSON Schema: {_short(in_json_words(error))}"
        return Misfit(pointer=_pointer(error.absolute_path), message=words, in_schema=True)
    return kind(schema, registry=Registry())


def _pointer(path: Any) -> str:
    return "".join(f"/{escape(str(step))}" for step in path)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONG else f"{flat[:_LONG]} …"
