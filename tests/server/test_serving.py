"""The server's process: its first line, its end, what it says when it can't start, the file for the clients."""

import json
import signal
import socket
import stat
import subprocess
import time
from pathlib import Path

from kindgi_tui.server.serving import STOP_SECONDS
from tests.cli.driving import PROGRAM, process
from tests.server.running import AGENT, Asked, Served, copied, environment, serving


def test_the_first_start_makes_a_token_and_prints_it_once(demo_made: Path, tmp_path: Path) -> None:
    folder = copied(demo_made, tmp_path / "demo")
    with serving(folder, "--dialect", "0.4") as first:
        assert first.good("GET", "/v1/identity/whoami")["right"] == "admin"
        first.refused(404, "route-not-found", "GET", "/v1/eval-suites")
        assert first.good("GET", "/v1/test-sets")["data"] == []
        assert first.good("GET", "/v1/runs?limit=1")["hasMore"] is True
        token = first.token
        with serving(folder, "--dialect", "0.1", token=token) as second:
            second.refused(404, "route-not-found", "GET", "/v1/test-sets")
            second.good("GET", "/v1/eval-suites")
        assert token.split("_", 2)[2] not in "".join(
            path.read_text("utf-8", "replace") for path in folder.glob("logs/*")
        )


def test_with_json_the_first_line_has_the_url_and_the_token_that_was_made(
    demo_made: Path, tmp_path: Path
) -> None:
    folder = copied(demo_made, tmp_path / "demo")
    for made in (True, False):
        started = subprocess.Popen(
            [*PROGRAM, "--workspace", str(folder), "serve", "--json"],
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        assert started.stdout is not None
        told = json.loads(started.stdout.readline())
        assert list(told) == (["url", "token"] if made else ["url"])
        if made:
            Asked(told["url"], told["token"]).good("GET", "/v1/projects")
        started.send_signal(signal.SIGTERM)
        rest, _ = started.communicate(timeout=30)
        assert (started.returncode, rest) == (0, "")


def test_a_taken_port_is_said_in_one_sentence(served: Served) -> None:
    port = served.url.rpartition(":")[2]
    done = process("--workspace", str(served.workspace), "serve", "--port", port, environment=environment())
    assert done.code == 4
    assert done.said.startswith(f"Error: Can't listen on 127.0.0.1 port {port}: ")
    assert done.said.count("\n") == 1


def test_a_host_that_is_not_of_this_machine_is_said_in_one_sentence(demo_made: Path, tmp_path: Path) -> None:
    folder = copied(demo_made, tmp_path / "demo")
    for host in ("nowhere.invalid", "192.0.2.1", "2001:db8::1", "a" * 70 + ".invalid"):
        done = process("--workspace", str(folder), "serve", "--host", host, environment=environment())
        assert done.code == 4
        assert done.said.startswith(f"Error: Can't listen on {host}: ")
        assert done.said.endswith("Give an address of this machine with --host, such as 127.0.0.1.\n")
        assert (done.said.count("\n"), "--port" in done.said) == (1, False)
    # The first token is still to be made, and told.
    assert live_tokens(folder) == []
    with serving(folder) as started:
        started.good("GET", "/v1/projects")


def test_the_file_for_the_official_clients(demo_made: Path, tmp_path: Path) -> None:
    folder, here = copied(demo_made, tmp_path / "demo"), tmp_path / "here"
    here.mkdir()
    started, told = dev_server(folder, here)
    file = here / ".kindgirc.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    Asked(told["apiUrl"], told["token"]).good("GET", "/v1/projects")
    started.send_signal(signal.SIGINT)
    started.communicate(timeout=30)
    assert started.returncode == 0
    assert not file.exists()
    with serving(folder, token=told["token"]) as again:
        again.refused(401, "auth-revoked", "GET", "/v1/projects")


def test_the_dev_file_of_another_runtime_is_there_again_in_the_end(demo_made: Path, tmp_path: Path) -> None:
    folder, here = copied(demo_made, tmp_path / "demo"), tmp_path / "here"
    here.mkdir()
    file, other = here / ".kindgirc.json", '{"apiUrl": "http://127.0.0.1:1", "token": "another"}'
    file.write_text(other, "utf-8")
    started, _ = dev_server(folder, here)
    started.send_signal(signal.SIGINT)
    started.communicate(timeout=30)
    assert file.read_text("utf-8") == other
    assert [one.name for one in here.iterdir()] == [".kindgirc.json"]


def test_the_file_that_another_runtime_wrote_meanwhile_stays(demo_made: Path, tmp_path: Path) -> None:
    folder, here = copied(demo_made, tmp_path / "demo"), tmp_path / "here"
    here.mkdir()
    file, other = here / ".kindgirc.json", '{"apiUrl": "http://127.0.0.1:1", "token": "another"}'
    started, _ = dev_server(folder, here)
    file.write_text(other, "utf-8")
    started.send_signal(signal.SIGTERM)
    started.communicate(timeout=30)
    assert started.returncode == 0
    assert file.read_text("utf-8") == other


def dev_server(folder: Path, here: Path) -> tuple["subprocess.Popen[str]", dict[str, str]]:
    """A server with a dev file in `here`, and what that says."""
    started = subprocess.Popen(
        [*PROGRAM, "--workspace", str(folder), "serve", "--dev-file"],
        cwd=here,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert started.stdout is not None
    url = started.stdout.readline().strip()
    file = here / ".kindgirc.json"
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        told: dict[str, str] = json.loads(file.read_text("utf-8")) if file.exists() else {}
        if told.get("apiUrl") == url:
            return started, told
        time.sleep(0.02)
    raise AssertionError("there is no dev file")


def live_tokens(folder: Path) -> list[str]:
    listed = process("--workspace", str(folder), "tokens", "list", "--json").json["data"]
    return [one["name"] for one in listed if "revokedAt" not in one]


def test_what_a_killed_server_left_ends_with_the_next_one(demo_made: Path, tmp_path: Path) -> None:
    folder, here = copied(demo_made, tmp_path / "demo"), tmp_path / "here"
    here.mkdir()
    other = '{"apiUrl": "http://127.0.0.1:1", "token": "another"}'
    (here / ".kindgirc.json").write_text(other, "utf-8")
    mine = "dev-file-of-mine"
    assert process("--workspace", str(folder), "tokens", "add", mine).code == 0
    killed, left = dev_server(folder, here)
    killed.kill()
    killed.communicate(timeout=30)
    assert len(live_tokens(folder)) == 2
    again, told = dev_server(folder, here)
    server = Asked(told["apiUrl"], left["token"])
    server.refused(401, "auth-revoked", "GET", "/v1/projects")
    assert len(live_tokens(folder)) == 2
    again.send_signal(signal.SIGINT)
    again.communicate(timeout=30)
    assert live_tokens(folder) == [mine]
    # What stood there before the killed one is there again.
    assert (here / ".kindgirc.json").read_text("utf-8") == other
    assert [one.name for one in here.iterdir()] == [".kindgirc.json"]
    assert list(folder.glob("*.lock")) == []


def test_two_servers_in_one_folder_keep_their_tokens(demo_made: Path, tmp_path: Path) -> None:
    folder, here = copied(demo_made, tmp_path / "demo"), tmp_path / "here"
    here.mkdir()
    first, one = dev_server(folder, here)
    second, two = dev_server(folder, here)
    for told in (one, two):
        Asked(told["apiUrl"], told["token"]).good("GET", "/v1/projects")
    second.send_signal(signal.SIGINT)
    second.communicate(timeout=30)
    assert json.loads((here / ".kindgirc.json").read_text("utf-8")) == one
    third, three = dev_server(folder, here)
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=30)
    Asked(three["apiUrl"], three["token"]).good("GET", "/v1/projects")
    third.send_signal(signal.SIGINT)
    third.communicate(timeout=30)
    assert list(here.iterdir()) == []
    assert [one for one in live_tokens(folder) if one.startswith("dev-file")] == []


def test_a_dev_file_that_cannot_be_written_leaves_no_token_behind(demo_made: Path, tmp_path: Path) -> None:
    folder, here = copied(demo_made, tmp_path / "demo"), tmp_path / "here"
    (here / ".kindgirc.json").mkdir(parents=True)
    command = [*PROGRAM, "--workspace", str(folder), "serve", "--dev-file"]
    done = subprocess.run(
        command, cwd=here, capture_output=True, text=True, env=environment(), timeout=60, check=False
    )
    assert done.returncode == 4
    assert [one.name for one in here.iterdir()] == [".kindgirc.json"]


def test_a_stop_lets_what_runs_finish(demo_made: Path, tmp_path: Path) -> None:
    with serving(copied(demo_made, tmp_path / "demo")) as server:
        host, port = server.url.removeprefix("http://").split(":")
        body = json.dumps({"name": "late", "weight": 1, "scope": {"kind": "tenant"}}).encode()
        head = f"POST /v1/judge-classes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {server.token}\r\n"
        with socket.create_connection((host, int(port))) as late:
            late.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body[:10])
            time.sleep(0.3)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
            late.sendall(body[10:])
            late.settimeout(20)
            assert late.recv(200).startswith(b"HTTP/1.1 201")


def test_a_stop_lets_followers_go(demo_made: Path, tmp_path: Path) -> None:
    with serving(copied(demo_made, tmp_path / "demo")) as server:
        project = server.project()
        build = {"version": "1.0.0", "projectId": project, "agentId": AGENT}
        server.good("POST", "/v1/eval-suites/acme.picks/versions/from-judgments", build, 201)
        body = {"projectId": project, "agentRef": {"agentId": AGENT, "version": "0.2.0"}, "repetitions": 10}
        run = server.good("POST", "/v1/eval-suites/acme.picks/runs", body, 201)["runId"]
        with server.client.stream("GET", f"/v1/eval-runs/{run}/events") as following:
            assert following.status_code == 200
            server.process.send_signal(signal.SIGTERM)
            started = time.monotonic()
            following.read()
        server.process.wait(timeout=30)
        # It waits for nobody who only looks.
        assert time.monotonic() - started < STOP_SECONDS


def test_several_clients_and_a_cancelled_comparison(served: Served) -> None:
    project = served.project()
    body = {"projectId": project, "agentRef": {"agentId": AGENT, "version": "0.2.0"}, "repetitions": 10}
    path = "/v1/eval-suites/acme.picks/runs"
    first = served.good("POST", path, body, 201)["runId"]
    cancelled = served.good("POST", f"/v1/eval-runs/{first}/cancel")
    assert (cancelled["status"], "cancelReason" in cancelled) == ("cancelled", False)
    error = served.send("POST", f"/v1/eval-runs/{first}/cancel").json()["error"]
    assert (error["code"], error["details"]) == (
        "eval-run-already-terminal",
        {"runId": first, "status": "cancelled"},
    )
    served.refused(409, "eval-run-not-rescorable", "POST", f"/v1/eval-runs/{first}/rescore", {})
    second = served.good("POST", path, {**body, "repetitions": 1}, 201)["runId"]
    streams = [
        served.client.send(served.client.build_request("GET", f"/v1/eval-runs/{second}/events")) for _ in "ab"
    ]
    frames = [stream.text.strip().split("\n\n") for stream in streams]
    names = [[frame.splitlines()[1] for frame in each] for each in frames]
    assert names[0] == names[1] == ["event: eval-run.case-completed"] * 3 + ["event: eval-run.completed"]
    places = [frame.splitlines()[0] for frame in frames[0]]
    assert sorted(places[:-1]) == [f"id: {second}:case:{i}" for i in range(3)]
    assert places[-1] == f"id: {second}:terminal"
    last = json.loads(frames[0][-1].splitlines()[2].removeprefix("data: "))
    assert last["result"] == served.good("GET", f"/v1/eval-runs/{second}")["result"]
    listed = served.good(
        "GET", f"/v1/eval-runs?suiteId=acme.picks&status=cancelled&scopeKind=project&scopeId={project}"
    )
    assert [one["runId"] for one in listed["data"]] == [first]
