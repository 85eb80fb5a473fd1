"""Search in the text of runs: by words, or by any substring of three and more characters (DESIGN section 15).

Results are by the order of recording, newest first, so that a common word costs no more than its first page.
"""

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from unicodedata import ucd_3_2_0

from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.local.store.run_filters import row_conditions
from kindgi_tui.local.store.search_text import search_text, spoken_output
from kindgi_tui.local.store.values import load_json
from kindgi_tui.workbench import Invalid

INDEX_BATCH = 500
"""How many runs one step of `index_for_search` takes in."""

LONGEST = 1000
"""The longest text that is looked for, in characters."""

BEGINNINGS = range(3, 9)
"""How long a last word may be to be looked for as a beginning: for these the index has lists of their own.

Any other beginning would be put together from the lists of all its words first, for a common one 200 ms.
"""

_PIECES = 64
_NEWEST = 2**61


@dataclass(frozen=True)
class Found:
    """A run that a search found."""

    run: int
    """Its row number."""
    by_words: bool
    """Whether it was found by its words; else by a substring. All of a search's pages find by the same."""

    @property
    def key(self) -> int:
        """What the next page is asked with."""
        return self.run * 2 + self.by_words


def index_for_search(connection: sqlite3.Connection) -> bool:
    """Takes the next runs into the search, in the order of recording; False when all are in it.

    A batch at a time, when a search or an import asks for it, so that recording a run costs nothing.
    """
    start = int(connection.execute("SELECT indexed FROM search_state").fetchone()[0])
    rows = connection.execute(
        "SELECT run, input, output FROM run_documents WHERE run > ? ORDER BY run LIMIT ?",
        (start, INDEX_BATCH),
    ).fetchall()
    if not rows:
        return False
    texts = [(seq, _text(given, output)) for seq, given, output in rows]
    connection.executemany("INSERT INTO run_words (rowid, text) VALUES (?, ?)", texts)
    connection.executemany("INSERT INTO run_trigrams (rowid, text) VALUES (?, ?)", texts)
    connection.execute("UPDATE search_state SET indexed = ?", (rows[-1][0],))
    return True


def search_is_behind(connection: sqlite3.Connection) -> bool:
    """Whether some runs are not in the search yet."""
    row = connection.execute(
        "SELECT (SELECT ifnull(max(run), 0) FROM run_documents) > (SELECT indexed FROM search_state)"
    ).fetchone()
    return bool(row[0])


def _text(given: str, output: str | None) -> str:
    return search_text(load_json(given), *([] if output is None else spoken_output(load_json(output))))


def search_runs(
    connection: sqlite3.Connection, query: RunFilter, text: str, limit: int, after: int | None
) -> list[Found]:
    """The newest runs that match, or those after the key of an earlier page's last. Raises Invalid.

    Words are looked up as words, a last one of 3 to 8 characters as a beginning too; where that finds nothing, or
    when the text is quoted or is more than words, it is looked up as a substring. Case makes no difference.
    """
    wanted, words = _wanted(text)
    before = _NEWEST if after is None else after // 2
    if words and (after is None or after % 2):
        match = _words_match(words)
        found = [
            Found(row[0], True) for row in _indexed(connection, query, "run_words", match, before, limit)
        ]
        if found or after is not None:
            return found
    if len(wanted) < 3:
        return _nothing(words)
    return [
        Found(seq, False) for seq in itertools.islice(_substrings(connection, query, wanted, before), limit)
    ]


def count_matches(connection: sqlite3.Connection, query: RunFilter, text: str) -> int:
    """How many runs match in all. Raises Invalid."""
    wanted, words = _wanted(text)
    if words:
        branch = row_conditions(connection, query)
        where, values = branch.where()
        count = connection.execute(
            "SELECT count(*) FROM run_words CROSS JOIN runs r ON r.seq = run_words.rowid "
            f"WHERE run_words MATCH ? AND {where}",
            (_words_match(words), *values),
        ).fetchone()[0]
        if count:
            return int(count)
    if len(wanted) < 3:
        return len(_nothing(words))
    return sum(1 for _ in _substrings(connection, query, wanted, _NEWEST))


def _nothing(words: list[str]) -> list[Found]:
    if not words:
        raise Invalid("A search needs a word, or three characters and more.", field="text")
    return []


def _wanted(text: str) -> tuple[str, list[str]]:
    """The text as the indexed texts are written, and its words; no words where it shall be a substring."""
    if len(text) > LONGEST:
        raise Invalid(f"A search has at most {LONGEST} characters.", field="text")
    wanted = search_text(text).strip()
    if len(wanted) > 2 and wanted[0] == wanted[-1] == '"':
        return wanted[1:-1], []
    words = wanted.split()
    return wanted, words if all(map(_is_word, words)) else []


def _is_word(part: str) -> bool:
    """Whether SQLite's tokenizer too takes this for one word: letters and digits of an early Unicode alone."""
    return all(ucd_3_2_0.category(character)[0] in "LN" for character in part)


def _words_match(words: list[str]) -> str:
    quoted = [f'"{word}"' for word in words]
    return " AND ".join(quoted) + ("*" if len(words[-1]) in BEGINNINGS else "")


def _substrings(connection: sqlite3.Connection, query: RunFilter, wanted: str, before: int) -> Iterator[int]:
    pieces = list(dict.fromkeys(wanted[start : start + 3] for start in range(len(wanted) - 2)))[:_PIECES]
    match = " AND ".join('"' + piece.replace('"', '""') + '"' for piece in pieces)
    if len(pieces) == 1:
        yield from (row[0] for row in _indexed(connection, query, "run_trigrams", match, before, -1))
        return
    folded = wanted.casefold()
    may_hold = _sieve(wanted)
    # The index knows which pieces of three a run has; whether they stand together, its text says.
    for seq, given, output in _indexed(connection, query, "run_trigrams", match, before, -1, documents=True):
        likely = may_hold(given) or (output is not None and may_hold(output))
        if likely and folded in _text(given, output).casefold():
            yield seq


def _sieve(wanted: str) -> Callable[[str], bool]:
    """Sorts out the stored JSON of most runs without this text; reading it as JSON costs ten times as much."""
    if not wanted.isascii() or not wanted.isprintable() or '"' in wanted or "\\" in wanted:
        return lambda _: True
    lower = wanted.lower()
    # In the searched text a space may stand for a NUL, and a question mark for half a character.
    others = [escape for sign, escape in ((" ", "\\u0000"), ("?", "\\ud")) if sign in wanted]
    # Letters that are written like plain ones when case is set aside: a long s, a Kelvin sign.
    others += [escape for sign, escape in (("s", "\\u017f"), ("k", "\\u212a")) if sign in lower]
    return lambda document: lower in document.lower() or any(escape in document for escape in others)


def _indexed(
    connection: sqlite3.Connection,
    query: RunFilter,
    index: str,
    match: str,
    before: int,
    limit: int,
    documents: bool = False,
) -> Iterator[tuple[int, str, str | None]]:
    where, values = row_conditions(connection, query).where()
    columns, joined = f"{index}.rowid, '', NULL", ""
    if documents:
        columns = f"{index}.rowid, d.input, d.output"
        joined = f"CROSS JOIN run_documents d ON d.run = {index}.rowid"
    yield from connection.execute(
        f"SELECT {columns} FROM {index} CROSS JOIN runs r ON r.seq = {index}.rowid {joined} "
        f"WHERE {index} MATCH ? AND {index}.rowid < ? AND {where} ORDER BY {index}.rowid DESC LIMIT ?",
        (match, before, *values, limit),
    )
