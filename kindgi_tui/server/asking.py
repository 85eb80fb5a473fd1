"""One request as its handler sees it: who asks, what for, and the answer it gives."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import Response

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.javascript import read_leading_int
from kindgi_tui.domain.projects import RIGHTS, Right
from kindgi_tui.domain.runs import Run
from kindgi_tui.domain.serving import Bearer
from kindgi_tui.server.bodies import NOTHING, parsed
from kindgi_tui.server.errors import denied
from kindgi_tui.server.stopping import Stopping
from kindgi_tui.server.turns import Turns
from kindgi_tui.wire import dialects
from kindgi_tui.wire.dialects import Dialect
from kindgi_tui.workbench import Workbench

PAGE, MOST = 25, 100
"""Rows of a page when nobody says how many, and at most."""

KNOWN_RUNS = 10_000
"""Of how many runs is remembered what ran and where."""

KNOWN_DRY_RUNS = 1_000
"""How many dry runs are remembered; they are told of until the server ends."""


class Remembered(OrderedDict[str, Any]):
    """The last things put in, by id, at most so many."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def put(self, key: str, value: Any) -> None:
        """Remembers one thing, and forgets the oldest beyond the limit."""
        self[key] = value
        while len(self) > self._most:
            self.popitem(last=False)


@dataclass
class Served:
    """What one server serves."""

    bench: Workbench
    """The workbench, opened as whoever started the server."""
    tenant: str
    """The workspace's id as a tenant."""
    dialects: tuple[Dialect, ...]
    """Which dialects it speaks."""
    runs: Remembered = field(default_factory=lambda: Remembered(KNOWN_RUNS))
    """Runs by id, without what they hold: what ran and where never changes."""
    dry_runs: Remembered = field(default_factory=lambda: Remembered(KNOWN_DRY_RUNS))
    """Records of dry runs by id, as the 0.1 wire has them; a dry run leaves nothing in the workspace."""
    turns: Turns = field(default_factory=Turns)
    """The turns that run behind an answer already given."""
    stopping: Stopping = field(default_factory=Stopping)
    """How far the server is in its end."""


@dataclass(frozen=True)
class Ask:
    """One request."""

    served: Served
    """What is served."""
    bearer: Bearer
    """Who asks."""
    bench: Workbench
    """The workbench with them acting."""
    dialect: Dialect
    """In which dialect the path is."""
    params: Mapping[str, str]
    """The path's parameters, by their 0.1 names."""
    query: Sequence[tuple[str, str]]
    """The query, in 0.1's names."""
    raw: bytes
    """The body's bytes."""

    @property
    def tenant(self) -> str:
        """The tenant's id."""
        return self.served.tenant

    def body(self) -> Json | object:
        """The body as JSON in 0.1's names; `NOTHING` where it is none. Raises Refusal."""
        value: Any = parsed(self.raw)
        return dialects.body_01(value) if self.dialect == "0.4" and value is not NOTHING else value

    def get(self, name: str) -> str | None:
        """The first value of a query parameter, empty ones too."""
        return next((value for key, value in self.query if key == name), None)

    def given(self, name: str) -> str | None:
        """The same; an empty one counts as not given."""
        return self.get(name) or None

    def all(self, name: str) -> list[str]:
        """Every value of a query parameter, commas taken apart; a parameter may stand several times."""
        return [part.strip() for key, value in self.query if key == name for part in value.split(",")]

    @property
    def limit(self) -> int:
        """Rows asked for: 25 unless a number of 1 or more is given, at most 100; read as JavaScript's parseInt does."""
        number = read_leading_int(self.get("limit") or "")
        return PAGE if number is None or number < 1 else min(number, MOST)

    @property
    def cursor(self) -> str | None:
        """The cursor, where one is given."""
        return self.given("cursor")

    def may(self, right: Right, sentence: str) -> None:
        """Raises Refusal (403) with that sentence unless the caller has the right."""
        if RIGHTS.index(self.bearer.person.right) < RIGHTS.index(right):
            raise denied(sentence)

    async def about(self, run_id: str) -> Run:
        """What ran in a run and where, remembered. Raises NotFound."""
        known: Run | None = self.served.turns.get(run_id) or self.served.runs.get(run_id)
        if known is None:
            whole = await self.bench.runs.get(run_id)
            known = Run.model_construct(**{name: getattr(whole, name) for name in Run.model_fields})
            self.served.runs.put(run_id, known)
        return known


@dataclass(frozen=True)
class Answer:
    """What a handler answers."""

    body: Json
    """The body, in 0.1's names."""
    status: int = 200
    """The HTTP status."""


Handled = Answer | Response
"""An answer, or a response as it is (a stream)."""
