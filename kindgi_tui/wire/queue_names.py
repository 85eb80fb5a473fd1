"""How 0.1 and 0.4 name what the judging queue says of a run: one table, read in both directions (DESIGN section 2)."""

from collections.abc import Mapping

from kindgi_tui.domain.base import Json

_ENTRY = {"wantedClassIds": "wantedGroupIds", "anyJudgment": "anyCorrection"}
_PROGRESS = {"byClass": "byGroup"}
_GROUP = {"judgeClassId": "groupId"}
"""Names of fields in 0.1, and in 0.4: of an entry, of its progress, of each group in that."""


def queued_04(value: Mapping[str, Json]) -> dict[str, Json]:
    """A queue's entry, named by 0.1, in 0.4's names."""
    return _entry(value, _ENTRY, _PROGRESS, _GROUP)


def queued_01(value: Mapping[str, Json]) -> dict[str, Json]:
    """A queue's entry, named by 0.4, in 0.1's names."""
    return _entry(value, _turned(_ENTRY), _turned(_PROGRESS), _turned(_GROUP))


def _entry(
    value: Mapping[str, Json], names: Mapping[str, str], inner: Mapping[str, str], of_group: Mapping[str, str]
) -> dict[str, Json]:
    shaped = _named(value, names)
    progress = shaped.get("progress")
    if not isinstance(progress, dict):
        return shaped
    shaped["progress"] = told = _named(progress, inner)
    for name in inner.values():
        groups = told.get(name)
        if isinstance(groups, list):
            told[name] = [_named(one, of_group) if isinstance(one, dict) else one for one in groups]
    return shaped


def _named(value: Mapping[str, Json], names: Mapping[str, str]) -> dict[str, Json]:
    return {names.get(name, name): field for name, field in value.items()}


def _turned(names: Mapping[str, str]) -> dict[str, str]:
    return {newer: older for older, newer in names.items()}
