"""Correcting without a screen: what each change makes of a draft, what is saved, what is kept, what is checked."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import Expectation, ExpectedCall
from kindgi_tui.domain.expectations import checked_expectation
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.runs import RecordedCall, RunDetail, Subject
from kindgi_tui.local.store.values import from_ms
from kindgi_tui.local.workbench import open_local
from kindgi_tui.session.correcting import Correcting, live_correction
from kindgi_tui.session.correcting_draft import (
    Draft,
    add_call,
    any_arguments,
    change_call,
    draft_from,
    draft_of,
    expectation_of,
    forbid_tool,
    keep_call,
    mark_answer,
    mark_decisions,
    remove_call,
    set_text,
    why_not_saved,
)
from kindgi_tui.session.correction_drafts import MOST, CorrectionDrafts, kept, restored
from kindgi_tui.session.tool_choices import ToolChoice, matching_tools

SEARCH, LOG = "acme.search", "acme.log"


def call(tool: str, arguments: Json, step: int = 0) -> RecordedCall:
    return RecordedCall(step=step, call_id=f"c{step}", tool_id=tool, arguments=arguments)


RECORDED = (call(SEARCH, {"query": "cards", "limit": 3}), call(LOG, {"what": "cards"}, 1))


def wrong(recorded: tuple[RecordedCall, ...] = RECORDED) -> Draft:
    return mark_decisions(draft_of(recorded), "wrong")


def test_recorded_calls_stand_there_to_be_kept() -> None:
    expect = expectation_of(wrong())
    assert expect.decisions == "wrong"
    assert expect.should_call == (
        ExpectedCall(tool_id=SEARCH, arguments={"query": "cards", "limit": 3}),
        ExpectedCall(tool_id=LOG, arguments={"what": "cards"}),
    )
    assert expectation_of(draft_of(RECORDED)) == Expectation()
    assert expectation_of(mark_decisions(draft_of(RECORDED), "right")) == Expectation(decisions="right")


def test_a_call_is_changed_kept_taken_with_any_arguments_and_left_out() -> None:
    changed = change_call(wrong(), 0, {"query": "add a card"})
    assert expectation_of(changed).should_call[0].arguments == {"query": "add a card"}
    assert keep_call(changed, 0, RECORDED) == wrong()
    assert expectation_of(any_arguments(changed, 0)).should_call[0] == ExpectedCall(tool_id=SEARCH)
    left = remove_call(wrong(), 1)
    assert [one.tool_id for one in expectation_of(left).should_call] == [SEARCH]
    assert len(left.calls) == 2
    assert keep_call(left, 1, RECORDED) == wrong()


def test_a_forbidden_tool_is_forbidden_in_all_its_calls_until_it_is_asked_for_again() -> None:
    twice = wrong((*RECORDED, call(LOG, {"what": "more"}, 2)))
    never = forbid_tool(add_call(twice, LOG, {"what": "added"}), LOG)
    assert [row.stance for row in never.calls] == ["call", "never", "never"]
    assert expectation_of(never).must_not_call == (LOG,)
    again = change_call(never, 2, {"what": "now"})
    assert [row.stance for row in again.calls] == ["call", "free", "call"]
    assert expectation_of(again).must_not_call == ()
    assert [row.stance for row in remove_call(never, 1).calls] == ["call", "free", "free"]
    other = forbid_tool(wrong(), "acme.delete")
    assert expectation_of(other).must_not_call == ("acme.delete",)
    assert remove_call(other, 2) == wrong()
    assert [row.stance for row in add_call(other, "acme.delete").calls] == ["call", "call", "call"]


def test_what_does_not_count_now_stays_and_is_not_saved() -> None:
    said = set_text(mark_answer(forbid_tool(wrong(), LOG), "wrong"), "why", " it never says where ")
    right = mark_answer(mark_decisions(said, "right"), "right")
    assert expectation_of(right) == Expectation(decisions="right", answer="right")
    assert mark_answer(mark_decisions(right, "wrong"), "wrong") == said
    assert expectation_of(said).why == "it never says where"
    assert mark_answer(said, "wrong") == said
    assert mark_answer(said, None).answer is None


@pytest.mark.parametrize(
    ("draft", "words"),
    [
        (draft_of(RECORDED), "Nothing is said yet"),
        (wrong(()), "n adds one it should make"),
        (remove_call(remove_call(wrong(), 0), 1), "at least one call"),
        (wrong(), "The recorded run passes that as it stands"),
        (any_arguments(remove_call(wrong(), 1), 0), "The recorded run passes that as it stands"),
        (forbid_tool(wrong(), "acme.delete"), "The recorded run passes that as it stands"),
        (mark_answer(draft_of(RECORDED), "wrong"), "what it should say, or why"),
        (set_text(mark_answer(draft_of(RECORDED), "wrong"), "why", "x" * 4_001), "4,001 characters"),
        (set_text(mark_answer(draft_of(RECORDED), "wrong"), "why", "𝒳" * 2_001), "4,002 characters"),
        (add_call(wrong((call(SEARCH, {}),) * 100), SEARCH), "at most 100 calls, and there are 101"),
    ],
)
def test_what_does_not_fit_is_one_sentence(draft: Draft, words: str) -> None:
    told = why_not_saved(draft, RECORDED if draft.calls[:1] else (), answered=True)
    assert told is not None
    assert words in told
    assert "\n" not in told


def test_a_run_without_an_answer_has_none_that_was_right() -> None:
    right = mark_answer(draft_of(RECORDED), "right")
    assert why_not_saved(right, RECORDED, answered=True) is None
    assert "no answer that could be right" in (why_not_saved(right, RECORDED, answered=False) or "")


def test_arguments_that_were_no_object_can_only_be_any() -> None:
    recorded = (call(SEARCH, "not json {"), call(LOG, [1]))
    draft = wrong(recorded)
    assert expectation_of(draft).should_call == (ExpectedCall(tool_id=SEARCH), ExpectedCall(tool_id=LOG))
    assert restored(kept(draft, recorded), recorded) == draft


def test_a_saved_correction_stands_there_again_in_the_order_of_the_run() -> None:
    expect = Expectation(
        decisions="wrong",
        should_call=(
            ExpectedCall(tool_id=SEARCH, arguments={"query": "b"}),
            ExpectedCall(tool_id="acme.new"),
        ),
        must_not_call=(LOG, "acme.delete"),
        answer="wrong",
        should_say="Settings.",
    )
    draft = draft_from(expect, RECORDED)
    assert [(row.tool_id, row.stance, row.recorded) for row in draft.calls] == [
        (SEARCH, "call", 0), (LOG, "never", 1), ("acme.new", "call", None), ("acme.delete", "never", None),
    ]  # fmt: skip
    assert expectation_of(draft) == expect
    same = (call(SEARCH, {"query": "a"}), call(SEARCH, {"query": "b"}, 1))
    one = draft_from(Expectation(decisions="wrong", should_call=expect.should_call[:1]), same)
    assert [(row.stance, row.recorded) for row in one.calls] == [("free", 0), ("call", 1)]


# Any order of changes

TOOLS = st.sampled_from([SEARCH, LOG, "acme.new", "ac\u202eme\x1b"])
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(allow_nan=False, width=16)
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
OBJECTS = st.dictionaries(st.text(max_size=3), VALUES, max_size=3)
CALLS = st.lists(st.builds(call, TOOLS, OBJECTS | st.text(max_size=3)), max_size=4).map(tuple)
CHANGES = st.lists(
    st.tuples(st.sampled_from("dDDaAAzZkwcxfnFst"), st.integers(0, 5), TOOLS, OBJECTS, st.text(max_size=5)),
    max_size=12,
)


def changed(draft: Draft, recorded: tuple[RecordedCall, ...], change: tuple[Any, ...]) -> Draft:
    kind, place, tool, arguments, text = change
    match kind:
        case "d" | "D" | "z":
            return mark_decisions(draft, {"d": "right", "D": "wrong"}.get(kind))  # type: ignore[arg-type]
        case "a" | "A" | "Z":
            return mark_answer(draft, {"a": "right", "A": "wrong"}.get(kind))  # type: ignore[arg-type]
        case "n":
            return add_call(draft, tool, arguments)
        case "F":
            return forbid_tool(draft, tool)
        case "s" | "t":
            return set_text(draft, "should_say" if kind == "s" else "why", text)
    if place >= len(draft.calls):
        return draft
    match kind:
        case "k":
            return keep_call(draft, place, recorded)
        case "w":
            return any_arguments(draft, place)
        case "c":
            return change_call(draft, place, arguments)
        case "x":
            return remove_call(draft, place)
    return forbid_tool(draft, draft.calls[place].tool_id)


@settings(max_examples=300, deadline=None)
@given(CALLS, CHANGES)
def test_any_changes_save_what_is_shown_and_come_back_as_they_were_kept(
    recorded: tuple[RecordedCall, ...], changes: list[tuple[Any, ...]]
) -> None:
    draft = draft_of(recorded)
    for change in changes:
        draft = changed(draft, recorded, change)
    # Every recorded call has its row, whatever was done.
    assert sorted(row.recorded for row in draft.calls if row.recorded is not None) == list(
        range(len(recorded))
    )
    expect = expectation_of(draft)
    # What is saved is what the rows say.
    rows = draft.calls if draft.decisions == "wrong" else ()
    assert [(one.tool_id, one.arguments) for one in expect.should_call] == [
        (row.tool_id, row.arguments) for row in rows if row.stance == "call"
    ]
    assert set(expect.must_not_call) == {row.tool_id for row in rows if row.stance == "never"}
    assert {one.tool_id for one in expect.should_call}.isdisjoint(expect.must_not_call)
    assert (expect.decisions, expect.answer) == (draft.decisions, draft.answer)
    assert restored(kept(draft, recorded), recorded) == draft
    if why_not_saved(draft, recorded, answered=True) is None:
        assert checked_expectation(expect) == expect
        again = expectation_of(draft_from(expect, recorded))
        assert again.should_call == expect.should_call
        assert set(again.must_not_call) == set(expect.must_not_call)
        assert again.model_copy(update={"must_not_call": expect.must_not_call}) == expect


@pytest.mark.parametrize(
    "value",
    [
        None, 3, "draft", {}, {"calls": 3}, {"calls": [{}]}, {"calls": [None]},
        {"calls": [{"tool": SEARCH, "stance": "call", "recorded": 9}]},
        {"calls": [{"tool": LOG, "stance": "call", "recorded": 0}]},
        {"calls": [{"tool": SEARCH, "stance": "maybe", "recorded": 0}]},
        {"calls": [], "decisions": "perhaps"},
    ],
)  # fmt: skip
def test_a_broken_or_foreign_draft_is_none(value: Json) -> None:
    assert restored(value, RECORDED) is None


class Memory:
    """Values that are kept as long as the test runs."""

    def __init__(self) -> None:
        self.values: dict[str, Json] = {}

    def get(self, key: str) -> Json:
        return self.values.get(key)

    def update(self, key: str, change: Callable[[Json], Json]) -> None:
        value = change(self.values.get(key))
        if value is None:
            self.values.pop(key, None)
        else:
            self.values[key] = value


def test_drafts_are_kept_by_run_and_the_oldest_go_first() -> None:
    memory = Memory()
    drafts = CorrectionDrafts(memory)
    for number in range(MOST + 1):
        drafts.put(f"run-{number}", {"calls": []}, {"why": f"{number}"})
    assert drafts.get("run-0") is None
    assert drafts.get("run-1") == ({"calls": []}, {"why": "1"})
    drafts.drop("run-1")
    assert drafts.get("run-1") is None
    memory.values["correct.drafts"] = "broken"
    assert drafts.get("run-2") is None


def test_tools_are_found_by_id_first_then_by_what_they_do_and_a_whole_id_can_be_given() -> None:
    tools = (ToolChoice(id=LOG, about="Notes a search down"), ToolChoice(id=SEARCH, about="Finds articles"))
    assert [tool.id for tool in matching_tools(tools, "")] == [LOG, SEARCH]
    assert [tool.id for tool in matching_tools(tools, "SEARCH")] == [SEARCH, LOG]
    assert [tool.id for tool in matching_tools(tools, "find acme")] == [SEARCH]
    assert [tool.id for tool in matching_tools(tools, "other.tool")] == ["other.tool"]
    assert matching_tools(tools, "nothing") == ()


# The run and the workbench


def corrected_run(project_id: str, **fields: Any) -> RunDetail:
    appended = [
        {"role": "user", "content": "how do i add a card"},
        {"role": "agent", "content": {"text": "", "toolCalls": [
            {"id": "c1", "name": SEARCH, "arguments": {"query": "cards"}},
            {"id": "c2", "name": LOG, "arguments": {"what": "cards"}},
        ]}},
        {"role": "tool", "content": [1], "toolCall": {"invocationId": "c1"}},
        {"role": "agent", "content": "Look at kb-1."},
    ]  # fmt: skip
    whole = {
        "id": "run-1", "project_id": project_id, "status": "completed", "created_at": from_ms(1_700_000_000_000),
        "subject": Subject(kind="agent", id="acme.picker", version="0.1.0"), "input": "how do i add a card",
        "output": {"appended": appended},
    }  # fmt: skip
    return RunDetail.model_validate({**whole, **fields})


async def opened(folder: Path, memory: Memory, **fields: Any) -> tuple[Any, Person, Correcting]:
    bench, _ = await open_local(folder)
    project = await bench.projects.get()
    await bench.runs.add([corrected_run(project.id, **fields)])
    me = await bench.people.me()
    correcting = Correcting(bench, me, memory, "run-1")
    await correcting.load()
    return bench, me, correcting


@pytest.mark.parametrize("seed", range(4))
async def test_undo_returns_every_earlier_state_and_every_saved_correction(tmp_path: Path, seed: int) -> None:
    rng, memory = random.Random(seed), Memory()
    bench, me, correcting = await opened(tmp_path / "workspace", memory)
    arguments: list[Json] = [None, {}, {"query": "b"}, {"query": "\u202e\x1b[2J"}]
    past: list[tuple[Draft, Expectation | None]] = []
    saved = 0
    for _ in range(60):
        live = correcting.live
        before = (correcting.draft, None if live is None else live.expect)
        if rng.random() < 0.3 and correcting.why_not_saved() is None:
            await correcting.save()
            saved += 1
            past.append(before)
            continue
        change = (
            rng.choice("dDDaAAzZkwcxfnFst"), rng.randrange(4), rng.choice([SEARCH, LOG, "acme.new"]),
            rng.choice(arguments), rng.choice(["", "Settings.", "It never says where."]),
        )  # fmt: skip
        if correcting.change(changed(correcting.draft, correcting.recorded, change), "something"):
            past.append(before)
        # What was kept is what a restart offers.
        again = Correcting(bench, me, memory, "run-1")
        await again.load()
        assert expectation_of(again.draft) == expectation_of(correcting.draft)
        assert again.draft == correcting.draft or not correcting.unsaved
    assert saved >= 3
    for draft, expect in reversed(past):
        await correcting.undo()
        assert correcting.draft == draft
        stored = await live_correction(bench, "run-1", me.id)
        assert (None if stored is None else stored.expect) == expect
    assert correcting.live is None
    assert not correcting.can_undo
    assert memory.values == {}
    await bench.close()


async def test_what_was_removed_elsewhere_can_still_be_taken_back_and_saved_again(tmp_path: Path) -> None:
    bench, me, correcting = await opened(tmp_path / "workspace", Memory())
    correcting.change(mark_answer(correcting.draft, "right"), "answer right")
    await correcting.save()
    assert "just like that" in (correcting.why_not_saved() or "")
    await bench.corrections.take_back("run-1")
    assert "draft" in await correcting.undo()
    assert correcting.unsaved
    await correcting.save()
    stored = await live_correction(bench, "run-1", me.id)
    assert stored is not None
    assert stored.expect == Expectation(answer="right")
    await bench.close()


@pytest.mark.parametrize(
    ("fields", "part", "words"),
    [
        ({"status": "running"}, "answer", "only one that has ended"),
        ({"status": "failed", "output": None}, "answer", "there is no answer to correct"),
        ({"subject": Subject(kind="flow", id="acme.flow", version="1.0.0")}, "decisions", "this is a flow"),
    ],
)
async def test_what_cannot_be_marked_says_why(
    tmp_path: Path, fields: dict[str, Any], part: str, words: str
) -> None:
    bench, _, correcting = await opened(tmp_path / "workspace", Memory(), **fields)
    assert words in (correcting.why_not_marked(part) or "")
    await bench.close()


async def test_a_text_that_was_begun_is_kept_and_comes_before_saving(tmp_path: Path) -> None:
    memory = Memory()
    bench, me, correcting = await opened(tmp_path / "workspace", memory)
    correcting.change(mark_answer(correcting.draft, "wrong"), "answer wrong")
    correcting.type("why", "it nev")
    assert (
        correcting.why_not_saved() == "Begun and not given: why it is wrong. e goes on with it, x drops it."
    )
    again = Correcting(bench, me, memory, "run-1")
    assert "Your draft" in (await again.load() or "")
    assert again.typed == {"why": "it nev"}
    again.start_anew()
    assert again.typed == {}
    assert memory.values == {}
    await bench.close()
