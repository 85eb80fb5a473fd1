import pytest

from kindgi_tui.domain.base import Json
from kindgi_tui.local.packs.definitions import (
    ToolVersion,
    agent_from,
    compute_only,
    content_digest,
    parse_index,
    reaches_outside,
    read_only,
    tool_from,
)
from kindgi_tui.local.packs.sources import code_digest


def tool(*effects: str, mutating: bool | None = False, approval: bool = False) -> ToolVersion:
    return ToolVersion(id="t", version="1.0.0", mutating=mutating, effects=effects, needs_approval=approval)


def test_read_only_is_not_the_default() -> None:
    assert read_only(tool("reads"))
    assert read_only(tool())
    assert not read_only(tool("reads", mutating=None))
    assert not read_only(tool("reads", mutating=True))
    assert not read_only(tool("reads", approval=True))


@pytest.mark.parametrize("effect", ["writes", "deletes", "spawns-run", "emits-event", "external-side-effect"])
def test_a_changing_effect_is_not_read_only_whatever_is_declared(effect: str) -> None:
    assert not read_only(tool("reads", effect))


def test_outside_and_compute_only() -> None:
    assert reaches_outside(tool("network")) and reaches_outside(tool("reads", "sensitive-data-egress"))
    assert not reaches_outside(tool("reads"))
    assert compute_only(tool())
    for other in (tool("reads"), tool("network"), tool("sensitive-data-egress"), tool(mutating=None)):
        assert not compute_only(other)


def test_the_digest_is_of_the_content() -> None:
    one: Json = {"id": "a", "instructions": "x", "modulePath": "agents/a.py"}
    same: Json = {"modulePath": "agents/b.py", "instructions": "x", "id": "a"}
    assert content_digest(one) == content_digest(same)
    assert content_digest(one) != content_digest({"id": "a", "instructions": "y"})
    assert content_digest(one) != content_digest(one, "code")
    assert content_digest({"text": "\ud800"})


def test_an_agent_without_anything_has_the_runtimes_defaults() -> None:
    agent = agent_from({"id": "a", "version": "1.0.0", "name": "A", "instructions": "x", "tools": []})
    assert (agent.output_schema, agent.output_name, agent.max_repairs) == (None, "output", 1)
    assert (agent.tool_errors.max_retries, agent.tool_errors.retry_on) == (
        1,
        ("invalid-arguments", "unknown-tool"),
    )
    assert agent.budget.max_steps is None and agent.history_limit is None


def test_a_tool_that_says_nothing_of_changing_may_change() -> None:
    assert tool_from({"id": "t", "version": "1.0.0", "input": {}, "output": {}}).mutating is None


@pytest.mark.parametrize("document", [None, [], {}, {"v": 2}])
def test_an_unknown_index_is_refused(document: Json) -> None:
    with pytest.raises(ValueError, match="version 1"):
        parse_index(document)


SOURCE = '''
from kindgi import tool
LIMIT = 3
def helper(x):
    return x[:LIMIT]
@tool(id="a")
def a(x: dict) -> dict:
    """A."""
    found = helper(x)
    return found
@tool(id="b")
def b(x: dict) -> dict:
    """B."""
    found = x
    return found
'''


def test_a_tools_code_is_what_it_uses() -> None:
    before = {each: code_digest(SOURCE, each) for each in "ab"}
    assert before["a"] != before["b"]

    def changed(old: str, new: str) -> str:
        after = {each: code_digest(SOURCE.replace(old, new), each) for each in "ab"}
        return "".join(each for each in "ab" if after[each] != before[each])

    assert changed("LIMIT = 3", "LIMIT = 4") == "a"
    assert changed("return x[:LIMIT]", "return x[LIMIT:]") == "a"
    assert changed("found = x\n", "found = {}\n") == "b"
    assert changed("LIMIT = 3", "LIMIT = 3  ") == ""
    assert changed("LIMIT = 3", "# a remark between them\n\nLIMIT = 3") == ""
    assert (
        changed(
            '@tool(id="b")', 'EXTRA = 1\n@tool(id="c")\ndef c(x: dict) -> dict:\n  return x\n@tool(id="b")'
        )
        == ""
    )


def test_code_that_cannot_be_read_has_no_digest() -> None:
    assert code_digest("def (", "a") == ""
    assert code_digest("a = 1\0", "a") == ""
