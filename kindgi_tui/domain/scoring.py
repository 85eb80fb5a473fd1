"""The rules that decide every number a user sees, by the names the rest of the program calls them (DESIGN 4).

Each takes plain JSON values in the 0.1 wire's names, or our models, and gives frozen models.
"""

from kindgi_tui.domain.comparing import compare
from kindgi_tui.domain.matching import match_judged, with_fresh
from kindgi_tui.domain.rating import item_changes, score_items
from kindgi_tui.domain.rescoring import rescore
from kindgi_tui.domain.summing import build_cases, summarize_by_item

__all__ = [
    "build_cases",
    "compare",
    "item_changes",
    "match_judged",
    "rescore",
    "score_items",
    "summarize_by_item",
    "with_fresh",
]
