"""What 0.4's documents print, letter by letter: both sides must read it and write it.

Where a document leaves something out it prints an ellipsis; `read` leaves that out too.
"""

import json
import re
from typing import Any

EXAMPLE_BODY = """{ "projectId": "2489E9AD-2EE2-8E00-8EC9-32D5F69181C0", "agentRef": { "agentId": "example", "version": "example" }, "flowRef": { "flowId": "example", "version": "example" }, "dryRun": true, "correlationId": "example", "baseline": "recorded", "reads": "recorded", "repetitions": 1, "k": 1, "versions": { "tools": { "additionalProperty": "example" }, "agents": { "additionalProperty": "example" } }, "groupWeights": "as-recorded", "overrides": { "settings": { "additionalProperty": {} }, "prompts": { "additionalProperty": { "template": "example" } } }, "sample": { "part": "search", "seed": "example", "holdOutShare": 1 } }"""  # noqa: E501
"""Document 002's request: both references at once, which its 400 is for."""

STARTED = """{
"testRunId": "2489E9AD-2EE2-8E00-8EC9-32D5F69181C0",
"dryRunPreview": {}
}"""
"""Document 002's answer to a start."""

ENVELOPE = """{
"error": {
"code": "example",
"message": "example",
"details": {},
"requestId": "example"
}
}"""
"""Document 002's answer to whatever is refused."""

RUN = """{ "testRunId": "b0b9f27a-14d9-4a4d-bc46-31aea6948d5f", "testSetId": "agent.acme-ops.article-picker.<project-id>", "testSetVersion": "1.0.3", "status": "completed", "result": { "summary": { "cases": 3, "candidate": { "kind": "agent", "agentId": "acme-ops.article-picker", "version": "0.2.0" }, "baseline": { "kind": "recorded", "versions": [{ "agentId": "acme-ops.article-picker", "version": "0.1.0", "cases": 3 }] }, "metrics": { "passRate": { "baseline": 0.3333333333333333, "candidate": 1, "delta": 0.6666666666666667, "n": 3, … }, "caseCoverage": { "baseline": 0.75, "candidate": 0.5, "delta": -0.25, "n": 3, … }, "weightedPrecisionAtK": { "k": 10, "baseline": 0.3333333333333333, "candidate": 1, "delta": 0.6666666666666667, "n": 3, … } }, "diverged": 1, "refusedWrites": 0, "errors": 0, "sampling": { "models": [{ "providerId": "anthropic", "model": "claude-sonnet-5-5", "runs": 3 }] }, … }, "perCase": [ … ] }, …}"""  # noqa: E501
"""Document 001's run."""

PER_CASE = """{ "caseId": "240c0a0b-542b-4cb1-9156-fe7153a4377a", "runIds": ["732235ae-2321-46fe-876e-9e9818671cbf"], "changes": { "kept": [{ "key": "kb-101", "rankBefore": 0, "rank": 0 }], "dropped": [{ "key": "kb-102", "rankBefore": 1 }, { "key": "kb-103", "rankBefore": 2 }], "new": [{ "key": "answer", "pointer": "/appended/3/content" }] }, "tools": [ { "toolId": "acme-ops.search-articles", "toolVersion": "0.1.0", "arguments": { "query": "I forgot my password and can't sign in" }, "source": "live", … } ], "diverged": true, "refusedWrites": 0, …}"""  # noqa: E501
"""Document 001's case."""

CORRECTION = """{ "correctionId": "8f2c4e1a-6b0d-4c3e-9a57-2d1f0b7e4c93", "pass": false, "repetitionsPassed": 1, "repetitions": 3, "why": "It never says how long the refund takes.", "parts": { "decisions": true, "answer": false }}"""  # noqa: E501
"""Document 001's entry of a case's corrections."""

FLOW_CANDIDATE = """{ "kind": "flow", "flowId": "acme-ops.suggest-articles", "version": "0.1.0", "versions": { "tools": { "acme-ops.find-articles": "0.2.0" } } }"""  # noqa: E501
"""Document 001's candidate with a swapped tool."""

_ELLIPSIS = re.compile(r",?\s*…\s*")


def read(text: str) -> Any:
    """The JSON of a document, what it leaves out left out."""
    return json.loads(_ELLIPSIS.sub("", text))


def is_within(told: Any, found: Any, but: frozenset[str] = frozenset()) -> bool:
    """Whether everything a document tells stands in what was found; `but`: fields whose values are each one's own."""
    if isinstance(told, dict):
        return isinstance(found, dict) and all(
            name in found and (name in but or is_within(value, found[name], but))
            for name, value in told.items()
        )
    if isinstance(told, list):
        return isinstance(found, list) and (
            not told
            or (
                len(told) == len(found)
                and all(is_within(one, other, but) for one, other in zip(told, found, strict=True))
            )
        )
    return bool(told == found)
