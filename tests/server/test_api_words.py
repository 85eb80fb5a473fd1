"""What the local workbench says in its own words is said over HTTP in the API's."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.running import AGENT, PASSWORD, Served, copied, serving

BUILD = "/v1/eval-suites/acme.words/versions/from-judgments"


@pytest.fixture(scope="module")
def server(demo_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of this module's own, whose groups are in nobody's way."""
    with serving(copied(demo_made, tmp_path_factory.mktemp("words") / "demo")) as made:
        yield made


def test_a_test_set_is_an_eval_suite_there_and_a_test_set_in_04(server: Served) -> None:
    docs, other = server.project(), server.project("default")
    body = {"version": "1.0.0", "projectId": docs, "agentId": AGENT}
    server.good("POST", BUILD, body, 201)
    taken = server.refused(409, "eval-suite-already-registered", "POST", BUILD, body)
    assert taken == 'Eval suite "acme.words" version "1.0.0" is already registered.'
    elsewhere = {**body, "version": "1.0.1", "projectId": other}
    said = server.refused(409, "eval-suite-project-mismatch", "POST", BUILD, elsewhere)
    assert said == 'Eval suite "acme.words" belongs to another project; build its versions there'
    path = "/v1/test-sets/acme.words/versions/from-corrections"
    said = server.refused(409, "test-set-already-registered", "POST", path, body)
    assert said == 'Test set "acme.words" version "1.0.0" is already registered.'


def test_a_comparison_is_an_eval_run_there(server: Served) -> None:
    docs = server.project()
    if server.send("GET", "/v1/eval-suites/acme.words").status_code == 404:
        server.good("POST", BUILD, {"version": "1.0.0", "projectId": docs, "agentId": AGENT}, 201)
    start = {"projectId": docs, "agentRef": {"agentId": AGENT, "version": "0.2.0"}}
    run = server.good("POST", "/v1/eval-suites/acme.words/runs", start, 201)["runId"]
    assert server.wait(run)["status"] == "completed"
    said = server.refused(409, "eval-run-already-terminal", "POST", f"/v1/eval-runs/{run}/cancel")
    assert said == f"Cannot cancel eval run {run}: already completed"


def test_a_name_that_several_groups_have_is_no_class_there(server: Served) -> None:
    for scope in ({"kind": "tenant"}, {"kind": "project", "projectId": server.project()}):
        server.good("POST", "/v1/judge-classes", {"name": "twins", "weight": 2, "scope": scope}, 201)
    said = server.refused(404, "judge-class-not-found", "GET", "/v1/judge-classes/twins")
    assert said == 'No judge class "twins".'
    judged = {"runId": PASSWORD, "item": {"key": "answer"}, "verdict": "yes", "judgeClassId": "twins"}
    said = server.refused(400, "judge-class-not-applicable", "POST", "/v1/judgments", judged)
    assert said.startswith('Judge class "twins" doesn\'t exist')
    corrected = {"runId": PASSWORD, "expect": {"answer": "right"}, "groupId": "twins"}
    said = server.refused(400, "corrector-group-not-applicable", "POST", "/v1/run-corrections", corrected)
    assert said.startswith('Corrector group "twins" doesn\'t exist')
    build = {"version": "1.0.5", "projectId": server.project(), "agentId": AGENT, "judgeClassIds": ["twins"]}
    said = server.refused(404, "judge-class-not-found", "POST", BUILD, build)
    assert said == 'No judge class "twins".'
