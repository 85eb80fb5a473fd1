"""Search in the text of runs: by words, or by any substring of three and more characters (DESIGN section 15).

Results are by the order of recording, newest first, so that a common word costs no more than its first page.
"""

import json
import re
import sqlite3
from collections.abc import Iterator

from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.local.store.run_filters import branches
from kindgi_tui.local.store.search_text import search_text, spoken_output
from kindgi_tui.local.store.values import load_json
from kindgi_tui.workbench import Invalid

INDEX_BATCH = 500
"""How many runs one step of `index_for_search` takes in."""

_WORD = re.compile(r"\w+")
_PIECES = 64


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
    connection: sqlite3.Connection, query: RunFilter, text: str, limit: int, before: int | None
) -> list[int]:
    """The row numbers of the newest runs that match, below `before`. Raises Invalid.

    Words are looked up as words (the last one as a beginning); where that finds nothing, or when the text is
    quoted or is more than words, it is looked up as a substring. Upper and lower case are the same.
    """
    found: list[int] = []
    for seq in _matches(connection, query, text, before, limit):
        found.append(seq)
        if len(found) == limit:
            break
    return found


def count_matches(connection: sqlite3.Connection, query: RunFilter, text: str) -> int:
    """How many runs match in all. Raises Invalid."""
    return sum(1 for _ in _matches(connection, query, text, None, -1))


def _matches(
    connection: sqlite3.Connection, query: RunFilter, text: str, before: int | None, limit: int
) -> Iterator[int]:
    wanted = text.strip()
    quoted = len(wanted) > 2 and wanted.startswith('"') and wanted.endswith('"')
    substring = wanted[1:-1] if quoted else wanted
    words = _WORD.findall(wanted)
    if not quoted and words and all(part.isalnum() for part in wanted.split()):
        whole = " AND ".join(f'"{word}"' for word in words[:-1])
        last = f'"{words[-1]}"' + ("*" if len(words[-1]) > 2 else "")
        match = f"{whole} AND {last}" if whole else last
        if (
            next(_indexed(connection, query, "run_words", match, None, 1), None) is not None
            or len(substring) < 3
        ):
            yield from _indexed(connection, query, "run_words", match, before, limit)
            return
    if len(substring) < 3:
        raise Invalid("A search needs a word, or three characters and more.", field="text")
    yield from _substrings(connection, query, substring, before)


def _substrings(
    connection: sqlite3.Connection, query: RunFilter, wanted: str, before: int | None
) -> Iterator[int]:
    pieces = list(dict.fromkeys(wanted[start : start + 3] for start in range(len(wanted) - 2)))[:_PIECES]
    match = " AND ".join('"' + piece.replace('"', '""') + '"' for piece in pieces)
    folded = wanted.casefold()
    # The index knows which pieces of three a run has; whether they stand together, its text says.
    for seq in _indexed(connection, query, "run_trigrams", match, before, -1):
        given, output = connection.execute(
            "SELECT input, output FROM run_documents WHERE run = ?", (seq,)
        ).fetchone()
        if len(pieces) == 1 or folded in _text(given, output).casefold():
            yield seq


def _indexed(
    connection: sqlite3.Connection, query: RunFilter, index: str, match: str, before: int | None, limit: int
) -> Iterator[int]:
    parts = branches(connection, query.model_copy(update={"text": None, "segments": ()}))
    wheres = [branch.where() for branch in parts]
    if not wheres:
        return
    segments = query.segments
    path = "1"
    path_values: list[object] = []
    if segments:
        path = (
            "EXISTS (SELECT 1 FROM run_paths rp JOIN paths ON paths.seq = rp.path WHERE rp.run = r.seq "
            "AND rp.project = r.project AND rp.is_replay = r.is_replay AND rp.created = r.created "
            "AND paths.path = ?)"
        )
        path_values = [json.dumps([[part.key, part.value] for part in segments], separators=(",", ":"))]
    either = " OR ".join(f"({where})" for where, _ in wheres)
    values = [value for _, some in wheres for value in some]
    rows = connection.execute(
        f"SELECT x.rowid FROM {index} x CROSS JOIN runs r ON r.seq = x.rowid WHERE x.text MATCH ? "
        f"AND x.rowid < ? AND ({either}) AND {path} ORDER BY x.rowid DESC LIMIT ?",
        (match, before if before is not None else 2**62, *values, *path_values, limit),
    )
    for row in rows:
        yield int(row[0])
