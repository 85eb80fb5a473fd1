"""Our own JSONL: what the docstring of its module says, and that reading gives back what was written."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import CorrectionFilter, Expectation
from kindgi_tui.domain.judgments import ItemRef, Judgment
from kindgi_tui.domain.runs import RunDetail, Segment, Subject
from kindgi_tui.local.imports import kindgi_jsonl
from kindgi_tui.local.imports.identity import alias
from kindgi_tui.local.imports.json_values import Found, parse
from kindgi_tui.local.imports.records import (
    ImportedCorrection,
    ImportedJudgment,
    ImportedRun,
    ImportOptions,
    MachineScore,
    Place,
)
from kindgi_tui.local.workbench import open_local
from tests.local.imports.reading_lines import OPTIONS, imported, only, said, written
from tests.local.store.correcting import BOTH, LATE, corrected, expectations

UUID = "5b0c7f1e-9a34-4d0e-8a55-0f3f3f1f2a02"
RESULT = {
    "turnNumber": 1,
    "appended": [
        {"sequence": 0, "role": "user", "content": "Where is it?"},
        {"sequence": 1, "role": "agent", "content": None},
        {"sequence": 2, "role": "agent", "content": "Here."},
    ],
    "output": {"articles": [{"id": "kb-1"}, {"title": "no id"}]},
}


def record(**more: Any) -> dict[str, Any]:
    return {
        "id": UUID,
        "agent": {"id": "acme-ops.article-picker", "version": "0.1.0", "conversationId": "c-1"},
        "status": "completed",
        "createdAt": "2026-05-02T09:00:00.000Z",
        "completedAt": "2026-05-02T09:00:03.5Z",
        "segments": [{"key": "company", "value": "acme"}],
        "input": "Where is it?",
        "output": RESULT,
        **more,
    }


def test_a_wire_run_comes_in_as_it_is(tmp_path: Path) -> None:
    run = only(tmp_path, record(context={"history": [], "toolEnv": {"t": {"A": "b"}}}))
    assert run.detail == RunDetail(
        id=UUID,
        project_id=OPTIONS.project_id,
        subject=Subject(kind="agent", id="acme-ops.article-picker", version="0.1.0"),
        status="completed",
        created_at=datetime(2026, 5, 2, 9, 0, tzinfo=UTC),
        completed_at=datetime(2026, 5, 2, 9, 0, 3, 500_000, tzinfo=UTC),
        segments=(Segment(key="company", value="acme"),),
        conversation_id="c-1",
        source="kindgi-jsonl",
        input="Where is it?",
        output=RESULT,
        context={"history": [], "toolEnv": {"t": {"A": "b"}}},
        raw=run.detail.raw,
    )


def test_an_agents_run_without_input_takes_it_from_its_output(tmp_path: Path) -> None:
    told = record()
    del told["input"]
    assert only(tmp_path, told).detail.input == "Where is it?"


def test_a_text_is_the_answer(tmp_path: Path) -> None:
    run = only(tmp_path, {"agent": "acme.bot", "input": "Hi", "output": "Hello"})
    assert said(run) == [("user", "Hi"), ("agent", "Hello")]
    assert run.detail.subject == Subject(kind="agent", id="acme.bot", version="unknown")


def test_a_flow_run(tmp_path: Path) -> None:
    chosen = OPTIONS.model_copy(update={"agent": "other.agent"})
    run = only(
        tmp_path, {"flowId": "acme.rank", "flowVersion": "1.0.0", "input": {"a": 1}, "output": [1]}, chosen
    )
    assert run.detail.subject == Subject(kind="flow", id="acme.rank", version="1.0.0")
    assert run.detail.output == [1]


def test_an_agents_run_on_the_wire_names_an_inner_flow_too(tmp_path: Path) -> None:
    run = only(tmp_path, record(flowId="agent.turn", flowVersion="1.1.0"))
    assert run.detail.subject.kind == "agent"


def test_judgments_get_the_pointer_and_rank_their_item_has(tmp_path: Path) -> None:
    told = [
        {"item": "answer", "verdict": "yes", "judge": "ana@example.com"},
        {
            "item": {"key": "kb-1"},
            "verdict": "no",
            "reason": "old",
            "assertedBy": {"kind": "user", "id": UUID},
        },
        {"item": {"key": "/output/articles/1", "pointer": "/output/articles/1", "rank": 1}, "mark": "right"},
    ]
    run = only(tmp_path, record(judgments=told))
    assert [(one.item.key, one.item.pointer, one.item.rank, one.verdict) for one in run.judgments] == [
        ("answer", "/appended/2/content", None, "yes"),
        ("kb-1", "/output/articles/0", 0, "no"),
        ("/output/articles/1", "/output/articles/1", 1, "yes"),
    ]
    assert run.judgments[0].judge.startswith("judge-")
    assert "ana" not in run.judgments[0].judge
    assert run.judgments[1].judge == UUID
    kept = only(tmp_path, record(judgments=told), OPTIONS.model_copy(update={"keep_judges": True}))
    assert kept.judgments[0].judge == "ana@example.com"


def test_broken_judgments_are_left_out_and_the_run_comes_in(tmp_path: Path) -> None:
    told = [
        7,
        {"item": "answer"},
        {"verdict": "yes"},
        {"item": "answer", "verdict": "yes", "reason": "x" * 5000},
    ]
    runs, problems = imported(written(tmp_path, record(judgments=told)))
    assert len(runs[0].judgments) == 1
    assert len(runs[0].judgments[0].reason or "") == 4000
    assert [problem.reason for problem in problems] == [
        "Judgment 1 was left out: it names no item.",
        "Judgment 2 was left out: it has no verdict of yes or no.",
        "Judgment 3 was left out: it names no item.",
        "The reason of judgment 4 was cut to 4000 characters.",
    ]
    assert {problem.position for problem in problems} == {1}


@pytest.mark.parametrize("status", ["pending", "running", "suspended", "exploded", 7])
def test_unfinished_runs_are_left_out(tmp_path: Path, status: Any) -> None:
    runs, problems = imported(written(tmp_path, record(status=status)))
    assert runs == []
    assert len(problems) == 1


def test_a_failed_run_says_why(tmp_path: Path) -> None:
    run = only(
        tmp_path,
        record(status="failed", output=None, failure={"code": "budget-exceeded", "message": "Too dear."}),
    )
    assert (run.detail.status, run.detail.failure) == ("failed", "Too dear.")


def test_ids_of_any_kind_are_stable(tmp_path: Path) -> None:
    runs, _ = imported(
        written(
            tmp_path,
            record(id="run-1"),
            record(id="run-1", status="cancelled"),
            record(id=None),
            record(id=None),
        )
    )
    ids = [run.detail.id for run in runs]
    assert ids[0] == ids[1] != ids[2] == ids[3]


def test_bad_segments_are_left_out(tmp_path: Path) -> None:
    runs, problems = imported(written(tmp_path, record(segments=[{"key": "No", "value": "x"}])))
    assert runs[0].detail.segments == ()
    assert len(problems) == 1


texts = st.text(st.characters(exclude_categories=()), max_size=12)
plain_texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
json_values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda children: st.lists(children, max_size=3) | st.dictionaries(texts, children, max_size=3),
    max_leaves=8,
)
times = st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
names = st.from_regex(r"[a-z][a-z0-9]{0,5}(\.[a-z][a-z0-9-]{0,5}[a-z0-9])?", fullmatch=True)
subjects = st.builds(
    Subject, kind=st.sampled_from(["agent", "flow"]), id=names, version=st.sampled_from(["1.0.0", "unknown"])
)
judgments = st.builds(
    ImportedJudgment,
    item=st.builds(
        ItemRef,
        key=plain_texts.filter(str.strip),
        pointer=st.sampled_from(["", "/a", "/a~1\ud800"]),
        rank=st.none() | st.integers(0, 99),
    ),
    verdict=st.sampled_from(["yes", "no"]),
    reason=st.none() | plain_texts,
    judge=st.sampled_from(["judge-0123abcd", UUID, "unknown"]),
    participant=st.none() | plain_texts,
    created_at=st.none() | times,
)


@st.composite
def details(draw: st.DrawFn) -> RunDetail:
    subject = draw(subjects)
    failed = draw(st.booleans())
    output = draw(json_values.filter(lambda value: not isinstance(value, str)))
    return RunDetail(
        id=str(draw(st.uuids())),
        project_id=OPTIONS.project_id,
        subject=subject,
        status="failed" if failed else draw(st.sampled_from(["completed", "cancelled"])),
        created_at=draw(times),
        completed_at=draw(st.none() | times),
        segments=tuple(
            draw(st.lists(st.builds(Segment, key=st.just("company"), value=plain_texts), max_size=1))
        ),
        conversation_id=draw(st.none() | plain_texts) if subject.kind == "agent" else None,
        replay_of=draw(st.none() | st.uuids().map(str)),
        comparison_id=draw(st.none() | plain_texts),
        failure=draw(st.none() | plain_texts) if failed else None,
        source="kindgi-jsonl",
        input=draw(json_values),
        output=output,
        context=draw(st.dictionaries(texts, json_values, max_size=2)),
    )


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    details(),
    st.lists(judgments, max_size=2),
    st.lists(
        st.builds(
            MachineScore,
            name=plain_texts,
            value=st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | plain_texts,
            explanation=st.none() | plain_texts,
        ),
        max_size=2,
    ),
    st.lists(
        st.builds(
            ImportedCorrection,
            expect=expectations(),
            judge=st.sampled_from(["judge-0123abcd", UUID, "unknown"]),
            participant=st.none() | plain_texts,
            created_at=st.none() | times,
        ),
        max_size=2,
    ),
)
def test_what_is_written_is_read_back(
    detail: RunDetail,
    said_of_it: list[ImportedJudgment],
    scores: list[MachineScore],
    corrections: list[ImportedCorrection],
) -> None:
    line = kindgi_jsonl.export_line(detail, said_of_it, scores, corrections=corrections)
    assert line.isascii()
    assert "\n" not in line
    assert kindgi_jsonl.sniff(parse(line))
    place = Place(file="x", position=1)
    (run,) = kindgi_jsonl.read(Found(place, parse(line)), OPTIONS)
    assert isinstance(run, ImportedRun)
    assert run.detail.model_copy(update={"raw": None}) == detail
    assert run.judgments == tuple(said_of_it)
    assert run.machine_scores == tuple(scores)
    assert run.corrections == tuple(corrections)


def test_export_aliases_people_unless_told(tmp_path: Path) -> None:
    detail = only(tmp_path, record()).detail
    judgment = Judgment(
        id=UUID,
        run_id=detail.id,
        item=ItemRef(key="answer", pointer="/appended/2/content"),
        verdict="no",
        asserter="ana@example.com",
        created_at=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(microseconds=1),
    )
    line = kindgi_jsonl.export_line(detail, [judgment])
    assert "ana" not in line
    assert json.loads(line)["judgments"][0]["createdAt"] == "2026-01-01T00:00:00.000001Z"
    assert "ana@example.com" in kindgi_jsonl.export_line(detail, [judgment], keep_judges=True)
    (tmp_path / "out.jsonl").write_text(line + "\n")
    runs, _ = imported(tmp_path / "out.jsonl")
    again = kindgi_jsonl.export_line(runs[0].detail, runs[0].judgments)
    assert json.loads(again)["judgments"] == json.loads(line)["judgments"]


def test_broken_corrections_are_left_out_and_the_run_comes_in(tmp_path: Path) -> None:
    told = [
        7,
        {"expect": {"decisions": "maybe"}},
        {"expect": {"answer": "right", "verdict": "yes"}},
        {"expect": {"decisions": "wrong", "mustNotCall": ["acme.mail"]}, "assertedBy": "ana@example.com"},
    ]
    runs, problems = imported(written(tmp_path, record(corrections=told)))
    (kept,) = runs[0].corrections
    assert kept.expect == Expectation(decisions="wrong", must_not_call=("acme.mail",))
    assert kept.judge.startswith("judge-")
    assert [problem.reason for problem in problems] == [
        "Correction 1 was left out: What a run should have done is an object, such as {decisions: right}.",
        "Correction 2 was left out: expect.decisions must be one of: right, wrong.",
        'Correction 3 was left out: A correction has no field "verdict". It has decisions, shouldCall, mustNotCall, '
        "answer, shouldSay, why.",
    ]
    _, problems = imported(written(tmp_path, record(corrections={"a": 1})))
    assert [problem.reason for problem in problems] == ["The corrections were left out: they are not a list."]


async def test_corrections_ride_along_and_come_back(tmp_path: Path) -> None:
    first, _ = await open_local(tmp_path / "first")
    second, _ = await open_local(tmp_path / "second")
    project = (await first.projects.get()).id
    detail = only(tmp_path, record()).detail.model_copy(update={"project_id": project})
    when = datetime(2026, 1, 2, 3, 4, 5, 6000, tzinfo=UTC)
    outcome = await first.runs.add([detail], (), [(corrected(UUID, BOTH, participant="u-1"), "mira", when)])
    assert outcome.corrections == 1
    again = await first.runs.add([detail], (), [(corrected(UUID, LATE), "mira", when)])
    assert (again.corrections, len(await first.corrections.history(UUID))) == (0, 1)
    (tmp_path / "out.jsonl").write_text(await first.runs.export(UUID) + "\n")
    options = ImportOptions(project_id=(await second.projects.get()).id)
    dry = await second.runs.import_files([tmp_path / "out.jsonl"], options, dry_run=True)
    report = await second.runs.import_files([tmp_path / "out.jsonl"], options)
    assert (dry.corrections, report.corrections, report.left_out) == (1, 1, 0)
    (one,) = (await second.corrections.list(CorrectionFilter())).data
    assert (one.run_id, one.expect, one.participant, one.created_at) == (UUID, BOTH, "u-1", when)
    assert one.asserter == alias("mira")
    lines = [json.loads(await bench.runs.export(UUID)) for bench in (first, second)]
    assert lines[0]["corrections"] == lines[1]["corrections"]
    await first.close()
    await second.close()


async def test_a_correction_that_can_not_be_graded_is_told_and_left_out(tmp_path: Path) -> None:
    bench, _ = await open_local(tmp_path / "w")
    options = ImportOptions(project_id=(await bench.projects.get()).id)
    told = [{"expect": {"decisions": "wrong"}}, {"expect": {"answer": "right"}}]
    path = written(tmp_path, record(status="failed", output=None, corrections=told))
    report = await bench.runs.import_files([path], options)
    assert report.came_in == 1
    assert [problem.reason for problem in report.problems] == [
        "A correction was left out: Wrong decisions need at least one call in expect.shouldCall, or one tool in "
        "expect.mustNotCall.",
        f'A correction was left out: Run "{UUID}" (failed) has no output, so no answer to correct. '
        "Correct its decisions.",
    ]
    await bench.close()


def test_a_number_that_is_none_goes_out_as_null(tmp_path: Path) -> None:
    detail = only(tmp_path, record()).detail.model_copy(
        update={"input": [float("nan"), {"a": float("inf")}, 1.5]}
    )
    assert json.loads(kindgi_jsonl.export_line(detail))["input"] == [None, {"a": None}, 1.5]
