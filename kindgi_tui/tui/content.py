"""Words for the screen: whatever comes from outside becomes plain content here, and is never markup."""

from textual.content import Content

from kindgi_tui.text import clean, one_line


def plain(text: str, style: str = "", limit: int | None = 20_000) -> Content:
    """Words from outside over several lines, cleaned and capped at `limit` characters, in one style."""
    return Content.styled(clean(text, limit), style) if style else Content(clean(text, limit))


def line(text: str, cells: int = 500, style: str = "") -> Content:
    """Words from outside on one line of at most so many cells, in one style."""
    words = one_line(text, cells)
    return Content.styled(words, style) if style else Content(words)


def joined(*parts: Content) -> Content:
    """Pieces of content, one after another."""
    whole = Content("")
    for part in parts:
        whole = whole + part
    return whole
