"""Filters of what was done, as one types them."""

from datetime import UTC, datetime, timedelta

import pytest

from kindgi_tui.domain.queries import AuditFilter
from kindgi_tui.session.audit_filter import read_audit_filter

NOW = datetime(2026, 11, 8, 12, tzinfo=UTC)


def test_each_part_narrows_and_none_is_all() -> None:
    assert read_audit_filter("").query == AuditFilter()
    read = read_audit_filter('by:mira what:groups on:"acme-ops KEY" since:2026-11-01 until:7d', NOW)
    assert read.problem is None
    assert read.query == AuditFilter(
        actor="mira",
        action="groups",
        subject="acme-ops KEY",
        since=datetime(2026, 11, 1, tzinfo=UTC),
        until=NOW - timedelta(days=7),
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("mira", "mira isn't understood"),
        ("who:mira", "who:mira isn't understood"),
        ("since:yesterday", "since: is a date"),
        ("until:9", "until: is a date"),
    ],
)
def test_what_is_not_understood_is_said_and_the_rest_holds(text: str, told: str) -> None:
    read = read_audit_filter(f"{text} what:packs", NOW)
    assert read.problem is not None
    assert read.problem.startswith(told)
    assert read.problem.endswith(".")
    assert read.query == AuditFilter(action="packs")


def test_a_part_without_a_value_yet_is_none() -> None:
    assert read_audit_filter("by: since: what:packs").query == AuditFilter(action="packs")
    assert read_audit_filter("by: since: what:packs").problem is None
