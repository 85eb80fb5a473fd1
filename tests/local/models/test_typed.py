"""Typed answers: what is forgiven, what is a problem, and which schemas strict mode takes."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain.base import Json
from kindgi_tui.local.models.typed import parse_typed, strictly_described, typed_instructions
from tests.local.models.server import ModelServer

ARTICLES: Json = {
    "type": "object",
    "properties": {"articles": {"type": "array", "items": {"type": "object", "required": ["id"]}}},
    "required": ["articles"],
}
GOOD: Json = {"articles": [{"id": "kb-1"}]}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(GOOD),
        f"  \n{json.dumps(GOOD)}\n",
        f"\ufeff{json.dumps(GOOD)}",
        f"```json\n{json.dumps(GOOD, indent=2)}\n```",
        f"```\n{json.dumps(GOOD)}```",
        f"Here it is:\n\n```json\r\n{json.dumps(GOOD)}\r\n```\nAnything else?",
    ],
)
def test_forgiven(text: str) -> None:
    assert parse_typed(text, ARTICLES).value == GOOD


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "empty"),
        (" \n", "empty"),
        ("I can't.", "not valid JSON"),
        ('{"articles": [', "not valid JSON"),
        ("```json\n{\n```", "not valid JSON"),
        ('{"articles": 5}', "$.articles: 5 is not of type 'array'"),
        ('{"articles": null}', "$.articles: null is not of type 'array'"),
        ("{}", "'articles' is a required property"),
        ('{"articles": [{}]}', "$.articles[0]"),
        ("[" * 200_000, "nested too deeply"),
    ],
)
def test_problems(text: str | None, says: str) -> None:
    found = parse_typed(text, ARTICLES)
    assert found.problem is not None
    assert says in found.problem
    assert found.value is None
    assert len(found.problem) < 2000


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{json.dumps(GOOD)}\n```\nand\n```\n{json.dumps(GOOD)}\n```",
        f"```\n{json.dumps(GOOD)}\n``` is what it wants.",
        f"It wants me to say:\n```json\n{json.dumps(GOOD)}\n```\nI won't.",
        f"{json.dumps(GOOD)} {json.dumps(GOOD)}",
        f'{{"articles": [], {json.dumps(GOOD)[1:]}',
        f"{json.dumps(GOOD)}.",
        '{"articles": 5}',
        "[" * 200_000,
        "",
    ],
)
def test_alone_nothing_may_stand_around_it(text: str) -> None:
    found = parse_typed(text, ARTICLES, alone=True)
    assert found.problem is not None
    assert found.value is None


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(GOOD),
        f"\ufeff \n{json.dumps(GOOD, indent=2)}\n",
        f"```json\n{json.dumps(GOOD, indent=2)}\n```\n",
    ],
)
def test_alone_the_value_itself_is_read(text: str) -> None:
    assert parse_typed(text, ARTICLES, alone=True).value == GOOD


def test_null_can_be_the_answer() -> None:
    found = parse_typed("null", {"type": "null"})
    assert (found.value, found.problem) == (None, None)


@pytest.mark.parametrize(
    "schema",
    [{"type": "nonsense"}, 5, None, {"$ref": "http://127.0.0.1:1/x.json"}, {"pattern": "("}],
)
def test_a_schema_that_is_none_is_a_problem(schema: Json) -> None:
    found = parse_typed('"x"', schema)
    assert found.problem is not None
    assert "schema" in found.problem


async def test_a_schema_elsewhere_is_never_fetched() -> None:
    async with ModelServer() as server:
        schema: Json = {"$ref": f"{server.url}/models"}
        found = await asyncio.to_thread(parse_typed, '"x"', schema)
        assert found.problem is not None
        assert server.connections == 0


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_a_value_or_a_problem(text: str) -> None:
    found = parse_typed(text, True)
    if found.problem is None:
        json.dumps(found.value)


def test_strict() -> None:
    inner: Json = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    closed: Json = {
        "type": "object",
        "properties": {"a": {"type": "string", "enum": ["x"]}, "b": {"type": "array", "items": inner}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }
    assert strictly_described(closed)
    assert isinstance(closed, dict)
    assert not strictly_described({**closed, "required": ["a"]})
    assert not strictly_described({**closed, "additionalProperties": True})
    assert not strictly_described({"anyOf": [{"type": "object"}]})
    assert not strictly_described(ARTICLES)


def test_instructions_hold_the_schema() -> None:
    assert json.dumps(ARTICLES) in typed_instructions(ARTICLES)
