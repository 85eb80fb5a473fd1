"""Test cases written by hand: a YAML or JSON file with one."""

from pathlib import Path

from kindgi_tui.cli.documents import STANDARD_INPUT, read_document, text_in_file
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.limits import LimitError
from kindgi_tui.domain.own_test_sets import ExpectedItem, NewCase
from kindgi_tui.wire.expectations import read_expectation
from kindgi_tui.workbench import Invalid

BESIDE = ("runId", "agentId", "input", "items")
"""The fields a case in a file has beside what is expected."""

_TRUTH = {True: "yes", False: "no"}
"""What JSON writes for yes and no."""


def read_case(place: Path, told: NewCase) -> NewCase:
    """The case in a file (`-`: standard input); what the command line told already must not differ. Raises Invalid."""
    document = read_document(place)
    if not isinstance(document, dict):
        name = "Standard input" if place == STANDARD_INPUT else str(place)
        raise Invalid(f"{name} holds no case: write its fields, such as `runId: …`.", field="file")
    try:
        return told.model_copy(
            update={
                "run_id": _either(document, "runId", told.run_id),
                "agent_id": _either(document, "agentId", told.agent_id),
                "input": _either(document, "input", told.input),
                "expect": read_expectation(document, BESIDE, "A case"),
                "items": _items(document.get("items")),
            }
        )
    except LimitError as cause:
        raise Invalid(cause.sentence, field=cause.field) from None


def _either(document: dict[str, Json], field: str, told: str | None) -> str | None:
    value = document.get(field)
    if value is None:
        return told
    read = text_in_file(field, value)
    if told is not None and told != read:
        raise Invalid(f"Its {field} isn't the one of the command line: leave one of them out.", field="file")
    return read


def _items(value: Json) -> tuple[ExpectedItem, ...]:
    if value is None:
        return ()
    words = "items has a field for each item, yes or no, such as {kb-301: yes}."
    if not isinstance(value, dict):
        raise LimitError("items", words)
    found = []
    for key, verdict in value.items():
        said = _TRUTH.get(verdict, "") if isinstance(verdict, bool) else verdict
        if said not in ("yes", "no"):
            raise LimitError("items", words)
        found.append(ExpectedItem(key=key, verdict="yes" if said == "yes" else "no"))
    return tuple(found)
