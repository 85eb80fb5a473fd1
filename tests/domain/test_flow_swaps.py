"""What of a flow can be run at another version, and each named id as an agent or a tool."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain.flow_swaps import Swaps, swapped, swaps_of, used_by
from kindgi_tui.domain.limits import LimitError

FLOW: dict[str, Any] = {
    "nodes": [
        {"id": "a", "kind": "tool", "ref": "acme.find"},
        {"id": "b", "kind": "agent", "ref": "acme.picker", "config": {"version": "0.1.0"}},
        {"id": "c", "kind": "fanout", "branches": [{"branchId": "x", "handler": "acme.branch"}]},
        {"id": "d", "kind": "loop", "body": {"nodes": [{"id": "e", "kind": "agent", "ref": "acme.inner"}]}},
        {"id": "f", "kind": "subgraph", "ref": "acme.other-flow"},
    ]
}


def test_a_flow_uses_its_nodes_branches_and_loop_bodies_and_not_its_sub_flows() -> None:
    used = used_by(FLOW)
    assert (used.agents, used.tools) == (
        frozenset({"acme.picker", "acme.inner"}),
        frozenset({"acme.find", "acme.branch"}),
    )


def test_each_named_id_is_an_agent_or_a_tool() -> None:
    named = [("acme.find", "0.2.0"), ("acme.picker", "0.3.0"), ("acme.branch", "1.0.0")]
    found = swapped("acme.flow", "0.1.0", FLOW, named)
    assert found == Swaps(
        agents={"acme.picker": "0.3.0"}, tools={"acme.find": "0.2.0", "acme.branch": "1.0.0"}
    )
    assert found.wire == {
        "tools": {"acme.find": "0.2.0", "acme.branch": "1.0.0"},
        "agents": {"acme.picker": "0.3.0"},
    }
    assert swapped("acme.flow", "0.1.0", FLOW, []) is None


def test_what_the_flow_does_not_use_is_refused_in_the_documents_words() -> None:
    with pytest.raises(LimitError) as told:
        swapped("acme-ops.suggest-articles", "0.1.0", FLOW, [("acme-ops.article-picker", "0.2.0")])
    assert told.value.sentence == "flow acme-ops.suggest-articles 0.1.0 doesn't use acme-ops.article-picker."
    with pytest.raises(LimitError, match="named twice"):
        swapped("f", "0.1.0", FLOW, [("acme.find", "0.2.0"), ("acme.find", "0.3.0")])


_VERSIONS = st.dictionaries(st.text(min_size=1), st.text(min_size=1), max_size=3)


@given(_VERSIONS, _VERSIONS)
def test_what_is_written_is_read_again(agents: dict[str, str], tools: dict[str, str]) -> None:
    swaps = Swaps(agents=agents, tools=tools)
    assert swaps_of(swaps.wire) == (swaps if agents or tools else None)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.sampled_from(["nodes", "kind", "ref", "branches", "body"]), inner)
    ),
    max_leaves=20,
)


@given(_JSON)
def test_any_definition_can_be_looked_through(definition: Any) -> None:
    used_by(definition)
    swaps_of(definition)
