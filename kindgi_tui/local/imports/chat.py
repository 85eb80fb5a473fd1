"""Chat logs: one conversation a record, its last turn the run, the turns before it the run's history.

Read are:
- `{"messages": [...]}` (OpenAI, fine-tuning files, logs), with the answer as its last message or beside it as
  `response`, `completion` or `choices`; a bare list of messages;
- `{"conversations": [{"from", "value"}]}` (ShareGPT), with an optional `system`;
- stored completions: `{"request": {"messages" or "input"}, "response": {"choices" or "output"}}`; several choices
  are several runs;
- preference pairs: `{"input": {"messages"}, "preferred_output", "non_preferred_output"}` and `{"prompt", "chosen",
  "rejected"}`: two runs each, and judgments only where they were asked for.

Optional beside them: `id`, `agent`, `agent_id`, `agent_version`, `metadata` (the same names in it), `model`,
`provider`, `created`, `usage`, `reward`, `score`, `scores`. Ids such as `1` or `request-1` repeat between files, so a
run's id is the record's own only when that is a UUID; else it comes from the id and the messages together.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.judgments import ItemRef, Verdict
from kindgi_tui.local.imports.identity import named_id, plain, time_of, uuid_of
from kindgi_tui.local.imports.json_values import Found
from kindgi_tui.local.imports.messages import turned
from kindgi_tui.local.imports.records import ImportedJudgment, ImportedRun, ImportOptions, Problem
from kindgi_tui.local.imports.scores import machine_scores
from kindgi_tui.local.imports.told import Unreadable
from kindgi_tui.local.imports.turns import (
    calls_tools,
    last_turn,
    metadata_of,
    output_of,
    subject_of,
    turn_run,
)

NAME = "chat"
"""The format's name."""


class _Conversation(NamedTuple):
    """The messages of one run, and what its record tells beside them."""

    messages: list[Json]
    response: dict[str, Json]
    """The model's response object, for its model, usage and time; empty when there is none."""
    verdict: Verdict | None = None
    """What a preference pair says of it."""


def sniff(value: Json) -> bool:
    """Whether a value is a record of this format."""
    if isinstance(value, list):
        return bool(value) and all(is_message(message) for message in value[:3])
    if not isinstance(value, dict):
        return False
    if _messages_in(value) or _request_messages(value) is not None:
        return True
    if isinstance(value.get("preferred_output"), list) and isinstance(value.get("input"), dict):
        return True
    return "chosen" in value and "rejected" in value


def is_message(value: Json) -> bool:
    """Whether a value is a message by itself: an element of a conversation that is the whole file."""
    return isinstance(value, dict) and (
        (isinstance(value.get("role"), str) and ("content" in value or "tool_calls" in value))
        or (isinstance(value.get("from"), str) and "value" in value)
    )


def read(found: Found, options: ImportOptions) -> Iterator[ImportedRun | Problem]:
    """The runs of one record (one, but for preference pairs and several choices), or why there are none."""
    record: Json = {"messages": found.value} if isinstance(found.value, list) else found.value
    if not isinstance(record, dict):
        yield Problem(place=found.place, reason="The record is not an object.")
        return
    try:
        conversations = list(_conversations(record))
    except Unreadable as error:
        yield Problem(place=found.place, reason=str(error))
        return
    for number, conversation in enumerate(conversations):
        try:
            yield _run(record, conversation, number, found, options)
        except Unreadable as error:
            yield Problem(place=found.place, reason=str(error))


def _run(
    record: dict[str, Json], conversation: _Conversation, number: int, found: Found, options: ImportOptions
) -> ImportedRun:
    shaped = turned(conversation.messages)
    turn = last_turn(shaped.messages)
    own = record.get("id")
    detail = turn_run(
        (uuid_of(own) if number == 0 else None) or named_id(NAME, own, conversation.messages),
        turn,
        output_of(turn, shaped, _usage(record, conversation), _provider(record, conversation)),
        found.value,
        subject_of(record, found.place, options),
        found.place,
        options,
        NAME,
        times=(_created(record, conversation), None),
    )
    judgments: tuple[ImportedJudgment, ...] = ()
    if conversation.verdict is not None and options.preferences:
        answer = next(
            (place for place in range(len(turn.appended) - 1, -1, -1) if _is_answer(turn.appended[place])),
            None,
        )
        if answer is not None:
            item = ItemRef(key="answer", pointer=f"/appended/{answer}/content")
            judgments = (ImportedJudgment(item=item, verdict=conversation.verdict, judge="unknown"),)
    return ImportedRun(
        detail=detail, judgments=judgments, machine_scores=machine_scores(record), place=found.place
    )


def _is_answer(message: Json) -> bool:
    return isinstance(message, dict) and message.get("role") == "agent" and not calls_tools(message)


def _messages_in(record: dict[str, Json]) -> list[Json] | None:
    for key in ("messages", "conversations", "conversation"):
        listed = record.get(key)
        if isinstance(listed, list) and (not listed or any(isinstance(one, dict) for one in listed[:3])):
            return listed
    return None


def _request_messages(record: dict[str, Json]) -> list[Json] | None:
    """What a stored completion was asked."""
    request = record.get("request")
    if not isinstance(request, dict):
        return None
    body = request.get("body")
    for source in (request, body if isinstance(body, dict) else {}):
        listed = source.get("messages", source.get("input"))
        if isinstance(listed, str):
            listed = [{"role": "user", "content": listed}]
        if isinstance(listed, list):
            told = source.get("instructions")
            first: list[Json] = [{"role": "system", "content": told}] if isinstance(told, str) else []
            return first + listed
    return None


def _conversations(record: dict[str, Json]) -> Iterator[_Conversation]:
    """The conversations of a record. Raises Unreadable when it has none."""
    if "preferred_output" in record or ("chosen" in record and "rejected" in record):
        yield from _pair(record)
        return
    asked = _request_messages(record)
    messages = asked if asked is not None else _messages_in(record)
    if messages is None:
        raise Unreadable("The record has no `messages`, a list of a conversation's messages.")
    if not messages:
        raise Unreadable("The conversation has no messages.")
    told = record.get("system")
    if isinstance(told, str) and told and "conversations" in record:
        messages = [{"role": "system", "content": told}, *messages]
    response = _response(record)
    answers = list(_answers(response if response else record))
    if not answers and asked is not None:
        raise Unreadable("The stored completion has no response with a message.")
    if not answers:
        answers = [[]]
    for answer in answers:
        yield _Conversation([*messages, *answer], response)


def _response(record: dict[str, Json]) -> dict[str, Json]:
    response = record.get("response")
    if isinstance(response, dict) and isinstance(response.get("body"), dict):
        response = response["body"]
    if isinstance(response, dict):
        return response
    for key in ("response", "completion"):
        if isinstance(record.get(key), str):
            return {"choices": [{"message": {"role": "assistant", "content": record[key]}}]}
    return {}


def _answers(response: dict[str, Json]) -> Iterator[list[Json]]:
    """What the model answered: a list of messages for each choice."""
    choices = response.get("choices")
    if isinstance(choices, list):
        for choice in choices:
            message = choice.get("message") if isinstance(choice, dict) else None
            if isinstance(message, dict):
                yield [{"role": "assistant", **message}]
        return
    output = response.get("output")
    if isinstance(output, list) and output:
        yield output
    elif isinstance(response.get("role"), str):
        yield [response]


def _pair(record: dict[str, Json]) -> Iterator[_Conversation]:
    """A preference pair's two conversations. Raises Unreadable when a side is missing."""
    given = record.get("input", record.get("prompt"))
    asked = given.get("messages") if isinstance(given, dict) else given
    if isinstance(asked, str):
        asked = [{"role": "user", "content": asked}]
    sides: tuple[tuple[tuple[str, str], Verdict], ...] = (
        (("preferred_output", "chosen"), "yes"),
        (("non_preferred_output", "rejected"), "no"),
    )
    for keys, verdict in sides:
        side = next((record[key] for key in keys if key in record), None)
        if isinstance(side, str):
            side = [{"role": "assistant", "content": side}]
        if not isinstance(side, list) or not side:
            raise Unreadable("The preference pair lacks one of its two answers.")
        # `chosen` and `rejected` are whole conversations where there is no prompt, and in some sets even with one.
        whole = not isinstance(asked, list) or side[: len(asked)] == asked
        yield _Conversation(side if whole or not isinstance(asked, list) else [*asked, *side], {}, verdict)


def _first(record: dict[str, Json], conversation: _Conversation, key: str) -> Json:
    """What the response says, else the record, else its request or metadata."""
    request = record.get("request")
    asked = request if isinstance(request, dict) else {}
    for source in (conversation.response, record, asked, metadata_of(record)):
        if source.get(key) is not None:
            return source[key]
    return None


def _provider(record: dict[str, Json], conversation: _Conversation) -> dict[str, Json] | None:
    model = _first(record, conversation, "model")
    if not isinstance(model, str) or not model:
        return None
    provider = _first(record, conversation, "provider")
    return {
        "id": plain(provider) if isinstance(provider, str) and provider else "unknown",
        "model": plain(model),
    }


def _usage(record: dict[str, Json], conversation: _Conversation) -> dict[str, Json]:
    told = _first(record, conversation, "usage")
    usage: dict[str, Json] = {}
    for ours, names in (
        ("promptTokens", ("prompt_tokens", "input_tokens")),
        ("completionTokens", ("completion_tokens", "output_tokens")),
    ):
        for name in names:
            count = told.get(name) if isinstance(told, dict) else None
            if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 2**53:
                usage[ours] = count
    return usage


def _created(record: dict[str, Json], conversation: _Conversation) -> datetime | None:
    for key in ("created", "created_at", "createdAt", "timestamp"):
        told = time_of(_first(record, conversation, key))
        if told is not None:
            return told
    return None
