"""Liquid templates: read without rendering, and rendered within limits (DESIGN section 9).

A template may come from anybody who edits, so it includes no other, and what its loops, its filters and its output
make is bounded. A name that nothing gives is an error, never an empty text.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from liquid import BoundTemplate, Environment, StrictUndefined
from liquid.ast import Node
from liquid.builtin.expressions import LoopExpression
from liquid.builtin.expressions.primitive import RangeLiteral
from liquid.exceptions import (
    LiquidError,
    LiquidSyntaxError,
    LiquidValueError,
    LoopIterationLimitError,
    OutputStreamLimitError,
    ResourceLimitError,
    UndefinedError,
)
from liquid.expression import Expression

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.block_rules import TemplateReading

LONGEST = 100_000
"""The most characters of a template."""
MOST_LOOPS = 1_000
"""How often a loop goes round at most, together with the loops inside it."""
MOST_OUTPUT = 500_000
"""The most bytes a template makes."""
MOST_HELD = 200_000
"""The most bytes its variables hold, and characters or places a filter works on or gives."""

_PARTIALS = ("include", "render")


class _Bounded(Environment):
    """The one environment: no partials, strict names, bounded."""

    loop_iteration_limit = MOST_LOOPS
    output_stream_limit = MOST_OUTPUT
    local_namespace_limit = MOST_HELD

    def setup_tags_and_filters(self, *, extra: bool = False) -> None:
        super().setup_tags_and_filters(extra=extra)
        for name in _PARTIALS:
            self.tags.pop(name, None)
        self.filters["json"] = _as_json
        self.filters = {name: _weighed(name, each) for name, each in self.filters.items()}


def _as_json(value: Any) -> str:
    """A value as JSON: a filter other Liquid engines have too."""
    return json.dumps(value, ensure_ascii=False)


def _weighed(name: str, made: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that refuses to work on much, or to make much of it."""

    def checked(value: Any, *arguments: Any, **named: Any) -> Any:
        for each in (value, *arguments, *named.values()):
            _check_size(each)
        if name in ("replace", "remove") and len(arguments) > 0:
            text, old, new = str(value), str(arguments[0]), str(arguments[1]) if len(arguments) > 1 else ""
            _check_length((text.count(old) if old else len(text) + 1) * len(new))
        if name == "join" and isinstance(value, list | tuple):
            between = len(str(arguments[0])) if arguments else 1
            _check_length(sum(len(str(each)) + between for each in value))
        result = made(value, *arguments, **named)
        _check_size(result)
        return result

    # Whether the library hands a filter its context or environment stands on the function.
    for flag in ("with_context", "with_environment", "filter_async"):
        if hasattr(made, flag):
            setattr(checked, flag, getattr(made, flag))
    return checked


def _check_size(value: Any) -> None:
    if isinstance(value, str | list | tuple | range | dict):
        _check_length(len(value) if not isinstance(value, range) else _places(value))
    elif isinstance(value, int):
        _check_length(value.bit_length())


def _places(value: range) -> int:
    # len() of a range beyond the machine's integers is an error.
    return max(0, value.stop - value.start)


def _check_length(length: int) -> None:
    if length > MOST_HELD:
        raise LiquidValueError(f"a filter works on or makes more than {MOST_HELD:,} characters", token=None)


@lru_cache(maxsize=1)
def _environment() -> _Bounded:
    return _Bounded(undefined=StrictUndefined, strict_filters=True)


class TemplateError(ValueError):
    """A template that can't be read or rendered: why, in words, and on which line (from 1)."""

    def __init__(self, sentence: str, line: int | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        """Why, in words."""
        self.line = line
        """The template's line; None: nowhere in particular."""


def read_template(template: str) -> TemplateReading:
    """What a template reads, or why it is none."""
    try:
        parsed = _parsed(template)
        analysis = parsed.analyze(include_partials=False)
    except TemplateError as cause:
        return TemplateReading(problem=cause.sentence, line=cause.line)
    except (LiquidError, RecursionError) as cause:
        return TemplateReading(problem=_words(cause), line=_line(cause))
    for name, spans in analysis.filters.items():
        if name not in _environment().filters:
            line = template.count("\n", 0, max(0, spans[0].index)) + 1
            return TemplateReading(problem=f"there is no filter {name}", line=line)
    paths = {_path(found.segments): None for each in analysis.globals.values() for found in each}
    return TemplateReading(reads=tuple(paths))


def render(template: str, scope: Mapping[str, Json]) -> str:
    """The template with its names filled in. Raises TemplateError."""
    try:
        return _parsed(template).render(dict(scope))
    except TemplateError:
        raise
    except (LiquidError, ArithmeticError, RecursionError, ValueError, TypeError) as cause:
        raise TemplateError(_words(cause), _line(cause)) from cause


@lru_cache(maxsize=64)
def _parsed(template: str) -> BoundTemplate:
    if len(template) > LONGEST:
        raise TemplateError(f"the template has {len(template):,} characters, more than {LONGEST:,}")
    try:
        parsed = _environment().from_string(template)
    except (LiquidError, RecursionError) as cause:
        raise TemplateError(_words(cause), _line(cause)) from cause
    for place in _unlooped_ranges(parsed.nodes):
        line = template.count("\n", 0, place) + 1
        raise TemplateError("a range such as (1..9) can only be looped over", line)
    return parsed


def _unlooped_ranges(nodes: Iterable[Node]) -> Iterable[int]:
    """Where a range stands that no loop counts: such a one could be of any length."""
    # The analysis of templates asks nodes for their children in some context; without partials none is looked at.
    nothing: Any = None
    for node in nodes:
        for expression in node.expressions():
            yield from _ranges(expression)
        yield from _unlooped_ranges(node.children(nothing, include_partials=False))


def _ranges(expression: Expression) -> Iterable[int]:
    if isinstance(expression, RangeLiteral):
        yield max(0, expression.token.start_index)
    looped = expression.iterable if isinstance(expression, LoopExpression) else None
    for child in expression.children():
        if not (child is looped and isinstance(child, RangeLiteral)):
            yield from _ranges(child)


def _path(segments: list[Any]) -> tuple[str, ...]:
    path: list[str] = []
    for segment in segments:
        if isinstance(segment, list):
            return (*path, "")
        path.append(str(segment))
    return tuple(path)


def _words(cause: BaseException) -> str:
    if isinstance(cause, UndefinedError):
        return f"it reads a name that nothing gives: {_said(cause)}"
    if isinstance(cause, LoopIterationLimitError):
        return f"its loops go round more than {MOST_LOOPS:,} times"
    if isinstance(cause, OutputStreamLimitError):
        return f"it makes more than {MOST_OUTPUT:,} bytes"
    if isinstance(cause, ResourceLimitError):
        return f"its variables hold more than {MOST_HELD:,} bytes"
    if isinstance(cause, RecursionError):
        return "it is nested too deeply"
    said = _said(cause)
    if isinstance(cause, LiquidSyntaxError) and any(f"'{name}'" in said for name in _PARTIALS):
        return f"a template can't include another ({said})"
    return said


def _said(cause: BaseException) -> str:
    message = cause.message if isinstance(cause, LiquidError) else cause
    return " ".join(str(message).split())[:300]


def _line(cause: BaseException) -> int | None:
    token = cause.token if isinstance(cause, LiquidError) else None
    if token is None or token.start_index < 0:
        return None
    return token.source.count("\n", 0, token.start_index) + 1
