"""Opening a workbench: the only place that knows both kinds (DESIGN section 3)."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from kindgi_tui.domain.base import Frozen

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from kindgi_tui.domain.catalog import Published
    from kindgi_tui.domain.queries import RunFilter
    from kindgi_tui.remote.credentials import Credentials
    from kindgi_tui.remote.pulling import Pulled
    from kindgi_tui.workbench import Workbench, WorkbenchError

WORKSPACE_VARIABLE = "KINDGI_TUI_WORKSPACE"
"""The environment variable that names the workspace folder."""


class Target(Frozen):
    """Which workbench to open, and as whom."""

    workspace: Path | None = None
    """The workspace folder; None: the environment's, else the user data directory's."""
    person: str | None = None
    """Who is acting; None: the login name. At a runtime it is who the token is."""
    url: str | None = None
    """The runtime's address; `dev` is that of the nearest `.kindgirc.json`."""
    profile: str | None = None
    """The name of the profile that has the runtime's address and token."""
    patient: bool = False
    """At a runtime, whether a verdict waits for its answer, as a command does; a screen never waits."""


class Opened(Frozen):
    """What opening found."""

    folder: Path
    """The workspace folder; at a runtime, the folder of the outbox."""
    created: bool
    """Whether it was made just now."""
    address: str | None = None
    """The runtime's address; None for a workspace."""
    source: str | None = None
    """Where that address was named, for a person."""


def workspace_folder(target: Target) -> Path:
    """The folder a target names: given, else `KINDGI_TUI_WORKSPACE`, else in the user data directory."""
    if target.workspace is not None:
        return target.workspace.expanduser().absolute()
    named = os.environ.get(WORKSPACE_VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    return data_folder() / "workspace"


def demo_folder() -> Path:
    """Where the demo's workspace stands, apart from one's own."""
    return data_folder() / "demo"


def data_folder() -> Path:
    """The user data directory of kindgi-tui."""
    import platformdirs

    return Path(platformdirs.user_data_dir("kindgi-tui"))


def runtime_of(target: Target) -> "Credentials | None":
    """The runtime a target means, with its token; None for a workspace on this machine.

    What is named on the command line counts before the environment, and what names kindgi-tui's own workspace before
    what names a runtime for every Kindgi program: `--url`, `--profile`, `--workspace`, `KINDGI_TUI_WORKSPACE`,
    `KINDGI_API_URL`, the profile in use, the default workspace. A `.kindgirc.json` outlives the runtime that wrote it,
    so it is used only when it is asked for (`--url dev`), and for the token of its own address.
    Raises Invalid, NotFound, Denied (no token), Unavailable (the profiles' file).
    """
    if target.url is None and target.profile is None and names_workspace(target):
        return None
    from kindgi_tui.config.profiles import load_profiles
    from kindgi_tui.remote.credentials import credentials_of

    return credentials_of(target.url, target.profile, os.environ, Path.cwd(), load_profiles)


def workspace_overrides(target: Target) -> bool:
    """Whether `KINDGI_TUI_WORKSPACE` decides where a target works, although a runtime is named too.

    That is by `KINDGI_API_URL` or the profile in use; profiles that can't be read name none.
    """
    if target.url is not None or target.profile is not None or target.workspace is not None:
        return False
    named = naming_variables()
    if WORKSPACE_VARIABLE not in named:
        return False
    if len(named) > 1:
        return True
    from kindgi_tui.config.profiles import load_profiles
    from kindgi_tui.workbench import WorkbenchError

    try:
        return load_profiles().current is not None
    except WorkbenchError:
        return False


def naming_variables() -> tuple[str, ...]:
    """The environment variables that are set and say where to work, the one that counts first."""
    from kindgi_tui.remote.credentials import URL_VARIABLE

    return tuple(name for name in (WORKSPACE_VARIABLE, URL_VARIABLE) if os.environ.get(name))


def names_workspace(target: Target) -> bool:
    """Whether a workspace is named, by the target or the environment."""
    return target.workspace is not None or bool(os.environ.get(WORKSPACE_VARIABLE))


def where_of(target: Target) -> str:
    """Where a target works, before it is opened: an address or a folder. Raises as `runtime_of`."""
    runtime = runtime_of(target)
    return str(workspace_folder(target)) if runtime is None else runtime.address


def runtime_address(url: str) -> str:
    """An address in its one spelling. Raises Invalid."""
    from kindgi_tui.remote.address import normal_address

    return normal_address(url)


def token_given(address: str) -> str | None:
    """The environment's token where it belongs to that address; None otherwise. Raises Invalid for one that is none."""
    from kindgi_tui.remote.credentials import token_given as given

    token = given(address, os.environ)
    return None if token is None else token.get_secret_value()


def outbox_folder() -> Path:
    """Where verdicts wait that a runtime doesn't have yet."""
    return data_folder() / "outbox"


async def open_workbench(target: Target) -> tuple["Workbench", Opened]:
    """Opens a runtime, or the workspace, made with mode 0700 when it is missing. Raises the errors of `workbench`.

    Nothing is asked of a runtime yet: the first call does.
    """
    runtime = runtime_of(target)
    if runtime is not None:
        return await _open_remote(target, runtime)
    from kindgi_tui.local.workbench import open_local

    folder = workspace_folder(target)
    workbench, created = await open_local(folder, target.person)
    return workbench, Opened(folder=folder, created=created)


async def _open_remote(target: Target, runtime: "Credentials") -> tuple["Workbench", Opened]:
    from kindgi_tui.remote.workbench import open_remote
    from kindgi_tui.workbench import Invalid

    if target.person is not None:
        raise Invalid(
            "At a runtime, who acts is who the token is: leave --as out, or use that person's token.",
            field="as",
        )
    folder = outbox_folder()
    remote = await open_remote(runtime.address, runtime.token, folder, patient=target.patient)
    return remote, Opened(folder=folder, created=False, address=runtime.address, source=runtime.source)


async def pull_runs(target: Target, query: "RunFilter", most: int | None) -> "AsyncIterator[Pulled]":
    """Copies of a runtime's runs, newest first, at most `most`; `target` names the runtime.

    A project in `query` is named by id, slug or name. Raises Invalid when no runtime is named, and what asking it
    raises.
    """
    from kindgi_tui.config.profiles import load_profiles
    from kindgi_tui.remote.credentials import credentials_of
    from kindgi_tui.remote.pulling import pull
    from kindgi_tui.remote.workbench import open_remote
    from kindgi_tui.workbench import Invalid

    runtime = credentials_of(target.url, target.profile, os.environ, Path.cwd(), load_profiles)
    if runtime is None:
        raise Invalid("Name the runtime to copy from: --url, --profile or KINDGI_API_URL.", field="url")
    remote = await open_remote(runtime.address, runtime.token, outbox_folder())
    try:
        if query.project_id is not None:
            project = await remote.projects.get(query.project_id)
            query = query.model_copy(update={"project_id": project.id})
        async for pulled in pull(remote, query, most):
            yield pulled
    finally:
        await remote.close()


def init_pack(folder: Path, name: str) -> tuple[Path, ...]:
    """Writes a small pack that works into an empty or new folder; gives its files. Raises Invalid, Conflict."""
    from kindgi_tui.local.packs.scaffold import init_pack as write

    return write(folder, name)


async def watch_pack(
    folder: Path, publish: "Callable[[Path], Awaitable[Published]]"
) -> "AsyncIterator[Published | WorkbenchError]":
    """Publishes a pack's folder now and at every save: what each publish came to, or why it was refused."""
    import asyncio

    from kindgi_tui.local.packs.watching import PublishedAgain, Refused, watch

    async for event in watch(folder, publish, asyncio.Event()):
        if isinstance(event, PublishedAgain):
            yield event.result
        elif isinstance(event, Refused):
            yield event.error


def store_damage(target: Target) -> str | None:
    """What is wrong with the workspace's file, in SQLite's words; None when it is whole or not there."""
    from kindgi_tui.local.workbench import FILE_NAME
    from kindgi_tui.storage.checking import damage

    file = workspace_folder(target) / FILE_NAME
    return damage(file) if file.is_file() else None


def network_file_system(folder: Path) -> str | None:
    """The kind of network file system a folder is on; None on a local disk."""
    from kindgi_tui.storage.filesystem import network_type

    return network_type(folder)
