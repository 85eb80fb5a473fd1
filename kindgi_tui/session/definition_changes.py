"""What changed between two versions of an agent: its instructions as words, the rest as JSON changes."""

from dataclasses import dataclass

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.catalog import CatalogVersion
from kindgi_tui.text.diffs import JsonChange, Piece, json_diff, word_diff

MOST = 200
"""The most JSON changes that are found."""


@dataclass(frozen=True)
class DefinitionChanges:
    """How one version differs from an earlier one."""

    before: str
    """The version it is compared with."""
    after: str
    """The version."""
    instructions: tuple[Piece, ...]
    """What changed in the instructions; empty when nothing did."""
    others: tuple[JsonChange, ...]
    """Everything else that changed, but for the version itself."""

    @property
    def none(self) -> bool:
        """Whether nothing changed."""
        return not self.instructions and not self.others


def definition_changes(before: CatalogVersion, after: CatalogVersion) -> DefinitionChanges:
    """What changed. It takes a while for very long definitions."""
    old, new = before.definition, after.definition
    told, tells = _instructions(old), _instructions(new)
    return DefinitionChanges(
        before.version,
        after.version,
        word_diff(told, tells) if told != tells else (),
        json_diff(_rest(old), _rest(new), MOST),
    )


def _instructions(definition: Json) -> str:
    told = definition.get("instructions") if isinstance(definition, dict) else None
    return told if isinstance(told, str) else ""


def _rest(definition: Json) -> Json:
    if not isinstance(definition, dict):
        return definition
    text = isinstance(definition.get("instructions"), str)
    left_out = {"version", "instructions"} if text else {"version"}
    return {name: value for name, value in definition.items() if name not in left_out}
