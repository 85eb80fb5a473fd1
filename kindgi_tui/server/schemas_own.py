"""The schemas of what the 0.4 dialect alone has: corrections of runs, agents' own test sets and their cases."""

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import CALLS_LIMIT, TEXT_LIMIT
from kindgi_tui.domain.own_test_sets import INPUT_LIMIT, ITEMS_LIMIT
from kindgi_tui.server.schemas import (
    ANYTHING,
    COUNT,
    FLAG,
    LIST,
    OBJECT,
    TEXT,
    TIME,
    UUID,
    VERSION,
    WORD,
    record,
    words,
)

MOST_AT_ONCE = 1_000
"""The most corrections one request may bring."""


def closed(required: dict[str, Json], optional: dict[str, Json] | None = None) -> dict[str, Json]:
    """An object with these fields and no other."""
    return {**record(required, optional), "additionalProperties": False}


def _texts(most: int) -> dict[str, Json]:
    return {"type": "string", "minLength": 1, "maxLength": most}


def _upto(most: int, of: dict[str, Json]) -> dict[str, Json]:
    return {"type": "array", "maxItems": most, "items": of}


_MARK = words("right", "wrong")
EXPECT: dict[str, Json] = closed(
    {},
    {
        "decisions": _MARK,
        "shouldCall": _upto(CALLS_LIMIT, closed({"toolId": WORD}, {"args": OBJECT})),
        "mustNotCall": _upto(CALLS_LIMIT, WORD),
        "answer": _MARK,
        "shouldSay": _texts(TEXT_LIMIT),
        "why": _texts(TEXT_LIMIT),
    },
)
"""What a run should have done."""

_SUBJECT = record({"kind": words("agent", "flow"), "id": TEXT, "version": TEXT})
_CORRECTION = record(
    {
        "id": UUID,
        "tenantId": UUID,
        "projectId": UUID,
        "runId": TEXT,
        "subject": _SUBJECT,
        "expect": EXPECT,
        "assertedBy": record({"kind": words("user", "service"), "id": TEXT}),
        "createdAt": TIME,
    },
    {
        "groupId": TEXT,
        "expert": FLAG,
        "participantId": TEXT,
        "endedAt": TIME,
        "supersededBy": UUID,
        "notes": LIST,
    },
)

OWN_ANSWERS: dict[str, dict[str, Json]] = {
    "runCorrection": _CORRECTION,
    "runCorrections": record({"data": {"type": "array", "items": _CORRECTION}}),
    "runCorrectionRemoved": record({"correctionId": UUID, "unregistered": FLAG}),
    "runCorrectionTakenBack": record({"runId": TEXT}, {"correction": _CORRECTION}),
    "ownTestSet": record(
        {
            "id": TEXT,
            "tenantId": UUID,
            "projectId": UUID,
            "kind": words("corrections"),
            "agentId": TEXT,
            "caseCount": COUNT,
            "available": COUNT,
            "truncated": FLAG,
            "retired": COUNT,
            "changed": FLAG,
        },
        {"version": VERSION, "spec": OBJECT, "frozenAt": TIME},
    ),
    "ownCase": record(
        {
            "caseId": TEXT,
            "subject": _SUBJECT,
            "input": ANYTHING,
            "output": ANYTHING,
            "items": LIST,
            "source": words("run", "hand"),
            "createdAt": TIME,
        },
        {
            "runId": TEXT,
            "expect": EXPECT,
            "expert": FLAG,
            "fromNothing": FLAG,
            "by": TEXT,
            "retiredAt": TIME,
            "retiredBy": TEXT,
            "notes": LIST,
        },
    ),
}
"""What the answers have, by kind."""

_CORRECT = {"groupId": WORD, "participantId": WORD}
_NEW_CORRECTION = closed({"runId": WORD, "expect": EXPECT}, {**_CORRECT})

OWN_BODIES: dict[str, dict[str, Json]] = {
    "correctRun": _NEW_CORRECTION,
    "correctRuns": closed({"corrections": {"minItems": 1, **_upto(MOST_AT_ONCE, _NEW_CORRECTION)}}),
    "takeBack": closed({}, {"participantId": WORD, "correctionId": WORD}),
    "freeze": closed({"projectId": UUID}),
    "addCase": closed(
        {"projectId": UUID},
        {
            "runId": WORD,
            "input": _texts(INPUT_LIMIT),
            "expect": EXPECT,
            "items": _upto(ITEMS_LIMIT, closed({"key": WORD, "verdict": words("yes", "no")})),
        },
    ),
}
"""What the bodies may say."""
