"""`kindgi-tui doctor`: a look at this machine and the workspace. It never makes one."""

import importlib.util
import os
import platform
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from kindgi_tui import __version__
from kindgi_tui.cli.call import Call
from kindgi_tui.cli.errors import DONE, MACHINE
from kindgi_tui.cli.shared_options import Asked, as_verb
from kindgi_tui.cli.tables import Column, table
from kindgi_tui.domain.base import Json
from kindgi_tui.workbench import WorkbenchError

if TYPE_CHECKING:
    from kindgi_tui.opening import Target

PACKAGES = ("kindgi", "aiohttp", "pydantic", "click", "rich")
"""What the program needs, besides Python."""

OPTIONAL = (("anthropic", "models"),)
"""Packages that an extra brings, and the extra."""

LITTLE_SPACE = 200 * 1024 * 1024
"""Less room on the disk than this (bytes) is said."""

State = Literal["ok", "note", "trouble"]


class Finding(NamedTuple):
    """One thing that was looked at."""

    what: str
    """The thing."""
    state: State
    """`trouble` makes the exit code 4."""
    words: str
    """What is so, and what to do about it."""


async def doctor(call: Call) -> int:
    """Looks at Python, packages, the workspace, its disk, packs and models. Exit code 4 when something is wrong.

    Where a runtime is named it looks at that too: whether it answers, in which dialect, and who its token is. It never
    makes a workspace, and asks no model for anything.
    """
    from kindgi_tui.opening import Target, store_damage, workspace_folder

    asked = call.asked
    target = Target(workspace=asked.workspace, person=asked.person, url=asked.url, profile=asked.profile)
    folder = workspace_folder(target)
    findings = [*_machine(), *_place(folder)]
    if _has_workspace(folder):
        wrong = store_damage(target)
        words = "the file is whole" if wrong is None else f"{wrong}. Restore a backup."
        findings.append(Finding("integrity", "ok" if wrong is None else "trouble", words))
        findings += await _workspace(call, folder)
    findings += await _runtime(call, target)
    if call.json:
        troubled = any(one.state == "trouble" for one in findings)
        rows: list[Json] = [{"what": one.what, "state": one.state, "words": one.words} for one in findings]
        call.out.json({"ok": not troubled, "workspace": str(folder), "findings": rows})
    else:
        columns = [Column("WHAT"), Column("STATE"), Column("WHAT IS SO", least=20)]
        for line in table(columns, [(one.what, one.state, one.words) for one in findings], None):
            call.out.line(line)
    return MACHINE if any(one.state == "trouble" for one in findings) else DONE


noun = as_verb("doctor", example="kindgi-tui doctor", opens=False, both=True)(doctor)


def _machine() -> list[Finding]:
    python = platform.python_version()
    new_enough = sys.version_info >= (3, 11)
    found = [
        Finding("kindgi-tui", "ok", __version__),
        Finding(
            "python", "ok" if new_enough else "trouble", python if new_enough else f"{python}; 3.11 is needed"
        ),
    ]
    for name in PACKAGES:
        try:
            found.append(Finding(name, "ok", version(name)))
        except PackageNotFoundError:
            found.append(Finding(name, "trouble", "It is missing. Install kindgi-tui again."))
    for name, extra in OPTIONAL:
        there = importlib.util.find_spec(name) is not None
        words = version(name) if there else f"Not installed: pip install 'kindgi-tui[{extra}]' brings it."
        found.append(Finding(name, "ok" if there else "note", words))
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower()
    if encoding.replace("-", "") != "utf8":
        found.append(
            Finding("locale", "note", f"The terminal's encoding is {encoding}: some signs are replaced.")
        )
    return found


def _has_workspace(folder: Path) -> bool:
    return (folder / "workspace.db").is_file()


def _place(folder: Path) -> list[Finding]:
    from kindgi_tui.opening import network_file_system

    found = []
    if _has_workspace(folder):
        found.append(Finding("workspace", "ok", f"in {folder}"))
        if os.name == "posix" and folder.stat().st_mode & 0o077:
            found.append(
                Finding("privacy", "note", f"Others can read {folder}; chmod 700 keeps it to yourself.")
            )
    elif folder.exists() and not folder.is_dir():
        found.append(
            Finding("workspace", "trouble", f"{folder} is not a folder. Choose another with --workspace.")
        )
    else:
        found.append(Finding("workspace", "note", f"None yet in {folder}; any other command makes it."))
    there = next((parent for parent in (folder, *folder.parents) if parent.is_dir()), Path("/"))
    network = network_file_system(there)
    if network is not None:
        words = f"{there} is on a network file system ({network}), where SQLite's locks can't be trusted."
        found.append(Finding("file system", "trouble", f"{words} Choose a folder on a local disk."))
    if not os.access(there, os.W_OK):
        found.append(
            Finding("rights", "trouble", f"{there} can't be written. Change its rights or choose another.")
        )
    free = shutil.disk_usage(there).free
    state: State = "ok" if free > LITTLE_SPACE else "trouble"
    more = "" if state == "ok" else ". Make room before it is full"
    return [*found, Finding("disk", state, f"{free / 1024**3:.1f} GB free{more}")]


async def _runtime(call: Call, target: "Target") -> list[Finding]:
    """The runtime that is named, by an option, the environment or a profile; nothing where none is."""
    from kindgi_tui.cli.call import opened
    from kindgi_tui.opening import runtime_of

    try:
        runtime = runtime_of(target)
        if runtime is None:
            return []
        found = [Finding("runtime", "ok", f"{runtime.address} ({runtime.source})")]
        async with opened(call.asked) as bench:
            person = await bench.people.me()
            projects = await bench.projects.list()
            count = "1 project" if len(projects) == 1 else f"{len(projects):,} projects"
            found.append(Finding("answers", "ok", f"as {person.id}, with {count}"))
            counts = await bench.outbox.counts()
            waits = f"{counts.waiting:,} waiting, {counts.refused:,} refused"
            trouble = counts.waiting or counts.refused
            found.append(
                Finding("outbox", "note" if trouble else "ok", waits if trouble else "nothing waits")
            )
            return found
    except WorkbenchError as cause:
        return [Finding("runtime", "trouble", cause.sentence)]


async def _workspace(call: Call, folder: Path) -> list[Finding]:
    from kindgi_tui.cli.call import opened

    asked = Asked(folder, call.asked.person, call.asked.json)
    try:
        async with opened(asked) as bench:
            found = [Finding("opens", "ok", f"as {(await bench.people.me()).id}")]
            packs = await bench.packs.list()
            words = f"{len({one.pack_id for one in packs})} published, {len(packs)} snapshots"
            found.append(
                Finding("packs", "ok" if packs else "note", words if packs else "None published yet.")
            )
            models = await bench.models.list()
            named = ", ".join(one.provider for one in models)
            none = "None configured: only stored replies answer. See models list."
            found.append(Finding("models", "ok" if models else "note", named or none))
            return found
    except WorkbenchError as cause:
        return [Finding("opens", "trouble", cause.sentence)]
