"""A test set in a list: each cell keeps a blank between it and the next, whatever stands in it."""

from datetime import UTC, datetime

import pytest

from kindgi_tui.domain.test_set_versions import BuildRequest, TestSetVersion
from kindgi_tui.tui.screens.test_sets.rows import set_row


@pytest.mark.parametrize("width", [40, 59, 60, 80, 100, 160])
@pytest.mark.parametrize(
    ("version", "place"), [("1.0.2", "1 of 2"), ("1.0.2", ""), ("1.0.112", "10 of 112"), ("10.20.30000", "")]
)
def test_a_version_and_its_cases_never_touch(width: int, version: str, place: str) -> None:
    request = BuildRequest(test_set_id="acme.picks", version=version, project_id="p", agent_id="a.b")
    one = TestSetVersion(
        test_set_id="acme.picks", version=version, project_id="p", case_count=47, available=47, request=request,
        created_at=datetime(2026, 1, 1, tzinfo=UTC), created_by="mira",
    )  # fmt: skip
    _, shown, cases, *_ = set_row(one, place, width)
    assert cases.words == "47 cases"
    assert len(shown.words) < shown.cells, "a blank stands before the next cell"
    if place == "1 of 2":
        assert shown.words == " 1.0.2 (1 of 2)"
