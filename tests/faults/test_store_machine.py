"""Trouble of the machine under the store: each is one sentence with a code, and harms nothing."""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.local.workbench import FILE_NAME, LocalWorkbench, open_local
from kindgi_tui.storage import filesystem
from kindgi_tui.storage.sqlite import Trouble
from tests.faults.judging import broken, make, processes, verdict_on
from tests.local.store.making import run

IDS = [f"run-{number:08d}" for number in range(50)]


def content(folder: Path) -> dict[str, bytes]:
    return {
        each.name: each.read_bytes()
        for each in folder.iterdir()
        if each.is_file() and "-shm" not in each.name
    }


def sentence(trouble: Trouble, code: str) -> None:
    assert trouble.code == code
    said = trouble.sentence
    assert said.endswith(".") and "\n" not in said and "Traceback" not in said
    assert len(said) < 400


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[Path]:
    """`folder`, mounted with these options for a while; skips where that isn't allowed."""
    if shutil.which("mount") is None or os.getuid() != 0:
        pytest.skip("only root can mount a small or a read-only disk")
    folder.mkdir(exist_ok=True)
    if subprocess.run(["mount", *options, str(folder)], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a small or a read-only disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    with mounted(folder, "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs") as disk:
        yield disk


def big_run(project: str, kilobytes: int = 64) -> RunDetail:
    return run(project_id=project, input="x" * kilobytes * 1024)


async def fill(bench: LocalWorkbench) -> tuple[list[str], Trouble]:
    """Records runs until the disk is full; gives the ids that were acknowledged, and the trouble."""
    project = (await bench.projects.get()).id
    written: list[str] = []
    for _ in range(1000):
        made = big_run(project)
        try:
            await bench.runs.add([made])
        except Trouble as trouble:
            return written, trouble
        written.append(made.id)
    raise AssertionError("the disk is never full")


async def test_a_disk_that_fills_up(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "6m") as disk:
        bench, _ = await open_local(disk / "w")
        ballast = disk / "ballast"
        ballast.write_bytes(b"x" * 1_000_000)
        written, trouble = await fill(bench)
        sentence(trouble, "machine-disk-full")
        assert written, "the disk was full from the start"
        ids = {each.id for each in (await bench.runs.list(RunFilter(), limit=500)).data}
        assert set(written) <= ids
        # There is room again: work goes on in the same process.
        ballast.unlink()
        await bench.judgments.add(verdict_on(written[0], "a", "yes"))
        await bench.close()
        assert broken(disk / "w") == []
        again, _ = await open_local(disk / "w")
        assert {each.id for each in (await again.runs.list(RunFilter(), limit=500)).data} == ids
        assert (await again.runs.list(RunFilter(judged=True))).data[0].id == written[0]
        await again.close()


@pytest.mark.parametrize("size", ["8k", "40k", "200k"])
async def test_no_room_for_a_new_workspace(tmp_path: Path, size: str) -> None:
    with small_disk(tmp_path / "disk", size) as disk:
        with pytest.raises(Trouble) as trouble:
            await open_local(disk / "w")
        sentence(trouble.value, "machine-disk-full")


async def test_a_backup_that_finds_no_room(tmp_path: Path) -> None:
    bench, _ = await open_local(tmp_path / "w")
    await bench.runs.add([big_run((await bench.projects.get()).id, 900)])
    with small_disk(tmp_path / "disk", "500k") as disk:
        with pytest.raises(Trouble) as trouble:
            await bench.backup(disk / "copy.db")
        sentence(trouble.value, "machine-disk-full")
        assert list(disk.iterdir()) == []
    await bench.close()


async def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    """Without any disk: SQLite itself is told how many pages there are."""
    bench, _ = await open_local(tmp_path / "w")
    pages = await bench.access.read(lambda c: c.execute("PRAGMA page_count").fetchone()[0])
    await bench.access.database.write(lambda c: c.execute(f"PRAGMA max_page_count = {pages + 60}"))
    written, trouble = await fill(bench)
    sentence(trouble, "machine-disk-full")
    assert {each.id for each in (await bench.runs.list(RunFilter(), limit=500)).data} == set(written)
    await bench.close()
    assert broken(tmp_path / "w") == []


def _limited(folder: str, told: Connection) -> None:
    """A child whose files may not grow beyond 2 MB."""
    import asyncio

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))

    async def work() -> tuple[list[str], str, str]:
        bench, _ = await open_local(Path(folder))
        written, trouble = await fill(bench)
        return written, trouble.code, trouble.sentence

    told.send(asyncio.run(work()))


async def test_a_limit_on_file_sizes(tmp_path: Path) -> None:
    await make(tmp_path / "w", IDS)
    here, there = processes().Pipe(duplex=False)
    child = processes().Process(target=_limited, args=(str(tmp_path / "w"), there), daemon=True)
    child.start()
    assert here.poll(60)
    written, code, said = here.recv()
    child.join(30)
    assert code.startswith("machine-disk"), said
    bench, _ = await open_local(tmp_path / "w")
    listed = {each.id for each in (await bench.runs.list(RunFilter(), limit=500)).data}
    assert listed == {*IDS, *written}
    await bench.close()
    assert broken(tmp_path / "w") == []


@contextmanager
def read_only(folder: Path) -> Iterator[Path]:
    with mounted(folder, "--bind", str(folder)):
        subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
        yield folder


async def test_a_read_only_disk(tmp_path: Path) -> None:
    await make(tmp_path / "disk" / "w", IDS)
    before = content(tmp_path / "disk" / "w")
    with read_only(tmp_path / "disk") as disk:
        for folder in (disk / "w", disk / "new"):
            with pytest.raises(Trouble) as trouble:
                await open_local(folder)
            sentence(trouble.value, "machine-read-only")
    assert content(tmp_path / "disk" / "w") == before


def _as_nobody(folder: str, told: Connection) -> None:
    """A child who may not write in the folder: nobody, where the tests run as root."""
    import asyncio

    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)

    async def opened() -> str:
        try:
            await open_local(Path(folder))
        except Trouble as trouble:
            return trouble.code
        return "opened"

    told.send(asyncio.run(opened()))


@pytest.mark.parametrize("rights", [0o555, 0o000])
async def test_a_folder_one_may_not_write_in(tmp_path: Path, rights: int) -> None:
    folder = tmp_path / "w"
    await make(folder, IDS)
    before = content(folder)
    for each in [tmp_path, *tmp_path.parents]:
        if each.owner() == Path.home().owner() and str(each).startswith("/tmp/"):
            each.chmod(each.stat().st_mode | 0o011)
    (folder / FILE_NAME).chmod(0o444)
    folder.chmod(rights)
    here, there = processes().Pipe(duplex=False)
    child = processes().Process(target=_as_nobody, args=(str(folder), there), daemon=True)
    child.start()
    assert here.poll(30)
    assert here.recv() == "machine-read-only"
    child.join(30)
    folder.chmod(0o700)
    (folder / FILE_NAME).chmod(0o600)
    assert content(folder) == before


async def test_a_newer_workspace_is_untouched(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    await make(folder, IDS)
    newer = sqlite3.connect(folder / FILE_NAME)
    newer.execute("PRAGMA user_version = 4000")
    newer.execute("CREATE TABLE from_the_future (x)")
    newer.commit()
    newer.close()
    before = content(folder)
    with pytest.raises(Trouble) as trouble:
        await open_local(folder)
    sentence(trouble.value, "machine-newer-file")
    assert content(folder) == before
    assert sorted(each.name for each in folder.iterdir()) == [FILE_NAME]


def _foreign(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (x)")
    other.commit()
    other.close()


def _text(path: Path) -> None:
    path.write_text("dear diary\n" * 1000)


def _torn(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xaa" * (len(whole) - 4096))


@pytest.mark.parametrize(
    ("harm", "code"),
    [(_foreign, "machine-foreign-file"), (_text, "machine-damaged"), (_torn, "machine-damaged")],
)
async def test_a_file_that_is_no_workspace(tmp_path: Path, harm: Callable[[Path], None], code: str) -> None:
    folder = tmp_path / "w"
    if harm is _torn:
        await make(folder, IDS)
    else:
        folder.mkdir()
    harm(folder / FILE_NAME)
    before = content(folder)
    with pytest.raises(Trouble) as trouble:
        await open_local(folder)
    sentence(trouble.value, code)
    assert content(folder)[FILE_NAME] == before[FILE_NAME]


async def test_damage_that_only_a_later_read_meets(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    await make(folder, IDS)
    file = sqlite3.connect(folder / FILE_NAME)
    (root,) = file.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'run_documents'").fetchone()
    (size,) = file.execute("PRAGMA page_size").fetchone()
    file.close()
    with (folder / FILE_NAME).open("r+b") as raw:
        raw.seek((root - 1) * size)
        raw.write(b"\xff" * size)
    bench, _ = await open_local(folder)
    with pytest.raises(Trouble) as trouble:
        await bench.runs.get(IDS[0])
    sentence(trouble.value, "machine-damaged")
    assert len((await bench.runs.list(RunFilter(), limit=100)).data) == len(IDS)
    await bench.close()


async def test_a_file_that_somebody_holds(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    await make(folder, IDS)
    bench, _ = await open_local(folder, busy_seconds=0.05)
    # Another program; in the same process SQLite's locks tell connections apart just as well.
    holder = sqlite3.connect(folder / FILE_NAME, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(Trouble) as trouble:
        await bench.judgments.add(verdict_on(IDS[0], "a", "yes"))
    sentence(trouble.value, "machine-locked")
    assert trouble.value.retry_after is not None
    assert len((await bench.runs.list(RunFilter(), limit=100)).data) == len(IDS), "reading goes on"
    holder.execute("ROLLBACK")
    await bench.judgments.add(verdict_on(IDS[0], "a", "yes"))
    holder.close()
    await bench.close()
    assert broken(folder) == []


async def test_a_new_file_that_somebody_holds(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).touch()
    holder = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(Trouble) as trouble:
        await open_local(tmp_path, busy_seconds=0.05)
    sentence(trouble.value, "machine-locked")
    holder.close()


async def test_a_network_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/vda / ext4 rw 0 0\nserver:/x {tmp_path}/net nfs4 rw 0 0\n")
    monkeypatch.setattr(filesystem, "MOUNTS", mounts)
    with pytest.raises(Trouble) as trouble:
        await open_local(tmp_path / "net" / "w")
    sentence(trouble.value, "machine-network-file-system")
    assert "nfs4" in trouble.value.sentence
    assert not (tmp_path / "net" / "w" / FILE_NAME).exists()
    bench, _ = await open_local(tmp_path / "disk" / "w")
    await bench.close()


async def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "w").write_text("mine")
    for folder in (tmp_path / "w", tmp_path / "w" / "deeper"):
        with pytest.raises(Trouble) as trouble:
            await open_local(folder)
        assert trouble.value.code.startswith("machine-")
    assert (tmp_path / "w").read_text() == "mine"
