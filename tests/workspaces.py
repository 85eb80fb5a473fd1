"""Copies of workspaces, whoever else has the original open at that moment."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

DATABASE = "workspace.db"


def copy_workspace(source: Path, target: Path) -> None:
    """Copies a workspace's folder to `target`, which must not exist.

    The database is copied as SQLite does it: a comparison's process that is about to end may still have it
    open, and a plain copy would miss what only stands in its log.
    """
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(f"{DATABASE}*"))
    with (
        closing(sqlite3.connect(source / DATABASE)) as old,
        closing(sqlite3.connect(target / DATABASE)) as new,
    ):
        old.backup(new)
