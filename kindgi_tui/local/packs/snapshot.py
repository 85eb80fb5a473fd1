"""Copying a pack's folder: what goes into a snapshot, what stays out, and the hash that names it."""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kindgi_tui.workbench import Invalid

MOST_FILES = 20_000
"""More files than this are no pack."""
MOST_BYTES = 512 * 1024 * 1024
"""A folder larger than this is no pack."""

_SKIPPED_NAMES = """
.git .hg .svn .venv venv __pycache__ node_modules .mypy_cache .pytest_cache .ruff_cache .hypothesis .tox .nox
.kindgi .idea .vscode
"""
_SKIPPED_FOLDERS = frozenset(_SKIPPED_NAMES.split())
_SKIPPED_FILES = frozenset({".DS_Store", ".kindgirc.json", ".env"})
_MARKS_OF_OTHERS = ("pyvenv.cfg", "workspace.db")


class Entry(NamedTuple):
    """One file or link of a pack's folder."""

    path: str
    """Its place within the folder, with forward slashes."""
    size: int
    """Bytes; 0 for a link."""
    modified: int
    """When it was changed last, nanoseconds: a save that keeps the size makes another entry by it."""
    kind: str
    """`file`, `link`, or `other` (a pipe, a socket, a device)."""


def entries(folder: Path) -> Iterator[Entry]:
    """Everything that belongs to a pack, in no order: no version control, virtual environment, cache or secret.

    Files named `.env` and `.env.<anything>` stay out: a snapshot is kept, and its values are set by command.
    Raises OSError when a folder can't be read.
    """
    pending = [""]
    while pending:
        place = pending.pop()
        with os.scandir(folder / place) as found:
            listed = list(found)
        if place and any(each.name in _MARKS_OF_OTHERS for each in listed):
            continue  # a virtual environment or a workspace that stands inside the pack's folder
        for each in listed:
            path = f"{place}/{each.name}" if place else each.name
            about = each.stat(follow_symlinks=False)
            if stat.S_ISDIR(about.st_mode):
                if each.name not in _SKIPPED_FOLDERS:
                    pending.append(path)
            elif each.name in _SKIPPED_FILES or each.name.startswith(".env.") or each.name.endswith(".pyc"):
                continue
            elif stat.S_ISLNK(about.st_mode):
                if each.name not in _SKIPPED_FOLDERS:
                    yield Entry(path, 0, about.st_mtime_ns, "link")
            else:
                kind = "file" if stat.S_ISREG(about.st_mode) else "other"
                yield Entry(path, about.st_size, about.st_mtime_ns, kind)


def copy_folder(folder: Path, to: Path) -> None:
    """Copies a pack's folder. Links that stay inside are kept as relative links.

    Raises Invalid for no such folder and one too large to be a pack, and, naming the file, for a link that leaves
    the folder or leads nowhere, something that is not a file, and a file that can't be read.
    """
    root = Path(os.path.realpath(folder))
    if not root.is_dir():
        raise Invalid(f"There is no folder {folder}.", code="pack-not-found", field="folder")
    links: list[tuple[Path, str]] = []
    count = size = 0
    try:
        for entry in entries(root):
            count, size = count + 1, size + entry.size
            if count > MOST_FILES or size > MOST_BYTES:
                raise Invalid(
                    f"{folder} is too large for a pack: it has more than {MOST_FILES:,} files or "
                    f"{MOST_BYTES // 1024**2} MB. Publish the pack's own folder.",
                    code="pack-too-large",
                )
            if entry.kind == "other":
                raise Invalid(
                    f"{entry.path} is not a file, and can't be part of a pack.", code="pack-file-error"
                )
            target = to / entry.path
            target.parent.mkdir(parents=True, exist_ok=True)
            if entry.kind == "link":
                links.append((target, _inside(root, entry.path)))
            else:
                shutil.copyfile(root / entry.path, target)
                target.chmod(0o700 if os.access(root / entry.path, os.X_OK) else 0o600)
    except OSError as cause:
        where = Path(str(cause.filename)).name if cause.filename else str(folder)
        raise Invalid(
            f"{where} can't be copied: {cause.strerror or cause}.", code="pack-file-error"
        ) from cause
    for target, leads_to in links:
        target.symlink_to(leads_to)
    for target, _ in links:
        if not target.exists():
            raise Invalid(
                f"The link {target.relative_to(to).as_posix()} leads nowhere.", code="pack-file-error"
            )


def _inside(root: Path, path: str) -> str:
    """Where a link leads, relative to its own folder."""
    link = root / path
    real = Path(os.path.realpath(link))
    if real != root and not real.is_relative_to(root):
        raise Invalid(
            f"The link {path} leaves the pack's folder, so what it leads to can't be kept. Copy it into the folder.",
            code="pack-file-error",
        )
    return os.path.relpath(real, os.path.realpath(link.parent))


def folder_digest(folder: Path) -> str:
    """The hash (hex of sha256) over sorted relative paths and contents; dates and modes don't count."""
    total = hashlib.sha256()
    found: list[tuple[bytes, Path]] = []
    for place, folders, files in os.walk(folder):
        for name in (*files, *(each for each in folders if (Path(place) / each).is_symlink())):
            path = Path(place) / name
            found.append((os.fsencode(path.relative_to(folder).as_posix()), path))
    for name_bytes, path in sorted(found):
        if path.is_symlink():
            content = b"link " + os.fsencode(path.readlink())
        else:
            with path.open("rb") as file:
                content = b"file " + hashlib.file_digest(file, "sha256").digest()
        total.update(b"%d:%s%d:%s" % (len(name_bytes), name_bytes, len(content), content))
    return total.hexdigest()
