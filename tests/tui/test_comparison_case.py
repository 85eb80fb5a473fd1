"""How a case reads: answers beside each other, sentences, calls, hostile words; and all three screens at odd sizes."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.comparisons import CaseResult, ToolTrace
from kindgi_tui.text import width
from kindgi_tui.tui.screens.case import blocks
from kindgi_tui.tui.screens.case.screen import CaseScreen
from kindgi_tui.tui.screens.comparison.screen import ComparisonScreen
from kindgi_tui.tui.screens.comparisons.screen import ComparisonsScreen
from kindgi_tui.tui.widgets.text_pane import Block, Run
from tests.hostile.corpus import assert_clean_bytes, strings
from tests.session.comparing import docs_of, make_compared
from tests.tui.conftest import running, shown, until
from tests.workspaces import copy_workspace


def words_of(shown_blocks: list[Block | Run]) -> str:
    return "\n".join(
        block.text if isinstance(block, Block) else "".join(words for words, _ in block.pieces)
        for block in shown_blocks
    )


def test_answers_are_marked_word_by_word_on_both_sides() -> None:
    told = blocks.answers("Open the door and wait", "Open the window and wait")
    assert [words for words, style in told.before if style == "removed"] == ["door"]
    assert [words for words, style in told.now if style == "added"] == ["window"]
    assert told.note == "what changed is marked"
    assert blocks.answers("same", "same").note == "the same"
    assert blocks.answers("abc def", "uvw xyz").note == "rewritten"
    assert blocks.answers(None, {"a": 1}).before == (("(none)", "dim"),)
    assert "(none)" in words_of(blocks.answer_blocks(blocks.answers("x", None), "1", "2", 80))


def test_answers_stand_under_or_beside_each_other_and_lines_with_changes_have_a_sign() -> None:
    told = blocks.answers("first line\nred apples", "first line\ngreen apples\nand more")
    under = words_of(blocks.answer_blocks(told, "a 1", "a 2", 60)).splitlines()
    assert under == [
        "Recorded · a 1 · what changed is marked", "  first line", "− red apples", "", "New · a 2", "  first line",
        "+ green apples", "+ and more",
    ]  # fmt: skip
    beside = words_of(blocks.answer_blocks(told, "a 1", "a 2", 120)).splitlines()
    assert len(beside) == 4
    assert all(line[58:61] == " │ " for line in beside)
    assert beside[2].split(" │ ") == ["− red apples".ljust(58), "+ green apples"]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.text(alphabet="ab 日\n-é", max_size=30), st.sampled_from(["", "added"])), max_size=6
    ),
    st.integers(4, 20),
)
def test_wrapping_keeps_words_and_styles(styled: list[tuple[str, str]], cells: int) -> None:
    rows = blocks.wrapped(tuple(styled), cells)
    assert all(sum(width(words) for words, _ in row) <= cells for row in rows)
    for style in ("", "added"):
        given_words = "".join(words for words, own in styled if own == style)
        kept = "".join(words for row in rows for words, own in row if own == style)
        assert kept.replace(" ", "") == given_words.replace(" ", "").replace("\n", "")


def test_errors_and_stopped_cases_in_words() -> None:
    stopped = CaseResult.read({"caseId": "c", "stopped": {"toolId": "acme.log", "arguments": {"a": 1}}})
    told = words_of(blocks.trouble_blocks(stopped, None))
    assert "It stopped at a tool call the replay refused: it would have called acme.log with" in told
    assert "there's no output to rate" in told
    assert words_of(
        blocks.trouble_blocks(CaseResult.read({"caseId": "c", "error": "No model."}), None)
    ).startswith("✗ This case failed: No model.")
    assert "This repetition failed: Slow." in words_of(
        blocks.trouble_blocks(CaseResult.read({"caseId": "c"}), "Slow.")
    )
    assert blocks.trouble_blocks(CaseResult.read({"caseId": "c"}), None) == []


def test_calls_say_where_their_results_came_from() -> None:
    calls = [
        ToolTrace(source="recorded", tool_id="a.read", arguments={"q": "x"}),
        ToolTrace(source="live", tool_id="a.read", tool_version="1.0.0"),
        ToolTrace(source="live", tool_id="a.sum", recomputed=True),
        ToolTrace(source="refused", tool_id="a.write", reason="replay: no recorded result"),
        *[ToolTrace(source="recorded", tool_id="a.more")] * 100,
    ]
    lines = words_of(blocks.call_blocks(calls)).splitlines()
    assert lines[2:7] == [
        '  = recorded a.read {"q":"x"}', "  ~ live a.read 1.0.0 null", "  ≈ recomputed a.sum null",
        "  ✗ refused a.write null", "replay: no recorded result",
    ]  # fmt: skip
    assert lines[-1] == "  … 4 more"
    assert blocks.call_blocks([]) == []


def test_calls_of_a_later_repetition_come_from_its_run() -> None:
    result = CaseResult.read({"caseId": "c", "tools": [{"source": "recorded", "toolId": "first"}]})
    output: Json = {"replay": {"tools": [{"source": "live", "toolId": "later"}, "odd"]}}
    assert [call.tool_id for call in blocks.traces(result, output, 0)] == ["first"]
    assert [call.tool_id for call in blocks.traces(result, output, 1)] == ["later"]
    for odd in (None, {}, {"replay": 3}, {"replay": {"tools": "x"}}):
        assert blocks.traces(result, odd, 1) == ()  # type: ignore[arg-type]


def test_hostile_words_are_shown_as_signs() -> None:
    for text in strings().values():
        result = CaseResult.read({"caseId": text, "stopped": {"toolId": text, "arguments": {text: text}}})
        call = ToolTrace(source=text, tool_id=text, tool_version=text, arguments={text: text}, reason=text)
        told = words_of(
            [
                *blocks.answer_blocks(blocks.answers(text, {"a": text}), "1", "2", 120),
                *blocks.trouble_blocks(result, text), *blocks.call_blocks([call]),
            ]
        )  # fmt: skip
        assert_clean_bytes(told.replace("\n", "").encode("utf-8"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo with a comparison in which every word from outside is hostile, made once."""
    folder = tmp_path_factory.mktemp("demo") / "workspace"
    asyncio.run(make_compared(folder))
    asyncio.run(_spoil(folder))
    return folder


async def _spoil(folder: Path) -> None:
    words = "".join(
        strings()[name]
        for name in ("sgr", "osc 52 clipboard", "textual markup", "model markup", "bidi override")
    )
    words += strings()["lone surrogates"] + "\n" + strings()["wide"]

    def spoil(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: spoil(child) for key, child in value.items()}
        if isinstance(value, list):
            return [spoil(child) for child in value]
        return f"{value} {words}" if isinstance(value, str) and " " in value else value

    def write(connection: Any) -> None:
        for table, column in (("comparisons", "result"), ("cases", "document"), ("run_documents", "output")):
            rows = connection.execute(f"SELECT rowid, {column} FROM {table}" if table != "cases" else
                                      "SELECT rowid, document FROM cases").fetchall()  # fmt: skip
            for rowid, text in rows:
                if text is not None:
                    connection.execute(
                        f"UPDATE {table} SET {column} = ? WHERE rowid = ?",
                        (json.dumps(spoil(json.loads(text))), rowid),
                    )

    async with docs_of(folder) as docs:
        await docs.access.database.write(write)


@pytest.mark.parametrize("size", [(40, 10), (60, 16), (80, 24), (120, 40), (160, 48), (200, 60)])
async def test_hostile_data_in_every_screen_at_every_size(
    made: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    folder = tmp_path / "workspace"
    copy_workspace(made, folder)
    async with running(folder, size, screen="ComparisonsScreen", start="comparisons", project="docs") as (
        app,
        pilot,
    ):

        def look() -> None:
            text = shown(app.screen)
            assert_clean_bytes(text.replace("\n", "").encode("utf-8"))
            assert all(width(line) <= size[0] for line in text.splitlines())

        screen = app.screen
        assert isinstance(screen, ComparisonsScreen)
        await until(lambda: screen.rows.count == 1, pilot)
        look()
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ComparisonScreen) and app.screen.rows.count == 3, pilot)
        await pilot.pause()
        look()
        assert app.screen.rows.size.height >= 1  # type: ignore[attr-defined]
        await pilot.press("w")
        await pilot.pause()
        look()
        await pilot.press("w", "enter")
        await until(lambda: isinstance(app.screen, CaseScreen) and app.screen.rows.count, pilot)
        await pilot.pause()
        look()
        assert app.screen.rows.size.height >= 1  # type: ignore[attr-defined]
        for key in ("tab", "space", "w", "w", "j", "right_square_bracket"):
            await pilot.press(key)
            await pilot.pause()
            look()
        await pilot.resize_terminal(size[1] * 2, size[0] // 3 + 4)
        await pilot.pause()
        assert isinstance(app.screen, CaseScreen)
