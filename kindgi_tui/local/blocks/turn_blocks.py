"""What a turn takes from an agent version's blocks: its instructions filled in, its settings, its model's settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.blocks import Parameter, PinnedBlocks, settings_values
from kindgi_tui.local.blocks.pinning import is_template
from kindgi_tui.local.packs.definitions import AgentVersion

_SAMPLING = {
    "temperature": "temperature",
    "maxOutputTokens": "maxTokens",
    "topP": "topP",
    "seed": "seed",
    "stop": "stop",
}
"""Model settings that go into a request, and what they are called there."""


@dataclass(frozen=True)
class Asked:
    """When and where a turn is taken: what a template may read of it."""

    at: datetime
    """The moment."""
    conversation: str = ""
    """The conversation's id."""
    turn: int = 1
    """Which turn of the conversation it is, from 1."""
    values: Mapping[str, Json] = field(default_factory=dict)
    """Values for the template's parameters, by name; what it doesn't declare is not read."""


@dataclass(frozen=True)
class TurnBlocks:
    """The content a turn runs with: an agent version's own and that of the blocks it pins, overrides applied."""

    template: str = ""
    """The instructions, a Liquid template."""
    parameters: tuple[Parameter, ...] = ()
    """What the template declares."""
    agent: Mapping[str, Json] = field(default_factory=dict)
    """The agent's `id`, `name` and `version`."""
    settings: Mapping[str, dict[str, Json]] = field(default_factory=dict)
    """The values of the settings blocks, by id: tools read them as `ctx.settings[id]`."""
    sampling: Mapping[str, Json] = field(default_factory=dict)
    """How the model answers, as a model request has it; empty without model settings."""
    provider: str | None = None
    """The provider that the model settings name."""
    model: str | None = None
    """The model that the model settings name."""

    def instructions(self, asked: Asked) -> str:
        """The system prompt of a turn. Raises `templates.TemplateError`."""
        if not is_template(self.template):
            return self.template
        from kindgi_tui.local.blocks.templates import render

        at = asked.at.astimezone(UTC)
        scope: dict[str, Json] = {each.name: each.default for each in self.parameters if each.has_default}
        scope |= {each.name: asked.values[each.name] for each in self.parameters if each.name in asked.values}
        scope |= {
            "today": at.date().isoformat(),
            "now": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "agent": dict(self.agent),
            "conversation": {"id": asked.conversation, "turn": asked.turn},
        }
        if self.settings:
            scope["settings"] = {name: dict(values) for name, values in self.settings.items()}
        return render(self.template, scope)


def turn_blocks(agent: AgentVersion, pinned: PinnedBlocks) -> TurnBlocks:
    """What turns of an agent version take from these blocks."""
    values = {} if pinned.model_settings is None else pinned.model_settings.values
    provider, model = values.get("provider"), values.get("model")
    return TurnBlocks(
        template=agent.instructions if pinned.prompt is None else pinned.prompt.template,
        parameters=agent.parameters if pinned.prompt is None else pinned.prompt.parameters,
        agent={"id": agent.id, "name": agent.name, "version": agent.version},
        settings=settings_values(pinned),
        sampling={name: values[known] for known, name in _SAMPLING.items() if known in values},
        provider=provider if isinstance(provider, str) else None,
        model=model if isinstance(model, str) else None,
    )
