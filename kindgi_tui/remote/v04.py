"""The 0.4 dialect: its names turned into 0.1's, which every part reads and writes (DESIGN section 2).

Stated by 0.4's documents: `testRunId`, `testSetId`, `testSetVersion`, `groupWeights` with `experts-only`, the metrics,
`Correction.expert`, `corrections` and `unchecked` in a result. Inferred: the rest, by the same renaming. Only the
names of the wire are renamed, never what stands in an input, an output or arguments. What 0.4 has beyond 0.1 passes
through.
"""

from collections.abc import Callable, Mapping

from kindgi_tui.domain.base import Json
from kindgi_tui.wire.queue_names import queued_01

Renaming = Mapping[str, str]

_VERDICTS = {"right": "yes", "wrong": "no"}
_WEIGHTS = {"experts-only": "restricted-only"}
_METRICS = {"passRate": "weightedYesShare", "caseCoverage": "judgedCoverage"}
_KINDS = {"corrections": "judged"}

QUERY: Renaming = {"suiteId": "testSetId", "judgeClassId": "groupId", "evalRunId": "testRunId"}
"""Names of query parameters in 0.1, and in 0.4."""

BODY: Renaming = {
    "judgeClassId": "groupId",
    "judgeClassIds": "groupIds",
    "classWeights": "groupWeights",
}
"""Names of fields of bodies in 0.1, and in 0.4."""


def body_up(body: Json) -> Json:
    """A body in 0.1's names as 0.4 takes it."""
    if not isinstance(body, dict):
        return body
    renamed = {BODY.get(name, name): value for name, value in body.items()}
    if renamed.get("groupWeights") == "restricted-only":
        renamed["groupWeights"] = "experts-only"
    scope = renamed.get("scope")
    if isinstance(scope, dict) and scope.get("kind") == "tenant":
        renamed["scope"] = {**scope, "kind": "workspace"}
    return renamed


def query_up(name: str) -> str:
    """A query parameter's name in 0.4."""
    return QUERY.get(name, name)


def down(shape: str, value: Json) -> Json:
    """An answer of that shape (or a page of such) in 0.1's names. What isn't an object comes back as it is."""
    turn = _SHAPES.get(shape)
    if turn is None or not isinstance(value, dict):
        return value
    rows = value.get("data")
    if isinstance(rows, list) and "hasMore" in value:
        return {**value, "data": [turn(row) if isinstance(row, dict) else row for row in rows]}
    return turn(value)


def _names(value: dict[str, Json], names: Renaming) -> dict[str, Json]:
    return {names.get(name, name): field for name, field in value.items()}


def _run(value: dict[str, Json]) -> dict[str, Json]:
    return _names(value, {"testRunId": "evalRunId"})


_SAID = {
    "groupId": "judgeClassId",
    "correctorGroupId": "judgeClassId",
    "expert": "restricted",
    "mark": "verdict",
}


def _judgment(value: dict[str, Json]) -> dict[str, Json]:
    renamed = _names(value, _SAID)
    verdict = renamed.get("verdict")
    if isinstance(verdict, str):
        renamed["verdict"] = _VERDICTS.get(verdict, verdict)
    return renamed


def _group(value: dict[str, Json]) -> dict[str, Json]:
    renamed = _names(value, {"retiredAt": "unregisteredAt"})
    scope = renamed.get("scope")
    if isinstance(scope, dict) and scope.get("kind") == "workspace":
        renamed["scope"] = {**scope, "kind": "tenant"}
    return renamed


def _suite(value: dict[str, Json]) -> dict[str, Json]:
    renamed = _names(value, {"testSetId": "id"})
    kind = renamed.get("kind")
    renamed["kind"] = _KINDS.get(kind, kind) if isinstance(kind, str) else kind
    spec = renamed.get("spec")
    if isinstance(spec, dict) and isinstance(query := spec.get("query"), dict):
        renamed["spec"] = {**spec, "query": _names(query, {"groupIds": "judgeClassIds"})}
    return renamed


def _case(value: dict[str, Json]) -> dict[str, Json]:
    items = value.get("items")
    if not isinstance(items, list):
        return value
    return {**value, "items": [_item(item) if isinstance(item, dict) else item for item in items]}


def _item(item: dict[str, Json]) -> dict[str, Json]:
    renamed = _names(item, {"expert": "restricted", "right": "yes", "wrong": "no"})
    reasons = renamed.get("reasons")
    if isinstance(reasons, list):
        renamed["reasons"] = [_judgment(one) if isinstance(one, dict) else one for one in reasons]
    return renamed


def _comparison(value: dict[str, Json]) -> dict[str, Json]:
    renamed = _names(value, {"testRunId": "runId", "testSetId": "suiteId", "testSetVersion": "suiteVersion"})
    kind = renamed.get("kind")
    renamed["kind"] = _KINDS.get(kind, kind) if isinstance(kind, str) else kind
    asked = renamed.get("comparison")
    if isinstance(asked, dict):
        renamed["comparison"] = _weights(asked)
    result = renamed.get("result")
    if isinstance(result, dict):
        renamed["result"] = result_down(result)
    return renamed


def result_down(result: dict[str, Json]) -> dict[str, Json]:
    """A test run's result in 0.1's names; corrections and `unchecked` pass through."""
    summary = result.get("summary")
    if not isinstance(summary, dict):
        return result
    renamed = _weights(_names(summary, {"testRunId": "evalRunId", "testSet": "suite"}))
    metrics = renamed.get("metrics")
    if isinstance(metrics, dict):
        renamed["metrics"] = _names(metrics, _METRICS)
    return {**result, "summary": renamed}


def _weights(value: dict[str, Json]) -> dict[str, Json]:
    renamed = _names(value, {"groupWeights": "classWeights"})
    weights = renamed.get("classWeights")
    if isinstance(weights, str):
        renamed["classWeights"] = _WEIGHTS.get(weights, weights)
    return renamed


_SHAPES: dict[str, Callable[[dict[str, Json]], dict[str, Json]]] = {
    "run": _run,
    "judgment": _judgment,
    "group": _group,
    "suite": _suite,
    "case": _case,
    "comparison": _comparison,
    "started": lambda value: _names(value, {"testRunId": "runId"}),
    "built": lambda value: _names(value, {"testSetId": "suiteId"}),
    "queued": queued_01,
    "whoami": lambda value: _names(value, {"workspaceId": "tenantId"}),
}
