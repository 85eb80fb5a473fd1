"""Reading and writing the outbox's file: plain functions on a connection, each part of one transaction."""

import hashlib
import json
import sqlite3
import uuid
from typing import Literal

from kindgi_tui.domain.base import Json
from kindgi_tui.remote.outbox_schema import (
    COLUMNS,
    KEPT_MS,
    KEY_LIFE_MS,
    Place,
    State,
    Statement,
    Who,
    as_text,
    now_ms,
    place_columns,
    statement_of,
)

MARK = "mark:"
"""How a token's mark begins."""

UNKNOWN = f"who >= '{MARK}' AND who < '{MARK[:-1]};'"
"""SQL: that it is a token's mark, and not a person."""


def insert(
    connection: sqlite3.Connection,
    who: Who,
    place: Place,
    content: dict[str, Json],
    *,
    kind: Literal["verdict", "take-back"] = "verdict",
    target: str | None = None,
    previous: str | None = None,
    restores: bool = False,
    state: State = "waiting",
    server_id: str | None = None,
    made: int | None = None,
) -> Statement:
    """Writes a statement down."""
    identity = str(uuid.uuid4())
    connection.execute(
        "INSERT INTO statements (id, address, who, kind, run, item, participant, content, target, previous, restores, "
        "made, key, state, server_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            identity,
            who.address,
            who.person,
            kind,
            *place_columns(place),
            json.dumps(content),
            target,
            previous,
            int(restores),
            now_ms() if made is None else made,
            str(uuid.uuid4()),
            state,
            None if server_id is None else as_text(server_id),
        ),
    )
    found = find(connection, identity)
    assert found is not None
    return found


def find(connection: sqlite3.Connection, identity: str) -> Statement | None:
    """The statement with that id of ours."""
    return _one(connection, "id = ?", (identity,))


def find_for(connection: sqlite3.Connection, who: Who, identity: str) -> Statement | None:
    """The statement of that person with that id, ours or the runtime's."""
    return _one(
        connection,
        "address = ? AND who = ? AND (id = ? OR server_id = ?) ORDER BY seq DESC LIMIT 1",
        (*who, identity if identity.isascii() else "", as_text(identity)),
    )


def newest_on(connection: sqlite3.Connection, who: Who, place: Place) -> Statement | None:
    """What that person said last on a place, of what wasn't refused."""
    return _one(
        connection,
        "address = ? AND who = ? AND run = ? AND item = ? AND participant = ? AND state IN ('waiting', 'sent') "
        "ORDER BY seq DESC LIMIT 1",
        (*who, *place_columns(place)),
    )


def put_aside_on(connection: sqlite3.Connection, who: Who, place: Place) -> Statement | None:
    """What that person said last on a place, where it was refused or is asked about."""
    return _one(
        connection,
        "address = ?1 AND who = ?2 AND run = ?3 AND item = ?4 AND participant = ?5 AND state IN ('refused', 'asked') "
        "AND seq = (SELECT max(seq) FROM statements WHERE address = ?1 AND who = ?2 AND run = ?3 AND item = ?4 "
        "AND participant = ?5)",
        (*who, *place_columns(place)),
    )


def next_waiting(connection: sqlite3.Connection, who: Who, after: int = 0) -> Statement | None:
    """The first statement that is to be sent, of those behind a place in the order."""
    return _one(
        connection,
        "address = ? AND who = ? AND state = 'waiting' AND seq > ? ORDER BY seq LIMIT 1",
        (*who, after),
    )


def unsent(connection: sqlite3.Connection, who: Who, run_id: str | None = None) -> list[Statement]:
    """Everything that isn't at the runtime, in the order of sending; of one run alone with `run_id`."""
    where = "address = ? AND who = ? AND state <> 'sent'" + ("" if run_id is None else " AND run = ?")
    values = (*who,) if run_id is None else (*who, as_text(run_id))
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM statements WHERE {where} ORDER BY seq", values
    ).fetchall()
    return [statement_of(row) for row in rows]


def unclaimed(connection: sqlite3.Connection, who: Who) -> list[Statement]:
    """What was said there with other tokens that the runtime never told whose they are, in the order it was said."""
    # The index is by address and person: a token's mark is a person whose name nobody knows.
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM statements WHERE address = ? AND {UNKNOWN} AND who <> ? AND state <> 'sent' "
        "ORDER BY seq",
        (*who,),
    ).fetchall()
    return [statement_of(row) for row in rows]


def claim(connection: sqlite3.Connection, who: Who, statement: Statement) -> None:
    """Makes a statement that nobody has claimed the person's own; it waits to be sent from now on."""
    connection.execute(
        "UPDATE statements SET who = ?, state = 'waiting', sentence = NULL, code = NULL WHERE id = ?",
        (who.person, statement.id),
    )


def counts(connection: sqlite3.Connection, who: Who) -> tuple[int, int]:
    """How many wait, and how many were refused, are asked about, or are claimed by nobody."""
    waiting, others = connection.execute(
        "SELECT ifnull(sum(who = ?2 AND state = 'waiting'), 0), "
        "ifnull(sum(who <> ?2 OR state IN ('refused', 'asked')), 0) FROM statements "
        f"WHERE address = ?1 AND (who = ?2 OR {UNKNOWN}) AND state <> 'sent'",
        (*who,),
    ).fetchone()
    return int(waiting), int(others)


def settle_sending(
    connection: sqlite3.Connection, identity: str, method: str, path: str, body: bytes | None, new_names: bool
) -> Statement | None:
    """Marks a statement as tried, with the bytes it is sent with, before it is sent.

    The bytes once settled are never changed. None when it is gone: it was taken back while it waited.
    """
    now = now_ms()
    connection.execute(
        "UPDATE statements SET tried = ?1, keyed = ifnull(keyed, ?1), method = ifnull(method, ?2), "
        "path = ifnull(path, ?3), body = ifnull(body, ?4), new_names = CASE WHEN method IS NULL THEN ?5 "
        "ELSE new_names END WHERE id = ?6 AND state = 'waiting'",
        (now, method, path, body, int(new_names), identity),
    )
    found = find(connection, identity)
    return found if found is not None and found.state == "waiting" else None


def answered_later(
    connection: sqlite3.Connection, identity: str, sentence: str, code: str, untried: bool
) -> None:
    """It waits on. `untried`: it is sure that nothing ran."""
    connection.execute(
        "UPDATE statements SET sentence = ?, code = ?, tried = CASE WHEN ? THEN NULL ELSE tried END "
        "WHERE id = ? AND state = 'waiting'",
        (as_text(sentence), code, int(untried), identity),
    )


def mark_all(connection: sqlite3.Connection, who: Who, sentence: str, code: str) -> None:
    """Says of everything that waits why it does."""
    connection.execute(
        "UPDATE statements SET sentence = ?, code = ? WHERE address = ? AND who = ? AND state = 'waiting'",
        (as_text(sentence), code, *who),
    )


def arrived(connection: sqlite3.Connection, identity: str, server_id: str | None) -> None:
    """It is at the runtime."""
    connection.execute(
        "UPDATE statements SET state = 'sent', server_id = ?, tried = NULL, sentence = NULL, code = NULL, body = NULL "
        "WHERE id = ?",
        (None if server_id is None else as_text(server_id), identity),
    )


def put_aside(
    connection: sqlite3.Connection,
    identity: str,
    state: Literal["refused", "asked"],
    sentence: str,
    code: str | None,
) -> None:
    """It is kept and not sent, until the person decides."""
    connection.execute(
        "UPDATE statements SET state = ?, sentence = ?, code = ?, tried = NULL WHERE id = ?",
        (state, as_text(sentence), code, identity),
    )


def renew_key(connection: sqlite3.Connection, identity: str) -> None:
    """Gives it a new key: the old one's answer is forgotten by now, or it was refused."""
    connection.execute(
        "UPDATE statements SET key = ?, keyed = NULL WHERE id = ?", (str(uuid.uuid4()), identity)
    )


def send_again(connection: sqlite3.Connection, identity: str, forced: bool) -> None:
    """Puts what was put aside back among what waits. What is live there is looked at first, unless `forced`."""
    connection.execute(
        "UPDATE statements SET state = 'waiting', sentence = NULL, code = NULL, forced = ?, tried = ?, key = ?, "
        "keyed = NULL WHERE id = ?",
        (int(forced), None if forced else now_ms(), str(uuid.uuid4()), identity),
    )


def delete(connection: sqlite3.Connection, statement: Statement) -> None:
    """Forgets a statement, what would have taken it back, and closes the chain over its place."""
    connection.execute("DELETE FROM statements WHERE target = ?", (statement.id,))
    connection.execute(
        "UPDATE statements SET previous = ? WHERE previous = ?", (statement.previous, statement.id)
    )
    connection.execute("DELETE FROM statements WHERE id = ?", (statement.id,))


def delete_untried(connection: sqlite3.Connection, statement: Statement) -> bool:
    """Forgets a statement that never left; False when it may have left by now."""
    now = find(connection, statement.id)
    if now is None or now.state != "waiting" or now.tried is not None:
        return False
    delete(connection, now)
    return True


def who_of(connection: sqlite3.Connection, mark: Who) -> Who:
    """Whose outbox a token's is: the person's, once they were told, else the mark's own.

    Asked within the transaction that goes by it: what was said for the mark becomes the person's in one step.
    """
    row = connection.execute("SELECT person FROM people WHERE address = ? AND mark = ?", (*mark,)).fetchone()
    return mark if row is None else Who(mark.address, str(json.loads(row[0])["id"]))


def adopt(connection: sqlite3.Connection, mark: Who, who: Who) -> None:
    """What was said before it was known who the token is belongs to that person."""
    if mark == who:
        return
    for table in ("statements", "skips"):
        connection.execute(
            f"UPDATE OR REPLACE {table} SET who = ? WHERE address = ? AND who = ?",
            (who.person, mark.address, mark.person),
        )


def forget_old(connection: sqlite3.Connection) -> None:
    """Forgets what was sent a month ago, and keys of writes that no runtime knows any more."""
    connection.execute("DELETE FROM statements WHERE state = 'sent' AND made < ?", (now_ms() - KEPT_MS,))
    connection.execute("DELETE FROM writes WHERE made < ?", (now_ms() - KEY_LIFE_MS,))


def token_mark(connection: sqlite3.Connection, token: str) -> str:
    """A mark of a token, from which nobody gets it back: who it is can be told by it while nobody can be asked."""
    salt = bytes(connection.execute("SELECT value FROM salt").fetchone()[0])
    return MARK + hashlib.sha256(salt + token.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def key_of_write(connection: sqlite3.Connection, who: Who, digest: str) -> str:
    """The key of a write: the kept one when the same was sent in the last day and never answered, else a new one."""
    row = connection.execute(
        "SELECT key FROM writes WHERE address = ? AND who = ? AND digest = ? AND made >= ?",
        (*who, digest, now_ms() - KEY_LIFE_MS),
    ).fetchone()
    if row is not None:
        return str(row[0])
    key = str(uuid.uuid4())
    connection.execute(
        "INSERT OR REPLACE INTO writes (key, address, who, digest, made) VALUES (?, ?, ?, ?, ?)",
        (key, *who, digest, now_ms()),
    )
    return key


def forget_write(connection: sqlite3.Connection, who: Who, digest: str) -> None:
    """A write was answered: its key is done."""
    connection.execute("DELETE FROM writes WHERE address = ? AND who = ? AND digest = ?", (*who, digest))


def _one(connection: sqlite3.Connection, where: str, values: tuple[object, ...]) -> Statement | None:
    row = connection.execute(f"SELECT {COLUMNS} FROM statements WHERE {where}", values).fetchone()
    return None if row is None else statement_of(row)
