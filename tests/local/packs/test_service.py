import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kindgi_tui.domain.base import Json
from kindgi_tui.local.packs import service as service_module
from kindgi_tui.local.packs.publishing import FILES, INDEX, index_pack, install_snapshot
from kindgi_tui.local.packs.service import PackService
from kindgi_tui.local.packs.services import Launch, PackServices
from kindgi_tui.local.packs.tool_results import ToolResult
from kindgi_tui.workbench import Invalid, NotFound, Unavailable
from tests.local.packs.conftest import PROJECT, MakePack


async def call(
    service: PackService, tool: str, text: str = "hi", size: int = 0, timeout_ms: int = 20_000
) -> ToolResult:
    return await service.invoke(tool, None, {"text": text, "size": size}, timeout_ms=timeout_ms)


def ps(column: str, pid: int) -> str:
    """What the system says of a process; empty when there is none."""
    told = subprocess.run(
        ["ps", "-o", f"{column}=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return told.stdout.strip()


def alive(pid: int) -> bool:
    """Whether a process is there and is not a zombie."""
    return ps("stat", pid)[:1] not in ("", "Z")


def start_owner(snapshot: Path, folder: Path) -> subprocess.Popen[str]:
    """A process that holds a service, says its process id and waits in a call."""
    script = folder / "owner.py"
    script.write_text(OWNER)
    command = [sys.executable, str(script), str(snapshot), str(folder / "log")]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


async def until(holds: Callable[[], bool], tries: int = 400) -> bool:
    for _ in range(tries):
        if holds():
            return True
        await asyncio.sleep(0.05)
    return False


def failure(result: ToolResult) -> tuple[str, str]:
    assert result.error is not None
    return result.error.code, result.error.sentence


async def test_calls_a_tool_and_stops_with_its_context(service: PackService) -> None:
    assert not service.busy
    async with service:
        assert (await service.invoke("acme.echo", "0.1.0", {"text": "hé\u2028"})).output == {
            "text": "hé\u2028"
        }
        pid = service.pid
        assert pid is not None and alive(pid)
    assert not alive(pid)
    assert "echoing hé" in service.log_path.read_text()


async def test_sends_the_calls_environment_and_nothing_of_ours(
    service: PackService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    async with service:
        result = await service.invoke(
            "acme.env", "1.2.3", {"text": "x"}, {"TONE": "warm"}, "run-1", "project-1"
        )
    assert isinstance(result.output, dict)
    told = {key: value for key, value in result.output.items() if key != "pid"}
    assert told == {
        "call": {"TONE": "warm"},
        "region": "north",
        "run": "run-1",
        "project": "project-1",
        "key": None,
        "token": None,
    }


async def test_failures_are_results_with_a_sentence(service: PackService) -> None:
    async with service:
        code, sentence = failure(await call(service, "acme.raise", "no such order"))
        assert code == "handler-throw" and "ValueError: no such order" in sentence
        code, sentence = failure(await call(service, "acme.echo", ""))
        assert code == "input-validation-failed" and "/text" in sentence
        assert (
            failure(await service.invoke("acme.echo", None, ["not", "an", "object"]))[0]
            == "input-validation-failed"
        )
        assert failure(await service.invoke("acme.echo", None, None))[0] == "input-validation-failed"
        assert failure(await call(service, "acme.none"))[0] == "tool-not-in-pack"
        assert (
            failure(await service.invoke("acme.echo", "9.9.9", {"text": "x"}))[0] == "tool-version-mismatch"
        )
        assert (await call(service, "acme.odd", "nan")).output == {"value": None}, (
            "as the official service writes it"
        )
        assert (await call(service, "acme.odd", "null")).output == {"value": None}
        assert (await call(service, "acme.echo")).output == {"text": "hi"}, "the service serves on"


async def test_arguments_that_are_hard_to_send(service: PackService) -> None:
    deep: Json = {}
    for _ in range(100_000):
        deep = {"text": deep}
    async with service:
        hard: list[Json] = [{"text": float("nan")}, {"text": 10**5000}, deep]
        for bad in hard:
            assert failure(await service.invoke("acme.echo", None, bad))[0] == "input-validation-failed"
        assert failure(await call(service, "acme.echo", "\ud800"))[0] in (
            "bad-answer",
            "input-validation-failed",
        )
        assert failure(await call(service, "acme.odd", "half"))[0] == "bad-answer"
        assert failure(await call(service, "acme.echo", "x" * 11_000_000))[0] == "input-too-large"
        assert (await call(service, "acme.echo")).output == {"text": "hi"}


async def test_a_huge_output_comes_whole_up_to_the_limit(
    service: PackService, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with service:
        result = await call(service, "acme.echo", "word", size=5_000_000)
        assert result.output == {"text": "word" * 5_000_000}
        monkeypatch.setattr(service_module, "LARGEST_OUTPUT", 1_000_000)
        assert failure(await call(service, "acme.echo", "word", size=5_000_000))[0] == "output-too-large"
        assert (await call(service, "acme.echo")).output == {"text": "hi"}


async def test_what_code_prints_goes_to_a_bounded_log(
    service: PackService, capfd: pytest.CaptureFixture[str]
) -> None:
    async with service:
        assert (await call(service, "acme.noise", size=8)).output == {"text": "quiet"}
    older = service.log_path.with_name(service.log_path.name + ".1")
    assert older.stat().st_size <= service_module.LOG_BYTES
    assert service.log_path.stat().st_size <= service_module.LOG_BYTES
    assert capfd.readouterr() == ("", "")


async def test_a_hanging_tool_meets_its_deadline(service: PackService) -> None:
    async with service:
        hung, echoed = await asyncio.gather(
            call(service, "acme.hang", timeout_ms=300), call(service, "acme.echo")
        )
        assert failure(hung)[0] == "deadline-exceeded" and echoed.output == {"text": "hi"}
        pid = service.pid
        assert (await call(service, "acme.echo")).output == {"text": "hi"}
        assert service.pid == pid, "one late call does not cost the process"


async def test_a_tool_that_blocks_the_service_meets_its_deadline_and_costs_the_process(
    service: PackService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_module, "_GRACE_SECONDS", 0.5)
    async with service:
        await call(service, "acme.echo")
        pid = service.pid
        assert pid is not None
        assert failure(await call(service, "acme.block", timeout_ms=300))[0] == "deadline-exceeded"
        assert (await call(service, "acme.echo")).output == {"text": "hi"}
        assert service.pid != pid
        assert await until(lambda: not alive(pid))


async def test_too_many_lost_threads_cost_the_process(
    service: PackService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_module, "_MOST_OVERDUE", 3)
    async with service:
        await call(service, "acme.echo")
        pid = service.pid
        results = await asyncio.gather(*(call(service, "acme.hang", timeout_ms=200) for _ in range(3)))
        assert {failure(each)[0] for each in results} == {"deadline-exceeded"}
        assert (await call(service, "acme.echo")).output == {"text": "hi"}
        assert service.pid != pid


async def test_what_a_tool_started_ends_with_the_service(service: PackService) -> None:
    async with service:
        result = await call(service, "acme.spawn")
        assert isinstance(result.output, dict)
        pid = result.output["pid"]
        assert isinstance(pid, int) and alive(pid)
    assert await until(lambda: not alive(pid))


async def test_a_log_that_cannot_be_written_is_a_sentence(snapshot: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.mkdir()
    async with PackService(snapshot / FILES, snapshot / INDEX, log_path=log, name="acme") as service:
        with pytest.raises(Unavailable, match="can't be started"):
            await call(service, "acme.echo")


async def test_many_calls_at_once(service: PackService) -> None:
    async with service:
        results = await asyncio.gather(*(call(service, "acme.echo", str(i)) for i in range(200)))
    assert [each.output for each in results] == [{"text": str(i)} for i in range(200)]


async def test_a_cancelled_call_leaves_the_service_well(service: PackService) -> None:
    async with service:
        await call(service, "acme.echo")
        task = asyncio.ensure_future(call(service, "acme.hang"))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not service.busy
        assert (await call(service, "acme.echo")).output == {"text": "hi"}


async def test_a_service_that_dies_in_a_call_fails_the_call_and_starts_again(service: PackService) -> None:
    async with service:
        code, sentence = failure(await call(service, "acme.die"))
        assert code == "service-stopped" and sentence == (
            "The pack service of acme stopped (code -9) while it ran acme.die."
        )
        assert (await call(service, "acme.echo")).output == {"text": "hi"}
        pid = service.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        assert await until(lambda: service.pid is None)
        assert (await call(service, "acme.echo")).output == {"text": "hi"}, "killed between two calls"
        assert failure(await call(service, "acme.die"))[0] == "service-stopped"
        with pytest.raises(Unavailable, match="stopped 3 times within a minute") as caught:
            await call(service, "acme.echo")
        assert caught.value.retry_after is not None and 0 < caught.value.retry_after <= 60


async def test_a_killed_watchdog_takes_the_service_with_it(service: PackService) -> None:
    async with service:
        await call(service, "acme.echo")
        pid = service.pid
        assert pid is not None
        parent = ps("ppid", pid)
        os.kill(int(parent), signal.SIGKILL)
        assert await until(lambda: not alive(pid))
        assert (await call(service, "acme.echo")).output == {"text": "hi"}


OWNER = """
import asyncio, sys
from pathlib import Path
from kindgi_tui.local.packs.service import PackService

async def main():
    root = Path(sys.argv[1])
    service = PackService(root / "files", root / "index.json", log_path=Path(sys.argv[2]))
    await service.invoke("acme.echo", None, {"text": "x"})
    print(service.pid, flush=True)
    await service.invoke("acme.hang", None, {"text": "x"})

asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
async def test_the_service_ends_with_its_owner(
    snapshot: Path, tmp_path: Path, number: signal.Signals
) -> None:
    owner = start_owner(snapshot, tmp_path)
    try:
        assert owner.stdout is not None
        pid = int(await asyncio.to_thread(owner.stdout.readline))
        assert alive(pid)
        owner.send_signal(number)
        await asyncio.to_thread(owner.wait)
        assert await until(lambda: not alive(pid))
    finally:
        owner.kill()
        owner.communicate()


async def test_a_required_variable_without_a_value_is_named(make_pack: MakePack, tmp_path: Path) -> None:
    project = PROJECT.replace("optional = [", 'required = ["ACME_DATABASE"]\noptional = [')
    with await index_pack(make_pack({"pyproject.toml": project})) as indexed:
        assert indexed.index.env_required == ("ACME_DATABASE",)
        place = install_snapshot(indexed, tmp_path / "packs")
    log = tmp_path / "log"
    async with PackService(place / FILES, place / INDEX, log_path=log, name="acme") as service:
        with pytest.raises(Invalid, match="Pack acme needs ACME_DATABASE"):
            await call(service, "acme.echo")
    env = {"ACME_DATABASE": "x"}
    async with PackService(place / FILES, place / INDEX, env=env, log_path=log, name="acme") as service:
        assert (await call(service, "acme.echo")).output == {"text": "hi"}


async def test_a_service_that_cannot_start_says_why(snapshot: Path, tmp_path: Path) -> None:
    files, index, log = snapshot / FILES, snapshot / INDEX, tmp_path / "log"
    async with PackService(tmp_path, index, log_path=log, name="acme") as service:
        with pytest.raises(Unavailable, match=r"did not start: Missing module: tools/words\.py"):
            await call(service, "acme.echo")
    async with PackService(files, tmp_path / "none.json", log_path=log, name="acme") as service:
        with pytest.raises(Unavailable, match="can't be read"):
            await call(service, "acme.echo")
    async with PackService(files, index, str(tmp_path / "python"), log_path=log, name="acme") as service:
        for _ in range(3):
            with pytest.raises(Unavailable, match="can't be started"):
                await call(service, "acme.echo")
        with pytest.raises(Unavailable, match="3 times within a minute"):
            await call(service, "acme.echo")


async def test_the_pool_shares_stops_and_starts_services(snapshot: Path, tmp_path: Path) -> None:
    asked: list[str] = []

    async def launch(digest: str) -> Launch:
        asked.append(digest)
        return Launch(env={"ACME_REGION": "south"}, name="acme")

    digest = snapshot.name
    async with PackServices(snapshot.parent, launch, logs_dir=tmp_path, idle_seconds=0.3) as pool:
        results = await asyncio.gather(
            *(pool.invoke(digest, "acme.env", None, {"text": "x"}) for _ in range(5))
        )
        outputs = [each.output for each in results if isinstance(each.output, dict)]
        assert len({each["pid"] for each in outputs}) == 1 and {each["region"] for each in outputs} == {
            "south"
        }
        assert asked == [digest]
        (pid,) = pool.running
        assert await until(lambda: not pool.running) and await until(lambda: not alive(pid))
        assert (await pool.invoke(digest, "acme.echo", None, {"text": "again"})).output == {"text": "again"}
        (pid,) = pool.running
        with pytest.raises(NotFound, match="Publish the pack again"):
            await pool.invoke("0" * 64, "acme.echo", None, {})
    assert not alive(pid)


async def test_a_busy_service_is_not_idle(snapshot: Path, tmp_path: Path) -> None:
    async with PackServices(snapshot.parent, logs_dir=tmp_path, idle_seconds=0.2) as pool:
        result = await pool.invoke(snapshot.name, "acme.hang", None, {"text": "x"}, timeout_ms=1_500)
        assert failure(result)[0] == "deadline-exceeded"


def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys\nfrom kindgi_tui.local.packs import scaffold, services, watching\n"
        "print([name for name in ('aiohttp', 'kindgi', 'httpx', 'textual', 'rich') if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


@pytest.mark.long
async def test_kills_at_random_moments_leave_no_process(snapshot: Path, tmp_path: Path) -> None:
    chance = random.Random(7)
    for _ in range(20):
        owner = start_owner(snapshot, tmp_path)
        await asyncio.sleep(chance.uniform(0.0, 1.5))
        owner.kill()
        owner.communicate()

    def left() -> str:
        listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        return "\n".join(line for line in listed.splitlines() if str(snapshot) in line)

    assert await until(lambda: not left()), left()
