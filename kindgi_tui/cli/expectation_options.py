"""Flags that say what a run should have done: decisions, calls, an answer."""

import contextlib
import re
from collections.abc import Iterator
from typing import cast

import click

from kindgi_tui.cli import completing
from kindgi_tui.cli.parameters import F
from kindgi_tui.domain.corrections import Expectation, ExpectedCall, Mark
from kindgi_tui.domain.limits import LimitError
from kindgi_tui.wire.expectations import check_arguments
from kindgi_tui.workbench import Invalid

MARKS = click.Choice(["right", "wrong"])
"""What is said of decisions, and of an answer."""


FLAGS = {
    "decisions": "--decisions", "shouldCall": "--should-call", "mustNotCall": "--must-not-call",
    "answer": "--answer", "shouldSay": "--should-say", "why": "--why",
}  # fmt: skip
"""The flag of each field of an expectation."""


MISSING = {"agentId": ("--run or --agent", "runId or agentId"), "input": ("--input", "input")}
"""What gives a case's field that is wrong or missing: on the command line, and in a file."""


_LACKS = ("Name the run or the agent", "A case from nothing needs an input")


@contextlib.contextmanager
def in_words_of(file: object) -> Iterator[None]:
    """What is wrong with an expectation names the flag that was given, or, with a `file`, the file's field."""
    try:
        yield
    except (Invalid, LimitError) as cause:
        cause.sentence = in_words(cause.sentence, file)
        if cause.field in MISSING and cause.sentence.startswith(_LACKS):
            cause.sentence += f" Give {MISSING[cause.field][file is not None]}."
        cause.args = (cause.sentence,)
        raise


def in_words(sentence: str, file: object) -> str:
    """The sentence with the flag, or with a `file` the file's field, in place of an expectation's field."""
    sentence = sentence.replace("expect says nothing yet", "Nothing is said yet")
    return re.sub(
        rf"\bexpect\.({'|'.join(FLAGS)})\b",
        lambda found: FLAGS[found[1]] if file is None else found[1],
        sentence,
    )


class CallType(click.ParamType[ExpectedCall]):
    """A call that should have been made: a tool's id, perhaps with arguments as JSON after it."""

    name = "call"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> ExpectedCall:
        """The call; a click error when what follows the tool's id is no JSON object."""
        if isinstance(value, ExpectedCall):
            return value
        words = str(value).split(maxsplit=1)
        if not words:
            self.fail("Name a tool, such as acme-ops.search-articles.", param, ctx)
        if any(sign in words[0] for sign in "{}="):
            self.fail(
                f"Put a space between the tool and its arguments: TOOL {{…}}; got {value!r}.", param, ctx
            )
        if len(words) == 1:
            return ExpectedCall(tool_id=words[0])
        from kindgi_tui.cli.documents import read_json

        name = f"What follows {words[0]}"
        try:
            arguments = check_arguments(read_json(words[1], name), name)
        except (Invalid, LimitError) as cause:
            self.fail(cause.sentence, param, ctx)
        return ExpectedCall(tool_id=words[0], arguments=arguments)


def expectation_options(function: F) -> F:
    """The flags of an expectation, in the order of `expectation_of`."""
    decisions = click.option("--decisions", type=MARKS, help="Whether its tool calls were right.")
    should_call = click.option(
        "--should-call",
        "should_call",
        type=CallType(),
        multiple=True,
        metavar="'TOOL [JSON]'",
        help="Wrong decisions: a call it should have made, perhaps with arguments it must have; repeat for more.",
    )
    must_not_call = click.option(
        "--must-not-call",
        "must_not_call",
        multiple=True,
        metavar="TOOL",
        shell_complete=completing.tools,
        help="Wrong decisions: a tool it must not call; repeat for more.",
    )
    answer = click.option("--answer", type=MARKS, help="Whether its answer was right.")
    should_say = click.option(
        "--should-say", "should_say", help="Wrong answer: what it should say, in at most 4,000 characters."
    )
    why = click.option(
        "--why", help="Wrong answer: why, or what a right one has to do, in at most 4,000 characters."
    )
    return decisions(should_call(must_not_call(answer(should_say(why(function))))))


def expectation_of(
    decisions: str | None,
    should_call: tuple[ExpectedCall, ...],
    must_not_call: tuple[str, ...],
    answer: str | None,
    should_say: str | None,
    why: str | None,
) -> Expectation:
    """The expectation those flags say; one that says nothing equals `Expectation()`."""
    return Expectation(
        decisions=cast(Mark | None, decisions),
        should_call=should_call,
        must_not_call=must_not_call,
        answer=cast(Mark | None, answer),
        should_say=should_say,
        why=why,
    )
