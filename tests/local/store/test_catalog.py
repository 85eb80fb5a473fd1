"""Packs and what they registered: a version's content never changes; values of its environment; stored replies."""

import sqlite3

import pytest

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.catalog import EntryKind, PackSnapshot, Published
from kindgi_tui.local.store import catalog
from kindgi_tui.workbench import Conflict, Invalid, NotFound
from tests.local.store.making import START


def published(
    store: sqlite3.Connection,
    digest: str,
    *entries: tuple[EntryKind, str, str, str],
    env: tuple[str, ...] = (),
) -> Published:
    snapshot = PackSnapshot(
        digest=digest,
        pack_id="acme",
        pack_version="0.1.0",
        published_at=START,
        published_by="ann \ud800",
        env_required=env[:1],
        env_optional=env[1:],
    )
    definition: Json = {"a": ["\ud800", 1]}
    return catalog.register_pack(store, snapshot, [(*each, definition) for each in entries])


def test_versions_newest_first_by_their_numbers(store: sqlite3.Connection) -> None:
    for number, version in enumerate(("0.2.0", "0.10.0", "0.9.1")):
        published(store, f"d{number}", ("agent", "acme.picker", version, f"h{number}"))
    assert [each.version for each in catalog.entry_versions(store, "agent", "acme.picker")] == [
        *("0.10.0", "0.9.1"),
        "0.2.0",
    ]
    assert catalog.get_version(store, "agent", "acme.picker", None).version == "0.10.0"
    assert catalog.get_version(store, "agent", "acme.picker", "0.2.0").definition == {"a": ["\ud800", 1]}
    (newest,) = catalog.list_entries(store, "agent")
    assert newest.version == "0.10.0"
    assert catalog.list_entries(store, "tool") == ()
    assert [each.digest for each in catalog.list_packs(store)] == ["d2", "d1", "d0"]
    assert catalog.get_pack(store, "d1").published_by == "ann \ud800"


def test_what_is_known_runs_from_the_newest_copy(store: sqlite3.Connection) -> None:
    published(store, "d0", ("tool", "acme.search", "1.0.0", "same"))
    again = published(
        store, "d1", ("tool", "acme.search", "1.0.0", "same"), ("tool", "acme.log", "1.0.0", "new")
    )
    assert [each.id for each in again.known] == ["acme.search"]
    assert [each.id for each in again.added] == ["acme.log"]
    assert catalog.get_version(store, "tool", "acme.search", "1.0.0").pack_digest == "d1"


def test_other_content_under_a_known_version_is_refused_whole(store: sqlite3.Connection) -> None:
    published(store, "d0", ("agent", "acme.picker", "1.0.0", "h0"))
    store.execute("BEGIN")
    with pytest.raises(Conflict) as refused:
        published(store, "d1", ("tool", "acme.log", "1.0.0", "x"), ("agent", "acme.picker", "1.0.0", "h1"))
    store.execute("ROLLBACK")
    assert refused.value.code == "agent-already-registered"
    assert [each.digest for each in catalog.list_packs(store)] == ["d0"]
    assert catalog.get_version(store, "agent", "acme.picker", "1.0.0").digest == "h0"


def test_what_is_not_there(store: sqlite3.Connection) -> None:
    published(store, "d0", ("agent", "acme.picker", "1.0.0", "h0"))
    for identity, version in (
        ("none", None),
        ("\ud800", None),
        ("acme.picker", "2.0.0"),
        ("acme.picker", "\ud800"),
    ):
        with pytest.raises(NotFound) as refused:
            catalog.get_version(store, "agent", identity, version)
        assert refused.value.code == "agent-not-found"
    for digest in ("none", "\ud800"):
        with pytest.raises(NotFound):
            catalog.get_pack(store, digest)
    assert catalog.entry_versions(store, "flow", "acme.picker") == ()


def test_environment_values(store: sqlite3.Connection) -> None:
    with pytest.raises(NotFound):
        catalog.set_pack_env(store, "acme", "KEY", "x")
    published(store, "d0", env=("KEY", "EXTRA"))
    catalog.set_pack_env(store, "acme", "KEY", "secret \ud800\x00")
    catalog.set_pack_env(store, "acme", "EXTRA", "")
    assert catalog.pack_env(store, "acme") == {"KEY": "secret \ud800\x00", "EXTRA": ""}
    catalog.set_pack_env(store, "acme", "KEY", "other")
    catalog.set_pack_env(store, "acme", "EXTRA", None)
    assert catalog.pack_env(store, "acme") == {"KEY": "other"}
    for name in ("OTHER", "1X", "A B", "", "\ud800"):
        with pytest.raises(Invalid):
            catalog.set_pack_env(store, "acme", name, "x")
    assert catalog.pack_env(store, "none") == {}


def test_stored_replies(store: sqlite3.Connection) -> None:
    catalog.put_replies(store, {"k": {"text": "\ud800"}, "n": None})
    assert catalog.get_reply(store, "k") == {"text": "\ud800"}
    catalog.put_replies(store, {"k": "new"})
    assert catalog.get_reply(store, "k") == "new"
    assert catalog.get_reply(store, "missing") is None
