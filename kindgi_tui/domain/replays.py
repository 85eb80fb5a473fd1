"""What a replay came to: its output or why there is none, and its tool calls (DESIGN section 6)."""

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.javascript import Number
from kindgi_tui.domain.plain import Kept, Plain


class ToolTrace(Kept):
    """One tool call of a replay, and where its result came from."""

    step: Number = 0
    """The place of the model's message among the replay's agent messages."""
    call_id: str | None = None
    """The call's own id."""
    tool_id: str = ""
    """Which tool was called."""
    tool_version: str | None = None
    """The version that answered."""
    arguments: Json = None
    """What it was called with."""
    source: str
    """`recorded`, `live`, or `refused`."""
    recomputed: bool = False
    """A live call that reads nothing: it does not make the case diverge."""
    reason: str | None = None
    """Why it was refused."""


class ReplayReport(Plain):
    """How a replay went."""

    tools: tuple[ToolTrace, ...] = ()
    """Its tool calls, in order."""
    approval: str | None = None
    """`followed` or `skipped`, where the past turn had a session approval to follow."""


class Provider(Plain):
    """Which model answered."""

    id: str
    """The provider."""
    model: str
    """The model's name there."""


class Halt(Kept):
    """Why nothing more may run."""

    reason: str
    """The reason's code, such as `project-suspended`."""


class Outcome(Plain):
    """What one repetition of a case came to: an output, an error, or a stop at a refused call."""

    null_is_a_value = frozenset(("output",))

    output: Json = None
    """What came out."""
    error: str | None = None
    """Why there is no output; the repetition did not run."""
    stopped: Json = None
    """The refused call a flow stopped at (`toolId`, `arguments`, `reason`); None when it did not."""
    erased: bool = False
    """The past run was erased meanwhile: the case is left out."""
    halt: Halt | None = None
    """The whole comparison must stop."""
    run_id: str | None = None
    """The replay's run."""
    replay: ReplayReport | None = None
    """How the replay went; None without a report."""
    provider: Provider | None = None
    """Which model answered; None for none."""
