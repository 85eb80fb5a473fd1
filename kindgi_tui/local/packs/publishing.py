"""Publishing a pack: a copy of its folder, indexed by the official indexer in a child process (DESIGN section 9)."""

import asyncio
import contextlib
import json
import os
import shutil
import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from kindgi_tui.domain.base import Json
from kindgi_tui.local.packs.definitions import PackIndex, parse_index
from kindgi_tui.local.packs.process import ChildProcess, Output, StartFailed, child_environment
from kindgi_tui.local.packs.snapshot import copy_folder, folder_digest
from kindgi_tui.local.packs.sources import code_digest
from kindgi_tui.local.packs.support import check_supported
from kindgi_tui.workbench import Invalid, Unavailable

__all__ = [
    "FILES",
    "INDEX",
    "IndexedPack",
    "check_supported",
    "declared_id",
    "index_pack",
    "install_snapshot",
]

FILES = "files"
"""Within a snapshot: the pack's files."""
INDEX = "index.json"
"""Within a snapshot: the official index of the files."""
INDEXING_SECONDS = 120.0
"""How long a pack's files may take to be imported."""
_MOST_OUTPUT = 32 * 1024 * 1024
_LONGEST_CAUSE = 600
_INCOMING = ".incoming-"
_LEFT_OVER_SECONDS = 3_600


@dataclass(frozen=True)
class IndexedPack:
    """A pack that was copied and indexed, ready to be installed. Ends with `discard()`, or as a context manager."""

    index: PackIndex
    """What it defines."""
    digest: str
    """The hash over its files' paths and contents; names its folder under `packs/`."""
    folder: Path
    """The copy, in a temporary place: `files/` and `index.json`."""
    python: str | None
    """The interpreter it was indexed with, as an absolute path; None: the workbench's own."""
    warnings: tuple[str, ...] = ()
    """What the indexer remarked, for people."""

    def discard(self) -> None:
        """Removes the temporary copy, if it is still there."""
        shutil.rmtree(self.folder.parent, ignore_errors=True)

    def __enter__(self) -> "IndexedPack":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.discard()


def declared_id(folder: Path) -> str | None:
    """The pack id that a folder's `pyproject.toml` declares; None when it can't be read there."""
    try:
        document = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
        found = document["tool"]["kindgi"]["pack"]["id"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if isinstance(found, str) else None


async def index_pack(
    folder: Path, python: str | None = None, env: Mapping[str, str] | None = None
) -> IndexedPack:
    """Copies a pack's folder and indexes the copy; the folder itself is only read.

    `python` names the interpreter that has the pack's own dependencies (a program, or the folder of a virtual
    environment); `env` is what its files see in their environment when they are imported. Raises Invalid (no such
    folder, no pack, any file the indexer could not take, a bad interpreter), Unavailable (no room to copy).
    """
    interpreter = None if python is None else find_python(python)
    try:
        scratch = Path(tempfile.mkdtemp(prefix="kindgi-tui-publish-"))
    except OSError as cause:
        raise Unavailable(f"There is no place for a temporary copy of the pack: {cause.strerror}.") from cause
    kept = False
    try:
        snapshot = scratch / "snapshot"
        files = snapshot / FILES
        files.mkdir(parents=True)
        await asyncio.to_thread(copy_folder, folder, files)
        digest = await asyncio.to_thread(folder_digest, files)
        # The pack's code runs on a copy of the copy: whatever importing it writes is not part of the snapshot.
        await asyncio.to_thread(shutil.copytree, files, scratch / "pack", symlinks=True)
        answer = await _run_indexer(scratch, digest, interpreter, env or {})
        warnings = _check_answer(answer, scratch / "pack", folder)
        index = _read_index(scratch / INDEX, files)
        shutil.move(scratch / INDEX, snapshot / INDEX)
        shutil.rmtree(scratch / "pack", ignore_errors=True)
        kept = True
        return IndexedPack(index, digest, snapshot, interpreter, warnings)
    finally:
        if not kept:
            shutil.rmtree(scratch, ignore_errors=True)


def find_python(python: str) -> str:
    """The absolute path of an interpreter, given as a program or as the folder of a virtual environment.

    Links are not followed: a virtual environment's interpreter is one. Raises Invalid.
    """
    place = Path(python).expanduser()
    if place.is_dir():
        place = place / "bin" / "python"
    found = shutil.which(str(place))
    if found is None:
        raise Invalid(
            f"{python} is not a Python interpreter on this machine.", code="bad-python", field="python"
        )
    return str(Path(found).absolute())


def install_snapshot(indexed: IndexedPack, packs_dir: Path) -> Path:
    """Moves the copy to `packs_dir/<digest>` and gives that path; at once, so half a snapshot is never seen there.

    One that stands there already is kept, unless its files were changed since: then it is replaced.
    Raises Unavailable when the folder can't be written.
    """
    place = packs_dir / indexed.digest
    try:
        packs_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        _clear_leftovers(packs_dir)
        if (place / INDEX).is_file() and folder_digest(place / FILES) == indexed.digest:
            return place
        incoming = Path(tempfile.mkdtemp(prefix=_INCOMING, dir=packs_dir))
        try:
            shutil.copytree(indexed.folder, incoming / "new", symlinks=True)
            _flush(incoming / "new")
            if place.exists():
                place.rename(incoming / "old")
            try:
                (incoming / "new").rename(place)
            except OSError:
                if not (place / INDEX).is_file():  # else another process installed the same one just now
                    raise
            _flush_folder(packs_dir)
        finally:
            shutil.rmtree(incoming, ignore_errors=True)
    except OSError as cause:
        raise Unavailable(f"The pack can't be kept in {packs_dir}: {cause.strerror or cause}.") from cause
    return place


def _clear_leftovers(packs_dir: Path) -> None:
    """Removes what a publish that was killed left half done, once it is surely nobody's."""
    for each in packs_dir.glob(_INCOMING + "*"):
        with contextlib.suppress(OSError):
            if time.time() - each.stat().st_mtime > _LEFT_OVER_SECONDS:
                shutil.rmtree(each, ignore_errors=True)


def _flush(folder: Path) -> None:
    """Makes what stands in a folder survive a power cut."""
    for place, _, files in os.walk(folder):
        for name in files:
            path = Path(place) / name
            if not path.is_symlink():
                with path.open("rb") as file:
                    os.fsync(file.fileno())
        _flush_folder(Path(place))


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some file systems can't flush a folder
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


async def _run_indexer(
    scratch: Path, digest: str, python: str | None, env: Mapping[str, str]
) -> dict[str, Json]:
    """Runs the official indexer on the copy and gives its one line of answer. Raises Invalid."""
    interpreter = python or sys.executable
    output, errors = scratch / "stdout", scratch / "stderr"
    command = [interpreter, "-P", "-m", "kindgi.pack", "index", "--json", "--artifact-version", digest[:16]]
    try:
        child = await ChildProcess.start(
            [*command, "--pack-dir", str(scratch / "pack"), "--output", str(scratch / INDEX)],
            cwd=scratch / "pack",
            env=child_environment(env),
            stdout=Output(output, _MOST_OUTPUT),
            stderr=Output(errors, _MOST_OUTPUT),
        )
    except StartFailed as cause:
        raise Invalid(f"{interpreter} can't be run: {cause}.", code="bad-python", field="python") from cause
    try:
        await asyncio.wait_for(child.ended.wait(), INDEXING_SECONDS)
    except TimeoutError:
        raise Invalid(
            f"The pack's files were not imported after {INDEXING_SECONDS:.0f} seconds. Something in them waits or runs "
            "at import; move it into a function.",
            code="pack-import-timeout",
        ) from None
    finally:
        await child.close()
    answer = _answer(output.read_text("utf-8", "replace") if output.exists() else "")
    if answer is not None:
        return answer
    said = errors.read_text("utf-8", "replace").strip() if errors.exists() else ""
    last = _one_line(said.splitlines()[-1] if said else f"it ended with code {child.code}")
    if "No module named" in last and "kindgi" in last:
        raise Invalid(
            f"{interpreter} has no kindgi package. Install kindgi in it, or name another interpreter with --python.",
            code="bad-python",
            field="python",
        )
    if "unknown option -P" in said.lower():
        last = "it is older than Python 3.11"
    raise Invalid(f"The indexer did not answer: {last}.", code="pack-index-failed")


def _answer(text: str) -> dict[str, Json] | None:
    """The indexer's answer among whatever the pack's own code printed: the last that reads as one."""
    decoder = json.JSONDecoder()
    for line in reversed(text.splitlines()):
        start = max(line.rfind('{"kind":"ok"'), line.rfind('{"kind":"err"'))
        if start >= 0:
            with contextlib.suppress(ValueError, RecursionError):
                found, _ = decoder.raw_decode(line, start)
                if isinstance(found, dict):
                    return found
    return None


def _check_answer(answer: dict[str, Json], copy: Path, folder: Path) -> tuple[str, ...]:
    """The warnings of an answer that took every file. Raises Invalid, naming the file and the cause, for any other."""

    def words(value: Json) -> str:
        return _one_line(str(value).replace(str(copy.resolve()), str(folder)).replace(str(copy), str(folder)))

    error = answer.get("error")
    if answer.get("kind") != "ok" and isinstance(error, dict):
        hint = " `packs init` makes a small one." if error.get("code") == "config-not-found" else ""
        code = str(error.get("code") or "pack-index-failed")
        raise Invalid(words(error.get("message")).rstrip(".") + "." + hint, code=code, field="folder")
    value = answer.get("value")
    report = value if isinstance(value, dict) else {}
    failed = [each for each in _list(report.get("fileErrors")) if isinstance(each, dict)]
    if failed:
        sentence = words(_file_error(failed[0])).rstrip(".")
        others = len({str(each.get("filePath")) for each in failed} - {str(failed[0].get("filePath"))})
        more = f" ({others} more {'file' if others == 1 else 'files'} failed too.)" if others else ""
        raise Invalid(f"{sentence}. Nothing was published.{more}", code="pack-file-error", field="folder")
    return tuple(
        words(each.get("message")) for each in _list(report.get("warnings")) if isinstance(each, dict)
    )


def _file_error(error: dict[str, Json]) -> str:
    path, cause = error.get("filePath"), error.get("cause")
    if error.get("code") == "file-import-failed" and isinstance(cause, dict):
        hint = ""
        if cause.get("name") == "ModuleNotFoundError":
            hint = " (--python names the interpreter that has the pack's dependencies)"
        return f"{path} can't be imported: {cause.get('name')}: {cause.get('message')}{hint}"
    return str(error.get("message"))


def _read_index(path: Path, files: Path) -> PackIndex:
    try:
        document = json.loads(path.read_bytes())

        def code_of(module_path: str, tool_id: str) -> str:
            try:
                return code_digest((files / module_path).read_text("utf-8", "replace"), tool_id)
            except OSError:
                return ""

        return parse_index(document, code_of)
    except (OSError, ValueError, RecursionError) as cause:
        raise Invalid(
            f"The indexer's index can't be read: {_one_line(str(cause))}.", code="pack-index-failed"
        ) from cause


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _one_line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST_CAUSE else flat[:_LONGEST_CAUSE] + " …"
