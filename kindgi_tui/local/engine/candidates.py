"""What a turn needs of the catalog: the agent's version, the blocks it pins, and each tool at the version it runs."""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.blocks import PinnedBlocks, settings_values
from kindgi_tui.domain.catalog import CatalogVersion
from kindgi_tui.domain.javascript import json_equal
from kindgi_tui.domain.overrides import AgentHas, Overrides, issues_sentence, overridden, override_issues
from kindgi_tui.domain.runs import Subject
from kindgi_tui.local.blocks.checking import checkers
from kindgi_tui.local.blocks.turn_blocks import TurnBlocks, turn_blocks
from kindgi_tui.local.models.calls import ModelRef, OutputSchema, ToolOffer
from kindgi_tui.local.models.config import ModelsConfig
from kindgi_tui.local.packs.definitions import AgentVersion, ToolVersion, agent_from, resolve, tool_from
from kindgi_tui.local.store.blocks import pinned_blocks
from kindgi_tui.local.store.catalog import (
    entry_versions,
    find_version,
    get_pack,
    get_version,
    list_entries,
    pack_env,
)
from kindgi_tui.workbench import Invalid


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
    pinned: PinnedBlocks
    """The blocks its version pins, as they were published."""
    blocks: TurnBlocks
    """What its turns take from them, overrides applied."""

    @property
    def has(self) -> AgentHas:
        """What a template of it may read and name."""
        return AgentHas(
            self.agent.id, self.agent.version, tuple(wanted.id for wanted in self.agent.tools), self.pinned
        )

    def model(self, config: ModelsConfig) -> ModelRef:
        """Which model answers for it: the one its model settings name, else the one it prefers. Raises NoProvider."""
        blocks, agent = self.blocks, self.agent
        own = blocks.provider is None or blocks.provider == agent.preferred_provider
        return config.resolve(
            blocks.provider or agent.preferred_provider,
            blocks.model or (agent.preferred_model if own else None),
        )


def load_candidate(
    connection: sqlite3.Connection, agent_id: str, version: str | None, overrides: Overrides | None = None
) -> Candidate:
    """The agent at that version (the newest when none is named), with its tools and blocks. Raises NotFound.

    `overrides` replace content of its blocks; whether they may is `check_overrides`'s to say.
    """
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
    pinned = pinned_blocks(connection, agent.id, agent.version)
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
        pinned=pinned,
        blocks=turn_blocks(agent, overridden(pinned, overrides)),
    )


def check_overrides(candidate: Candidate, overrides: Overrides | None) -> None:
    """Raises Invalid, naming each override that does not fit the candidate."""
    issues = () if overrides is None else override_issues(overrides, candidate.has, checkers())
    if issues:
        agent = candidate.agent
        raise Invalid(
            issues_sentence(agent.id, agent.version, issues), code="validation-failed", field="overrides"
        )


def settings_changed(
    connection: sqlite3.Connection, candidate: Candidate, recorded: Iterable[Subject]
) -> frozenset[Subject]:
    """Of the versions that made recorded runs, those that pin other settings than the candidate runs with.

    What counts is the content: the same values under another version change nothing. A version that isn't registered
    here is taken to have had the settings that the candidate's version pins, so only overrides make a difference.
    """
    now = candidate.blocks.settings
    return frozenset(
        subject
        for subject in set(recorded)
        if not json_equal(_plain(_past_settings(connection, candidate, subject)), _plain(now))
    )


def _past_settings(
    connection: sqlite3.Connection, candidate: Candidate, subject: Subject
) -> Mapping[str, dict[str, Json]]:
    registered = find_version(connection, "agent", subject.id, subject.version) is not None
    return settings_values(
        pinned_blocks(connection, subject.id, subject.version) if registered else candidate.pinned
    )


def _plain(settings: Mapping[str, dict[str, Json]]) -> Json:
    return dict(settings)


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
