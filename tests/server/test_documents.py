"""0.4's documents, letter by letter, as our server reads and writes them."""

import json
from typing import Any

import pytest

from tests.documents_04 import ENVELOPE, EXAMPLE_BODY, PER_CASE, RUN, STARTED, is_within, read
from tests.server.running import AGENT, Served

START = "/v1/test-sets/acme.picks/runs"
EXAMPLE: dict[str, Any] = read(EXAMPLE_BODY)
OWN = frozenset({"testRunId", "testSetId", "testSetVersion", "runIds"})
"""Fields that are another for every run."""


def types(value: Any) -> Any:
    return (
        {name: types(one) for name, one in value.items()} if isinstance(value, dict) else type(value).__name__
    )


def test_the_example_as_printed_names_both_and_is_refused(served: Served) -> None:
    """On the older path the real API looks for the project first, and so do we."""
    said = served.refused(400, "bad-input", "POST", START, EXAMPLE_BODY)
    assert said == "Provide exactly one of `agentRef` or `flowRef`, not both"
    older = START.replace("test-sets", "eval-suites")
    served.refused(404, "project-not-found", "POST", older, EXAMPLE_BODY)
    body = {**EXAMPLE, "projectId": served.project()}
    assert served.refused(400, "bad-input", "POST", older, body) == said
    envelope = served.send("POST", older, EXAMPLE_BODY).json()
    assert types(envelope) == {"error": {**types(read(ENVELOPE)["error"]), "details": {"projectId": "str"}}}


def test_every_field_of_the_example_is_read(served: Served) -> None:
    """What is an example and no value is given one; each field that is wrong is refused by its name."""
    body: dict[str, Any] = {
        **{
            name: value for name, value in EXAMPLE.items() if name not in ("flowRef", "versions", "overrides")
        },
        "projectId": served.project(),
        "agentRef": {"agentId": AGENT, "version": "0.2.0"},
        "sample": {**EXAMPLE["sample"], "holdOutShare": 0.5},
    }
    answer = served.good("POST", START, body, 201)
    assert set(answer) == set(read(STARTED))
    assert isinstance(answer["dryRunPreview"], dict)
    record = served.good("GET", f"/v1/test-runs/{answer['testRunId']}")
    assert record["correlationId"] == body["correlationId"]
    assert record["comparison"] == {
        "baseline": body["baseline"],
        "reads": body["reads"],
        "repetitions": body["repetitions"],
        "k": body["k"],
        "sample": body["sample"],
    }
    for name in set(EXAMPLE) - {"projectId", "agentRef", "flowRef"}:
        said = served.refused(400, "bad-input", "POST", START, {**body, name: 3.5})
        assert f"`{name}" in said
    assert "holdOutShare" in served.refused(
        400, "bad-input", "POST", START, {**body, "sample": EXAMPLE["sample"]}
    )
    versions = {**body, "versions": EXAMPLE["versions"]}
    assert "`flowRef`" in served.refused(400, "bad-input", "POST", START, versions)
    served.refused(400, "validation-failed", "POST", START, {**body, "overrides": EXAMPLE["overrides"]})


def test_the_run_and_its_case_are_written(served: Served) -> None:
    """The demo's test set holds the document's three runs, so the numbers are the document's too."""
    body = {"projectId": served.project(), "agentRef": {"agentId": AGENT, "version": "0.2.0"}}
    answer = served.good("POST", START, body, 201)
    assert list(answer) == ["testRunId"]
    served.send("GET", f"/v1/test-runs/{answer['testRunId']}/events")
    run = served.good("GET", f"/v1/test-runs/{answer['testRunId']}")
    told = read(RUN)
    assert is_within(told, run, OWN), json.dumps(run["result"]["summary"])
    case = next(one for one in run["result"]["perCase"] if one["caseId"] == read(PER_CASE)["caseId"])
    assert is_within(read(PER_CASE), case, OWN), json.dumps(case)


def test_within_tells_a_difference() -> None:
    told = read(RUN)
    assert is_within(told, told)
    other = json.loads(json.dumps(told))
    other["result"]["summary"]["metrics"]["passRate"]["candidate"] = 0.5
    assert not is_within(told, other)
    del other["result"]["summary"]["metrics"]
    assert not is_within(told, other)


@pytest.mark.parametrize("size", [10 * 1024 * 1024 + 1])
def test_a_body_over_the_limit(served: Served, size: int) -> None:
    response = served.send("POST", START, b" " * size)
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (413, "request-too-large")
    assert error["details"] == {"maxBytes": 10 * 1024 * 1024}
