"""The 0.1 dialect: the domain's models written in its names (DESIGN section 2)."""

import re
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparisons import ComparisonResult
from kindgi_tui.domain.javascript import written
from kindgi_tui.domain.test_sets import ItemSummary

_WORDS = {"weighing": {"experts-only": "restricted-only"}}
"""Values that have another name on this wire, by our field."""

_FIRST: dict[type[BaseModel], tuple[str, ...]] = {ItemSummary: ("key", "pointer", "rank", "yes", "no")}
"""The fields that stand first on this wire, where that is not their order in the model."""

_COMPARISON = re.compile(r'^Comparison(?= ".*" (?:ran |can.t be rescored))')

_FieldNames = tuple[tuple[str, str], ...]
_names: dict[type[BaseModel], _FieldNames] = {}


def dump(value: Any) -> Json:
    """A model, or a list, mapping or scalar that may hold models, as the 0.1 wire's JSON.

    A model's fields are written when they were given (or are `always_written`), in the wire's order and names; numbers
    and objects inside as JavaScript writes them: 1.0 is 1, whole numbers past 2^53 are the nearest double.
    """
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, BaseModel):
        return _model(value)
    if isinstance(value, tuple) or (isinstance(value, list) and any(_holds_models(child) for child in value)):
        return [dump(element) for element in value]
    if isinstance(value, datetime):
        return time_text(value)
    if isinstance(value, int | float | list):
        return written(value)
    fields: dict[str, Any] = {str(key): child for key, child in value.items()}
    if any(_holds_models(child) for child in fields.values()):
        return {key: dump(child) for key, child in fields.items()}
    return written(fields)


def error_text(sentence: str) -> str:
    """Why a comparison has no result, as the wire calls it."""
    return _COMPARISON.sub("Eval run", sentence)


def time_text(moment: datetime) -> str:
    """A time as the wire writes it: ISO 8601, UTC, milliseconds, `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _model(value: BaseModel) -> dict[str, Json]:
    given = value.model_fields_set
    always = getattr(value, "always_written", ())
    values = value.__dict__
    answer: dict[str, Json] = {}
    for name, wire_name in _names_of(type(value)):
        if name in given or name in always:
            field = values[name]
            answer[wire_name] = _WORDS[name].get(field, field) if name in _WORDS else dump(field)
    if isinstance(value, ComparisonResult) and value.error is not None:
        answer["error"] = error_text(value.error)
    for name, field in (value.model_extra or {}).items():
        answer[name] = written(field)
    return answer


def _names_of(model: type[BaseModel]) -> _FieldNames:
    if model not in _names:
        known = model.model_fields
        order = dict.fromkeys((*_FIRST.get(model, ()), *known))
        _names[model] = tuple(
            (name, _wire_name(name, known[name])) for name in order if not known[name].exclude
        )
    return _names[model]


def _wire_name(name: str, info: FieldInfo) -> str:
    return info.alias or name


def _holds_models(value: Any) -> bool:
    return isinstance(value, BaseModel | tuple | datetime)
