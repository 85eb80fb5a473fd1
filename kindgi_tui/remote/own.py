"""What the 0.4 dialect alone has, as the domain's models: corrections of runs, agents' own test sets, their cases."""

from typing import Literal

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import Correction, Expectation
from kindgi_tui.domain.limits import LimitError
from kindgi_tui.domain.own_test_sets import NewCase, OwnCase, OwnTestSet
from kindgi_tui.remote import v01
from kindgi_tui.remote.failures import garbled
from kindgi_tui.remote.reading import moment, moment_if, text, text_if, whole
from kindgi_tui.remote.runtime import given
from kindgi_tui.wire.expectations import FIELDS, read_expectation, written_expectation

Body = dict[str, Json]
"""The body of a write."""


def correction(value: dict[str, Json]) -> Correction:
    """A correction of a run. Raises Unavailable (`invalid-response`)."""
    what = "a correction"
    told = value.get("assertedBy")
    return Correction(
        id=text(value, "id", what),
        run_id=text(value, "runId", what),
        expect=_expectation(value.get("expect")),
        group_id=text_if(value, "groupId"),
        expert=value.get("expert") is True,
        asserter=(text_if(told, "id") if isinstance(told, dict) else None) or "",
        participant=text_if(value, "participantId"),
        created_at=moment(value, "createdAt", what),
        ended_at=moment_if(value, "endedAt"),
        superseded_by=text_if(value, "supersededBy"),
    )


def _expectation(value: Json) -> Expectation:
    """What was expected; fields of a newer runtime that this program doesn't know are left out."""
    known = (
        {name: field for name, field in value.items() if name in FIELDS} if isinstance(value, dict) else value
    )
    try:
        return read_expectation(known)
    except LimitError as cause:
        raise garbled(f"what a correction expects is wrong: {cause.sentence}") from None


def correction_body(
    run_id: str, expect: Expectation, group_id: str | None, participant: str | None
) -> dict[str, Json]:
    """The body of a correction."""
    told: Json = written_expectation(expect)
    return given({"runId": run_id, "expect": told, "groupId": group_id, "participantId": participant})


def own_test_set(value: dict[str, Json], agent_id: str | None = None) -> OwnTestSet:
    """An agent's own test set. `agent_id`: whose it was asked for; a runtime may leave that out, and what is ours."""
    what = "an agent's own test set"
    told = value.get("spec")
    spec = told if isinstance(told, dict) else {}
    agent = text_if(value, "agentId") or agent_id
    frozen = moment_if(value, "frozenAt") or moment_if(spec, "builtAt") or moment_if(value, "createdAt")
    version = text_if(value, "version")
    count = whole(value, "caseCount", whole(spec, "caseCount"))
    return OwnTestSet(
        id=text(value, "id", what),
        agent_id=agent if agent is not None else text(value, "agentId", what),
        project_id=text_if(value, "projectId") or text_if(spec, "projectId") or "",
        case_count=count,
        available=max(count, whole(value, "available", count)),
        retired=whole(value, "retired"),
        version=version,
        frozen_at=None if version is None else frozen,
        changed=value.get("changed") is True or version is None,
    )


def own_case(value: dict[str, Json]) -> OwnCase:
    """A case of an agent's own test set, in 0.1's names but for what 0.1 doesn't have. Raises Unavailable."""
    what = "a case"
    source: Literal["run", "hand"] = "hand" if value.get("source") == "hand" else "run"
    case = v01.case({name: field for name, field in value.items() if name not in _BESIDE or name == "runId"})
    return OwnCase(
        case=case,
        source=source,
        by=text_if(value, "by"),
        created_at=moment(value, "createdAt", what),
        retired_at=moment_if(value, "retiredAt"),
        retired_by=text_if(value, "retiredBy"),
    )


_BESIDE = frozenset(("source", "by", "createdAt", "retiredAt", "retiredBy"))


def case_body(new: NewCase, project_id: str, run_id: str | None) -> dict[str, Json]:
    """The body of a case that is added by hand."""
    expect: Json = written_expectation(new.expect)
    items: list[Json] = [{"key": item.key, "verdict": item.verdict} for item in new.items]
    told: dict[str, Json] = {"projectId": project_id, "runId": run_id, "input": new.input}
    return given({**told, "expect": expect or None, "items": items or None})


def take_back_body(correction_id: str, participant: str | None) -> dict[str, Json]:
    """The body of taking back: it names the live correction, so that no other is ever taken back instead."""
    return given({"correctionId": correction_id, "participantId": participant})


def freeze_body(project_id: str) -> dict[str, Json]:
    """The body of freezing an own test set."""
    return {"projectId": project_id}
