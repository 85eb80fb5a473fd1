"""What a turn needs of the catalog: the agent's version, and each tool it may call at the version it runs."""

import sqlite3
from dataclasses import dataclass

from kindgi_tui.domain.catalog import CatalogVersion
from kindgi_tui.local.models.calls import OutputSchema, ToolOffer
from kindgi_tui.local.packs.definitions import AgentVersion, ToolVersion, agent_from, resolve, tool_from
from kindgi_tui.local.store.catalog import entry_versions, get_pack, get_version, list_entries, pack_env


@dataclass(frozen=True)
class Tool:
    """One tool an agent may call, and where it runs."""

    version: ToolVersion
    """The tool at the version that answers."""
    pack_digest: str
    """The snapshot whose service runs it."""
    env: dict[str, str]
    """The environment values set for it today, by name: those it declares."""


@dataclass(frozen=True)
class Candidate:
    """One version of an agent, ready to take turns."""

    agent: AgentVersion
    """The agent."""
    tools: dict[str, Tool]
    """Its tools by id."""
    missing: str | None
    """Why it can't run: a tool that no local pack has, and what to publish."""
    hitl: bool
    """Whether the agent waits for a person's approval of the session (`hitlAfterTurns`)."""
    offers: tuple[ToolOffer, ...]
    """Its tools, as a model is offered them."""
    output: OutputSchema | None
    """The shape of its typed answer."""


def load_candidate(connection: sqlite3.Connection, agent_id: str, version: str | None) -> Candidate:
    """The agent at that version (the newest when none is named), with its tools. Raises NotFound."""
    entry = get_version(connection, "agent", agent_id, version)
    agent = agent_from(entry.definition)
    tools: dict[str, Tool] = {}
    missing: str | None = None
    for tool_id, wanted in agent.tools:
        versions = entry_versions(connection, "tool", tool_id)
        chosen = resolve(wanted, [found.version for found in versions])
        found = next((each for each in versions if each.version == chosen), None)
        if found is None:
            missing = missing or _missing(connection, tool_id, wanted, versions)
            continue
        tools[tool_id] = _tool(connection, found)
    definition = agent.definition if isinstance(agent.definition, dict) else {}
    policy = definition.get("conversationPolicy")
    return Candidate(
        agent,
        tools,
        missing,
        hitl=isinstance(policy, dict) and isinstance(policy.get("hitlAfterTurns"), int),
        offers=tuple(
            ToolOffer(
                id=tool.version.id,
                description=tool.version.description,
                input_schema=tool.version.input_schema,
            )
            for tool in tools.values()
        ),
        output=None
        if agent.output_schema is None
        else OutputSchema(name=agent.output_name, schema=agent.output_schema),
    )


def _tool(connection: sqlite3.Connection, entry: CatalogVersion) -> Tool:
    version = tool_from(entry.definition)
    values = pack_env(connection, get_pack(connection, entry.pack_digest).pack_id)
    return Tool(version, entry.pack_digest, {name: values[name] for name in version.env if name in values})


def _missing(
    connection: sqlite3.Connection, tool_id: str, wanted: str, versions: tuple[CatalogVersion, ...]
) -> str:
    pack = tool_id.rsplit(".", 1)[0]
    if versions:
        have = ", ".join(each.version for each in versions)
        return (
            f"No published pack has tool {tool_id} at {wanted} (there is {have}). Publish the version of pack "
            f"{pack} that has it: kindgi-tui packs publish DIR."
        )
    others = sorted({each.id.rsplit(".", 1)[0] for each in list_entries(connection, "tool")})
    known = f" (published here: {', '.join(others)})" if others else ""
    return f"No published pack has tool {tool_id}. Publish pack {pack}{known}: kindgi-tui packs publish DIR."
