"""Requests to one runtime: its token, time limits, what is asked again and what never is (DESIGN section 10)."""

import asyncio
import json
import random
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import urlencode

import httpx
from pydantic import SecretStr

from kindgi_tui import __version__
from kindgi_tui.domain.base import Json
from kindgi_tui.remote.address import is_loopback
from kindgi_tui.remote.failures import (
    BUSY_KEY,
    NoAnswer,
    NotSent,
    failure,
    garbled,
    is_web_page,
    retry_after,
    web_page,
)
from kindgi_tui.remote.unreached import unreached
from kindgi_tui.workbench import WorkbenchError

ATTEMPTS = 4
"""How often a request is sent at most."""

READ_AGAIN = frozenset({429, 502, 503, 504})
"""Statuses after which a read is sent again."""

WRITE_AGAIN = frozenset({429, 503})
"""Statuses after which a write with a key is sent again: they say that nothing ran."""

LONGEST_WAIT = 20.0
"""A `Retry-After` of more seconds than this isn't waited for: the error says when to try again."""

Query = Sequence[tuple[str, str | None]]
"""Query parameters; those that are None are left out, a name may stand more than once."""


class Limits(NamedTuple):
    """How long things may take, in seconds."""

    connect: float = 10.0
    """Until there is a connection."""
    silence: float = 30.0
    """Between two pieces of an answer."""
    whole: float = 90.0
    """Until an answer is there whole, however steadily it trickles in."""


class Answer(NamedTuple):
    """What came back for one sending."""

    status: int
    """The HTTP status."""
    body: Json
    """The parsed JSON; None when it was none."""
    is_json: bool
    """Whether it was JSON."""
    headers: Mapping[str, str]
    """The headers, names in lower case."""
    size: int
    """The bytes of the body."""

    @property
    def ok(self) -> bool:
        """Whether it is what was asked for."""
        return 200 <= self.status < 300


def json_bytes(body: Json) -> bytes:
    """A body as it is sent. The bytes of one write are made once, and sent the same again."""
    return json.dumps(body, ensure_ascii=True, separators=(",", ":")).encode("ascii")


class Transport:
    """One runtime's address, with the token that belongs to it."""

    def __init__(
        self,
        address: str,
        token: SecretStr | None,
        limits: Limits | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """`address` is normal (see `address`); `token` is sent nowhere else."""
        self.address = address
        """Where the runtime is."""
        self.skew = timedelta()
        """How far the runtime's clock is ahead of this machine's, by its newest answer."""
        self._token = token
        self._limits = limits or Limits()
        self._sleep = sleep
        self._client: httpx.AsyncClient | None = None

    async def read(self, path: str, query: Query = (), offered: str = "this") -> Json:
        """The JSON of a GET; sent again after a lost connection, 429, 502, 503 and 504.

        Raises the workbench's errors.
        """
        return (await self.read_answer(path, query, offered)).body

    async def read_answer(self, path: str, query: Query = (), offered: str = "this") -> Answer:
        """The same with its size and headers."""
        given = [(name, value.encode("utf-8", "surrogatepass")) for name, value in query if value is not None]
        target = f"{path}?{urlencode(given)}" if given else path
        for attempt in range(ATTEMPTS):
            last = attempt == ATTEMPTS - 1
            try:
                answer = await self.send("GET", target)
            except (NotSent, NoAnswer) as cause:
                # A runtime that says nothing for so long won't say more the next time; a lost connection may.
                if last or cause.code == "timeout":
                    raise
                await self._sleep(_pause(attempt))
                continue
            if answer.ok and answer.is_json:
                return answer
            if not last and answer.status in READ_AGAIN and await self._waited(answer, attempt):
                continue
            raise self.error(answer, offered)
        raise AssertionError("the last attempt returns or raises")

    async def write(
        self, method: str, path: str, body: bytes | None, key: str | None, offered: str = "this"
    ) -> Json:
        """The JSON of a write. Only one with a key is ever sent again, the same bytes with the same key.

        Without a key it is sent again only when nothing was sent at all. Raises the workbench's errors.
        """
        for attempt in range(ATTEMPTS):
            last = attempt == ATTEMPTS - 1
            try:
                answer = await self.send(method, path, body, key)
            except NotSent:
                if last:
                    raise
                await self._sleep(_pause(attempt))
                continue
            except NoAnswer as cause:
                if key is None or last or cause.code == "timeout":
                    raise
                await self._sleep(_pause(attempt))
                continue
            if answer.ok and answer.is_json:
                return answer.body
            again = key is not None and (answer.status in WRITE_AGAIN or is_in_flight(answer))
            if not last and again and await self._waited(answer, attempt):
                continue
            raise self.error(answer, offered)
        raise AssertionError("the last attempt returns or raises")

    async def send(
        self, method: str, target: str, body: bytes | None = None, key: str | None = None
    ) -> Answer:
        """Sends a request once. Raises NotSent when nothing was sent, NoAnswer when an answer is missing."""
        headers = {"accept": "application/json", "x-request-id": f"kindgi-tui-{uuid.uuid4()}"}
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token.get_secret_value()}"
        if body is not None:
            headers["content-type"] = "application/json"
        if key is not None:
            headers["idempotency-key"] = key
        try:
            async with asyncio.timeout(self._limits.whole):
                response = await self._opened().request(
                    method, self.address + target, content=body, headers=headers
                )
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as cause:
            raise NotSent(unreached(self.address, cause)) from None
        except (TimeoutError, httpx.TimeoutException):
            raise NoAnswer(
                f"{self.address} didn't answer in time. Try again, or see whether it is well.", code="timeout"
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.DecodingError):
            raise NoAnswer(
                f"The connection to {self.address} was lost before its answer was there. Try again; if it stays so, "
                "check the address."
            ) from None
        return self._answer(response)

    def error(self, answer: Answer, offered: str = "this") -> WorkbenchError:
        """The error an answer means that isn't what was asked for."""
        if answer.ok:
            if is_web_page(answer.headers):
                return web_page(self.address, answer.status, answer.headers.get("x-request-id"))
            kind = answer.headers.get("content-type", "nothing").split(";")[0][:80]
            return garbled(f"it isn't JSON ({kind})", answer.headers.get("x-request-id"))
        error = failure(answer.status, answer.body, answer.headers, self.address, offered)
        return self._without_token(error)

    async def close(self) -> None:
        """Ends the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def __repr__(self) -> str:
        """The address alone."""
        return f"Transport({self.address!r})"

    def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            self._client = httpx.AsyncClient(
                timeout=httpx.Timeout(self._limits.silence, connect=self._limits.connect),
                limits=httpx.Limits(max_connections=8, max_keepalive_connections=8),
                follow_redirects=False,
                # Reading the certificates of the world takes longer than a request, and http has none.
                verify=self.address.startswith("https:"),
                # A proxy from the environment never stands between this machine and itself.
                trust_env=not is_loopback(self.address),
                headers={"user-agent": f"kindgi-tui/{__version__}"},
            )
        return self._client

    def _answer(self, response: httpx.Response) -> Answer:
        headers = {name.lower(): value for name, value in response.headers.items()}
        self._look_at_clock(headers.get("date"))
        content = response.content
        try:
            body, is_json = json.loads(content), True
        except (ValueError, RecursionError):
            body, is_json = None, False
        return Answer(response.status_code, body, is_json, headers, len(content))

    def _look_at_clock(self, told: str | None) -> None:
        try:
            moment = parsedate_to_datetime(told or "")
        except ValueError:
            return
        aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        # The header has whole seconds: on average half a second has passed.
        self.skew = aware + timedelta(seconds=0.5) - datetime.now(UTC)

    async def _waited(self, answer: Answer, attempt: int) -> bool:
        """Waits as the answer asks; False when it asks for longer than anybody should sit there."""
        asked = retry_after(answer.headers)
        if asked is not None and asked > LONGEST_WAIT:
            return False
        await self._sleep(_pause(attempt) if asked is None else asked)
        return True

    def _without_token(self, error: WorkbenchError) -> WorkbenchError:
        token = self._token.get_secret_value() if self._token is not None else ""
        if token and token in error.sentence:
            error.sentence = error.sentence.replace(token, "•••")
            error.args = (error.sentence,)
        return error


def is_in_flight(answer: Answer) -> bool:
    """Whether the first sending of the same write still runs."""
    error = answer.body.get("error") if isinstance(answer.body, dict) else None
    return answer.status == 409 and isinstance(error, dict) and error.get("code") == BUSY_KEY


def _pause(attempt: int) -> float:
    return float(min(0.25 * 2**attempt, 4.0) * random.uniform(0.75, 1.25))
