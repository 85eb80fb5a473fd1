"""Markdown drawn lightly: headings, lists, quotes, code and emphasis become styles, everything else stays as it is.

Nothing is left out but the marks themselves, and no link, image or HTML becomes anything but text.
"""

import re
from collections.abc import Iterator

from kindgi_tui.tui.widgets.text_pane import Block, Flow, Part

_HEADING = re.compile(r"(#{1,6}) +(.*?)(?: +#+)?$")
_ITEM = re.compile(r"( *)([-*+]|\d{1,4}[.)]) +(?=\S)")
_FENCE = re.compile(r" {0,3}(```+|~~~+)([^`]*)$")
_QUOTE = re.compile(r" {0,3}> ?")
_INLINE = re.compile(
    r"(`+)(?P<code>(?:(?!\1).){1,300}?)\1"
    r"|(?P<mark>\*\*|__)(?=\S)(?P<strong>.{1,300}?)(?<=\S)(?P=mark)"
    r"|(?<![\w*])\*(?=[^\s*])(?P<em>[^*]{1,300}?)(?<=\S)\*(?![\w*])"
)


LONGEST = 20_000
"""Emphasis is looked for in lines of at most so many characters: what an agent wrote may be made to take forever."""


def markdown_parts(text: str, indent: int = 0, style: str = "") -> list[Part]:
    """Cleaned text as parts of a pane, moved `indent` cells to the right; `style` is that of plain words."""
    parts: list[Part] = []
    plain: list[str] = []
    fence = ""

    def flush() -> None:
        if plain:
            parts.append(Flow(tuple(_inline("\n".join(plain), style)), indent))
            plain.clear()

    for line in text.split("\n"):
        fenced = _FENCE.match(line)
        if fence:
            if fenced is not None and fenced[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            else:
                parts.append(Block(line, "key", indent + 2))
            continue
        if fenced is not None:
            flush()
            fence = fenced[1]
            if fenced[2].strip():
                parts.append(Block(fenced[2].strip(), "dim", indent + 2))
            continue
        heading, item, quote = _HEADING.match(line), _ITEM.match(line), _QUOTE.match(line)
        if heading is not None:
            flush()
            parts.append(Flow(tuple(_inline(heading[2], "strong")), indent))
        elif item is not None:
            flush()
            sign = "•" if item[2] in "-*+" else item[2]
            deeper = indent + min(len(item[1]), 12)
            words = ((f"{sign} ", "key"), *_inline(line[item.end() :], style))
            parts.append(Flow(words, deeper, len(sign) + 1))
        elif quote is not None:
            flush()
            parts.append(Flow((("│ ", "dim"), *_inline(line[quote.end() :], "dim")), indent, 2))
        else:
            plain.append(line)
    flush()
    return parts


def _inline(text: str, style: str) -> Iterator[tuple[str, str]]:
    """Words with code and emphasis drawn; the styles of a pane have no italics, so that emphasis is bold too."""
    at = 0
    if len(text) > LONGEST:
        yield text, style
        return
    for found in _INLINE.finditer(text):
        if found.start() > at:
            yield text[at : found.start()], style
        code = found["code"]
        if code is not None:
            yield code, "key"
        else:
            yield found["strong"] or found["em"], "strong"
        at = found.end()
    if at < len(text):
        yield text[at:], style
