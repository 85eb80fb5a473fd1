"""Answers kept for retries: a key is held while its request runs, and answered from here for 24 hours."""

import sqlite3

from kindgi_tui.domain.serving import KeptAnswer, KeyedRequest, Made
from kindgi_tui.local.store.values import now_ms, restored, storable
from kindgi_tui.workbench import Conflict

HELD_MS = 30_000
"""After how long the hold of a request lapses whose process is gone."""

KEPT_MS = 24 * 3600 * 1000
"""How long an answer is kept."""

_PLACE = "caller = ? AND method = ? AND path = ? AND key = ?"


def _place(request: KeyedRequest) -> tuple[str, str, str, str]:
    return storable(request.caller), request.method, storable(request.path), storable(request.key)


def begin(connection: sqlite3.Connection, request: KeyedRequest) -> KeptAnswer | Made | None:
    """The answer kept for a request, or what it made; None when it is to be run now. Raises Conflict."""
    now, made = now_ms(), None
    connection.execute(
        "DELETE FROM kept_answers WHERE created < ? AND (status IS NOT NULL OR held_until < ?)",
        (now - KEPT_MS, now),
    )
    row = connection.execute(
        f"SELECT body_digest, held_until, status, content_type, body, made FROM kept_answers WHERE {_PLACE}",
        _place(request),
    ).fetchone()
    if row is not None:
        digest, held_until, status, content_type, body, made = row
        begun = status is not None or made is not None or held_until >= now
        if digest != request.body_digest and begun:
            raise Conflict(
                "Idempotency-Key was reused with a different request body. Use a fresh key or the original body.",
                code="idempotency-key-body-mismatch",
            )
        if status is not None:
            return KeptAnswer(status=status, content_type=content_type, body=body)
        if held_until >= now:
            raise Conflict(
                "The first request with this Idempotency-Key is still running. Try again in 5 s.",
                code="idempotency-key-in-flight",
                retry_after=5,
            )
    connection.execute(
        "INSERT OR REPLACE INTO kept_answers (caller, method, path, key, body_digest, holder, held_until, created, "
        "made) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*_place(request), request.body_digest, request.holder, now + HELD_MS, now, made),
    )
    return None if made is None else Made(id=restored(made))


def note_made(connection: sqlite3.Connection, request: KeyedRequest, made: str) -> None:
    """Notes what a request made last, in the transaction that makes it."""
    connection.execute(
        f"UPDATE kept_answers SET made = ? WHERE {_PLACE} AND holder = ?",
        (storable(made), *_place(request), request.holder),
    )


def renew(connection: sqlite3.Connection, request: KeyedRequest) -> None:
    """Goes on holding a key whose request still runs."""
    connection.execute(
        f"UPDATE kept_answers SET held_until = ? WHERE {_PLACE} AND holder = ?",
        (now_ms() + HELD_MS, *_place(request), request.holder),
    )


def keep(connection: sqlite3.Connection, request: KeyedRequest, answer: KeptAnswer) -> None:
    """Keeps the answer of a request that holds its key."""
    connection.execute(
        f"UPDATE kept_answers SET status = ?, content_type = ?, body = ? WHERE {_PLACE} AND holder = ?",
        (answer.status, answer.content_type, answer.body, *_place(request), request.holder),
    )


def release(connection: sqlite3.Connection, request: KeyedRequest) -> None:
    """Lets a key go whose request was refused: it may be sent again. What made something before is not run again."""
    mine = (*_place(request), request.holder)
    connection.execute(
        f"DELETE FROM kept_answers WHERE {_PLACE} AND holder = ? AND status IS NULL AND made IS NULL", mine
    )
    connection.execute(
        f"UPDATE kept_answers SET held_until = 0 WHERE {_PLACE} AND holder = ? AND status IS NULL", mine
    )
