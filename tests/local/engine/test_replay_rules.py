"""The table of DESIGN section 6, row by row, and the order where rows overlap."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.runs import RecordedCall
from kindgi_tui.local.engine.candidates import Tool
from kindgi_tui.local.engine.replay_rules import APPROVAL, CHANGING, OUTSIDE, STRICT, Decision, ReplayRules
from kindgi_tui.local.engine.tool_calls import ReplayCalls
from kindgi_tui.local.models.calls import ToolCall
from kindgi_tui.local.packs.definitions import ToolVersion
from kindgi_tui.local.packs.services import PackServices
from kindgi_tui.local.packs.tool_results import ToolResult

READ = ToolVersion(id="t", version="1.0.0", mutating=False, effects=("reads",))
COMPUTE = ToolVersion(id="t", version="1.0.0", mutating=False)
NETWORK = ToolVersion(id="t", version="1.0.0", mutating=False, effects=("reads", "network"))
EGRESS = ToolVersion(id="t", version="1.0.0", mutating=False, effects=("sensitive-data-egress",))
WRITE = ToolVersion(id="t", version="1.0.0", mutating=True, effects=("writes",))
UNDECLARED = ToolVersion(id="t", version="1.0.0", effects=("reads",))
APPROVED = ToolVersion(id="t", version="1.0.0", mutating=False, effects=("reads",), needs_approval=True)
CHANGING_EFFECTS = ("writes", "deletes", "spawns-run", "emits-event", "external-side-effect")


def recorded(*results: Json, arguments: Json = None, failed: bool = False) -> list[RecordedCall]:
    return [
        RecordedCall(
            step=i, call_id=str(i), tool_id="t", arguments=arguments or {"a": 1}, result=result, failed=failed
        )
        for i, result in enumerate(results)
    ]


def decide(tool: ToolVersion, calls: list[RecordedCall], arguments: Json = None, **rules: bool) -> Decision:
    return ReplayRules(calls, **rules).decide(tool, arguments or {"a": 1})


def test_a_recorded_read_takes_its_result() -> None:
    decision = decide(READ, recorded("then"))
    assert (decision.source, decision.recorded and decision.recorded.result) == ("recorded", "then")


def test_a_read_that_is_not_recorded_runs_live() -> None:
    assert decide(READ, recorded("then"), {"a": 2}) == Decision("live")
    assert decide(READ, []) == Decision("live")


def test_a_compute_only_tool_that_is_not_recorded_runs_and_diverges() -> None:
    assert decide(COMPUTE, []) == Decision("live")


@pytest.mark.parametrize("calls", [recorded("then"), []])
def test_other_settings_run_reads_live(calls: list[RecordedCall]) -> None:
    assert decide(READ, calls, other_settings=True) == Decision("live")


@pytest.mark.parametrize("calls", [recorded("then"), []])
def test_other_settings_recompute_what_depends_on_its_arguments_alone(calls: list[RecordedCall]) -> None:
    assert decide(COMPUTE, calls, other_settings=True) == Decision("live", recomputed=True)


@pytest.mark.parametrize("calls", [recorded("then"), []])
def test_live_reads_run_live(calls: list[RecordedCall]) -> None:
    assert decide(READ, calls, reads_live=True) == Decision("live")


@pytest.mark.parametrize("tool", [NETWORK, EGRESS])
@pytest.mark.parametrize("rules", [{}, {"reads_live": True}, {"other_settings": True}])
def test_a_read_that_reaches_outside_only_takes_its_recorded_result(
    tool: ToolVersion, rules: dict[str, bool]
) -> None:
    assert decide(tool, recorded("then"), **rules).source == "recorded"
    assert decide(tool, [], **rules) == Decision("refused", reason=OUTSIDE)


@pytest.mark.parametrize("tool", [WRITE, UNDECLARED])
@pytest.mark.parametrize("rules", [{}, {"reads_live": True}, {"other_settings": True}, {"strict": True}])
def test_any_other_tool_takes_its_recorded_result_or_is_refused(
    tool: ToolVersion, rules: dict[str, bool]
) -> None:
    assert decide(tool, recorded("then"), **rules).source == "recorded"
    refused = decide(tool, [], **rules)
    assert refused == Decision("refused", reason=CHANGING)
    assert refused.refusal == {
        "status": "not-executed",
        "reason": "replay: this call changes things and has no recorded result",
    }


@pytest.mark.parametrize("effect", CHANGING_EFFECTS)
def test_a_changing_effect_makes_a_tool_no_read_whatever_it_says(effect: str) -> None:
    tool = ToolVersion(id="t", version="1.0.0", mutating=False, effects=("reads", effect))
    assert decide(tool, [], reads_live=True) == Decision("refused", reason=CHANGING)


def test_a_call_that_needs_an_approval_is_refused_without_a_recording() -> None:
    assert decide(APPROVED, recorded("then")).source == "recorded"
    assert decide(APPROVED, [], reads_live=True) == Decision("refused", reason=APPROVAL)
    assert APPROVAL == "replay: this call needs an approval and has no recorded result"


@pytest.mark.parametrize("rules", [{}, {"reads_live": True}, {"other_settings": True}])
@pytest.mark.parametrize("tool", [READ, COMPUTE, NETWORK])
def test_nothing_runs_live_in_a_strict_case(tool: ToolVersion, rules: dict[str, bool]) -> None:
    assert decide(tool, recorded("then"), strict=True, **rules).source == "recorded"
    assert decide(tool, [], strict=True, **rules) == Decision("refused", reason=STRICT)
    assert STRICT == "replay: this read has no recorded result"


def test_where_rows_overlap_approval_stands_before_changing() -> None:
    both = ToolVersion(id="t", version="1.0.0", mutating=True, effects=("writes",), needs_approval=True)
    assert decide(both, []) == Decision("refused", reason=APPROVAL)


def test_where_rows_overlap_strict_stands_before_outside() -> None:
    assert decide(NETWORK, [], strict=True).reason == STRICT


def test_the_ith_identical_call_takes_the_ith_result_and_a_read_goes_on_with_the_last() -> None:
    rules = ReplayRules(recorded("first", "second"))
    taken = [rules.decide(READ, {"a": 1}) for _ in range(4)]
    assert [each.recorded and each.recorded.result for each in taken] == [
        "first",
        "second",
        "second",
        "second",
    ]


def test_a_write_repeated_more_often_is_refused() -> None:
    rules = ReplayRules(recorded("first", "second"))
    taken = [rules.decide(WRITE, {"a": 1}) for _ in range(3)]
    assert [each.source for each in taken] == ["recorded", "recorded", "refused"]
    assert taken[2].reason == CHANGING


def test_a_read_outside_repeated_more_often_takes_the_last() -> None:
    rules = ReplayRules(recorded("only"))
    assert [rules.decide(NETWORK, {"a": 1}).source for _ in range(2)] == ["recorded", "recorded"]


def test_calls_in_between_do_not_move_the_count() -> None:
    calls = [*recorded("a1", "a2"), *recorded("b1", arguments={"b": 1})]
    rules = ReplayRules(calls)
    order: list[Json] = [{"a": 1}, {"b": 1}, {"a": 1}]
    taken = [rules.decide(READ, arguments) for arguments in order]
    assert [each.recorded and each.recorded.result for each in taken] == ["a1", "b1", "a2"]


def test_equal_arguments_are_equal_json() -> None:
    calls = recorded("then", arguments={"n": 1, "list": [1, {"x": None}]})
    assert decide(READ, calls, {"list": [1.0, {"x": None}], "n": 1.0}).source == "recorded"
    assert decide(READ, calls, {"n": True, "list": [1, {"x": None}]}).source == "live"
    assert decide(READ, calls, {"n": 1, "list": [{"x": None}, 1]}).source == "live"
    assert decide(READ, calls, {"n": 1, "list": [1, {}]}).source == "live"


def test_another_tool_with_the_same_arguments_is_another_call() -> None:
    other = ToolVersion(id="other", version="1.0.0", mutating=False, effects=("reads",))
    assert decide(other, recorded("then")).source == "live"


def test_another_version_of_the_tool_is_the_same_call() -> None:
    newer = ToolVersion(id="t", version="2.0.0", mutating=False, effects=("reads",))
    assert decide(newer, recorded("then")).source == "recorded"


def test_a_recorded_failure_comes_back_as_that_failure() -> None:
    decision = decide(READ, recorded({"code": "boom"}, failed=True))
    assert decision.recorded is not None
    assert decision.recorded.failed
    assert decision.recorded.result == {"code": "boom"}


_TOOLS = st.builds(
    ToolVersion,
    id=st.sampled_from(["t", "u"]),
    version=st.just("1.0.0"),
    mutating=st.sampled_from([None, True, False]),
    effects=st.lists(
        st.sampled_from(["reads", "network", "sensitive-data-egress", *CHANGING_EFFECTS, "unheard-of"]),
        max_size=2,
    ).map(tuple),
    needs_approval=st.booleans(),
)
_ARGUMENTS = st.sampled_from([{"a": 1}, {"a": 2}, {"a": 1.0}, {}, [1], None, "a"])
_CALLS = st.lists(
    st.builds(
        RecordedCall,
        step=st.just(0),
        call_id=st.just("c"),
        tool_id=st.sampled_from(["t", "u"]),
        arguments=_ARGUMENTS,
        result=st.integers(0, 99),
    ),
    max_size=5,
)


@given(
    _CALLS, st.lists(st.tuples(_TOOLS, _ARGUMENTS), max_size=12), st.booleans(), st.booleans(), st.booleans()
)
def test_whatever_is_called_nothing_that_may_change_things_runs(
    recorded_calls: list[RecordedCall],
    made: list[tuple[ToolVersion, Json]],
    reads_live: bool,
    strict: bool,
    other_settings: bool,
) -> None:
    rules = ReplayRules(recorded_calls, reads_live, strict, other_settings)
    writes_taken: list[int] = []
    for tool, arguments in made:
        decision = rules.decide(tool, arguments)
        harmless = (
            tool.mutating is False
            and not tool.needs_approval
            and not set(tool.effects) & {*CHANGING_EFFECTS, "network", "sensitive-data-egress"}
        )
        if decision.source == "live":
            assert harmless
            assert not strict
        if decision.source == "recorded":
            assert decision.recorded is not None
            assert decision.recorded.tool_id == tool.id
            if tool.mutating is not False:
                # Each recorded result of a write is given out once.
                place = next(i for i, each in enumerate(recorded_calls) if each is decision.recorded)
                writes_taken.append(place)
        if decision.source == "refused":
            assert decision.reason is not None
            assert decision.reason.startswith("replay: this ")
    assert len(writes_taken) == len(set(writes_taken))


class Remembers(PackServices):
    """Services that run nothing and remember what they were asked to run."""

    def __init__(self) -> None:
        super().__init__(Path("nowhere"))
        self.ran: list[str] = []

    async def invoke(self, digest: str, tool_id: str, *_: Any, **__: Any) -> ToolResult:
        self.ran.append(tool_id)
        return ToolResult(output="live")


_MANY = {
    "read": READ,
    "compute": COMPUTE,
    "network": NETWORK,
    "egress": EGRESS,
    "write": WRITE,
    "undeclared": UNDECLARED,
    "approved": APPROVED,
}
_BATCHES = st.lists(
    st.lists(st.tuples(st.sampled_from([*_MANY, "nobody"]), _ARGUMENTS), min_size=1, max_size=4), max_size=5
)


@given(_BATCHES, _CALLS, st.booleans(), st.booleans())
def test_whatever_is_called_only_reads_are_handed_to_a_service(
    batches: list[list[tuple[str, Json]]], past: list[RecordedCall], reads_live: bool, strict: bool
) -> None:
    tools = {
        name: Tool(tool.model_copy(update={"id": name}), "digest", {"SECRET": "today"})
        for name, tool in _MANY.items()
    }
    names = list(tools)
    recorded_calls = [
        call.model_copy(update={"tool_id": names[i % len(names)]}) for i, call in enumerate(past)
    ]
    services = Remembers()
    answers = ReplayCalls(
        ReplayRules(recorded_calls, reads_live, strict), tools, services, {}, "run", "project"
    )

    async def make() -> None:
        for step, batch in enumerate(batches):
            made = [ToolCall(id=f"{step}-{i}", name=n, arguments=a) for i, (n, a) in enumerate(batch)]
            for call, result in zip(made, await answers(step, made), strict=True):
                assert (result.trace is None) == (call.name == "nobody")
                if result.kind == "refused":
                    assert isinstance(result.content, dict)
                    assert result.content["status"] == "not-executed"

    asyncio.run(make())
    assert set(services.ran) <= {"read", "compute"}
    if strict:
        assert services.ran == []
