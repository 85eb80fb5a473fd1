"""The errors a call on the workbench may raise (DESIGN section 14)."""

from __future__ import annotations


class WorkbenchError(Exception):
    """What a call on the workbench may raise: a stable code and a sentence that says what to do next."""

    default_code = "internal-error"

    def __init__(
        self,
        sentence: str,
        *,
        code: str | None = None,
        field: str | None = None,
        retry_after: float | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        """One sentence for a person, with the next step."""
        self.code = code or self.default_code
        """The API's code, stable across versions."""
        self.field = field
        """The field of the request that is wrong; only on Invalid."""
        self.retry_after = retry_after
        """Seconds until it may work again; only on Unavailable."""
        self.request_id = request_id
        """The runtime's id of the request, where there is one."""


class NotFound(WorkbenchError):
    """Nothing has that id or name."""

    default_code = "not-found"


class Conflict(WorkbenchError):
    """It is taken, or already in another state."""

    default_code = "conflict"


class Invalid(WorkbenchError):
    """The request is wrong; `field` says where."""

    default_code = "bad-input"


class Refused(Invalid):
    """Some of the things that were to be written together can't be, so none was."""

    def __init__(self, sentence: str, refusals: tuple[tuple[int, WorkbenchError], ...]) -> None:
        first = refusals[0][1]
        super().__init__(sentence, code=first.code, field=first.field)
        self.refusals = refusals
        """Each refused one's place among them, from 1, and why."""


class Denied(WorkbenchError):
    """The caller may not do this."""

    default_code = "permission-denied"


class Unavailable(WorkbenchError):
    """It can't be reached now, or this machine is in trouble; `retry_after` says when to try again.

    Trouble of this machine (disk, lock, a newer file) has a code that starts with `machine-`.
    """

    default_code = "unavailable"


class Unsupported(WorkbenchError):
    """Whoever answers can't do this."""

    default_code = "unsupported"


class Interrupted(WorkbenchError):
    """It stopped before it finished."""

    default_code = "interrupted"
