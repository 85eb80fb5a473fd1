import asyncio
from pathlib import Path

from kindgi_tui.local.packs.watching import Changed, PublishedAgain, Refused, watch
from kindgi_tui.workbench import Invalid


async def test_publishes_now_and_on_every_save_once(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    stop = asyncio.Event()
    published: list[str] = []

    async def publish(folder: Path) -> str:
        text = (folder / "a.py").read_text()
        published.append(text)
        if text == "bad":
            raise Invalid("a.py is bad.")
        return text

    seen: list[Changed | PublishedAgain[str] | Refused] = []
    next_step = iter(["bad", "3"])
    async for event in watch(tmp_path, publish, stop, poll_seconds=0.02):
        seen.append(event)
        if isinstance(event, Changed):
            continue
        step = next(next_step, None)
        if step is None:
            stop.set()
        else:
            (tmp_path / "a.py").write_text(step)
    assert published == ["1", "bad", "3"]
    assert [type(each).__name__ for each in seen] == [
        "Changed",
        "PublishedAgain",
        "Changed",
        "Refused",
        "Changed",
        "PublishedAgain",
    ]
    assert all(each.paths == ("a.py",) for each in seen if isinstance(each, Changed))
    assert isinstance(seen[3], Refused) and seen[3].error.sentence == "a.py is bad."


async def test_caches_are_no_saves_and_a_folder_may_be_away(tmp_path: Path) -> None:
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / "a.py").write_text("1")
    stop = asyncio.Event()
    published = 0
    first = asyncio.Event()

    async def publish(folder: Path) -> None:
        nonlocal published
        published += 1
        first.set()

    async def follow() -> None:
        async for _ in watch(folder, publish, stop, poll_seconds=0.02):
            pass

    task = asyncio.ensure_future(follow())
    await asyncio.wait_for(first.wait(), 10)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "a.cpython-311.pyc").write_bytes(b"x")
    folder.rename(tmp_path / "away")
    await asyncio.sleep(0.2)
    (tmp_path / "away").rename(folder)
    await asyncio.sleep(0.2)
    assert published == 1
    stop.set()
    await asyncio.wait_for(task, 10)


async def test_a_save_that_keeps_the_size_is_a_save(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('version="0.1.0"')
    stop = asyncio.Event()
    seen: list[str] = []

    async def publish(folder: Path) -> str:
        return (folder / "a.py").read_text()

    async with asyncio.timeout(20):
        async for event in watch(tmp_path, publish, stop, poll_seconds=0.02):
            if isinstance(event, PublishedAgain):
                seen.append(event.result)
                if len(seen) == 2:
                    stop.set()
                else:
                    (tmp_path / "a.py").write_text('version="0.2.0"')
    assert seen == ['version="0.1.0"', 'version="0.2.0"']
