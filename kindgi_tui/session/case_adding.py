"""The form that adds a test case by hand, without a screen: what was typed, and what is wrong with it."""

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, cast

from kindgi_tui.domain.base import Frozen, Json
from kindgi_tui.domain.corrections import Expectation, ExpectedCall, Mark
from kindgi_tui.domain.items import output_items
from kindgi_tui.domain.json_words import json_place, json_words
from kindgi_tui.domain.limits import LimitError
from kindgi_tui.domain.own_test_sets import ExpectedItem, NewCase, checked_case
from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.session.arguments import read_arguments
from kindgi_tui.session.equal_cases import EqualCases, equal_words
from kindgi_tui.session.expected_tools import ToolDoubts
from kindgi_tui.session.fields import Choice, FormField
from kindgi_tui.wire.expectations import check_arguments
from kindgi_tui.workbench import WorkbenchError

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench

T = TypeVar("T")

_FIELD_OF = {
    "input": "input", "items": "items", "expect": "decisions", "expect.decisions": "decisions",
    "expect.shouldCall": "should_call", "expect.mustNotCall": "must_not_call", "expect.answer": "answer",
    "expect.shouldSay": "should_say", "expect.why": "why", "run": "run_id", "answer": "answer",
}  # fmt: skip


_TITLE_OF = {
    "decisions": "Decisions", "shouldCall": "Should call", "mustNotCall": "Must not call",
    "answer": "Answer", "shouldSay": "Should say", "why": "Why",
}  # fmt: skip
"""The title of each row that an expectation's field is typed in."""


class CaseDraft(Frozen):
    """The form as it was typed."""

    run_id: str = ""
    """The run it copies; empty: it is made from nothing."""
    input: str = ""
    """From nothing: what the agent is asked."""
    decisions: str = ""
    """`right` or `wrong`; empty: not said."""
    should_call: str = ""
    """Calls, each a tool's id and perhaps its arguments as JSON, parted by commas."""
    must_not_call: str = ""
    """Tools' ids, parted by commas."""
    answer: str = ""
    """`right` or `wrong`; empty: not said."""
    should_say: str = ""
    """What the answer should say."""
    why: str = ""
    """Why it is wrong, or what a right one has to do."""
    items: str = ""
    """`key=yes` and `key=no`, parted by commas."""


class CaseCheck(Frozen):
    """What adding a draft would come to."""

    new: NewCase | None = None
    """The case; None while something is wrong."""
    run: RunDetail | None = None
    """The run it copies."""
    problems: dict[str, str] = {}
    """What is wrong, a sentence a field."""
    refusal: str | None = None
    """Why it can't be added, a sentence; None when it can."""
    doubts: tuple[str, ...] = ()
    """What is doubtful of the tools it names, and which live case says the same, a sentence each; it can be added
    all the same."""


def read_calls(text: str) -> tuple[ExpectedCall, ...]:
    """Calls as they are typed: `tool.id {"query": "refund"}, other.tool`. Raises ValueError with a sentence."""
    calls: list[ExpectedCall] = []
    rest = text.strip(" ,\n")
    while rest:
        at = next((at for at, letter in enumerate(rest) if letter in " ,{\n"), len(rest))
        tool, rest = rest[:at], rest[at:].lstrip()
        if not tool:
            raise ValueError("A call begins with its tool's id, such as acme-ops.search-articles.")
        arguments = None
        if rest.startswith("{"):
            told, end = _object_at(rest, tool)
            arguments, rest = check_arguments(told, f"What follows {tool}"), rest[end:].lstrip()
        calls.append(ExpectedCall(tool_id=tool, arguments=arguments))
        if rest and not rest.startswith(","):
            raise ValueError(f"After {tool} comes a comma, or its arguments as a JSON object.")
        rest = rest.lstrip(" ,\n")
    return tuple(calls)


def _object_at(text: str, tool: str) -> tuple[Json, int]:
    """The JSON value that a text begins with, read as arguments are anywhere, and where it ends."""
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except json.JSONDecodeError as wrong:
        place = json_place(text, wrong.pos)
        told = f"What follows {tool} is not JSON at {place}: {json_words(wrong, 'object')}."
        raise ValueError(told) from None
    except (RecursionError, ValueError):
        end = len(text)
    read = read_arguments(text[:end])
    if read.problem is not None:
        raise ValueError(f"What follows {tool} can't be kept: {read.problem.words}.")
    return read.arguments, end


def read_items(text: str) -> tuple[ExpectedItem, ...]:
    """Items as they are typed: `kb-301=yes, kb-302=no`. Raises ValueError with a sentence."""
    found = []
    for part in filter(None, map(str.strip, text.split(","))):
        key, _, verdict = part.rpartition("=")
        if not key.strip() or verdict.strip() not in ("yes", "no"):
            raise ValueError("Items are KEY=yes or KEY=no, parted by commas, such as kb-301=yes, kb-302=no.")
        found.append(ExpectedItem(key=key.strip(), verdict="yes" if verdict.strip() == "yes" else "no"))
    return tuple(found)


def read_draft(draft: CaseDraft, agent_id: str, project_id: str) -> tuple[NewCase | None, dict[str, str]]:
    """The case a draft says, checked; with what is wrong by field."""
    problems: dict[str, str] = {}

    def told(name: str, read: Callable[[], tuple[T, ...]]) -> tuple[T, ...]:
        try:
            return read()
        except LimitError as wrong:
            problems[name] = wrong.sentence
        except ValueError as wrong:
            problems[name] = str(wrong)
        return ()

    expect = Expectation(
        decisions=cast(Mark | None, draft.decisions or None),
        should_call=told("should_call", lambda: read_calls(draft.should_call)),
        must_not_call=tuple(filter(None, map(str.strip, draft.must_not_call.split(",")))),
        answer=cast(Mark | None, draft.answer or None),
        should_say=draft.should_say or None,
        why=draft.why or None,
    )
    items = told("items", lambda: read_items(draft.items))
    if problems:
        return None, problems
    run_id = draft.run_id.strip()
    whose = (
        {"run_id": run_id}
        if run_id
        else {"agent_id": agent_id, "project_id": project_id, "input": draft.input}
    )
    new = NewCase.model_validate({**whose, "expect": expect, "items": items})
    try:
        return checked_case(new), {}
    except LimitError as wrong:
        field = _FIELD_OF.get(wrong.field.partition("[")[0], "decisions")
        return None, {field: _in_titles(wrong.sentence)}


def _in_titles(sentence: str) -> str:
    """The sentence with the titles of the form's rows in place of an expectation's fields."""
    sentence = sentence.replace("expect says nothing yet", "Nothing is said yet")
    names = "|".join(_TITLE_OF)
    return re.sub(rf"\bexpect\.({names})\b", lambda found: _TITLE_OF[found[1]], sentence)


async def check_draft(
    workbench: "Workbench",
    draft: CaseDraft,
    agent_id: str,
    project_id: str,
    finding: ToolDoubts | None = None,
    equals: EqualCases | None = None,
) -> CaseCheck:
    """What adding a draft would come to, and why it would be refused. `finding` keeps what it learns of the tools,
    `equals` of the cases there are."""
    run: RunDetail | None = None
    if draft.run_id.strip():
        try:
            run = await workbench.runs.get(draft.run_id.strip())
        except WorkbenchError as refused:
            return CaseCheck(problems={"run_id": refused.sentence}, refusal=refused.sentence)
        wrong = _not_its_run(run, agent_id, project_id)
        if wrong is not None:
            return CaseCheck(run=run, problems={"run_id": wrong}, refusal=wrong)
    new, problems = read_draft(draft, agent_id, project_id)
    if new is None:
        return CaseCheck(run=run, problems=problems, refusal=next(iter(problems.values())))
    person = await workbench.people.me()
    refusal = None
    if person.right == "judge":
        refusal = f"{person.id} may judge, and adding a case takes the right of an editor: ask an admin."
    asking = finding or ToolDoubts(workbench)
    told = await (asking.of_agent(agent_id, new.expect) if run is None else asking.of(run, new.expect))
    whole = None if run is None else run.id
    other = await (equals or EqualCases(workbench)).of_new(new, whole, agent_id, project_id)
    if other is not None:
        told = (*told, equal_words(other, run is not None))
    return CaseCheck(new=new, run=run, refusal=refusal, doubts=told)


def _not_its_run(run: RunDetail, agent_id: str, project_id: str) -> str | None:
    if run.subject.kind != "agent" or run.subject.id != agent_id:
        return f"That run is {run.subject.id}'s: a case of this set is made from a run of {agent_id}."
    if run.project_id != project_id:
        return "That run is of another project: its case belongs to the set there."
    return None


def item_keys(run: RunDetail) -> tuple[str, ...]:
    """The keys of a run's items, to say yes or no of."""
    return tuple([item.key for item in output_items(run.output, True)])


def case_fields(draft: CaseDraft, check: CaseCheck) -> tuple[FormField, ...]:
    """The form's lines for a draft; what only a case from nothing has shows without a run."""
    # Without a recording nothing could be right.
    said = ("right", "wrong") if draft.run_id else ("wrong",)
    marks = (Choice(value="", words="not said"), *(Choice(value=mark) for mark in said))
    rows: list[dict[str, object]] = [
        {
            "name": "run_id", "label": "Run", "hint": "none: from nothing",
            "help": "The run it copies; 8 characters of its id are enough. Empty: it is made from nothing.",
        },
    ]  # fmt: skip
    if not draft.run_id:
        rows.append({"name": "input", "label": "Input", "help": "What the agent is asked."})
    rows.append({
        "name": "decisions", "label": "Decisions", "choices": marks, "typed": False,
        "help": "Whether its tool calls were right; wrong: say what it should have called.",
    })  # fmt: skip
    if draft.decisions == "wrong":
        rows += [
            {
                "name": "should_call", "label": "Should call",
                "help": 'Calls it must make, parted by commas: tool.id {"query": "refund"}, other.tool',
            },
            {"name": "must_not_call", "label": "Must not call", "help": "Ids of tools, parted by commas."},
        ]  # fmt: skip
    rows.append({
        "name": "answer", "label": "Answer", "choices": marks, "typed": False,
        "help": "Whether its answer was right; wrong: say what it should say, or why.",
    })  # fmt: skip
    if draft.answer == "wrong":
        rows += [
            {"name": "should_say", "label": "Should say", "help": "What the answer should say."},
            {"name": "why", "label": "Why", "help": "Why it is wrong, or what a right one has to do."},
        ]
    keys = () if check.run is None else item_keys(check.run)
    rows.append({
        "name": "items", "label": "Items", "note": "has " + ", ".join(keys[:6]) if keys else "",
        "help": "Items that should be there or not: kb-301=yes, kb-302=no.",
    })  # fmt: skip
    return tuple(
        FormField.model_validate(
            {
                **row,
                "value": getattr(draft, str(row["name"])),
                "problem": check.problems.get(str(row["name"])),
            }
        )
        for row in rows
    )
