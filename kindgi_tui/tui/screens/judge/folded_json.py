"""JSON with what lies deep folded to a count, so that a large value is read at a glance."""

from itertools import islice

from kindgi_tui.domain.base import Json
from kindgi_tui.text import json_text

FIELDS = 40
"""Fields or elements of one level that are shown."""

STRING = 300
"""Characters of a string that are shown."""


def folded_json(value: Json, depth: int = 2, indent: str = "") -> str:
    """`value` as indented JSON, safe to show; what lies deeper than `depth` levels is a count."""
    if isinstance(value, dict) and value:
        if depth <= 0:
            return f"{{ {len(value):,} {'field' if len(value) == 1 else 'fields'} }}"
        inner = indent + "  "
        lines = [
            f"{inner}{json_text(str(key)[:100])}: {folded_json(child, depth - 1, inner)}"
            for key, child in islice(value.items(), FIELDS)
        ]
        return "{\n" + ",\n".join(lines) + _more(len(value), inner) + f"\n{indent}}}"
    if isinstance(value, list) and value:
        if depth <= 0:
            return f"[ {len(value):,} {'element' if len(value) == 1 else 'elements'} ]"
        inner = indent + "  "
        lines = [f"{inner}{folded_json(child, depth - 1, inner)}" for child in islice(value, FIELDS)]
        return "[\n" + ",\n".join(lines) + _more(len(value), inner) + f"\n{indent}]"
    return json_text(value, STRING)


def _more(count: int, indent: str) -> str:
    return f"\n{indent}… {count - FIELDS:,} more" if count > FIELDS else ""
