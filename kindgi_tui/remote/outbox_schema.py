"""The outbox's file: every verdict said to a runtime, until it is there and for a month after (DESIGN section 10).

A statement is a verdict or the taking back of one. It is written here before anybody sees it, and marked as tried
before a byte of it is sent, so that after a kill at any moment it is known which ones may have arrived.
"""

import json
import time
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.judgments import ItemRef, Judgment, Verdict

APPLICATION_ID = 0x6B_67_6F_62
"""`kgob`: says whose file it is."""

MIGRATIONS = (
    """
CREATE TABLE statements (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  address TEXT NOT NULL,
  who TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('verdict', 'take-back')),
  run TEXT NOT NULL,
  item TEXT NOT NULL,
  participant TEXT NOT NULL,
  content TEXT NOT NULL,
  target TEXT,
  previous TEXT,
  restores INTEGER NOT NULL DEFAULT 0,
  made INTEGER NOT NULL,
  key TEXT NOT NULL,
  method TEXT,
  path TEXT,
  body BLOB,
  new_names INTEGER NOT NULL DEFAULT 0,
  keyed INTEGER,
  tried INTEGER,
  forced INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'refused', 'asked', 'sent')),
  sentence TEXT,
  code TEXT,
  server_id TEXT
) STRICT;
CREATE INDEX statements_open ON statements (address, who, seq) WHERE state <> 'sent';
CREATE INDEX statements_item ON statements (address, who, run, item, participant, seq);
CREATE INDEX statements_server ON statements (server_id) WHERE server_id IS NOT NULL;
CREATE TABLE writes (
  key TEXT PRIMARY KEY,
  address TEXT NOT NULL,
  who TEXT NOT NULL,
  digest TEXT NOT NULL,
  made INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX writes_same ON writes (address, who, digest);
CREATE TABLE skips (
  address TEXT NOT NULL,
  who TEXT NOT NULL,
  run TEXT NOT NULL,
  made INTEGER NOT NULL,
  PRIMARY KEY (address, who, run)
) STRICT, WITHOUT ROWID;
CREATE TABLE people (
  address TEXT NOT NULL,
  mark TEXT NOT NULL,
  person TEXT NOT NULL,
  PRIMARY KEY (address, mark)
) STRICT, WITHOUT ROWID;
CREATE TABLE salt (value BLOB NOT NULL) STRICT;
INSERT INTO salt VALUES (randomblob(32));
""",
)
"""How the file came to be, step by step."""

KEY_LIFE_MS = 24 * 3600 * 1000
"""How long a runtime keeps the answer to a key (Kindgi 0.1: 24 hours)."""

KEPT_MS = 30 * 24 * 3600 * 1000
"""How long sent statements are kept, for taking back."""

State = Literal["waiting", "refused", "asked", "sent"]
"""Where a statement stands."""


class Who(NamedTuple):
    """Whose outbox it is."""

    address: str
    """The runtime."""
    person: str
    """The person's id; before it is known, a mark of the token."""


class Place(NamedTuple):
    """What a verdict is on: one live verdict per place (DESIGN section 4)."""

    run_id: str
    """The run."""
    item_key: str
    """The item."""
    participant: str | None
    """The app's own user."""


class Statement(NamedTuple):
    """One row of the outbox."""

    seq: int
    """Its place in the order of sending."""
    id: str
    """Our id, a UUID."""
    kind: str
    """`verdict` or `take-back`."""
    place: Place
    """What it is on."""
    content: dict[str, Json]
    """A verdict's item, verdict, reason and group."""
    target: str | None
    """The statement a taking back takes back."""
    previous: str | None
    """The statement it replaced."""
    restores: bool
    """Whether it brings an earlier verdict back."""
    made: int
    """When it was said, in milliseconds."""
    key: str
    """Its idempotency key."""
    method: str | None
    """How it is sent, once that is settled."""
    path: str | None
    """Where to."""
    body: bytes | None
    """With which bytes."""
    new_names: bool
    """Whether its answer has 0.4's names."""
    keyed: int | None
    """When its key was first sent, in milliseconds."""
    tried: int | None
    """When it was sent without an answer so far; None: it never left, or was answered."""
    forced: bool
    """Whether the person decided to send it over a newer one."""
    state: State
    """Where it stands."""
    sentence: str | None
    """Why it waits, or what the runtime said."""
    code: str | None
    """The runtime's code of that."""
    server_id: str | None
    """The judgment's id at the runtime."""

    @property
    def made_at(self) -> datetime:
        """When it was said (UTC)."""
        return datetime.fromtimestamp(self.made / 1000, UTC)

    def judgment(self, asserter: str) -> Judgment:
        """The verdict as a judgment: with the runtime's id once it is there, else with ours."""
        item = self.content.get("item")
        told = item if isinstance(item, dict) else {}
        pointer, rank, reason = told.get("pointer"), told.get("rank"), self.content.get("reason")
        group = self.content.get("groupId")
        verdict: Verdict = "yes" if self.content.get("verdict") == "yes" else "no"
        return Judgment(
            id=self.server_id or self.id,
            run_id=self.place.run_id,
            item=ItemRef(
                key=self.place.item_key,
                pointer=pointer if isinstance(pointer, str) else None,
                rank=rank if isinstance(rank, int) else None,
            ),
            verdict=verdict,
            reason=reason if isinstance(reason, str) else None,
            group_id=group if isinstance(group, str) else None,
            asserter=asserter,
            participant=self.place.participant,
            created_at=self.made_at,
        )


def now_ms() -> int:
    """The time now, in milliseconds since 1970 (UTC)."""
    return time.time_ns() // 1_000_000


def content_of(item: ItemRef, verdict: Verdict, reason: str | None, group_id: str | None) -> dict[str, Json]:
    """What a verdict says, as it is kept."""
    return {
        "item": {"key": item.key, "pointer": item.pointer, "rank": item.rank},
        "verdict": verdict,
        "reason": reason or None,
        "groupId": group_id,
    }


def content_of_judgment(judgment: Judgment) -> dict[str, Json]:
    """What a judgment says, as it would be kept."""
    return content_of(judgment.item, judgment.verdict, judgment.reason, judgment.group_id)


COLUMNS = (
    "seq, id, kind, run, item, participant, content, target, previous, restores, made, key, method, path, body, "
    "new_names, keyed, tried, forced, state, sentence, code, server_id"
)
"""The columns of a statement, in the order `statement_of` takes them."""


def place_columns(place: Place) -> tuple[str, str, str]:
    """A place as its three columns."""
    return as_text(place.run_id), as_text(place.item_key), as_text(place.participant or "")


def as_text(value: str) -> str:
    """Text as it is stored."""
    # As JSON in ASCII: an item's key may hold what no UTF-8 text can.
    return json.dumps(value)


def statement_of(row: tuple[object, ...]) -> Statement:
    """A row as a statement."""
    fields = dict(zip(COLUMNS.split(", "), row, strict=True))
    place = [json.loads(str(fields.pop(name))) for name in ("run", "item", "participant")]
    sentence, server_id = fields["sentence"], fields["server_id"]
    fields |= {
        "place": Place(place[0], place[1], place[2] or None),
        "content": json.loads(str(fields["content"])),
        "restores": bool(fields["restores"]),
        "new_names": bool(fields["new_names"]),
        "forced": bool(fields["forced"]),
        "sentence": None if sentence is None else json.loads(str(sentence)),
        "server_id": None if server_id is None else json.loads(str(server_id)),
    }
    return Statement(**fields)  # type: ignore[arg-type]
