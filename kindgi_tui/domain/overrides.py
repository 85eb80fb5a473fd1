"""Overrides of a comparison: block content its replays run in place of what the version pins (DESIGN section 6).

What ran then is no version's, so the result names the blocks, and no gate decides by it.
"""

import json
import re
from typing import NamedTuple

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.block_rules import (
    GIVEN,
    Checkers,
    model_settings_problems,
    read_words,
)
from kindgi_tui.domain.blocks import BlockVersion, PinnedBlocks
from kindgi_tui.domain.json_words import json_place, json_words, strict_json
from kindgi_tui.domain.pointers import escape

MOST_SETTINGS = 20
"""The most settings blocks that are overridden."""

MOST_PROMPTS = 1
"""The most prompts that are overridden."""

LONGER_BY = 2
"""How many times as long as the current template another may be."""

_DOTTED = re.compile(r"(?<![\w.-])[a-z][\w-]+(?:\.[\w-]+)+", re.IGNORECASE | re.ASCII)
_MARKUP = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")


class PromptOverride(Frozen):
    """Another template for a prompt block."""

    template: str
    """The Liquid template."""


class Overrides(Frozen):
    """Block content in place of a version's own, by block id."""

    settings: dict[str, dict[str, Json]] = {}
    """Values by settings block (or by the model-settings block)."""
    prompts: dict[str, PromptOverride] = {}
    """The template of the prompt block."""

    @property
    def blocks(self) -> tuple[str, ...]:
        """The ids of the blocks, settings first, each part sorted."""
        return (*sorted(self.settings), *sorted(self.prompts))

    @property
    def wire(self) -> dict[str, Json]:
        """As both dialects write it; a part without a block is left out."""
        written: dict[str, Json] = {}
        if self.settings:
            written["settings"] = dict(self.settings)
        if self.prompts:
            written["prompts"] = {name: {"template": each.template} for name, each in self.prompts.items()}
        return written


def overrides_of(written: Json) -> Overrides | None:
    """Overrides from how they are written, leniently: what is none of them is left out. None without any."""
    if not isinstance(written, dict):
        return None
    settings, prompts = written.get("settings"), written.get("prompts")
    found = Overrides(
        settings={
            name: values
            for name, values in (settings.items() if isinstance(settings, dict) else ())
            if isinstance(values, dict)
        },
        prompts={
            name: PromptOverride(template=each["template"])
            for name, each in (prompts.items() if isinstance(prompts, dict) else ())
            if isinstance(each, dict) and isinstance(each.get("template"), str)
        },
    )
    return found if found.settings or found.prompts else None


def overrides_typed(text: str) -> Overrides:
    """Overrides from JSON that a person typed. Raises ValueError, saying what would be right."""
    example = 'overrides are JSON such as {"settings": {"acme.weights": {"recency": 1}}}'
    try:
        written = strict_json(text)
    except json.JSONDecodeError as cause:
        place = json_place(text, cause.pos)
        raise ValueError(f"Not JSON at {place}: {json_words(cause, 'object')}; {example}.") from None
    except RecursionError:
        raise ValueError(f"It is nested too deep: {example}.") from None
    except ValueError as cause:
        raise ValueError(f"Not JSON: {cause}; {example}.") from None
    found = overrides_of(written)
    if found is None or found.wire != written:
        raise ValueError(f'{example}; a prompt is {{"prompts": {{"acme.prompt": {{"template": "…"}}}}}}.')
    return found


class AgentHas(NamedTuple):
    """What the agent version has that a template may read and name."""

    agent_id: str
    """The agent."""
    version: str
    """Its version."""
    tools: tuple[str, ...]
    """The ids of its tools."""
    blocks: PinnedBlocks
    """The blocks it pins."""


class OverrideIssue(Frozen):
    """One thing that does not fit."""

    pointer: str
    """The JSON Pointer of the place in the request, such as `/overrides/settings/acme.weights/recency`."""
    message: str
    """What is wrong, in words."""


def override_issues(overrides: Overrides, agent: AgentHas, checkers: Checkers) -> tuple[OverrideIssue, ...]:
    """What does not fit the agent version; empty when it may run."""
    found: list[OverrideIssue] = []
    if len(overrides.settings) > MOST_SETTINGS:
        words = f"at most {MOST_SETTINGS} settings blocks, not {len(overrides.settings)}"
        found.append(OverrideIssue(pointer="/overrides/settings", message=words))
    if len(overrides.prompts) > MOST_PROMPTS:
        words = f"at most one prompt, not {len(overrides.prompts)}"
        found.append(OverrideIssue(pointer="/overrides/prompts", message=words))
    if found:
        return tuple(found)
    for name, values in overrides.settings.items():
        found += _settings_issues(name, values, agent, checkers)
    for name, prompt in overrides.prompts.items():
        pointer = f"/overrides/prompts/{escape(name)}"
        found += [
            OverrideIssue(pointer=pointer, message=words)
            for words in _prompt_problems(name, prompt.template, agent, checkers)
        ]
    return tuple(found)


def issues_sentence(agent_id: str, version: str, issues: tuple[OverrideIssue, ...]) -> str:
    """All of them in one sentence."""
    count = f"{len(issues)} issue{'' if len(issues) == 1 else 's'}"
    named = "; ".join(f"{each.pointer}: {each.message}" for each in issues)
    return f"The overrides don't fit {agent_id} {version} ({count}): {named}."


def overridden(blocks: PinnedBlocks, overrides: Overrides | None) -> PinnedBlocks:
    """The blocks with their content replaced; blocks that are not pinned are left out."""
    if overrides is None:
        return blocks

    def valued(block: BlockVersion) -> BlockVersion:
        values = overrides.settings.get(block.id)
        return block if values is None else _with(block, "values", values)

    prompt, model = blocks.prompt, blocks.model_settings
    if prompt is not None and prompt.id in overrides.prompts:
        prompt = _with(prompt, "template", overrides.prompts[prompt.id].template)
    return PinnedBlocks(
        prompt=prompt,
        settings=tuple(map(valued, blocks.settings)),
        model_settings=None if model is None else valued(model),
    )


def _with(block: BlockVersion, name: str, value: Json) -> BlockVersion:
    return block.model_copy(update={"content": {**block.content, name: value}})


def _settings_issues(
    name: str, values: dict[str, Json], agent: AgentHas, checkers: Checkers
) -> list[OverrideIssue]:
    pointer = f"/overrides/settings/{escape(name)}"
    model = agent.blocks.model_settings
    block = next((each for each in (*agent.blocks.settings, model) if each and each.id == name), None)
    if block is None:
        words = f'{agent.agent_id} {agent.version} pins no settings block "{name}"'
        return [OverrideIssue(pointer=pointer, message=words)]
    misfits = () if block.json_schema is None else checkers.misfits(values, block.json_schema)
    found = [OverrideIssue(pointer=f"{pointer}{each.pointer}", message=each.message) for each in misfits]
    if block is model:
        found += [
            OverrideIssue(
                pointer=pointer + each.pointer.removeprefix("/content/values"), message=each.message
            )
            for each in model_settings_problems(values, checkers)
        ]
    return found


def _prompt_problems(name: str, template: str, agent: AgentHas, checkers: Checkers) -> list[str]:
    prompt = agent.blocks.prompt
    if prompt is None or prompt.id != name:
        return [f'{agent.agent_id} {agent.version} pins no prompt block "{name}"']
    current = prompt.template
    if not template.strip():
        return ["the template is empty"]
    if template == current:
        return ["the template is the current one"]
    if len(template) > LONGER_BY * len(current):
        most = LONGER_BY * len(current)
        return [f"the template has {len(template):,} characters, more than {most:,} (twice the current one)"]
    reading = checkers.read_template(template)
    if reading.problem is not None:
        line = "" if reading.line is None else f"line {reading.line}: "
        return [f"{line}{reading.problem}"]
    before = checkers.read_template(current).reads
    return [
        *(
            f"it reads {each}, which the agent doesn't have (a parameter, a variable the current template reads, "
            "or a settings block it pins)"
            for each in _unknown_reads(reading.reads, before, prompt, agent)
        ),
        *(
            f"it names {each}, which the agent doesn't use (its tools, its blocks, or what the current template names)"
            for each in _unknown_names(template, current, agent)
        ),
    ]


def _unknown_reads(
    reads: tuple[tuple[str, ...], ...],
    before: tuple[tuple[str, ...], ...],
    prompt: BlockVersion,
    agent: AgentHas,
) -> list[str]:
    known = {*GIVEN, *(each.name for each in prompt.parameters), *(path[0] for path in before)} - {"settings"}
    settings = {block.id for block in agent.blocks.settings}
    found: dict[str, None] = {}
    for path in reads:
        setting = path[0] == "settings"
        if not (len(path) > 1 and path[1] in settings if setting else path[0] in known):
            found[read_words(path)] = None
    return list(found)


def _unknown_names(template: str, current: str, agent: AgentHas) -> list[str]:
    known = {agent.agent_id, *agent.tools, *(block.id for block in agent.blocks.every)}
    known |= set(_names(current))
    return [name for name in dict.fromkeys(_names(template)) if name not in known]


def _names(template: str) -> list[str]:
    """The dotted ids a template names: in its words, and in what is quoted in its markup."""
    words = _MARKUP.sub(lambda markup: " ".join(_QUOTED.findall(markup.group())), template)
    return [each.rstrip(".-") for each in _DOTTED.findall(words)]
