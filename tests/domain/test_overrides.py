"""What overrides of a comparison may say: each rule on its own, with the numbers of document 002."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain.blocks import BlockKind, BlockVersion, PinnedBlocks
from kindgi_tui.domain.overrides import (
    AgentHas,
    Overrides,
    PromptOverride,
    issues_sentence,
    overridden,
    override_issues,
    overrides_of,
    overrides_typed,
)
from kindgi_tui.local.blocks.checking import checkers

SCHEMA = {
    "type": "object",
    "required": ["recency"],
    "additionalProperties": False,
    "properties": {"recency": {"type": "number", "minimum": 0, "maximum": 1}},
}
TEMPLATE = 'Help {{ customer }}. Weigh {{ settings["acme.weights"].recency }}; ask acme.search first.'
"""86 characters."""


def block(identity: str, kind: BlockKind, **content: Any) -> BlockVersion:
    """A published block."""
    at = datetime(2026, 11, 1, tzinfo=UTC)
    return BlockVersion(
        id=identity,
        version="1.0.0",
        kind=kind,
        content=content,
        digest="d",
        published_at=at,
        published_by="me",
    )


WEIGHTS = block("acme.weights", "settings", values={"recency": 0.2}, schema=SCHEMA)
FREE = block("acme.free", "settings", values={"anything": 1})
MODEL = block("acme.model", "model-settings", values={"temperature": 0.1})
PROMPT = block(
    "acme.prompt",
    "prompt",
    template=TEMPLATE,
    parameters=[
        {"name": "customer", "type": "string", "default": "people"},
        {"name": "tone", "type": "string", "default": "kind"},
    ],
)
AGENT = AgentHas(
    "acme.clerk",
    "0.2.0",
    ("acme.search", "acme.note"),
    PinnedBlocks(prompt=PROMPT, settings=(WEIGHTS, FREE), model_settings=MODEL),
)


def issues(settings: dict[str, Any] | None = None, **prompts: str) -> list[tuple[str, str]]:
    """The issues of overrides; `prompts` are templates by block, `_` for its dot."""
    told = override_issues(
        Overrides(
            settings=settings or {},
            prompts={name.replace("_", "."): PromptOverride(template=text) for name, text in prompts.items()},
        ),
        AGENT,
        checkers(),
    )
    return [(each.pointer, each.message) for each in told]


def test_values_that_satisfy_the_schema_and_a_template_of_what_the_agent_has_fit() -> None:
    assert issues({"acme.weights": {"recency": 0.9}, "acme.free": {}, "acme.model": {"temperature": 1}}) == []
    template = (
        "Be {{ tone }} to {{ customer }} of {{ agent.name }} on {{ today }}: acme.note "
        '{{ settings["acme.free"].x }}'
    )
    assert issues(acme_prompt=template) == []


@pytest.mark.parametrize(
    ("settings", "pointer", "words"),
    [
        ({"acme.weights": {"recency": 2}}, "/overrides/settings/acme.weights/recency", "2 is greater than"),
        ({"acme.weights": {}}, "/overrides/settings/acme.weights", "'recency' is a required property"),
        ({"acme.weights": {"recency": "much"}}, "/overrides/settings/acme.weights/recency", "not of type"),
        ({"acme.other": {}}, "/overrides/settings/acme.other", 'pins no settings block "acme.other"'),
        ({"acme.prompt": {}}, "/overrides/settings/acme.prompt", 'pins no settings block "acme.prompt"'),
        ({"a/b~c": {}}, "/overrides/settings/a~1b~0c", "pins no settings block"),
        ({"acme.model": {"temperature": 3}}, "/overrides/settings/acme.model/temperature", "3 is greater"),
        ({"acme.model": {"heat": 1}}, "/overrides/settings/acme.model", "'heat' was unexpected"),
    ],
)
def test_settings_that_do_not_fit_are_named(settings: dict[str, Any], pointer: str, words: str) -> None:
    ((found, message),) = issues(settings)
    assert found == pointer and words in message


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("", "is empty"),
        (TEMPLATE, "is the current one"),
        ("{{ secret }}", "it reads secret,"),
        ("{{ input.x }}", "it reads input,"),
        ('{{ settings["acme.model"].x }}', 'it reads settings["acme.model"],'),
        ("{{ settings }}", "it reads settings,"),
        ("{{ settings[tone] }}", "it reads settings,"),
        ("Use acme.export now.", "it names acme.export,"),
        ('{{ "acme.export" }}', "it names acme.export,"),
        ("{% if %}", "line 1: "),
        ("a\n{% include 'x' %}", "line 2: a template can't include another"),
        ("{{ tone | shout }}", "line 1: there is no filter shout"),
    ],
)
def test_a_template_reads_and_names_only_what_the_agent_has(template: str, words: str) -> None:
    ((pointer, message),) = issues(acme_prompt=template)
    assert pointer == "/overrides/prompts/acme.prompt" and words in message


def test_names_of_variables_are_no_ids_and_what_the_current_template_names_may_be_named() -> None:
    assert (
        issues(acme_prompt="{{ agent.name }} {{ conversation.turn }} acme.search. acme.clerk, e.g. this")
        == []
    )


def test_a_prompt_the_version_does_not_pin_is_refused() -> None:
    ((pointer, message),) = issues(acme_other="Hello")
    assert pointer == "/overrides/prompts/acme.other"
    assert message == 'acme.clerk 0.2.0 pins no prompt block "acme.other"'


@given(st.integers(min_value=1, max_value=4 * len(TEMPLATE)))
def test_a_template_is_at_most_twice_as_long(length: int) -> None:
    told = issues(acme_prompt="x" * length)
    assert bool(told) is (length > 2 * len(TEMPLATE))


@given(st.integers(min_value=0, max_value=45))
def test_at_most_twenty_settings_blocks(count: int) -> None:
    blocks = tuple(block(f"acme.b{i}", "settings", values={}) for i in range(count))
    agent = AGENT._replace(blocks=PinnedBlocks(settings=blocks))
    told = override_issues(Overrides(settings={each.id: {} for each in blocks}), agent, checkers())
    assert [each.message for each in told] == (
        [f"at most 20 settings blocks, not {count}"] if count > 20 else []
    )


def test_at_most_one_prompt() -> None:
    assert issues(acme_prompt="a", acme_other="b") == [("/overrides/prompts", "at most one prompt, not 2")]


def test_each_issue_is_named_in_the_sentence() -> None:
    told = override_issues(
        Overrides(settings={"acme.x": {}, "acme.weights": {"recency": 9}}), AGENT, checkers()
    )
    sentence = issues_sentence("acme.clerk", "0.2.0", told)
    assert sentence.startswith(
        "The overrides don't fit acme.clerk 0.2.0 (2 issues): /overrides/settings/acme.x: "
    )
    assert "/overrides/settings/acme.weights/recency: 9 is greater" in sentence


def test_only_what_is_overridden_changes() -> None:
    now = overridden(
        AGENT.blocks,
        Overrides(
            settings={"acme.weights": {"recency": 1}}, prompts={"acme.prompt": PromptOverride(template="Hi")}
        ),
    )
    assert [each.values for each in now.settings] == [{"recency": 1}, {"anything": 1}]
    assert now.prompt is not None and now.prompt.template == "Hi" and len(now.prompt.parameters) == 2
    assert now.model_settings == MODEL and AGENT.blocks.prompt == PROMPT
    assert overridden(AGENT.blocks, None) is AGENT.blocks


VALUES: st.SearchStrategy[Any] = st.dictionaries(
    st.text(min_size=1), st.none() | st.integers() | st.lists(st.text())
)


@given(
    st.dictionaries(st.text(min_size=1), VALUES), st.dictionaries(st.text(min_size=1), st.text(min_size=1))
)
def test_what_is_written_is_read_again(settings: dict[str, Any], prompts: dict[str, str]) -> None:
    given_ = Overrides(
        settings=settings, prompts={name: PromptOverride(template=text) for name, text in prompts.items()}
    )
    assert overrides_of(given_.wire) == (given_ if settings or prompts else None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3",
        "{",
        "{}",
        '{"settings": {"a": 1}}',
        '{"sittings": {}}',
        '{"settings": {"a": {}}, "x": 1}',
        "[" * 9999,
    ],
)
def test_what_is_typed_and_is_no_override_says_what_would_be(text: str) -> None:
    with pytest.raises(ValueError, match="overrides are JSON such as"):
        overrides_typed(text)


def test_what_is_typed_is_read() -> None:
    assert overrides_typed('{"settings": {"a": {"b": null}}}').settings == {"a": {"b": None}}


def test_what_is_no_override_is_left_out_of_reading() -> None:
    assert overrides_of(None) is None and overrides_of({"settings": 3, "prompts": {"a": "b"}}) is None
