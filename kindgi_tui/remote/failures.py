"""What a runtime answers that isn't what was asked for, as the errors every face knows (DESIGN section 14)."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from kindgi_tui.domain.base import Json
from kindgi_tui.workbench import (
    Conflict,
    Denied,
    Invalid,
    NotFound,
    Refused,
    Unavailable,
    Unsupported,
    WorkbenchError,
)

NOT_OFFERED = frozenset({"route-not-found", "dispatcher-not-registered"})
"""Codes of what a runtime doesn't offer; the status 501 says the same."""

REFUSING = frozenset({400, 403, 404, 405, 409, 410, 413, 415, 422, 501})
"""Statuses that are an answer for good: asking the same again gives the same."""

BUSY_KEY = "idempotency-key-in-flight"
"""The code of a write whose first sending still runs: asking again later gives its answer."""

_CODES = (
    ("run-correction-", "correction-"),
    ("test-case-", "case-"),
    ("test-set-", "eval-suite-"),
    ("test-run-", "eval-run-"),
    ("corrector-group-", "judge-class-"),
    ("correction-", "judgment-"),
)
_PLAIN: dict[int, type[WorkbenchError]] = {403: Denied, 404: NotFound, 409: Conflict, 410: NotFound}
_LONGEST = 2_000
_LONGEST_WAIT = 86_400.0


class NotSent(Unavailable):
    """The request never reached the runtime: nothing ran."""

    default_code = "unreachable"


class NoAnswer(Unavailable):
    """The request may have reached the runtime, and no answer came back."""

    default_code = "no-answer"


def garbled(what: str, request_id: str | None = None) -> Unavailable:
    """The error for an answer this program can't read; `what` says what is wrong with it."""
    return Unavailable(
        f"The runtime answered with something this version of kindgi-tui can't read: {what}. "
        "Try again; if it stays so, update kindgi-tui or the runtime.",
        code="invalid-response",
        request_id=request_id,
    )


def is_web_page(headers: Mapping[str, str]) -> bool:
    """Whether an answer is a page for a browser."""
    return headers.get("content-type", "").split(";")[0].strip().lower() in (
        "text/html",
        "application/xhtml+xml",
    )


def web_page(address: str, status: int, request_id: str | None = None) -> Unavailable:
    """The error for an answer that is a web page: another program stands at the address, or before the runtime."""
    return Unavailable(_web_page(address, status), code="invalid-response", request_id=request_id)


def _web_page(address: str, status: int) -> str:
    return (
        f"{address} answered with a web page ({status}), not with JSON. Is this the address of a Kindgi runtime? Give "
        "the right one with --url or a profile."
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds `Retry-After` asks for, as a number or as a date; None without one or for nonsense.

    A date is measured from the answer's own `Date` where it has one: the runtime's clock may be another.
    """
    told = headers.get("retry-after", "")
    try:
        seconds = float(told)
    except ValueError:
        until, now = _moment(told), _moment(headers.get("date", "")) or datetime.now(UTC)
        if until is None:
            return None
        seconds = max(0.0, (until - now).total_seconds())
    return min(seconds, _LONGEST_WAIT) if seconds >= 0 else None


def _moment(text: str) -> datetime | None:
    """An HTTP date."""
    try:
        read = parsedate_to_datetime(text)
    except (ValueError, IndexError, OverflowError):
        return None
    return read if read.tzinfo is not None else read.replace(tzinfo=UTC)


def failure(
    status: int, body: Json, headers: Mapping[str, str], address: str, offered: str
) -> WorkbenchError:
    """The error an answer of that status means. `offered` names what was asked for, for what isn't offered."""
    error = body.get("error") if isinstance(body, dict) else None
    told = error if isinstance(error, dict) else {}
    named = told.get("code")
    code = old_code(named) if isinstance(named, str) and named.isascii() else None
    message = told.get("message") if isinstance(told.get("message"), str) else None
    request_id = told.get("requestId") or headers.get("x-request-id")
    request = str(request_id) if request_id is not None else None
    sentence = str(message)[:_LONGEST] if message else f"{address} answered {status} without saying why."
    if message is None and status < 500 and is_web_page(headers):
        sentence = _web_page(address, status)
    if code in NOT_OFFERED or status in (405, 501):
        said = f"This runtime doesn't offer {offered}: {sentence}"
        return Unsupported(said, code=code, request_id=request)
    refusals = _refusals(told.get("details"))
    if status == 400 and refusals:
        return Refused(sentence, refusals)
    if status in (400, 413, 415, 422):
        return Invalid(sentence, field=_field(told.get("details")), code=code, request_id=request)
    if status == 401:
        hint = (
            "Give a token that is valid now, with KINDGI_API_TOKEN or "
            f"`kindgi-tui profiles add NAME --url {address}`."
        )
        return Denied(f"{_ended(sentence)} {hint}", code=code, request_id=request)
    if status in _PLAIN:
        return _PLAIN[status](sentence, code=code, request_id=request)
    wait = retry_after(headers)
    if 300 <= status < 400:
        where = headers.get("location", "another address")[:200]
        return Unavailable(
            f"{address} sends us on to {where}, and a token is only ever sent to its own address. "
            "Give the right address with --url.",
            code="redirected",
            request_id=request,
        )
    sentence = _in_trouble(status, None if message is None else sentence, headers, address, request)
    return Unavailable(sentence, retry_after=wait, code=code, request_id=request)


def _in_trouble(
    status: int, message: str | None, headers: Mapping[str, str], address: str, request: str | None
) -> str:
    """What it is when a runtime answers that it can't answer now, and what to do."""
    wait = retry_after(headers)
    when = "later" if wait is None or wait < 1 else f"in {wait:.0f} s"
    if status == 429:
        told = "" if message is None else f": {_ended(message)}"
        begun = f"{address} takes no more requests for now (429){told or '.'}"
        return begun if "try again" in told.lower() else f"{begun} Try again {when}."
    if message is None:
        kind = headers.get("content-type", "").split(";")[0][:80]
        begun = f"{address} answered {status}" + (f" ({kind})" if kind else "")
        return f"{begun}: that isn't a Kindgi answer, or it is in trouble. Try again {when}."
    begun = f"{address} is in trouble ({status}): {_ended(message)}"
    about = "" if request is None else f" about request {request[:100]}"
    return f"{begun} Try again {when}; if it stays so, tell whoever runs it{about}."


def old_code(code: str) -> str:
    """A code of 0.4 by its 0.1 name, which is the one our errors carry."""
    for new, old in _CODES:
        if code.startswith(new):
            return old + code.removeprefix(new)
    return code


def _field(details: Json) -> str | None:
    issues = details.get("issues") if isinstance(details, dict) else None
    if isinstance(issues, list) and issues and isinstance(issues[0], dict):
        path = issues[0].get("path")
        return path if isinstance(path, str) else None
    return None


def _refusals(details: Json) -> tuple[tuple[int, WorkbenchError], ...]:
    """Why each of the things that were to be written together can't be, where that is told."""
    told = details.get("refusals") if isinstance(details, dict) else None
    found: list[tuple[int, WorkbenchError]] = []
    for one in told if isinstance(told, list) else ():
        place = one.get("index") if isinstance(one, dict) else None
        if not isinstance(one, dict) or not isinstance(place, int):
            continue
        code, message = one.get("code"), one.get("message")
        kind = Denied if code in ("permission-denied", "corrector-group-not-allowed") else Invalid
        sentence = message[:_LONGEST] if isinstance(message, str) else "The runtime doesn't say why."
        found.append((place + 1, kind(sentence, code=old_code(code) if isinstance(code, str) else None)))
    return tuple(found)


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
