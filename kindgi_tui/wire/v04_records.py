"""The 0.4 wire's records that 0.1 has nothing like, as a server gives them: corrections of runs, agents' own test sets
and their cases.

A test set version's `id`, `version`, `kind` and `spec` are inferred from 0.1's record; of a correction `expert`, and
of a case `expect`, `expert` and `caseId` are stated; the rest is ours. What isn't there is left out, never null.
"""

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import Correction
from kindgi_tui.domain.own_test_sets import OwnCase, OwnTestSet
from kindgi_tui.domain.runs import Run
from kindgi_tui.domain.test_set_versions import TestSetVersion
from kindgi_tui.wire import v01_test_sets, v04
from kindgi_tui.wire.dialects import answer_04
from kindgi_tui.wire.v01 import dump, time_text


def correction(value: Correction, about: Run, tenant: str, kind: str) -> dict[str, Json]:
    """A correction of the run `about`, live or not; `kind`: whether a `user` or a `service` said it."""
    subject = about.subject
    shaped = v04.correction(value, kind)
    return {
        "id": value.id,
        "tenantId": tenant,
        "projectId": about.project_id,
        "runId": value.run_id,
        "subject": {"kind": subject.kind, "id": subject.id, "version": subject.version},
        **shaped,
        "expect": dump(shaped["expect"]),
    }


def own_test_set(value: OwnTestSet, newest: TestSetVersion | None, tenant: str) -> dict[str, Json]:
    """An agent's own test set as it stands now, beside its newest frozen version where there is one.

    `caseCount` is what freezing it now would take, `spec.caseCount` what that version holds.
    """
    shaped: dict[str, Json] = {
        "id": value.id,
        "tenantId": tenant,
        "projectId": value.project_id,
        "kind": "corrections",
        "agentId": value.agent_id,
    }
    if newest is not None:
        frozen = answer_04("suite", v01_test_sets.suite(newest, tenant))
        shaped |= frozen if isinstance(frozen, dict) else {}
        shaped["frozenAt"] = time_text(newest.created_at)
    return shaped | {
        "caseCount": value.case_count,
        "available": value.available,
        "truncated": value.truncated,
        "retired": value.retired,
        "changed": value.changed,
    }


def own_case(value: OwnCase) -> dict[str, Json]:
    """A case of an agent's own test set, live or retired, its tools' environment values hidden."""
    shaped = answer_04("case", v01_test_sets.case(value.case))
    if not isinstance(shaped, dict):
        raise TypeError("a case is an object")
    about: dict[str, Json] = {
        "runId": value.run_id,
        "source": value.source,
        "by": value.by,
        "createdAt": time_text(value.created_at),
        "retiredAt": None if value.retired_at is None else time_text(value.retired_at),
        "retiredBy": value.retired_by,
    }
    return shaped | v04.without_none(about)
