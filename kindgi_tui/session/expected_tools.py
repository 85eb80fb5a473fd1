"""What is doubtful of the tools an expectation names, whoever wrote it and where: a tool that nobody knows, and
arguments that the tool doesn't take. A typo there fails, or passes, every version. It is told, never refused: a
correction may ask for a tool that is only to be written."""

from typing import TYPE_CHECKING

from kindgi_tui.domain.corrections import Expectation, ExpectedCall
from kindgi_tui.domain.runs import RunDetail, recorded_calls
from kindgi_tui.session.arguments import misfit
from kindgi_tui.session.tool_choices import KnownTools, ToolChoice, tools_known
from kindgi_tui.text import one_line

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench

NAME = 80
"""The most cells of a tool's id in a sentence."""


def unknown(tool_id: str, tools: KnownTools, *, recorded: bool = True) -> str | None:
    """The sentence about a tool that nobody knows; None for a known one, and where the catalog can't be asked.

    `recorded` says whether there is a run that could have called it.
    """
    if not tools.whole or tools.find(tool_id) is not None:
        return None
    called = "the run called or " if recorded else ""
    return f"{one_line(tool_id, NAME)} is no tool that {called}a pack brings."


def unfit(call: ExpectedCall, tools: KnownTools) -> str | None:
    """The sentence about arguments that the tool doesn't take; None when they fit, or nobody knows what it takes."""
    tool = tools.find(call.tool_id)
    problem = None if tool is None else misfit(call.arguments, tool.input)
    if problem is None:
        return None
    told = f"{problem.place}: {problem.words}" if problem.place else problem.words
    return f"The arguments of {one_line(call.tool_id, NAME)} don't fit what it takes: {one_line(told, 300)}."


def doubts(expect: Expectation, tools: KnownTools, *, recorded: bool = True) -> tuple[str, ...]:
    """A sentence for each doubtful tool, and for each call whose arguments its tool doesn't take."""
    named = dict.fromkeys((*(call.tool_id for call in expect.should_call), *expect.must_not_call))
    strange = (unknown(each, tools, recorded=recorded) for each in named)
    found = [*strange, *(unfit(call, tools) for call in expect.should_call)]
    return tuple(dict.fromkeys(each for each in found if each is not None))


class ToolDoubts:
    """Finds what is doubtful, asking once for what is known of an agent's tools. What can't be asked isn't doubted."""

    def __init__(self, workbench: "Workbench") -> None:
        self._workbench = workbench
        self._known: dict[tuple[str | None, str | None], KnownTools] = {}

    async def of_run(self, run_id: str, expect: Expectation) -> tuple[str, ...]:
        """What is doubtful of what a run should have done."""
        from kindgi_tui.workbench import WorkbenchError

        if not _names_tools(expect):
            return ()
        try:
            return await self.of(await self._workbench.runs.get(run_id), expect)
        except WorkbenchError:
            return ()

    async def of(self, run: RunDetail, expect: Expectation) -> tuple[str, ...]:
        """The same, of a run that was read."""
        from kindgi_tui.workbench import WorkbenchError

        if not _names_tools(expect):
            return ()
        try:
            agent = run.subject.id if run.subject.kind == "agent" else None
            known = await self._tools(agent, run.subject.version)
        except WorkbenchError:
            return ()
        called = {one.tool_id for one in recorded_calls(run.output)}
        others = tuple(ToolChoice(id=each) for each in called if known.find(each) is None)
        return doubts(expect, known.model_copy(update={"choices": (*known.choices, *others)}))

    async def of_agent(self, agent_id: str, expect: Expectation) -> tuple[str, ...]:
        """The same, of what an agent should do with a case that has no recording."""
        from kindgi_tui.workbench import WorkbenchError

        if not _names_tools(expect):
            return ()
        try:
            return doubts(expect, await self._tools(agent_id, None), recorded=False)
        except WorkbenchError:
            return ()

    async def _tools(self, agent_id: str | None, version: str | None) -> KnownTools:
        key = (agent_id, version)
        if key not in self._known:
            self._known[key] = await tools_known(self._workbench, agent_id, version, ())
        return self._known[key]


def _names_tools(expect: Expectation) -> bool:
    return bool(expect.should_call or expect.must_not_call)
