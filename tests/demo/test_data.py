"""What models and people said in the demo, held to the pack's real search and to Kindgi's guides."""

import json
import uuid
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from kindgi_tui.demo.said import (
    DOCS_PROJECT,
    REPETITIONS,
    RecordedRun,
    load_groups,
    load_judgments,
    load_people,
    load_runs,
    load_said,
    pack_folder,
)
from kindgi_tui.domain.runs import Segment

from .test_pack import search

PICKER = "acme-ops.article-picker"
VERSIONS = ("0.1.0", "0.2.0", "0.3.0")
PACKAGE = "My package hasn't arrived yet. Where is it?"
PASSWORD = "I forgot my password and can't sign in."
DEFAULT_PROJECT = "default"
"""The slug of the project with three weeks of a help desk's runs."""
SEED = Path(__file__).parents[3] / "shared/kindgi-real/seed-article-picker.json"


def picked(version: str, question: str, repetition: int = 1) -> list[str]:
    """The ids of the articles that were answered."""
    answer = cast(Any, load_said().replies(PICKER, version, question, repetition)[-1].answer)
    return [article["id"] for article in answer["articles"]]


def query(version: str, question: str) -> str:
    """What was searched for."""
    arguments = cast(Any, load_said().replies(PICKER, version, question)[0].calls[0].arguments)
    return str(arguments["query"])


def of(project: str, agent: str = PICKER) -> list[RecordedRun]:
    """The recorded runs of an agent in a project."""
    return [run for run in load_runs() if run.project == project and run.agent == agent]


def shown_titles() -> dict[str, str]:
    with pack_folder() as pack:
        articles = json.loads((pack / "tools/_articles.json").read_text("utf-8"))
    return {article["id"]: article["title"] for article in articles}


def test_every_search_really_finds_what_the_model_saw() -> None:
    calls = [
        call
        for sequence in load_said().sequences
        for reply in sequence.replies
        for call in reply.calls
        if call.tool == "acme-ops.search-articles"
    ]
    assert len(calls) == len(load_said().sequences)
    with pack_folder() as pack:
        found = search(pack, [str(cast(Any, call.arguments)["query"]) for call in calls])
    assert [tuple(key for key, _ in articles) for articles in found] == [call.saw for call in calls]


def test_every_answer_is_made_of_articles_the_model_saw_under_their_titles() -> None:
    titles = shown_titles()
    for sequence in load_said().sequences:
        saw = sequence.replies[0].calls[0].saw or ()
        answer = cast(Any, sequence.replies[-1].answer)
        assert list(answer) == ["articles"]
        for article in answer["articles"]:
            assert article["id"] in saw
            assert article == {"id": article["id"], "title": titles[article["id"]]}


def test_the_versions_do_what_their_instructions_say() -> None:
    for sequence in load_said().sequences:
        tools = [call.tool for reply in sequence.replies for call in reply.calls]
        assert all(reply.calls for reply in sequence.replies[:-1]) and not sequence.replies[-1].calls
        if sequence.version != "0.3.0":
            assert tools == ["acme-ops.search-articles"]
            continue
        assert tools == ["acme-ops.search-articles", "acme-ops.log-suggestion"]
        logged = cast(Any, sequence.replies[1].calls[0].arguments)
        answer = cast(Any, sequence.replies[-1].answer)
        assert logged == {"question": sequence.question, "articles": answer["articles"]}
    for run in load_runs():
        if run.agent == PICKER and run.failure is None:
            assert query("0.1.0", run.input) == run.input
            saw = load_said().replies(PICKER, "0.1.0", run.input)[0].calls[0].saw
            assert tuple(picked("0.1.0", run.input)) == saw


def test_every_version_answers_every_completed_run_in_every_repetition() -> None:
    said = load_said()
    for run in load_runs():
        for version in VERSIONS if run.agent == PICKER and run.failure is None else ():
            for repetition in range(1, REPETITIONS + 1):
                assert said.replies(PICKER, version, run.input, repetition)
    assert said.replies(PICKER, "0.1.0", "never asked") == ()
    assert said.replies(PICKER, "9.9.9", PACKAGE) == ()


def test_only_one_question_is_answered_differently_in_some_repetitions() -> None:
    assert [picked("0.2.0", PACKAGE, n) for n in range(1, REPETITIONS + 1)] == [
        ["kb-301", "kb-303"] if n in (3, 6, 9) else ["kb-301"] for n in range(1, REPETITIONS + 1)
    ]
    assert [s.question for s in load_said().sequences if s.repetitions is not None] == [PACKAGE]
    every = Counter((s.version, s.question) for s in load_said().sequences if s.repetitions is None)
    assert set(every.values()) == {1}


def test_tokens_are_counted_and_the_conversation_grows() -> None:
    for sequence in load_said().sequences:
        read = [reply.tokens[0] for reply in sequence.replies]
        assert read == sorted(read) and read[0] > 0
        assert all(reply.tokens[1] > 0 for reply in sequence.replies)


def test_a_replys_text_is_what_the_run_records() -> None:
    replies = load_said().replies(PICKER, "0.2.0", PASSWORD)
    assert [reply.text for reply in replies] == [
        "",
        '{"articles":[{"id":"kb-101","title":"Reset your password"}]}',
    ]
    assert query("0.2.0", PASSWORD) == PASSWORD.removesuffix(".")


def test_the_default_project_is_three_weeks_of_a_help_desk() -> None:
    runs = of(DEFAULT_PROJECT)
    assert len(runs) >= 60 and len({run.input for run in runs}) >= 60
    assert {run.version for run in runs} == {"0.1.0"}
    first, last = min(run.at for run in runs), max(run.completed_at for run in runs)
    assert datetime(2026, 10, 12, tzinfo=UTC) <= first and last < datetime(2026, 11, 2, tzinfo=UTC)
    assert last - first > timedelta(days=19)
    assert len({run.segments for run in runs}) >= 4
    assert {run.segments[0] for run in runs} >= {
        Segment(key="company", value="acme"),
        Segment(key="company", value="globex"),
    }
    (failed,) = [run for run in runs if run.failure is not None]
    assert len(failed.after_ms) == 1 and failed.call_ids == ()


def test_part_of_the_default_project_is_judged_by_two_people_who_do_not_always_agree() -> None:
    completed = {run.id: run for run in of(DEFAULT_PROJECT) if run.failure is None}
    verdicts: dict[tuple[str, str], dict[str, str]] = {}
    for judgment in load_judgments():
        if judgment.run in completed:
            verdicts.setdefault((judgment.run, judgment.item), {})[judgment.by] = judgment.verdict
    judged = {run for run, _ in verdicts}
    assert 35 <= len(judged) <= 45 and len(completed) - len(judged) >= 20
    assert {person for said in verdicts.values() for person in said} == {"mira", "jonas"}
    assert sum(set(said.values()) == {"yes", "no"} for said in verdicts.values()) >= 5
    for run in judged:
        items = [item for judged_run, item in verdicts if judged_run == run]
        assert sorted(items) == sorted(picked("0.1.0", completed[run].input))


def test_experts_speak_as_their_group() -> None:
    groups = {group.id: group for group in load_groups()}
    experts = next(group for group in groups.values() if group.name == "support experts")
    assert experts.weight == 3
    assert experts.restriction is not None and experts.restriction.principal_ids == ("mira",)
    default = {run.id for run in of(DEFAULT_PROJECT)}
    for judgment in load_judgments():
        assert judgment.group is None or judgment.group in groups
        if judgment.run in default:
            assert (judgment.group == experts.id) == (judgment.by == "mira")
        else:
            assert judgment.group is None
    said_by_jonas = {judgment.group for judgment in load_judgments() if judgment.by == "jonas"}
    assert len(said_by_jonas) == 2 and None in said_by_jonas


def test_the_runs_make_sense_by_themselves() -> None:
    runs = load_runs()
    assert len({run.id for run in runs}) == len({run.conversation for run in runs}) == len(runs)
    for run in runs:
        assert str(uuid.UUID(run.id)) == run.id
        assert list(run.after_ms) == sorted(run.after_ms)
        if run.agent == PICKER and run.failure is None:
            replies = load_said().replies(PICKER, run.version, run.input)
            calls = sum(len(reply.calls) for reply in replies)
            assert len(run.call_ids) == calls and len(run.after_ms) == len(replies) + calls
            assert run.output is None


def test_every_judgment_is_of_a_run_that_was_over_by_somebody_known_and_once() -> None:
    runs = {run.id: run for run in load_runs()}
    people = {person.id for person in load_people()}
    judgments = load_judgments()
    assert [judgment.at for judgment in judgments] == sorted(judgment.at for judgment in judgments)
    assert len({judgment.id for judgment in judgments}) == len(judgments)
    assert len({(judgment.run, judgment.item, judgment.by) for judgment in judgments}) == len(judgments)
    for judgment in judgments:
        assert judgment.by in people
        assert judgment.at > runs[judgment.run].completed_at


def test_the_docs_project_holds_the_guides_three_runs_judged_in_the_guides_order() -> None:
    runs = {run.id: run for run in of(DOCS_PROJECT)}
    newest_first = [judgment for judgment in reversed(load_judgments()) if judgment.run in runs]
    by_run: dict[str, list[tuple[str, str, str | None]]] = {}
    for judgment in newest_first:
        by_run.setdefault(judgment.run, []).insert(0, (judgment.item, judgment.verdict, judgment.reason))
    assert [(runs[run].input, said) for run, said in by_run.items()] == [
        (
            "I was charged twice for one order. How do I get my money back?",
            [("kb-201", "yes", None), ("kb-203", "no", None), ("kb-202", "no", None)],
        ),
        (
            PASSWORD,
            [
                ("kb-101", "yes", "Resets the password"),
                ("kb-102", "no", "Not about signing in"),
                ("kb-103", "no", None),
            ],
        ),
        (PACKAGE, [("kb-301", "yes", None), ("kb-303", "no", None), ("kb-201", "no", None)]),
    ]
    assert all(picked("0.2.0", run.input) == [by_run[run.id][0][0]] for run in runs.values())


def test_the_docs_runs_are_the_ones_recorded_in_the_shared_seed() -> None:
    if not SEED.exists():
        pytest.skip("the shared seed of the guides' runs is not beside this checkout")
    seeded = json.loads(SEED.read_text("utf-8"))
    runs = {run.id: run for run in of(DOCS_PROJECT)}
    assert sorted(runs) == sorted(run["runId"] for run in seeded["runs"])
    for wanted in seeded["runs"]:
        run = runs[wanted["runId"]]
        assert (run.agent, run.version) == (wanted["agent"]["id"], wanted["agent"]["version"])
        assert (run.conversation, run.input) == (wanted["agent"]["conversationId"], wanted["input"])
        assert (run.at, run.completed_at) == tuple(
            datetime.fromisoformat(wanted[name]) for name in ("createdAt", "completedAt")
        )
        replies = load_said().replies(PICKER, run.version, run.input)
        said = [message for message in wanted["output"]["appended"] if message["role"] == "agent"]
        (asked,) = said[0]["content"]["toolCalls"]
        assert asked == {
            "id": run.call_ids[0],
            "name": replies[0].calls[0].tool,
            "arguments": replies[0].calls[0].arguments,
        }
        assert replies[-1].text == said[-1]["content"]
        times = [datetime.fromisoformat(message["createdAt"]) for message in wanted["output"]["appended"]]
        assert times == [run.at, *(run.at + timedelta(milliseconds=ms) for ms in run.after_ms)]


def test_the_docs_project_holds_twenty_judged_runs_of_the_scorer_in_one_segment() -> None:
    runs = of(DOCS_PROJECT, "acme.rank.scorer")
    assert len(runs) == 20
    assert {run.segments for run in runs} == {(Segment(key="company", value="acme"),)}
    judged: dict[str, list[str]] = {}
    for judgment in load_judgments():
        judged.setdefault(judgment.run, []).append(judgment.item)
    for run in runs:
        output = cast(Any, run.output)
        matches = [match["id"] for match in output["output"]["matches"]]
        assert all(isinstance(match["score"], float) for match in output["output"]["matches"])
        assert judged[run.id] and set(judged[run.id]) <= set(matches)
        assert json.loads(output["appended"][-1]["content"]) == output["output"]
    assert {run.agent for run in load_runs()} == {PICKER, "acme.rank.scorer"}
