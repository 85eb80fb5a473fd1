"""Answering a turn's tool calls: live, or as a replay's rules say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from kindgi_tui.domain.base import Json
from kindgi_tui.local.engine.candidates import Tool
from kindgi_tui.local.engine.conversation import as_event
from kindgi_tui.local.engine.replay_rules import Decision, ReplayRules
from kindgi_tui.local.engine.turns import CallResult, all_of
from kindgi_tui.local.models.calls import ToolCall
from kindgi_tui.local.packs.definitions import reaches_outside
from kindgi_tui.local.packs.services import PackServices
from kindgi_tui.local.packs.tool_results import ToolResult

TOOL_TIMEOUT_MS = 120_000
"""How long one tool call may take."""


@dataclass
class LiveCalls:
    """Runs every call in its pack's service, and remembers what environment values each tool was sent."""

    tools: Mapping[str, Tool]
    """The agent's tools."""
    services: PackServices
    """Where they run."""
    run_id: str
    """The run that calls."""
    project_id: str
    """Its project."""
    sent_env: dict[str, Json] = field(default_factory=dict)
    """The environment values each tool was sent, by tool id."""
    settings: Mapping[str, dict[str, Json]] = field(default_factory=dict)
    """The values of the agent's settings blocks, by id."""

    async def __call__(self, step: int, calls: Sequence[ToolCall]) -> list[CallResult]:
        """The results of one message's calls, run at once."""
        return await all_of([self._one(call) for call in calls])

    async def _one(self, call: ToolCall) -> CallResult:
        tool = self.tools.get(call.name)
        if tool is None:
            return unknown_tool(call.name, self.tools)
        if tool.version.env:
            self.sent_env[call.name] = dict(tool.env)
        return await invoke(self.services, tool, call, tool.env, self.run_id, self.project_id, self.settings)


@dataclass
class ReplayCalls:
    """Answers every call as the rules of a replay say (DESIGN section 6)."""

    rules: ReplayRules
    """The rules, with the past run's calls."""
    tools: Mapping[str, Tool]
    """The candidate's tools."""
    services: PackServices
    """Where a read that runs live runs."""
    past_env: Mapping[str, Mapping[str, str]]
    """The environment values the past run's calls were sent, by tool id: a live read is sent them again."""
    run_id: str
    """The replay's run."""
    project_id: str
    """Its project."""
    settings: Mapping[str, dict[str, Json]] = field(default_factory=dict)
    """The values of the candidate's settings blocks, by id."""

    async def __call__(self, step: int, calls: Sequence[ToolCall]) -> list[CallResult]:
        """The results of one message's calls. What happens to each is decided in their order; live ones run at once."""
        decided = [
            (call, tool, self.rules.decide(tool.version, call.arguments) if tool is not None else None)
            for call in calls
            for tool in (self.tools.get(call.name),)
        ]
        return await all_of([self._one(step, call, tool, decision) for call, tool, decision in decided])

    async def _one(
        self, step: int, call: ToolCall, tool: Tool | None, decision: Decision | None
    ) -> CallResult:
        if tool is None or decision is None:
            return unknown_tool(call.name, self.tools)
        trace: dict[str, Json] = {
            "step": step,
            "callId": call.id,
            "toolId": call.name,
            "toolVersion": tool.version.version,
            "arguments": call.arguments,
            "source": decision.source,
        }
        if decision.recomputed:
            trace["recomputed"] = True
        if decision.reason is not None:
            trace["reason"] = decision.reason
        if decision.source == "refused":
            return CallResult(decision.refusal, kind="refused", trace=trace)
        if decision.recorded is not None:
            recorded = decision.recorded
            return CallResult(
                recorded.result,
                failed=recorded.failed,
                kind=_recorded_kind(recorded.result) if recorded.failed else "result",
                trace=trace,
                as_data=reaches_outside(tool.version),
            )
        env = self.past_env.get(call.name, tool.env)
        result = await invoke(self.services, tool, call, env, self.run_id, self.project_id, self.settings)
        return CallResult(result.content, result.failed, result.kind, trace)


def _recorded_kind(content: Json) -> Literal["invalid-arguments", "tool-error"]:
    """What kind of failure a recorded one was, so that the agent's `toolErrors` treat it as they did."""
    code = content.get("code") if isinstance(content, dict) else None
    return "invalid-arguments" if code in ("input-validation-failed", "invalid-arguments") else "tool-error"


def reads_as_data(result: CallResult) -> Json:
    """What the model reads: a recorded result that came from outside stands inside an `<event>` block."""
    return as_event(result.content) if result.as_data else result.content


def unknown_tool(name: str, tools: Mapping[str, Tool]) -> CallResult:
    """What a call of a tool the agent doesn't have gives back to the model."""
    have = ", ".join(tools) or "none"
    content: dict[str, Json] = {
        "status": "error",
        "code": "unknown-tool",
        "message": f"There is no tool {name}; there are: {have}.",
    }
    return CallResult(content, failed=True, kind="unknown-tool")


async def invoke(
    services: PackServices,
    tool: Tool,
    call: ToolCall,
    env: Mapping[str, str],
    run_id: str,
    project_id: str,
    settings: Mapping[str, dict[str, Json]] | None = None,
) -> CallResult:
    """Runs one call in its pack's service, with the agent's settings by block id.

    Raises Unavailable and Invalid where it could not be made.
    """
    result: ToolResult = await services.invoke(
        tool.pack_digest,
        call.name,
        tool.version.version,
        call.arguments,
        env,
        run_id,
        project_id,
        TOOL_TIMEOUT_MS,
        call_id=call.id,
        settings=settings,
    )
    if result.error is None:
        return CallResult(result.output)
    content: dict[str, Json] = {
        "status": "error",
        "code": result.error.code,
        "message": result.error.sentence,
    }
    wrong = result.error.code == "input-validation-failed"
    return CallResult(content, failed=True, kind="invalid-arguments" if wrong else "tool-error")
