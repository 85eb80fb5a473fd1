"""The two dialects at the border: how 0.4 names what 0.1 names, in paths, queries, bodies, answers and errors.

Stated by 0.4's documents: `POST /v1/test-sets/{testSetId}/runs` with its body, answer and codes, and
`GET /v1/agents/{agentId}/test-set`. Ours are the paths that neither 0.1 nor its documents have (`OUR_PATHS`): what
runs should have done, and the cases of agents' own test sets. Every other 0.4 path is inferred: it is the 0.1 path with
the words renamed (DESIGN section 2). An answer's data (what agents said, inputs, outputs) is never renamed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from kindgi_tui.domain.base import Json
from kindgi_tui.wire import v04
from kindgi_tui.wire.queue_names import queued_04

Dialect = Literal["0.1", "0.4"]
"""A line of the runtime."""

DIALECTS: tuple[Dialect, ...] = ("0.1", "0.4")
"""Both, the older one first."""

RENAMED_PATHS = (
    ("/v1/eval-suites", "/v1/test-sets"),
    ("/v1/eval-runs", "/v1/test-runs"),
    ("/v1/judgments", "/v1/corrections"),
    ("/v1/judge-classes", "/v1/corrector-groups"),
    ("/versions/from-judgments", "/versions/from-corrections"),
)
"""Parts of paths: in 0.1, and in 0.4."""

STATED_PATHS = frozenset(
    {("POST", "/v1/test-sets/{testSetId}/runs"), ("GET", "/v1/agents/{agentId}/test-set")}
)
"""The 0.4 paths that its documents state."""

RUN_CORRECTIONS = "/v1/run-corrections"
"""Where what runs should have done is read and said; `/v1/corrections` has what people marked of their items."""

OWN_TEST_SET = "/v1/agents/{agentId}/test-set"
"""Where an agent's own test set stands; its cases, and freezing it, stand below."""

TEST_CASES = "/v1/test-cases/{caseId}"
"""Where one case of any agent's own test set stands, live or retired: its id alone names it."""

OUR_PATHS = frozenset(
    {
        ("GET", RUN_CORRECTIONS),
        ("POST", RUN_CORRECTIONS),
        ("POST", f"{RUN_CORRECTIONS}/several"),
        ("GET", f"{RUN_CORRECTIONS}/{{runCorrectionId}}"),
        ("POST", f"{RUN_CORRECTIONS}/{{runCorrectionId}}/unregister"),
        ("GET", "/v1/runs/{runId}/run-corrections"),
        ("POST", "/v1/runs/{runId}/run-corrections/take-back"),
        ("GET", "/v1/agent-test-sets"),
        ("GET", f"{OWN_TEST_SET}/cases"),
        ("POST", f"{OWN_TEST_SET}/cases"),
        ("POST", f"{OWN_TEST_SET}/freeze"),
        ("GET", TEST_CASES),
        ("POST", f"{TEST_CASES}/retire"),
        ("POST", f"{TEST_CASES}/bring-back"),
    }
)
"""The 0.4 paths that are ours: nothing says that another runtime has them, and its OpenAPI document decides."""

Source = Literal["stated", "inferred", "ours"]
"""Where a 0.4 path is known from."""

_PARAMETERS = {
    "suiteId": "testSetId",
    "judgeClassId": "groupId",
    "evalRunId": "testRunId",
    "judgmentId": "correctionId",
}
_QUERY = {"testSetId": "suiteId", "testRunId": "evalRunId", "groupId": "judgeClassId"}
_BODY = {"groupWeights": "classWeights", "groupId": "judgeClassId", "groupIds": "judgeClassIds"}
_CODES = (
    ("eval-suite", "test-set"),
    ("eval-run", "test-run"),
    ("judge-class", "corrector-group"),
    ("judgment-not-found", "correction-not-found"),
)
_WORDS = (
    ("'restricted-only' (only judgments recorded under a restricted class)",
     "'experts-only' (only corrections made under an expert group)"),
    ("(every judgment at its class's weight)", "(every correction at its group's weight)"),
    ("classWeights", "groupWeights"),
    ("judgeClassIds", "groupIds"),
    ("judgeClassId", "groupId"),
    ("evalRunId", "testRunId"),
    ("eval suite", "test set"),
    ("Eval suite", "Test set"),
    ("eval run", "test run"),
    ("Eval run", "Test run"),
    ("eval-run", "test-run"),
    ("may assert the class", "may assert the group"),
    ("judge classes", "corrector groups"),
    ("judge class", "corrector group"),
    ("Judge class", "Corrector group"),
    ("a judged run,", "a corrections run,"),
    ("whose judged runs", "whose corrected runs"),
    ("Unknown eval kind", "Unknown test set kind"),
    ("benchmark, custom, judged.", "benchmark, custom, corrections."),
    ("judgment", "correction"),
    ("Not allowed to judge run", "Not allowed to correct run"),
    ("has no output to judge", "has no output to correct"),
    ("You can't judge as", "You can't correct as"),
    ("in this tenant", "in this workspace"),
    ("its org or the tenant", "its org or the workspace"),
    ("'tenant'", "'workspace'"),
    ("(tenant is implicit", "(workspace is implicit"),
    ("Tenant has no Default", "Workspace has no Default"),
)  # fmt: skip
_SCOPE_TOLD = "scope is required: "
_DETAILS = {"suiteId": "testSetId", "evalKind": "testSetKind"}


def path_04(path: str) -> str:
    """A 0.1 path or template as 0.4 writes it; the same path where nothing was renamed."""
    for old, new in RENAMED_PATHS:
        path = path.replace(old, new)
    for old, new in _PARAMETERS.items():
        path = path.replace(f"{{{old}}}", f"{{{new}}}")
    return path


def source_of(method: str, path: str) -> Source:
    """Where a 0.4 path (a template, in 0.4's names) is known from."""
    if (method, path) in STATED_PATHS:
        return "stated"
    return "ours" if (method, path) in OUR_PATHS else "inferred"


def parameter_01(name: str) -> str:
    """A path or query parameter of 0.4 by its 0.1 name."""
    return {newer: older for older, newer in _PARAMETERS.items()}.get(name, name)


def query_01(query: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """A 0.4 query in 0.1's names; what only 0.1 knows is left out."""
    return [(_QUERY.get(name, name), value) for name, value in query if name not in _PARAMETERS]


def body_01(body: Json) -> Json:
    """A 0.4 request body in 0.1's names; fields that only 0.1 knows count as unknown."""
    if not isinstance(body, dict):
        return body
    renamed = {_BODY.get(name, name): value for name, value in body.items() if name not in _BODY.values()}
    weighing = renamed.get("classWeights")
    if weighing == "experts-only":
        renamed["classWeights"] = "restricted-only"
    elif weighing == "restricted-only":
        # 0.1's word is none of 0.4's; any value 0.1 doesn't know is refused like it.
        renamed["classWeights"] = "not a 0.4 word"
    scope = renamed.get("scope")
    if isinstance(scope, dict) and scope.get("kind") == "workspace":
        renamed["scope"] = {**scope, "kind": "tenant"}
    return renamed


def error_04(code: str, message: str, details: Mapping[str, Json]) -> tuple[str, str, dict[str, Json]]:
    """An error's code, sentence and details in 0.4's words; what stands in quotes is the caller's and stays."""
    renamed_code = code
    for old, new in _CODES:
        renamed_code = renamed_code.replace(old, new)
    shaped = {_DETAILS.get(name, name): value for name, value in details.items()}
    issues = shaped.get("issues")
    if isinstance(issues, list):
        shaped["issues"] = [_issue(one) if isinstance(one, dict) else one for one in issues]
    if code.startswith("eval-run-") and "runId" in shaped:
        shaped["testRunId"] = shaped.pop("runId")
    return renamed_code, _sentence(message), shaped


def _sentence(message: str) -> str:
    """A sentence in 0.4's words; what stands in double quotes is the caller's and stays."""
    if message.startswith(_SCOPE_TOLD):
        return message.replace('"tenant"', '"workspace"')
    parts = message.split('"')
    for old, new in _WORDS:
        parts[::2] = [part.replace(old, new) for part in parts[::2]]
    return '"'.join(parts)


def _issue(value: Mapping[str, Json]) -> dict[str, Json]:
    shaped = dict(value)
    if shaped.get("path") == "/suiteId":
        shaped |= {"path": "/testSetId", "kind": "test-set"}
    if isinstance(told := shaped.get("message"), str):
        shaped["message"] = _sentence(told)
    return shaped


def answer_04(kind: str, body: Json) -> Json:
    """An answer in 0.4's names. `kind` says what it is; `page:` before it, that it is a page of such."""
    if kind.startswith("page:") and isinstance(body, dict):
        shape = _SHAPES.get(kind.removeprefix("page:"))
        rows = body.get("data")
        if shape is None or not isinstance(rows, list):
            return body
        return {**body, "data": [shape(row) if isinstance(row, dict) else row for row in rows]}
    shape = _SHAPES.get(kind)
    return shape(body) if shape is not None and isinstance(body, dict) else body


def _names(value: Mapping[str, Json], names: Mapping[str, str]) -> dict[str, Json]:
    return {names.get(name, name): field for name, field in value.items()}


def _run(value: Mapping[str, Json]) -> dict[str, Json]:
    return _names(value, {"evalRunId": "testRunId"})


def _judgment(value: Mapping[str, Json]) -> dict[str, Json]:
    return _names(value, {"judgeClassId": "groupId", "restricted": "expert", "judgmentId": "correctionId"})


def _group(value: Mapping[str, Json]) -> dict[str, Json]:
    shaped = _names(value, {"judgeClassId": "groupId"})
    scope = shaped.get("scope")
    if isinstance(scope, dict) and scope.get("kind") == "tenant":
        shaped["scope"] = {**scope, "kind": "workspace"}
    return shaped


def _suite(value: Mapping[str, Json]) -> dict[str, Json]:
    shaped = _names(value, {"suiteId": "testSetId"})
    if shaped.get("kind") == "judged":
        shaped["kind"] = "corrections"
    spec = shaped.get("spec")
    if isinstance(spec, dict):
        query = spec.get("query")
        told = _names(query, {"judgeClassIds": "groupIds"}) if isinstance(query, dict) else query
        shaped["spec"] = {**spec, "source": "corrections", "query": told}
    return shaped


def _case(value: Mapping[str, Json]) -> dict[str, Json]:
    shaped = dict(value)
    items = shaped.get("items")
    if isinstance(items, list):
        shaped["items"] = [v04.case_item(item) for item in items]
    return shaped


def _comparison(value: Mapping[str, Json]) -> dict[str, Json]:
    names = {"runId": "testRunId", "suiteId": "testSetId", "suiteVersion": "testSetVersion"}
    shaped = _names(value, names)
    if shaped.get("kind") == "judged":
        shaped["kind"] = "corrections"
    settings = shaped.get("comparison")
    if isinstance(settings, dict):
        shaped["comparison"] = _settings(settings)
    result = shaped.get("result")
    if isinstance(result, dict):
        # A dry run's and an empty result have neither a summary nor cases.
        told = v04.result(result) if "summary" in result or "perCase" in result else dict(result)
        if isinstance(told.get("comparison"), dict):
            told["comparison"] = _settings(result["comparison"])
        shaped["result"] = told
    return shaped


def _settings(value: Json) -> Json:
    if not isinstance(value, dict):
        return value
    shaped = _names(value, {"classWeights": "groupWeights"})
    weighing = shaped.get("groupWeights")
    if isinstance(weighing, str):
        shaped["groupWeights"] = v04.WEIGHINGS.get(weighing, weighing)
    return shaped


def _started(value: Mapping[str, Json]) -> dict[str, Json]:
    return _names(value, {"runId": "testRunId"})


_SHAPES: dict[str, Callable[[Mapping[str, Json]], dict[str, Json]]] = {
    "run": _run,
    "judgment": _judgment,
    "judgmentRemoved": _judgment,
    "group": _group,
    "groupRetired": _group,
    "suite": _suite,
    "built": _suite,
    "case": _case,
    "comparison": _comparison,
    "started": _started,
    "queued": queued_04,
}
