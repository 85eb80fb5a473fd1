"""What an entry is about, and where that is seen."""

from typing import Literal, NamedTuple

from kindgi_tui.domain.projects import AuditEntry

RUN_NOUNS = ("queue",)
"""What is done to runs, each named by its id: left out of the queue and taken in again."""

ELSEWHERE = {
    "runs": "It is about runs that came in: g r goes to the runs.",
    "cases": "It is about a case of an agent's own test set: g t goes to the sets.",
    "groups": "It is about a group: g o goes to the groups.",
    "judgments": "That verdict is gone: there is nothing to open.",
    "corrections": "That correction is gone: there is nothing to open.",
}
"""By noun, why what an entry is about can't be opened from here, and where it is seen."""

NOWHERE = "It has no screen: all that is noted of it is in this entry."
"""Why what an entry is about can't be opened."""


class Way(NamedTuple):
    """Where what an entry is about is seen."""

    to: Literal["run", "comparison", "test set"]
    """What is opened."""
    id: str
    """Its id."""
    version: str = ""
    """The version of a test set."""


def way_of(entry: AuditEntry) -> Way | None:
    """The way to what an entry is about; None where no screen shows it."""
    noun = entry.action.partition(".")[0]
    if noun == "comparisons":
        return Way("comparison", entry.subject)
    if noun in RUN_NOUNS:
        return Way("run", entry.subject)
    name, at, version = entry.subject.rpartition("@")
    if noun == "test-sets" and at:
        return Way("test set", name, version)
    return None


def no_way(entry: AuditEntry) -> str:
    """Why what an entry is about can't be opened, and where it is seen instead, a sentence."""
    return ELSEWHERE.get(entry.action.partition(".")[0], NOWHERE)
