"""schemathesis, from our OpenAPI document, finds no 500 and no answer that breaks its schema."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.running import AGENT, PASSWORD, Served, copied, environment, serving

COMMAND = os.environ.get("SCHEMATHESIS") or shutil.which(
    "schemathesis", path=str(Path(sys.executable).parent)
)
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
NOT_INSTALLED = "schemathesis is not installed (SCHEMATHESIS may name its command)"

pytestmark = pytest.mark.skipif(COMMAND is None, reason=NOT_INSTALLED)


def identities(server: Served) -> dict[str, str]:
    """Ids that are there, by the names of the parameters."""
    build = {"version": "1.0.0", "projectId": server.project(), "agentId": AGENT}
    server.good("POST", "/v1/eval-suites/acme.picks/versions/from-judgments", build, 201)
    start = {"projectId": server.project(), "agentRef": {"agentId": AGENT, "version": "0.2.0"}}
    run = server.good("POST", "/v1/eval-suites/acme.picks/runs", start, 201)["runId"]
    server.wait(run)
    said = server.good("GET", "/v1/judgments?limit=1")["data"][0]["id"]
    group = server.good("GET", "/v1/judge-classes")["data"][0]["id"]
    return {
        "projectId": server.project(),
        "runId": PASSWORD,
        "conversationId": server.good("GET", f"/v1/runs/{PASSWORD}")["agent"]["conversationId"],
        "agentId": AGENT,
        "toolId": "acme-ops.search-articles",
        "suiteId": "acme.picks",
        "testSetId": "acme.picks",
        "evalRunId": run,
        "testRunId": run,
        "judgmentId": said,
        "correctionId": said,
        "judgeClassId": group,
        "groupId": group,
        "version": "1.0.0",
    }


def find(server: Served, folder: Path, *options: str, given: dict[str, str] | None = None) -> str:
    """What schemathesis prints; it must have found nothing."""
    lines = "".join(f'"path.{name}" = "{value}"\n' for name, value in (given or {}).items())
    (folder / "schemathesis.toml").write_text(f"[parameters]\n{lines}", "utf-8")
    done = subprocess.run(
        [
            *(str(COMMAND), "--config-file", "schemathesis.toml", "run", f"{server.url}/v1/openapi.json"),
            *("-H", f"Authorization: Bearer {server.token}", "--checks", CHECKS, "--seed", "4"),
            *("--workers", "2", "--request-timeout", "30", *options),
        ],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(),
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    return done.stdout


def test_a_slice_of_it_finds_nothing(demo_made: Path, tmp_path: Path) -> None:
    with serving(copied(demo_made, tmp_path / "demo")) as server:
        options = ("--phases", "fuzzing", "--max-examples", "6")
        said = find(server, tmp_path, *options, given=identities(server))
    assert "Tested: " in said


@pytest.mark.long
@pytest.mark.parametrize("known", [True, False])
def test_it_finds_nothing(demo_made: Path, tmp_path: Path, known: bool) -> None:
    with serving(copied(demo_made, tmp_path / "demo")) as server:
        options = ("--phases", "examples,coverage,fuzzing", "--max-examples", "30")
        find(server, tmp_path, *options, given=identities(server) if known else {})
