"""When a failed call is tried again, and how long to wait first. Pure: clock and chance come from outside."""

import math
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from enum import Enum

from kindgi_tui.domain.base import Frozen
from kindgi_tui.local.models.failures import ModelError


class Fault(Enum):
    """What kind of failure one try of a call met."""

    FINAL = "final"
    """Asking again gives the same: a refusal."""
    LIMITED = "limited"
    """Too many requests, or the provider says when to come back (429, or 503 and 529 with `Retry-After`)."""
    TROUBLE = "trouble"
    """The provider's own trouble or a dropped connection."""
    SILENCE = "silence"
    """No answer within the time."""
    GARBLED = "garbled"
    """An answer that is none. It may have cost money, so it's asked once more at most."""


class TryFailed(Exception):
    """One try of a call failed. Internal to the models: callers get `error` when no try is left."""

    def __init__(self, error: ModelError, fault: Fault) -> None:
        super().__init__(error.sentence)
        self.error = error
        """What the caller is told when this was the last try."""
        self.fault = fault
        """Whether and how to try again."""


class Patience(Frozen):
    """How often a call is tried and how long is waited in between."""

    tries: int = 4
    """Tries under the provider's trouble or dropped connections."""
    tries_silent: int = 2
    """Tries when the provider doesn't answer in time."""
    tries_garbled: int = 2
    """Tries when the answer is none."""
    tries_limited: int = 100
    """Tries under a rate limit; `limited_s` ends it first, but for a provider that says to wait 0 seconds."""
    limited_s: float = 300
    """Seconds a call waits under a rate limit in all. A provider that asks for more is not waited for."""
    first_wait_s: float = 0.25
    """The first wait without a `Retry-After`; it doubles each time."""
    longest_wait_s: float = 30
    """The longest wait without a `Retry-After`."""

    def wait(self, failed: TryFailed, tries: int, waited: float, chance: float) -> float | None:
        """Seconds to wait before the next try, or None to give up.

        `tries` have been made (from 1), `waited` seconds were waited under limits so far, `chance` is a random
        number in [0, 1) that keeps callers from coming back all at once.
        """
        backoff = min(self.first_wait_s * 2.0 ** min(tries - 1, 30), self.longest_wait_s)
        jittered = backoff * (0.5 + chance / 2)
        if failed.fault is Fault.LIMITED:
            told = failed.error.retry_after
            pause = jittered if told is None else told + min(jittered, 1.0)
            asked = pause if told is None else told
            return pause if tries < self.tries_limited and waited + asked <= self.limited_s else None
        allowed = {
            Fault.TROUBLE: self.tries,
            Fault.SILENCE: self.tries_silent,
            Fault.GARBLED: self.tries_garbled,
            Fault.FINAL: 1,
        }[failed.fault]
        return jittered if tries < allowed else None


ONE_TRY = Patience(tries=1, tries_silent=1, tries_garbled=1, tries_limited=1)
"""No second try, for a check of the configuration."""


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds until a provider wants to be asked again, from `Retry-After` (seconds or an HTTP date) or
    `retry-after-ms`; None where it says nothing readable. `now` is the time in seconds since 1970. Never negative.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    said = headers.get("Retry-After") or headers.get("retry-after")
    if said is None:
        return None
    seconds = _number(said)
    if seconds is not None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - now)
    except (TypeError, ValueError, OverflowError, IndexError):
        return None


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return max(0.0, value) if math.isfinite(value) else None
