"""The file a server leaves for the official clients, with a token that ends with the server."""

import contextlib
import fcntl
import json
import os
import re
import secrets
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from kindgi_tui.domain.projects import Person
from kindgi_tui.workbench import Denied, Workbench

DEV_FILE = ".kindgirc.json"
"""The file the official clients look for in the folder they run in."""

_NAME = re.compile(r"dev-file-\d+(?:-[0-9a-f]{8})?")


@contextlib.asynccontextmanager
async def dev_token(bench: Workbench, me: Person, here: Path) -> AsyncIterator[str]:
    """The secret of a token that is revoked when the server ends.

    A server that is killed leaves its token and its file behind: the next one in the workspace revokes the token, and
    forgets the file where that stands in `here`.
    """
    folder = Path(bench.where)
    name = f"dev-file-{os.getpid()}-{secrets.token_hex(4)}"
    # Held as long as the process lives, however it ends; before there is a token, so that nobody takes it for left.
    with _held(_lock(folder, name)):
        await _revoke_left(bench, folder)
        await _forget_left(bench, here)
        token, secret = await bench.tokens.add(name, me.id, me.right)
        try:
            yield secret
        finally:
            await bench.tokens.revoke(token.id)
            await _forget_left(bench, here)


@contextlib.contextmanager
def dev_file(path: Path, url: str, secret: str, me: Person) -> Iterator[None]:
    """The file while the server runs; what it holds is for its owner alone.

    One that stood there before, another runtime's, is put aside and back again: a server that is killed leaves it
    beside, with `.before` at its end.
    """
    text = json.dumps({"apiUrl": url, "token": secret, "userId": me.id}, indent=2) + "\n"
    scratch = path.with_name(f"{path.name}.{os.getpid()}.part")
    handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    before = _before(path)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        if path.is_file() and not before.exists():
            path.rename(before)
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            if path.read_text("utf-8") == text:
                path.unlink()
                if before.is_file():
                    before.rename(path)


async def _revoke_left(bench: Workbench, folder: Path) -> None:
    """Revokes the tokens of servers that are gone."""
    for token in await bench.tokens.list():
        if token.revoked_at is None and _NAME.fullmatch(token.name) and _is_free(_lock(folder, token.name)):
            await bench.tokens.revoke(token.id)
            _lock(folder, token.name).unlink(missing_ok=True)


async def _forget_left(bench: Workbench, here: Path) -> None:
    """Removes the files of servers that are gone, and puts back what was put aside for them."""
    path = here / DEV_FILE
    for one in (_before(path), path):
        if await _is_dead(bench, one):
            one.unlink(missing_ok=True)
    if not path.exists() and _before(path).is_file():
        _before(path).rename(path)


async def _is_dead(bench: Workbench, path: Path) -> bool:
    """Whether a dev file's token is one of this workspace that was revoked."""
    secret = _secret_in(path)
    if secret is None:
        return False
    try:
        await bench.tokens.find(secret)
    except Denied as cause:
        return cause.code == "auth-revoked"
    return False


def _secret_in(path: Path) -> str | None:
    try:
        told = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    secret = told.get("token") if isinstance(told, dict) else None
    return secret if isinstance(secret, str) else None


def _before(path: Path) -> Path:
    return path.with_name(f"{path.name}.before")


def _lock(folder: Path, name: str) -> Path:
    return folder / f"{name}.lock"


@contextlib.contextmanager
def _held(path: Path) -> Iterator[None]:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(handle)


def _is_free(path: Path) -> bool:
    """Whether no process holds the lock. Where that can't be told, one may."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True
