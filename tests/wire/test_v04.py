"""Our records in the 0.4 wire's names."""

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from kindgi_tui.domain.comparison_records import (
    Comparison,
    ComparisonPlan,
    ComparisonProgress,
    ComparisonRequest,
    SamplePart,
)
from kindgi_tui.domain.corrections import Correction, Expectation, ExpectedCall
from kindgi_tui.domain.judgments import Group, ItemRef, Judgment, Restriction
from kindgi_tui.domain.projects import Project
from kindgi_tui.domain.runs import Run, RunDetail, Segment, Subject
from kindgi_tui.domain.test_set_versions import BuildRequest, TestSetVersion
from kindgi_tui.domain.test_sets import Case, Evidence, ItemSummary, Reason
from kindgi_tui.text import dumps_line
from kindgi_tui.wire import v04

WHEN = datetime(2026, 11, 30, 20, 4, 5, 678_901, tzinfo=UTC)


def comparison(**changes: Any) -> Comparison:
    request = ComparisonRequest(
        test_set_id="acme.picks", project_id="p1", agent_id="acme.picker", subject_version="0.2.0"
    )
    fields: dict[str, Any] = {
        "id": "c1",
        "test_set_id": "acme.picks",
        "test_set_version": "1.0.0",
        "project_id": "p1",
        "request": request,
        "status": "completed",
        "started_by": "maria",
        "created_at": WHEN,
        "progress": ComparisonProgress(
            cases=3, repetitions=3, finished=3, finished_cases=3, errors=0, cost_usd=0.0, cached=3
        ),
    }
    return Comparison(**(fields | changes))


def test_a_correction_says_what_it_expects_who_and_when() -> None:
    expect = Expectation(
        decisions="wrong",
        should_call=(
            ExpectedCall(tool_id="acme.search", arguments={"q": [1]}),
            ExpectedCall(tool_id="acme.open"),
        ),
        must_not_call=("acme.mail",),
        answer="wrong",
        should_say="Five days.",
        why="Too vague",
    )
    one = Correction(id="c-1", run_id="r-1", expect=expect, asserter="mira", created_at=WHEN)
    shaped = v04.correction(one)
    assert shaped == {
        "id": "c-1",
        "runId": "r-1",
        "expect": {
            "decisions": "wrong",
            "shouldCall": [{"toolId": "acme.search", "args": {"q": [1]}}, {"toolId": "acme.open"}],
            "mustNotCall": ["acme.mail"],
            "answer": "wrong",
            "shouldSay": "Five days.",
            "why": "Too vague",
        },
        "assertedBy": {"kind": "user", "id": "mira"},
        "createdAt": "2026-11-30T20:04:05.678Z",
    }
    more = {"group_id": "g", "expert": True, "participant": "u-1", "ended_at": WHEN, "superseded_by": "c-2"}
    whole = v04.correction(one.model_copy(update=more), "service")
    assert whole == shaped | {
        "groupId": "g",
        "expert": True,
        "participantId": "u-1",
        "assertedBy": {"kind": "service", "id": "mira"},
        "endedAt": "2026-11-30T20:04:05.678Z",
        "supersededBy": "c-2",
    }


def test_times_are_utc_with_milliseconds() -> None:
    assert v04.time(WHEN) == "2026-11-30T20:04:05.678Z"
    east = WHEN.astimezone(timezone(timedelta(hours=5, minutes=30)))
    assert v04.time(east) == "2026-11-30T20:04:05.678Z"


def test_plain_renames_our_fields_and_leaves_json_inside_as_it_came() -> None:
    project = Project(id="1", slug="docs", name="Docs", is_default=True, created_at=WHEN)
    assert v04.plain(project) == {
        "id": "1",
        "slug": "docs",
        "name": "Docs",
        "isDefault": True,
        "createdAt": "2026-11-30T20:04:05.678Z",
    }
    assert v04.plain({"snake_case": {"stays_so": None}}) == {"snake_case": {"stays_so": None}}
    assert v04.plain(Path("a/b")) == "a/b"


def test_a_page_has_no_next_cursor_at_its_end() -> None:
    assert v04.page([1, 2], lambda number: number) == {"data": [1, 2], "hasMore": False}
    assert v04.page([], lambda number: number, True, "c") == {"data": [], "hasMore": True, "nextCursor": "c"}


def test_a_run_of_an_agent_and_of_a_flow() -> None:
    common: dict[str, Any] = {"id": "r1", "project_id": "p1", "created_at": WHEN}
    agent = Run(
        **common,
        subject=Subject(kind="agent", id="acme.picker", version="0.1.0"),
        status="failed",
        failure="No money left.",
        segments=(Segment(key="company", value="acme"),),
        replay_of="r0",
        comparison_id="c1",
        conversation_id="v1",
    )
    shaped = v04.run(agent)
    assert shaped["agent"] == {"id": "acme.picker", "version": "0.1.0", "conversationId": "v1"}
    assert shaped["failure"] == {"code": "run-failed", "message": "No money left."}
    assert (shaped["replayOf"], shaped["testRunId"]) == ("r0", "c1")
    assert shaped["segments"] == [{"key": "company", "value": "acme"}]
    assert "flowId" not in shaped
    assert "input" not in shaped
    flow = RunDetail(
        **common,
        subject=Subject(kind="flow", id="acme.flow", version="1.0.0"),
        status="completed",
        input={"snake_case": "stays"},
        output=None,
    )
    shaped = v04.run(flow)
    assert (shaped["flowId"], shaped["flowVersion"]) == ("acme.flow", "1.0.0")
    assert shaped["input"] == {"snake_case": "stays"}
    assert not {"agent", "output", "context", "preview"} & shaped.keys()


def test_a_judgment_made_as_experts_says_so() -> None:
    one = Judgment(
        id="j1",
        run_id="r1",
        item=ItemRef(key="kb-1", pointer="/output/articles/0", rank=0),
        verdict="yes",
        reason="Right",
        group_id="g1",
        restricted=True,
        asserter="maria",
        created_at=WHEN,
    )
    assert v04.judgment(one) == {
        "id": "j1",
        "runId": "r1",
        "item": {"key": "kb-1", "pointer": "/output/articles/0", "rank": 0},
        "verdict": "yes",
        "reason": "Right",
        "groupId": "g1",
        "expert": True,
        "assertedBy": {"kind": "user", "id": "maria"},
        "createdAt": "2026-11-30T20:04:05.678Z",
    }
    plain = one.model_copy(update={"restricted": False, "group_id": None})
    assert not {"expert", "groupId"} & v04.judgment(plain).keys()


def test_the_scopes_of_a_group() -> None:
    group = Group(id="g1", name="experts", weight=3.0, created_at=WHEN)
    assert v04.group(group)["scope"] == {"kind": "workspace"}
    assert "assertableBy" not in v04.group(group)
    project = group.model_copy(update={"project_id": "p1"})
    assert v04.group(project)["scope"] == {"kind": "project", "projectId": "p1"}
    agent = project.model_copy(
        update={"agent_id": "a1", "restriction": Restriction(min_reviewer_role="senior")}
    )
    assert v04.group(agent)["scope"] == {"kind": "agent", "projectId": "p1", "agentId": "a1"}
    assert v04.group(agent)["assertableBy"] == {"minReviewerRole": "senior"}


def test_a_test_set_version_says_what_it_was_built_from() -> None:
    request = BuildRequest(
        test_set_id="s", version="1.0.0", project_id="p1", agent_id="a1", since=WHEN, min_judgments=2
    )
    version = TestSetVersion(
        test_set_id="s",
        version="1.0.0",
        project_id="p1",
        case_count=1000,
        available=1314,
        request=request,
        created_at=WHEN,
        created_by="maria",
    )
    shaped = v04.test_set(version)
    assert (shaped["testSetId"], shaped["caseCount"], shaped["truncated"]) == ("s", 1000, True)
    assert shaped["query"] == {"agentId": "a1", "since": "2026-11-30T20:04:05.678Z", "minJudgments": 2}


def test_a_case_counts_experts_and_names_groups() -> None:
    case = Case(
        case_id="r1",
        subject=Subject(kind="agent", id="a1", version="0.1.0"),
        input="Where is it?",
        output={"appended": []},
        items=(
            ItemSummary(
                key="kb-1",
                pointer="/output/0",
                rank=0,
                yes=1,
                no=0,
                yes_weight=3,
                total_weight=3,
                restricted=Evidence(yes_weight=3, total_weight=3),
                reasons=(Reason(verdict="yes", reason="Right", group_id="g1", restricted=True),),
            ),
        ),
    )
    shaped = v04.case(case)
    assert shaped["caseId"] == "r1"
    items = shaped["items"]
    assert isinstance(items, list)
    item = items[0]
    assert isinstance(item, dict)
    assert item["expert"] == {"yesWeight": 3, "totalWeight": 3}
    assert item["reasons"] == [{"verdict": "yes", "reason": "Right", "groupId": "g1", "expert": True}]
    assert "restricted" not in json.dumps(shaped)


def test_a_comparison_without_and_with_a_result() -> None:
    shaped = v04.comparison(comparison(status="running"))
    assert (shaped["testRunId"], shaped["testSetId"], shaped["testSetVersion"]) == (
        "c1",
        "acme.picks",
        "1.0.0",
    )
    assert shaped["agentRef"] == {"agentId": "acme.picker", "version": "0.2.0"}
    assert shaped["comparison"] == {
        "baseline": "recorded",
        "reads": "recorded",
        "repetitions": 1,
        "k": 10,
        "groupWeights": "as-recorded",
    }
    assert not {"result", "ours", "flowRef", "completedAt"} & shaped.keys()
    metric = {"baseline": None, "candidate": 1, "delta": None, "n": 3}
    names = ("judgedCoverage", "weightedPrecisionAtK", "weightedYesShare")
    result = {
        "summary": {
            "evalRunId": "c1",
            "suite": {"id": "acme.picks", "version": "1.0.0"},
            "classWeights": "restricted-only",
            "metrics": dict.fromkeys(names, metric),
            "stopped": 0,
        },
        "perCase": [{"caseId": "r1", "diverged": True}],
        "ours": {"headline": "Better.", "intervals": {"pass_rate": {"low": 0, "high": 1}}},
    }
    shaped = v04.comparison(comparison(result=result))
    told = shaped["result"]
    assert isinstance(told, dict)
    summary = told["summary"]
    assert isinstance(summary, dict)
    assert summary["testRunId"] == "c1"
    assert summary["testSet"] == {"id": "acme.picks", "version": "1.0.0"}
    assert summary["groupWeights"] == "experts-only"
    metrics = summary["metrics"]
    assert isinstance(metrics, dict)
    assert list(metrics) == ["passRate", "caseCoverage", "weightedPrecisionAtK"]
    assert metrics["passRate"] == metric, "a side without evidence stays null"
    assert told["perCase"] == [{"caseId": "r1", "diverged": True}]
    assert shaped["ours"] == {"headline": "Better.", "intervals": {"passRate": {"low": 0, "high": 1}}}


def test_the_sample_and_the_flow_of_a_comparison() -> None:
    request = comparison().request.model_copy(
        update={
            "agent_id": None,
            "flow_id": "acme.flow",
            "sample": SamplePart(part="hold-out", seed="s", hold_out_share=0.3),
        }
    )
    shaped = v04.comparison(comparison(request=request))
    assert shaped["flowRef"] == {"flowId": "acme.flow", "version": "0.2.0"}
    settings = shaped["comparison"]
    assert isinstance(settings, dict)
    assert settings["sample"] == {"part": "hold-out", "seed": "s", "holdOutShare": 0.3}


def test_a_dry_run() -> None:
    plan = ComparisonPlan(test_set_id="s", test_set_version="1.0.0", cases=3, repetitions=6, cached=2)
    assert v04.plan(plan) == {
        "dryRunPreview": {
            "testSetId": "s",
            "testSetVersion": "1.0.0",
            "cases": 3,
            "repetitions": 6,
            "cached": 2,
            "judged": 0,
            "problems": [],
        }
    }


def test_everything_is_json() -> None:
    for value in (v04.comparison(comparison()), v04.plain(comparison()), v04.plain(comparison().progress)):
        assert json.loads(dumps_line(value)) == value
