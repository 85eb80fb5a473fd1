"""Where each operation stands in the two dialects, and which 0.4 paths are stated and which inferred.

0.1's paths are those of its OpenAPI document. Of 0.4 two are stated by its documents: starting a test run
(`POST /v1/test-sets/{testSetId}/runs`) and an agent's own test set (`GET /v1/agents/{agentId}/test-set`). The others
are 0.1's with its words renamed the same way: eval suite → test set, eval run → test run, judgment → correction,
judge class → corrector group. A runtime may keep an old name: each operation has its candidates, newest name first,
and the runtime's own OpenAPI document decides.
"""

from typing import Literal, NamedTuple

Names = Literal["0.1", "0.4"]
"""Which dialect's names the bodies of a route have."""

Source = Literal["0.1", "stated", "inferred"]
"""0.1's own OpenAPI document; 0.4's documents; renamed from 0.1."""


class Route(NamedTuple):
    """One way to an operation."""

    method: str
    """The HTTP method."""
    path: str
    """The path; each `{}` is one id."""
    names: Names
    """The names its bodies have."""
    source: Source
    """Where it is known from."""


class Operation(NamedTuple):
    """Something a runtime can be asked, in 0.1's words."""

    method: str
    """The HTTP method."""
    path: str
    """0.1's path."""
    what: str
    """What is asked for, for the sentence that it isn't offered."""
    shape: str
    """What the answer (or each row of it) is; `v04` renames by it."""
    keyed: bool = False
    """Whether 0.1 declares `Idempotency-Key` for it: only such a write is ever sent again."""


OPERATIONS: dict[str, Operation] = {
    "whoami": Operation("GET", "/v1/identity/whoami", "saying who a token is", "whoami"),
    "projects.list": Operation("GET", "/v1/projects", "projects", "project"),
    "projects.default": Operation("GET", "/v1/projects/default", "a default project", "project"),
    "projects.get": Operation("GET", "/v1/projects/{}", "projects", "project"),
    "runs.list": Operation("GET", "/v1/runs", "runs", "run"),
    "runs.get": Operation("GET", "/v1/runs/{}", "runs", "run"),
    "runs.journal": Operation("GET", "/v1/runs/{}/journal", "journals of runs", "event"),
    "runs.start": Operation("POST", "/v1/runs", "starting runs", "run", keyed=True),
    "conversations.list": Operation("GET", "/v1/conversations", "conversations", "conversation"),
    "conversations.get": Operation("GET", "/v1/conversations/{}", "conversations", "conversation"),
    "conversations.messages": Operation(
        "GET", "/v1/conversations/{}/messages", "messages of conversations", "message"
    ),
    "agents.list": Operation("GET", "/v1/agents", "agents", "entry"),
    "agents.get": Operation("GET", "/v1/agents/{}", "agents", "entry"),
    "agents.versions": Operation("GET", "/v1/agents/{}/versions", "versions of agents", "entry"),
    "agents.version": Operation("GET", "/v1/agents/{}/versions/{}", "versions of agents", "entry"),
    "flows.list": Operation("GET", "/v1/flows", "flows", "entry"),
    "flows.get": Operation("GET", "/v1/flows/{}", "flows", "entry"),
    "flows.versions": Operation("GET", "/v1/flows/{}/versions", "versions of flows", "entry"),
    "flows.version": Operation("GET", "/v1/flows/{}/versions/{}", "versions of flows", "entry"),
    "tools.list": Operation("GET", "/v1/tools", "tools", "entry"),
    "tools.get": Operation("GET", "/v1/tools/{}", "tools", "entry"),
    "tools.versions": Operation("GET", "/v1/tools/{}/versions", "versions of tools", "entry"),
    "tools.version": Operation("GET", "/v1/tools/{}/versions/{}", "versions of tools", "entry"),
    "judgments.create": Operation("POST", "/v1/judgments", "judging", "judgment", keyed=True),
    "judgments.list": Operation("GET", "/v1/judgments", "judgments", "judgment"),
    "judgments.get": Operation("GET", "/v1/judgments/{}", "judgments", "judgment"),
    "judgments.unregister": Operation(
        "POST", "/v1/judgments/{}/unregister", "removing judgments", "unregistered", keyed=True
    ),
    "groups.create": Operation("POST", "/v1/judge-classes", "making groups", "group", keyed=True),
    "groups.list": Operation("GET", "/v1/judge-classes", "groups", "group"),
    "groups.get": Operation("GET", "/v1/judge-classes/{}", "groups", "group"),
    "groups.change": Operation("PATCH", "/v1/judge-classes/{}", "changing groups", "group", keyed=True),
    "groups.retire": Operation(
        "POST", "/v1/judge-classes/{}/unregister", "retiring groups", "unregistered", keyed=True
    ),
    "queue.list": Operation("GET", "/v1/projects/{}/judging-queue", "a judging queue", "queued"),
    "queue.dismiss": Operation(
        "POST", "/v1/projects/{}/judging-queue/{}/dismiss", "dismissing from the judging queue", "queued"
    ),
    "queue.reopen": Operation(
        "POST", "/v1/projects/{}/judging-queue/{}/reopen", "reopening in the judging queue", "queued"
    ),
    "suites.list": Operation("GET", "/v1/eval-suites", "test sets", "suite"),
    "suites.get": Operation("GET", "/v1/eval-suites/{}", "test sets", "suite"),
    "suites.versions": Operation("GET", "/v1/eval-suites/{}/versions", "versions of test sets", "suite"),
    "suites.version": Operation("GET", "/v1/eval-suites/{}/versions/{}", "versions of test sets", "suite"),
    "suites.build": Operation(
        "POST", "/v1/eval-suites/{}/versions/from-judgments", "building test sets", "built", keyed=True
    ),
    "suites.cases": Operation("GET", "/v1/eval-suites/{}/versions/{}/cases", "cases of test sets", "case"),
    "comparisons.start": Operation(
        "POST", "/v1/eval-suites/{}/runs", "starting comparisons", "started", keyed=True
    ),
    "comparisons.list": Operation("GET", "/v1/eval-runs", "comparisons", "comparison"),
    "comparisons.get": Operation("GET", "/v1/eval-runs/{}", "comparisons", "comparison"),
    "comparisons.cancel": Operation(
        "POST", "/v1/eval-runs/{}/cancel", "cancelling comparisons", "comparison"
    ),
    "comparisons.rescore": Operation("POST", "/v1/eval-runs/{}/rescore", "rescoring comparisons", "started"),
}
"""Everything a runtime is asked, by our names. An agent's own test set is 0.4's alone (`ONLY_NEW`)."""

ONLY_NEW: dict[str, Operation] = {
    "agents.test-set": Operation("GET", "/v1/agents/{}/test-set", "an agent's own test set", "suite"),
}
"""Operations that 0.1 doesn't have."""

STATED: frozenset[str] = frozenset({"comparisons.start", "agents.test-set"})
"""Operations whose 0.4 path its documents state; every other one is inferred."""

RENAMED: tuple[tuple[str, str], ...] = (
    ("from-judgments", "from-corrections"),
    ("judge-classes", "corrector-groups"),
    ("judging-queue", "correcting-queue"),
    ("eval-suites", "test-sets"),
    ("eval-runs", "test-runs"),
    ("judgments", "corrections"),
)
"""Words of 0.1's paths, and of 0.4's."""


def candidates(operation: str) -> tuple[Route, ...]:
    """The ways to an operation, 0.4's first. A 0.4 runtime offers those its OpenAPI document has."""
    source: Source = "stated" if operation in STATED else "inferred"
    if operation in ONLY_NEW:
        known = ONLY_NEW[operation]
        return (Route(known.method, known.path, "0.4", source),)
    known = OPERATIONS[operation]
    old = Route(known.method, known.path, "0.1", "0.1")
    found: list[Route] = []
    for path in _renamed_paths(known.path):
        if path != known.path:
            found.append(Route(known.method, path, "0.4", source))
    return (*found, old)


def _renamed_paths(path: str) -> tuple[str, ...]:
    """The path with every word renamed, then with its collection's name alone."""
    parts = path.split("/")
    names = dict(RENAMED)
    whole = "/".join(names.get(part, part) for part in parts)
    first = next((place for place, part in enumerate(parts) if part in names), None)
    if first is None:
        return (path,)
    partly = "/".join([*parts[:first], names[parts[first]], *parts[first + 1 :]])
    return (whole,) if partly == whole else (whole, partly)
