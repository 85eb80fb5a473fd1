"""Requests to a runtime that is in trouble: one clear sentence each, and nothing sent twice that may have run."""

import json
import logging
from datetime import UTC, datetime

import pytest

from kindgi_tui.domain.comparison_records import ComparisonRequest
from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.remote.transport import ATTEMPTS, json_bytes
from kindgi_tui.workbench import Conflict, Denied, Invalid, NotFound, Unavailable, Unsupported, WorkbenchError
from tests.remote.conftest import Opener
from tests.remote.fake_runtime import (
    DROP_AFTER,
    DROP_BEFORE,
    HALF,
    PROJECT,
    RUN,
    TOKEN,
    FakeRuntime,
    Reply,
    Seen,
    document,
    error,
    once,
    page,
)

ROW = {
    "id": RUN,
    "projectId": PROJECT,
    "flowId": "agent.turn",
    "flowVersion": "1.1.0",
    "status": "completed",
    "createdAt": "2026-05-03T09:00:00.000Z",
    "agent": {"id": "a.b", "version": "0.1.0"},
    "a field that is new": {"x": 1},
}
START = "/v1/eval-suites/s/runs"
STARTED = "6f464af2-e5ac-49bd-bbe3-2d8852c92ad5"
COMPARISON = {
    "runId": STARTED,
    "suiteId": "s",
    "suiteVersion": "1.0.0",
    "kind": "judged",
    "status": "running",
    "dryRun": False,
    "startedAt": "2026-05-03T09:00:00.000Z",
    "agentRef": {"agentId": "a", "version": "1.0.0"},
}


def asked(runtime: FakeRuntime, path: str) -> list[Seen]:
    return [one for one in runtime.seen if one.path == path]


@pytest.mark.parametrize(
    "trouble",
    [DROP_BEFORE, DROP_AFTER, HALF]
    + [error(status, "x", "Busy.", ("retry-after", "0")) for status in (429, 502, 503, 504)],
)
async def test_a_read_is_asked_again(runtime: FakeRuntime, opener: Opener, trouble: Reply) -> None:
    runtime.more["/v1/runs"] = page([ROW])
    runtime.script = once("/v1/runs", trouble, "GET", times=2)
    bench = await opener(runtime.address)
    found = await bench.runs.list(RunFilter())
    assert [one.id for one in found.data] == [RUN]
    assert len(asked(runtime, "/v1/runs")) == 3


async def test_a_read_is_not_asked_for_ever(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.script = lambda seen: DROP_BEFORE if seen.path == "/v1/runs" else None
    bench = await opener(runtime.address)
    with pytest.raises(Unavailable, match="was lost"):
        await bench.runs.list(RunFilter())
    assert len(asked(runtime, "/v1/runs")) == ATTEMPTS


async def test_retry_after_may_be_a_date(runtime: FakeRuntime, opener: Opener) -> None:
    """It is measured by the runtime's own clock, which may be another."""
    late = ("retry-after", "Wed, 21 Oct 2015 08:28:00 GMT")
    runtime.ahead = datetime(2015, 10, 21, 7, 28, tzinfo=UTC) - datetime.now(UTC)
    runtime.script = once("/v1/runs", error(429, "rate-limit-exceeded", "Later.", late), "GET", 9)
    bench = await opener(runtime.address)
    with pytest.raises(Unavailable) as told:
        await bench.runs.list(RunFilter())
    assert told.value.retry_after is not None
    assert 3000 < told.value.retry_after <= 3601
    assert len(asked(runtime, "/v1/runs")) == 1


async def test_retry_after_that_is_long_is_told_and_not_waited_for(
    runtime: FakeRuntime, opener: Opener
) -> None:
    limit = "This tenant's limit on reads a minute is reached: try again in 3600 s."
    busy = error(429, "rate-limit-exceeded", limit, ("retry-after", "3600"))
    runtime.script = once("/v1/runs", busy, "GET", 99)
    bench = await opener(runtime.address)
    with pytest.raises(Unavailable) as told:
        await bench.runs.list(RunFilter())
    assert told.value.sentence == f"{runtime.address} takes no more requests for now (429): {limit}"
    assert told.value.retry_after == 3600.0
    assert len(asked(runtime, "/v1/runs")) == 1


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (Reply(raw=b"<html>Hello</html>", kind="text/html"), Unavailable, r"with a web page \(200\).*address of a"),
        (Reply(raw=b"hello", kind="text/plain"), Unavailable, r"isn't JSON \(text/plain\)"),
        (Reply(raw=b'{"data": [{"id'), Unavailable, "isn't JSON"),
        (Reply(raw=b"[" * 100_000 + b"]" * 100_000), Unavailable, "can't read"),
        (Reply(raw=b'{"data": [], "hasMore": "maybe"}'), Unavailable, "whether there is more"),
        (Reply(body={"data": [], "hasMore": True}), Unavailable, "not where"),
        (Reply(body={"hasMore": False}), Unavailable, "no `data`"),
        (Reply(body=[1]), Unavailable, "not an object"),
        (Reply(body=page([{**ROW, "status": "pondering"}])), Unavailable, '"pondering"'),
        (Reply(body=page([{**ROW, "createdAt": 7}])), Unavailable, "`createdAt`"),
        (Reply(body=page(["x"])), Unavailable, "row of"),
        (Reply(500, raw=b"oops", kind="text/plain"), Unavailable, "answered 500"),
        (error(500, "internal-server-error", "Unhandled"), Unavailable,
         r"^http.* in trouble \(500\): Unhandled. Try again later.*request req-1"),
        (error(503, "x", "Closing."), Unavailable, r"is in trouble \(503\): Closing. Try again later"),
        (Reply(502, raw=b"<html>", kind="text/html"), Unavailable, r"answered 502 \(text/html\).*Try again"),
        (error(429, "x", "Busy.", ("retry-after", "0")), Unavailable, r"\(429\): Busy. Try again later."),
        (Reply(429, raw=b""), Unavailable, r"no more requests for now \(429\). Try again later."),
        (Reply(302, raw=b"", headers=(("location", "http://127.0.0.1:1/x"),)), Unavailable, "sends us on to"),
        (error(400, "bad-input", "`cursor` is malformed"), Invalid, "malformed"),
        (error(401, "auth-expired", "Bearer token has expired"), Denied, r"valid now.* profiles add NAME --url http://127\S+`"),
        (error(403, "permission-denied", "No."), Denied, "No."),
        (error(404, "run-not-found", "No run."), NotFound, "No run"),
        (error(404, "route-not-found", "No route registered"), Unsupported, "doesn't offer runs"),
        (error(410, "run-erased", "Erased."), NotFound, "Erased"),
        (error(413, "request-too-large", "Too large."), Invalid, "Too large"),
        (error(501, "x", "Not here."), Unsupported, "doesn't offer"),
        (error(422, "dispatcher-not-registered", "No dispatcher."), Unsupported, "doesn't offer"),
        (Reply(404, raw=b"nginx", kind="text/html"), NotFound, r"with a web page \(404\).*address of a"),
        (Reply(404, raw=b"nginx", kind="text/plain"), NotFound, "answered 404"),
    ],
)  # fmt: skip
async def test_each_trouble_is_one_sentence(
    runtime: FakeRuntime, opener: Opener, reply: Reply, kind: type[WorkbenchError], words: str
) -> None:
    runtime.script = lambda seen: reply if seen.path == "/v1/runs" else None
    bench = await opener(runtime.address)
    with pytest.raises(kind, match=words) as told:
        await bench.runs.list(RunFilter())
    assert type(told.value) is kind or kind is Unavailable
    assert "\n" not in told.value.sentence
    assert TOKEN not in repr(told.value)


@pytest.mark.parametrize(
    "reply",
    [error(404, "route-not-found", "No route"), Reply(404, raw=b"<p>", kind="text/html"), Reply(404, raw=b""),
     Reply(raw=b"<html>", kind="text/html")],
)  # fmt: skip
async def test_what_is_no_runtime_is_asked_about(runtime: FakeRuntime, opener: Opener, reply: Reply) -> None:
    runtime.script = lambda seen: reply if seen.path == "/v1/openapi.json" else None
    bench = await opener(runtime.address)
    with pytest.raises(
        (Unsupported, Unavailable), match=r"Is this the address of a Kindgi runtime\? Give"
    ) as told:
        await bench.runs.list(RunFilter())
    assert told.value.sentence.startswith(runtime.address)


async def test_a_validation_error_names_its_field(runtime: FakeRuntime, opener: Opener) -> None:
    issue = {"path": "/suiteId", "message": "x"}
    body = {
        "error": {
            "code": "reference-out-of-scope",
            "message": "No.",
            "details": {"issues": [issue]},
            "requestId": "r7",
        }
    }
    runtime.script = once("/v1/runs", Reply(400, body), "GET")
    bench = await opener(runtime.address)
    with pytest.raises(Invalid) as told:
        await bench.runs.list(RunFilter())
    assert (told.value.code, told.value.field, told.value.request_id) == (
        "reference-out-of-scope",
        "/suiteId",
        "r7",
    )


async def test_silence_ends_and_is_not_asked_again(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.script = lambda seen: Reply(drop="hang", seconds=0.8) if seen.path == "/v1/runs" else None
    bench = await opener(runtime.address, silence=0.2)
    with pytest.raises(Unavailable, match="didn't answer in time"):
        await bench.runs.list(RunFilter())
    assert len(asked(runtime, "/v1/runs")) == 1


async def test_nobody_there(opener: Opener) -> None:
    bench = await opener("http://127.0.0.1:9")
    with pytest.raises(Unavailable, match=r"can't be reached.*Is it running") as told:
        await bench.people.me()
    assert told.value.code == "unreachable"


def start_request() -> ComparisonRequest:
    return ComparisonRequest(test_set_id="s", project_id=PROJECT, agent_id="a", subject_version="1.0.0")


@pytest.mark.parametrize(
    "trouble",
    [DROP_AFTER, DROP_BEFORE, error(503, "x", "y", ("retry-after", "0")), error(429, "x", "y", ("retry-after", "0")),
     error(409, "idempotency-key-in-flight", "Still running.", ("retry-after", "0"))],
)  # fmt: skip
async def test_a_keyed_write_is_sent_again_with_the_same_key_and_bytes(
    runtime: FakeRuntime, opener: Opener, trouble: Reply
) -> None:
    runtime.more |= {f"/v1/eval-runs/{STARTED}": COMPARISON}
    failing = once(START, trouble)

    def script(seen: Seen) -> Reply | None:
        return failing(seen) or (Reply(201, {"runId": STARTED}) if seen.path == START else None)

    runtime.script = script
    bench = await opener(runtime.address)
    made = await bench.comparisons.start(start_request())
    assert made.id == STARTED
    sent = asked(runtime, START)
    assert len(sent) == 2
    assert sent[0].key is not None
    assert len({(one.key, one.body) for one in sent}) == 1
    assert json.loads(sent[0].body) == {
        "projectId": PROJECT,
        "agentRef": {"agentId": "a", "version": "1.0.0"},
        "baseline": "recorded",
        "reads": "recorded",
        "repetitions": 1,
        "k": 10,
        "classWeights": "as-recorded",
    }
    # Asked once more on purpose, it is another write.
    await bench.comparisons.start(start_request())
    assert asked(runtime, START)[-1].key != sent[0].key


async def test_the_key_of_a_write_outlives_the_program_until_it_is_answered(
    runtime: FakeRuntime, opener: Opener
) -> None:
    runtime.script = lambda seen: DROP_AFTER if seen.path == START else None
    bench = await opener(runtime.address)
    with pytest.raises(Unavailable):
        await bench.comparisons.start(start_request())
    again = await opener(runtime.address)
    runtime.script = lambda seen: error(400, "bad-input", "No.") if seen.path == START else None
    with pytest.raises(Invalid):
        await again.comparisons.start(start_request())
    with pytest.raises(Invalid):
        await again.comparisons.start(start_request())
    keys = [one.key for one in asked(runtime, START)]
    assert len(set(keys[:-1])) == 1
    assert keys[-1] not in keys[:-1]


@pytest.mark.parametrize("verb", ["cancel", "rescore"])
@pytest.mark.parametrize("trouble", [DROP_AFTER, error(503, "x", "Busy."), error(502, "x", "y")])
async def test_a_write_without_a_key_is_sent_once(
    runtime: FakeRuntime, opener: Opener, verb: str, trouble: Reply
) -> None:
    runtime.more[f"/v1/eval-runs/{STARTED}"] = COMPARISON
    path = f"/v1/eval-runs/{STARTED}/{verb}"
    runtime.script = lambda seen: trouble if seen.path == path else None
    bench = await opener(runtime.address)
    with pytest.raises(Unavailable):
        await getattr(bench.comparisons, verb)(STARTED)
    assert len(asked(runtime, path)) == 1
    assert asked(runtime, path)[0].key is None


async def test_a_server_error_is_not_sent_again(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.script = lambda seen: error(500, "internal-server-error", "Oops") if seen.path == START else None
    bench = await opener(runtime.address)
    with pytest.raises(Unavailable, match="Oops"):
        await bench.comparisons.start(start_request())
    assert len(asked(runtime, START)) == 1


async def test_a_conflict_keeps_its_code(runtime: FakeRuntime, opener: Opener) -> None:
    path = f"/v1/eval-runs/{STARTED}/cancel"
    runtime.more[f"/v1/eval-runs/{STARTED}"] = COMPARISON
    runtime.script = once(path, error(409, "eval-run-already-terminal", "Cannot cancel."))
    bench = await opener(runtime.address)
    with pytest.raises(Conflict) as told:
        await bench.comparisons.cancel(STARTED)
    assert told.value.code == "eval-run-already-terminal"


async def test_a_redirect_is_not_followed_and_the_token_stays(runtime: FakeRuntime, opener: Opener) -> None:
    other = FakeRuntime()
    try:
        runtime.script = lambda seen: (
            Reply(307, raw=b"", headers=(("location", f"{other.address}/v1/runs"),))
            if seen.path == "/v1/runs"
            else None
        )
        bench = await opener(runtime.address)
        with pytest.raises(Unavailable, match="only ever sent to its own address"):
            await bench.runs.list(RunFilter())
        assert other.seen == []
    finally:
        other.close()


async def test_the_token_is_in_no_log_error_or_repr(
    runtime: FakeRuntime, opener: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = error(403, "permission-denied", f"Bearer {TOKEN} may not do this.")
    runtime.script = lambda seen: echo if seen.path == "/v1/runs" else None
    bench = await opener(runtime.address)
    with pytest.raises(Denied) as told:
        await bench.runs.list(RunFilter())
    assert "•••" in told.value.sentence
    context = bench.context
    shown = [caplog.text, str(told.value), repr(told.value), repr(told.value.args)]
    shown += [repr(bench), repr(context.runtime.transport), repr(vars(context.runtime.transport)["_token"])]
    assert not [text for text in shown if TOKEN in text]


async def test_every_request_has_an_id_of_its_own(runtime: FakeRuntime, opener: Opener) -> None:
    bench = await opener(runtime.address)
    await bench.people.me()
    ids = [one.headers["x-request-id"] for one in runtime.seen]
    assert len(set(ids)) == len(ids) == 2


async def test_a_page_may_hold_fewer_rows_than_asked(runtime: FakeRuntime, opener: Opener) -> None:
    pages = {None: page([], "c1"), "c1": page([{**ROW, "id": "x"}], "c2"), "c2": page([])}

    def script(seen: Seen) -> Reply | None:
        if seen.path == "/v1/projects":
            cursor = seen.query.get("cursor", [None])[0]
            return Reply(body=pages[cursor])
        return None

    runtime.script = script
    bench = await opener(runtime.address)
    assert [one.id for one in await bench.projects.list()] == ["x"]
    assert len(asked(runtime, "/v1/projects")) == 3


async def test_a_list_that_goes_in_circles_ends(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.more["/v1/projects"] = page([{**ROW, "id": "x"}], "again")
    bench = await opener(runtime.address)
    assert {one.id for one in await bench.projects.list()} == {"x"}
    assert len(asked(runtime, "/v1/projects")) <= 3


async def test_what_the_document_does_not_have_is_not_asked_for(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.more["/v1/openapi.json"] = document(("get /v1/runs", "post /v1/eval-suites/{id}/runs"))
    bench = await opener(runtime.address)
    with pytest.raises(Unsupported, match="doesn't offer judgments"):
        await bench.judgments.get("x")
    assert [one.path for one in runtime.seen] == ["/v1/openapi.json"]


async def test_another_server_is_no_runtime(runtime: FakeRuntime, opener: Opener) -> None:
    runtime.more["/v1/openapi.json"] = {"openapi": "3.1.0", "paths": {"/pets": {"get": {}}}}
    bench = await opener(runtime.address)
    with pytest.raises(Unsupported, match="no Kindgi runtime that kindgi-tui knows"):
        await bench.people.me()


async def test_one_page_of_a_hundred_thousand_runs_is_one_request(
    runtime: FakeRuntime, opener: Opener
) -> None:
    def script(seen: Seen) -> Reply | None:
        if seen.path != "/v1/runs":
            return None
        start = int(seen.query.get("cursor", ["0"])[0])
        limit = int(seen.query["limit"][0])
        rows = [
            {**ROW, "id": f"{number:08x}-0000-4000-8000-000000000000"}
            for number in range(start, start + limit)
        ]
        return Reply(body=page(rows, str(start + limit)))

    runtime.script = script
    bench = await opener(runtime.address)
    first = await bench.runs.list(RunFilter(), 100)
    assert len(asked(runtime, "/v1/runs")) == 1
    assert (len(first.data), first.has_more) == (100, True)
    assert await bench.runs.count(RunFilter()) == 101
    second = await bench.runs.list(RunFilter(), 100, first.next_cursor)
    assert second.data[0].id.startswith("00000064")
    assert await bench.runs.count(RunFilter()) == 201
    assert len(asked(runtime, "/v1/runs")) == 2
    with pytest.raises(Unsupported):
        await bench.runs.list(RunFilter(), backwards=True)


def test_bytes_are_ascii_whatever_agents_wrote() -> None:
    assert json_bytes({"key": "\ud800é"}) == b'{"key":"\\ud800\\u00e9"}'


async def test_ids_stay_in_their_place(runtime: FakeRuntime, opener: Opener) -> None:
    bench = await opener(runtime.address)
    for bad in ("", ".", ".."):
        with pytest.raises(Invalid):
            await bench.judgments.get(bad)
    with pytest.raises(NotFound):
        await bench.judgments.get("a/../../\ud800?x#y")
    assert runtime.seen[-1].path == "/v1/judgments/a%2F..%2F..%2F%ED%A0%80%3Fx%23y"
