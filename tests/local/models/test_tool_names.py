"""Tool ids as function names: always safe, always different, whatever the order."""

import re

from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.local.models.tool_names import tool_names

SAFE = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
IDS = st.lists(st.text("ab._-:é\ud800", max_size=6) | st.text("a.", min_size=60, max_size=70), max_size=8)


def test_the_usual() -> None:
    assert tool_names(["acme-ops.search-articles"]) == {
        "acme-ops.search-articles": "acme-ops_search-articles"
    }
    names = tool_names(["a.b", "a_b", "a:b"])
    assert names["a_b"] == "a_b"
    assert names["a.b"].startswith("a_b_")


@given(IDS)
def test_safe_and_different(ids: list[str]) -> None:
    names = tool_names(ids)
    assert set(names) == set(ids)
    assert all(SAFE.match(name) for name in names.values())
    assert len(set(names.values())) == len(names)
    assert tool_names(reversed(ids)) == names


def test_a_name_made_to_clash() -> None:
    hashed = tool_names(["a.b", "a:b"])["a.b"]
    names = tool_names(["a.b", "a:b", hashed])
    assert names[hashed] == hashed
    assert len(set(names.values())) == 3
