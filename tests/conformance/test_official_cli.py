"""The official command line and SDK, as they are, do what the documents say against our server."""

import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.oracle import find_oracle
from tests.server.real import find_official_cli
from tests.server.running import AGENT, PASSWORD, SUITE, Served, copied, environment, serving

CLI = find_official_cli()
ORACLE = find_oracle()

pytestmark = pytest.mark.skipif(isinstance(CLI, str), reason=str(CLI))


class Kindgi:
    """The official command line in a folder of its own."""

    def __init__(self, server: Served, folder: Path, token: str) -> None:
        self.server = server
        self.folder = folder
        self.token = token

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        assert not isinstance(CLI, str)
        told = {
            "HOME": str(self.folder),
            "NO_COLOR": "1",
            "KINDGI_API_URL": self.server.url,
            "KINDGI_API_TOKEN": self.token,
        }
        return subprocess.run(
            [*CLI, *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            env=environment(told),
            timeout=120,
        )

    def all_good(self, *commands: tuple[str, ...]) -> list[Any]:
        """What commands print that don't wait for each other."""
        with ThreadPoolExecutor(2) as together:
            return list(together.map(lambda words: self.good(*words), commands))

    def good(self, *words: str) -> Any:
        """What a command prints, which must work."""
        done = self.run(*words)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def server(made_demo_for_clients: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(copied(made_demo_for_clients, tmp_path_factory.mktemp("cli") / "demo")) as started:
        yield started


@pytest.fixture
def kindgi(server: Served, tmp_path: Path) -> Kindgi:
    return Kindgi(server, tmp_path, server.token)


def judges_token(server: Served) -> str:
    """A token of whoever judged the documents' runs in the demo."""
    said = server.good("GET", f"/v1/judgments?runId={PASSWORD}")["data"]
    judges = {one["assertedBy"]["id"] for one in said}
    assert len(judges) == 1
    return server.token_of("judge", judges.pop(), "judge")


def test_the_documents_commands(kindgi: Kindgi, server: Served, tmp_path: Path) -> None:
    project = server.project("docs")
    judge = Kindgi(server, tmp_path, judges_token(server))
    first = (
        "judgments",
        "add",
        f"--run={PASSWORD}",
        "--item=kb-101",
        "--pointer=/output/articles/0",
        "--rank=0",
    )
    second = (
        "judgments",
        "add",
        f"--run={PASSWORD}",
        "--item=kb-102",
        "--pointer=/output/articles/1",
        "--rank=1",
    )
    yes, no = judge.all_good(
        (*first, "--yes", "--reason=Resets the password"), (*second, "--no", "--reason=Not about signing in")
    )
    assert (yes["verdict"], yes["reason"]) == ("yes", "Resets the password")
    assert (no["verdict"], no["subject"]["id"]) == ("no", AGENT)
    default, projects = kindgi.all_good(("projects", "get-default"), ("projects", "list"))
    assert default["isDefault"] is True
    assert {one["slug"] for one in projects["data"]} == {"default", "docs"}

    built = kindgi.good(
        *("eval-suites", "from-judgments", SUITE, "--suite-version=1.0.0"),
        *(f"--project={project}", f"--agent={AGENT}"),
    )
    assert built == {
        "suiteId": SUITE,
        "version": "1.0.0",
        "kind": "judged",
        "caseCount": 3,
        "truncated": False,
    }
    listed, compared = kindgi.all_good(
        ("eval-suites", "cases", SUITE, "--suite-version=1.0.0"),
        (
            *("eval-runs", "start", SUITE, f"--project={project}", f"--agent={AGENT}"),
            *("--agent-version=0.2.0", "--wait"),
        ),
    )
    cases = listed["data"]
    case = next(one for one in cases if one["caseId"] == PASSWORD)
    assert case["input"] == "I forgot my password and can't sign in."
    assert case["items"][0] == {
        "key": "kb-101",
        "pointer": "/output/articles/0",
        "rank": 0,
        "yes": 1,
        "no": 0,
        "yesWeight": 1,
        "totalWeight": 1,
        "restricted": {"yesWeight": 0, "totalWeight": 0},
        "reasons": [{"verdict": "yes", "reason": "Resets the password"}],
    }

    summary = compared["result"]["summary"]
    found = {name: (one["baseline"], one["candidate"], one["n"]) for name, one in summary["metrics"].items()}
    assert found == {
        "weightedYesShare": (1 / 3, 1, 3),
        "judgedCoverage": (0.75, 0.5, 3),
        "weightedPrecisionAtK": (1 / 3, 1, 3),
    }
    assert (compared["status"], summary["cases"], summary["diverged"]) == ("completed", 3, 1)
    assert summary["candidate"] == {"kind": "agent", "agentId": AGENT, "version": "0.2.0"}
    shown, told = kindgi.all_good(
        ("eval-runs", "show", compared["runId"]), ("runs", "list", f"--eval-run={compared['runId']}")
    )
    assert shown == compared
    replays = told["data"]
    assert {one["evalRunId"] for one in replays} == {compared["runId"]}
    assert len(replays) == 3


@pytest.mark.long
def test_narrowed_builds(kindgi: Kindgi, server: Served) -> None:
    project = server.project("docs")
    everywhere = server.project("default")
    group = next(one for one in server.good("GET", "/v1/judge-classes")["data"] if one["weight"] == 3)
    narrowed = ("--suite-version=1.0.0", f"--project={everywhere}", f"--agent={AGENT}", "--min-judgments=2")
    build = ("eval-suites", "from-judgments")
    built, experts, late = kindgi.all_good(
        (
            *(*build, "acme.rank-acme-segment", "--suite-version=1.0.0", f"--project={project}"),
            *("--agent=acme.rank.scorer", "--segment=company:acme", "--description=acme company only"),
        ),
        (*build, "acme.experts", *narrowed, f"--class={group['id']}", "--since=2026-01-01"),
        (*build, "acme.late", *narrowed, "--since=2100-01-01"),
    )
    assert built["caseCount"] == 20
    assert 1 <= experts["caseCount"] < 41
    assert late["caseCount"] == 0


def test_errors_as_the_command_line_shows_them(kindgi: Kindgi, server: Served, tmp_path: Path) -> None:
    missing = kindgi.run("eval-runs", "show", "00000000-0000-4000-8000-000000000009")
    assert (missing.returncode, missing.stderr.strip()) == (
        1,
        "Error [not-found]: No eval run with id 00000000-0000-4000-8000-000000000009",
    )
    stranger = Kindgi(server, tmp_path, "kgi_sy_000000000000_nope").run("projects", "list")
    assert (stranger.returncode, stranger.stderr.strip()) == (
        1,
        "Error [auth]: Bearer token is not recognized",
    )


SCRIPT = """
import { comparisonOf, createClient } from '@kindgi/sdk/client';
const kindgi = createClient();
const projectId = process.argv[2];
const built = await kindgi.evalSuites.buildFromJudgments('acme.from-script', {
  version: '1.0.0', projectId, agentId: 'acme-ops.article-picker',
});
console.log(`${built.caseCount} cases`);
const { runId } = await kindgi.evalRuns.start(
  'acme.from-script',
  { agentRef: { agentId: 'acme-ops.article-picker', version: '0.2.0' } },
  { projectId },
);
let run = await kindgi.evalRuns.get(runId);
while (run.status === 'pending' || run.status === 'running') {
  await new Promise((resolve) => setTimeout(resolve, 100));
  run = await kindgi.evalRuns.get(runId);
}
const comparison = comparisonOf(run);
for (const name of Object.keys(comparison?.summary.metrics ?? {}).sort()) {
  const metric = comparison.summary.metrics[name];
  console.log(`${name}: ${metric.baseline} → ${metric.candidate}`);
}
"""


@pytest.mark.skipif(isinstance(ORACLE, str), reason=str(ORACLE))
def test_the_sdks_script(kindgi: Kindgi, server: Served, tmp_path: Path) -> None:
    assert not isinstance(ORACLE, str)
    (tmp_path / "compare.mjs").write_text(SCRIPT, "utf-8")
    (tmp_path / "node_modules").symlink_to(ORACLE.modules)
    told = {"KINDGI_API_URL": server.url, "KINDGI_API_TOKEN": server.token}
    done = subprocess.run(
        [str(ORACLE.node), "--preserve-symlinks", "compare.mjs", server.project("docs")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=environment(told),
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "3 cases",
        "judgedCoverage: 0.75 → 0.5",
        "weightedPrecisionAtK: 0.3333333333333333 → 1",
        "weightedYesShare: 0.3333333333333333 → 1",
    ]
