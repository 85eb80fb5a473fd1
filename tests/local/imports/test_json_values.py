"""Files of JSON in every wrapping, and broken ones."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.local.imports import json_values
from kindgi_tui.local.imports.json_values import Found, json_in_text, parse, too_deep, values_of

ROWS: list[dict[str, Any]] = [{"n": i, "text": "a\u2028b\u0085c\\n " + "é\U0001f600" * i} for i in range(20)]
WRAPPED = {
    "lines": "\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS),
    "crlf": "".join(json.dumps(row) + "\r\n" for row in ROWS),
    "blank lines": "\n\n".join(json.dumps(row) for row in ROWS) + "\n\n",
    "array": json.dumps(ROWS),
    "pretty array": "\n " + json.dumps(ROWS, indent=2, ensure_ascii=False),
    "side by side": "".join(json.dumps(row) for row in ROWS),
    "pretty, one after the other": "\n".join(json.dumps(row, indent=1) for row in ROWS),
    "arrays of one": "\n".join(json.dumps([row]) for row in ROWS),
}


def found(path: Path) -> tuple[list[Any], list[str]]:
    """The values of a file, and the reasons of its problems."""
    values, reasons = [], []
    for one in values_of(path, path.name):
        if isinstance(one, Found):
            values.append(one.value)
        else:
            reasons.append(one.reason)
    return values, reasons


@pytest.mark.parametrize("chunk", [3, 7, 64, 1 << 18])
@pytest.mark.parametrize("wrapping", WRAPPED)
@pytest.mark.parametrize("packed", [False, True])
def test_every_wrapping_gives_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrapping: str, packed: bool, chunk: int
) -> None:
    monkeypatch.setattr(json_values, "_CHUNK", chunk)
    data = ("\ufeff" + WRAPPED[wrapping]).encode()
    path = tmp_path / "any.name"
    path.write_bytes(gzip.compress(data) if packed else data)
    assert found(path) == (ROWS, [])


def test_positions_are_lines_or_records(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text('\n{"a": 1}\nbroken\n{"a": 2}\n')
    assert [(one.place.position, one.place.unit) for one in values_of(path, "x")] == [
        (2, "line"),
        (3, "line"),
        (4, "line"),
    ]
    path.write_text('[{"a": 1},\n{"a": 2}]')
    assert [(one.place.position, one.place.unit) for one in values_of(path, "x")] == [
        (1, "record"),
        (2, "record"),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"a": 1', "The line is not JSON: expecting ',' delimiter, character 8."),
        (b"\0\0\0", "The line is not JSON: expecting value, character 1."),
        (b'{"a": "\xff"}', "The line is not UTF-8 text."),
        (b"[" * 100_000, f"The line is not JSON: {json_values._TOO_DEEP}."),
        (b'{"a":' * 100_000, f"The line is not JSON: {json_values._TOO_DEEP}."),
        (b"[" * 200 + b"]" * 200, f"The line is not JSON: {json_values._TOO_DEEP}."),
        (b'{"a": ' + b"9" * 10_000 + b"}", "The line is not JSON: it holds a number of thousands of digits."),
        (b'{"a": 1} {"b"', "The line is not JSON: several values, one of them broken."),
    ],
)
def test_a_broken_line_is_one_problem(tmp_path: Path, line: bytes, reason: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(b'{"a": 1}\n' + line + b'\n{"a": 2}\n')
    assert found(path) == ([{"a": 1}, {"a": 2}], [reason])
    path.write_bytes(line + b'\n{"a": 2}\n' if not line.startswith(b"[") else b'{"a": 2}\n' + line)
    assert found(path) == ([{"a": 2}], [reason])


def test_numbers_that_are_none_are_no_value(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text('{"a": [NaN, Infinity, -Infinity, 1e999, 1e-9, 1700000000000000001]}')
    assert found(path) == ([{"a": [None, None, None, None, 1e-9, 1700000000000000001]}], [])


def test_lone_surrogates_stay(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b'{"a": "\\ud800"}\n{"a": "\xed\xa0\x80"}\n')
    assert found(path) == ([{"a": "\ud800"}, {"a": "\ud800"}], [])


def test_what_comes_before_a_break_in_an_array_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text('[{"a": 1}, {"a": 2}, {"a": tru}, {"a": 4}]')
    values, reasons = found(path)
    assert values == [{"a": 1}, {"a": 2}]
    assert len(reasons) == 1
    path.write_text('[{"a": 1}, {"a": 2}')
    assert found(path) == ([{"a": 1}, {"a": 2}], ["The file ends in the middle of its list."])
    path.write_text('[{"a": 1}, {"a": "2')
    assert found(path)[0] == [{"a": 1}]
    assert len(found(path)[1]) == 1


def test_a_deep_record_of_an_array_is_one_problem(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text('[{"a": 1}, ' + "[" * 200 + "]" * 200 + ', {"a": 2}]')
    assert found(path) == ([{"a": 1}, {"a": 2}], [f"The record can't be read: {json_values._TOO_DEEP}."])
    path.write_text('[{"a": 1}, ' + "[" * 100_000)
    assert found(path)[0] == [{"a": 1}]
    assert len(found(path)[1]) == 1


def test_depth_is_counted_exactly() -> None:
    for depth, is_too_deep in ((127, False), (128, False), (129, True)):
        value: Any = 1
        for level in range(depth):
            value = [value, []] if level % 2 else {"a": value, "b": {}}
        text = json.dumps(value)
        assert too_deep(value) is is_too_deep
        assert too_deep(value, text) is is_too_deep


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "The file is empty."),
        (b"\xef\xbb\xbf \n\n", "The file is empty."),
        ("{}".encode("utf-16"), "The file is UTF-16 text: save it as UTF-8."),
        (
            gzip.compress(b'{"a": 1}\n' * 10_000)[:-9],
            "The compressed file is damaged or cut short: nothing after this could be read.",
        ),
        (
            b"\x1f\x8bnonsense",
            "The compressed file is damaged or cut short: nothing after this could be read.",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)
    assert found(path)[1] == [reason]


def test_a_line_of_twenty_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "x"
    text = "x" * 20_000_000
    path.write_bytes(b'{"a": 1}\n{"a": "' + text.encode() + b'"}\n{"a": 2}\n')
    values, reasons = found(path)
    assert reasons == []
    assert [len(str(value["a"])) for value in values] == [1, 20_000_000, 1]


@given(st.binary(max_size=60) | st.text('[]{}",:0e-n\\\n u', max_size=40).map(str.encode))
def test_no_bytes_raise(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed"
    path.write_bytes(data)
    for one in values_of(path, "fuzzed"):
        assert one.place.file == "fuzzed"


@pytest.mark.parametrize(
    ("told", "decoded"),
    [
        ('{"a": 1}', {"a": 1}),
        (" [1] ", [1]),
        ('"[1]"', [1]),
        ('"text"', '"text"'),
        ("42", "42"),
        ("true", "true"),
        ("{broken", "{broken"),
        ('{"a": 1} and more', '{"a": 1} and more'),
        (7, 7),
        (None, None),
    ],
)
def test_json_in_text(told: Any, decoded: Any) -> None:
    assert json_in_text(told) == decoded


def test_parse_raises_only_value_errors() -> None:
    with pytest.raises(ValueError, match="deep"):
        parse("[" * 100_000)
