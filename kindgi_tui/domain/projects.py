"""Projects and people: where runs belong, and who judges (DESIGN sections 3 and 9)."""

from datetime import datetime
from typing import Literal

from kindgi_tui.domain.base import Frozen, Json

Right = Literal["judge", "editor", "admin"]
"""What a person may do: judge; also build and compare; also manage people, groups and packs."""

RIGHTS: tuple[Right, ...] = ("judge", "editor", "admin")
"""The rights, each including the ones before it."""


class Project(Frozen):
    """What runs, test sets and comparisons belong to."""

    id: str
    """A UUID."""
    slug: str
    """Its short name in addresses: lowercase letters, digits and `-`."""
    name: str
    """Its name for people."""
    is_default: bool
    """Whether commands without `--project` use it; true for exactly one."""
    created_at: datetime
    """When it was made (UTC)."""


class Person(Frozen):
    """One entry of the workspace's directory of people."""

    id: str
    """Their login name here."""
    kind: Literal["user", "service"] = "user"
    """A person, or a program that acts under its own name."""
    name: str = ""
    """How they are shown; empty: by id."""
    reviewer_role: Literal["standard", "senior", "admin"] | None = None
    """Their rank as a reviewer, which some groups ask for."""
    right: Right = "judge"
    """The most they may do."""
    created_at: datetime
    """When they were added (UTC)."""


class AuditEntry(Frozen):
    """One thing that was done, by whom, when."""

    id: int
    """Its place in the log, from 1."""
    at: datetime
    """When (UTC)."""
    actor: str
    """Who: a person's id."""
    action: str
    """What, as `noun.verb`, such as `test-sets.build`."""
    subject: str
    """On what, by id."""
    details: Json = None
    """More about it; never a secret."""
