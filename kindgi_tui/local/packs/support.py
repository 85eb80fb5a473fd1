"""What the bundled engine cannot run yet, refused at publish by name (DESIGN section 9)."""

from collections import Counter
from collections.abc import Iterator

from kindgi_tui.domain.base import Json
from kindgi_tui.local.blocks.pinning import block_problems
from kindgi_tui.local.packs.definitions import AgentVersion, PackIndex, ToolVersion
from kindgi_tui.local.packs.ranges import is_range
from kindgi_tui.workbench import Unsupported

_GIVEN = frozenset({"tenant", "run", "project", "org", "request"})
"""Named context slots that every call's context carries anyway."""


def check_supported(index: PackIndex) -> None:
    """Raises Unsupported, naming each tool, agent and flow that declares what can't be run here yet."""
    problems = list(unsupported(index))
    if problems:
        raise Unsupported(" ".join(problems), code="pack-not-supported")


def unsupported(index: PackIndex) -> Iterator[str]:
    """One sentence per thing a pack declares that can't be run here yet."""
    for tool in index.tools:
        for what in _tool_problems(tool):
            yield f"Tool {tool.id} {tool.version} {what}."
    places = Counter((tool.id, tool.module_path) for tool in index.tools)
    for (tool_id, path), count in places.items():
        if count > 1:
            # The official service finds a tool in its file by id alone, and would run the first for every version.
            yield (
                f"Tool {tool_id} has {count} versions in one file ({path}), and the pack service would run the "
                "first for all of them; put each version in a file of its own."
            )
    for agent in index.agents:
        for what in _agent_problems(agent):
            yield f"Agent {agent.id} {agent.version} {what}."
    for flow in index.flows:
        yield f"Flow {flow.id} {flow.version}: flows can't be run here yet."


def _tool_problems(tool: ToolVersion) -> Iterator[str]:
    entry = _object(tool.definition)
    if entry.get("spec") is not None:
        yield "is an HTTP tool, which can't be run here yet"
    needs = _object(entry.get("needsSpec"))
    for kind in ("secrets", "config", "capabilities", "bindings"):
        named = needs.get(kind)
        if isinstance(named, dict | list) and named:
            yield f"needs {kind} ({', '.join(map(str, named))}), which can't be given here yet"
    slots = entry.get("needs")
    for slot in slots if isinstance(slots, list) else ():
        need = _object(slot)
        if need.get("optional") is not True and need.get("name") not in _GIVEN:
            yield f"needs {need.get('name')}, which can't be given here yet"
    if entry.get("sandbox") not in (None, "none"):
        yield f"asks for the sandbox {entry['sandbox']}, which can't be given here yet"
    if entry.get("limits") is not None:
        yield "asks for limits on memory and processor time, which can't be kept here yet"
    network = _object(entry.get("network")).get("kind")
    if network not in (None, "unrestricted"):
        yield f"asks for the network policy {network}, which can't be kept here yet"


def _agent_problems(agent: AgentVersion) -> Iterator[str]:
    entry = _object(agent.definition)
    for key, words in (("guardrails", "guardrails"), ("retrieval", "retrieval")):
        if entry.get(key):
            yield f"declares {words}{_named(entry[key])}, which can't be run here yet"
    if entry.get("memory"):
        yield "declares memory, which can't be run here yet"
    yield from block_problems(agent)
    policy = _object(entry.get("conversationPolicy"))
    other = sorted(key for key, value in policy.items() if key != "historyLimit" and value is not None)
    if other:
        yield f"has a conversation policy ({', '.join(other)}) that can't be kept here yet"
    for tool_id, wanted in agent.tools:
        if not is_range(wanted):
            yield f"names tool {tool_id} with {wanted!r}, which is not a version range"


def _named(value: Json) -> str:
    """The ids or names in a declared list, in brackets; empty when there are none."""
    names = []
    for each in value if isinstance(value, list) else ():
        name = each if isinstance(each, str) else _object(each).get("id", _object(each).get("name"))
        if isinstance(name, str):
            names.append(name)
    return f" ({', '.join(names)})" if names else ""


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}
