"""A backup is one moment of the workspace, also while others write."""

import asyncio
import errno
import os
import sqlite3
import stat
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.local.workbench import FILE_NAME, LocalWorkbench, open_local
from kindgi_tui.storage.sqlite import Trouble
from kindgi_tui.workbench import Conflict, WorkbenchError
from tests.faults.judging import broken, judge_for_ever, make, processes


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


async def test_a_backup_opens_as_a_workspace(bench: LocalWorkbench, tmp_path: Path) -> None:
    project = await bench.projects.add("Kept")
    copy = tmp_path / "copies" / FILE_NAME
    copy.parent.mkdir()
    await bench.backup(copy)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert [each.name for each in copy.parent.iterdir()] == [FILE_NAME]
    again, made = await open_local(copy.parent)
    assert not made
    assert (await again.projects.get("Kept")) == project
    await again.close()


async def test_a_file_that_is_there_is_never_replaced(bench: LocalWorkbench, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    for path in (tmp_path / "mine", tmp_path, tmp_path / "w" / FILE_NAME):
        with pytest.raises(Conflict) as refused:
            await bench.backup(path)
        assert refused.value.code == "backup-exists"
    assert (tmp_path / "mine").read_text() == "mine"


async def test_a_file_that_comes_meanwhile_is_never_replaced(
    bench: LocalWorkbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "exists", lambda self: False)
        with pytest.raises(Conflict):
            await bench.backup(mine)
    assert mine.read_text() == "mine"
    assert names(tmp_path) == ["mine", "w"]


async def test_a_disk_without_links(
    bench: LocalWorkbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(source: object, target: object) -> None:
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", no_links)
    await bench.backup(tmp_path / "copy.db")
    assert names(tmp_path) == ["copy.db", "w"]


async def test_a_folder_that_is_not_there(bench: LocalWorkbench, tmp_path: Path) -> None:
    with pytest.raises(Trouble) as trouble:
        await bench.backup(tmp_path / "missing" / "copy.db")
    assert trouble.value.code.startswith("machine-")
    with pytest.raises(WorkbenchError):
        await bench.backup(tmp_path / "w" / FILE_NAME / "copy.db")


async def test_backups_while_another_process_judges(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    ids = [f"run-{number:08d}" for number in range(20)]
    await make(folder, ids)
    pipe: tuple[Connection, Connection] = processes().Pipe(duplex=False)
    here, there = pipe
    child = processes().Process(
        target=judge_for_ever, args=(str(folder), ids, 7, "outside", there), daemon=True
    )
    child.start()
    try:
        assert here.poll(30)
        bench, _ = await open_local(folder)
        counts = []
        for number in range(5):
            copy = tmp_path / f"copy-{number}" / FILE_NAME
            copy.parent.mkdir()
            before = await bench.access.read(
                lambda c: c.execute("SELECT count(*) FROM judgments").fetchone()[0]
            )
            await bench.backup(copy)
            assert broken(copy.parent) == []
            plain = sqlite3.connect(copy)
            counts.append(plain.execute("SELECT count(*) FROM judgments").fetchone()[0])
            plain.close()
            assert counts[-1] >= before, "what was there before is in it"
            while here.poll():
                here.recv()
            await asyncio.sleep(0.05)
        assert counts == sorted(counts)
        assert counts[-1] > counts[0], "the other process stood still: this proves nothing"
        assert await bench.runs.count(RunFilter()) == len(ids)
        await bench.close()
    finally:
        child.kill()
        child.join(30)
