"""Reviewing a comparison: order, filters, what waits, rescores folded; a case with its items and verdicts."""

import asyncio
import json
import math
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparison_records import Comparison
from kindgi_tui.domain.comparisons import CaseResult
from kindgi_tui.domain.corrections import CheckedCorrection
from kindgi_tui.domain.judgments import Verdict
from kindgi_tui.domain.own_test_sets import ExpectedItem, expected_summary
from kindgi_tui.domain.regressions import pass_rates
from kindgi_tui.domain.runs import Subject
from kindgi_tui.domain.test_sets import Case, ItemSummary
from kindgi_tui.local.workbench import LocalWorkbench
from kindgi_tui.session.opened_case import OpenedCase, case_items
from kindgi_tui.session.reviewing import (
    FILTERS,
    Counts,
    Entry,
    Review,
    newest_of,
    number,
    place_of,
    questions_of,
    said_words,
    standing_words,
)
from kindgi_tui.tui.screens.case.items import item_row
from kindgi_tui.workbench import NotFound
from tests.domain.test_regressions import case as case_of
from tests.session.comparing import (
    CHARGE,
    PACKAGE,
    PASSWORD,
    SET,
    compare,
    compared,
    docs_of,
    freeze,
    make_compared,
)
from tests.workspaces import copy_workspace

FAILED = CheckedCorrection.model_validate(
    {"correctionId": "c", "pass": False, "repetitionsPassed": 0, "repetitions": 1}
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo with a comparison, made once."""
    folder = tmp_path_factory.mktemp("demo") / "workspace"
    asyncio.run(make_compared(folder))
    return folder


@pytest_asyncio.fixture
async def docs(made: Path, tmp_path: Path) -> AsyncIterator[LocalWorkbench]:
    """A copy of the demo, with the test set of `docs`."""
    folder = tmp_path / "workspace"
    copy_workspace(made, folder)
    async with docs_of(folder) as workbench:
        yield workbench


def review_of(comparison: Comparison) -> Review:
    review = Review()
    review.take(comparison.result, comparison.request.k)
    return review


async def opened(
    workbench: LocalWorkbench, comparison: Comparison, place: int = 0, group: str | None = None
) -> OpenedCase:
    person = await workbench.people.me()
    return OpenedCase(workbench, person, comparison, review_of(comparison).cases, place, group=group)


async def test_a_result_is_read_with_its_figures_and_words(docs: LocalWorkbench) -> None:
    done = await compare(docs, repetitions=2, k=7)
    review = review_of(done)
    yes, items, top = review.measures
    assert [one.label for one in review.measures] == ["Judged yes", "Judged items", "Top 7 judged yes"]
    assert (yes.before, yes.now, yes.n, yes.word, yes.spread) == (1 / 3, 1, 3, "too few cases", 0)
    assert (items.before, items.now, items.delta) == (0.75, 0.5, -0.25)
    assert top.interval is not None
    assert top.interval.low == pytest.approx(2 / 3)
    assert top.interval.high == pytest.approx(2 / 3)
    assert review.counts == Counts(
        cases=3, diverged=1, waiting=3, models=(("anthropic claude-sonnet-5-5", 6),)
    )
    assert review.headline.startswith("People's judgments rate acme-ops.article-picker 0.2.0 better than")
    sizes = review.sizes()
    assert sizes == dict.fromkeys(FILTERS, 0) | {"all": 3, "improved": 3, "new": 3, "diverged": 1}
    assert [case.result.case_id for case in review.narrowed("diverged")] == [PASSWORD]
    assert {case.result.case_id for case in review.cases} == {CHARGE, PASSWORD, PACKAGE}
    assert place_of(review.cases, "nothing") is None
    found: dict[str, str] = {}
    async for page in questions_of(docs, done):
        found |= page
    assert found[CHARGE] == "I was charged twice for one order. How do I get my money back?"


def a_case(case_id: str, **more: Any) -> dict[str, Json]:
    return {"caseId": case_id, "runIds": [f"run of {case_id}"], **more}


def test_every_filter_leaves_its_own_and_the_results_order_holds() -> None:
    new = {"kept": [], "dropped": [], "new": [{"key": "answer", "pointer": "/x"}, {"key": "b", "judged": {}}]}
    cases: list[Json] = [
        a_case("same"), a_case("new", changes=new), a_case("live", diverged=True),
        a_case("refused", refusedWrites=2), a_case("stopped", stopped={"toolId": "t", "arguments": 1}),
        a_case("broken", error="It broke."), a_case("worse"), a_case("better"),
        a_case("failed", corrections=[{"correctionId": "k", "pass": False}]),
        a_case("passing", corrections=[{"correctionId": "k", "pass": True}]), a_case("unsure", unchecked="Why."),
        a_case("nowhere"),
    ]  # fmt: skip
    standing = {"worse": "regressed", "better": "improved", "same": "unchanged"}
    order = [
        "worse",
        "stopped",
        "broken",
        "new",
        "live",
        "refused",
        "better",
        "same",
        "failed",
        "passing",
        "unsure",
    ]
    newly = {"failed": "failing", "passing": "passing"}
    told: list[Json] = [
        {
            "caseId": one,
            "standing": standing.get(one, "unknown"),
            "isNew": one == "new",
            "change": None,
            "newly": newly.get(one),
        }
        for one in order
    ]
    review = Review()
    review.take({"perCase": cases, "ours": {"cases": told}}, 10)
    assert [case.result.case_id for case in review.cases] == [*order, "nowhere"]
    wanted = {
        "regressed": "worse", "improved": "better", "new": "new", "diverged": "live", "refused": "refused",
        "stopped": "stopped", "errors": "broken", "failed": "failed", "unchecked": "unsure",
        "newly failing": "failed", "newly passing": "passing",
    }  # fmt: skip
    for name in FILTERS[1:]:
        assert [case.result.case_id for case in review.narrowed(name)] == [wanted[name]], name
    assert review.unjudged() == [("run of new", "answer")]
    # Cases that did not change are not read again; those that did are.
    kept = {case.result.case_id: case.result for case in review.cases}
    review.take({"perCase": [*cases[1:], a_case("same", diverged=True)], "ours": {"cases": told}}, 10)
    again = {case.result.case_id: case.result for case in review.cases}
    assert again["new"] is kept["new"]
    assert again["same"] is not kept["same"]
    # What can't be read is that case's error, and harms no other.
    review.take({"perCase": [{"caseId": "odd", "candidate": 3}]}, 10)
    assert review.cases[0].result.error == "This case's result can't be read."
    review.take(None, 10)
    assert (review.cases, review.measures, review.headline) == ((), (), "")


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (case_of((1, 3), (3, 3), dropped=("kb-a",)), "got worse: an item people said yes to is gone"),
        (case_of((0, 0), (0, 0), dropped=("kb-a",)), "got worse: an item people said yes to is gone"),
        (case_of((2, 3), (1, 3), dropped=("kb-a",)), "got worse"),
        (case_of((2, 3), (1, 3)), "got worse"),
        (
            case_of((1, 3), (3, 3), dropped=("kb-a",)).model_copy(update={"corrections": (FAILED,)}),
            "got worse",
        ),
    ],
)
def test_why_a_case_got_worse_is_said_where_its_rate_says_otherwise(result: CaseResult, words: str) -> None:
    assert standing_words("regressed", result) == words
    assert standing_words("improved", result) == "got better"
    assert standing_words("odd", result) == ""


@pytest.mark.parametrize(
    ("item", "everybody", "experts"),
    [
        (None, ("judged", None), ("judged", None)),
        ({"yes": 1, "no": 0, "yesWeight": 1, "totalWeight": 1}, ("yes", True), ("no expert's", None)),
        (
            {"yes": 2, "no": 1, "yesWeight": 2, "totalWeight": 5, "restricted": {"yesWeight": 0, "totalWeight": 3}},
            ("2 yes, 1 no", False),
            ("experts: no", False),
        ),
        (
            {"yes": 0, "no": 2, "yesWeight": 0, "totalWeight": 1, "restricted": {"yesWeight": 0, "totalWeight": 0}},
            ("0 yes, 2 no", False),
            ("no expert's", None),
        ),
        (
            {"yes": 1, "no": 2, "yesWeight": 3, "totalWeight": 5, "restricted": {"yesWeight": 3, "totalWeight": 3}},
            ("1 yes, 2 no", True),
            ("experts: yes", True),
        ),
    ],
)  # fmt: skip
def test_what_was_said_of_an_item_counts_experts_alone_where_they_alone_count(
    item: dict[str, Json] | None, everybody: tuple[str, bool | None], experts: tuple[str, bool | None]
) -> None:
    summary = None if item is None else ItemSummary.read({"key": "kb-a", **item})
    assert said_words(summary, False) == everybody
    assert said_words(summary, True) == experts


def test_a_result_with_graded_parts_is_named_by_them() -> None:
    sums: dict[str, Json] = {
        "yesWeight": 0, "totalWeight": 0, "items": 1, "judgedItems": 0, "topK": {"yesWeight": 0, "totalWeight": 0},
    }  # fmt: skip
    entry: dict[str, Json] = {
        "correctionId": "graded",
        "pass": False,
        "repetitionsPassed": 0,
        "repetitions": 1,
    }
    graded = a_case(
        "graded",
        baseline={**sums, "checks": {"passed": 0, "total": 2}},
        candidate=[{**sums, "checks": {"passed": 1, "total": 2}}],
        corrections=[{**entry, "parts": {"decisions": True, "answer": False}}],
    )
    review = Review()
    labels = {}
    for name, case in (
        ("graded", graded),
        ("built", a_case("built", corrections=[entry, "odd", {"parts": None}])),
    ):
        review.take({"summary": {"cases": 1}, "perCase": [case]}, 5)
        labels[name] = [one.label for one in review.measures]
        assert review.graded is review.cases[0].entry.graded is (name == "graded")
    assert labels == {
        "graded": ["Share marked right", "Corrected items", "Top 5 marked right"],
        "built": ["Judged yes", "Judged items", "Top 5 judged yes"],
    }
    review.take({"perCase": [graded]}, 5)
    assert pass_rates(review.cases[0].result.baseline, review.cases[0].result.candidate) == (0, 0.5)


@pytest.mark.parametrize(
    "odd",
    [
        None,
        [],
        "x",
        math.nan,
        10**400,
        True,
        {"metrics": 3, "cases": math.inf},
        {"metrics": {"weightedYesShare": []}},
    ],
)
def test_odd_results_are_read_without_a_word(odd: Any) -> None:
    review = Review()
    results: list[Any] = [
        odd,
        {"summary": odd, "perCase": odd, "ours": odd},
        {"perCase": [odd], "ours": {"cases": [odd]}},
    ]
    for result in results:
        review.take(result, 10)
        assert review.cases == ()
    assert number(odd) is None


async def test_verdicts_wait_for_a_rescore_and_move_the_figures(docs: LocalWorkbench) -> None:
    """By hand: 9 judged items were 3 yes and 6 no; now each case has one kept item (yes) and a new answer.

    Answers yes, no, no: 3 + 1 of 3 + 3 judged are yes, and all of 6 items are judged.
    """
    done = await compare(docs)
    assert await docs.comparisons.waiting(done.id) == 0
    case = await opened(docs, done)
    said: tuple[Verdict, ...] = ("yes", "no", "no")
    for place, verdict in enumerate(said):
        case.go(place)
        await case.load()
        (new,) = [item for item in case.items if item.kind == "new"]
        assert new.key == "answer"
        assert case.replay is not None
        await case.judge(case.replay.id, new, verdict)
        assert case.mine(new) == verdict
        assert await docs.comparisons.waiting(done.id) == place + 1
    headline = await case.rescore()
    rescored = case.comparison
    yes, items, top = review_of(rescored).measures
    assert yes.before == 1 / 3
    assert yes.now == pytest.approx(4 / 6)
    assert (items.before, items.now) == (0.75, 1)
    assert (top.before, top.now) == (1 / 3, 1)
    assert "33% yes before, 67% now" in headline
    assert review_of(rescored).unjudged() == []
    assert await docs.comparisons.waiting(rescored.id) == 0
    # A verdict after it waits for the next one; taken back, it doesn't.
    await case.take_back()
    (new,) = [item for item in case.items if item.kind == "new"]
    assert case.mine(new) is None
    assert case.replay is not None
    await case.judge(case.replay.id, new, "yes")
    assert await docs.comparisons.waiting(rescored.id) == 1
    assert await docs.comparisons.waiting(done.id) == 3
    await case.rescore()
    newest = await newest_of(docs, done.id)
    assert newest == case.comparison
    assert review_of(newest).measures[0].now == pytest.approx(5 / 6)
    assert [one.id for one in await docs.comparisons.rescores(done.id)] == [newest.id, rescored.id]
    assert await newest_of(docs, rescored.id) == newest


async def test_taking_back_goes_through_all_that_was_said(docs: LocalWorkbench) -> None:
    done = await compared(docs)
    case = await opened(docs, done)
    await case.load()
    (new,) = [item for item in case.items if item.kind == "new"]
    assert case.replay is not None
    given: tuple[Verdict, ...] = ("yes", "no", "yes")
    for verdict in given:
        await case.judge(case.replay.id, new, verdict)
    assert case.verdict(new) == "yes"
    said = []
    while case.undoable:
        assert await case.take_back() == (case.replay.id, "answer")
        said.append(case.verdict(new))
    assert said == ["no", "yes", None]
    assert await case.take_back() is None
    assert await docs.comparisons.waiting(done.id) == 0


async def test_an_opened_case_has_its_items_with_their_moves(docs: LocalWorkbench) -> None:
    done = await compared(docs)
    cases = review_of(done).cases
    case = await opened(docs, done, place_of(cases, PACKAGE) or 0)
    await case.load()
    moves = [(item.kind, item.key, item.rank_before, item.rank) for item in case.items]
    changes = case.reviewed.result.changes
    assert changes is not None
    assert moves == [
        *(("new", one.key, None, one.rank) for one in changes.new),
        *(("kept", one.key, one.rank_before, one.rank) for one in changes.kept),
        *(("dropped", one.key, one.rank_before, None) for one in changes.dropped),
    ]
    assert [item.ref is not None for item in case.items] == [item.kind == "new" for item in case.items]
    assert all(item.value is not None for item in case.items)
    assert case.first_open() == 0
    assert len(case.runs) == 2
    first = case.replay
    case.repetition = 1
    await case.load()
    assert case.replay is not None and first is not None
    assert (case.replay.id, first.id) == (case.runs[1], case.runs[0])
    # A case that left the test set, and a run that is gone, are shown as far as they go.
    case.cases[case.place] = case.reviewed._replace(
        entry=Entry("gone", {"caseId": "gone", "runIds": ["gone"]})
    )
    await case.load()
    left: list[object] = [case.case, case.replay, *case.items]
    assert left == [None, None]


@pytest.mark.parametrize(
    ("said", "words"),
    [("yes", "the case asks for it, and it was never there"), ("no", "never there, as the case asks")],
)
def test_what_neither_run_had_is_missing_and_not_dropped(said: Verdict, words: str) -> None:
    """kb-1 was picked and isn't any more; kb-2 was asked for by hand, and nobody ever picked it."""
    output = {"appended": [], "output": {"articles": [{"id": "kb-1"}]}}
    items = (
        ItemSummary(key="kb-1", pointer="/output/articles/0", rank=0, yes=1, yes_weight=1, total_weight=1),
        expected_summary(ExpectedItem(key="kb-2", verdict=said)),
    )
    subject = Subject(kind="agent", id="acme.picker", version="0.1.0")
    one = Case(case_id="c", subject=subject, input="q", output=output, items=items, expert=True)
    found = case_items(one, {"appended": [], "output": {"articles": [{"id": "kb-9"}]}})
    assert [(item.kind, item.key) for item in found] == [
        ("new", "kb-9"), ("dropped", "kb-1"), ("missing", "kb-2"),
    ]  # fmt: skip
    row = "".join(cell.words for cell in item_row(found[2], (), "me", 100, False))
    assert row.startswith("∅ missing")
    assert words in row
    assert "null" not in row
    # Where it comes after all it is kept, as people asked for it.
    after = case_items(one, {"appended": [], "output": {"articles": [{"id": "kb-2"}]}})
    assert [(item.kind, item.key) for item in after] == [("kept", "kb-2"), ("dropped", "kb-1")]


async def test_the_folded_list_counts_rescores_and_shows_the_newest(docs: LocalWorkbench) -> None:
    comparisons = docs.comparisons
    first = await compared(docs)
    second = await compare(docs, "0.3.0")
    again = await comparisons.rescore(first.id)
    third = await compare(docs, "0.1.0")
    last = await comparisons.rescore(first.id)
    page = await comparisons.list(folded=True)
    assert [one.id for one in page.data] == [third.id, second.id, first.id]
    assert [one.rescores for one in page.data] == [0, 0, 2]
    assert [one.newest_rescore for one in page.data] == [None, None, last.id]
    assert await comparisons.count() == 3
    assert await comparisons.count(test_set_id="other") == 0
    flat = await comparisons.list()
    assert [one.id for one in flat.data] == [last.id, third.id, again.id, second.id, first.id]
    assert all(one.result is None for one in (*page.data, *flat.data))
    for one in flat.data:
        review = review_of(await comparisons.get(one.id))
        yes, brief = review.measures[0], one.brief
        assert brief is not None
        assert (brief.before, brief.now, brief.n, brief.word) == (yes.before, yes.now, yes.n, yes.word)
        assert (brief.waiting, brief.headline) == (review.counts.waiting, review.headline)
    # Pages in both directions have the same rows in the same order.
    for folded, whole in ((True, page), (False, flat)):
        for backwards in (False, True):
            rows: list[Comparison] = []
            cursor = None
            for _ in range(10):
                part = await comparisons.list(
                    test_set_id=SET, limit=2, cursor=cursor, backwards=backwards, folded=folded
                )
                rows = [*part.data, *rows] if backwards else [*rows, *part.data]
                cursor = part.next_cursor
                if not part.has_more:
                    break
            assert rows == list(whole.data)
    assert (await comparisons.list("00000000-0000-4000-8000-000000000000", folded=True)).data == ()
    with pytest.raises(NotFound):
        await comparisons.rescores("00000000-0000-4000-8000-000000000000")


async def test_a_brief_survives_what_only_python_calls_json(docs: LocalWorkbench) -> None:
    done = await compared(docs)
    assert isinstance(done.result, dict)
    odd: Any = {**done.result, "odd": [math.nan, 10**400]}
    text = json.dumps(odd)

    def store(connection: Any) -> None:
        connection.execute("UPDATE comparisons SET result = ?", (text,))

    await docs.access.database.write(store)
    (one,) = (await docs.comparisons.list(folded=True)).data
    assert one.brief is not None
    assert (one.brief.before, one.brief.now, one.brief.waiting) == (1 / 3, 1, 3)


async def test_a_running_one_has_no_brief_and_is_itself_the_newest(docs: LocalWorkbench) -> None:
    done = await compared(docs)
    frozen = freeze(Path(docs.where), done.id, without=(CHARGE,))
    (one,) = (await docs.comparisons.list(folded=True)).data
    assert (one.brief, one.status, one.progress.finished) == (None, "running", 4)
    newest = await newest_of(docs, done.id)
    assert (newest.id, newest.status) == (done.id, "running")
    frozen.thaw()


async def test_verdicts_are_said_as_the_chosen_group_where_it_covers_the_replay(docs: LocalWorkbench) -> None:
    done = await compared(docs)
    experts = await docs.groups.add("experts here", 3.0)
    elsewhere = await docs.groups.add("elsewhere", 2.0, project_id=(await docs.projects.get("default")).id)
    for chosen, wanted in ((experts.id, experts.id), (elsewhere.id, None), (None, None)):
        case = await opened(docs, done, group=chosen)
        await case.load()
        assert case.replay is not None
        assert (None if case.group is None else case.group.id) == wanted
        (new,) = [item for item in case.items if item.kind == "new"]
        await case.judge(case.replay.id, new, "yes")
        (said,) = case.judgments
        assert said.group_id == wanted
