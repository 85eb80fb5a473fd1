"""Search in the text of runs: words, beginnings, substrings, and texts that try to break the query."""

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kindgi_tui.domain.queries import RunFilter
from kindgi_tui.domain.runs import Segment
from kindgi_tui.local.store.run_lists import count_runs, list_runs
from kindgi_tui.local.store.run_search import index_for_search, search_is_behind
from kindgi_tui.local.store.runs import insert_run
from kindgi_tui.workbench import Invalid
from tests.hostile.corpus import strings
from tests.local.store.making import OTHER, START, opened, run

HOSTILE = list(strings().values())


def index(store: sqlite3.Connection) -> None:
    while index_for_search(store):
        pass
    assert not search_is_behind(store)


def found(store: sqlite3.Connection, text: str, **asked: object) -> list[str]:
    """The ids in the list's order, read three at a time; the count must be the same."""
    query = RunFilter.model_validate({"text": text, **asked})
    ids: list[str] = []
    cursor = None
    for _ in range(400):
        page = list_runs(store, query, 3, cursor)
        ids += [each.id for each in page.data]
        if not page.has_more:
            break
        cursor = page.next_cursor
    assert count_runs(store, query) == len(ids)
    return ids


@pytest.fixture
def texts(store: sqlite3.Connection) -> sqlite3.Connection:
    said = [
        ("refund", "My Refund is late, please help"),
        ("refunds", "two refunds please"),
        ("lost", "lost parcel 00123-45"),
        ("naive", "A naïve café owner"),
        ("german", "STRASSE und Größe"),
        ("chinese", "请退款给我"),
        ("emoji", "thanks 👩‍👩‍👧 again"),
        ("markup", '[/INST] <b>100%</b> a_b C:\\temp "quoted"'),
    ]
    for minute, (name, text) in enumerate(said):
        insert_run(store, run(id=name, minute=minute, input=text, output=None))
    insert_run(
        store,
        run(
            id="answer",
            output={
                "appended": [
                    {"role": "user", "content": "unsaid"},
                    {"role": "agent", "content": "It was refunded"},
                ],
                "output": {"articles": [{"title": "Deep title"}]},
            },
        ),
    )
    index(store)
    return store


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("late", ["refund"]),
        ("LATE refund", ["refund"]),
        ("refund", ["answer", "refunds", "refund"]),
        ("refund please", ["refund"]),
        ("please refund", ["refunds", "refund"]),
        ("refu", ["answer", "refunds", "refund"]),
        ("re", []),
        ("my", ["refund"]),
        ("cafe naive", ["naive"]),
        ("CAFÉ", ["naive"]),
        ("größe", ["german"]),
        ("grosse", []),
        ("退款给", ["chinese"]),
        ("请退款给我", ["chinese"]),
        ("efund", ["answer", "refunds", "refund"]),
        ('"EFUND"', ["answer", "refunds", "refund"]),
        ('"refunds p"', ["refunds"]),
        ('"refund p"', []),
        ("00123-45", ["lost"]),
        ("123-4", ["lost"]),
        ("00123", ["lost"]),
        ("[/INST]", ["markup"]),
        ("100%", ["markup"]),
        ("10_%", []),
        ("a_b", ["markup"]),
        ("a!b", []),
        ("c:\\temp", ["markup"]),
        ('"quoted"', ["markup"]),
        ('temp "quo', ["markup"]),
        ("👩‍👩‍👧", ["emoji"]),
        ("deep title", ["answer"]),
        ("unsaid", []),
        ("help two", []),
    ],
)
def test_what_is_found(texts: sqlite3.Connection, text: str, ids: list[str]) -> None:
    assert found(texts, text) == ids


@pytest.mark.parametrize("text", ["--", "é!", '"', '""', "!"])
def test_too_little_to_look_for(texts: sqlite3.Connection, text: str) -> None:
    with pytest.raises(Invalid) as refused:
        found(texts, text)
    assert refused.value.field == "text"


def test_too_much_to_look_for(texts: sqlite3.Connection) -> None:
    with pytest.raises(Invalid):
        found(texts, "x" * 1001)
    assert found(texts, "word " * 200) == []
    assert found(texts, "y " * 490 + "refund") == []


@pytest.mark.parametrize(
    "text",
    [
        *(
            "a AND b",
            "NOT refund",
            "text:refund",
            "refund*",
            "^refund",
            "NEAR(a b)",
            '"a" OR "b"',
            "(((",
            "a\x00b c",
        ),
        *(
            "\ud800\ud800\ud800",
            "x\x00",
            "'; DROP TABLE runs; --",
            "\\\\\\",
            "%%%",
            "___",
            "{}[]",
            "\x01\x01\x01",
        ),
        *("\u202eabc", "\x1b[31mred", "ab\ud800", "\U0010ffff" * 5, "ꟷꟷꟷ", "𞤀𞤁𞤂", "\u0301\u0301\u0301"),
        *HOSTILE,
    ],
)
def test_hostile_text_is_only_looked_for(texts: sqlite3.Connection, text: str) -> None:
    try:
        found(texts, text)
    except Invalid as refused:
        assert refused.field == "text"


def test_hostile_text_is_found_where_it_stands(store: sqlite3.Connection) -> None:
    for number, text in enumerate(HOSTILE):
        insert_run(store, run(id=f"h{number}", input=text, output=None))
    index(store)
    for number, text in enumerate(HOSTILE):
        piece = text[:200].strip()
        if len(piece) > 2:
            assert f"h{number}" in found(store, f'"{piece}"')


@pytest.mark.parametrize(
    ("asked", "ids"),
    [
        ({"project_id": OTHER}, ["r3", "r0"]),
        ({"subject_id": "acme.s1"}, ["r4", "r1"]),
        ({"subject_id": "acme.s1", "subject_version": "0.0.0"}, ["r4"]),
        ({"subject_kind": "flow"}, []),
        ({"statuses": ("failed",)}, ["r2"]),
        ({"judged": True}, []),
        ({"segments": (Segment(key="a", value="1"),)}, ["r4", "r2", "r0"]),
        ({"replays": "only"}, ["r5"]),
        ({"replays": "include"}, ["r5", "r4", "r3", "r2", "r1", "r0"]),
        ({"comparison_id": "c"}, ["r5"]),
        ({"created_since": START.replace(minute=3)}, ["r4", "r3"]),
        ({"created_until": START.replace(minute=2)}, ["r1", "r0"]),
        ({"source": "chat"}, ["r3"]),
    ],
)
@pytest.mark.parametrize("text", ["refund", "fund", '"a ref"'])
def test_a_search_within_each_filter(
    store: sqlite3.Connection, text: str, asked: dict[str, object], ids: list[str]
) -> None:
    for number in range(6):
        made = run(
            f"acme.s{number % 3}",
            f"0.{number % 2}.0",
            minute=number,
            path="a:1/b:2" if number % 2 == 0 else "",
            id=f"r{number}",
            status="failed" if number == 2 else "completed",
            project_id=OTHER if number % 3 == 0 else run().project_id,
            source="chat" if number == 3 else "recorded",
        )
        insert_run(
            store, made.model_copy(update={"replay_of": "r0", "comparison_id": "c"}) if number == 5 else made
        )
    # The sixth is a replay in the default project.
    index(store)
    expected = [each for each in ids if each != "r5" or "replays" in asked or "comparison_id" in asked]
    assert found(store, text, **asked) == expected


def test_only_searched_texts_count(store: sqlite3.Connection) -> None:
    """The pieces of three stand in the text, and the whole stands in the record, but not in the text."""
    messages = [{"role": "user", "content": "unsaid"}, {"role": "agent", "content": "uns nsa sai aid"}]
    insert_run(store, run(id="said by the user", output={"appended": messages}))
    insert_run(store, run(id="a key", input={"unsaid": "uns nsa sai aid"}))
    insert_run(store, run(id="apart", input=["uns", "nsaid"]))
    insert_run(store, run(id="together", input=["an unsaid word"]))
    index(store)
    assert found(store, '"unsaid"') == ["together"]


def test_pages_of_a_search_do_not_change_their_way(store: sqlite3.Connection) -> None:
    """The first page found by substring; a run with the word that comes later belongs to no later page."""
    for number in range(5):
        insert_run(store, run(id=f"r{number}", input="xrefundx"))
    index(store)
    first = list_runs(store, RunFilter(text="refund"), 3, None)
    insert_run(store, run(id="word", input="refund"))
    index(store)
    second = list_runs(store, RunFilter(text="refund"), 3, first.next_cursor)
    assert [each.id for each in (*first.data, *second.data)] == ["r4", "r3", "r2", "r1", "r0"]


def test_runs_are_taken_in_by_batches(store: sqlite3.Connection) -> None:
    assert not search_is_behind(store)
    for _ in range(1203):
        insert_run(store, run())
    assert search_is_behind(store)
    assert count_runs(store, RunFilter(text="refund")) == 0
    assert [index_for_search(store) for _ in range(4)] == [True, True, True, False]
    assert count_runs(store, RunFilter(text="refund")) == 1203


words = st.sampled_from(["ab", "abc", "Abc", "bcd", "abcd", "dé", "de", "q1"])
sentences = st.lists(words, min_size=1, max_size=4).map(" ".join)


@settings(max_examples=50, deadline=None)
@given(st.lists(sentences, min_size=1, max_size=8), sentences | st.text('abcdé "', min_size=3, max_size=6))
def test_substrings_are_those_of_a_plain_search(
    tmp_path_factory: pytest.TempPathFactory, given_texts: list[str], wanted: str
) -> None:
    store = opened(tmp_path_factory.mktemp("search") / "workspace.db")
    for number, text in enumerate(given_texts):
        insert_run(store, run(id=f"r{number}", input=text, output=None))
    index(store)
    quoted = f'"{wanted}"'
    if len(wanted.strip()) == len(wanted) >= 3:
        expected = [f"r{n}" for n, text in enumerate(given_texts) if wanted.casefold() in text.casefold()]
        assert found(store, quoted) == expected[::-1]
    store.close()
