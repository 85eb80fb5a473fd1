"""Arguments as they are typed: the first error with its place, what doesn't fit the tool's input, what Tab puts in."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kindgi_tui.domain.base import Json
from kindgi_tui.session.arguments import arguments_line, arguments_page, misfit, read_arguments
from kindgi_tui.session.tool_input import InputField, complete, input_fields
from tests.hostile.corpus import assert_clean_bytes, strings

SCHEMA: Json = {
    "type": "object",
    "properties": {
        "limit": {"type": "integer"},
        "query": {"type": "string", "description": "What to look for."},
        "order": {"enum": ["new", "old"]},
        "places": {"type": "array", "items": {"$ref": "#/$defs/place"}},
    },
    "required": ["query"],
    "$defs": {"place": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}},
}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"query": "a" "b"}', "Character 15: a comma or a closing bracket is missing."),
        ('{"query" 3}', "Character 10: a colon is missing."),
        ('{"query": }', "Character 11: a value is missing."),
        ('{"query": "a', "Character 11: the text that begins here has no closing quote."),
        ('{"a": 1} x', "Character 10: the object ends before this."),
        ('{"a": 1,\n "b": tru}', "Line 2, character 7: a value is missing."),
        ("[1]", "Arguments are an object, in { and }."),
        ('{"a": 1, "a": 2}', '"a" stands there twice.'),
        ('{"a": NaN}', "NaN is no JSON."),
        ('{"a": 1e999}', "A number is too large."),
        ('{"a": ' + "1" * 5_000 + "}", "A number has too many digits."),
        ('{"a": ' + "[" * 100_000, "It is nested too deeply."),
        ('{"a": "\\ud800"}', "Half a character (\\ud800 to \\udfff) can't be kept."),
    ],
)
def test_the_first_error_has_its_place(text: str, sentence: str) -> None:
    problem = read_arguments(text).problem
    assert problem is not None
    assert problem.sentence == sentence
    assert read_arguments(text).arguments is None


def test_nothing_typed_is_any_arguments() -> None:
    assert read_arguments("  ").problem is None
    assert read_arguments("").arguments is None
    assert read_arguments("{}").arguments == {}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"query": "a"}, None),
        ({}, None),
        ({"limit": 3}, None),
        ({"query": 3}, "In query: 3 is not of type 'string'."),
        ({"querry": "a"}, '"querry" is no field of the tool\'s input: limit, query, order, places.'),
        ({"order": "up"}, 'In order: "up" is not one of ["new", "old"].'),
        ({"places": [{"id": "a"}, {"id": 4}]}, "In places[1].id: 4 is not of type 'string'."),
        ({"places": [{}]}, "In places[0]: 'id' is a required property."),
        ({"query": None}, "In query: null is not of type 'string'."),
        ({"query": [True, None, "é"]}, "In query: [true, null, \"é\"] is not of type 'string'."),
    ],
)
def test_what_does_not_fit_the_tools_input(arguments: Json, words: str | None) -> None:
    problem = misfit(arguments, SCHEMA)
    assert (None if problem is None else problem.sentence) == words


@pytest.mark.parametrize(
    "schema",
    [
        None,
        3,
        {},
        {"properties": 3},
        {"properties": {"a": {"type": 9}}},
        {"properties": {"a": {"$ref": "http://x/y"}}},
    ],
)
def test_a_schema_that_is_none_says_nothing(schema: Json) -> None:
    assert misfit({"a": 1}, schema) is None
    assert all(isinstance(field, InputField) for field in input_fields(schema))


def test_fields_are_offered_with_what_they_hold_required_ones_first() -> None:
    assert [(field.name, field.kind, field.required) for field in input_fields(SCHEMA)] == [
        ("query", "text", True), ("limit", "whole number", False), ("order", 'one of "new", "old"', False),
        ("places", "list of objects", False),
    ]  # fmt: skip
    assert input_fields(SCHEMA)[0].about == "What to look for."


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("", '{"query": "|"}'),
        ("{", '{"query": "|"}'),
        ("{}", '{"query": "|"}'),
        ('{"query": "a"}', '{"query": "a", "limit": 0|}'),
        ('{"query": "a"', '{"query": "a", "limit": 0|}'),
        ('{"query": "a", ', '{"query": "a", "limit": 0|}'),
        ('{"query": "a", "o', '{"query": "a", "order": "new"|}'),
        ('{"pl', '{"places": [|]}'),
        ('{"zz', None),
        ('{"query": "lim', None),
        ('{"places": [{"id": "a"}], "query": "", "limit": 1, "order": "old"}', None),
    ],
)
def test_tab_puts_the_next_field_in(text: str, after: str | None) -> None:
    found = complete(text, input_fields(SCHEMA))
    told = None if found is None else found[0][: found[1]] + "|" + found[0][found[1] :]
    assert told == after


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["query", "limit", "order", "places"]), unique=True))
def test_tab_again_and_again_ends_in_an_object_with_every_field(begun: list[str]) -> None:
    text = json.dumps(dict.fromkeys(begun, 1))
    for _ in range(5):
        found = complete(text, input_fields(SCHEMA))
        if found is None:
            break
        text = found[0]
    read = read_arguments(text)
    assert read.problem is None
    assert isinstance(read.arguments, dict)
    assert set(read.arguments) == {"query", "limit", "order", "places"}


HOSTILE = st.sampled_from(list(strings().values())) | st.text(max_size=6)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(HOSTILE, HOSTILE | st.lists(HOSTILE, max_size=2), max_size=3))
def test_the_line_and_the_page_are_clean_and_read_back_as_they_were(arguments: dict[str, Json]) -> None:
    line, page = arguments_line(arguments), arguments_page(arguments)
    assert "\n" not in line
    assert_clean_bytes(line.encode())
    for text in (line, page):
        read = read_arguments(text)
        if read.problem is None:
            assert read.arguments == arguments
        else:
            assert "Half a character" in read.problem.sentence


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet='{}[]",:\\ ab1q\n', max_size=20))
def test_any_text_is_read_or_has_a_sentence_and_completing_it_never_fails(text: str) -> None:
    read = read_arguments(text)
    assert read.problem is None or read.problem.sentence.endswith(".")
    complete(text, input_fields(SCHEMA))
