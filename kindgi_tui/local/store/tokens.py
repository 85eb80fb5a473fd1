"""Tokens in the store: a digest of each secret, never the secret."""

import hashlib
import hmac
import re
import secrets
import sqlite3

from kindgi_tui.domain.projects import RIGHTS, Right
from kindgi_tui.domain.serving import TOKEN_PREFIX, Bearer, Token
from kindgi_tui.local.store.people import find_person
from kindgi_tui.local.store.values import from_ms, now_ms, restored, storable
from kindgi_tui.workbench import Conflict, Denied, Invalid, NotFound

_COLUMNS = 'id, name, person, "right", created, created_by, revoked'
_SECRET = re.compile(re.escape(TOKEN_PREFIX) + r"([0-9a-f]{12})_[A-Za-z0-9_-]{43}")

NOT_RECOGNIZED = "Bearer token is not recognized"
"""What the API says of a token it doesn't know."""


def _token(row: tuple[str, str, str, Right, int, str, int | None]) -> Token:
    identity, name, person, right, created, by, revoked = row
    return Token(
        id=identity,
        name=restored(name),
        person_id=restored(person),
        right=right,
        created_at=from_ms(created),
        created_by=restored(by),
        revoked_at=None if revoked is None else from_ms(revoked),
    )


def _digest(secret: str) -> str:
    # The secret is 256 random bits: a slow hash would protect nothing more.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def add_token(
    connection: sqlite3.Connection, name: str, person_id: str, right: Right, by: str
) -> tuple[Token, str]:
    """Makes a token; gives it and its secret, which stands nowhere else. Raises Conflict, Invalid, NotFound."""
    if not name.strip() or len(name) > 100:
        raise Invalid("A token's name has 1 to 100 characters.", field="name")
    if right not in RIGHTS:
        raise Invalid("A token's role is judge, editor or admin.", field="role")
    if find_person(connection, person_id) is None:
        raise NotFound(
            f'Nobody here is called "{person_id}". Add them first: kindgi-tui people add {person_id}.',
            code="person-not-found",
        )
    identity = secrets.token_hex(6)
    secret = f"{TOKEN_PREFIX}{identity}_{secrets.token_urlsafe(32)}"
    try:
        connection.execute(
            f"INSERT INTO tokens ({_COLUMNS}, digest) VALUES (?, ?, ?, ?, ?, ?, NULL, ?)",
            (identity, storable(name), storable(person_id), right, now_ms(), storable(by), _digest(secret)),
        )
    except sqlite3.IntegrityError:
        raise Conflict(
            f'A token is called "{name}" already. Revoke it first, or choose another name.',
            code="token-name-taken",
        ) from None
    return get_token(connection, identity), secret


def list_tokens(connection: sqlite3.Connection) -> tuple[Token, ...]:
    """Every token, newest first, revoked ones too."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM tokens ORDER BY seq DESC").fetchall()
    return tuple(map(_token, rows))


def get_token(connection: sqlite3.Connection, reference: str) -> Token:
    """The token with that id, else the live one with that name. Raises NotFound."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM tokens WHERE id = ?1 OR (name = ?1 AND revoked IS NULL) "
        "ORDER BY (id = ?1) DESC LIMIT 1",
        (storable(reference),),
    ).fetchone()
    if row is None:
        raise NotFound(
            f'No token is called "{reference}". `kindgi-tui tokens list` shows them.', code="token-not-found"
        )
    return _token(row)


def revoke_token(connection: sqlite3.Connection, reference: str) -> Token:
    """Revokes a token for good; its name is free again. By its id it may be revoked again.

    Raises NotFound, and Conflict for a name that only revoked ones have.
    """
    try:
        token = get_token(connection, reference)
    except NotFound:
        if any(one.name == reference for one in list_tokens(connection)):
            raise Conflict(
                f'The token "{reference}" is revoked already: the server refuses it.', code="token-revoked"
            ) from None
        raise
    connection.execute("UPDATE tokens SET revoked = ifnull(revoked, ?) WHERE id = ?", (now_ms(), token.id))
    return get_token(connection, token.id)


def find_bearer(connection: sqlite3.Connection, secret: str) -> Bearer:
    """Who acts with that secret. Raises Denied (`auth-missing` when it is no token, `auth-revoked`)."""
    match = _SECRET.fullmatch(secret)
    row = (
        connection.execute(f"SELECT digest, {_COLUMNS} FROM tokens WHERE id = ?", (match[1],)).fetchone()
        if match
        else None
    )
    # Compared also where there is nothing to compare with, so that both take as long.
    stored = row[0] if row is not None else _digest("")
    if not hmac.compare_digest(stored, _digest(secret)) or row is None:
        raise Denied(NOT_RECOGNIZED, code="auth-missing")
    token = _token(row[1:])
    person = find_person(connection, token.person_id)
    if token.revoked_at is not None or person is None:
        raise Denied("Bearer token has been revoked", code="auth-revoked")
    least = min(token.right, person.right, key=RIGHTS.index)
    return Bearer(token=token, person=person.model_copy(update={"right": least}))
