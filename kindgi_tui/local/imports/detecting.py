"""Which format a file is in: told by its first records, never by its name."""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Protocol, cast

from kindgi_tui.domain.base import Json
from kindgi_tui.local.imports import chat, kindgi_jsonl, tau_bench
from kindgi_tui.local.imports.json_values import Found
from kindgi_tui.local.imports.records import ImportedRun, ImportOptions, Problem

_LOOKED_AT = 50


class Format(Protocol):
    """What a format's module has."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a module's constant
        """The name `--format` takes, and the source of its runs."""

    def sniff(self, value: Json) -> bool:
        """Whether a value is a record of this format."""

    def read(self, found: Found, options: ImportOptions) -> Iterator[ImportedRun | Problem]:
        """The runs of one record, and what of it was left out and why."""


FORMATS: tuple[Format, ...] = (
    cast("Format", kindgi_jsonl),
    cast("Format", tau_bench),
    cast("Format", chat),
)
"""The formats, the first that knows a record wins."""


def format_named(name: str) -> Format | None:
    """The format of that name; None when there is none."""
    return next((known for known in FORMATS if name == known.NAME), None)


def format_names() -> str:
    """The formats' names as a sentence lists them."""
    return ", ".join(known.NAME for known in FORMATS)


def told_apart(
    values: Iterator[Found | Problem],
) -> tuple[Format | None, Iterator[Found | Problem]]:
    """The format of a file's values, by the first of its first 50 that a format knows, and the values again."""
    head: list[Found | Problem] = []
    for value in islice(values, _LOOKED_AT):
        head.append(value)
        if isinstance(value, Found):
            chosen = next((known for known in FORMATS if known.sniff(value.value)), None)
            if chosen is None and chat.is_message(value.value):
                chosen = cast("Format", chat)
            if chosen is not None:
                return chosen, chain(head, values)
    return None, chain(head, values)


def gathered(values: Iterator[Found | Problem]) -> Iterator[Found | Problem]:
    """The values with each array of bare messages made one value: a file, or a line, that is one conversation."""
    messages: list[Json] = []
    first: Found | None = None
    for value in values:
        bare = isinstance(value, Found) and value.group > 0 and chat.is_message(value.value)
        if first is not None and not (bare and isinstance(value, Found) and value.group == first.group):
            yield first._replace(value=messages, group=0)
            first, messages = None, []
        if bare and isinstance(value, Found):
            first = first or value
            messages.append(value.value)
        else:
            yield value
    if first is not None:
        yield first._replace(value=messages, group=0)
