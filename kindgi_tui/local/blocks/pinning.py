"""Which blocks an agent version runs with: its ranges resolved when it is published, and frozen then."""

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from kindgi_tui.domain.block_rules import model_settings_problems, unknown_reads
from kindgi_tui.domain.blocks import BlockKind, BlockVersion, Parameter, PinRole
from kindgi_tui.local.blocks.checking import checkers
from kindgi_tui.local.packs.definitions import AgentVersion, PinnedRange
from kindgi_tui.local.packs.ranges import is_range, resolve
from kindgi_tui.local.store.blocks import block_versions
from kindgi_tui.workbench import Unsupported

_TAKES: dict[PinRole, tuple[BlockKind, ...]] = {
    "prompt": ("prompt",),
    "settings": ("settings",),
    # The runtime's own model settings are a settings block.
    "model-settings": ("model-settings", "settings"),
}
_SAYS: dict[PinRole, str] = {
    "prompt": "takes its instructions from the prompt block",
    "settings": "reads the settings block",
    "model-settings": "names the model-settings block",
}


class Reference(NamedTuple):
    """One block an agent names."""

    role: PinRole
    """What for."""
    block: PinnedRange
    """Which, by version range."""


class Resolved(NamedTuple):
    """What an agent's references came to."""

    pins: tuple[tuple[PinRole, BlockVersion], ...]
    """The newest published version in each range, in the order the agent names them."""
    problems: tuple[str, ...]
    """A sentence for each that can't be had, or can't be used."""


def references(agent: AgentVersion) -> tuple[Reference, ...]:
    """The blocks an agent names: its prompt, its settings, its model settings."""
    named = [Reference("settings", each) for each in agent.settings]
    if agent.prompt is not None:
        named.insert(0, Reference("prompt", agent.prompt))
    if agent.model_settings is not None:
        named.append(Reference("model-settings", agent.model_settings))
    return tuple(named)


def block_problems(agent: AgentVersion) -> Iterator[str]:
    """What is wrong with how an agent names blocks and reads names, before any block is looked up."""
    seen: set[str] = set()
    for role, (identity, wanted) in references(agent):
        if not is_range(wanted):
            yield f"{_SAYS[role]} {identity} with {wanted!r}, which is not a version range"
        if identity in seen:
            yield f"names block {identity} twice"
        seen.add(identity)
    if agent.prompt is not None:
        if agent.parameters:
            yield "declares parameters beside a prompt block, which declares its own"
    else:
        yield from _template_problems(agent, agent.instructions, agent.parameters)


def resolve_blocks(connection: sqlite3.Connection, agent: AgentVersion) -> Resolved:
    """Looks up the blocks an agent names."""
    pins: list[tuple[PinRole, BlockVersion]] = []
    problems: list[str] = []
    for role, (identity, wanted) in references(agent):
        versions = block_versions(connection, identity)
        chosen = resolve(wanted, [each.version for each in versions])
        found = next((each for each in versions if each.version == chosen), None)
        if found is None:
            problems.append(f"{_SAYS[role]} {identity}, {_unpublished(wanted, versions)}")
            continue
        pins.append((role, found))
        if found.kind not in _TAKES[role]:
            problems.append(f"{_SAYS[role]} {identity}, which is a {found.kind} block")
        elif role == "model-settings":
            problems += [
                f"{_SAYS[role]} {identity}, and {each.pointer.removeprefix('/content')}: {each.message}"
                for each in model_settings_problems(found.values, checkers())
            ]
        elif role == "prompt":
            problems += _template_problems(agent, found.template, found.parameters)
    return Resolved(tuple(pins), tuple(problems))


def check_blocks(connection: sqlite3.Connection, agents: tuple[AgentVersion, ...]) -> None:
    """Raises Unsupported, naming each agent and what it names that can't be had here."""
    sentences = [
        f"Agent {agent.id} {agent.version} {problem}."
        for agent in agents
        for problem in resolve_blocks(connection, agent).problems
    ]
    if sentences:
        raise Unsupported(" ".join(sentences), code="pack-not-supported")


def _template_problems(
    agent: AgentVersion, template: str, parameters: tuple[Parameter, ...]
) -> Iterator[str]:
    missing = [each.name for each in parameters if each.missing]
    if missing:
        yield f"declares parameters without a default ({', '.join(missing)}), which can't be filled in here yet"
    if not is_template(template):
        return
    reading = checkers().read_template(template)
    if reading.problem is not None:
        line = "" if reading.line is None else f" on line {reading.line}"
        yield f"has a template in its instructions that can't be read{line}: {reading.problem}"
        return
    for problem in unknown_reads(reading, parameters, tuple(each.id for each in agent.settings)):
        yield f"has a template in its instructions, and {problem}"


def is_template(text: str) -> bool:
    """Whether there is anything to fill in, or to read as Liquid at all."""
    return "{{" in text or "{%" in text


def _unpublished(wanted: str, versions: tuple[BlockVersion, ...]) -> str:
    how = "kindgi-tui blocks publish FILE"
    if not versions:
        return f"which isn't published. Publish it first: {how}"
    have = ", ".join(each.version for each in versions)
    return f"which has no version in {wanted} (there is {have}). Publish one first: {how}"
