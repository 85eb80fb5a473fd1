"""The only door for words an agent wrote: every face shows them through here (DESIGN section 13).

What changed between two texts is in `kindgi_tui.text.diffs`, imported by those who show it.
"""

from kindgi_tui.text.cleaning import clean, one_line
from kindgi_tui.text.encodings import for_encoding
from kindgi_tui.text.json_text import dumps_line, dumps_pretty, json_text
from kindgi_tui.text.widths import truncate_cells, width, wrap

__all__ = [
    "clean",
    "dumps_line",
    "dumps_pretty",
    "for_encoding",
    "json_text",
    "one_line",
    "truncate_cells",
    "width",
    "wrap",
]
