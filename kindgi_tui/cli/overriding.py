"""Block content a comparison runs in place of a version's own: `--override-settings` and `--override-prompt`."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click

from kindgi_tui.cli.parameters import F
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.overrides import Overrides, PromptOverride
from kindgi_tui.domain.pointers import escape
from kindgi_tui.workbench import Invalid, WorkbenchError


class OverriddenSettings(NamedTuple):
    """Values of one settings block."""

    block: str
    """Its id."""
    values: dict[str, Json]
    """The values."""
    source: str
    """What a sentence calls the place they were read from: the file, or the flag."""


class OverriddenPrompt(NamedTuple):
    """Another template of one prompt block."""

    block: str
    """Its id."""
    template: str
    """The template."""
    source: str
    """What a sentence calls the place it was read from: the file, or the flag."""


class SettingsType(click.ParamType[OverriddenSettings]):
    """`ID=JSON`, or `ID=@FILE` with JSON or YAML in the file."""

    name = "id=json"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> OverriddenSettings:
        """Reads the id and the values."""
        if isinstance(value, OverriddenSettings):
            return value
        block, rest = _split(self, value, '{"recency": 0.5}', param, ctx)
        values = self._values(block, rest, param, ctx)
        if not isinstance(values, dict):
            self.fail(f"The values of {block} must be an object, such as {{…}}.", param, ctx)
        return OverriddenSettings(block, values, _source(rest, f"--override-settings {block}"))

    def _values(
        self, block: str, rest: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> Json:
        from kindgi_tui.cli.documents import read_document, read_json

        try:
            if rest.startswith("@"):
                return read_document(Path(rest[1:]))
            return read_json(rest, f"What follows {block}=")
        except Invalid as cause:
            self.fail(cause.sentence, param, ctx)


class PromptType(click.ParamType[OverriddenPrompt]):
    """`ID=@FILE`, or the template itself."""

    name = "id=@file"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> OverriddenPrompt:
        """Reads the id and the template."""
        if isinstance(value, OverriddenPrompt):
            return value
        block, rest = _split(self, value, "@prompt.liquid", param, ctx)
        source = _source(rest, f"--override-prompt {block}")
        if rest.startswith("@"):
            try:
                rest = Path(rest[1:]).read_text("utf-8")
            except UnicodeDecodeError:
                self.fail(f"{rest[1:]} is not UTF-8.", param, ctx)
            except (OSError, ValueError) as cause:
                why = cause.strerror if isinstance(cause, OSError) else cause
                self.fail(f"{rest[1:]} can't be read: {why}.", param, ctx)
        return OverriddenPrompt(block, rest, source)


def _source(content: str, flag: str) -> str:
    return content[1:] if content.startswith("@") else flag


def _by_source(sentence: str, pointer: str, source: str) -> str:
    def told(found: re.Match[str]) -> str:
        return f"{source}, at {found[1]}:" if found[1] else f"{source}:"

    return re.sub(rf"{re.escape(pointer)}(/[^:\s]*)?:", told, sentence)


@contextlib.contextmanager
def told_by_source(
    settings: tuple[OverriddenSettings, ...], prompts: tuple[OverriddenPrompt, ...]
) -> Iterator[None]:
    """What doesn't fit names the file or the flag it stands in, and the path inside, in place of a request's path."""
    try:
        yield
    except WorkbenchError as cause:
        for kind, given in (("settings", settings), ("prompts", prompts)):
            for each in given:
                pointer = f"/overrides/{kind}/{escape(each.block)}"
                cause.sentence = _by_source(cause.sentence, pointer, each.source)
        cause.args = (cause.sentence,)
        raise


def _split(
    kind: click.ParamType[Any],
    value: Any,
    example: str,
    param: click.Parameter | None,
    ctx: click.Context | None,
) -> tuple[str, str]:
    block, equals, rest = str(value).partition("=")
    if not equals or not block.strip() or not rest:
        kind.fail(f"Name the block and its content, as in acme.block={example}; got {value!r}.", param, ctx)
    return block.strip(), rest


def overriding(function: F) -> F:
    """`--override-settings` and `--override-prompt`."""
    prompt = click.option(
        "--override-prompt", multiple=True, type=PromptType(), metavar="ID=@FILE",
        help="Run another template of the prompt block ID; no version has it, so no gate decides by it.",
    )  # fmt: skip
    settings = click.option(
        "--override-settings", multiple=True, type=SettingsType(), metavar="ID=JSON|@FILE",
        help="Run other values of the settings block ID; repeat it for up to 20.",
    )  # fmt: skip
    return settings(prompt(function))


def gathered(
    settings: tuple[OverriddenSettings, ...], prompts: tuple[OverriddenPrompt, ...]
) -> Overrides | None:
    """What the options say together; None without any. Raises UsageError for a block named twice."""
    if not settings and not prompts:
        return None
    named = [*(each.block for each in settings), *(each.block for each in prompts)]
    twice = next((each for each in named if named.count(each) > 1), None)
    if twice is not None:
        raise click.UsageError(f"{twice} is overridden twice: say once what it holds.")
    return Overrides(
        settings={each.block: each.values for each in settings},
        prompts={each.block: PromptOverride(template=each.template) for each in prompts},
    )
