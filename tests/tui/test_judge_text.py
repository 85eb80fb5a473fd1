"""How a run reads in Judge: Markdown drawn lightly, JSON folded, and no word of it lost or turned into anything."""

import re

from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.judging import QueueFilter, QueueProgress
from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.session.judging_sitting import Sitting
from kindgi_tui.text import clean
from kindgi_tui.tui.screens.judge.conversation import (
    FOLDED,
    OPEN,
    WHOLE,
    Reading,
    conversation_parts,
    prepare,
)
from kindgi_tui.tui.screens.judge.folded_json import folded_json
from kindgi_tui.tui.screens.judge.markdown import markdown_parts
from kindgi_tui.tui.screens.judge.rows import ending_parts
from kindgi_tui.tui.widgets.text_pane import Flow, Part, wrap_parts
from tests.hostile.corpus import documents, strings
from tests.tui.test_judge import ANSWER, listing


def lines(parts: list[Part], cells: int = 60) -> list[str]:
    return ["".join(words for words, _ in line) for line in wrap_parts(parts, cells)]


def styled(parts: list[Part]) -> set[tuple[str, str]]:
    return {piece for part in parts if isinstance(part, Flow) for piece in part.pieces}


def test_marks_become_styles() -> None:
    parts = markdown_parts(ANSWER + "1. one\n> quoted\n*soft* a*b*c 2 * 3 * 4 __hard__\n")
    assert {
        ("Refunds", "strong"),
        ("can", "strong"),
        ("30", "key"),
        ("soft", "strong"),
        ("hard", "strong"),
    } <= styled(parts)
    text = lines(parts)
    assert "• within 30 days" in text
    assert "  code **stays**" in text
    assert "1. one" in text
    assert "│ quoted" in text
    assert "soft a*b*c 2 * 3 * 4 hard" in text


@given(st.text(alphabet="ab *_`#>-1.\n~[]()", max_size=200), st.integers(8, 60))
def test_drawing_loses_no_letter(text: str, cells: int) -> None:
    parts = markdown_parts(clean(text))
    drawn = "".join(lines(parts, cells))
    assert re.findall("[ab]", drawn) == re.findall(
        "[ab]", text if "```" not in text and "~~~" not in text else drawn
    )
    assert all(len(line) <= max(cells, 30) + 12 for line in lines(parts, max(cells, 30)))


def test_what_is_made_to_take_forever_does_not() -> None:
    for unit in ("*", "`", "**a", "`a", "_", "*a ", "> ", "- ", "#"):
        assert lines(markdown_parts("x" + unit * 60_000))
        assert lines(markdown_parts((unit * 50 + "\n") * 1_000))


def test_json_is_folded_by_depth_and_length() -> None:
    value: Json = {"a": {"b": {"c": 1}}, "list": list(range(50)), "text": "x" * 1_000, "none": {}}
    assert folded_json(value, 0) == "{ 4 fields }"
    one = folded_json(value, 1)
    assert '"a": { 1 field }' in one
    assert '"list": [ 50 elements ]' in one
    assert '"none": {}' in one
    assert "more" in one
    assert len(one) < 600
    assert "… 10 more" in folded_json(value, 2)
    assert '"c": 1' in folded_json(value, 3)


def test_hostile_documents_are_read_at_every_fold() -> None:
    for document in [*documents().values(), *strings().values()]:
        output = {
            "appended": [{"role": "agent", "content": document}],
            "output": {"a": document, "b": document},
        }
        run: RunDetail = listing(1, "p", output=output, input=document)
        for fold in (FOLDED, OPEN, WHOLE):
            for drawn in (True, False):
                prepared = prepare(run, Reading(fold, drawn), 70)
                assert prepared.wrapped.lines
                for line in prepared.wrapped.lines[:2_000]:
                    for words, _ in line:
                        assert clean(words) == words
                        assert "\n" not in words


def test_the_text_begins_with_this_turn() -> None:
    context = {"history": [{"role": "user", "content": "long ago"}, {"role": "agent", "content": "yes"}]}
    run: RunDetail = listing(1, "p", context=context)
    before, turn = conversation_parts(run, Reading())
    prepared = prepare(run, Reading(), 60)
    assert prepared.top == len(wrap_parts(before, 60)) > 0
    first = "".join(words for words, _ in prepared.wrapped.lines[prepared.top])
    assert first == "User"
    assert any("long ago" in line for line in lines(before))
    assert not any("long ago" in line for line in lines(turn))


def test_the_end_counts_what_was_judged_in_all_only_where_somebody_counts_it() -> None:
    sitting = Sitting(query=QueueFilter(project_id="p"))
    for judged, told in ((0, "0 runs judged by you in all."), (1, "1 run judged"), (None, None)):
        end = ending_parts(sitting, 2, QueueProgress(left=0, items_left=0, skipped=0, judged=judged), None)
        words = "\n".join(lines(end))
        assert "You judged 2 items in this sitting." in words
        assert ("in all" in words) is (told is not None)
        assert told is None or told in words
