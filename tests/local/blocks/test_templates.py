"""Templates: what they read, and that nothing one says makes much, takes long, or reads what it isn't given."""

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kindgi_tui.local.blocks.templates import LONGEST, MOST_OUTPUT, TemplateError, read_template, render

SCOPE: dict[str, Any] = {
    "agent": {"id": "acme.clerk", "name": "Clerk", "version": "0.1.0"},
    "settings": {"acme.weights": {"recency": 0.5, "on": True, "tags": ["a", "b"]}},
}


@pytest.mark.parametrize(
    ("template", "rendered"),
    [
        ("plain", "plain"),
        ("{{ agent.name }}: {{ settings['acme.weights'].recency }}", "Clerk: 0.5"),
        ('{{ settings["acme.weights"].on }}', "true"),
        ("{% if settings['acme.weights'].on %}yes{% else %}no{% endif %}", "yes"),
        ("{% for tag in settings['acme.weights'].tags %}{{ forloop.index }}{{ tag }}{% endfor %}", "1a2b"),
        ("{% for i in (1..3) %}{{ i }}{% endfor %}", "123"),
        ("{{ settings['acme.weights'].tags | join: '-' | upcase }}", "A-B"),
        ("{{ settings['acme.weights'].tags | json }}", '["a", "b"]'),
        ("{{ agent.id | replace: 'acme', 'x' }}", "x.clerk"),
    ],
)
def test_names_are_filled_in(template: str, rendered: str) -> None:
    assert read_template(template).problem is None
    assert render(template, SCOPE) == rendered


def test_what_is_read_from_outside_is_told_by_its_path() -> None:
    reading = read_template(
        "{{ a }}{{ settings['x.y'].z }}{{ settings[a].b }}{% assign own = 1 %}{{ own }}"
        "{% for i in list %}{{ i }}{{ forloop.index }}{% endfor %}"
    )
    assert set(reading.reads) == {("a",), ("settings", "x.y", "z"), ("settings", ""), ("list",)}


@pytest.mark.parametrize(
    ("template", "line", "words"),
    [
        ("a\n\n{% include 'b' %}", 3, "can't include another"),
        ("{% render 'b' %}", 1, "can't include another"),
        ("{% layout 'b' %}", 1, "unexpected tag"),
        ("a\n{{ b | shout }}", 2, "there is no filter shout"),
        ("{{ a", 1, "expected"),
        ("{% if a %}", None, "endif"),
        ("a\n{{ (1..9) | join: '' }}", 2, "only be looped over"),
        ("x" * (LONGEST + 1), None, "more than 100,000"),
    ],
)
def test_what_is_no_template_is_named_with_its_line(template: str, line: int | None, words: str) -> None:
    reading = read_template(template)
    assert reading.problem is not None and words in reading.problem and reading.line == line
    if "shout" not in template:  # a filter is only looked for where it is used
        with pytest.raises(TemplateError):
            render(template, {"a": 1, "b": 2})


@pytest.mark.parametrize(
    "template",
    [
        "{{ nothing }}",
        "{{ agent.nothing }}",
        "{% if nothing %}x{% endif %}",
        "{{ agent.__class__ }}",
        "{{ agent['__class__'] }}",
        "{{ agent.items }}",
        "{{ agent.keys }}",
        "{{ settings['acme.other'].x }}",
    ],
)
def test_a_name_that_nothing_gives_is_an_error(template: str) -> None:
    with pytest.raises(TemplateError, match="a name that nothing gives"):
        render(template, SCOPE)


DOUBLED = "{% assign a = 'aaaaaaaaaa' %}" + "{% assign a = a | append: a %}" * 60
MANY = [
    "{% for i in (1..999999999999999) %}x{% endfor %}",
    "{% for i in (1..1000) %}{% for j in (1..1000) %}x{% endfor %}{% endfor %}",
    "{% assign a = 'aaaaaaaaaa' %}{% for i in (1..900) %}{% assign a = a | append: a %}{% endfor %}",
    DOUBLED,
    "{% assign a = 'aaaaaaaaaa' %}{{ a" + " | replace: 'a', a" * 40 + " }}",
    "{% assign a = 99999 %}{% for i in (1..900) %}{% assign a = a | times: a %}{% endfor %}{{ a }}",
    "{% for i in (1..1000) %}" + "x" * 2_000 + "{% endfor %}",
    "{% capture a %}{% for i in (1..1000) %}" + "x" * 2_000 + "{% endfor %}{% endcapture %}",
    "{% assign a = 'a a' | split: ' ' %}{% for i in (1..900) %}{% assign a = a | concat: a %}{% endfor %}",
]


@pytest.mark.parametrize("template", MANY)
def test_a_template_that_would_make_much_ends_at_once(template: str) -> None:
    began = time.monotonic()
    with pytest.raises(TemplateError):
        render(template, SCOPE)
    assert time.monotonic() - began < 20


@settings(max_examples=200)
@given(
    st.lists(
        st.sampled_from(
            [
                "{{ a }}", "{{ a | upcase }}", "{% if a %}", "{% endif %}", "{% for i in (1..a) %}", "{% endfor %}",
                "{% assign a = a | append: a %}", "{{ (1..2) }}", "{{", "}}", "{%", "%}", "{% include a %}", "words",
                "{{ a | replace: '', a }}", "{% raw %}", "{% endraw %}", "{% cycle a, a %}", "{% case a %}",
            ]
        ),
        max_size=12,
    )
)  # fmt: skip
def test_whatever_is_written_is_read_and_rendered_or_refused(parts: list[str]) -> None:
    template = "".join(parts)
    read_template(template)
    try:
        assert len(render(template, {"a": "abc"})) <= MOST_OUTPUT
    except TemplateError as cause:
        assert cause.sentence
