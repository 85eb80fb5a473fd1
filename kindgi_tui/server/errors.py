"""What a request is refused with: the API's statuses, codes and sentences (DESIGN section 14)."""

from collections.abc import Mapping, Sequence

from kindgi_tui.domain.base import Json
from kindgi_tui.workbench import (
    Conflict,
    Denied,
    Invalid,
    NotFound,
    Unavailable,
    Unsupported,
    WorkbenchError,
)


class Refusal(Exception):
    """A request is refused: status, code, a sentence, and details for programs."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        details: Mapping[str, Json] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status, 400 or more."""
        self.code = code
        """The API's stable code."""
        self.message = message
        """One sentence."""
        self.details = dict(details or {})
        """More for programs; empty for nothing."""
        self.retry_after = retry_after
        """Seconds until it may work again."""


def bad(message: str, code: str = "bad-input", details: Mapping[str, Json] | None = None) -> Refusal:
    """A request that is wrong: 400."""
    return Refusal(400, code, message, details)


def bad_at(code: str, message: str, issues: Sequence[Mapping[str, Json]]) -> Refusal:
    """A request that is wrong at named places of its body: 400 with `details.issues`."""
    return Refusal(400, code, message, {"issues": [dict(issue) for issue in issues]})


def missing(code: str, message: str, details: Mapping[str, Json] | None = None) -> Refusal:
    """Nothing has that id: 404."""
    return Refusal(404, code, message, details)


def denied(message: str) -> Refusal:
    """The caller may not do this: 403."""
    return Refusal(403, "permission-denied", message)


def no_route(method: str, path: str) -> Refusal:
    """The path is not offered: 404."""
    return Refusal(
        404,
        "route-not-found",
        f"No route registered for {method} {path}. "
        "If this endpoint is expected, verify the deployment wired the required binding.",
    )


_UNPROCESSABLE = ("dispatcher-not-registered", "tool-not-published")


def of_workbench(cause: WorkbenchError) -> Refusal:
    """What a workbench error is on the wire."""
    if isinstance(cause, NotFound):
        status = 404
    elif isinstance(cause, Conflict):
        status = 409
    elif isinstance(cause, Invalid):
        if cause.field == "cursor":
            # One wording for every list.
            return bad("`cursor` is malformed")
        status = 400
    elif isinstance(cause, Denied):
        status = 401 if cause.code.startswith("auth-") else 403
    elif isinstance(cause, Unavailable):
        return Refusal(503, cause.code, cause.sentence, retry_after=cause.retry_after or 5)
    elif isinstance(cause, Unsupported):
        status = 422 if cause.code in _UNPROCESSABLE else 501
    else:
        status = 500
    return Refusal(status, cause.code, cause.sentence, retry_after=cause.retry_after)
