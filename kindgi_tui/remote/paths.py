"""Where each operation stands in the two dialects, and which 0.4 paths are stated and which inferred.

0.1's paths are those of its OpenAPI document. Of 0.4 two are stated by its documents, the others are 0.1's with its
words renamed the same way; `wire.dialects` has the list and the words, which our server goes by too. A runtime may
keep an old name: each operation has its candidates, the newest name first, and the runtime's own OpenAPI document
decides.
"""

import re
from typing import Literal, NamedTuple

from kindgi_tui.wire.dialects import (
    OUR_PATHS,
    OWN_TEST_SET,
    RUN_CORRECTIONS,
    STATED_PATHS,
    TEST_CASES,
    path_04,
)

Names = Literal["0.1", "0.4"]
"""Which dialect's names the bodies of a route have."""

Source = Literal["0.1", "stated", "inferred", "ours"]
"""0.1's own OpenAPI document; 0.4's documents; renamed from 0.1; a path of our server."""


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
    """Whether 0.1, or our server, declares `Idempotency-Key` for it: only such a write is ever sent again."""
    steady: bool = False
    """Whether asking again does nothing twice by itself. Its key lasts for one call: were it kept until it is answered,
    the same asked later, when more was said in between, would be answered with what came of it before."""
    instead: str = ""
    """A sentence on what to do at a runtime that doesn't offer it."""


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

_CORRECTIONS = "corrections of runs"
_PULL = "Copy the runs into a workspace with `kindgi-tui runs pull`, and correct them there."
_OWN = "agents' own test sets"
_BUILD = "Build a test set from judged runs, or copy the runs into a workspace with `kindgi-tui runs pull`."

ONLY_NEW: dict[str, Operation] = {
    "agents.test-set": Operation("GET", OWN_TEST_SET, _OWN, "suite", instead=_BUILD),
    "own-sets.list": Operation("GET", "/v1/agent-test-sets", _OWN, "suite", instead=_BUILD),
    "own-sets.freeze": Operation(
        "POST",
        f"{OWN_TEST_SET}/freeze",
        f"freezing {_OWN} by itself",
        "suite",
        keyed=True,
        steady=True,
        instead="Starting a comparison on one freezes it.",
    ),
    "own-cases.list": Operation(
        "GET", f"{OWN_TEST_SET}/cases", f"the cases of {_OWN}", "case", instead=_BUILD
    ),
    "own-cases.add": Operation(
        "POST", f"{OWN_TEST_SET}/cases", f"adding cases to {_OWN}", "case", keyed=True, instead=_BUILD
    ),
    "own-cases.get": Operation("GET", TEST_CASES, f"the cases of {_OWN}", "case", instead=_BUILD),
    "own-cases.retire": Operation(
        "POST", f"{TEST_CASES}/retire", "retiring cases", "case", keyed=True, steady=True, instead=_BUILD
    ),
    "own-cases.bring-back": Operation(
        "POST",
        f"{TEST_CASES}/bring-back",
        "bringing cases back",
        "case",
        keyed=True,
        steady=True,
        instead=_BUILD,
    ),
    "corrections.create": Operation(
        "POST", RUN_CORRECTIONS, _CORRECTIONS, "runCorrection", keyed=True, steady=True, instead=_PULL
    ),
    "corrections.several": Operation(
        "POST",
        f"{RUN_CORRECTIONS}/several",
        _CORRECTIONS,
        "runCorrections",
        keyed=True,
        steady=True,
        instead=_PULL,
    ),
    "corrections.list": Operation("GET", RUN_CORRECTIONS, _CORRECTIONS, "runCorrection", instead=_PULL),
    "corrections.get": Operation(
        "GET", f"{RUN_CORRECTIONS}/{{}}", _CORRECTIONS, "runCorrection", instead=_PULL
    ),
    "corrections.unregister": Operation(
        "POST",
        f"{RUN_CORRECTIONS}/{{}}/unregister",
        _CORRECTIONS,
        "unregistered",
        keyed=True,
        steady=True,
        instead=_PULL,
    ),
    "corrections.history": Operation(
        "GET", "/v1/runs/{}/run-corrections", _CORRECTIONS, "runCorrection", instead=_PULL
    ),
    "corrections.take-back": Operation(
        "POST",
        "/v1/runs/{}/run-corrections/take-back",
        _CORRECTIONS,
        "runCorrectionTakenBack",
        keyed=True,
        steady=True,
        instead=_PULL,
    ),
}
"""Operations that 0.1 doesn't have. One path of them is stated by 0.4's documents, the others are our server's."""

_ID = re.compile(r"\{[^}]*\}")
STATED = frozenset((method, _ID.sub("{}", path)) for method, path in STATED_PATHS)
"""The 0.4 paths its documents state, each id as `{}`."""
OURS = frozenset((method, _ID.sub("{}", path)) for method, path in OUR_PATHS)
"""The 0.4 paths that are our server's, each id as `{}`; every other one is inferred."""


def candidates(operation: str) -> tuple[Route, ...]:
    """The ways to an operation, 0.4's first. A 0.4 runtime offers those its OpenAPI document has.

    A path that both dialects write the same has the names of the dialect that is spoken: it comes once, as 0.4's.
    """
    known = OPERATIONS.get(operation) or ONLY_NEW[operation]
    path = _ID.sub("{}", path_04(known.path))
    place = (known.method, path)
    source: Source = "stated" if place in STATED else "ours" if place in OURS else "inferred"
    newer = Route(known.method, path, "0.4", source)
    return (newer,) if operation in ONLY_NEW else (newer, Route(known.method, known.path, "0.1", "0.1"))
