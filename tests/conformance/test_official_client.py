"""The official Python client, as it is, does the documents' job against our server."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.running import AGENT, PASSWORD, SUITE, Served, copied, serving

kindgi_client = pytest.importorskip("kindgi.client", reason="the kindgi package is not installed")


@pytest.fixture(scope="module")
def demo_served(tmp_path_factory: pytest.TempPathFactory, made_demo_for_clients: Path) -> Iterator[Served]:
    with serving(copied(made_demo_for_clients, tmp_path_factory.mktemp("client") / "demo")) as server:
        yield server


def client_of(server: Served, token: str | None = None) -> Any:
    return kindgi_client.Kindgi(base_url=server.url, token=token or server.token)


def waited(client: Any, run_id: str) -> Any:
    """The eval run once it ended, by polling, as the documents do it."""
    deadline = time.monotonic() + 60
    while True:
        run = client.eval_runs.get(run_id)
        if run.status not in ("pending", "running") or time.monotonic() > deadline:
            return run
        time.sleep(0.1)


def numbers(comparison: Any) -> dict[str, tuple[Any, Any]]:
    """The metrics, before and now."""
    metrics = comparison.summary.metrics
    return {
        name: (getattr(metrics, name).baseline, getattr(metrics, name).candidate)
        for name in ("weighted_yes_share", "judged_coverage", "weighted_precision_at_k")
    }


def test_the_documents_job(demo_served: Served) -> None:
    client = client_of(demo_served)
    project = demo_served.project("docs")
    built = client.eval_suites.build_from_judgments(
        SUITE, version="1.0.0", project_id=project, agent_id=AGENT
    )
    assert (built.case_count, built.truncated) == (3, False)
    cases = client.eval_suites.list_cases(SUITE, "1.0.0", limit=100).data
    assert {len(case.items) for case in cases} == {3}
    assert client.eval_suites.get(SUITE).version == "1.0.0"

    started = client.eval_runs.start(
        SUITE, project_id=project, agent_ref={"agent_id": AGENT, "version": "0.2.0"}
    )
    run = waited(client, str(started.run_id))
    comparison = kindgi_client.comparison_of(run)
    assert run.status == comparison.summary.status == "completed"
    assert numbers(comparison) == {
        "weighted_yes_share": (1 / 3, 1),
        "judged_coverage": (0.75, 0.5),
        "weighted_precision_at_k": (1 / 3, 1),
    }
    assert (comparison.summary.diverged, comparison.summary.refused_writes) == (1, 0)

    replays = client.runs.list(eval_run_id=str(started.run_id), replays="only", include="output").data
    assert len(replays) == 3
    assert {str(replay.replay_of) for replay in replays} == {case.case_id for case in cases}
    assert client.runs.list(agent_id=AGENT, limit=100).data == [
        one for one in client.runs.list(agent_id=AGENT, limit=100).data if one.replay_of is None
    ]

    case = next(one for one in comparison.per_case if one.case_id == PASSWORD)
    new = next(item for item in case.changes.new if item.key == "answer")
    said = client.judgments.create(
        run_id=str(case.run_ids[0]),
        item={"key": new.key, "pointer": new.pointer},
        verdict="no",
        reason="Too short.",
    )
    assert said.asserted_by.kind == "user"
    again = client.eval_runs.rescore(str(started.run_id))
    rescored = waited(client, str(again.run_id))
    better = kindgi_client.comparison_of(rescored)
    assert str(better.summary.rescore_of) == str(started.run_id)
    assert numbers(better)["weighted_yes_share"] == (1 / 3, 0.75)
    assert better.summary.metrics.weighted_yes_share.fresh_weight == 1
    judged = next(one for one in better.per_case if one.case_id == PASSWORD).changes.new
    assert [(item.key, item.judged.yes_weight, item.judged.total_weight) for item in judged] == [
        ("answer", 0, 1)
    ]


def test_corrected_runs_and_agents_own_test_sets_are_read_like_any_other(
    tmp_path: Path, made_demo_for_clients: Path
) -> None:
    """The 0.1 client knows nothing of corrections: what they add to records it knows is in nobody's way."""
    with serving(copied(made_demo_for_clients, tmp_path / "demo")) as server:
        client = client_of(server)
        project = server.project("docs")
        expect = {"decisions": "right", "answer": "wrong", "shouldSay": "One article."}
        server.good("POST", "/v1/run-corrections", {"runId": PASSWORD, "expect": expect}, 201)
        own = f"agent.{AGENT}.{project}"
        server.good("POST", f"/v1/agents/{AGENT}/test-set/freeze", {"projectId": project}, 201)
        built = client.eval_suites.build_from_judgments(
            SUITE, version="1.0.0", project_id=project, agent_id=AGENT
        )
        assert built.case_count == 3
        for suite, version, checked in ((SUITE, "1.0.0", 1), (own, "1.0.1", 1)):
            assert client.eval_suites.get(suite).version == version
            cases = client.eval_suites.list_cases(suite, version, limit=100).data
            assert {len(case.items) for case in cases} == {3}
            started = client.eval_runs.start(
                suite, project_id=project, agent_ref={"agent_id": AGENT, "version": "0.2.0"}
            )
            comparison = kindgi_client.comparison_of(waited(client, str(started.run_id)))
            assert (comparison.summary.cases, len(comparison.per_case)) == (3, 3)
            raw = server.good("GET", f"/v1/eval-runs/{started.run_id}")["result"]["summary"]
            assert (
                raw.get("corrections", {}).get("checked", 0) + raw.get("unchecked", {}).get("count", 0)
                == checked
            )


def test_judging_again_replaces(demo_served: Served) -> None:
    client = client_of(demo_served, demo_served.token_of("jonas", "jonas", "judge"))
    item = {"key": "kb-103", "pointer": "/output/articles/2", "rank": 2}
    first = client.judgments.create(run_id=PASSWORD, item=item, verdict="yes", participant_id="guest")
    second = client.judgments.create(run_id=PASSWORD, item=item, verdict="no", participant_id="guest")
    live = client.judgments.list(run_id=PASSWORD, participant_id="guest").data
    assert [one.id for one in live] == [second.id]
    before = client.judgments.get(first.id)
    assert (before.superseded_by, before.item_value["id"]) == (second.id, "kb-103")
    assert (before.run.input, before.asserted_by.id) == ("I forgot my password and can't sign in.", "jonas")
    client.judgments.unregister(second.id)
    assert client.judgments.list(run_id=PASSWORD, participant_id="guest").data == []


def test_every_list_and_record_is_what_the_client_reads(demo_served: Served) -> None:
    client = client_of(demo_served)
    me = client.identity.whoami()
    assert me.tenant_admin is True
    projects = list(kindgi_client.paginate(client.projects.list, limit=1))
    assert [one.is_default for one in projects] == [True, False]
    assert client.projects.get_default().id == projects[0].id
    runs = list(kindgi_client.paginate(client.runs.list, limit=40))
    assert len(runs) == len({run.id for run in runs}) == 96
    assert {run.status for run in client.runs.list(status=["failed"]).data} <= {"failed"}
    one = client.runs.get(PASSWORD)
    assert one.agent.id == AGENT
    assert [entry.kind for entry in client.runs.journal(PASSWORD).data] == ["run.started", "run.completed"]
    talk = client.conversations.get(str(one.agent.conversation_id))
    assert talk.turn_count == 1
    messages = client.conversations.messages(str(talk.id)).data
    assert [message.role for message in messages] == ["user", "agent", "tool", "agent"]
    assert len(list(kindgi_client.paginate(client.conversations.list, limit=50))) > 50
    versions = client.agents.list_versions(AGENT).data
    assert [version.version for version in versions] == ["0.1.0", "0.2.0", "0.3.0"]
    assert client.agents.get_version(AGENT, "0.2.0").tools[0].id == "acme-ops.search-articles"
    assert {tool.id: tool.mutating for tool in client.tools.list().data} == {
        "acme-ops.log-suggestion": True,
        "acme-ops.search-articles": False,
    }
    assert client.flows.list().data == []
    judgments = list(kindgi_client.paginate(client.judgments.list, limit=100))
    assert len(judgments) >= 200
    assert client.judge_classes.list().data
    made = client.judge_classes.create(scope={"kind": "tenant"}, name="Readers", weight=2)
    assert client.judge_classes.get(made.id).weight == 2
    assert client.judge_classes.unregister(made.id).unregistered is True


def test_starting_a_run(demo_served: Served) -> None:
    client = client_of(demo_served)
    project = str(client.projects.get_default().id)
    segments = [{"key": "company", "value": "acme"}]
    message = "I forgot my password and can't sign in."
    run = client.runs.start(
        agent=AGENT,
        agent_version="0.2.0",
        project_id=project,
        segments=segments,
        input={"userMessage": message},
        options={"wait": True},
    )
    assert (run.status, str(run.project_id), run.agent.version) == ("completed", project, "0.2.0")
    assert [article["id"] for article in run.output["output"]["articles"]] == ["kb-101"]
    listed = client.runs.list(agent_id=AGENT, agent_version="0.2.0").data
    assert [str(one.id) for one in listed] == [str(run.id)]
    with pytest.raises(kindgi_client.ConflictError) as over:
        client.runs.cancel(str(run.id))
    assert over.value.server_code == "run-already-terminal"
    with pytest.raises(kindgi_client.ServerError) as silent:
        client.runs.start(agent=AGENT, input={"userMessage": "Nobody ever said a word to this."})
    assert silent.value.status == 501


def test_the_judging_queue(demo_served: Served) -> None:
    client = client_of(demo_served, demo_served.token_of("mira", "mira", "editor"))
    project = str(client.projects.get_default().id)
    queue = client.projects.judging_queue.list(project, limit=2)
    assert len(queue.data) == min(2, queue.total)
    total = queue.total
    first = str(queue.data[0].run_id)
    assert client.projects.judging_queue.list(project, limit=0).total == total
    assert client.projects.judging_queue.dismiss(project, first, reason="Not mine.").state == "dismissed"
    with pytest.raises(kindgi_client.ConflictError) as refused:
        client.projects.judging_queue.dismiss(project, first)
    assert refused.value.server_code == "judging-item-not-open"
    assert client.projects.judging_queue.list(project, limit=0).total == total - 1
    dismissed = client.projects.judging_queue.list(project, state="dismissed").data
    assert [str(item.run_id) for item in dismissed] == [first]
    assert client.projects.judging_queue.reopen(project, first).state == "open"
    assert client.projects.judging_queue.list(project, limit=0).total == total


def test_errors_are_the_clients_own(demo_served: Served) -> None:
    client = client_of(demo_served)
    with pytest.raises(kindgi_client.NotFoundError) as missing:
        client.eval_runs.get("00000000-0000-4000-8000-000000000009")
    assert missing.value.server_code == "eval-run-not-found"
    with pytest.raises(kindgi_client.InvalidRequestError) as wrong:
        client.eval_suites.build_from_judgments("a.b", version="1.0.0", project_id=demo_served.project())
    assert wrong.value.status == 400
    judge = client_of(demo_served, demo_served.token_of("only-judge", "mira", "judge"))
    with pytest.raises(kindgi_client.AuthError) as denied:
        judge.eval_suites.build_from_judgments(
            "a.b", version="1.0.0", project_id=demo_served.project(), agent_id=AGENT
        )
    assert denied.value.server_code == "permission-denied"
    assert str(denied.value).startswith("Building a test set needs admin on the project.")
    with pytest.raises(kindgi_client.AuthError) as unknown:
        client_of(demo_served, "kgi_sy_000000000000_nope").projects.list()
    assert unknown.value.reason == "unauthenticated"
