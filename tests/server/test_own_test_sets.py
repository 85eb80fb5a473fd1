"""Agents' own test sets over HTTP: read, frozen before a run, their cases kept by hand; every status and sentence."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kindgi_tui.domain.own_test_sets import own_test_set_id
from tests.server.running import AGENT, PACKAGE, PASSWORD, REFUND, Asked, Served, copied, serving

OWN = f"/v1/agents/{AGENT}/test-set"
UNKNOWN = "00000000-0000-4000-8000-000000000009"


@pytest.fixture
def server(demo_made: Path, tmp_path: Path) -> Iterator[Served]:
    """A server of the test's own: what is said changes what is frozen."""
    with serving(copied(demo_made, tmp_path / "demo")) as made:
        yield made


@pytest.fixture(scope="module")
def still(demo_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that tests only ask what it refuses."""
    with serving(copied(demo_made, tmp_path_factory.mktemp("own") / "demo")) as made:
        yield made


def start(project: str, **more: Any) -> dict[str, Any]:
    return {"projectId": project, "agentRef": {"agentId": AGENT, "version": "0.2.0"}, **more}


def test_the_documents_example_over_http(server: Served) -> None:
    project = server.project()
    own = own_test_set_id(AGENT, project)
    runs = f"/v1/test-sets/{own}/runs"
    stands = server.good("GET", f"{OWN}?projectId={project}")
    assert {name: stands[name] for name in stands if name != "tenantId"} == {
        "id": own,
        "projectId": project,
        "kind": "corrections",
        "agentId": AGENT,
        "caseCount": 3,
        "available": 3,
        "truncated": False,
        "retired": 0,
        "changed": True,
    }
    listed = server.good("GET", f"/v1/agent-test-sets?projectId={project}&limit=1")
    assert (listed["data"], listed["hasMore"]) == ([stands], True)
    # A dry run freezes too, and the run after it makes no new version.
    dry = server.good("POST", runs, start(project, dryRun=True), 201)
    assert dry["dryRunPreview"]["testSetVersion"] == "1.0.1"
    first = finished(server, runs, start(project))
    assert (first["testSetId"], first["testSetVersion"], first["status"]) == (own, "1.0.1", "completed")
    summary = first["result"]["summary"]
    metrics = {
        name: (one["baseline"], one["candidate"], one["n"]) for name, one in summary["metrics"].items()
    }
    assert metrics == {
        "passRate": (1 / 3, 1, 3),
        "caseCoverage": (0.75, 0.5, 3),
        "weightedPrecisionAtK": (1 / 3, 1, 3),
    }
    assert (summary["diverged"], summary["testSet"]) == (1, {"id": own, "version": "1.0.1"})
    stands = server.good("GET", f"{OWN}?projectId={project}")
    assert (stands["version"], stands["changed"], stands["spec"]["caseCount"]) == ("1.0.1", False, 3)
    assert stands["spec"]["query"] == {"agentId": AGENT}
    # One more judgment makes the next version.
    said = {"runId": PACKAGE, "item": {"key": "answer", "pointer": "/appended/3/content"}, "verdict": "yes"}
    server.good("POST", "/v1/corrections", said, 201)
    assert server.good("GET", f"{OWN}?projectId={project}")["changed"] is True
    assert finished(server, runs, start(project))["testSetVersion"] == "1.0.2"
    versions = server.good("GET", f"/v1/test-sets/{own}/versions")["data"]
    assert [one["version"] for one in versions] == ["1.0.1", "1.0.2"]
    assert server.good("GET", f"/v1/test-sets/{own}")["version"] == "1.0.2"
    assert own in [one["id"] for one in server.good("GET", "/v1/test-sets")["data"]]
    # The older dialect sees a suite like any other, and freezes nothing.
    server.good("POST", "/v1/corrections", {**said, "verdict": "no"}, 201)
    older = server.good("POST", f"/v1/eval-suites/{own}/runs", start(project, dryRun=True), 201)
    assert server.good("GET", f"/v1/eval-runs/{older['runId']}")["suiteVersion"] == "1.0.2"


def finished(server: Served, path: str, body: dict[str, Any]) -> Any:
    started = server.good("POST", path, body, 201)["testRunId"]
    server.send("GET", f"/v1/test-runs/{started}/events")
    return server.good("GET", f"/v1/test-runs/{started}")


def test_frozen_cases_have_what_they_expect(server: Served) -> None:
    project = server.project()
    mira = server.as_somebody("own-mira", "mira", "judge")
    experts = next(
        one["id"] for one in server.good("GET", "/v1/corrector-groups")["data"] if one["weight"] == 3
    )
    expect = {"decisions": "wrong", "shouldCall": [{"toolId": "acme-ops.search-articles"}]}
    mira.good("POST", "/v1/run-corrections", {"runId": PASSWORD, "expect": expect, "groupId": experts}, 201)
    by_hand = server.good(
        "POST",
        f"{OWN}/cases",
        {
            "projectId": project,
            "runId": REFUND,
            "expect": {"answer": "wrong", "why": "Too much."},
            "items": [{"key": "kb-201", "verdict": "yes"}, {"key": "kb-999", "verdict": "no"}],
        },
        201,
    )
    assert (by_hand["runId"], by_hand["expert"], by_hand["source"]) == (REFUND, True, "hand")
    assert by_hand["expect"] == {"answer": "wrong", "why": "Too much."}
    assert [(one["key"], one["yes"], one["no"], one.get("rank")) for one in by_hand["items"]] == [
        ("kb-201", 1, 0, 0),
        ("kb-999", 0, 1, None),
    ]
    assert all("expert" in one and "restricted" not in one for one in by_hand["items"])
    asked = {"projectId": project, "input": "Hi?", "expect": {"answer": "wrong", "shouldSay": "Hello."}}
    nothing = server.good("POST", f"{OWN}/cases", asked, 201)
    assert (nothing["fromNothing"], nothing["input"], nothing["output"]) == (True, "Hi?", None)
    assert "runId" not in nothing
    frozen = server.good("POST", f"{OWN}/freeze", {"projectId": project}, 201)
    assert (frozen["version"], frozen["spec"]["caseCount"]) == ("1.0.1", 5)
    cases = server.good("GET", f"/v1/test-sets/{frozen['id']}/versions/1.0.1/cases")["data"]
    told = {one["caseId"]: (one.get("runId"), one.get("expect"), one.get("expert", False)) for one in cases}
    assert told == {
        PASSWORD: (PASSWORD, expect, True),
        REFUND: (REFUND, None, False),
        PACKAGE: (PACKAGE, None, False),
        by_hand["caseId"]: (REFUND, by_hand["expect"], True),
        nothing["caseId"]: (None, nothing["expect"], True),
    }
    live = server.good("GET", f"{OWN}/cases?projectId={project}&limit=3")
    rest = server.good("GET", f"{OWN}/cases?projectId={project}&cursor={live['nextCursor']}")
    listed = [one["caseId"] for one in (*live["data"], *rest["data"])]
    assert listed == [one["caseId"] for one in cases]
    assert server.good("GET", f"/v1/test-cases/{by_hand['caseId']}") == by_hand
    # Retired, it is in no new version; brought back, nothing changed.
    retired = server.good("POST", f"/v1/test-cases/{PASSWORD}/retire", {})
    assert retired["retiredBy"] == server.good("GET", "/v1/identity/whoami")["principal"]["id"]
    assert server.good("POST", f"/v1/test-cases/{PASSWORD}/retire")["retiredAt"] == retired["retiredAt"]
    assert [
        one["caseId"] for one in server.good("GET", f"{OWN}/cases?projectId={project}&retired=true")["data"]
    ] == [PASSWORD]
    stands = server.good("GET", f"{OWN}?projectId={project}")
    assert (stands["caseCount"], stands["retired"], stands["changed"], stands["version"]) == (
        4,
        1,
        True,
        "1.0.1",
    )
    back = server.good("POST", f"/v1/test-cases/{PASSWORD}/bring-back", {})
    assert "retiredAt" not in back
    assert server.good("POST", f"{OWN}/freeze", {"projectId": project}, 201)["version"] == "1.0.1"


def test_a_set_without_cases_is_refused_and_says_how_to_make_one(server: Served) -> None:
    project = server.project()
    for run in (PASSWORD, REFUND, PACKAGE):
        server.good("POST", f"/v1/test-cases/{run}/retire", {})
    own = own_test_set_id(AGENT, project)
    for path, body in (
        (f"/v1/test-sets/{own}/runs", start(project)),
        (f"/v1/test-sets/{own}/runs", start(project, dryRun=True)),
        (f"{OWN}/freeze", {"projectId": project}),
    ):
        refused = server.send("POST", path, body)
        error = refused.json()["error"]
        assert (refused.status_code, error["code"]) == (409, "suggested-change-nothing-to-check")
        assert error["details"] == {"projectId": project}
        assert error["message"].startswith(
            f"{AGENT} has no test cases in this project yet. Judge one of its runs"
        )
    empty = server.good("GET", f"{OWN}?projectId={project}")
    assert (empty["caseCount"], empty["retired"], empty["changed"], "version" in empty) == (
        0,
        3,
        False,
        False,
    )
    server.good("POST", f"/v1/test-cases/{PASSWORD}/bring-back", {})
    assert (
        server.good("POST", f"/v1/test-sets/{own}/runs", start(project, dryRun=True), 201)["dryRunPreview"][
            "cases"
        ]
        == 1
    )


def test_an_agent_that_only_ran_has_a_set_too(still: Served) -> None:
    """No pack publishes it here; its imported runs are there, and cases can be made for it."""
    path = "/v1/agents/acme.rank.scorer/test-set"
    assert still.good("GET", f"{path}?projectId={still.project()}")["caseCount"] == 20
    empty = still.good("GET", f"{path}?projectId={still.project('default')}")
    assert (empty["caseCount"], empty["changed"]) == (0, False)


def test_another_agent_project_or_flow_is_refused_and_told_what_fits(still: Served) -> None:
    project, elsewhere = still.project(), still.project("default")
    own = own_test_set_id(AGENT, project)
    path = f"/v1/test-sets/{own}/runs"
    says = f'A run on test set "{own}" is of its own agent in its own project: this one '
    other = start(project, agentRef={"agentId": "acme.rank.scorer", "version": "0.1.0"})
    assert still.refused(400, "bad-input", "POST", path, other) == (
        f"{says}takes the agent's own test set, agent.acme.rank.scorer.{project}."
    )
    assert still.refused(400, "bad-input", "POST", path, start(elsewhere)) == (
        f"{says}takes the agent's own test set, agent.{AGENT}.{elsewhere}."
    )
    flow = {"projectId": project, "flowRef": {"flowId": "x", "version": "1.0.0"}}
    assert still.refused(400, "bad-input", "POST", path, flow) == f"{says}needs an agent, not a flow."
    still.refused(400, "dispatcher-input-invalid", "POST", path, start(project, agentRef={"agentId": AGENT}))
    unknown = start(project, agentRef={"agentId": AGENT, "version": "9.9.9"})
    still.refused(400, "reference-out-of-scope", "POST", path, unknown)
    judge = still.as_somebody("own-judge", "mira", "judge")
    sentence = judge.refused(403, "permission-denied", "POST", path, start(project))
    assert sentence == f'Not allowed to run test set "{own}".'
    assert "version" not in still.good("GET", f"{OWN}?projectId={project}")


FIELDS = "projectId, runId, input, expect, items"
WRONG_CASES: list[tuple[dict[str, Any], str]] = [
    ({"x": 1}, f'The body has no field "x". It has {FIELDS}.'),
    ({}, "Name the run the case is made from (runId), or what the agent is asked (input)."),
    ({"input": 3}, "input must be text: what the agent is asked."),
    ({"input": " "}, "A case from nothing needs an input: what the agent is asked."),
    ({"input": "q", "runId": PASSWORD}, "A case from a run has the run's input: give a run or an input, not both."),
    ({"input": "q"}, "A case says what is expected: its decisions, its answer, or items with yes or no."),
    ({"input": "q", "expect": {"answer": "right"}},
     "expect.answer can't be right: a case made from nothing has no recorded run. Say what it should do."),
    ({"input": "q", "expect": {"answers": "right"}},
     'A correction has no field "answers". It has decisions, shouldCall, mustNotCall, answer, shouldSay, why.'),
    ({"input": "q", "items": {}}, "items must be a list of {key, verdict}."),
    ({"input": "q", "items": [3]}, "items[0] must be an object of key, verdict."),
    ({"input": "q", "items": [{"key": "a", "verdict": "yes", "rank": 1}]},
     'items[0] has no field "rank". It has key, verdict.'),
    ({"input": "q", "items": [{"key": "", "verdict": "yes"}]},
     "items[0].key is required: an item's own id, or a key of the run's output."),
    ({"input": "q", "items": [{"key": "a", "verdict": "maybe"}]}, "items[0].verdict must be one of: yes, no."),
    ({"input": "q", "items": [{"key": "a", "verdict": "no"}] * 2},
     'The item "a" is given twice: say yes or no of it once.'),
]  # fmt: skip


def test_what_is_wrong_with_a_case_is_said_field_by_field(still: Served) -> None:
    project = still.project()
    for body, sentence in WRONG_CASES:
        assert (
            still.refused(400, "bad-input", "POST", f"{OWN}/cases", {"projectId": project, **body})
            == sentence
        )
    run = {"projectId": project, "runId": PASSWORD, "expect": {"decisions": "right"}}
    required = "`projectId` is required: an agent has an own test set in each project."
    assert still.refused(400, "bad-input", "POST", f"{OWN}/cases", {"runId": PASSWORD}) == required
    still.refused(400, "bad-input", "POST", f"{OWN}/cases", {**run, "projectId": "x"})
    still.refused(404, "project-not-found", "POST", f"{OWN}/cases", {**run, "projectId": UNKNOWN})
    still.refused(404, "run-not-found", "POST", f"{OWN}/cases", {**run, "runId": UNKNOWN})
    fits = f'A case of run "{PASSWORD}" belongs to the own test set {own_test_set_id(AGENT, project)}, not to this one.'
    for path, body in (
        ("/v1/agents/acme.rank.scorer/test-set/cases", run),
        (f"{OWN}/cases", {**run, "projectId": still.project("default")}),
    ):
        assert still.refused(400, "bad-input", "POST", path, body) == fits
    asked = {"projectId": project, "input": "q", "items": [{"key": "a", "verdict": "yes"}]}
    still.refused(404, "agent-not-found", "POST", "/v1/agents/acme.nobody/test-set/cases", asked)
    missing = {**run, "items": [{"key": "/output/articles/9", "verdict": "yes"}]}
    still.refused(400, "item-not-found", "POST", f"{OWN}/cases", missing)
    assert still.good("GET", f"{OWN}?projectId={project}")["caseCount"] == 3


def test_what_is_not_there_and_who_may_not(still: Served) -> None:
    project = still.project()
    for path in (OWN, f"{OWN}/cases"):
        still.refused(400, "bad-input", "GET", path)
        still.refused(400, "bad-input", "GET", f"{path}?projectId=x")
        still.refused(404, "project-not-found", "GET", f"{path}?projectId={UNKNOWN}")
    still.refused(404, "project-not-found", "GET", f"/v1/agent-test-sets?projectId={UNKNOWN}")
    still.refused(404, "agent-not-found", "GET", f"/v1/agents/acme.nobody/test-set?projectId={project}")
    sentence = still.refused(400, "bad-input", "GET", f"{OWN}/cases?projectId={project}&retired=yes")
    assert sentence == "`retired` must be `true` or `false`"
    still.refused(400, "bad-input", "GET", f"{OWN}/cases?projectId={project}&cursor=x")
    for method, path in (
        ("GET", f"/v1/test-cases/{UNKNOWN}"),
        ("GET", f"/v1/test-cases/{PASSWORD[:8]}"),
        ("POST", f"/v1/test-cases/{UNKNOWN}/retire"),
        ("POST", f"/v1/test-cases/{UNKNOWN}/bring-back"),
    ):
        named = path.split("/")[3]
        assert (
            still.refused(404, "test-case-not-found", method, path) == f'No test case has the id "{named}".'
        )
    judge = still.as_somebody("cases-judge", "mira", "judge")
    assert not_allowed(judge, f"{OWN}/cases", {"projectId": project, "input": "q"}) == (
        f'Not allowed to add a case to the own test set of agent "{AGENT}".'
    )
    assert not_allowed(judge, f"{OWN}/freeze", {"projectId": project}) == (
        f'Not allowed to freeze the own test set of agent "{AGENT}".'
    )
    assert (
        not_allowed(judge, f"/v1/test-cases/{PASSWORD}/retire")
        == f'Not allowed to retire test case "{PASSWORD}".'
    )
    assert not_allowed(judge, f"/v1/test-cases/{PASSWORD}/bring-back") == (
        f'Not allowed to bring back test case "{PASSWORD}".'
    )
    assert still.refused(400, "bad-input", "POST", f"{OWN}/freeze", {"projectId": project, "k": 1}) == (
        'The body has no field "k". It has projectId.'
    )


def not_allowed(who: Asked, path: str, body: Any = None) -> str:
    return who.refused(403, "permission-denied", "POST", path, body)


def test_a_key_starts_one_run_and_makes_one_version(server: Served) -> None:
    project = server.project()
    path = f"/v1/test-sets/{own_test_set_id(AGENT, project)}/runs"
    key = {"headers": {"Idempotency-Key": str(uuid.uuid4())}}
    first = server.good("POST", path, start(project), 201, **key)
    assert server.good("POST", path, start(project), 201, **key) == first
    server.refused(409, "idempotency-key-body-mismatch", "POST", path, start(project, k=3), **key)
    server.good("POST", f"/v1/test-runs/{first['testRunId']}/cancel")
    assert len(server.good("GET", "/v1/test-runs")["data"]) == len(
        {one["testRunId"] for one in server.good("GET", "/v1/test-runs")["data"]}
    )
    own = [one for one in server.good("GET", "/v1/test-runs")["data"] if one["testSetId"] in path]
    assert [one["testRunId"] for one in own] == [first["testRunId"]]
