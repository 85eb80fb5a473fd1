"""Packs in the store: their snapshots, the versions they registered, their environment values, stored replies."""

import re
import sqlite3
from collections.abc import Sequence

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.catalog import CatalogVersion, EntryKind, PackSnapshot, Published
from kindgi_tui.local.store.values import dump_json, from_ms, load_json, now_ms, restored, storable
from kindgi_tui.workbench import Conflict, Invalid, NotFound

_COLUMNS = "kind, id, version, digest, pack, definition, published"
_PACK_COLUMNS = "digest, pack_id, pack_version, python, published, published_by, env_required, env_optional"
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def version_order(version: str) -> tuple[int, ...]:
    """What versions are sorted by: their numbers."""
    return tuple(int(part) for part in re.findall(r"\d+", version))


def _entry(row: tuple[EntryKind, str, str, str, str, str, int]) -> CatalogVersion:
    kind, identity, version, digest, pack, definition, published = row
    return CatalogVersion(
        kind=kind,
        id=identity,
        version=version,
        digest=digest,
        pack_digest=pack,
        definition=load_json(definition),
        published_at=from_ms(published),
    )


def _words(stored: str) -> tuple[str, ...]:
    value = load_json(stored)
    return tuple(str(word) for word in value) if isinstance(value, list) else ()


def _pack(row: tuple[str, str, str, str | None, int, str, str, str]) -> PackSnapshot:
    digest, pack_id, pack_version, python, published, by, required, optional = row
    return PackSnapshot(
        digest=digest,
        pack_id=pack_id,
        pack_version=pack_version,
        python=python,
        published_at=from_ms(published),
        published_by=restored(by),
        env_required=_words(required),
        env_optional=_words(optional),
    )


def register_pack(
    connection: sqlite3.Connection,
    snapshot: PackSnapshot,
    entries: Sequence[tuple[EntryKind, str, str, str, Json]],
) -> Published:
    """Registers a snapshot and its versions (kind, id, version, digest, definition).

    A known version with the same content runs from the new snapshot from now on: the files beside it may be newer.
    Raises Conflict when a version's content differs.
    """
    required: list[Json] = list(snapshot.env_required)
    optional: list[Json] = list(snapshot.env_optional)
    connection.execute(
        f"INSERT INTO pack_snapshots ({_PACK_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (digest) "
        "DO UPDATE SET python = excluded.python",
        (
            snapshot.digest,
            snapshot.pack_id,
            snapshot.pack_version,
            snapshot.python,
            now_ms(),
            storable(snapshot.published_by),
            dump_json(required),
            dump_json(optional),
        ),
    )
    added: list[CatalogVersion] = []
    known: list[CatalogVersion] = []
    for kind, identity, version, digest, definition in entries:
        found = find_version(connection, kind, identity, version)
        if found is None:
            connection.execute(
                f"INSERT INTO catalog ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (kind, identity, version, digest, snapshot.digest, dump_json(definition), now_ms()),
            )
            added.append(get_version(connection, kind, identity, version))
        elif found.digest == digest:
            # The same version, and perhaps new data files beside it: it runs from the newest copy.
            connection.execute(
                "UPDATE catalog SET pack = ? WHERE kind = ? AND id = ? AND version = ?",
                (snapshot.digest, kind, storable(identity), storable(version)),
            )
            known.append(found)
        else:
            raise Conflict(
                f"{kind} {identity} {version} is registered with other content. Give the changed {kind} "
                "a new version and publish again.",
                code=f"{kind}-already-registered",
            )
    row = connection.execute(
        f"SELECT {_PACK_COLUMNS} FROM pack_snapshots WHERE digest = ?", (snapshot.digest,)
    ).fetchone()
    return Published(snapshot=_pack(row), added=tuple(added), known=tuple(known))


def list_packs(connection: sqlite3.Connection) -> tuple[PackSnapshot, ...]:
    """Snapshots, newest first."""
    rows = connection.execute(f"SELECT {_PACK_COLUMNS} FROM pack_snapshots ORDER BY seq DESC").fetchall()
    return tuple(map(_pack, rows))


def get_pack(connection: sqlite3.Connection, digest: str) -> PackSnapshot:
    """One snapshot. Raises NotFound."""
    row = connection.execute(
        f"SELECT {_PACK_COLUMNS} FROM pack_snapshots WHERE digest = ?", (storable(digest),)
    ).fetchone()
    if row is None:
        raise NotFound(f"No pack snapshot {digest}.", code="pack-not-found")
    return _pack(row)


def list_entries(connection: sqlite3.Connection, kind: EntryKind) -> tuple[CatalogVersion, ...]:
    """The newest version of each agent, flow or tool, by id."""
    newest: dict[str, CatalogVersion] = {}
    for row in connection.execute(f"SELECT {_COLUMNS} FROM catalog WHERE kind = ? ORDER BY id", (kind,)):
        entry = _entry(row)
        known = newest.get(entry.id)
        if known is None or version_order(entry.version) > version_order(known.version):
            newest[entry.id] = entry
    return tuple(newest.values())


def entry_versions(
    connection: sqlite3.Connection, kind: EntryKind, identity: str
) -> tuple[CatalogVersion, ...]:
    """Every version of one, newest first; empty when there is none."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM catalog WHERE kind = ? AND id = ?", (kind, storable(identity))
    ).fetchall()
    return tuple(sorted(map(_entry, rows), key=lambda entry: version_order(entry.version), reverse=True))


def find_version(
    connection: sqlite3.Connection, kind: EntryKind, identity: str, version: str
) -> CatalogVersion | None:
    """One version."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM catalog WHERE kind = ? AND id = ? AND version = ?",
        (kind, storable(identity), storable(version)),
    ).fetchone()
    return _entry(row) if row is not None else None


def get_version(
    connection: sqlite3.Connection, kind: EntryKind, identity: str, version: str | None
) -> CatalogVersion:
    """One version, the newest when none is named. Raises NotFound."""
    versions = entry_versions(connection, kind, identity)
    if not versions:
        raise NotFound(
            f'No {kind} registered with id "{identity}". Publish its pack: kindgi-tui packs publish DIR.',
            code=f"{kind}-not-found",
        )
    if version is None:
        return versions[0]
    for entry in versions:
        if entry.version == version:
            return entry
    raise NotFound(
        f'No {kind} registered with id "{identity}" at version "{version}"; there '
        f"{'is' if len(versions) == 1 else 'are'} {', '.join(entry.version for entry in versions)}. Publish its pack: "
        "kindgi-tui packs publish DIR.",
        code=f"{kind}-not-found",
    )


def pack_env(connection: sqlite3.Connection, pack_id: str) -> dict[str, str]:
    """The environment values set for a pack's tools."""
    rows = connection.execute(
        "SELECT name, value FROM pack_env WHERE pack_id = ?", (storable(pack_id),)
    ).fetchall()
    return {name: restored(value) for name, value in rows}


def set_pack_env(connection: sqlite3.Connection, pack_id: str, name: str, value: str | None) -> None:
    """Sets an environment value of a pack, or removes it. Raises NotFound, Invalid."""
    declared = connection.execute(
        "SELECT env_required, env_optional FROM pack_snapshots WHERE pack_id = ? ORDER BY seq DESC LIMIT 1",
        (storable(pack_id),),
    ).fetchone()
    if declared is None:
        raise NotFound(
            f'No pack is called "{pack_id}". `kindgi-tui packs list` shows them.', code="pack-not-found"
        )
    if not _ENV_NAME.fullmatch(name):
        raise Invalid(f'"{name}" is not a name of an environment value.', field="name")
    names = {*_words(declared[0]), *_words(declared[1])}
    if value is not None and name not in names:
        raise Invalid(
            f'Pack {pack_id} does not declare "{name}" ({", ".join(sorted(names)) or "it declares none"}): '
            "its service would drop it. Declare it under [tool.kindgi.env] and publish again.",
            field="name",
        )
    if value is None:
        connection.execute("DELETE FROM pack_env WHERE pack_id = ? AND name = ?", (storable(pack_id), name))
    else:
        connection.execute(
            "INSERT INTO pack_env VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            (storable(pack_id), name, storable(value)),
        )


def get_reply(connection: sqlite3.Connection, key: str) -> Json:
    """A stored reply of a model by its key; None when there is none."""
    row = connection.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
    return load_json(row[0]) if row is not None else None


def put_replies(connection: sqlite3.Connection, replies: dict[str, Json]) -> None:
    """Stores replies of models by key; a known key takes the new one."""
    connection.executemany(
        "INSERT INTO replies VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET reply = excluded.reply",
        [(key, dump_json(reply), now_ms()) for key, reply in replies.items()],
    )
