"""The judging loop by keys on a real workspace: what is stored, what is shown, what never becomes a verdict."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from kindgi_tui.domain.corrections import Expectation, NewCorrection
from kindgi_tui.domain.judging import QueueFilter
from kindgi_tui.domain.judgments import ItemRef, Restriction
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment
from kindgi_tui.domain.runs import RunDetail, Subject
from kindgi_tui.local.store.values import from_ms
from kindgi_tui.local.workbench import open_local
from kindgi_tui.tui.app import WorkbenchApp
from kindgi_tui.tui.editor import TextBox
from kindgi_tui.tui.profile import Profile
from kindgi_tui.tui.screens.judge.screen import JudgeScreen
from kindgi_tui.tui.widgets import prompt
from kindgi_tui.tui.widgets.status_line import StatusLine
from kindgi_tui.tui.widgets.text_pane import TextPane
from kindgi_tui.workbench import Conflict, Denied
from tests.hostile.corpus import assert_clean_bytes, strings
from tests.tui.conftest import SIZES, app_on, running, shown, until

ANSWER = "# Refunds\n\nYou **can** get one:\n\n- within `30` days\n- with the receipt\n\n```\ncode **stays**\n```\n"


def listing(number: int, project_id: str, **fields: object) -> RunDetail:
    whole: dict[str, object] = {
        "id": f"run-{number:04d}",
        "project_id": project_id,
        "subject": Subject(kind="agent", id="acme.picker", version="0.1.0"),
        "status": "completed",
        "created_at": from_ms(1_700_000_000_000 + number * 60_000),
        "input": f"question {number}",
        "output": {
            "appended": [
                {"role": "user", "content": f"question {number}"},
                {"role": "agent", "content": {"text": "", "toolCalls": [
                    {"id": "c1", "name": "acme.search", "arguments": {"q": "refund", "deep": {"a": {"b": {"c": 1}}}}}
                ]}},
                {"role": "tool", "content": {"hits": [1, 2]}, "toolCall": {"invocationId": "c1"}},
                {"role": "agent", "content": ANSWER},
            ],
            "output": {"found": [{"id": f"kb-{key}", "title": f"Title {key}"} for key in "abc"]},
        },
        **fields,
    }  # fmt: skip
    return RunDetail.model_validate(whole)


async def fill(folder: Path, runs: list[dict[str, object]]) -> None:
    bench, _ = await open_local(folder)
    project = await bench.projects.get()
    await bench.runs.add([listing(number, project.id, **fields) for number, fields in enumerate(runs)])
    await bench.close()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A workspace of three runs with three items each."""
    folder = tmp_path / "workspace"
    asyncio.run(fill(folder, [{}, {}, {}]))
    return folder


@asynccontextmanager
async def judge(
    folder: Path, size: tuple[int, int] = (120, 40), dwell: float = 0.0, wait: bool = True, **options: Any
) -> AsyncIterator[tuple[JudgeScreen, Pilot[None]]]:
    """Judge on a workspace, its first run in view and painted."""
    options.setdefault("judge_dwell", dwell)
    async with running(folder, size, "JudgeScreen", start="judge", options=options) as (app, pilot):
        screen = app.screen
        assert isinstance(screen, JudgeScreen)
        await until(
            lambda: (
                hasattr(screen, "session")
                and (screen.session.walk.sheet is not None or screen.session.walk.at_end)
            ),
            pilot,
        )
        if wait:
            await ready(screen, pilot)
        yield screen, pilot


async def ready(screen: JudgeScreen, pilot: Pilot[None]) -> None:
    """Waits until the item under the cursor stands on the screen."""

    def seen() -> bool:
        walk = screen.session.walk
        if walk.at_end:
            return True
        if walk.sheet is None or walk.item is None:
            return walk.sheet is not None
        return screen.session.seen.seen((walk.sheet.run.id, walk.item.key))

    await until(seen, pilot)


async def press(screen: JudgeScreen, pilot: Pilot[None], *keys: str) -> None:
    """Presses keys one by one, each when what it judges can be seen."""
    for key in keys:
        await ready(screen, pilot)
        await pilot.press(key)
    await ready(screen, pilot)


async def stored(screen: JudgeScreen) -> dict[tuple[str, str], tuple[str, str | None]]:
    await screen.session.writes.drain()
    me = screen.app.person.id
    page = await screen.workbench.judgments.list(JudgmentFilter(asserter=me), limit=1_000)
    return {(one.run_id, one.item.key): (one.verdict, one.reason) for one in page.data}


def sentence(screen: JudgeScreen) -> str:
    return screen.query_one(StatusLine).sentence


def here(screen: JudgeScreen) -> tuple[str, str]:
    walk = screen.session.walk
    assert walk.sheet is not None
    assert walk.item is not None
    return walk.sheet.run.id, walk.item.key


@pytest.mark.parametrize("size", SIZES)
async def test_a_run_is_judged_with_one_key_an_item(place: Path, size: tuple[int, int]) -> None:
    async with judge(place, size) as (screen, pilot):
        text = shown(screen)
        assert "question 0" in text
        assert "· not judged kb-a" in text
        assert "Title c" in text
        await press(screen, pilot, "y", "n")
        await until(lambda: "✓ yes        kb-a" in shown(screen), pilot)
        await until(lambda: "✗ no         kb-b" in shown(screen), pilot)
        assert sentence(screen).startswith("kb-b: no · 2 of 9")
        await press(screen, pilot, "y")
        assert here(screen) == ("run-0001", "kb-a")
        assert await stored(screen) == {
            ("run-0000", "kb-a"): ("yes", None),
            ("run-0000", "kb-b"): ("no", None),
            ("run-0000", "kb-c"): ("yes", None),
        }


async def test_keys_typed_before_an_item_was_on_screen_are_dropped_and_said(place: Path) -> None:
    stands: list[float] = []
    clock = lambda: stands[0] if stands else time.monotonic()  # noqa: E731
    async with judge(place, dwell=0.15, judge_clock=clock) as (screen, pilot):
        app = screen.app
        # From here on no time passes: what is painted now was never on screen long enough.
        stands.append(time.monotonic() + 1)
        for _ in range(100):
            app.post_message(events.Key("y", "y"))
        await until(lambda: "Not counted" in sentence(screen), pilot)
        await pilot.pause()
        assert len(await stored(screen)) == 3
        assert here(screen) == ("run-0001", "kb-a")
        await until(lambda: "97 keys" in sentence(screen), pilot)
        stands[0] += 1
        await press(screen, pilot, "y")
        assert len(await stored(screen)) == 4


async def test_the_dwell_counts_from_the_first_paint_by_the_clock_given(place: Path) -> None:
    now = [100.0]
    async with judge(place, dwell=0.15, wait=False, judge_clock=lambda: now[0]) as (screen, pilot):
        await pilot.pause()
        await pilot.press("y")
        assert sentence(screen).startswith("Not counted (1 key): kb-a")
        now[0] += 0.2
        await pilot.press("y")
        assert sentence(screen).startswith("kb-a: yes")


async def test_pasted_text_never_becomes_verdicts(place: Path) -> None:
    async with judge(place) as (screen, pilot):
        screen.app.post_message(events.Paste("ynYNyyy"))
        await until(lambda: "Pasted" in sentence(screen), pilot)
        assert await stored(screen) == {}


async def test_verdict_keys_are_dead_while_a_text_has_the_focus(place: Path) -> None:
    async with judge(place) as (screen, pilot):
        await press(screen, pilot, "n")
        await pilot.press("r", *"yny")
        assert screen.query_one(Input).value == "yny"
        assert await stored(screen) == {("run-0000", "kb-a"): ("no", None)}
        await pilot.press("escape")
        await until(lambda: "draft" in sentence(screen), pilot)
        await pilot.press("r", *" why", "enter")
        assert sentence(screen) == "kb-a: no — yny why"
        assert here(screen) == ("run-0000", "kb-b")
        assert await stored(screen) == {("run-0000", "kb-a"): ("no", "yny why")}
        await press(screen, pilot, "y")
        assert here(screen) == ("run-0000", "kb-c")


async def test_reasons_used_before_have_numbers_and_survive_a_restart(place: Path) -> None:
    async with judge(place, (80, 24)) as (screen, pilot):
        await press(screen, pilot, "n")
        await pilot.press("r", *"too old", "enter")
        await until(lambda: "1 too old" in shown(screen), pilot)
        await press(screen, pilot, "n")
        await pilot.press("1")
        assert sentence(screen) == "kb-b: no — too old"
        await pilot.press("7")
        await until(lambda: "numbers 1 to 1" in sentence(screen), pilot)
        await press(screen, pilot, "j")
        await pilot.press("k", "k")
        assert here(screen) == ("run-0000", "kb-a")
    async with judge(place) as (screen, pilot):
        assert here(screen) == ("run-0000", "kb-c")
        await pilot.press("1")
        assert sentence(screen) == "kb-c has no verdict yet: y or n first."
        await press(screen, pilot, "y", "1")
        assert (await stored(screen))["run-0000", "kb-c"] == ("yes", "too old")


async def test_undo_jumps_back_across_runs_without_limit(place: Path) -> None:
    async with judge(place) as (screen, pilot):
        await press(screen, pilot, "y", "y", "y", "n", "n")
        assert here(screen) == ("run-0001", "kb-c")
        await press(screen, pilot, *"uuu")
        assert here(screen) == ("run-0000", "kb-c")
        assert sentence(screen) == "Taken back: kb-c is not judged."
        await press(screen, pilot, *"uu")
        assert await stored(screen) == {}
        await pilot.press("u")
        assert sentence(screen) == "There is nothing to take back."


async def test_the_rest_of_a_run_is_judged_and_undone_as_one(place: Path) -> None:
    async with judge(place) as (screen, pilot):
        await press(screen, pilot, "n", "Y")
        assert sentence(screen).startswith("2 items: yes · 3 of 9")
        await press(screen, pilot, "u")
        assert sentence(screen) == "Taken back: 2 verdicts."
        assert await stored(screen) == {("run-0000", "kb-a"): ("no", None)}


async def test_the_rest_stops_where_the_list_is_not_on_screen(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    many = {"appended": [], "output": {"found": [{"id": f"kb-{n:02d}"} for n in range(40)]}}
    await fill(folder, [{"output": many}])
    async with judge(folder, (80, 24)) as (screen, pilot):
        await press(screen, pilot, "Y")
        assert sentence(screen).startswith("8 items: yes, up to kb-08, which was not on screen yet")
        assert len(await stored(screen)) == 8
        await press(screen, pilot, "y")
        await until(lambda: "kb-09" in shown(screen), pilot)


async def test_the_end_offers_what_is_left(place: Path) -> None:
    bench, _ = await open_local(place)
    await bench.people.add(Person(id="ben", right="judge", created_at=from_ms(0)))
    await bench.close()
    async with judge(place, (80, 24)) as (screen, pilot):
        assert screen.why_not("skipped") is not None
        await press(screen, pilot, "s", "s", "s", "Y", "Y")
        await until(lambda: "skipped: judge them now" in shown(screen), pilot)
        text = shown(screen)
        assert "All done" in text
        assert "You judged 6 items" in text
        assert "1 run skipped" in text
        assert "Build a test set" in text
        await pilot.press("y")
        await until(lambda: "All done here" in sentence(screen), pilot)
        await pilot.press("a")
        await until(lambda: screen.session.walk.sheet is not None, pilot)
        assert here(screen) == ("run-0000", "kb-a")
        await press(screen, pilot, "N")
        await until(lambda: screen.session.walk.at_end, pilot)
        query = QueueFilter(project_id=screen.app.project.id)
        await screen.session.writes.drain()
        assert (await screen.workbench.queue.progress(query)).judged == 3
        await press(screen, pilot, "u")
        assert here(screen) == ("run-0000", "kb-a")


async def test_disagreements_show_others_verdicts_once_mine_is_in(place: Path) -> None:
    bench, _ = await open_local(place)
    await bench.people.add(Person(id="ben", right="judge", created_at=from_ms(0)))
    await bench.close()
    from kindgi_tui.domain.queries import NewJudgment

    other, _ = await open_local(place, "ben")
    item = {"key": "kb-a", "pointer": "/output/found/0", "rank": 0}
    await other.judgments.add(
        NewJudgment.model_validate({"run_id": "run-0000", "item": item, "verdict": "no", "reason": "stale"})
    )
    await other.close()
    async with judge(place, (160, 48)) as (screen, pilot):
        text = shown(screen)
        assert "1 other verdict shows once yours is in" in text
        assert "stale" not in text
        await press(screen, pilot, "Y", "Y", "Y")
        await until(lambda: "1 item in disagreement" in shown(screen), pilot)
        await pilot.press("d")
        await until(lambda: screen.session.walk.sheet is not None, pilot)
        await ready(screen, pilot)
        await until(lambda: "stale" in shown(screen), pilot)
        await press(screen, pilot, "n")
        await until(lambda: screen.session.walk.at_end, pilot)
        await until(lambda: "All done" in shown(screen), pilot)
        assert "disagreement" not in shown(screen).replace("in disagreement", "", 1)


async def test_runs_corrected_differently_wait_with_the_disagreements(place: Path) -> None:
    bench, _ = await open_local(place)
    ben = Person(id="ben", created_at=from_ms(0))
    await bench.people.add(ben)
    mine = NewCorrection(run_id="run-0001", expect=Expectation(answer="right"))
    await bench.corrections.add(mine)
    wrong = Expectation(answer="wrong", should_say="Within five days.")
    await bench.acting_as(ben).corrections.add(mine.model_copy(update={"expect": wrong}))
    item = ItemRef(key="kb-a", pointer="/output/found/0", rank=0)
    await bench.acting_as(ben).judgments.add(NewJudgment(run_id="run-0000", item=item, verdict="no"))
    async with judge(place, (160, 48)) as (screen, pilot):
        await press(screen, pilot, "Y", "Y", "Y")
        await until(lambda: "1 run corrected differently by several people" in shown(screen), pilot)
        await pilot.press("d")
        await until(lambda: screen.session.walk.sheet is not None, pilot)
        await ready(screen, pilot)
        assert here(screen) == ("run-0000", "kb-a")
        await press(screen, pilot, "n")
        told = (
            f"ben and {screen.app.person.id} corrected this run differently: c says what it should have done"
        )
        await until(lambda: told in " ".join(shown(screen).split()), pilot)
        await until(lambda: "· corrected differently ·" in shown(screen), pilot)
        assert screen.session.walk.sheet is not None
        assert screen.session.walk.sheet.run.id == "run-0001"
        await pilot.press("right_square_bracket")
        await until(lambda: screen.session.walk.at_end, pilot)
        await bench.corrections.add(mine.model_copy(update={"expect": wrong}))
        await pilot.press("q")
        await until(lambda: "All done" in shown(screen) and "differently" not in shown(screen), pilot)
    await bench.close()


async def test_calls_json_and_markdown_open_and_fold(place: Path) -> None:
    async with judge(place) as (screen, pilot):
        text = shown(screen)
        assert "⚙ acme.search {" in text
        assert "• within 30 days" in text
        assert "# Refunds" not in text
        assert "code **stays**" in text
        await pilot.press("m")
        await until(lambda: "# Refunds" in shown(screen), pilot)
        await until(lambda: "- within `30` days" in shown(screen), pilot)
        await pilot.press("m", "o")
        await until(lambda: '"deep": { ' in shown(screen) or '"deep": {' in shown(screen), pilot)
        await until(lambda: "{ 1 field }" in shown(screen), pilot)
        await pilot.press("o")
        pane = screen.query_one("#judge-text", TextPane)
        await until(lambda: any('"c": 1' in "".join(w for w, _ in line) for line in pane.lines), pilot)
        await pilot.press("o", "enter")
        await until(lambda: '"title": "Title a"' in shown(screen), pilot)
        await pilot.press("j")
        await until(lambda: '"title": "Title b"' in shown(screen), pilot)


async def test_a_long_answer_is_searched(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    words = "\n".join(f"line {n}" for n in range(3_000)) + "\nthe needle\n"
    output = {"appended": [{"role": "agent", "content": words}]}
    await fill(folder, [{"output": output}])
    async with judge(folder, (80, 24)) as (screen, pilot):
        assert here(screen) == ("run-0000", "answer")
        await pilot.press("slash", *"the needle", "enter")
        await until(lambda: "the needle" in shown(screen), pilot)
        await pilot.press("slash", *"x", "enter")
        await until(lambda: "is not in it" in sentence(screen), pilot)
        await press(screen, pilot, "y")
        assert len(await stored(screen)) == 1


async def test_the_guideline_is_shown_edited_and_versioned(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)
    async with judge(place, (80, 24)) as (screen, pilot):
        await pilot.press("w")
        await until(lambda: "W writes one" in shown(screen), pilot)
        await pilot.press("w", "W")
        await until(lambda: len(screen.query(TextBox)) == 1, pilot)
        box = screen.query_one(TextBox)
        await pilot.press("y", "n")
        assert await stored(screen) == {}
        box.text = "Say yes to *kind* ones"
        await pilot.press("escape")
        await until(lambda: not screen.query(TextBox), pilot)
        await until(lambda: "draft" in sentence(screen), pilot)
        await pilot.press("W")
        await until(lambda: len(screen.query(TextBox)) == 1, pilot)
        assert screen.query_one(TextBox).text == "Say yes to *kind* ones"
        await pilot.press("ctrl+s")
        await until(lambda: "version 1 is saved" in sentence(screen), pilot)
        await pilot.press("w")
        await until(lambda: "Say yes to kind ones" in shown(screen), pilot)
        await press(screen, pilot, "y")
    bench, _ = await open_local(place)
    project = await bench.projects.get()
    found = await bench.guidelines.get(project.id, "agent", "acme.picker")
    assert found is not None
    assert (found.version, found.text) == (1, "Say yes to *kind* ones")
    await bench.close()


async def test_groups_go_round(place: Path) -> None:
    bench, _ = await open_local(place)
    group = await bench.groups.add("experts [/]", 2.0)
    await bench.close()
    async with judge(place, (160, 48)) as (screen, pilot):
        await pilot.press("G")
        assert sentence(screen) == "You speak as experts [/] (weight 2)"
        await until(lambda: "as experts [/]" in shown(screen), pilot)
        await press(screen, pilot, "y")
        await screen.session.writes.drain()
        page = await screen.workbench.judgments.list(JudgmentFilter(group_id=group.id))
        assert len(page.data) == 1
        await pilot.press("G")
        assert sentence(screen) == "You speak as yourself"


async def test_a_restricted_group_one_is_not_in_is_neither_offered_nor_taken(place: Path) -> None:
    bench, _ = await open_local(place)
    await bench.people.add(Person(id="ben", created_at=from_ms(0)))
    await bench.people.add(Person(id="bot", kind="service", created_at=from_ms(0)))
    shut = [
        await bench.groups.add("bens", 2.0, restriction=Restriction(principal_ids=("ben",))),
        await bench.groups.add("programs", 2.0, restriction=Restriction(principal_kinds=("service",))),
        await bench.groups.add("ranked", 2.0, restriction=Restriction(min_reviewer_role="standard")),
    ]
    mine = await bench.groups.add("people", 2.0, restriction=Restriction(principal_kinds=("user",)))
    gone = await bench.groups.add("gone", 1.0)
    await bench.groups.retire(gone.id)
    await bench.close()
    async with judge(place, (160, 48)) as (screen, pilot):
        offered = []
        for _ in range(4):
            await pilot.press("G")
            offered.append(sentence(screen))
        assert offered == ["You speak as people (weight 2)", "You speak as yourself"] * 2

        # Chosen by other ways, such as what was kept from when one was in it: it is not spoken as, and not stored.
        for one in shut:
            screen.session.speaking.chosen = one.id
            assert screen.session.speaking.group_for(screen.session.walk.sheet.run) is None  # type: ignore[union-attr]
            item = ItemRef(key="kb-a", pointer="/output/found/0", rank=0)
            new = NewJudgment(run_id="run-0000", item=item, verdict="yes", group=one.id)
            with pytest.raises(Denied) as refused:
                await screen.workbench.judgments.add(new)
            assert refused.value.code == "judge-class-not-allowed"
        assert await stored(screen) == {}
        await press(screen, pilot, "y")
        assert await stored(screen) == {("run-0000", "kb-a"): ("yes", None)}
        for one in (*shut, gone):
            page = await screen.workbench.judgments.list(JudgmentFilter(group_id=one.id))
            assert page.data == ()

        # What is said as a restricted group one is in is an expert's, also when it is opened to all afterwards.
        screen.session.speaking.chosen = mine.id
        await press(screen, pilot, "n")
        await screen.session.writes.drain()
        await screen.workbench.groups.change(mine.id, unrestricted=True)
        (said,) = (await screen.workbench.judgments.list(JudgmentFilter(group_id=mine.id))).data
        assert (said.verdict, said.restricted) == ("no", True)


async def test_other_screens_ask_for_one_run_or_certain_items(place: Path) -> None:
    async with judge(place, judge_run="run-0002") as (screen, pilot):
        assert here(screen) == ("run-0002", "kb-a")
        await until(lambda: "one run" in shown(screen), pilot)
        screen.app.options["judge_items"] = [("run-0001", "kb-b"), ("run-0000", "kb-c")]
        await screen.app.go_to("runs")
        await screen.app.go_to("judge")
        await until(
            lambda: screen.session.walk.sheet is not None and here(screen) == ("run-0001", "kb-b"), pilot
        )
        await press(screen, pilot, "y")
        await until(lambda: screen.session.walk.sheet is not None, pilot)
        assert here(screen) == ("run-0000", "kb-c")


async def test_leaving_at_once_loses_no_verdict(place: Path) -> None:
    async with judge(place) as (screen, pilot):
        await press(screen, pilot, "Y")
        screen.session.say_rest("no")
        await pilot.press("ctrl+q")
    with sqlite3.connect(place / "workspace.db") as file:
        assert file.execute("SELECT count(*) FROM judgments WHERE ended IS NULL").fetchone()[0] in (3, 6)


@pytest.mark.parametrize("seconds", [0.0, 0.02, 0.1])
async def test_leaving_before_the_text_line_is_made_is_leaving(
    place: Path, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    # The line is made while the screens are taken down, wherever that falls.
    monkeypatch.setattr(prompt, "LATER_SECONDS", seconds)
    async with judge(place) as (screen, pilot):
        made = screen.prompt
        await pilot.press("ctrl+q")
    made._make_line()


async def test_a_verdict_is_on_disk_before_it_is_painted(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with judge(place) as (screen, pilot):
        add, held = screen.workbench.judgments.add, []

        async def watched(new: NewJudgment) -> object:
            made = await add(new)
            held.append(screen.app._batch_count)
            return made

        monkeypatch.setattr(screen.workbench.judgments, "add", watched)
        await press(screen, pilot, "y")
        await press(screen, pilot, "n")
        await until(lambda: len(held) == 2, pilot)
        # Nothing was painted from the key until it was written.
        assert all(held)
        assert screen.app._batch_count == 0
        assert "✓ yes" in shown(screen)


async def test_a_slow_disk_shows_what_is_on_its_way(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with judge(place) as (screen, pilot):
        add, gate = screen.workbench.judgments.add, asyncio.Event()

        async def slow(new: NewJudgment) -> object:
            await gate.wait()
            return await add(new)

        monkeypatch.setattr(screen.workbench.judgments, "add", slow)
        try:
            await press(screen, pilot, "y")
            await until(lambda: "… yes" in shown(screen), pilot)
            assert "✓ yes" not in shown(screen)
            mine = JudgmentFilter(asserter=screen.app.person.id)
            assert (await screen.workbench.judgments.list(mine, 10)).data == ()
        finally:
            gate.set()
        await until(lambda: "✓ yes" in shown(screen), pilot)
        assert "… yes" not in shown(screen)


async def test_a_write_that_fails_shows_and_the_stored_state_comes_back(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with judge(place) as (screen, pilot):

        async def refused(new: object) -> object:
            raise Conflict("The run has gone: look for another.")

        monkeypatch.setattr(screen.workbench.judgments, "add", refused)
        await press(screen, pilot, "y")
        await until(lambda: sentence(screen).startswith("The run has gone"), pilot)
        await until(lambda: "✓ yes" not in shown(screen), pilot)
        assert await stored(screen) == {}
        assert screen.session.walk.left == 9


async def test_over_ssh_painted_means_the_terminal_answered(place: Path) -> None:
    ssh = Profile("ssh", ansi=True, mouse=False, panel_hz=2.0, colour=True)
    app = WorkbenchApp(
        app_on(place).target,
        ssh,
        start="judge",
        options={"judge_dwell": 0.0},
        state_folder=place.parent / "s",
    )
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: isinstance(app.screen, JudgeScreen), pilot)
        screen = app.screen
        assert isinstance(screen, JudgeScreen)
        await until(lambda: screen.session.walk.sheet is not None, pilot)
        await pilot.pause()
        await pilot.press("y")
        assert sentence(screen).startswith("Not counted")
        for _ in range(20):
            app.post_message(events.CursorPosition(1, 1))
        await ready(screen, pilot)
        await pilot.press("y")
        assert sentence(screen).startswith("kb-a: yes")


@pytest.mark.parametrize("size", [(40, 10), (60, 20), (100, 30), (200, 60)])
async def test_it_stands_at_any_size_and_after_a_resize(place: Path, size: tuple[int, int]) -> None:
    async with judge(place, size) as (screen, pilot):
        await press(screen, pilot, "y", "w", "o", "enter", "j", "m")
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        await press(screen, pilot, "n", "u")
        await pilot.resize_terminal(*size)
        await pilot.pause()
        await until(lambda: "kb-" in shown(screen), pilot)
        assert len(await stored(screen)) == 1


@pytest.mark.parametrize("size", SIZES)
async def test_hostile_words_do_nothing(tmp_path: Path, size: tuple[int, int]) -> None:
    folder = tmp_path / "workspace"
    words = list(strings().values())
    runs: list[dict[str, object]] = []
    for start in range(0, len(words), 12):
        part = words[start : start + 12]
        runs.append(
            {
                "input": "".join(part),
                "output": {
                    "appended": [
                        {"role": "user", "content": part[0]},
                        {
                            "role": "agent",
                            "content": {
                                "toolCalls": [{"id": "1", "name": part[1 % len(part)], "arguments": part}]
                            },
                        },
                        {"role": "tool", "content": part, "toolCall": {"invocationId": "1"}},
                        {"role": "agent", "content": "# " + "\n- **x** ".join(part)},
                    ],
                    "output": {
                        "found": [{"id": word, "title": word} for word in part],
                        **{w: w for w in part},
                    },
                },
            }
        )
    await fill(folder, runs)
    bench, _ = await open_local(folder)
    project = await bench.projects.get()
    await bench.guidelines.save(project.id, "agent", "acme.picker", "\n".join(words))
    await bench.close()
    async with judge(folder, size) as (screen, pilot):
        for _ in runs:
            await press(screen, pilot, "y")
            await pilot.press("r", *"why", "enter", "o", "o", "enter", "enter", "w", "m", "m", "w", "o")
            await press(screen, pilot, "N")
            assert_clean_bytes(shown(screen).encode())
        assert isinstance(screen.app.screen, JudgeScreen)
        assert len(await stored(screen)) >= 2 * len(runs)
