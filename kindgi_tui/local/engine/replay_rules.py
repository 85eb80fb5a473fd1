"""What a replay does with each tool call: the table of DESIGN section 6, in its order.

A replay does nothing the past run didn't do. The same call is the same tool id with equal arguments (JSON
equality); the i-th identical call takes the i-th recorded result.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.javascript import json_equal
from kindgi_tui.domain.runs import RecordedCall
from kindgi_tui.local.packs.definitions import (
    ToolVersion,
    compute_only,
    needs_approval,
    reaches_outside,
    read_only,
)

CHANGING = "replay: this call changes things and has no recorded result"
"""Why a call that may change something is refused."""

APPROVAL = "replay: this call needs an approval and has no recorded result"
"""Why a call that a person must approve is refused."""

OUTSIDE = "replay: this call reaches outside and has no recorded result"
"""Why a read beyond this machine is refused."""

STRICT = "replay: this read has no recorded result"
"""Why a read is refused in a case that carries a correction."""


@dataclass(frozen=True)
class Decision:
    """What happens to one call."""

    source: Literal["recorded", "live", "refused"]
    """It takes a recorded result, it runs, or it doesn't."""
    recorded: RecordedCall | None = None
    """The call whose result it takes."""
    reason: str | None = None
    """Why it is refused."""
    recomputed: bool = False
    """A live call of a tool that depends on its arguments alone: it does not make the case diverge."""

    @property
    def refusal(self) -> dict[str, Json]:
        """What a refused call gives back to the model."""
        return {"status": "not-executed", "reason": self.reason}


@dataclass
class ReplayRules:
    """The rules for the calls of one replay, in the order they are made."""

    recorded: Sequence[RecordedCall]
    """The past turn's calls that have a result, in order."""
    reads_live: bool = False
    """Whether reads run live even where they are recorded."""
    strict: bool = False
    """Whether nothing runs live: the case carries a correction."""
    other_settings: bool = False
    """Whether the candidate pins other settings than the past run's version did."""
    _made: list[tuple[str, Json, int]] = field(default_factory=list, init=False)

    def decide(self, tool: ToolVersion, arguments: Json) -> Decision:
        """What happens to the next call; it counts as made."""
        earlier = self._count(tool.id, arguments)
        matches = [
            call
            for call in self.recorded
            if call.tool_id == tool.id and json_equal(call.arguments, arguments)
        ]
        reads = read_only(tool)
        outside = reaches_outside(tool)
        runs_anyway = reads and not outside and not self.strict and (self.reads_live or self.other_settings)
        if matches and not runs_anyway:
            if earlier < len(matches):
                return Decision("recorded", recorded=matches[earlier])
            if reads:
                return Decision("recorded", recorded=matches[-1])
        if self.strict and reads:
            return Decision("refused", reason=STRICT)
        # The same reasons stand for any tool: a strict replay runs nothing, and a tool that changes things never runs.
        if outside and reads:
            return Decision("refused", reason=OUTSIDE)
        if needs_approval(tool):
            return Decision("refused", reason=APPROVAL)
        if not reads:
            return Decision("refused", reason=CHANGING)
        return Decision("live", recomputed=compute_only(tool) and (self.other_settings or self.reads_live))

    def _count(self, tool_id: str, arguments: Json) -> int:
        """How many identical calls were made before, and one more from now on."""
        for place, (made_id, made_arguments, count) in enumerate(self._made):
            if made_id == tool_id and json_equal(made_arguments, arguments):
                self._made[place] = (made_id, made_arguments, count + 1)
                return count
        self._made.append((tool_id, arguments, 1))
        return 0
