"""Values against a JSON Schema: every place is told, and no schema can hang or reach out."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain.block_rules import draft_of
from kindgi_tui.domain.blocks import BlockDraft
from kindgi_tui.local.blocks.checking import checkers
from kindgi_tui.local.blocks.schemas import MOST_TOLD, misfits
from kindgi_tui.local.store.blocks import block_digest

OBJECT: dict[str, Any] = {
    "type": "object",
    "required": ["a"],
    "properties": {"a": {"type": "integer"}, "b/c": {"items": {"type": "string"}}},
}


def test_each_place_is_told_as_a_pointer() -> None:
    told = misfits({"a": "x", "b/c": ["y", 3]}, OBJECT)
    assert [(each.pointer, each.in_schema) for each in told] == [("/a", False), ("/b~1c/1", False)]
    assert misfits({"a": 1, "b/c": []}, OBJECT) == ()
    assert [each.pointer for each in misfits({}, OBJECT)] == [""]


@pytest.mark.parametrize(
    ("value", "schema", "words"),
    [
        (None, {"type": "integer"}, "null is not of type 'integer'"),
        ([True, None], {"type": "integer"}, "[true, null] is not of type 'integer'"),
        ({"é": False}, {"type": "string"}, "{\"é\": false} is not of type 'string'"),
        (3, {"enum": [True, None, "a"]}, '3 is not one of [true, null, "a"]'),
        (3, {"const": None}, "null was expected"),
        (3, {"type": ["null", "string"]}, "3 is not of type 'null', 'string'"),
        ("None", {"maxLength": 2}, '"None" is too long'),
    ],
)
def test_values_are_told_as_json_writes_them(value: Any, schema: Any, words: str) -> None:
    (told,) = misfits(value, schema)
    assert told.message == words


def test_a_schema_that_is_none_is_one_misfit_in_the_schema() -> None:
    (told,) = misfits({}, {"properties": {"a": {"type": "numbr"}}})
    assert told.in_schema and told.pointer == "/properties/a/type"


@pytest.mark.parametrize("reference", ["http://127.0.0.1:9/x", "#/$defs/gone", "file:///etc/hosts"])
def test_references_to_elsewhere_are_never_followed(reference: str) -> None:
    (told,) = misfits({}, {"$ref": reference})
    assert told.in_schema and "can't be used" in told.message


def test_many_misfits_are_told_up_to_a_limit() -> None:
    assert len(misfits(list(range(100)), {"items": {"type": "string"}})) == MOST_TOLD


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(JSON, JSON)
def test_whatever_stands_there_is_told_and_never_raised(values: Any, schema: Any) -> None:
    misfits(values, schema)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "id": JSON | st.just("acme.weights"),
            "version": JSON | st.just("1.0.0"),
            "kind": JSON | st.sampled_from(["settings", "prompt", "model-settings"]),
            "description": JSON,
            "content": JSON
            | st.fixed_dictionaries({}, optional={"values": JSON, "schema": JSON, "template": JSON}),
        },
    )
)
def test_a_definition_is_a_draft_or_has_problems(document: dict[str, Any]) -> None:
    draft, problems = draft_of(document, checkers())
    assert (draft is None) == bool(problems)


def test_the_digest_is_of_the_content_whatever_the_order_of_keys() -> None:
    def draft(values: dict[str, Any], **more: Any) -> BlockDraft:
        return BlockDraft(id="a.b", version="1.0.0", kind="settings", content={"values": values}, **more)

    digest = block_digest(draft({"x": 1, "y": "é\ud800"}))
    assert block_digest(draft({"y": "é\ud800", "x": 1})) == digest
    others = [draft({"x": 2, "y": "é\ud800"}), draft({"x": 1, "y": "é\ud800"}, description="more")]
    assert digest not in map(block_digest, others)
