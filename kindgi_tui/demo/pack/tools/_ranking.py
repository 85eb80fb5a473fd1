"""How articles are ranked for a question: term scoring in the manner of BM25, the title counted three times.

The same words and articles always give the same order, on every machine: scores are rounded to nine
digits, and equal scores go by article id.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

TITLE_WEIGHT = 3
"""How many times a title's words count, beside the body's."""

SATURATION = 1.2
"""How soon a repeated word stops adding to the score (BM25's k1)."""

LENGTH_SHARE = 0.75
"""How much a long article is held back, from 0 (not at all) to 1 (BM25's b)."""

STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        a about after again all also am an and any are as at be been but by can could did do does doing for
        from get got had has have he her him his how i id if im in into is it its ive just like me my no not
        now of off on once only or our out please she so some than that the their them then there they this
        to too u until up us was we were what when where which who why will with would yes you your yours
        """,
    )
)
"""Words that say nothing about a subject."""


def terms(text: str) -> list[str]:
    """The words of a text that count, in order: lower case, apostrophes dropped, endings cut."""
    words = re.findall(r"\w+", text.lower().replace("'", "").replace("\u2019", ""))
    return [_stem(word) for word in words if word not in STOP_WORDS]


def rank(query: str, articles: Sequence[Mapping[str, str]], limit: int) -> list[Mapping[str, str]]:
    """The `limit` articles (`id`, `title`, `body`) that match best, best first; never one without a match."""
    counted = [(article, Counter(_article_terms(article))) for article in articles]
    if not counted:
        return []
    average = sum(counts.total() for _, counts in counted) / len(counted)
    asked = list(dict.fromkeys(terms(query)))
    rarity = {term: _rarity(sum(term in counts for _, counts in counted), len(counted)) for term in asked}
    scored = []
    for article, counts in counted:
        held_back = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * counts.total() / average)
        score = sum(
            rarity[term] * counts[term] * (SATURATION + 1) / (counts[term] + held_back) for term in asked
        )
        if score > 0:
            scored.append((-round(score, 9), article["id"], article))
    scored.sort(key=lambda entry: entry[:2])
    return [article for _, _, article in scored[:limit]]


def _article_terms(article: Mapping[str, str]) -> list[str]:
    return terms(article["title"]) * TITLE_WEIGHT + terms(article["body"])


def _rarity(holding: int, total: int) -> float:
    return math.log(1 + (total - holding + 0.5) / (holding + 0.5))


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            stem = word[: -len(ending)]
            return stem + "y" if ending == "ies" else stem.removesuffix("e")
    return word.removesuffix("e") if len(word) > 3 else word
