"""Rewards and scores in records: what programs said, kept apart from people's judgments (rules, section 7)."""

from collections.abc import Iterator

from kindgi_tui.domain.base import Json
from kindgi_tui.local.imports.identity import plain
from kindgi_tui.local.imports.records import MachineScore

_VALUE_KEYS = ("value", "score", "label")
_WORD_KEYS = ("explanation", "reason", "comment", "rationale")
_SCORE_LIMIT = 200


def machine_scores(record: dict[str, Json]) -> tuple[MachineScore, ...]:
    """The scores of a record: its `reward` and `score`, and its `scores` or `machineScores` (an object of values
    by name, or a list of `{name, value, explanation}`); at most 200."""
    found: list[MachineScore] = []
    for name in ("reward", "score"):
        if name in record:
            found.extend(_score(name, record[name]))
    for key in ("scores", "machineScores"):
        told = record.get(key)
        if isinstance(told, dict):
            for name, value in told.items():
                found.extend(_score(name, value))
        elif isinstance(told, list):
            for one in told:
                if isinstance(one, dict) and isinstance(one.get("name"), str):
                    found.extend(_score(str(one["name"]), one))
    return tuple(found[:_SCORE_LIMIT])


def _score(name: str, told: Json) -> Iterator[MachineScore]:
    value, words = told, None
    if isinstance(told, dict):
        value = next((told[key] for key in _VALUE_KEYS if key in told), None)
        words = next((told[key] for key in _WORD_KEYS if isinstance(told.get(key), str)), None)
    if isinstance(value, int) and not isinstance(value, bool):
        value = float(value) if abs(value) < 2**1000 else None
    if value is None or isinstance(value, bool | float | str):
        yield MachineScore(
            name=plain(name),
            value=plain(value) if isinstance(value, str) else value,
            explanation=plain(words) if isinstance(words, str) else None,
        )
