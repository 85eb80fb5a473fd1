"""The judging loop without a screen, on a real workspace: what is said, stored, dropped, taken back."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kindgi_tui.domain.judging import QueueFilter
from kindgi_tui.domain.judgments import Restriction
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.queries import JudgmentFilter, NewJudgment
from kindgi_tui.domain.runs import RunDetail, Subject
from kindgi_tui.local.store.values import from_ms
from kindgi_tui.local.workbench import LocalWorkbench, open_local
from kindgi_tui.session.judging import JudgingSession, Target, Told
from kindgi_tui.session.judging_pace import IDLE, Pace, duration
from kindgi_tui.session.judging_reasons import Reasons
from kindgi_tui.session.judging_seen import SeenGuard
from kindgi_tui.session.judging_sitting import Sitting
from kindgi_tui.session.judging_writes import Write, Writes
from kindgi_tui.storage.trouble import Trouble
from tests.waiting import until


class Hands:
    """A person at the session: what was painted, the clock, and what was told."""

    def __init__(self, bench: LocalWorkbench, person: Person, project_id: str) -> None:
        self.bench, self.project_id = bench, project_id
        self.now = 1_000.0
        self.errors: list[Exception] = []
        self.session = JudgingSession(
            bench, person, lambda what: None, self.errors.append, clock=lambda: self.now
        )

    async def sit(self, **fields: object) -> None:
        query = QueueFilter(project_id=self.project_id)
        await self.session.start(Sitting.model_validate({"query": query, **fields}))
        await self.arrive()

    async def arrive(self) -> None:
        """Waits until a run is in view or the end is reached, and looks at it long enough."""
        await until(lambda: self.session.walk.sheet is not None or self.session.walk.at_end)
        self.look()

    def look(self) -> None:
        sheet = self.session.walk.sheet
        if sheet is not None:
            self.session.seen.painted([(sheet.run.id, item.key) for item in sheet.items])
            self.now += 1.0

    async def say(self, verdict: str) -> Told:
        told = self.session.say(verdict)  # type: ignore[arg-type]
        await self.arrive()
        return told

    def target(self) -> Target | None:
        return self.session.target

    @property
    def place(self) -> tuple[str, str]:
        walk = self.session.walk
        assert walk.sheet is not None and walk.item is not None
        return walk.sheet.run.id, walk.item.key

    async def stored(self) -> dict[tuple[str, str], tuple[str, str | None]]:
        """My live verdicts with their reasons, once all is written."""
        await self.session.writes.drain()
        me = (await self.bench.people.me()).id
        page = await self.bench.judgments.list(JudgmentFilter(asserter=me), limit=1_000)
        return {(one.run_id, one.item.key): (one.verdict, one.reason) for one in page.data}


def listing(number: int, keys: str = "abc", project_id: str = "", **fields: object) -> RunDetail:
    whole: dict[str, object] = {
        "id": f"run-{number:04d}",
        "project_id": project_id,
        "subject": Subject(kind="agent", id="acme.picker", version="0.1.0"),
        "status": "completed",
        "created_at": from_ms(1_700_000_000_000 + number * 60_000),
        "input": f"question {number}",
        "output": {"appended": [], "output": {"found": [{"id": key} for key in keys]}},
        **fields,
    }
    return RunDetail.model_validate(whole)


@asynccontextmanager
async def judging(folder: Path, runs: int = 3, keys: str = "abc") -> AsyncIterator[Hands]:
    bench, _ = await open_local(folder / "workspace")
    project = await bench.projects.get()
    await bench.runs.add([listing(number, keys, project.id) for number in range(runs)])
    hands = Hands(bench, await bench.people.me(), project.id)
    try:
        yield hands
    finally:
        await hands.session.close()
        await bench.close()


async def test_yes_and_no_are_stored_and_move_on_through_runs_to_the_end(tmp_path: Path) -> None:
    async with judging(tmp_path, runs=2, keys="ab") as hands:
        await hands.sit()
        assert hands.place == ("run-0000", "a")
        assert (await hands.say("yes")).sentence == "a: yes · 1 of 4"
        assert hands.place == ("run-0000", "b")
        assert (await hands.say("no")).sentence == "b: no · 2 of 4"
        assert hands.place == ("run-0001", "a")
        await hands.say("yes")
        told = await hands.say("yes")
        assert told.sentence.startswith("b: yes · 4 of 4, none left")
        assert hands.session.walk.at_end
        assert await hands.stored() == {
            ("run-0000", "a"): ("yes", None),
            ("run-0000", "b"): ("no", None),
            ("run-0001", "a"): ("yes", None),
            ("run-0001", "b"): ("yes", None),
        }


async def test_what_was_not_painted_long_enough_is_dropped_and_said(tmp_path: Path) -> None:
    async with judging(tmp_path, runs=2, keys="ab") as hands:
        await hands.sit()
        hands.now -= 1.0
        hands.now += 0.149
        told = hands.session.say("yes")
        assert (told.kind, told.sentence) == (
            "no",
            "Not counted (1 key): a was not on screen long enough to be read.",
        )
        assert "2 keys" in hands.session.say("yes").sentence
        hands.now += 0.002
        # The key waited in a queue since before the dwell was over.
        assert hands.session.say("yes", lag=0.1).kind == "no"
        assert hands.session.say("yes").kind == "told"
        hands.session.say("yes")
        await until(lambda: hands.session.walk.sheet is not None and hands.session.walk.index == 1)
        assert hands.session.say("yes").kind == "no"
        assert set(await hands.stored()) == {("run-0000", "a"), ("run-0000", "b")}


async def test_the_rest_stops_at_the_first_unseen_item_and_is_undone_as_one(tmp_path: Path) -> None:
    async with judging(tmp_path, runs=2, keys="abcde") as hands:
        await hands.session.start(Sitting(query=QueueFilter(project_id=hands.project_id)))
        await until(lambda: hands.session.walk.sheet is not None)
        hands.session.seen.painted([("run-0000", key) for key in "abce"])
        hands.now += 1
        assert hands.session.say("no").kind == "told"
        told = hands.session.say_rest("yes")
        assert told.sentence.startswith("2 items: yes, up to d, which was not on screen yet · 3 of 10")
        assert hands.place == ("run-0000", "d")
        assert {key: v for (_, key), (v, _) in (await hands.stored()).items()} == {
            "a": "no",
            "b": "yes",
            "c": "yes",
        }
        told = await hands.session.take_back()
        assert told.sentence == "Taken back: 2 verdicts."
        assert {key: v for (_, key), (v, _) in (await hands.stored()).items()} == {"a": "no"}
        hands.look()
        assert hands.session.say_rest("no").sentence.startswith("4 items: no · 5 of 10")
        await hands.arrive()
        assert hands.session.walk.index == 1


async def test_yes_on_a_yes_does_nothing(tmp_path: Path) -> None:
    async with judging(tmp_path) as hands:
        await hands.sit()
        await hands.say("yes")
        hands.session.moved()
        hands.session.walk.move(-1)
        assert hands.session.say("yes").sentence == "a is yes already."
        assert hands.place == ("run-0000", "a")
        await hands.session.writes.drain()
        assert await hands.session.take_back() == Told("Taken back: a is not judged.")
        assert await hands.stored() == {}


async def test_undo_goes_back_across_runs_and_a_changed_verdict_comes_back(tmp_path: Path) -> None:
    async with judging(tmp_path, runs=3, keys="a") as hands:
        await hands.sit()
        await hands.say("yes")
        await hands.say("no")
        assert hands.session.walk.go_run(-1)
        assert hands.session.walk.go_run(-1)
        hands.session.moved()
        await hands.arrive()
        assert hands.place == ("run-0000", "a")
        await hands.say("no")
        assert hands.place[0] == "run-0002"
        assert (await hands.session.take_back()).sentence == "Taken back: a is yes again."
        assert hands.place == ("run-0000", "a")
        assert (await hands.stored())["run-0000", "a"] == ("yes", None)
        await hands.session.take_back()
        assert hands.place == ("run-0001", "a")
        await hands.session.take_back()
        assert hands.place == ("run-0000", "a")
        assert await hands.stored() == {}
        assert not hands.session.can_take_back
        assert (await hands.session.take_back()).kind == "no"


async def test_undo_reaches_what_was_said_in_the_sitting_before(tmp_path: Path) -> None:
    async with judging(tmp_path, runs=3, keys="a") as hands:
        await hands.sit(kind="run", first="run-0002")
        await hands.say("yes")
        await hands.sit()
        await hands.say("no")
        await hands.session.take_back()
        assert hands.place == ("run-0000", "a")
        assert (await hands.session.take_back()).sentence == "Taken back: a is not judged."
        await hands.arrive()
        assert hands.place == ("run-0002", "a")
        assert await hands.stored() == {}


async def test_a_reason_belongs_to_the_last_verdict_until_the_cursor_is_moved(tmp_path: Path) -> None:
    async with judging(tmp_path) as hands:
        await hands.sit()
        assert hands.target() is None
        await hands.say("no")
        target = hands.target()
        assert target is not None
        assert (target.last, target.item.key) == (True, "a")
        assert hands.session.give_reason(" too old ").sentence == "a: no — too old"
        assert hands.place == ("run-0000", "b")
        hands.session.moved()
        assert hands.target() is None
        assert hands.session.give_reason("x").kind == "no"
        hands.session.walk.move(-1)
        target = hands.target()
        assert target is not None
        assert (target.last, target.said.reason) == (False, "too old")
        hands.session.give_reason("wrong product")
        assert hands.place == ("run-0000", "b")
        assert (await hands.stored())["run-0000", "a"] == ("no", "wrong product")
        assert hands.session.reasons.of("acme.picker") == ("too old", "wrong product")
        await hands.session.take_back()
        assert (await hands.stored())["run-0000", "a"] == ("no", "too old")
        await hands.session.take_back()
        await hands.session.take_back()
        assert await hands.stored() == {}
        assert hands.session.give_reason("x" * 4_001).kind == "no"


async def test_a_reason_given_across_runs_goes_to_the_last_verdict(tmp_path: Path) -> None:
    async with judging(tmp_path, runs=2, keys="a") as hands:
        await hands.sit()
        await hands.say("no")
        assert hands.place[0] == "run-0001"
        hands.session.give_reason("late")
        assert hands.place[0] == "run-0001"
        assert (await hands.stored())["run-0000", "a"] == ("no", "late")


async def test_skips_are_offered_again_and_undone(tmp_path: Path) -> None:
    async with judging(tmp_path, runs=2, keys="ab") as hands:
        await hands.sit()
        assert hands.session.skip().sentence.startswith("a: skipped · 0 of 3")
        assert hands.place == ("run-0000", "b")
        hands.session.skip()
        await hands.arrive()
        assert hands.place == ("run-0001", "a")
        await hands.session.writes.drain()
        query = QueueFilter(project_id=hands.project_id)
        assert (await hands.bench.queue.progress(query)).skipped == 1
        await hands.session.take_back()
        assert hands.place == ("run-0000", "b")
        await hands.session.writes.drain()
        assert (await hands.bench.queue.progress(query)).skipped == 0
        hands.session.skip()
        await hands.arrive()
        await hands.say("yes")
        await hands.say("yes")
        assert hands.session.walk.at_end
        await hands.sit(kind="skipped")
        assert hands.place == ("run-0000", "a")
        assert (await hands.say("yes")).sentence.startswith("a: yes · 1 of 2")
        await hands.say("yes")
        assert hands.session.walk.at_end
        await hands.session.writes.drain()
        assert (await hands.bench.queue.progress(query)).judged == 2


async def test_a_run_is_dismissed_for_everybody_and_put_back(tmp_path: Path) -> None:
    async with judging(tmp_path, runs=3, keys="ab") as hands:
        await hands.sit()
        session, query = hands.session, QueueFilter(project_id=hands.project_id)
        await hands.say("yes")
        told = await session.dismissals.dismiss("run-0000", "Not a real customer.")
        assert told == "Dismissed for everybody — Not a real customer. · u puts it back"
        await hands.arrive()
        assert hands.place == ("run-0001", "a")
        assert session.walk.left == 4
        entry = session.walk.feed.entries[0]
        assert entry.dismissed and entry.finished
        progress = await hands.bench.queue.progress(query)
        assert (progress.left, progress.dismissed) == (2, 1)
        assert (await session.take_back()).sentence == "Taken back: It is back in the queue."
        await hands.arrive()
        assert hands.place == ("run-0000", "b")
        assert (session.walk.left, session.done) == (5, 1)
        assert (await hands.bench.queue.progress(query)).dismissed == 0
        await session.dismissals.dismiss("run-0000", "")
        await hands.arrive()
        await hands.sit(kind="dismissed")
        await hands.arrive()
        assert hands.place[0] == "run-0000"
        assert session.dismissals.why_not("dismiss") == "This run is dismissed already: X puts it back."
        assert await session.dismissals.reopen("run-0000") == "It is back in the queue."
        assert session.dismissals.why_not("reopen") == "This run isn't dismissed."
        assert not session.can_take_back or (await session.take_back()).sentence.startswith("Taken back: a")
        assert (await hands.bench.queue.progress(query)).dismissed == 0


async def test_an_item_passed_over_is_judged_when_one_comes_back_to_it(tmp_path: Path) -> None:
    async with judging(tmp_path, runs=1, keys="ab") as hands:
        await hands.sit()
        hands.session.skip()
        hands.session.walk.move(-1)
        assert (await hands.say("yes")).sentence == "a: yes · 1 of 2"
        assert hands.place == ("run-0000", "b")


async def test_groups_one_may_speak_as_go_round_and_stand_on_the_verdict(tmp_path: Path) -> None:
    async with judging(tmp_path) as hands:
        await hands.bench.groups.add("experts", 3.0)
        await hands.bench.groups.add("others", 1.0, restriction=Restriction(principal_ids=("nobody",)))
        await hands.bench.groups.add("of another", 1.0, project_id=hands.project_id, agent_id="acme.other")
        await hands.sit()
        sheet = hands.session.walk.sheet
        assert sheet is not None
        assert [each.name for each in hands.session.speaking.covering(sheet.run)] == ["experts"]
        await hands.say("yes")
        group = hands.session.speaking.next(sheet.run)
        assert group is not None and group.name == "experts"
        await hands.say("yes")
        hands.session.walk.stand(0)
        assert hands.session.say("yes").sentence.startswith("a: yes")
        await hands.session.writes.drain()
        page = await hands.bench.judgments.list(JudgmentFilter(group_id=group.id))
        assert {one.item.key for one in page.data} == {"a", "b"}
        assert hands.session.speaking.next(sheet.run) is None


async def test_disagreements_are_looked_at_a_second_time(tmp_path: Path) -> None:
    async with judging(tmp_path, runs=1, keys="ab") as hands:
        await hands.bench.people.add(Person(id="ben", right="judge", created_at=from_ms(0)))
        other, _ = await open_local(tmp_path / "workspace", "ben")
        run = await other.runs.get("run-0000")
        for key, place in (("a", 0), ("b", 1)):
            item = {"key": key, "pointer": f"/output/found/{place}", "rank": place}
            await other.judgments.add(
                NewJudgment.model_validate({"run_id": run.id, "item": item, "verdict": "no"})
            )
        await other.close()
        await hands.sit()
        await hands.say("yes")
        await hands.say("no")
        assert hands.session.walk.at_end
        await hands.sit(kind="disputed")
        assert hands.place == ("run-0000", "a")
        assert hands.session.walk.left == 1
        assert hands.session.walk.sheet is not None
        assert [one.asserter for one in hands.session.walk.sheet.others["a"]] == ["ben"]
        assert (await hands.say("yes")).sentence.startswith("a: still yes · 1 of 1")
        assert hands.session.walk.at_end


async def test_one_run_or_exactly_these_items_can_be_judged(tmp_path: Path) -> None:
    async with judging(tmp_path, runs=3, keys="abc") as hands:
        await hands.sit(kind="run", first="run-0001")
        assert hands.place == ("run-0001", "a")
        assert hands.session.walk.left == 3
        for _ in range(3):
            await hands.say("yes")
        assert hands.session.walk.at_end
        await hands.sit(kind="items", items=(("run-0002", "b"), ("run-0000", "c"), ("run-0002", "c")))
        assert hands.session.walk.left == 3
        seen = []
        for _ in range(3):
            seen.append(hands.place)
            await hands.say("no")
        assert seen == [("run-0002", "b"), ("run-0002", "c"), ("run-0000", "c")]
        await hands.sit(first="run-0002")
        assert hands.place[0] == "run-0002"
        await hands.say("yes")
        assert hands.place[0] == "run-0000"


async def test_a_limit_holds_and_is_counted(tmp_path: Path) -> None:
    async with judging(tmp_path, runs=5, keys="ab") as hands:
        await hands.sit(limit=2)
        assert (await hands.say("yes")).sentence == "a: yes · 1 of 4"
        for _ in range(3):
            await hands.say("yes")
        assert hands.session.walk.at_end


async def test_a_failed_write_is_told_and_the_stored_state_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with judging(tmp_path, runs=1, keys="abc") as hands:
        await hands.sit()
        await hands.say("yes")
        await hands.session.writes.drain()
        real = hands.bench.judgments.add

        async def full(new: NewJudgment) -> object:
            if new.item.key == "b":
                raise Trouble("The disk is full.", code="machine-disk-full")
            return await real(new)

        monkeypatch.setattr(hands.bench.judgments, "add", full)
        await hands.say("no")
        await hands.say("no")
        await hands.session.writes.drain()
        await until(lambda: hands.errors and hands.session.walk.left == 1)
        assert await hands.stored() == {("run-0000", "a"): ("yes", None), ("run-0000", "c"): ("no", None)}
        assert hands.session.done == 2
        monkeypatch.undo()
        await hands.session.take_back()
        await hands.session.take_back()
        assert await hands.stored() == {}
        assert not hands.session.can_take_back


async def test_leaving_waits_for_what_is_being_written(tmp_path: Path) -> None:
    async with judging(tmp_path, runs=1, keys="abcdefghij") as hands:
        await hands.sit()
        hands.session.say_rest("yes")
        assert hands.session.writes.pending == 10
    with sqlite3.connect(tmp_path / "workspace" / "workspace.db") as file:
        assert file.execute("SELECT count(*) FROM judgments WHERE ended IS NULL").fetchone() == (10,)


async def test_a_write_that_builds_on_a_failed_one_is_left_out() -> None:
    done: list[str] = []

    async def act(name: str, fails: bool = False) -> None:
        if fails:
            raise OSError(name)
        done.append(name)

    failed: list[str] = []

    async def note(write: Write, error: Exception) -> None:
        failed.append(str(error))

    wrote: list[Write] = []
    writes = Writes(note, wrote.append)
    first = writes.put(Write("r", lambda: act("one", fails=True)))
    second = writes.put(Write("r", lambda: act("two"), first))
    third = writes.put(Write("r", lambda: act("three")))
    await writes.drain()
    assert (done, failed) == (["three"], ["one"])
    assert [each.state for each in (first, second, third)] == ["failed", "failed", "done"]
    assert wrote == [third]

    def broken(write: Write) -> None:
        raise OSError("the screen has gone")

    # Showing what was written may fail, and what else was said is still written.
    more = Writes(note, broken)
    for name in ("four", "five"):
        more.put(Write("r", lambda name=name: act(name)))  # type: ignore[misc]
    await more.drain()
    assert done == ["three", "four", "five"]


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_whatever_is_pressed_the_store_and_the_screen_say_the_same(data: st.DataObject) -> None:
    """Random keys: what stands on the sheets is what is stored; taking everything back leaves nothing."""

    async def whole() -> None:
        with __import__("tempfile").TemporaryDirectory() as folder:
            async with judging(Path(folder), runs=3, keys="ab") as hands:
                await hands.sit()
                session = hands.session
                for _ in range(data.draw(st.integers(1, 25))):
                    match data.draw(st.sampled_from("ynYNsurj[]")):
                        case "y" | "n" as key:
                            session.say("yes" if key == "y" else "no")
                        case "Y" | "N" as key:
                            session.say_rest("yes" if key == "Y" else "no")
                        case "s":
                            session.skip()
                        case "u":
                            await session.take_back()
                        case "r":
                            session.give_reason(data.draw(st.sampled_from(["why", "because", ""])))
                        case "j":
                            session.moved()
                            session.walk.move(1)
                        case key:
                            session.moved()
                            session.walk.go_run(1 if key == "]" else -1)
                    await hands.arrive()
                stored = await hands.stored()
                shown = {
                    (sheet.run.id, key): (said.verdict, said.reason)
                    for sheet in (session.walk.sheets.ready(f"run-{n:04d}") for n in range(3))
                    if sheet is not None
                    for key, said in sheet.mine.items()
                }
                assert shown == stored
                for _ in range(60):
                    if not session.can_take_back:
                        break
                    await session.take_back()
                    await hands.arrive()
                assert await hands.stored() == {}
                assert (session.walk.left, session.done) == (6, 0)
                assert not hands.errors
                query = QueueFilter(project_id=hands.project_id)
                assert (await hands.bench.queue.progress(query)).left == 3

    asyncio.run(whole())


def test_the_guard_counts_from_the_first_paint() -> None:
    now = [0.0]
    guard = SeenGuard(lambda: now[0], 0.15)
    assert not guard.seen(("r", "a"))
    guard.painted([("r", "a")])
    now[0] = 0.1
    guard.painted([("r", "a")])
    now[0] = 0.2
    assert guard.seen(("r", "a"))
    assert not guard.seen(("r", "a"), lag=0.1)
    assert not guard.seen(("other", "a"))


def test_the_pace_leaves_idle_time_out() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    for _ in range(4):
        pace.said()
        now[0] += 2
    assert pace.seconds_left(10) == pytest.approx(20)
    now[0] += IDLE * 5
    pace.said()
    assert pace.seconds_left(10) == pytest.approx(20)
    now[0] += 4
    pace.said(4)
    assert pace.seconds_left(7) == pytest.approx(10)
    assert [duration(each) for each in (0, 31, 89, 240, 7_800, 7_200)] == [
        "1 s",
        "31 s",
        "89 s",
        "4 min",
        "2 h 10 min",
        "2 h",
    ]


def test_reasons_keep_their_numbers() -> None:
    reasons = Reasons()
    for number in range(9):
        reasons.used("a", f"reason {number}")
    reasons.used("a", "reason 0")
    reasons.used("a", "a new one")
    assert reasons.of("a")[0] == "reason 0"
    assert reasons.of("a")[1] == "a new one"
    assert len(reasons.of("a")) == 9
    assert reasons.of("b") == ()
