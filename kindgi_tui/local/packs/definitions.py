"""What a pack defines: tools, agents and flows at exact versions, read off the official indexer's answer."""

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import NamedTuple

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.blocks import Parameter, parameters_of
from kindgi_tui.local.packs.ranges import resolve

__all__ = [
    "AgentVersion",
    "Budget",
    "FlowVersion",
    "PackIndex",
    "PinnedRange",
    "ToolErrors",
    "ToolVersion",
    "agent_from",
    "compute_only",
    "content_digest",
    "flow_from",
    "needs_approval",
    "parse_index",
    "reaches_outside",
    "read_only",
    "resolve",
    "tool_from",
]

CHANGING = frozenset({"writes", "deletes", "spawns-run", "emits-event", "external-side-effect"})
"""Effects that change something (DESIGN section 6)."""
OUTSIDE = frozenset({"network", "sensitive-data-egress"})
"""Effects that reach beyond this machine: such a read is only ever replayed (DESIGN section 6)."""


class PinnedRange(NamedTuple):
    """A reference by id and version range, such as `("acme.search", "^1.0.0")`."""

    id: str
    """The dotted id."""
    range: str
    """An exact version, or a range of `ranges.resolve`."""


class ToolVersion(Frozen):
    """A tool at one version."""

    id: str
    """The dotted id."""
    version: str
    """The exact version; the pack's, where the tool names none."""
    description: str = ""
    """What the model reads to decide whether to call it."""
    input_schema: Json = None
    """The JSON Schema of its arguments, an object."""
    output_schema: Json = None
    """The JSON Schema of its result."""
    mutating: bool | None = None
    """False: declared to change nothing. None and True: it may."""
    effects: tuple[str, ...] = ()
    """The kinds of its declared effects, such as `reads`, in the order declared."""
    needs_approval: bool = False
    """Whether a person must approve each call of a run that no person started."""
    env: tuple[str, ...] = ()
    """Names of the environment values each call is sent (`needsSpec.env`), sorted."""
    module_path: str = ""
    """Its file within the pack, with forward slashes."""
    digest: str = ""
    """The hash of its content: its definition without the file's place, and its code (`sources`)."""
    definition: Json = None
    """The indexer's entry, as it stood in the index."""


class Budget(Frozen):
    """What one turn of an agent may use; None is without limit."""

    max_steps: int | None = None
    """Model calls, at least 1."""
    max_cost_usd: float | None = None
    """US dollars, 0 or more."""
    max_wall_ms: int | None = None
    """Milliseconds of wall time, at least 1."""


class ToolErrors(Frozen):
    """Which failed tool calls go back to the model, and how often in a turn."""

    max_retries: int = 1
    """0 to 10 per turn."""
    retry_on: tuple[str, ...] = ("invalid-arguments", "unknown-tool")
    """Out of `invalid-arguments`, `unknown-tool` and `tool-error`."""


class AgentVersion(Frozen):
    """An agent at one version."""

    id: str
    """The dotted id."""
    version: str
    """The exact version."""
    name: str = ""
    """Its name for people."""
    instructions: str = ""
    """The system prompt, a Liquid template; empty when it comes from a prompt block."""
    prompt: PinnedRange | None = None
    """The prompt block its instructions come from, by range; None: `instructions`."""
    parameters: tuple[Parameter, ...] = ()
    """What its own instructions declare; a prompt block declares its own."""
    tools: tuple[PinnedRange, ...] = ()
    """The tools it may call: `(id, version range)`."""
    output_schema: Json = None
    """The JSON Schema of its typed answer; None when it answers in words alone."""
    output_name: str = "output"
    """What the typed answer is called, to the model and in errors."""
    max_repairs: int = 1
    """How often the model is asked to repair an answer that does not fit, 0 or more."""
    budget: Budget = Budget()
    """What one turn may use."""
    preferred_provider: str | None = None
    """The provider it asks for."""
    preferred_model: str | None = None
    """The model it asks for."""
    model_settings: PinnedRange | None = None
    """A model-settings block by range; its version is pinned when the agent is published."""
    settings: tuple[PinnedRange, ...] = ()
    """Settings blocks by range, which tools read; their versions are pinned when the agent is published."""
    tool_errors: ToolErrors = ToolErrors()
    """How failed tool calls go back to the model."""
    history_limit: int | None = None
    """How many messages of the conversation a turn sees at most; None is the runtime's own."""
    digest: str = ""
    """The hash of its definition without the file's place."""
    definition: Json = None
    """The indexer's entry, as it stood in the index."""


class FlowVersion(Frozen):
    """A flow at one version."""

    id: str
    """The dotted id."""
    version: str
    """The exact version."""
    digest: str = ""
    """The hash of its definition without the file's place."""
    definition: Json = None
    """The indexer's entry, as it stood in the index."""


class PackIndex(Frozen):
    """Everything one pack defines."""

    pack_id: str
    """The pack's dotted id."""
    pack_version: str
    """The pack's own version."""
    tools: tuple[ToolVersion, ...] = ()
    """Its tools, by id."""
    agents: tuple[AgentVersion, ...] = ()
    """Its agents, by id."""
    flows: tuple[FlowVersion, ...] = ()
    """Its flows, by id."""
    env_required: tuple[str, ...] = ()
    """Environment variables its service can't start without, sorted."""
    env_optional: tuple[str, ...] = ()
    """Environment variables its service may use, sorted."""


def read_only(tool: ToolVersion) -> bool:
    """Whether a call changes nothing: declared so, no changing effect, no approval (DESIGN section 6)."""
    return tool.mutating is False and not CHANGING.intersection(tool.effects) and not needs_approval(tool)


def needs_approval(tool: ToolVersion) -> bool:
    """Whether a call has an approval to ask for."""
    return tool.needs_approval


def reaches_outside(tool: ToolVersion) -> bool:
    """Whether a call reaches beyond this machine (a network or sensitive-data-egress effect)."""
    return bool(OUTSIDE.intersection(tool.effects))


def compute_only(tool: ToolVersion) -> bool:
    """Whether a read-only tool depends on its arguments alone: it reads nothing and reaches nothing."""
    return read_only(tool) and "reads" not in tool.effects and not reaches_outside(tool)


def content_digest(definition: Json, code: str = "") -> str:
    """The hash (hex of sha256) of a definition's content, whatever the order of keys.

    The place of its file is left out, so moving a file changes nothing; `code` is the digest of a tool's code.
    """
    content = definition
    if isinstance(definition, dict):
        content = {k: v for k, v in definition.items() if k not in ("modulePath", "checkModulePath")}
    text = json.dumps([content, code], sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def parse_index(document: Json, code_of: Callable[[str, str], str] = lambda _path, _id: "") -> PackIndex:
    """Reads an index file's JSON. `code_of(module path, tool id)` is the digest of a tool's code.

    Raises ValueError when it is not an index this program knows (its envelope's `v` is 1).
    """
    if not isinstance(document, dict) or document.get("v") != 1:
        raise ValueError("it is not an index of version 1")
    env = _object(document.get("env"))
    return PackIndex(
        pack_id=_text(document.get("packId")),
        pack_version=_text(document.get("packVersion")),
        tools=tuple(
            tool_from(entry, code_of(_text(entry.get("modulePath")), _text(entry.get("id"))))
            for entry in _objects(document.get("tools"))
        ),
        agents=tuple(agent_from(entry) for entry in _objects(document.get("agents"))),
        flows=tuple(flow_from(entry) for entry in _objects(document.get("flows"))),
        env_required=_texts(env.get("required")),
        env_optional=_texts(env.get("optional")),
    )


def tool_from(definition: Json, code: str = "") -> ToolVersion:
    """A tool from its index entry; `code` is the digest of its code."""
    entry = _object(definition)
    mutating = entry.get("mutating")
    return ToolVersion(
        id=_text(entry.get("id")),
        version=_text(entry.get("version")),
        description=_text(entry.get("description")),
        input_schema=entry.get("input"),
        output_schema=entry.get("output"),
        mutating=mutating if isinstance(mutating, bool) else None,
        effects=tuple(_text(effect.get("kind")) for effect in _objects(entry.get("effects"))),
        needs_approval=entry.get("needsApprovalWhenUnattended") is True,
        env=tuple(sorted(_object(_object(entry.get("needsSpec")).get("env")))),
        module_path=_text(entry.get("modulePath")),
        digest=content_digest(definition, code),
        definition=definition,
    )


def agent_from(definition: Json) -> AgentVersion:
    """An agent from its index entry."""
    entry = _object(definition)
    output, budget = _object(entry.get("output")), _object(entry.get("budget"))
    errors, instructions = _object(entry.get("toolErrors")), _object(entry.get("instructions"))
    prompt = instructions.get("prompt")
    cost = budget.get("maxCostUsd")
    defaults = ToolErrors()
    return AgentVersion(
        id=_text(entry.get("id")),
        version=_text(entry.get("version")),
        name=_text(entry.get("name")),
        instructions=_text(entry.get("instructions")),
        prompt=None if prompt is None else PinnedRange(_text(prompt), _text(instructions.get("version"))),
        parameters=parameters_of(entry.get("parameters")),
        tools=_pinned(entry.get("tools")),
        output_schema=output.get("schema"),
        output_name=_text(output.get("name")) or "output",
        max_repairs=_number(output.get("maxRepairs"), 1),
        budget=Budget(
            max_steps=_whole(budget.get("maxSteps")),
            max_cost_usd=float(cost) if isinstance(cost, int | float) else None,
            max_wall_ms=_whole(budget.get("maxWallMs")),
        ),
        preferred_provider=_text(entry.get("preferredProvider")) or None,
        preferred_model=_text(entry.get("preferredModel")) or None,
        model_settings=next(iter(_pinned([entry.get("modelSettings")])), None),
        settings=_pinned(entry.get("settings")),
        tool_errors=ToolErrors(
            max_retries=_number(errors.get("maxRetries"), defaults.max_retries),
            retry_on=_texts(errors["retryOn"]) if "retryOn" in errors else defaults.retry_on,
        ),
        history_limit=_whole(_object(entry.get("conversationPolicy")).get("historyLimit")),
        digest=content_digest(definition),
        definition=definition,
    )


def flow_from(definition: Json) -> FlowVersion:
    """A flow from its index entry."""
    entry = _object(definition)
    return FlowVersion(
        id=_text(entry.get("id")),
        version=_text(entry.get("version")),
        digest=content_digest(definition),
        definition=definition,
    )


def _pinned(value: Json) -> tuple[PinnedRange, ...]:
    return tuple(
        PinnedRange(_text(each.get("id")), _text(each.get("version")))
        for each in _objects(value)
        if "id" in each
    )


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _objects(value: Json) -> Iterator[dict[str, Json]]:
    return (each for each in value if isinstance(each, dict)) if isinstance(value, list) else iter(())


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


def _whole(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: Json, default: int) -> int:
    whole = _whole(value)
    return default if whole is None else whole
