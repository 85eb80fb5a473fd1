"""A flow with some of its agents and tools at other versions than it pins: what of it can be swapped."""

from collections.abc import Iterable
from typing import NamedTuple

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.limits import LimitError


class Swaps(Frozen):
    """Exact versions by id; every id is one the flow uses."""

    agents: dict[str, str] = {}
    """Agents of its steps."""
    tools: dict[str, str] = {}
    """Tools of its steps and branches."""

    @property
    def wire(self) -> dict[str, Json]:
        """As a body has it: a part that names none is left out."""
        parts: dict[str, dict[str, str]] = {"tools": self.tools, "agents": self.agents}
        return {name: dict[str, Json](part) for name, part in parts.items() if part}


def swaps_of(value: Json) -> Swaps | None:
    """What a body or a record swaps; None for nothing."""
    if not isinstance(value, dict):
        return None
    found = Swaps(agents=_texts(value.get("agents")), tools=_texts(value.get("tools")))
    return found if found.wire else None


def _texts(value: Json) -> dict[str, str]:
    named = value.items() if isinstance(value, dict) else ()
    return {name: told for name, told in named if isinstance(told, str)}


class Used(NamedTuple):
    """What a flow runs that can be swapped."""

    agents: frozenset[str]
    """Ids of agents."""
    tools: frozenset[str]
    """Ids of tools."""


def used_by(definition: Json) -> Used:
    """The agents and tools of a flow's nodes, of its branches and of its loops' bodies; not of its sub-flows."""
    agents: set[str] = set()
    tools: set[str] = set()
    left = [definition]
    while left:
        flow = left.pop()
        nodes = flow.get("nodes") if isinstance(flow, dict) else None
        for node in nodes if isinstance(nodes, list) else ():
            if not isinstance(node, dict):
                continue
            kind, ref, branches = node.get("kind"), node.get("ref"), node.get("branches")
            if kind == "loop":
                left.append(node.get("body"))
            elif kind == "fanout":
                tools |= {
                    str(branch.get("handler"))
                    for branch in (branches if isinstance(branches, list) else ())
                    if isinstance(branch, dict)
                }
            elif kind in ("agent", "tool") and isinstance(ref, str):
                (agents if kind == "agent" else tools).add(ref)
    return Used(frozenset(agents), frozenset(tools))


def swapped(flow: str, version: str, definition: Json, named: Iterable[tuple[str, str]]) -> Swaps | None:
    """Each named id as an agent or a tool of that flow version. Raises LimitError for one it doesn't use, or twice."""
    used = used_by(definition)
    agents: dict[str, str] = {}
    tools: dict[str, str] = {}
    for identity, to in named:
        if identity in agents or identity in tools:
            raise LimitError("versions", f"{identity} is named twice: it runs at one version.")
        if identity in used.agents:
            agents[identity] = to
        elif identity in used.tools:
            tools[identity] = to
        else:
            raise LimitError("versions", f"flow {flow} {version} doesn't use {identity}.")
    return Swaps(agents=agents, tools=tools) if agents or tools else None
