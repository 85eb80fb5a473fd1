"""Corrections of runs over HTTP: said, replaced, taken back, removed; every status and sentence; retries."""

import asyncio
import sqlite3
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from kindgi_tui.local.workbench import open_local
from kindgi_tui.server.app import make_app
from tests.server.running import AGENT, PACKAGE, PASSWORD, REFUND, Asked, Served, copied, serving

CORRECTIONS = "/v1/run-corrections"
SEARCH = "acme-ops.search-articles"
UNKNOWN = "00000000-0000-4000-8000-000000000009"
WRONG: dict[str, Any] = {
    "decisions": "wrong",
    "shouldCall": [{"toolId": SEARCH, "args": {"query": "reset password"}}, {"toolId": SEARCH}],
    "mustNotCall": ["acme-ops.log-suggestion"],
    "answer": "wrong",
    "shouldSay": "Where to reset it.",
    "why": "It lists three articles.",
}


@pytest.fixture(scope="module")
def server(demo_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of this module's own: what it says of runs is in nobody's way."""
    with serving(copied(demo_made, tmp_path_factory.mktemp("corrections") / "demo")) as made:
        yield made


@pytest.fixture(scope="module")
def mira(server: Served) -> Asked:
    return server.as_somebody("corrections-mira", "mira", "judge")


def experts(server: Asked) -> str:
    groups = server.good("GET", "/v1/corrector-groups")["data"]
    return str(next(one["id"] for one in groups if one["weight"] == 3))


def test_a_correction_is_said_read_replaced_and_taken_back(server: Served, mira: Asked) -> None:
    project = server.project()
    body = {"runId": PASSWORD, "expect": WRONG, "groupId": experts(server), "participantId": "p-1"}
    made = mira.good("POST", CORRECTIONS, body, 201)
    assert list(made) == [
        *("id", "tenantId", "projectId", "runId", "subject", "expect", "groupId", "expert", "participantId"),
        *("assertedBy", "createdAt"),
    ]
    assert (made["projectId"], made["runId"], made["expect"]) == (project, PASSWORD, WRONG)
    assert made["subject"] == {"kind": "agent", "id": AGENT, "version": "0.1.0"}
    assert (made["groupId"], made["expert"], made["participantId"]) == (body["groupId"], True, "p-1")
    assert made["assertedBy"] == {"kind": "user", "id": "mira"}
    assert server.good("GET", f"{CORRECTIONS}/{made['id']}") == made
    # The same again is the same correction; another replaces it, and the first stays as history.
    assert mira.good("POST", CORRECTIONS, body, 201) == made
    newer = mira.good("POST", CORRECTIONS, {**body, "expect": {"answer": "right"}}, 201)
    assert newer["expect"] == {"answer": "right"}
    history = server.good("GET", f"/v1/runs/{PASSWORD}/run-corrections")["data"]
    assert [one["id"] for one in history] == [newer["id"], made["id"]]
    assert (history[1]["supersededBy"], "endedAt" in history[1], "endedAt" in history[0]) == (
        newer["id"],
        True,
        False,
    )
    back = mira.good("POST", f"/v1/runs/{PASSWORD}/run-corrections/take-back", {"participantId": "p-1"})
    assert (back["runId"], back["correction"]["expect"]) == (PASSWORD, WRONG)
    assert back["correction"]["id"] not in (made["id"], newer["id"])
    gone = mira.good(
        "POST",
        f"/v1/runs/{PASSWORD}/run-corrections/take-back",
        {"participantId": "p-1", "correctionId": back["correction"]["id"]},
    )
    assert gone == {"runId": PASSWORD}
    sentence = mira.refused(
        404,
        "run-correction-not-found",
        "POST",
        f"/v1/runs/{PASSWORD}/run-corrections/take-back",
        {"participantId": "p-1", "correctionId": back["correction"]["id"]},
    )
    assert sentence.endswith("it was replaced, taken back or removed.")
    sentence = mira.refused(
        404, "run-correction-not-found", "POST", f"/v1/runs/{PASSWORD}/run-corrections/take-back"
    )
    assert sentence == f"You have no live correction of run {PASSWORD} to take back."


def test_lists_are_narrowed_and_paged(server: Served, mira: Asked) -> None:
    group = experts(server)
    ids = [
        who.good("POST", CORRECTIONS, {"runId": run, "expect": {"decisions": "right"}, **more}, 201)["id"]
        for who, run, more in (
            (server, PASSWORD, {}),
            (mira, REFUND, {"groupId": group}),
            (mira, PACKAGE, {}),
        )
    ]

    def listed(query: str) -> list[str]:
        """Of the project that nobody corrected before; the demo's own corrections are another's."""
        page = server.good(
            "GET", f"{CORRECTIONS}?{query}" if "roject" in query else f"{CORRECTIONS}?{docs}&{query}"
        )
        return [one["id"] for one in page["data"]]

    docs = f"projectId={server.project()}"
    mine = server.good("GET", "/v1/identity/whoami")["principal"]["id"]
    assert listed("") == ids[::-1]
    assert listed(f"runId={REFUND}") == [ids[1]]
    assert listed(f"groupId={group}") == [ids[1]]
    assert listed("asserter=mira") == [ids[2], ids[1]]
    assert listed(f"asserter={mine}") == [ids[0]]
    assert listed(f"agentId={AGENT}") == ids[::-1]
    assert listed(f"flowId={AGENT}") == listed("agentId=acme.nobody") == []
    assert listed(f"projectId={server.project()}") == ids[::-1]
    assert len(listed(f"scopeKind=project&scopeId={server.project('default')}")) == 5
    assert listed(f"projectId={server.project()}&scopeKind=project&scopeId={server.project('default')}") == []
    assert listed(f"runId={UNKNOWN}") == listed("runId=240c0a0b") == []
    first = server.good("GET", f"{CORRECTIONS}?{docs}&limit=2")
    assert (len(first["data"]), first["hasMore"]) == (2, True)
    rest = server.good("GET", f"{CORRECTIONS}?{docs}&limit=2&cursor={first['nextCursor']}")
    assert [one["id"] for one in (*first["data"], *rest["data"])] == ids[::-1]
    assert server.refused(400, "bad-input", "GET", f"{CORRECTIONS}?cursor=x") == "`cursor` is malformed"
    server.refused(400, "bad-input", "GET", f"{CORRECTIONS}?projectId=x")
    server.refused(400, "bad-input", "GET", f"{CORRECTIONS}?agentId=a&flowId=b")
    server.refused(400, "scope-invalid", "GET", f"{CORRECTIONS}?scopeKind=x")
    for who, one in zip((server, mira, mira), ids, strict=True):
        removed = who.good("POST", f"{CORRECTIONS}/{one}/unregister", {})
        assert removed == {"correctionId": one, "unregistered": True}
    assert listed("") == []


FIELDS = "runId, expect, groupId, participantId"


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("{", "Request body must be valid JSON"),
        ([], f"The body must be an object of {FIELDS}."),
        ({}, "runId is required."),
        ({"runId": " "}, "runId must be a non-empty string, or left out."),
        ({"runId": PASSWORD}, "expect is required: what the run should have done, such as {decisions: right}."),
        ({"runId": PASSWORD, "judgeClassId": "x"}, f'The body has no field "judgeClassId". It has {FIELDS}.'),
        ({"participantId": ""}, "participantId must be a non-empty string, or left out."),
        ({"groupId": 3}, "groupId must be a non-empty string, or left out."),
        ({"expect": []}, "What a run should have done is an object, such as {decisions: right}."),
        ({"expect": {}}, "expect says nothing yet: say whether the decisions, the answer or both were right or wrong."),
        ({"expect": {"decision": "right"}}, 'A correction has no field "decision". It has decisions, shouldCall, '
         "mustNotCall, answer, shouldSay, why."),
        ({"expect": {"decisions": "yes"}}, "expect.decisions must be one of: right, wrong."),
        ({"expect": {"decisions": "wrong"}},
         "Wrong decisions need at least one call in expect.shouldCall, or one tool in expect.mustNotCall."),
        ({"expect": {"decisions": "wrong", "shouldCall": [{"toolId": ""}]}},
         "expect.shouldCall[1].toolId must be a tool's id, such as acme-ops.search-articles."),
        ({"expect": {"decisions": "wrong", "shouldCall": [{"toolId": "a", "args": []}]}},
         'expect.shouldCall[1].args must be an object of arguments, such as {"query": "refund"}.'),
        ({"expect": {"decisions": "wrong", "shouldCall": [{"toolId": "a", "arguments": {}}]}},
         'expect.shouldCall[1] has no field "arguments". It has toolId, args.'),
        ({"expect": {"decisions": "wrong", "shouldCall": [{"toolId": "a"}], "mustNotCall": ["a"]}},
         'expect.mustNotCall: "a" is in expect.shouldCall too: keep it in one of them.'),
        ({"expect": {"decisions": "right", "mustNotCall": ["a"]}},
         "expect.mustNotCall goes with wrong decisions: mark the decisions wrong, or leave it out."),
        ({"expect": {"answer": "wrong"}}, "A wrong answer needs expect.shouldSay, expect.why or both."),
        ({"expect": {"answer": "wrong", "why": 3}}, "expect.why must be text: put it in quotes."),
        ({"expect": {"answer": "wrong", "why": "x" * 4_001}}, "expect.why must be at most 4000 characters."),
        ({"expect": {"answer": "right", "shouldSay": "x"}},
         "expect.shouldSay goes with a wrong answer: mark the answer wrong, or leave it out."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_field_by_field(server: Served, body: Any, sentence: str) -> None:
    if isinstance(body, dict) and body and "runId" not in body:
        body = {"runId": PASSWORD, "expect": {"decisions": "right"}, **body}
    assert server.refused(400, "bad-input", "POST", CORRECTIONS, body) == sentence
    assert server.good("GET", f"{CORRECTIONS}?runId={PASSWORD}")["data"] == []


def test_who_may_not_and_what_is_not_there(server: Served, mira: Asked) -> None:
    right = {"runId": PASSWORD, "expect": {"decisions": "right"}}
    sentence = server.refused(404, "run-not-found", "POST", CORRECTIONS, {**right, "runId": UNKNOWN})
    assert sentence == f'No run "{UNKNOWN}".'
    server.refused(404, "run-not-found", "POST", CORRECTIONS, {**right, "runId": PASSWORD[:8]})
    for named in (UNKNOWN, "Experts"):
        sentence = server.refused(
            400, "corrector-group-not-applicable", "POST", CORRECTIONS, {**right, "groupId": named}
        )
        assert sentence == (
            f"Corrector group \"{named}\" doesn't exist or doesn't apply to this run's project or agent."
        )
    # Whoever started the server isn't one of the experts.
    error = server.send("POST", CORRECTIONS, {**right, "groupId": experts(server)})
    told = error.json()["error"]
    assert (error.status_code, told["code"]) == (403, "corrector-group-not-allowed")
    assert told["details"]["resource"] == f"project:{server.project()}"
    assert told["details"]["reason"] == told["message"]
    made = server.good("POST", CORRECTIONS, right, 201)["id"]
    sentence = mira.refused(403, "permission-denied", "POST", f"{CORRECTIONS}/{made}/unregister", {})
    assert sentence == f'Not allowed to remove correction "{made}" of a run: it is somebody else\'s.'
    sentence = server.refused(400, "bad-input", "POST", f"{CORRECTIONS}/{made}/unregister", {"x": 1})
    assert sentence == "The body has no fields here: leave it out, or send an empty object."
    server.good("POST", f"{CORRECTIONS}/{made}/unregister")
    sentence = server.refused(404, "run-correction-not-found", "POST", f"{CORRECTIONS}/{made}/unregister")
    assert sentence == f'No live correction of a run has the id "{made}".'
    for unknown in (UNKNOWN, made[:8], "x"):
        sentence = server.refused(404, "run-correction-not-found", "GET", f"{CORRECTIONS}/{unknown}")
        assert sentence == f'No correction of a run has the id "{unknown}".'
    assert "endedAt" in server.good("GET", f"{CORRECTIONS}/{made}")
    for path in (f"/v1/runs/{UNKNOWN}/run-corrections", "/v1/runs/x/run-corrections"):
        assert server.send("GET", path).status_code == (404 if UNKNOWN in path else 400)
    server.refused(404, "run-not-found", "POST", f"/v1/runs/{UNKNOWN}/run-corrections/take-back")
    server.refused(401, "auth-missing", "GET", CORRECTIONS, headers={"Authorization": "x"})


def test_several_are_saved_all_or_none(server: Served) -> None:
    path = f"{CORRECTIONS}/several"
    right = {"expect": {"decisions": "right"}, "participantId": "several"}
    good = [{"runId": run, **right} for run in (PASSWORD, REFUND)]
    empty = {"runId": PACKAGE, "expect": {}, "participantId": "several"}
    refused = server.send("POST", path, {"corrections": [*good, empty]})
    error = refused.json()["error"]
    assert (refused.status_code, error["code"]) == (400, "bad-input")
    says = "expect says nothing yet: say whether the decisions, the answer or both were right or wrong."
    assert error["message"] == f"1 of 3 corrections can't be saved, so none was. Number 3: {says}"
    assert error["details"]["refusals"] == [{"index": 2, "code": "bad-input", "message": says}]
    assert server.good("GET", f"{CORRECTIONS}?runId={PASSWORD}")["data"] == []
    made = server.good("POST", path, {"corrections": good}, 201)["data"]
    assert [one["runId"] for one in made] == [PASSWORD, REFUND]
    assert server.good("POST", path, {"corrections": good}, 201)["data"] == made
    wrong: tuple[dict[str, Any], ...] = (
        {},
        {"corrections": []},
        {"corrections": {}},
        {"corrections": [{}] * 1_001},
    )
    for body in wrong:
        sentence = server.refused(400, "bad-input", "POST", path, body)
        assert (
            sentence == f"corrections must be a list of 1 to 1,000 corrections, each an object of {FIELDS}."
        )
    sentence = server.refused(400, "bad-input", "POST", path, {"corrections": [{**good[0], "x": 1}]})
    assert sentence == f'corrections[0] has no field "x". It has {FIELDS}.'
    server.refused(404, "run-not-found", "POST", path, {"corrections": [{**good[0], "runId": UNKNOWN}]})
    for one in made:
        server.good("POST", f"{CORRECTIONS}/{one['id']}/unregister", {})


def test_the_older_dialect_has_none(server: Served) -> None:
    """A correction of a run is no judgment: it stands in no list of them, and 0.1 offers no path to it."""
    before = len(server.good("GET", f"/v1/judgments?runId={PASSWORD}&limit=100")["data"])
    made = server.good("POST", CORRECTIONS, {"runId": PASSWORD, "expect": {"answer": "right"}}, 201)["id"]
    assert len(server.good("GET", f"/v1/corrections?runId={PASSWORD}&limit=100")["data"]) == before
    server.refused(404, "correction-not-found", "GET", f"/v1/corrections/{made}")
    server.good("POST", f"{CORRECTIONS}/{made}/unregister", {})
    paths = server.good("GET", "/v1/openapi.json")["paths"]
    assert CORRECTIONS in paths


def test_a_server_for_the_older_dialect_alone_offers_no_path_to_them(demo_made: Path, tmp_path: Path) -> None:
    with serving(copied(demo_made, tmp_path / "demo"), "--dialect", "0.1") as older:
        for method, path in (
            ("GET", CORRECTIONS),
            ("POST", CORRECTIONS),
            ("GET", f"/v1/test-cases/{PASSWORD}"),
        ):
            older.refused(404, "route-not-found", method, path, {} if method == "POST" else None)


async def test_what_was_done_before_its_answer_was_kept_is_not_done_twice(
    demo_made: Path, tmp_path: Path
) -> None:
    """The server ends between doing and keeping the answer: the retry is answered, and nothing runs again."""
    folder = copied(demo_made, tmp_path / "demo")
    bench, _ = await open_local(folder)
    token = (await bench.tokens.add("keys", "mira", "admin"))[1]
    transport = httpx.ASGITransport(app=await make_app(bench))
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://x", headers=headers) as client:
        project = (await bench.projects.get("docs")).id

        async def twice(path: str, body: Any) -> tuple[httpx.Response, httpx.Response]:
            """The answer, and that of a retry after the kept answer was lost."""
            key = {"Idempotency-Key": str(uuid.uuid4())}
            first = await client.post(path, json=body, headers=key)
            assert first.status_code < 300, first.text
            _forget_answers(folder)
            return first, await client.post(path, json=body, headers=key)

        for expect in ({"decisions": "right"}, {"answer": "right"}):
            first, again = await twice(CORRECTIONS, {"runId": PASSWORD, "expect": expect})
            assert first.content == again.content
        back = f"/v1/runs/{PASSWORD}/run-corrections/take-back"
        for left in (1, 0):
            first, again = await twice(back, {})
            assert first.content == again.content
            assert len((await client.get(f"{CORRECTIONS}?runId={PASSWORD}")).json()["data"]) == left
        made = (await client.post(CORRECTIONS, json={"runId": REFUND, "expect": {"answer": "right"}})).json()
        first, again = await twice(f"{CORRECTIONS}/{made['id']}/unregister", {})
        assert first.content == again.content
        case = {"projectId": project, "input": "Hi?", "expect": {"answer": "wrong", "why": "x"}}
        first, again = await twice(f"/v1/agents/{AGENT}/test-set/cases", case)
        assert first.content == again.content
        own = (await client.get(f"/v1/agents/{AGENT}/test-set?projectId={project}")).json()
        assert own["caseCount"] == 4
        first, again = await twice(f"/v1/agents/{AGENT}/test-set/freeze", {"projectId": project})
        assert first.content == again.content
    await bench.close()


def _forget_answers(folder: Path) -> None:
    with sqlite3.connect(folder / "workspace.db") as connection:
        connection.execute("UPDATE kept_answers SET status = NULL, body = NULL, held_until = 0")


def test_two_at_once_leave_one_live_correction(server: Served) -> None:
    async def both() -> list[httpx.Response]:
        headers = {"Authorization": f"Bearer {server.token}"}
        async with httpx.AsyncClient(base_url=server.url, headers=headers) as client:
            bodies = [{"runId": PACKAGE, "expect": {"answer": "wrong", "why": f"{n}"}} for n in range(8)]
            return await asyncio.gather(*(client.post(CORRECTIONS, json=body) for body in bodies))

    assert {answer.status_code for answer in asyncio.run(both())} == {201}
    (live,) = server.good("GET", f"{CORRECTIONS}?runId={PACKAGE}")["data"]
    history = server.good("GET", f"/v1/runs/{PACKAGE}/run-corrections")["data"]
    assert history[0] == live
    assert len([one for one in history if "endedAt" not in one]) == 1
    server.good("POST", f"{CORRECTIONS}/{live['id']}/unregister", {})


def test_what_is_doubtful_of_the_tools_is_told_beside_what_was_stored(server: Served, mira: Asked) -> None:
    calls = [{"toolId": "nosuch.tool"}, {"toolId": SEARCH, "args": {"query": None}}]
    expect = {"decisions": "wrong", "shouldCall": calls}
    notes = [
        "nosuch.tool is no tool that the run called or a pack brings.",
        f"The arguments of {SEARCH} don't fit what it takes: in query: null is not of type 'string'.",
    ]
    body = {"runId": REFUND, "expect": expect, "participantId": "p-notes"}
    made = mira.good("POST", CORRECTIONS, body, 201)
    assert made["notes"] == notes
    assert "notes" not in mira.good("GET", f"{CORRECTIONS}/{made['id']}"), "it is stored as it was said"
    plain = {**body, "runId": PACKAGE, "expect": {"answer": "right"}}
    rows = mira.good("POST", f"{CORRECTIONS}/several", {"corrections": [plain, body]}, 201)["data"]
    assert [one.get("notes") for one in rows] == [None, notes]
    case = {"projectId": server.project(), "input": "Hi?", "expect": expect}
    told = server.good("POST", f"/v1/agents/{AGENT}/test-set/cases", case, 201)["notes"]
    assert told == ["nosuch.tool is no tool that a pack brings.", notes[1]]
