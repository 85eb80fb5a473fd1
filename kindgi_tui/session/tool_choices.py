"""The tools a correction can name: those of the agent's version, those the run called, and the catalog's others."""

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.catalog import CatalogVersion
from kindgi_tui.domain.runs import RecordedCall, RunDetail

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench
    from kindgi_tui.workbench.catalog import Catalog


class ToolChoice(Frozen):
    """A tool to pick."""

    id: str
    """Its id."""
    version: str | None = None
    """The version whose input is known; None: none is."""
    about: str = ""
    """What it does, as its author says; or where it comes from."""
    input: Json = None
    """The schema of its input; None: not known."""


class KnownTools(Frozen):
    """The tools that are known where a correction is made."""

    choices: tuple[ToolChoice, ...] = ()
    """Those of the agent's version, those the run called, then the others."""
    whole: bool = False
    """Whether the catalog's others are among them: where it can't be asked, a tool may be there all the same."""

    def find(self, tool_id: str) -> ToolChoice | None:
        """What is known of a tool."""
        return next((tool for tool in self.choices if tool.id == tool_id), None)


async def tools_of(
    workbench: "Workbench", run: RunDetail, recorded: Sequence[RecordedCall]
) -> tuple[ToolChoice, ...]:
    """The tools a correction of the run can name, as `tools_known_of` finds them."""
    return (await tools_known_of(workbench, run, recorded)).choices


async def tools_known_of(
    workbench: "Workbench", run: RunDetail, recorded: Sequence[RecordedCall]
) -> KnownTools:
    """The tools of the run's agent at its version, else at the newest; then others the run called; then the others.

    What a run should have called may be a tool its version didn't have yet.
    """
    agent = run.subject.id if run.subject.kind == "agent" else None
    return await tools_known(workbench, agent, run.subject.version, recorded)


async def tools_known(
    workbench: "Workbench", agent_id: str | None, version: str | None, recorded: Sequence[RecordedCall]
) -> KnownTools:
    """The same for an agent at a version (None: the newest); without an agent those that were called come first."""
    entry = None if agent_id is None else await _entry(workbench.agents, agent_id, version)
    pinned: dict[str, str | None] = dict(_pinned(entry))
    for call in recorded:
        pinned.setdefault(call.tool_id, call.tool_version)
    choices = []
    for tool_id, pinned_version in pinned.items():
        found = await _entry(workbench.tools, tool_id, pinned_version)
        choices.append(_choice(tool_id, found))
    others = await _others(workbench.tools, pinned)
    return KnownTools(choices=(*choices, *map(_listed, others or ())), whole=others is not None)


async def _others(catalog: "Catalog", known: Container[str]) -> list[CatalogVersion] | None:
    """The catalog's other tools; None where it isn't offered or can't be reached: a correction goes on without."""
    from kindgi_tui.workbench import Denied, NotFound, Unavailable, Unsupported

    try:
        return [one for one in await catalog.list() if one.id not in known]
    except (NotFound, Unsupported, Unavailable, Denied):
        return None


async def _entry(catalog: "Catalog", entry_id: str, version: str | None) -> CatalogVersion | None:
    """That version, the newest where it isn't registered, None where nothing is."""
    from kindgi_tui.workbench import NotFound, Unsupported

    for wanted in dict.fromkeys((version, None)):
        try:
            return await catalog.get(entry_id, wanted)
        except NotFound:
            continue
        except Unsupported:
            return None
    return None


def _pinned(entry: CatalogVersion | None) -> list[tuple[str, str | None]]:
    listed = (
        entry.definition.get("tools") if entry is not None and isinstance(entry.definition, dict) else None
    )
    found: list[tuple[str, str | None]] = []
    for tool in listed if isinstance(listed, list) else ():
        if isinstance(tool, dict) and isinstance(tool.get("id"), str):
            version = tool.get("version")
            found.append((str(tool["id"]), version if isinstance(version, str) else None))
    return found


def _listed(entry: CatalogVersion) -> ToolChoice:
    definition = entry.definition if isinstance(entry.definition, dict) else {}
    about = definition.get("description")
    return ToolChoice(
        id=entry.id,
        version=entry.version,
        about=about if isinstance(about, str) else "",
        input=definition.get("input"),
    )


def _choice(tool_id: str, found: CatalogVersion | None) -> ToolChoice:
    if found is None or not isinstance(found.definition, dict):
        return ToolChoice(id=tool_id, about="the run called it; it isn't in the catalog here")
    return _listed(found)


def matching_tools(tools: Sequence[ToolChoice], words: str) -> tuple[ToolChoice, ...]:
    """The tools whose id or description has every word, those that have them in the id first.

    What is in none of them can still be picked where it could be an id: it stands last.
    """
    wanted = words.casefold().split()
    named = [tool for tool in tools if all(word in tool.id.casefold() for word in wanted)]
    told = [
        tool
        for tool in tools
        if tool not in named and all(word in f"{tool.id} {tool.about}".casefold() for word in wanted)
    ]
    typed = words.strip()
    other = (
        (ToolChoice(id=typed, about="as typed: it isn't in the catalog here"),)
        if "." in typed.strip(".") and not typed.split()[1:] and all(tool.id != typed for tool in tools)
        else ()
    )
    return (*named, *told, *other)
