"""One try of a call to an OpenAI-compatible address, over aiohttp."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kindgi_tui.domain.base import Json
from kindgi_tui.local.models.calls import ModelReply, ModelRequest
from kindgi_tui.local.models.failures import ModelGarbled, ModelRefused, ModelUnavailable, NoProvider
from kindgi_tui.local.models.openai_chat import error_code, error_sentence, read_answer, request_body
from kindgi_tui.local.models.providers import Provider
from kindgi_tui.local.models.retrying import Fault, TryFailed, retry_after
from kindgi_tui.local.models.wire_text import encoded, short

if TYPE_CHECKING:
    import aiohttp

_LARGEST = 64 * 1024 * 1024
_CONNECT_S = 15
_QUOTA = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")


class OpenAIClient:
    """Keeps the connections to one address: as many as calls may be under way, kept alive in between."""

    def __init__(self, provider: Provider, key: str | None, now: Callable[[], float]) -> None:
        self._provider = provider
        self._key = key
        self._now = now
        self._url = provider.base_url + "/chat/completions"
        self._session: aiohttp.ClientSession | None = None

    async def send(self, request: ModelRequest) -> ModelReply:
        """The model's reply. Raises TryFailed; never retries."""
        name = self._provider.name
        try:
            body = encoded(request_body(request, self._provider))
        except (ValueError, TypeError, RecursionError) as error:
            raise TryFailed(
                ModelRefused(f"The request to {name} can't be written as JSON: {short(str(error))}."),
                Fault.FINAL,
            ) from None
        status, headers, raw = await self._exchange("POST", self._url, body)
        answer = _json(raw)
        if status != 200:
            raise self._failed(status, headers, answer, raw)
        if isinstance(answer, dict) and "error" in answer and not answer.get("choices"):
            # Some gateways wrap the failure of the provider behind them in a 200.
            code = error_code(answer)
            inner = code if isinstance(code, int) and 400 <= code <= 599 else 400
            if answer["error"]:
                raise self._failed(inner, headers, answer, raw)
        if answer is None:
            said = short(raw[:200].decode("utf-8", "replace"), self._key, 80)
            what = f"something that is not JSON: {said!r}" if said else "nothing"
            raise TryFailed(
                ModelGarbled(f"{name} answered {what}. Check base_url ({self._provider.base_url})."),
                Fault.GARBLED,
            )
        reply = read_answer(answer, request, self._provider)
        if isinstance(reply, str):
            raise TryFailed(ModelGarbled(f"{name} answered, but {reply}."), Fault.GARBLED)
        return reply

    async def offered(self) -> tuple[str, ...]:
        """The model names the address offers (`GET /models`), at most 1,000. Raises TryFailed."""
        status, headers, raw = await self._exchange("GET", self._provider.base_url + "/models", None)
        answer = _json(raw)
        if status != 200:
            raise self._failed(status, headers, answer, raw)
        listed = answer.get("data") if isinstance(answer, dict) else None
        found = [m.get("id") for m in listed if isinstance(m, dict)] if isinstance(listed, list) else []
        return tuple(name for name in found[:1000] if isinstance(name, str))

    async def close(self) -> None:
        """Closes the connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _exchange(
        self, method: str, url: str, body: bytes | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        import aiohttp

        provider = self._provider
        session = self._session
        try:
            if session is None:
                session = self._session = self._opened()
            async with (
                asyncio.timeout(provider.timeout_s),
                # A redirect is never followed: the key belongs to this address alone.
                session.request(method, url, data=body, allow_redirects=False) as response,
            ):
                parts: list[bytes] = []
                size = 0
                async for part in response.content.iter_any():
                    size += len(part)
                    if size > _LARGEST:
                        raise TryFailed(
                            ModelGarbled(f"{provider.name} answered more than {_LARGEST >> 20} MB."),
                            Fault.FINAL,
                        )
                    parts.append(part)
                return response.status, response.headers, b"".join(parts)
        except aiohttp.ConnectionTimeoutError:
            raise TryFailed(
                ModelUnavailable(
                    f"{provider.name} can't be reached at {provider.base_url}: no connection in time."
                ),
                Fault.SILENCE,
            ) from None
        except TimeoutError:
            raise TryFailed(
                ModelUnavailable(
                    f"{provider.name} gave no answer within {provider.timeout_s:g} s. "
                    f"Try again, or raise `timeout_s` for it in models.toml."
                ),
                Fault.SILENCE,
            ) from None
        except aiohttp.ClientPayloadError:
            raise TryFailed(
                ModelGarbled(f"{provider.name} broke off in the middle of its answer."), Fault.TROUBLE
            ) from None
        except aiohttp.InvalidURL:
            raise TryFailed(
                NoProvider(f"base_url of {provider.name} is no address: {provider.base_url}."), Fault.FINAL
            ) from None
        except aiohttp.ClientConnectorError as error:
            raise TryFailed(
                ModelUnavailable(
                    f"{provider.name} can't be reached at {provider.base_url}: "
                    f"{short(_why(error), self._key)}. Is it running?"
                ),
                Fault.TROUBLE,
            ) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            words = short(str(error), self._key) or type(error).__name__
            raise TryFailed(
                ModelUnavailable(f"The connection to {provider.name} was lost: {words}."), Fault.TROUBLE
            ) from None

    def _opened(self) -> "aiohttp.ClientSession":
        import aiohttp

        headers = {"Content-Type": "application/json", "Accept": "application/json", **self._provider.headers}
        if self._key:
            header = self._provider.api_key_header
            headers[header] = f"Bearer {self._key}" if header.lower() == "authorization" else self._key
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self._provider.concurrency or 16, keepalive_timeout=60),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S),
            headers=headers,
            proxy=_proxy(self._provider.base_url),
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    def _failed(self, status: int, headers: Mapping[str, str], answer: Json, raw: bytes) -> TryFailed:
        """What a status other than 200 means."""
        name = self._provider.name
        said = error_sentence(answer) or raw[:2000].decode("utf-8", "replace")
        words = short(said, self._key)
        told = f": {words}" if words else "."
        if words and words[-1] not in ".!?…":
            told += "."
        after = retry_after(headers, self._now())
        if status == 429 and error_code(answer) in _QUOTA:
            return TryFailed(ModelRefused(f"{name} has no credit left (429){told}"), Fault.FINAL)
        if status == 429 or (status in (503, 529) and after is not None):
            wait = f" It asks to wait {after:.0f} s." if after is not None else ""
            limited = "limits the rate of calls" if status == 429 else "is overloaded"
            return TryFailed(
                ModelUnavailable(f"{name} {limited} ({status}){told}{wait}", retry_after=after), Fault.LIMITED
            )
        if status == 408 or (status >= 500 and status not in (501, 505)):
            return TryFailed(ModelUnavailable(f"{name} is in trouble ({status}){told}"), Fault.TROUBLE)
        return TryFailed(self._refused(status, headers, told), Fault.FINAL)

    def _refused(self, status: int, headers: Mapping[str, str], told: str) -> ModelRefused:
        provider = self._provider
        if 300 <= status < 400:
            target = urlsplit(headers.get("Location", ""))
            where = f"{target.scheme}://{target.netloc}{target.path}" if target.netloc else target.path
            return ModelRefused(
                f"{provider.name} points to another address ({status}): {short(where)}. Put it into base_url."
            )
        hint = ""
        if status in (401, 403):
            hint = (
                f" Check {provider.api_key_env}."
                if provider.api_key_env
                else " Name its key in `api_key_env`."
            )
        elif status == 404:
            hint = f" Check the model's name and base_url ({provider.base_url})."
        elif "response_format" in told:
            hint = f' Set `typed_output = "instructions"` for {provider.name} in models.toml.'
        return ModelRefused(f"{provider.name} refused the request ({status}){told}{hint}")


def _json(raw: bytes) -> Json:
    """The JSON value of an answer; None when it is none (an answer of `null` is none either)."""
    try:
        value: Json = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value


def _why(error: "aiohttp.ClientConnectorError") -> str:
    # A certificate error has no os_error, though it is a connector error.
    inner = getattr(error, "os_error", error)
    return getattr(inner, "strerror", None) or str(inner)


def _proxy(url: str) -> str | None:
    """The proxy the environment names for an address. Read once: aiohttp's own reading costs every call a file."""
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(url)
    if not parts.hostname or proxy_bypass(parts.hostname):
        return None
    found = getproxies().get(parts.scheme)
    # aiohttp speaks to HTTP proxies alone.
    return (
        found
        if found and found.startswith("http") and parts.hostname not in ("127.0.0.1", "localhost", "::1")
        else None
    )
