"""The pool of pack services: one process per snapshot in use, started at its first call, stopped when idle."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from kindgi_tui.domain.base import Json
from kindgi_tui.local.packs.publishing import FILES, INDEX
from kindgi_tui.local.packs.service import PackService
from kindgi_tui.local.packs.tool_results import ToolResult
from kindgi_tui.workbench import NotFound

IDLE_SECONDS = 60.0
"""How long a service without calls is kept (DESIGN section 9: stopped after idle)."""


@dataclass(frozen=True)
class Launch:
    """What a snapshot's service is started with."""

    python: str | None = None
    """The interpreter; None: the workbench's own."""
    env: Mapping[str, str] = field(default_factory=dict)
    """The values set for the pack's environment variables."""
    name: str = ""
    """What sentences call the pack."""


async def _plain(_digest: str) -> Launch:
    return Launch()


class PackServices:
    """Runs tools of published snapshots, by the snapshot's digest. An async context manager: leaving it ends all."""

    def __init__(
        self,
        packs_dir: Path,
        launch: Callable[[str], Awaitable[Launch]] = _plain,
        *,
        logs_dir: Path | None = None,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        """`launch` is asked for a snapshot's interpreter and environment when its service is first used."""
        self._packs_dir = packs_dir
        self._logs_dir = logs_dir or packs_dir / "logs"
        self._launch = launch
        self._idle_seconds = idle_seconds
        self._services: dict[str, PackService] = {}
        self._lock = asyncio.Lock()
        self._reaper: asyncio.Task[None] | None = None

    async def invoke(
        self,
        digest: str,
        tool_id: str,
        version: str | None,
        input: Json,
        env: Mapping[str, str] | None = None,
        run_id: str = "",
        project_id: str | None = None,
        timeout_ms: int = 120_000,
        *,
        call_id: str | None = None,
        idempotency_key: str | None = None,
        settings: Mapping[str, dict[str, Json]] | None = None,
    ) -> ToolResult:
        """Calls a tool of the snapshot, as `PackService.invoke` does. Raises NotFound when it isn't there."""
        service = await self.service(digest)
        return await service.invoke(
            tool_id,
            version,
            input,
            env,
            run_id,
            project_id,
            timeout_ms,
            call_id=call_id,
            idempotency_key=idempotency_key,
            settings=settings,
        )

    async def service(self, digest: str) -> PackService:
        """The service of a snapshot; its process is started by a call. Raises NotFound."""
        async with self._lock:
            found = self._services.get(digest)
            if found is None:
                place = self._packs_dir / digest
                if not await asyncio.to_thread((place / INDEX).is_file):
                    raise NotFound(
                        f"The copy of pack {digest[:12]} is not in {self._packs_dir}. Publish the pack again."
                    )
                launch = await self._launch(digest)
                found = PackService(
                    place / FILES,
                    place / INDEX,
                    launch.python,
                    launch.env,
                    log_path=self._logs_dir / f"{digest[:16]}.log",
                    name=launch.name or digest[:12],
                )
                self._services[digest] = found
            if self._reaper is None or self._reaper.done():
                self._reaper = asyncio.ensure_future(self._stop_idle())
            return found

    @property
    def running(self) -> tuple[int, ...]:
        """The process ids of the services that run now."""
        return tuple(service.pid for service in self._services.values() if service.pid is not None)

    async def _stop_idle(self) -> None:
        """Stops what was not used for a while; ends itself when nothing runs."""
        while True:
            await asyncio.sleep(min(1.0, self._idle_seconds / 2))
            active = [each for each in self._services.values() if each.busy or each.pid is not None]
            if not active:
                return
            for service in active:
                if not service.busy and time.monotonic() - service.last_used >= self._idle_seconds:
                    await service.stop()

    async def close(self) -> None:
        """Ends every service; the next call would start one anew."""
        if self._reaper is not None:
            self._reaper.cancel()
            await asyncio.gather(self._reaper, return_exceptions=True)
            self._reaper = None
        services = list(self._services.values())
        self._services.clear()
        await asyncio.gather(*(service.stop() for service in services))

    async def __aenter__(self) -> "PackServices":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()
