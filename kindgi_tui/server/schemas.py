"""The schemas of the server's OpenAPI document: what each record has for certain, and what each body may say."""

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.limits import MAX_K, MAX_REPETITIONS, MAX_SEED, MAX_SHARE, MIN_SHARE

TEXT: dict[str, Json] = {"type": "string"}
WORD: dict[str, Json] = {"type": "string", "minLength": 1}
UUID: dict[str, Json] = {"type": "string", "format": "uuid"}
TIME: dict[str, Json] = {"type": "string", "format": "date-time"}
NUMBER: dict[str, Json] = {"type": "number"}
COUNT: dict[str, Json] = {"type": "integer", "minimum": 0}
FLAG: dict[str, Json] = {"type": "boolean"}
OBJECT: dict[str, Json] = {"type": "object"}
LIST: dict[str, Json] = {"type": "array"}
ANYTHING: dict[str, Json] = {}
VERSION: dict[str, Json] = {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"}


def words(*values: str) -> dict[str, Json]:
    """One of these words."""
    return {"type": "string", "enum": list(values)}


def record(required: dict[str, Json], optional: dict[str, Json] | None = None) -> dict[str, Json]:
    """An object with these fields, perhaps more."""
    names: list[Json] = list(required)
    return {"type": "object", "required": names, "properties": {**required, **(optional or {})}}


_SUBJECT = record({"kind": words("agent", "flow"), "id": TEXT, "version": TEXT})
_ITEM = record({"key": WORD}, {"pointer": TEXT, "rank": COUNT})
_RUN_STATUS = words("pending", "running", "suspended", "completed", "failed", "cancelled")
_STATUS = words("pending", "running", "completed", "failed", "cancelled")

ANSWERS: dict[str, dict[str, Json]] = {
    "whoami": record({"tenantId": UUID, "scopes": LIST, "actor": TEXT, "principal": OBJECT}),
    "project": record(
        {
            "id": UUID,
            "tenantId": UUID,
            "name": TEXT,
            "slug": TEXT,
            "isDefault": FLAG,
            "createdAt": TIME,
            "updatedAt": TIME,
        }
    ),
    "run": record(
        {
            "id": TEXT,
            "tenantId": UUID,
            "projectId": UUID,
            "flowId": TEXT,
            "flowVersion": TEXT,
            "status": _RUN_STATUS,
            "dryRun": FLAG,
            "createdAt": TIME,
            "updatedAt": TIME,
        },
        {
            "completedAt": TIME,
            "output": ANYTHING,
            "failure": record({"code": TEXT, "message": TEXT}),
            "agent": record({"id": TEXT, "version": TEXT}),
            "segments": LIST,
            "replayOf": TEXT,
            "evalRunId": UUID,
            "startedBy": words("person", "key", "schedule", "webhook", "event"),
        },
    ),
    "journalEntry": record({"sequence": COUNT, "kind": TEXT, "timestamp": TIME}, {"payload": ANYTHING}),
    "conversation": record(
        {
            "id": TEXT,
            "tenantId": UUID,
            "agentId": TEXT,
            "agentVersion": TEXT,
            "title": TEXT,
            "status": words("open", "closed"),
            "openedAt": TIME,
            "turnCount": COUNT,
        }
    ),
    "message": record(
        {
            "sequence": COUNT,
            "role": words("user", "agent", "tool", "system"),
            "content": ANYTHING,
            "createdAt": TEXT,
        }
    ),
    "agent": record({"id": TEXT, "version": TEXT, "name": TEXT, "tools": LIST}, {"instructions": ANYTHING}),
    "flow": record({"id": TEXT, "version": TEXT}),
    "tool": record({"id": TEXT, "version": TEXT, "description": TEXT}),
    "judgment": record(
        {
            "id": TEXT,
            "tenantId": UUID,
            "projectId": UUID,
            "runId": TEXT,
            "subject": _SUBJECT,
            "item": _ITEM,
            "verdict": words("yes", "no"),
            "assertedBy": record({"kind": words("user", "service"), "id": TEXT}),
            "createdAt": TIME,
        },
        {"reason": TEXT, "judgeClassId": TEXT, "restricted": FLAG, "run": OBJECT, "itemValue": ANYTHING},
    ),
    "judgmentRemoved": record({"judgmentId": TEXT, "unregistered": FLAG}),
    "group": record(
        {
            "id": TEXT,
            "tenantId": UUID,
            "scope": record({"kind": words("tenant", "workspace", "project", "agent")}),
            "name": TEXT,
            "weight": NUMBER,
            "createdAt": TIME,
            "updatedAt": TIME,
        },
        {"description": TEXT, "assertableBy": OBJECT, "unregisteredAt": TIME},
    ),
    "groupRetired": record({"judgeClassId": TEXT, "unregistered": FLAG}),
    "queued": record(
        {
            "runId": TEXT,
            "projectId": UUID,
            "flowId": TEXT,
            "runStatus": _RUN_STATUS,
            "addedAt": TIME,
            "state": words("open", "judged", "dismissed", "erased"),
            "can": record({"dismiss": FLAG, "reopen": FLAG}),
            "progress": OBJECT,
        }
    ),
    "suite": record(
        {
            "id": TEXT,
            "tenantId": UUID,
            "projectId": UUID,
            "version": VERSION,
            "kind": words("judged", "corrections"),
            "spec": OBJECT,
        },
        {"description": TEXT},
    ),
    "built": record(
        {
            "suiteId": TEXT,
            "version": VERSION,
            "kind": words("judged", "corrections"),
            "caseCount": COUNT,
            "truncated": FLAG,
        }
    ),
    "case": record(
        {"caseId": TEXT, "subject": _SUBJECT, "input": ANYTHING, "output": ANYTHING, "items": LIST}
    ),
    "started": record({"runId": UUID}, {"dryRunPreview": OBJECT}),
    "comparison": record(
        {
            "runId": UUID,
            "tenantId": UUID,
            "projectId": UUID,
            "suiteId": TEXT,
            "suiteVersion": VERSION,
            "kind": words("judged", "corrections"),
            "status": _STATUS,
            "dryRun": FLAG,
            "startedAt": TIME,
        },
        {"completedAt": TIME, "result": OBJECT, "error": TEXT, "cancelReason": TEXT, "comparison": OBJECT},
    ),
    "error": record(
        {"error": record({"code": TEXT, "message": TEXT, "requestId": TEXT}, {"details": OBJECT})}
    ),
}
"""What the answers have, by kind, in 0.1's names."""

_SEGMENTS: dict[str, Json] = {
    "type": "array",
    "maxItems": 8,
    "items": record({"key": WORD, "value": WORD}),
}
_SCOPE = record({"kind": words("tenant", "project", "agent")}, {"projectId": UUID, "agentId": WORD})
_ASSERTABLE: dict[str, Json] = {
    "type": ["object", "null"],
    "minProperties": 1,
    "properties": {
        "minReviewerRole": words("standard", "senior", "admin"),
        "principalKinds": {"type": "array", "minItems": 1, "items": words("user", "service")},
        "principalIds": {"type": "array", "minItems": 1, "maxItems": 100, "items": WORD},
    },
    "additionalProperties": False,
}
_WEIGHT: dict[str, Json] = {"type": "number", "minimum": 0}
_SWAPS: dict[str, Json] = {"type": "object", "additionalProperties": WORD}

BODIES: dict[str, dict[str, Json]] = {
    "startRun": record(
        {"input": ANYTHING},
        {
            "agent": WORD,
            "agentVersion": TEXT,
            "flow": WORD,
            "flowVersion": TEXT,
            "projectId": UUID,
            "segments": _SEGMENTS,
            "options": record({}, {"wait": FLAG, "dryRun": FLAG}),
        },
    ),
    "createJudgment": record(
        {"runId": WORD, "item": _ITEM, "verdict": words("yes", "no")},
        {"reason": {"type": "string", "maxLength": 4000}, "judgeClassId": WORD, "participantId": WORD},
    ),
    "createGroup": record(
        {"name": {"type": "string", "minLength": 1, "maxLength": 100}, "weight": _WEIGHT, "scope": _SCOPE},
        {"description": TEXT, "assertableBy": _ASSERTABLE},
    ),
    "changeGroup": record({}, {"weight": _WEIGHT, "description": TEXT, "assertableBy": _ASSERTABLE}),
    "dismiss": record({}, {"reason": {"type": "string", "maxLength": 500}}),
    "rescore": record({}, {"projectId": UUID}),
    "buildSuite": record(
        {"version": VERSION, "projectId": UUID},
        {
            "agentId": WORD,
            "agentVersion": WORD,
            "flowId": WORD,
            "since": TIME,
            "until": TIME,
            "judgeClassIds": {"type": "array", "items": WORD},
            "minJudgments": {"type": "integer", "minimum": 1},
            "segments": _SEGMENTS,
            "description": TEXT,
        },
    ),
    "startComparison": record(
        {"projectId": UUID},
        {
            "agentRef": record({"agentId": WORD}, {"version": VERSION}),
            "flowRef": record({"flowId": WORD}, {"version": VERSION}),
            "dryRun": FLAG,
            "correlationId": WORD,
            "baseline": words("recorded"),
            "reads": words("recorded", "live"),
            "repetitions": {"type": "integer", "minimum": 1, "maximum": MAX_REPETITIONS},
            "k": {"type": "integer", "minimum": 1, "maximum": MAX_K},
            "versions": record({}, {"tools": _SWAPS, "agents": _SWAPS}),
            "classWeights": words("as-recorded", "restricted-only"),
            "overrides": record({}, {"settings": OBJECT, "prompts": OBJECT}),
            "sample": record(
                {
                    "part": words("search", "hold-out"),
                    "seed": {"type": "string", "minLength": 1, "maxLength": MAX_SEED},
                    "holdOutShare": {"type": "number", "minimum": MIN_SHARE, "maximum": MAX_SHARE},
                }
            ),
        },
    ),
}
"""What the bodies may say, in 0.1's names."""

PARAMETERS: dict[str, dict[str, Json]] = {
    "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 25},
    "verdict": words("yes", "no"),
    "replays": words("exclude", "include", "only"),
    "topLevel": words("true", "false"),
    "forMe": words("true", "false"),
    "state": words("open", "judged", "dismissed", "erased"),
    "scopeKind": words("tenant", "org", "project"),
    "openedBy": words("me"),
    "createdAfter": TIME,
    "createdBefore": TIME,
    "from": TIME,
    "to": TIME,
}
"""The query parameters that aren't plain text."""
