from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.text import clean, for_encoding, truncate_cells, width, wrap
from tests.hostile import corpus
from tests.text.test_cleaning import ANY_TEXT, NASTY_TEXT

CLEAN = st.one_of(ANY_TEXT, NASTY_TEXT).map(clean)


@given(CLEAN, st.integers(-1, 30))
def test_truncated_text_fits_and_is_a_start(text: str, cells: int) -> None:
    text = text.replace("\n", " ")
    cut = truncate_cells(text, cells)
    assert width(cut) <= max(cells, 0)
    assert cut == text or cells <= 0 or (cut.endswith("…") and text.startswith(cut[:-1]))
    assert clean(cut) == cut


@given(CLEAN, st.integers(2, 30))
def test_wrapped_lines_fit_and_keep_every_word(text: str, cells: int) -> None:
    lines = wrap(text, cells)
    assert all(width(line) <= cells for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "").replace("\n", "")
    assert all("\n" not in line for line in lines)


@given(CLEAN, st.integers(2, 30), st.integers(1, 5))
def test_some_lines_are_the_first_ones(text: str, cells: int, count: int) -> None:
    assert wrap(text, cells, lines=count) == wrap(text, cells)[:count]


def test_wrapping() -> None:
    assert wrap("hello  world this is a longwordhere ok", 10) == [
        "hello",
        "world this",
        "is a",
        "longwordhe",
        "re ok",
    ]
    assert wrap("", 10) == [""]
    assert wrap("a\n\nb\n", 10) == ["a", "", "b", ""]
    assert wrap("  indented code", 20) == ["  indented code"]
    assert wrap("日本語", 4) == ["日本", "語"]
    assert wrap("日", 1) == ["日"]
    assert wrap("a" * 26_000, 80)[0] == "a" * 80


def test_a_long_line_is_wrapped_only_as_far_as_it_is_shown() -> None:
    lines = wrap("x" * 20_000_000, 80, lines=50)
    assert len(lines) == 50
    assert wrap("é " * 10_000_000, 80, lines=2)[1].startswith("é é")


def test_widths_are_those_rich_draws() -> None:
    assert width("abc") == 3
    assert width("日本") == 4
    assert width("👨\u200d👩\u200d👧\u200d👦") == 2
    assert width("e\u0301") == 1


@given(
    CLEAN,
    st.sampled_from(
        [
            "ascii",
            "latin-1",
            "cp437",
            "shift_jis",
            "iso2022_jp",
            "utf-8",
            "utf-16",
            "koi8-r",
            "no such",
            "rot13",
        ]
    ),
)
def test_every_locale_can_show_it(text: str, encoding: str) -> None:
    shown = for_encoding(text, encoding)
    usable = encoding if encoding not in ("utf-16", "no such", "rot13") else "ascii"
    data = shown.encode(usable)
    assert not any((byte < 0x20 and byte != 0x0A) or byte == 0x7F for byte in data)
    assert for_encoding(shown, encoding) == shown


def test_plainer_characters() -> None:
    assert for_encoding("␛[31m ‹U+202E› … café 日", "ascii") == "^[[31m <U+202E> ... cafe <U+65E5>"
    assert for_encoding("café 日", "latin-1") == "café <U+65E5>"
    assert for_encoding("日本", "iso2022_jp") == "<U+65E5><U+672C>"
    assert for_encoding("日本", "shift_jis") == "日本"
    assert for_encoding("日本", "UTF-8") == "日本"


def test_the_corpus_in_ascii() -> None:
    for text in corpus.strings().values():
        corpus.assert_clean_bytes(for_encoding(clean(text), "ascii").encode("ascii"))
