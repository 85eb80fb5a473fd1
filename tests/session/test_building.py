"""The build form's drafts: suggestions, what is refused where, and what a build would take on a real workspace."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kindgi_tui.domain.judgments import ItemRef
from kindgi_tui.domain.queries import NewJudgment
from kindgi_tui.domain.runs import RunDetail, Segment, Subject
from kindgi_tui.domain.test_set_versions import BuildRequest, TestSetVersion
from kindgi_tui.local.workbench import LocalWorkbench, open_local
from kindgi_tui.session.build_fields import build_fields
from kindgi_tui.session.building import (
    BuildDraft,
    BuildFacts,
    build_facts,
    check_build,
    draft_of,
    read_build,
    suggested_id,
    suggested_version,
)

NOW = datetime(2026, 10, 9, 12, tzinfo=UTC)


def built(**given: object) -> TestSetVersion:
    request = BuildRequest(test_set_id="acme.picks", version="1.0.0", project_id="p", agent_id="acme.picker")
    return TestSetVersion.model_validate({
        "test_set_id": "acme.picks", "version": "1.0.0", "project_id": "p", "case_count": 3, "available": 3,
        "request": request, "created_at": NOW, "created_by": "mira", **given,
    })  # fmt: skip


FACTS = BuildFacts(project_id="p", subjects=("acme.picker", "flow:acme.route"), sets=(built(),))


def test_what_is_empty_stands_at_its_suggestion() -> None:
    request = read_build(
        BuildDraft(), FACTS.model_copy(update={"versions": {"acme.picks": ("1.0.0", "1.0.9")}})
    )
    assert request.request is not None
    assert request.request.test_set_id == "acme.picks"
    assert request.request.version == "1.0.10"
    assert request.request.agent_id == "acme.picker"


def test_a_new_set_is_named_after_its_agent_or_flow() -> None:
    assert suggested_id(BuildDraft(subject="acme.other"), FACTS) == "acme.other-picks"
    assert suggested_id(BuildDraft(subject="flow:acme.route"), FACTS) == "acme.route-picks"
    assert suggested_id(BuildDraft(subject="\x1b[31m weird/agent"), FACTS) == "-31m-weird-agent-picks".lstrip(
        "-"
    )
    assert suggested_id(BuildDraft(), BuildFacts(project_id="p")) == ""


@pytest.mark.parametrize(
    ("taken", "suggested"),
    [((), "1.0.0"), (("1.0.0",), "1.0.1"), (("1.9.0", "1.10.2", "0.9.9"), "1.10.3"), (("odd",), "1.0.0")],
)
def test_the_next_version(taken: tuple[str, ...], suggested: str) -> None:
    assert suggested_version(taken) == suggested


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("test_set_id", "no spaces", "letters, digits, dots"),
        ("version", "1.0", "semver"),
        ("version", "1.0.0", "built already"),
        ("since", "soon", "since: is a date"),
        ("until", "2026-99-01", "until: is a date"),
        ("groups", "nobody", "No group is called nobody"),
        ("min_judgments", "0", "whole number"),
        ("min_judgments", "many", "whole number"),
        ("segments", "company", "key:value"),
        ("segments", "Company:acme", "lowercase"),
        ("segments", " / ".join(f"k{n}:v" for n in range(9)), "at most 8"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(field: str, value: str, words: str) -> None:
    facts = FACTS.model_copy(update={"versions": {"acme.picks": ("1.0.0",)}})
    read = read_build(BuildDraft.model_validate({field: value}), facts)
    assert read.request is None
    assert list(read.problems) == [field]
    assert words in read.problems[field]
    shown = next(one for one in build_fields(BuildDraft(), facts, read.problems) if one.name == field)
    assert shown.problem == read.problems[field]


def test_a_time_that_ends_before_it_starts_and_another_projects_set_are_refused() -> None:
    read = read_build(BuildDraft(since="2026-10-02", until="2026-10-01"), FACTS)
    assert "no run is left" in read.problems["until"]
    read = read_build(BuildDraft(project="q", test_set_id="acme.picks"), FACTS)
    assert "another project" in read.problems["test_set_id"]


def test_every_option_arrives_in_the_request() -> None:
    draft = BuildDraft(
        subject="flow:acme.route", test_set_id="x", version="2.0.0", subject_version="0.1.0", since="7d",
        until="2026-10-09T00:00:00+02:00", min_judgments="2", segments="company:acme / team:a=b", description=" About ",
    )  # fmt: skip
    read = read_build(draft, FACTS, NOW)
    assert read.problems == {}
    assert read.request == BuildRequest(
        test_set_id="x", version="2.0.0", project_id="p", flow_id="acme.route", subject_version="0.1.0",
        since=NOW - timedelta(days=7), until=datetime(2026, 10, 8, 22, tzinfo=UTC), min_judgments=2,
        segments=(Segment(key="company", value="acme"), Segment(key="team", value="a=b")), description="About",
    )  # fmt: skip


def test_a_draft_of_a_built_version_asks_for_the_same() -> None:
    request = BuildRequest(
        test_set_id="acme.picks", version="1.0.0", project_id="p", agent_id="acme.picker", min_judgments=2,
        since=NOW, segments=(Segment(key="company", value="a:b"),), description="About",
    )  # fmt: skip
    draft = draft_of(built(request=request, description="About"), FACTS)
    again = read_build(draft, FACTS).request
    assert again is not None
    assert again.model_copy(update={"version": "1.0.0"}) == request


def test_every_option_of_a_request_has_a_field() -> None:
    names = {one.name for one in build_fields(BuildDraft(), FACTS, {})}
    options = set(BuildRequest.model_fields) - {"agent_id", "flow_id", "project_id"}
    assert options | {"subject", "project"} == names == set(BuildDraft.model_fields)


@pytest.fixture
async def workbench(tmp_path: Path) -> AsyncIterator[LocalWorkbench]:
    made, _ = await open_local(tmp_path / "w")
    yield made
    await made.close()


async def judged_runs(workbench: LocalWorkbench, count: int) -> str:
    project = await workbench.projects.get()
    for number in range(count):
        run = RunDetail(
            id=f"00000000-0000-4000-8000-{number:012d}", project_id=project.id, status="completed",
            subject=Subject(kind="agent", id="acme.picker", version=f"0.{number % 2}.0"), created_at=NOW,
            segments=(Segment(key="company", value="acme"),) if number % 3 == 0 else (), input="q",
            output={"appended": [], "output": {"l": [{"id": "a"}, {"id": "b"}]}},
        )  # fmt: skip
        await workbench.runs.add([run])
        for rank, key in enumerate(("a", "b") if number else ("a",)):
            item = ItemRef(key=key, pointer=f"/output/l/{rank}", rank=rank)
            await workbench.judgments.add(NewJudgment(run_id=run.id, item=item, verdict="yes"))
    return project.id


async def test_a_check_counts_what_it_takes_and_what_it_leaves_out(workbench: LocalWorkbench) -> None:
    project = await judged_runs(workbench, 6)
    facts = await build_facts(workbench, project)
    assert facts.subjects == ("acme.picker",)
    check = await check_build(workbench, BuildDraft(), facts)
    assert check.preview is not None
    assert (check.preview.runs, check.preview.items, check.preview.judgments) == (6, 11, 11)
    assert (check.refusal, check.narrowed, check.judged) == (None, 0, 6)
    check = await check_build(workbench, BuildDraft(min_judgments="2", subject_version="0.0.0"), facts)
    assert check.preview is not None
    assert (check.preview.runs, check.preview.too_few, check.narrowed) == (2, 1, 3)
    check = await check_build(workbench, BuildDraft(segments="company:acme"), facts)
    assert check.preview is not None
    assert (check.preview.runs, check.narrowed) == (2, 4)


async def test_a_check_refuses_in_words(workbench: LocalWorkbench) -> None:
    project = (await workbench.projects.get()).id
    check = await check_build(workbench, BuildDraft(), await build_facts(workbench, project))
    assert "judge some first" in (check.refusal or "")
    await judged_runs(workbench, 2)
    facts = await build_facts(workbench, project)
    refused = {
        "judge some first": BuildDraft(subject="acme.unknown"),
        "too few judgments": BuildDraft(min_judgments="9"),
        "narrow less": BuildDraft(until="2026-01-01"),
    }
    for words, draft in refused.items():
        assert words in ((await check_build(workbench, draft, facts)).refusal or ""), words
    judge = facts.model_copy(update={"right": "judge"})
    assert "right of an editor" in ((await check_build(workbench, BuildDraft(), judge)).refusal or "")


async def test_what_a_check_allows_is_built_and_then_taken(workbench: LocalWorkbench) -> None:
    project = await judged_runs(workbench, 2)
    check = await check_build(workbench, BuildDraft(), await build_facts(workbench, project))
    assert check.request is not None
    made = await workbench.test_sets.build(check.request)
    assert made.version == "1.0.0"
    facts = await build_facts(workbench, project)
    check = await check_build(workbench, BuildDraft(), facts)
    assert check.request is not None
    assert (check.request.test_set_id, check.request.version) == ("acme.picker-picks", "1.0.1")
    check = await check_build(workbench, BuildDraft(version="1.0.0"), facts)
    assert "built already" in check.problems["version"]
