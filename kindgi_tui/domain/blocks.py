"""Blocks: versioned content that an agent version pins, so that it can be changed without code (DESIGN section 9).

A settings block holds values that tools read and templates name, a prompt block the template of an agent's
instructions, a model-settings block which model answers and how. A version of a block never changes.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from kindgi_tui.domain.base import Frozen, Json

BlockKind = Literal["settings", "prompt", "model-settings"]
"""What a block holds."""

KINDS: tuple[BlockKind, ...] = ("settings", "prompt", "model-settings")
"""Every kind, in the order they are told."""

PinRole = Literal["settings", "prompt", "model-settings"]
"""What an agent version uses a pinned block for. A settings block may serve as model settings too."""


class Parameter(Frozen):
    """A value a template reads that whoever starts a run may give."""

    name: str
    """What the template calls it."""
    type: str = "string"
    """`string`, `number`, `boolean` or `date`."""
    required: bool = True
    """Whether a turn can't be taken without a value; one with a default has one."""
    default: Json = None
    """Its value where none is given; only meaningful with `has_default`."""
    has_default: bool = False
    """Whether it has a default, which may be null."""

    @property
    def missing(self) -> bool:
        """Whether nothing fills it in where nobody gives a value."""
        return self.required and not self.has_default


class BlockDraft(Frozen):
    """A block as somebody wrote it down, checked and ready to be published."""

    id: str
    """A dotted id in small letters, such as `acme.weights`."""
    version: str
    """The exact version, `x.y.z`."""
    kind: BlockKind
    """What it holds."""
    description: str = ""
    """What it is for, in the author's words."""
    content: dict[str, Json]
    """`values` with an optional `schema`, or for a prompt `template` with optional `parameters`."""


class BlockVersion(BlockDraft):
    """A published block at one version."""

    digest: str
    """The hash (hex of sha256) of its kind, description and content, whatever the order of keys."""
    published_at: datetime
    """When it was published (UTC)."""
    published_by: str
    """Who published it."""

    @property
    def values(self) -> dict[str, Json]:
        """The values of a settings or model-settings block; empty for a prompt."""
        found = self.content.get("values")
        return found if isinstance(found, dict) else {}

    @property
    def json_schema(self) -> Json:
        """The JSON Schema its values satisfy; None without one."""
        return self.content.get("schema")

    @property
    def template(self) -> str:
        """A prompt's Liquid template; empty for another kind."""
        found = self.content.get("template")
        return found if isinstance(found, str) else ""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What a prompt's template declares."""
        return parameters_of(self.content.get("parameters"))


class PublishedBlocks(Frozen):
    """What publishing blocks came to."""

    added: tuple[BlockVersion, ...]
    """Versions that are new."""
    known: tuple[BlockVersion, ...]
    """Versions that were published before, with the same content."""


class PinnedBlocks(Frozen):
    """The blocks an agent version runs with, each at the version that was resolved when it was published."""

    prompt: BlockVersion | None = None
    """Where its instructions come from; None: it has its own."""
    settings: tuple[BlockVersion, ...] = ()
    """What its tools and its template read, in the order the agent names them."""
    model_settings: BlockVersion | None = None
    """Which model answers and how; None: the agent's own preferences."""

    @property
    def every(self) -> tuple[BlockVersion, ...]:
        """All of them, the prompt first."""
        return tuple(each for each in (self.prompt, *self.settings, self.model_settings) if each is not None)

    @property
    def wire(self) -> dict[str, Json]:
        """Their exact versions by id, as both dialects write pins: model settings stand among the settings."""
        prompts: dict[str, Json] = {} if self.prompt is None else {self.prompt.id: self.prompt.version}
        settings: dict[str, Json] = {each.id: each.version for each in self.every if each.kind != "prompt"}
        return {"prompts": prompts, "settings": settings}


def parameters_of(declared: Json) -> tuple[Parameter, ...]:
    """Declared parameters; what is no parameter is left out."""
    found = []
    for each in declared if isinstance(declared, list) else []:
        name = each.get("name") if isinstance(each, dict) else None
        if isinstance(each, dict) and isinstance(name, str):
            found.append(
                Parameter(
                    name=name,
                    type=str(each.get("type", "string")),
                    required=each.get("required") is not False,
                    default=each.get("default"),
                    has_default="default" in each,
                )
            )
    return tuple(found)


def settings_values(blocks: PinnedBlocks) -> Mapping[str, dict[str, Json]]:
    """The values of the settings blocks, by id."""
    return {block.id: block.values for block in blocks.settings}
