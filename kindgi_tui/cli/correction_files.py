"""Corrections written by hand: a YAML or JSON file with one, or a list of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from kindgi_tui.cli.documents import STANDARD_INPUT, read_document, text_in_file
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import NewCorrection
from kindgi_tui.domain.limits import LimitError
from kindgi_tui.wire.expectations import read_expectation
from kindgi_tui.workbench import Invalid, Refused, Workbench, WorkbenchError

BESIDE = ("runId", "group", "participantId")
"""The fields a correction in a file has beside what is expected."""


class Whose(NamedTuple):
    """What the command line says of the corrections that don't say it themselves."""

    run_id: str | None
    """The corrected run."""
    group: str | None
    """The group they are said as."""
    participant: str | None
    """The app's own user they are said for."""


def read_corrections(place: Path, whose: Whose) -> NewCorrection | tuple[NewCorrection, ...]:
    """The correction in a file (`-`: standard input), or all of its list. Raises Invalid, Refused."""
    document = read_document(place)
    name = "Standard input" if place == STANDARD_INPUT else str(place)
    if isinstance(document, dict):
        try:
            return _correction(document, whose)
        except LimitError as cause:
            raise Invalid(cause.sentence, field=cause.field) from None
    if not isinstance(document, list):
        raise Invalid(
            f"{name} holds no correction: write its fields, such as `decisions: right`, or a list of corrections.",
            field="file",
        )
    if not document:
        raise Invalid(f"{name} holds an empty list: there is nothing to save.", field="file")
    read: list[NewCorrection] = []
    refusals: list[tuple[int, WorkbenchError]] = []
    for number, one in enumerate(document, 1):
        try:
            read.append(_correction(one, whose))
        except LimitError as cause:
            refusals.append((number, Invalid(cause.sentence, field=cause.field)))
    if refusals:
        raise Refused(f"{name} holds corrections that can't be read.", tuple(refusals))
    return tuple(read)


async def check_twice(bench: Workbench, found: Sequence[NewCorrection]) -> None:
    """Raises Refused when two are of one run, for the same participant: the later one would replace the other."""
    refusals: list[tuple[int, WorkbenchError]] = []
    for number, one in enumerate(found, 1):
        for earlier, other in enumerate(found[: number - 1], 1):
            if one.participant == other.participant and await _one_run(bench, one.run_id, other.run_id):
                told = (
                    f"It is of the same run as correction {earlier}, and would replace it: keep one of them."
                )
                refusals.append((number, Invalid(told, field="runId")))
                break
    if refusals:
        raise Refused("Two corrections are of one run.", tuple(refusals))


async def _one_run(bench: Workbench, one: str, other: str) -> bool:
    """Whether two ids, or beginnings of ids, are of one run. Of a run that isn't there, saving it says so."""
    if one == other or not _same(one, other):
        return one == other
    try:
        return (await bench.runs.get(one)).id == (await bench.runs.get(other)).id
    except WorkbenchError:
        return False


def _correction(value: Json, whose: Whose) -> NewCorrection:
    if not isinstance(value, dict):
        raise LimitError("expect", "A correction is an object of fields, such as `decisions: right`.")
    expect = read_expectation(value, BESIDE)
    run_id = _text(value, "runId")
    if run_id is None and whose.run_id is None:
        raise LimitError("runId", "It names no run: give it a runId, or name the run on the command line.")
    if run_id is not None and whose.run_id is not None and not _same(run_id, whose.run_id):
        raise LimitError(
            "runId",
            f"Its runId is {run_id}, and the command line names {whose.run_id}: leave one of them out.",
        )
    return NewCorrection(
        run_id=run_id or whose.run_id or "",
        expect=expect,
        group=_text(value, "group") or whose.group,
        participant=_text(value, "participantId") or whose.participant,
    )


def _text(value: dict[str, Json], field: str) -> str | None:
    told = value.get(field)
    if told is None:
        return None
    try:
        return text_in_file(field, told)
    except Invalid as cause:
        raise LimitError(field, cause.sentence) from None


def _same(one: str, other: str) -> bool:
    """Whether two ids of a run, or beginnings of one, may name the same one."""
    return one.startswith(other) or other.startswith(one)
