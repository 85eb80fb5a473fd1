"""Calling a pack's tools: one official pack service per snapshot, in a process of its own (DESIGN section 9)."""

import asyncio
import contextlib
import json
import secrets
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from kindgi_tui.domain.base import Json
from kindgi_tui.local.packs.process import ChildProcess, Output, StartFailed, child_environment
from kindgi_tui.local.packs.tool_results import ToolResult, failure, result_of, shortened
from kindgi_tui.workbench import Invalid, Unavailable

if TYPE_CHECKING:
    import aiohttp

CALLS_AT_ONCE = 32
"""How many calls one service takes at once; more wait their turn, before their deadline starts."""
LARGEST_OUTPUT = 64 * 1024 * 1024
"""A result of more bytes than this is a failure of the call."""
LOG_BYTES = 4 * 1024 * 1024
"""How large a service's log file grows before it starts anew, one older part beside it."""
OFFICIAL = Path(__file__).with_name("official_service.py")
"""What the pack's interpreter runs: `kindgi.pack serve`, answering without delay."""
START_SECONDS = 60.0
"""How long a service may take until it listens: its modules are imported first."""

_GRACE_SECONDS = 3.0
_MOST_OVERDUE = 8
_MOST_DEATHS = 3
_DEATHS_WITHIN = 60.0
_PARSED_IN_THREAD = 1 << 20


@dataclass
class _Running:
    """One process of a service, and what is going on in it."""

    child: ChildProcess
    session: "aiohttp.ClientSession"
    url: str
    in_flight: int = 0
    overdue: int = 0
    retired: bool = False
    mourned: bool = False

    @property
    def usable(self) -> bool:
        return not self.retired and not self.child.ended.is_set()

    async def close(self) -> None:
        self.retired = True
        await self.session.close()
        await self.child.close()


class PackService:
    """The service of one snapshot: its process starts at the first call, and again after it was stopped or died.

    Safe to call from many tasks of one event loop. A context manager; `stop()` ends the process.
    """

    def __init__(
        self,
        snapshot_path: Path,
        index_path: Path,
        python: str | None = None,
        env: Mapping[str, str] | None = None,
        *,
        log_path: Path,
        name: str = "",
    ) -> None:
        """`snapshot_path` holds the pack's files, `python` runs them (None: our own interpreter), `env` is what the
        pack's own environment holds besides the machine's basics, `log_path` gets what its code prints.
        """
        self.name = name or snapshot_path.name
        """What sentences call the pack."""
        self.log_path = log_path
        """The log of the service and of the pack's code."""
        self._files, self._index, self._python, self._env = snapshot_path, index_path, python, dict(env or {})
        self._running: _Running | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._lock = asyncio.Lock()
        self._slots = asyncio.Semaphore(CALLS_AT_ONCE)
        self._deaths: list[float] = []
        self._calls = 0
        self.last_used = time.monotonic()
        """When the last call ended, on the monotonic clock."""

    @property
    def pid(self) -> int | None:
        """The process that serves now; None while there is none."""
        return self._running.child.pid if self._running is not None and self._running.usable else None

    @property
    def busy(self) -> bool:
        """Whether calls are running or waiting."""
        return self._calls > 0

    async def invoke(
        self,
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
        """Calls a tool. `env` are the values its `ctx.env` holds, `settings` those of `ctx.settings` by block id,
        `timeout_ms` the deadline of this call.

        What the call came to, a service that died during it included, is in the result. Raises Invalid (an
        environment variable the pack requires has no value) and Unavailable (the service can't be started) only
        where the call was never made.
        """
        context = {
            "tenantId": "local",
            "runId": run_id,
            "projectId": project_id,
            "requestId": call_id,
            "idempotencyKey": idempotency_key,
            "env": dict(env or {}),
            "settings": dict(settings) if settings else None,
        }
        message = {
            "v": 2,
            "kind": "invoke",
            "tool": {"id": tool_id} | ({} if version is None else {"version": version}),
            "input": input,
            "ctx": {key: value for key, value in context.items() if value is not None},
        }
        try:
            body = json.dumps(message, ensure_ascii=True, allow_nan=False).encode()
        except (ValueError, RecursionError) as cause:
            return failure(
                "input-validation-failed", f"The arguments of {tool_id} can't be written as JSON: {cause}."
            )
        self._calls += 1
        try:
            async with self._slots:
                return await self._call(tool_id, body, timeout_ms)
        finally:
            self._calls -= 1
            self.last_used = time.monotonic()

    async def _call(self, tool_id: str, body: bytes, timeout_ms: int) -> ToolResult:
        import aiohttp

        for attempt in (1, 2):
            running = await self._ready()
            running.in_flight += 1
            try:
                async with asyncio.timeout(timeout_ms / 1000 + _GRACE_SECONDS):
                    return await self._exchange(running, tool_id, body, timeout_ms)
            except TimeoutError:
                # The deadline is the service's to keep; one that doesn't is stuck, and so is all that runs in it.
                self._died(running)
                return failure("deadline-exceeded", f"{tool_id} passed its deadline of {timeout_ms} ms.")
            except aiohttp.ClientConnectorError:
                self._died(running)  # nothing was sent, so nothing ran: once more in a new process
                if attempt == 2:
                    break
            except (aiohttp.ClientError, ConnectionError):
                self._died(running)
                return failure("service-stopped", f"{await self._stopped(running)} while it ran {tool_id}.")
            finally:
                running.in_flight -= 1
                if running.retired and running.in_flight == 0:
                    self._close_later(running)
        return failure("service-stopped", f"The pack service of {self.name} can't be reached.")

    async def _exchange(self, running: _Running, tool_id: str, body: bytes, timeout_ms: int) -> ToolResult:
        async with running.session.post(
            f"{running.url}/v1/invoke", data=body, headers={"kindgi-timeout-ms": str(max(1, timeout_ms))}
        ) as response:
            payload = bytearray()
            async for chunk in response.content.iter_any():
                payload += chunk
                if len(payload) > LARGEST_OUTPUT:
                    response.close()
                    size = f"{LARGEST_OUTPUT // 1024**2} MB"
                    return failure("output-too-large", f"{tool_id} returned more than {size}.")
            status = response.status
        try:
            small = len(payload) < _PARSED_IN_THREAD
            answer = json.loads(payload) if small else await asyncio.to_thread(json.loads, bytes(payload))
        except (ValueError, RecursionError):
            answer = None
        result = result_of(tool_id, status, answer)
        if result.error is not None and result.error.code == "deadline-exceeded":
            # A handler that isn't async keeps its thread; with too many of them lost the process is replaced.
            running.overdue += 1
            if running.overdue >= _MOST_OVERDUE:
                self._retire(running)
        return result

    async def _ready(self) -> _Running:
        async with self._lock:
            if self._running is not None and not self._running.usable:
                self._died(self._running)
            if self._running is None:
                self._check_deaths()
                try:
                    self._running = await self._start()
                except Unavailable:
                    self._deaths.append(time.monotonic())
                    raise
            return self._running

    def _died(self, running: _Running) -> None:
        """Counts a process that ended or got stuck by itself, once."""
        if not running.mourned:
            running.mourned = True
            self._deaths.append(time.monotonic())
        self._retire(running)

    def _check_deaths(self) -> None:
        now = time.monotonic()
        self._deaths = [at for at in self._deaths if now - at < _DEATHS_WITHIN]
        if len(self._deaths) >= _MOST_DEATHS:
            raise Unavailable(
                f"The pack service of {self.name} stopped {_MOST_DEATHS} times within a minute. "
                f"Its log says why: {self.log_path}",
                retry_after=_DEATHS_WITHIN - (now - self._deaths[0]),
            )

    async def _start(self) -> _Running:
        import aiohttp

        self._check_env()
        token = secrets.token_urlsafe(32)
        interpreter = self._python or sys.executable
        settings = {
            "KINDGI_PACK_SERVICE_TOKEN": token,
            "KINDGI_PACK_SERVICE_MAX_CONCURRENCY": str(CALLS_AT_ONCE),
            "KINDGI_LOG_FORMAT": "json",
            "PORT": "0",
        }
        command = [interpreter, "-P", str(OFFICIAL), "serve", "--host", "127.0.0.1"]
        log = Output(self.log_path, LOG_BYTES)
        try:
            self.log_path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            child = await ChildProcess.start(
                [*command, "--index", str(self._index), "--module-root", str(self._files)],
                cwd=self._files,
                env=child_environment(self._env | settings),
                stdout=log,
                stderr=log,
                events=("listening", "boot-failed", "config-invalid"),
                grace=1.0,
            )
        except (StartFailed, OSError) as cause:
            raise Unavailable(
                f"The pack service of {self.name} can't be started with {interpreter}: {cause}."
            ) from cause
        try:
            port = await asyncio.wait_for(self._listening(child), START_SECONDS)
        except TimeoutError:
            await child.close()
            raise Unavailable(
                f"The pack service of {self.name} did not start within {START_SECONDS:.0f} seconds; see {self.log_path}"
            ) from None
        except BaseException:
            await child.close()
            raise
        session = aiohttp.ClientSession(
            # The service closes idle connections after 5 s; ours go first, so a call never meets a closed one.
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=3.0),
            headers={"kindgi-pack-token": token, "content-type": "application/json"},
            timeout=aiohttp.ClientTimeout(total=None),
            auto_decompress=False,
        )
        return _Running(child, session, f"http://127.0.0.1:{port}")

    def _check_env(self) -> None:
        try:
            declared = json.loads(self._index.read_bytes()).get("env") or {}
        except (OSError, ValueError, AttributeError) as cause:
            raise Unavailable(f"The index of pack {self.name} can't be read: {cause}.") from cause
        missing = [name for name in declared.get("required", ()) if not self._env.get(name)]
        if missing:
            raise Invalid(
                f"Pack {self.name} needs {', '.join(missing)} in its environment. "
                f"Give {'it a value' if len(missing) == 1 else 'them values'} with `packs env set`.",
                code="pack-env-missing",
                field=missing[0],
            )

    async def _listening(self, child: ChildProcess) -> int:
        while True:
            event = await child.events.get()
            kind = (event or {}).get("event")
            if event is not None and kind == "listening" and isinstance(event.get("port"), int):
                return int(event["port"])
            if event is not None and kind in ("boot-failed", "config-invalid"):
                problems = event.get("problems")
                first = problems[0] if isinstance(problems, list) and problems else event.get("msg")
                raise Unavailable(f"The pack service of {self.name} did not start: {shortened(first)}")
            if event is None or kind == "ended":
                raise Unavailable(
                    f"The pack service of {self.name} ended before it listened (code {child.code}); see {self.log_path}"
                )

    async def _stopped(self, running: _Running) -> str:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(running.child.ended.wait(), 1.0)
        code = running.child.code
        return f"The pack service of {self.name} stopped" + (f" (code {code})" if code is not None else "")

    def _retire(self, running: _Running) -> None:
        """No new call goes to this process; it ends with its last call."""
        running.retired = True
        if self._running is running:
            self._running = None
        if running.in_flight == 0:
            self._close_later(running)

    def _close_later(self, running: _Running) -> None:
        task = asyncio.ensure_future(running.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def stop(self) -> None:
        """Ends the process, if there is one; calls that run in it fail. The next call starts another."""
        async with self._lock:
            if self._running is not None:
                running, self._running = self._running, None
                await running.close()
            while self._closing:
                await asyncio.gather(*self._closing, return_exceptions=True)

    async def __aenter__(self) -> "PackService":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.stop()
