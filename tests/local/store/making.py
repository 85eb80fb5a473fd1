"""What the store's tests are made of: runs, judgments, and a connection to a real file."""

import itertools
import sqlite3
import tempfile
import uuid
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from kindgi_tui.domain.judgments import ItemRef, Verdict
from kindgi_tui.domain.projects import Person, Right
from kindgi_tui.domain.queries import NewJudgment
from kindgi_tui.domain.runs import RunDetail, Segment, Subject
from kindgi_tui.local.store.people import put_person
from kindgi_tui.local.store.projects import add_project
from kindgi_tui.local.store.schema import APPLICATION_ID, MIGRATIONS
from kindgi_tui.storage.opening import connect, open_file

START = datetime(2026, 1, 1, tzinfo=UTC)
PROJECT = "00000000-0000-4000-8000-000000000001"
OTHER = "00000000-0000-4000-8000-000000000002"
ARTICLES = {"output": {"articles": [{"id": "a"}, {"id": "b"}, {"title": "no id"}]}, "appended": []}

_numbers = itertools.count()


def person(identity: str, right: Right = "judge") -> Person:
    return Person(id=identity, right=right, created_at=START)


ANN = person("ann", "admin")
BEN = person("ben")


@cache
def _template() -> bytes:
    """A new workspace file with two projects and two people, made once: a hundred tests start from it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "workspace.db"
        open_file(path, APPLICATION_ID, MIGRATIONS, 5.0)
        connection = connect(path, 5.0)
        add_project(connection, "Default", "default", PROJECT)
        add_project(connection, "Other", "other", OTHER)
        for each in (ANN, BEN):
            put_person(connection, each)
        connection.close()
        return path.read_bytes()


def opened(path: Path) -> sqlite3.Connection:
    """Such a file in that place, on a connection that commits every statement, and spares the disk."""
    path.write_bytes(_template())
    connection = connect(path, 5.0)
    connection.execute("PRAGMA synchronous = OFF")
    return connection


def run(
    agent: str = "acme.picker",
    version: str = "0.1.0",
    *,
    minute: float = 0,
    path: str = "",
    **fields: object,
) -> RunDetail:
    """A completed run that started `minute` minutes after START, in the path `a:1/b:2`."""
    segments = tuple(
        Segment(key=part.split(":")[0], value=part.split(":")[1]) for part in path.split("/") if part
    )
    whole: dict[str, object] = {
        "id": str(uuid.UUID(int=next(_numbers) + (1 << 100))),
        "project_id": PROJECT,
        "subject": Subject(kind="agent", id=agent, version=version),
        "status": "completed",
        "created_at": START + timedelta(minutes=minute),
        "segments": segments,
        "input": "how do I get a refund",
        "output": ARTICLES,
        **fields,
    }
    return RunDetail.model_validate(whole)


def said(run_id: str, key: str = "a", verdict: Verdict = "yes", **fields: object) -> NewJudgment:
    """A verdict on the article with that id."""
    place = {"a": 0, "b": 1, "/output/articles/2": 2}.get(key)
    item = ItemRef(key=key, pointer=None if place is None else f"/output/articles/{place}", rank=place)
    return NewJudgment.model_validate({"run_id": run_id, "item": item, "verdict": verdict, **fields})
