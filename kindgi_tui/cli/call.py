"""One command being run: the workbench it opened, who asked for what, and where it prints."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any

from kindgi_tui.cli import logs
from kindgi_tui.cli.errors import say
from kindgi_tui.cli.next_steps import in_place, put_in_place
from kindgi_tui.cli.output import Out
from kindgi_tui.cli.shared_options import Asked

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench


class Call:
    """What a command's function is given."""

    def __init__(self, asked: Asked, bench: "Workbench | None" = None) -> None:
        self.asked = asked
        """The shared options."""
        self.out = Out()
        """Where it prints."""
        self.waiting_told = False
        """Whether the command itself says what waits to be sent."""
        self._bench = bench

    @property
    def bench(self) -> "Workbench":
        """The open workbench."""
        if self._bench is None:
            raise RuntimeError("this command opens no workspace")
        return self._bench

    @property
    def remote(self) -> bool:
        """Whether it works at a runtime."""
        return self._bench is not None and self._bench.where.startswith(("http://", "https://"))

    def hint(self, words: str) -> str:
        """Words that name a command, which then works where this one does: with the options that said where."""
        return in_place(self.asked, words)

    @property
    def json(self) -> bool:
        """Whether to print for programs."""
        return self.asked.json

    async def project_id(self, reference: str | None) -> str:
        """The id of the project with that id, slug or name; of the default one without. Raises NotFound."""
        return (await self.bench.projects.get(reference)).id

    async def project_id_if(self, reference: str | None) -> str | None:
        """The same, but None (all projects) without a reference."""
        return None if reference is None else await self.project_id(reference)


def run_call(
    asked: Asked, function: Callable[..., Awaitable[int | None]], options: dict[str, Any], *, opens: bool
) -> int:
    """Runs a command's function to its end and gives its exit code."""

    async def whole() -> int | None:
        if not opens:
            return await function(Call(asked), **options)
        async with opened(asked) as bench:
            call = Call(asked, bench)
            code = await function(call, **options)
            if call.remote and not call.waiting_told:
                await _say_what_waits(call)
            return code

    try:
        return asyncio.run(whole()) or 0
    except Exception as cause:
        from kindgi_tui.workbench import WorkbenchError

        if isinstance(cause, WorkbenchError):
            put_in_place(asked, cause)
        raise


@contextlib.asynccontextmanager
async def opened(asked: Asked) -> "AsyncIterator[Workbench]":
    """The workbench the shared options name; it is closed in the end.

    Says so when it made the workspace, and where it works when that wasn't said on this line.
    """
    from kindgi_tui.opening import (
        WORKSPACE_VARIABLE,
        Target,
        open_workbench,
        workspace_folder,
        workspace_overrides,
    )

    target = Target(
        workspace=asked.workspace, person=asked.person, url=asked.url, profile=asked.profile, patient=True
    )
    logs.remember_workspace(workspace_folder(target))
    bench, found = await open_workbench(target)
    try:
        if found.created:
            say(f"Made a new workspace in {found.folder}.")
        if found.address is not None and asked.url is None and asked.profile is None:
            say(f"At {found.address} ({found.source}).")
        if found.address is None and workspace_overrides(target):
            say(f"In {found.folder} ({WORKSPACE_VARIABLE}).")
        await bench.outbox.begin()
        yield bench
    finally:
        await bench.close()


async def _say_what_waits(call: Call) -> None:
    counts = await call.bench.outbox.counts()
    if counts.waiting:
        words = "verdict waits" if counts.waiting == 1 else "verdicts wait"
        say(call.hint(f"{counts.waiting} {words} to be sent. See: kindgi-tui outbox list"))
    if counts.refused:
        words = "verdict needs" if counts.refused == 1 else "verdicts need"
        say(call.hint(f"{counts.refused} {words} your decision. See: kindgi-tui outbox list"))
