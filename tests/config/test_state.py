"""What is kept between starts, by several windows of one person on one workbench."""

import errno
from pathlib import Path

import pytest

from kindgi_tui.config.state import State
from kindgi_tui.session.correction_drafts import DRAFTS, CorrectionDrafts


def test_two_windows_keep_what_the_other_kept(tmp_path: Path) -> None:
    one, other = State("here", "mira", tmp_path), State("here", "mira", tmp_path)
    one.put("correct.drafts", {"run": "a text"})
    other.put("place", "test_sets")
    one.put("place", "runs")
    other.put("filter", "judged:yes")
    again = State("here", "mira", tmp_path)
    assert again.get("correct.drafts") == {"run": "a text"}
    assert (again.get("place"), again.get("filter")) == ("runs", "judged:yes")
    again.put("correct.drafts", None)
    assert State("here", "mira", tmp_path).get("correct.drafts") is None
    assert State("here", "jonas", tmp_path).get("place") is None


def test_two_windows_keep_each_others_drafts(tmp_path: Path) -> None:
    one = CorrectionDrafts(State("here", "mira", tmp_path))
    other = CorrectionDrafts(State("here", "mira", tmp_path))
    one.put("run-1", {"answer": "wrong"}, {"why": "it nev"})
    other.put("run-2", {"answer": "right"}, {})
    one.put("run-3", None, {})
    one.drop("run-3")
    again = CorrectionDrafts(State("here", "mira", tmp_path))
    assert again.get("run-1") == ({"answer": "wrong"}, {"why": "it nev"})
    assert again.get("run-2") == ({"answer": "right"}, {})
    assert again.get("run-3") is None
    again.drop("run-1")
    again.drop("run-2")
    assert State("here", "mira", tmp_path).get(DRAFTS) is None


@pytest.mark.parametrize("fault", ["no folder", "full"])
def test_what_cant_be_kept_is_told_once_and_kept_in_this_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    told: list[str] = []
    folder = tmp_path / "state"
    state = State("here", "mira", folder, told.append)
    if fault == "no folder":
        folder.write_text("a file stands there")
    else:

        def full(*words: object, **more: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr("kindgi_tui.config.state.json.dump", full)
    state.put("draft", "a te")
    state.put("draft", "a text")
    assert len(told) == 1
    assert "can't be kept for the next start" in told[0]
    assert str(folder) in told[0]
    assert state.get("draft") == "a text"
    if fault == "no folder":
        folder.unlink()
    else:
        # Nothing half-written stays beside it.
        assert [one.suffix for one in folder.iterdir()] == [".lock"]
        monkeypatch.undo()
    state.put("place", "runs")
    state.put("draft", "a text.")
    assert State("here", "mira", folder).get("draft") == "a text."
    if fault == "full":
        monkeypatch.setattr("kindgi_tui.config.state.json.dump", full)
        state.put("place", "judge")
        assert len(told) == 2


@pytest.mark.parametrize("content", ["", "{", "[1]", "nothing"])
def test_a_broken_file_is_empty_and_written_anew(tmp_path: Path, content: str) -> None:
    state = State("here", "mira", tmp_path)
    state.put("place", "runs")
    state.path.write_text(content)
    state.put("filter", "judged:no")
    again = State("here", "mira", tmp_path)
    assert (again.get("place"), again.get("filter")) == (None, "judged:no")
