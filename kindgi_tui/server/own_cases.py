"""Cases of agents' own test sets: listed, added by hand, retired, brought back. The 0.4 dialect's alone, and ours."""

from collections.abc import Awaitable, Callable
from typing import Any, cast

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import Expectation
from kindgi_tui.domain.judgments import Verdict
from kindgi_tui.domain.own_test_sets import ExpectedItem, NewCase, OwnCase, own_test_set_id
from kindgi_tui.server.asking import Answer, Ask
from kindgi_tui.server.errors import Refusal, bad, missing
from kindgi_tui.server.operations import PAGED, Handler, Operation
from kindgi_tui.server.own_bodies import closed_object, expectation, optional_text, own_body, with_notes
from kindgi_tui.server.own_test_sets import known_agent, own_project
from kindgi_tui.server.pages import page
from kindgi_tui.server.queries import one_of
from kindgi_tui.session.expected_tools import ToolDoubts
from kindgi_tui.wire import v04_records as records
from kindgi_tui.wire.dialects import OWN_TEST_SET, TEST_CASES
from kindgi_tui.workbench import Conflict, Invalid, NotFound

_FIELDS = ("projectId", "runId", "input", "expect", "items")


async def list_cases(ask: Ask) -> Answer:
    """Its live cases, or the retired ones, newest first."""
    project = await own_project(ask, ask.given("projectId"))
    told = one_of(ask, "retired", ("true", "false"), "`retired` must be `true` or `false`")
    agent = ask.params["agentId"]
    try:
        found = await ask.bench.cases.list(agent, project, told == "true", ask.limit, ask.cursor)
    except Invalid as cause:
        raise bad("`cursor` is malformed" if cause.field == "cursor" else cause.sentence) from None
    rows = [records.own_case(one) for one in found.data]
    return Answer(page(rows, found.has_more, found.next_cursor))


async def _found(ask: Ask) -> OwnCase:
    identity = ask.params["caseId"]
    try:
        found = await ask.bench.cases.get(identity)
    except (NotFound, Invalid):
        found = None
    if found is None or found.id != identity:
        raise missing("test-case-not-found", f'No test case has the id "{identity}".', {"caseId": identity})
    return found


async def get_case(ask: Ask) -> Answer:
    """One case, live or retired."""
    return Answer(records.own_case(await _found(ask)))


def _items(value: Any) -> tuple[ExpectedItem, ...]:
    if not isinstance(value, list):
        raise bad("items must be a list of {key, verdict}.")
    return tuple(_item(one, f"items[{place}]") for place, one in enumerate(value))


def _item(value: Any, what: str) -> ExpectedItem:
    told = closed_object(value, ("key", "verdict"), what)
    key, verdict = told.get("key"), told.get("verdict")
    if not isinstance(key, str) or not key.strip():
        raise bad(f"{what}.key is required: an item's own id, or a key of the run's output.")
    if verdict not in ("yes", "no"):
        raise bad(f"{what}.verdict must be one of: yes, no.")
    return ExpectedItem(key=key, verdict=cast("Verdict", verdict))


async def add(ask: Ask) -> Answer:
    """Adds a case by hand, an expert case: from a run, or from nothing but its input."""
    body = own_body(ask, _FIELDS)
    project = await own_project(ask, body.get("projectId"))
    agent = ask.params["agentId"]
    run = optional_text(body, "runId")
    if "input" in body and not isinstance(body["input"], str):
        raise bad("input must be text: what the agent is asked.")
    if run is None and "input" not in body:
        raise bad("Name the run the case is made from (runId), or what the agent is asked (input).")
    parts: dict[str, Any] = {"items": _items(body["items"])} if "items" in body else {}
    if "expect" in body:
        parts["expect"] = expectation(body["expect"])
    if run is not None:
        await _check_run(ask, run, agent, project)
        parts |= {"run_id": run, "input": body.get("input")}
    else:
        await known_agent(ask)
        parts |= {"agent_id": agent, "project_id": project, "input": body["input"]}
    ask.may("editor", f'Not allowed to add a case to the own test set of agent "{agent}".')
    try:
        made = await ask.bench.cases.add(NewCase(**parts))
    except Conflict as cause:
        raise Refusal(
            409, cause.code, f'Run "{run}" has not ended yet: make a case of it when it has.'
        ) from cause
    return Answer(await _made(ask, made), 201)


async def _made(ask: Ask, made: OwnCase) -> dict[str, Json]:
    finding, expect = ToolDoubts(ask.bench), made.expect or Expectation()
    told = (
        await finding.of_agent(made.case.subject.id, expect)
        if made.run_id is None
        else await finding.of_run(made.run_id, expect)
    )
    return with_notes(records.own_case(made), told)


async def _check_run(ask: Ask, run_id: str, agent: str, project: str) -> None:
    """A case belongs to the set of its run's agent in its run's project. Raises Refusal, which names that set."""
    try:
        about = await ask.about(run_id)
    except (NotFound, Invalid):
        about = None
    if about is None or about.id != run_id:
        raise missing("run-not-found", f'No run "{run_id}".')
    if about.subject.kind != "agent":
        raise bad(
            f"Run \"{run_id}\" is a flow's: a case of an agent's own test set is made from an agent's run."
        )
    if (about.subject.id, about.project_id) != (agent, project):
        fitting = own_test_set_id(about.subject.id, about.project_id)
        raise bad(f'A case of run "{run_id}" belongs to the own test set {fitting}, not to this one.')


async def added(ask: Ask, identity: str) -> Answer:
    """The answer of a case that was added already."""
    return Answer(await _made(ask, await ask.bench.cases.get(identity)), 201)


def _changing(verb: str, change: Callable[[Ask, str], Awaitable[OwnCase]]) -> Handler:
    async def changed(ask: Ask) -> Answer:
        """Retires a case, or brings it back; one that stands so already stays."""
        own_body(ask, (), optional=True)
        found = await _found(ask)
        ask.may("editor", f'Not allowed to {verb} test case "{found.id}".')
        return Answer(records.own_case(await change(ask, found.id)))

    return changed


async def _retired(ask: Ask, identity: str) -> OwnCase:
    return await ask.bench.cases.retire(identity)


async def _brought_back(ask: Ask, identity: str) -> OwnCase:
    return await ask.bench.cases.bring_back(identity)


OPERATIONS = (
    Operation(
        "GET",
        f"{OWN_TEST_SET}/cases",
        list_cases,
        "The cases of an agent's own test set, live or retired, newest first.",
        "page:ownCase",
        query=(*PAGED, "projectId", "retired"),
        only="0.4",
    ),
    Operation(
        "POST",
        f"{OWN_TEST_SET}/cases",
        add,
        "Adds a case to an agent's own test set by hand.",
        "ownCase",
        201,
        body="addCase",
        keyed=True,
        again=added,
        only="0.4",
    ),
    Operation("GET", TEST_CASES, get_case, "One case of an agent's own test set.", "ownCase", only="0.4"),
    Operation(
        "POST",
        f"{TEST_CASES}/retire",
        _changing("retire", _retired),
        "Leaves a case out until it is brought back.",
        "ownCase",
        keyed=True,
        only="0.4",
    ),
    Operation(
        "POST",
        f"{TEST_CASES}/bring-back",
        _changing("bring back", _brought_back),
        "Brings a retired case back.",
        "ownCase",
        keyed=True,
        only="0.4",
    ),
)
"""Cases of agents' own test sets."""
