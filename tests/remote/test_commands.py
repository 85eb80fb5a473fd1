"""Working at a runtime by command: where one works is said, tokens are not, and what waits is."""

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kindgi_tui.cli.main import main
from kindgi_tui.config.profiles import load_profiles
from tests.cli.driving import Result, Terminal
from tests.remote.fake_runtime import (
    DROP_AFTER,
    DROP_BEFORE,
    PATHS,
    PROJECT,
    RUN,
    TOKEN,
    FakeRuntime,
    Reply,
    document,
    error,
    once,
    page,
)
from tests.remote.test_parts import run_record, turn

ITEM = ("--item", "kb-1", "--yes")


class At:
    """Commands that name no workspace; no output ever has the token."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch

    def __call__(self, *words: str, stdin: str = "") -> Result:
        """Runs one in this process."""
        out, err = io.BytesIO(), io.BytesIO()
        with self._patch.context() as patch:
            streams = [io.TextIOWrapper(raw, encoding="utf-8", write_through=True) for raw in (out, err)]
            patch.setattr(sys, "stdout", streams[0])
            patch.setattr(sys, "stderr", streams[1])
            patch.setattr(sys, "stdin", io.StringIO(stdin))
            code = main(words)
        done = Result(code, out.getvalue(), err.getvalue())
        assert TOKEN not in done.text + done.said
        assert "Traceback" not in done.said
        return done


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[At]:
    for name in ("KINDGI_API_URL", "KINDGI_API_TOKEN", "KINDGI_TUI_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    yield At(monkeypatch)


@pytest.fixture
def judged(runtime: FakeRuntime) -> FakeRuntime:
    project = {
        "id": PROJECT,
        "name": "Default",
        "slug": "default",
        "isDefault": True,
        "createdAt": "2026-01-01T00:00:00Z",
    }
    runtime.more |= {
        "/v1/openapi.json": document((*PATHS, "get /v1/projects/default", "get /v1/runs/{runId}/journal")),
        "/v1/projects": page([project]),
        "/v1/projects/default": project,
        "/v1/runs": page([run_record(RUN, output=turn(0, "hi there", 1))]),
        f"/v1/runs/{RUN}": run_record(RUN, output=turn(0, "hi there", 1)),
    }  # fmt: skip
    return runtime


def test_profiles_are_kept_used_and_forgotten(at: At, judged: FakeRuntime) -> None:
    made = at("profiles", "add", "team", "--url", judged.address + "/", stdin=TOKEN + "\n")
    assert made.code == 0, made.said
    assert load_profiles().get("team").token.get_secret_value() == TOKEN
    assert at("profiles", "list", "--json").json["data"] == [
        {"name": "team", "url": judged.address, "inUse": False}
    ]
    assert at("profiles", "use", "team").code == 0
    listed = at("runs", "list")
    assert "hi there" in listed.text
    assert f"At {judged.address} (profile team, in use)." in listed.said
    assert at("profiles", "use", "nobody").code == 2
    assert at("profiles", "use", "local").code == 0
    assert load_profiles().current is None
    assert at("--profile", "team", "runs", "show", RUN).code == 0
    assert at("profiles", "remove", "team").code == 0
    assert at("--profile", "team", "runs", "list").code == 2


def test_a_profile_never_keeps_the_token_of_another_address(
    at: At, judged: FakeRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KINDGI_API_TOKEN", TOKEN)
    monkeypatch.setenv("KINDGI_API_URL", judged.address)
    add = ("profiles", "add", "team", "--url")
    assert at(*add, "http://elsewhere.example.com", stdin="theirs\n").code == 0
    assert load_profiles().get("team").token.get_secret_value() == "theirs"
    assert at(*add, "http://elsewhere.example.com").code == 2
    assert at(*add, judged.address).code == 0
    assert load_profiles().get("team").token.get_secret_value() == TOKEN


def test_without_a_token_nothing_is_asked(at: At, judged: FakeRuntime) -> None:
    done = at("--url", judged.address, "runs", "list")
    assert (done.code, judged.seen) == (3, [])
    assert "no token" in done.said
    assert at("--url", "nonsense", "runs", "list").code == 2


def test_the_environment_names_a_runtime_and_a_workspace_named_here_wins(
    at: At, judged: FakeRuntime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KINDGI_API_URL", judged.address)
    monkeypatch.setenv("KINDGI_API_TOKEN", TOKEN)
    assert "hi there" in at("runs", "list").text
    local = at("--workspace", str(tmp_path / "w"), "projects", "list")
    assert "Default" in local.text
    assert "Made a new workspace" in local.said
    refused = at("--as", "maria", "runs", "list")
    assert refused.code == 2
    assert "who the token is" in refused.said


def test_the_workspace_variable_says_that_it_overrides_a_runtime(
    at: At, judged: FakeRuntime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert at("profiles", "add", "team", "--url", judged.address, stdin=TOKEN).code == 0
    assert at("profiles", "use", "team").said == ""
    folder = tmp_path / "w"
    monkeypatch.setenv("KINDGI_TUI_WORKSPACE", str(folder))
    told = f"In {folder} (KINDGI_TUI_WORKSPACE)."
    assert told in at("projects", "list").said
    used = at("profiles", "use", "team")
    assert used.said.startswith("Note: KINDGI_TUI_WORKSPACE is set, and counts before what is chosen here")
    assert "--profile team" in used.said
    assert at("profiles", "use", "local").said == ""
    assert told not in at("projects", "list").said
    monkeypatch.setenv("KINDGI_API_URL", judged.address)
    assert told in at("projects", "list").said
    assert "KINDGI_TUI_WORKSPACE and KINDGI_API_URL are set" in at("profiles", "use", "team").said
    # Said on the line, it needs no telling; and profiles that can't be read stop nobody in a workspace.
    assert told not in at("projects", "list", "--workspace", str(folder)).said
    monkeypatch.delenv("KINDGI_API_URL")
    (tmp_path / "config" / "kindgi-tui" / "profiles.json").write_text("{")
    local = at("projects", "list")
    assert (local.code, local.said) == (0, "")
    order = " ".join(at("profiles", "--help").text.split())
    assert "KINDGI_TUI_WORKSPACE; KINDGI_API_URL; the profile in use; the default workspace" in order


@pytest.mark.parametrize("command", [("runs", "list"), ("packs", "init", "p", "--name", "a"), ("demo",), ()])
def test_two_places_to_work_at_are_refused(
    at: At, judged: FakeRuntime, tmp_path: Path, command: tuple[str, ...]
) -> None:
    there, team, here = ("--url", judged.address), ("--profile", "team"), ("--workspace", str(tmp_path / "w"))
    assert at("profiles", "add", "team", *there, stdin=TOKEN).code == 0
    for two, names in (
        ((*there, *team), ("--url", "--profile")),
        ((*here, *there), ("--workspace", "--url")),
        ((*here, *team), ("--workspace", "--profile")),
    ):
        refused = at(*two, *command)
        assert refused.code == 2
        assert all(name in refused.said for name in names)
        assert "leave one of them out" in refused.said
    nobody = at("--profile", "nosuch", *command)
    assert (nobody.code, 'No profile is called "nosuch"' in nobody.said) == (2, True)
    assert judged.seen == []
    assert not (tmp_path / "w").exists()


@pytest.mark.parametrize("command", [("runs", "pull"), ("doctor",)])
def test_what_works_with_a_workspace_and_a_runtime_takes_both(
    at: At, judged: FakeRuntime, tmp_path: Path, command: tuple[str, ...]
) -> None:
    there, here = ("--url", judged.address), ("--workspace", str(tmp_path / "w"))
    assert at("profiles", "add", "team", *there, stdin=TOKEN).code == 0
    assert at(*command, *here, "--profile", "nosuch").code == 2
    assert at(*command, *there, "--profile", "team").code == 2
    assert not (tmp_path / "w").exists()
    assert at(*command, *here, "--profile", "team").code == 0
    assert judged.seen != []


def test_a_verdict_by_command_is_answered_refused_or_waits(
    at: At, judged: FakeRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KINDGI_API_TOKEN", TOKEN)
    there = ("--url", judged.address)
    done = at(*there, "judgments", "add", "--run", RUN, *ITEM, "--json")
    assert done.json["id"] == judged.judgments[0]["id"]
    judged.script = once("/v1/judgments", error(403, "permission-denied", "Not allowed to judge."))
    refused = at(*there, "judgments", "add", "--run", RUN, "--item", "kb-1", "--no")
    assert (refused.code, "Not allowed to judge." in refused.said) == (3, True)
    judged.script = lambda seen: DROP_BEFORE if seen.method == "POST" else None
    waits = at(*there, "judgments", "add", "--run", RUN, "--item", "kb-2", "--yes")
    assert waits.code == 0
    assert f"1 verdict waits to be sent. See: kindgi-tui {' '.join(there)} outbox list" in waits.said
    assert "See:" not in at(*there, "outbox", "list").said
    rows = at(*there, "outbox", "list", "--json").json["data"]
    assert [(one["itemKey"], one["verdict"], one["state"]) for one in rows] == [("kb-2", "yes", "waiting")]
    judged.script = None
    assert at(*there, "outbox", "retry").code == 0
    assert [one["item"]["key"] for one in judged.live()] == ["kb-1", "kb-2"]
    assert at(*there, "outbox", "drop", "nothing").code == 2
    assert "Nothing waits." in at(*there, "outbox", "list").text


def test_pulled_runs_are_judged_here(
    at: At, judged: FakeRuntime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KINDGI_API_URL", judged.address)
    monkeypatch.setenv("KINDGI_API_TOKEN", TOKEN)
    judged.judge(runId=RUN, item={"key": "kb-1", "pointer": "/output/articles/0", "rank": 0}, verdict="no")
    where = ("--workspace", str(tmp_path / "w"))
    came = at("runs", "pull", *where, "--agent", "a.b", "--json")
    assert came.code == 0, came.said
    assert (came.json["cameIn"], came.json["judgments"]) == (1, 1)
    assert at("runs", "pull", *where, "--json").json["known"] == 1
    assert "hi there" in at(*where, "runs", "list").text
    assert at(*where, "judgments", "list", "--json").json["data"][0]["verdict"] == "no"
    raw = at(*where, "runs", "show", RUN, "--raw").json
    assert raw["run"]["id"] == RUN


def test_a_pull_that_nothing_matches_says_so(
    at: At, judged: FakeRuntime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KINDGI_API_TOKEN", TOKEN)
    judged.more["/v1/runs"] = page([])
    pull = ("runs", "pull", "--url", judged.address, "--workspace", str(tmp_path / "w"), "--agent", "nope")
    none = at(*pull)
    assert none.code == 0
    told = " ".join(none.text.split())
    assert told.startswith("No run of the runtime matches: nothing was copied.")
    assert told.endswith(f"kindgi-tui --url {judged.address} runs list")
    assert at(*pull, "--json").json["cameIn"] == 0


@pytest.mark.parametrize("named", [True, False])
def test_a_pulled_group_stays_for_experts(
    at: At, judged: FakeRuntime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, named: bool
) -> None:
    """What was said as experts counts as that here, also where it was said before they were restricted."""
    monkeypatch.setenv("KINDGI_API_URL", judged.address)
    monkeypatch.setenv("KINDGI_API_TOKEN", TOKEN)
    group = "7a1b2c3d-0000-4000-8000-000000000001"
    members = {"principalIds": ["mira"]} if named else {}
    judged.more["/v1/judge-classes"] = page(
        [
            {
                "id": group,
                "scope": {"kind": "tenant"},
                "name": "Experts",
                "weight": 3,
                "assertableBy": {"principalKinds": ["user"], "principalCount": 1, **members},
                "createdAt": "2026-05-01T09:00:00.000Z",
            }
        ]
    )
    place = {"key": "kb-1", "pointer": "/output/articles/0", "rank": 0}
    judged.judge(runId=RUN, item=place, verdict="no", judgeClassId=group, restricted=True)
    judged.judge(
        runId=RUN,
        item={"key": "kb-2", "pointer": "/output/articles/1", "rank": 1},
        verdict="yes",
        judgeClassId=group,
    )
    where = ("--workspace", str(tmp_path / "w"))
    came = at("runs", "pull", *where, "--json")
    assert came.code == 0, came.said
    rows = at(*where, "judgments", "list", "--json").json["data"]
    assert {row["item"]["key"]: row.get("expert", False) for row in rows} == {"kb-1": True, "kb-2": False}
    made = at(*where, "groups", "list", "--json").json["data"]
    asserters = sorted({row["assertedBy"]["id"] for row in rows})
    assert [(one["name"], one["weight"], one["assertableBy"]) for one in made] == [
        ("Experts", 3, {"principalIds": ["mira"] if named else asserters, "principalKinds": ["user"]})
    ]
    refused = at(*where, "judgments", "add", "--run", RUN, "--item", "kb-1", "--yes", "--group", "Experts")
    assert refused.code == 3, refused.said


def test_a_runtime_that_is_gone_is_one_sentence(at: At, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINDGI_API_TOKEN", TOKEN)
    done = at("--url", "http://127.0.0.1:9", "runs", "list")
    assert done.code == 3
    assert done.said.startswith("Error: http://127.0.0.1:9 can't be reached")
    assert len(done.said.strip().splitlines()) == 1


def test_a_verdict_said_while_the_runtime_is_gone_waits_when_its_place_is_told(
    at: At, judged: FakeRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KINDGI_API_TOKEN", TOKEN)
    there = ("--url", judged.address)
    assert at(*there, "judgments", "list").code == 0
    judged.script = lambda seen: DROP_BEFORE
    bare = at(*there, "judgments", "add", "--run", RUN, "--item", "kb-1", "--yes")
    assert bare.code == 3
    assert "--pointer and --rank" in bare.said
    place = ("--item", "kb-1", "--pointer", "/output/articles/0", "--rank", "0")
    kept = at(*there, "judgments", "add", "--run", RUN, *place, "--yes")
    assert kept.code == 0, kept.said
    assert "1 verdict waits to be sent" in kept.said
    judged.script = None
    assert at(*there, "outbox", "retry").code == 0
    assert [one["item"]["key"] for one in judged.live()] == ["kb-1"]


def test_what_a_runtime_would_leave_out_is_refused_with_its_reason(
    at: At, judged: FakeRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KINDGI_API_TOKEN", TOKEN)
    start = ("comparisons", "start", "acme.picks", "--agent", "a.b", "--agent-version", "0.2.0")
    for option, says in (
        (("--fresh",), "The API has no way to ask for fresh replies: leave it out"),
        (("--concurrency", "3"), "how much runs at once"),
        (("--case-timeout", "5"), "its own time-outs"),
        (("--cost-limit", "1"), "no cost limit"),
    ):
        refused = at("--url", judged.address, *start, *option)
        assert refused.code == 2, refused.said
        assert says in refused.said
    assert [seen for seen in judged.seen if seen.method == "POST"] == []
    models = at("--url", judged.address, "models", "list")
    assert (models.code, "asks its models itself" in models.said) == (2, True)
    serve = at("--url", judged.address, "serve", "--port", "0")
    assert (serve.code, "is a runtime" in serve.said) == (2, True)


def test_doctor_looks_at_the_runtime_too(
    at: At, judged: FakeRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KINDGI_API_TOKEN", TOKEN)
    found = at("--url", judged.address, "doctor", "--json").json["findings"]
    told = {one["what"]: one["words"] for one in found}
    assert told["runtime"] == f"{judged.address} (--url)"
    assert told["answers"].startswith("as ")
    gone = at("--url", "http://127.0.0.1:9", "doctor", "--json")
    assert gone.code == 4
    assert "can't be reached" in next(
        one["words"] for one in gone.json["findings"] if one["state"] == "trouble"
    )


def test_a_next_step_works_where_this_one_did(
    at: At, judged: FakeRuntime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KINDGI_API_TOKEN", TOKEN)
    judged.more["/v1/judge-classes"] = page([])
    told = " ".join(at("--url", judged.address, "groups", "list").text.split())
    assert f"kindgi-tui --url {judged.address} groups add" in told
    local = at("--workspace", str(tmp_path / "w"), "groups", "list").text
    assert f"kindgi-tui --workspace {tmp_path / 'w'} groups add" in " ".join(local.split())


def test_the_next_step_of_an_error_works_where_this_one_did(
    at: At, judged: FakeRuntime, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KINDGI_API_TOKEN", TOKEN)
    there = f"--url {judged.address}"
    told = at("--url", judged.address, "outbox", "drop", "nothing").said
    assert f"`kindgi-tui {there} outbox list` shows what does" in told
    # What stands on this machine alone isn't looked for at the runtime.
    told = at("--url", judged.address, "tokens", "list").said
    assert "`kindgi-tui tokens` makes those of a workspace" in told
    where = tmp_path / "a b"
    told = at("--workspace", str(where), "runs", "show", "3f2a9c11").said
    assert f"`kindgi-tui --workspace '{where}' runs list` shows them" in told


def test_what_waits_is_marked_in_lists_and_can_be_removed(
    at: At, judged: FakeRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KINDGI_API_TOKEN", TOKEN)
    there = ("--url", judged.address)
    assert at(*there, "judgments", "add", "--run", RUN, *ITEM).code == 0
    of_run = (*there, "judgments", "list", "--run", RUN)
    assert "OUTBOX" not in at(*of_run).text
    place = ("--item", "kb-2", "--pointer", "/output/articles/1", "--rank", "1")
    add = (*there, "judgments", "add", "--run", RUN, *place, "--yes", "--json")
    judged.script = lambda seen: DROP_BEFORE
    said = at(*add)
    assert said.json["outbox"] == "waiting"
    # What never left is taken back without the runtime, when the run is told whole.
    back = at(*there, "judgments", "take-back", "--run", RUN, "--item", "kb-2")
    assert back.code == 0, back.said
    assert at(*there, "outbox", "list", "--json").json["data"] == []
    said = at(*add)
    removed = at(*there, "judgments", "remove", said.json["id"][:8])
    assert removed.code == 0, removed.said
    assert at(*there, "outbox", "list", "--json").json["data"] == []
    assert at(*add).code == 0
    judged.script = lambda seen: DROP_BEFORE if seen.method == "POST" else None
    rows = at(*of_run, "--json").json["data"]
    assert [(one["item"]["key"], one.get("outbox")) for one in rows] == [("kb-2", "waiting"), ("kb-1", None)]
    lines = at(*of_run).text.splitlines()
    assert [line.endswith("  waiting") for line in lines] == [False, True, False]
    exported = at(*there, "judgments", "export", "--run", RUN).text.splitlines()
    assert [json.loads(line).get("outbox") for line in exported] == ["waiting", None]


def test_what_may_have_arrived_is_taken_back_instead(
    at: At, judged: FakeRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KINDGI_API_TOKEN", TOKEN)
    there = ("--url", judged.address)
    assert at(*there, "judgments", "list").code == 0
    # It arrives, and nobody is told, now or when they ask.
    judged.script = lambda seen: (
        DROP_AFTER if seen.method == "POST" else DROP_BEFORE if seen.path == "/v1/judgments" else None
    )
    kept = at(*there, "judgments", "add", "--run", RUN, *ITEM, "--json")
    refused = at(*there, "judgments", "remove", kept.json["id"])
    assert refused.code == 2
    step = f"kindgi-tui {' '.join(there)} judgments take-back --run {RUN} --item kb-1"
    assert step in refused.said
    back = at(*step.split()[1:])
    assert back.code == 0, back.said
    assert len(judged.live()) == 1
    judged.script = None
    assert at(*there, "outbox", "retry").code == 0
    assert judged.live() == []


def test_why_a_verdict_was_refused_can_be_read_whole(
    at: At, judged: FakeRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KINDGI_API_TOKEN", TOKEN)
    there = ("--url", judged.address)
    assert at(*there, "judgments", "list").code == 0
    judged.script = lambda seen: error(503, "busy", "Busy.") if seen.method == "POST" else None
    assert at(*there, "judgments", "add", "--run", RUN, *ITEM).code == 0
    why = "The project is closed to judging. " * 12 + "Ask mira."
    judged.script = once("/v1/judgments", error(403, "permission-denied", why))
    assert at(*there, "outbox", "retry").code == 1
    listed = at(*there, "outbox", "list")
    assert "Ask mira." not in listed.text
    assert f"kindgi-tui {' '.join(there)} outbox show ID" in listed.said
    one = listed.text.splitlines()[1].split()[0]
    shown = at(*there, "outbox", "show", one)
    assert why in " ".join(shown.text.split())
    assert f"kindgi-tui {' '.join(there)} outbox retry {one}" in " ".join(shown.text.split())
    assert at(*there, "outbox", "show", one, "--json").json["sentence"] == why
    assert at(*there, "outbox", "show", "nothing").code == 2
    # Of one that was named, it is said what came of it, whatever else is left.
    judged.script = once("/v1/judgments", error(403, "permission-denied", why))
    again = at(*there, "outbox", "retry", one)
    assert (again.code, "Not sent: The project is closed" in again.text) == (1, True)
    judged.script = lambda seen: error(503, "busy", "Busy.") if b"kb-2" in seen.body else None
    more = ("--item", "kb-2", "--pointer", "/output/articles/1", "--rank", "1", "--yes")
    assert at(*there, "judgments", "add", "--run", RUN, *more).code == 0
    sent = at(*there, "outbox", "retry", one)
    assert (sent.code, f"Sent {one}." in sent.text) == (0, True)


@pytest.mark.parametrize("trouble", [DROP_BEFORE, error(401, "auth-missing", "Who?")])
def test_a_screen_that_cant_be_opened_ends_with_the_exit_code_of_why(
    judged: FakeRuntime, trouble: Reply, tmp_path: Path
) -> None:
    judged.script = lambda seen: trouble
    home = {"XDG_DATA_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path), "KINDGI_API_TOKEN": TOKEN}
    terminal = Terminal("--url", judged.address, environment=home)
    try:
        assert terminal.read_until(lambda screen: b"tries again" in screen), terminal.screen
        terminal.press(b"q")
    finally:
        code = terminal.end()
    assert code == 3


def test_a_broken_dev_file_is_named(at: At, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".kindgirc.json").write_text('{"apiUrl": 3')
    broken = at("--url", "dev", "runs", "list")
    assert broken.code == 2
    assert "can't be read as a dev file" in broken.said
