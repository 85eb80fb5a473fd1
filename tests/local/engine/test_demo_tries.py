"""Candidates like 0.3.0 that try to note things down in every way: the log of the demo's tool stays untouched."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kindgi_tui.domain.comparison_records import ComparisonRequest
from kindgi_tui.domain.test_set_versions import BuildRequest
from kindgi_tui.local.engine.planning import check_start
from kindgi_tui.local.engine.running import run_comparison
from kindgi_tui.local.models.config import load_models
from kindgi_tui.local.store import comparisons
from kindgi_tui.local.workbench import open_local
from tests.local.engine.lab import place_of, question_of, summary_of
from tests.local.models.server import Answer, ModelServer, Received, call, typed

AGENT = "acme-ops.article-picker"
LOG = "acme-ops_log-suggestion"
SEARCH = "acme-ops_search-articles"


def tries(seed: int) -> Any:
    """A model that calls what it likes, most often the tool that changes things, and then answers."""

    def respond(received: Received) -> Answer:
        place, question = place_of(received), question_of(received)
        chance = random.Random(f"{seed}:{question}:{place}")
        articles = [{"id": "kb-101", "title": "Reset your password"}]
        if place > chance.randint(0, 4):
            return typed({"articles": chance.choice([[], articles])})
        made: list[tuple[str, Any]] = []
        for _ in range(chance.randint(1, 3)):
            arguments: Any = chance.choice(
                [
                    {"question": question, "articles": articles},
                    {"question": question, "articles": []},
                    {"question": "", "articles": articles, "more": True},
                ]
            )
            name = chance.choice([LOG, LOG, LOG, SEARCH])
            made.append((name, {"query": question[: chance.randint(1, 40)]} if name == SEARCH else arguments))
        return call(*made)

    return respond


async def try_everything(demo: Path, log: Path, replays: int) -> None:
    workbench, _ = await open_local(demo)
    await workbench.packs.set_env("acme-ops", "ACME_OPS_LOG", str(log))
    project = (await workbench.projects.get()).id
    built = await workbench.test_sets.build(
        BuildRequest(test_set_id="every", version="1.0.0", project_id=project, agent_id=AGENT)
    )
    refused = finished = 0
    async with ModelServer() as server:
        (demo / "models.toml").write_text(
            f'[providers.local]\nbase_url = "{server.url}"\nfree = true\n[instead]\nanthropic = "local/mock"\n'
        )
        config = load_models(demo, environment={})
        while finished < replays:
            server.respond = tries(finished)
            repetitions = min(10, -(-(replays - finished) // built.case_count))
            request = ComparisonRequest(
                test_set_id="every",
                project_id=project,
                agent_id=AGENT,
                subject_version="0.3.0",
                repetitions=repetitions,
                fresh=True,
            )

            def insert(connection: Any, request: ComparisonRequest = request) -> str:
                checked = check_start(connection, request, config)
                seq, cases = checked.version_seq, len(checked.cases)
                return comparisons.insert_comparison(connection, checked.request, seq, "root", cases)

            identity = await workbench.access.database.write(insert)
            await run_comparison(workbench.access.database, demo, identity, config)
            done = await workbench.comparisons.get(identity)
            finished += done.progress.finished
            refused += summary_of(done)["refusedWrites"]
            assert (done.status, summary_of(done)["errors"]) == ("completed", 0)
    await workbench.close()
    assert refused > built.case_count


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    """The file the tool appends to; it must be as it was when the test ends."""
    file = tmp_path / "suggestions.jsonl"
    file.write_text("what stood here before\n")
    before = file.stat().st_mtime_ns
    yield file
    assert file.read_text() == "what stood here before\n"
    assert file.stat().st_mtime_ns == before


async def test_a_hundred_replays_leave_the_log_untouched(demo: Path, log: Path) -> None:
    await try_everything(demo, log, 100)


@pytest.mark.long
async def test_a_thousand_replays_leave_the_log_untouched(demo: Path, log: Path) -> None:
    await try_everything(demo, log, 1000)
