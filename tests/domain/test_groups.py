"""Who may speak as a group, in words."""

import pytest

from kindgi_tui.domain.groups import who_may
from kindgi_tui.domain.judgments import Restriction


@pytest.mark.parametrize(
    ("restriction", "words"),
    [
        (None, "anyone"),
        (Restriction(), "anyone"),
        (Restriction(principal_ids=("mira", "ben")), "mira, ben"),
        (Restriction(principal_kinds=("user", "service")), "people and services"),
        (Restriction(min_reviewer_role="senior"), "reviewers from senior"),
        # A runtime tells how many it names, and not whom.
        (Restriction(unnamed=1), "1 named person"),
        (Restriction(unnamed=3), "3 named people"),
        (
            Restriction(principal_kinds=("user",), unnamed=2, min_reviewer_role="admin"),
            "people; 2 named people; admin reviewers",
        ),
    ],
)
def test_who_may_speak_as_a_group_is_said(restriction: Restriction | None, words: str) -> None:
    assert who_may(restriction) == words
