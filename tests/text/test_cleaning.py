import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import get_character_cell_size

from kindgi_tui.text import clean, one_line, width
from kindgi_tui.text.characters import MARKS_PER_LETTER, SUSPECT, Kind, kind
from tests.hostile import corpus

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
"""Any code points at all, lone surrogates and controls among them."""

NASTY_TEXT = st.lists(
    st.one_of(
        st.sampled_from(
            [
                *"\x1b\x00\x7f\x9b\n\r\t \u200d\u200c\ufe0f\ufe0e\u0301\u0489\u202e\ud800👩❤1⃣\U0001f3fb\U0001f3f4aé日ا"
                "\u1161\U000e0100\u2028◌›‹"
            ]
        ),
        st.sampled_from(["\r\n", "👩\u200d🚀", "‹+2 marks›", corpus.strings()["flag of England"]]),
    ),
    max_size=40,
).map("".join)

CORPUS = sorted(corpus.strings().items())


def assert_shown_safely(text: str, newlines: bool = True) -> None:
    corpus.assert_clean_bytes(text.encode("utf-8"))
    assert newlines or "\n" not in text
    assert text.replace("\n", "").isascii() or all(
        kind(c) is not Kind.SIGN or c == "\u200d" or _tag(c) or _newer(c) for c in text if c != "\n"
    )


def _newer(character: str) -> bool:
    """A place among characters that take room, which a Unicode newer than this Python's may have filled."""
    return unicodedata.category(character) == "Cn" and SUSPECT.search(character) is None


def _tag(character: str) -> bool:
    return 0xE0020 <= ord(character) <= 0xE007F


@pytest.mark.parametrize(("name", "text"), CORPUS, ids=[name for name, _ in CORPUS])
def test_the_corpus_is_shown_safely_and_stays_as_it_is_when_cleaned_again(name: str, text: str) -> None:
    shown = clean(text)
    assert_shown_safely(shown)
    assert clean(shown) == shown
    assert_shown_safely(clean(text, newlines=False), newlines=False)
    assert_shown_safely(one_line(text, 30), newlines=False)
    assert width(one_line(text, 30)) <= 30


@given(st.one_of(ANY_TEXT, NASTY_TEXT), st.booleans())
def test_any_text_is_shown_safely_and_cleaning_is_idempotent(text: str, newlines: bool) -> None:
    shown = clean(text, newlines=newlines)
    assert_shown_safely(shown, newlines)
    assert clean(shown, newlines=newlines) == shown


@given(st.one_of(ANY_TEXT, NASTY_TEXT), st.integers(0, 70))
def test_a_limit_is_kept_and_the_rest_is_counted(text: str, limit: int) -> None:
    shown = clean(text, limit)
    assert_shown_safely(shown)
    assert len(shown) <= limit
    assert clean(shown, limit) == shown == clean(shown)
    if len(clean(text)) <= limit:
        assert shown == clean(text)


@given(st.one_of(ANY_TEXT, NASTY_TEXT), st.integers(0, 30))
def test_one_line_fits(text: str, cells: int) -> None:
    line = one_line(text, cells)
    assert_shown_safely(line, newlines=False)
    assert width(line) <= cells


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E)))
def test_plain_text_is_not_touched(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("a\0b\x7f", "a␀b␡"),
        ("\x9b31m", "‹U+009B›31m"),
        ("a\u202eb", "a‹U+202E›b"),
        ("a\u200bb\u200cc\u200dd", "a‹U+200B›b‹U+200C›c‹U+200D›d"),
        ("\ud800", "‹U+D800›"),
        ("\u2028", "‹U+2028›"),
        ("a\tb", "a    b"),
        ("a\r\nb\rc", "a\nb␍c"),
        ("\u0301x", "◌\u0301x"),
        ("a\n\u0301", "a\n◌\u0301"),
        ("z" + "\u0301" * 6, "z" + "\u0301" * 5 + "‹+1 mark›"),
        ("z" + "\u0301" * 17 + "y", "z" + "\u0301" * 5 + "‹+12 marks›y"),
        ("\U0001f3fb", "‹U+1F3FB›"),
        ("[/INST] [@click=app.quit]x[/]", "[/INST] [@click=app.quit]x[/]"),
    ],
)
def test_signs(text: str, shown: str) -> None:
    assert clean(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        corpus.strings()["emoji family"],
        corpus.strings()["flag of England"],
        corpus.strings()["persian non-joiner"],
        corpus.strings()["rtl"],
        corpus.strings()["looks cleaned"],
        "Đặng Thị Ngọc Hân",
        unicodedata.normalize("NFD", "Đặng Thị Ngọc Hân, café, Ångström"),
        "हिन्दी ไทยที่ தமிழ் 한국어 " + unicodedata.normalize("NFD", "한국어"),
        "✓ ✔\ufe0f ⚠\ufe0e ©\ufe0f ☎",
    ],
)
def test_what_people_write_stays(text: str) -> None:
    assert clean(text) == text


def test_no_newlines_shows_a_sign() -> None:
    assert clean("a\nb", newlines=False) == "a␊b"


def test_the_limit_counts_characters_of_the_original() -> None:
    assert clean("x" * 100, 20) == "x" * 10 + "… 90 more"
    assert clean("x" * 20, 20) == "x" * 20
    assert clean("\x9b" * 10, 26) == "‹U+009B›" * 2 + "… 8 more"
    assert clean("abcdef", 2) == "…"
    assert clean("abcdef", 0) == ""
    assert clean("\n".join("ab\r" for _ in range(3000)), 30).endswith("more")


def test_an_endless_emoji_sequence_takes_the_room_it_shows() -> None:
    shown = clean("\u200d".join(["👩"] * 500))
    assert shown.count("👩") == 500
    assert width(shown) > 500


def test_nothing_that_takes_no_room_is_kept_without_a_count() -> None:
    """A character Rich draws without a cell is counted, judged by its neighbours or shown as a sign."""
    free = {Kind.MARK, Kind.SELECTOR, Kind.TONE, Kind.NON_JOINER, Kind.SIGN}
    assert [
        hex(c)
        for c in range(0x20, 0x110000)
        if get_character_cell_size(chr(c)) == 0 and kind(chr(c)) not in free
    ] == []


def test_what_is_not_looked_at_is_harmless() -> None:
    """Characters that `clean` passes over take room, are printable or unassigned, and are no non-characters."""
    plain = [chr(c) for c in range(0x110000) if SUSPECT.search(chr(c)) is None]
    assert len(plain) > 40_000
    assert {unicodedata.category(c)[0] for c in plain} <= set("LNPSZC")
    assert {unicodedata.category(c) for c in plain if unicodedata.category(c)[0] in "CZ"} == {"Cn", "Zs"}
    assert [hex(ord(c)) for c in plain if get_character_cell_size(c) == 0] == []


def test_stacks_never_grow_beyond_the_cap() -> None:
    for text in corpus.strings().values():
        run = 0
        for character in clean(text):
            run = run + 1 if kind(character) is Kind.MARK else 0
            assert run <= MARKS_PER_LETTER


def test_a_long_line_is_only_looked_at_as_far_as_it_is_shown() -> None:
    class Counting(str):
        """A string that says how much of it was asked for."""

        asked = 0

        def __getitem__(self, key: object) -> str:
            assert isinstance(key, slice)
            part = str.__getitem__(self, key)
            Counting.asked += len(part)
            return part

    line = Counting(corpus.long_line())
    assert clean(line, 1_000).endswith(" more")
    assert width(one_line(line, 80)) == 80
    assert Counting.asked < 10_000


def test_one_line_folds_blanks() -> None:
    assert one_line("  a\n\n b\t c \r\n") == "a b c"
    assert one_line("a\nb\x1b") == "a b␛"
    assert one_line("abcdef", 4) == "abc…"
    assert one_line(" " * 10_000 + "x", 5) == "…"
    assert one_line("日本語", 4) == "日…"
    assert one_line("x", 0) == ""
