"""The only door for words an agent wrote: every face shows them through here (DESIGN section 13)."""

from kindgi_tui.text.cleaning import clean, one_line
from kindgi_tui.text.diffs import JsonChange, Piece, json_diff, word_diff
from kindgi_tui.text.encodings import for_encoding
from kindgi_tui.text.json_text import dumps_line, dumps_pretty, json_text
from kindgi_tui.text.widths import truncate_cells, width, wrap

__all__ = [
    "JsonChange",
    "Piece",
    "clean",
    "dumps_line",
    "dumps_pretty",
    "for_encoding",
    "json_diff",
    "json_text",
    "one_line",
    "truncate_cells",
    "width",
    "word_diff",
    "wrap",
]
