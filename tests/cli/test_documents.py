"""YAML and JSON written by hand: read as plain JSON values, and each mistake told in one sentence with its place."""

import json
import sys
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kindgi_tui.cli.documents import LARGEST, STANDARD_INPUT, read_document
from kindgi_tui.workbench import Invalid


def read(folder: Path, text: str | bytes, name: str = "d.yaml") -> Any:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_document(file)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: yes\nb: on\nc: No\n", {"a": "yes", "b": "on", "c": "No"}),
        ("a: 2026-01-02\nb: 12:30\nc: 010\nd: 0x1f\ne: 1_000", {
            "a": "2026-01-02", "b": "12:30", "c": "010", "d": "0x1f", "e": "1_000",
        }),
        ("a: true\nb: False\nc: ~\nd:\ne: null\nf: 'true'", {
            "a": True, "b": False, "c": None, "d": None, "e": None, "f": "true",
        }),
        ("a: -5\nb: 1.5e3\nc: 1e-2\nd: .5\ne: .inf", {"a": -5, "b": 1500.0, "c": 0.01, "d": ".5", "e": ".inf"}),
        ("a: |\n  one\n  two\nb: >\n  one\n  two\n", {"a": "one\ntwo\n", "b": "one two\n"}),
        ("- {a: [1, b]}\n- =\n- <<: x", [{"a": [1, "b"]}, "=", {"<<": "x"}]),
        ("{a: b}", {"a": "b"}),
        ("", None),
        ("\ufeffa: 1", {"a": 1}),
        ('{"a": "\\ud83d\\ude00", "b":\t[1.0]}', {"a": "\U0001f600", "b": [1.0]}),
    ],
)  # fmt: skip
def test_what_is_read(tmp_path: Path, text: str, value: Any) -> None:
    found = read(tmp_path, text)
    assert found == value
    assert json.dumps(found) == json.dumps(value), "the same types too"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(json_values, st.sampled_from([None, 2]), st.booleans())
def test_any_json_is_read_as_it_is(
    tmp_path_factory: pytest.TempPathFactory, value: Any, indent: int | None, ascii_only: bool
) -> None:
    folder = tmp_path_factory.mktemp("json")
    assert read(folder, json.dumps(value, indent=indent, ensure_ascii=ascii_only), "d.json") == value


WRONG = [
    ("a: [1,\n b", "not YAML at line 2, column 3: expected ',' or ']'"),
    ("a: 1\nb: 2\na: 3", 'not YAML at line 3, column 1: the field "a" stands here twice'),
    ("1: 2", "not YAML at line 1, column 1: a field's name must be text"),
    ("? [a]\n: b", "a field's name must be text"),
    ("a: &x [1]\nb: *x", "not YAML at line 2, column 4: an alias (*name) isn't taken here"),
    (
        "a: !!python/object/apply:os.system [x]",
        "not YAML at line 1, column 4: a tag (!name) isn't taken here",
    ),
    ("a: !!int x", "a tag (!name) isn't taken here"),
    ("!!set {a, b}", "a tag (!name) isn't taken here"),
    ("a: ok\nb: \x07", "not YAML at line 2, column 4: it holds the control character U+0007"),
    (
        "a: 1\n---\nb: 2",
        "line 2, column 1: expected a single document in the stream, but found another document",
    ),
    ("\ta: 1", "not YAML at line 1, column 1"),
    ("a: 'x", "not YAML at line 1, column 6"),
    ('a: "\\q"', "not YAML at line 1, column 6"),
    ("a: 1\nb: " + "9" * 5000, "a number that is too long at line 2, column 4"),
    ("[" * 5000, "nested too deep"),
    ("- " * 5000, "nested too deep"),
    ('{"a": [1,}', "not JSON at line 1, column 10: a value is missing"),
    ('{"a": 1, "b": 2', "not JSON at line 1, column 16: a comma or a closing bracket is missing"),
    ("{a: b, c: [}", "not YAML at line 1, column 12: "),
    ("{'a': 1, b: 'x}", "not YAML at line 1, column 16: "),
    ("[a, b", "not YAML at line 1, column 6: "),
    ("{a: 1,\n a: 2}", 'not YAML at line 2, column 2: the field "a" stands here twice'),
    ('{"a":\n NaN}', "not JSON at line 2, column 2: it has no number NaN"),
    ('{"a": "NaN",\n "b": -Infinity}', "not JSON at line 2, column 7: it has no number -Infinity"),
    ('{"a": 1,\n "a": 2}', 'not JSON at line 2, column 2: the field "a" stands in one object twice'),
    ('{"a": ' + "9" * 5000 + "}", "not JSON at line 1, column 7: a number is too long"),
    (b"a: 1\nb: \xff", "not UTF-8 at line 2, column 4"),
    (b"\xff\xfea\x00", "not UTF-8 at line 1, column 1"),
    (b"a" * (LARGEST + 1), "larger than 1,000,000 bytes"),
]


@pytest.mark.parametrize(("text", "told"), WRONG)
def test_a_mistake_is_one_sentence_with_its_place(tmp_path: Path, text: str | bytes, told: str) -> None:
    with pytest.raises(Invalid) as refused:
        read(tmp_path, text)
    sentence = refused.value.sentence
    assert told in sentence
    assert str(tmp_path / "d.yaml") in sentence
    assert "\n" not in sentence and sentence.endswith(".") and len(sentence) < 400


def test_a_file_called_json_is_json(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="not JSON at line 1, column 1"):
        read(tmp_path, "a: 1", "d.json")


def test_what_can_not_be_read_says_why(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere.yaml"):
        with pytest.raises(Invalid, match="can't be read: "):
            read_document(place)


def test_standard_input_as_bytes_and_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO("a: é"))
    assert read_document(STANDARD_INPUT) == {"a": "é"}
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO("a: é".encode()), encoding="ascii"))
    assert read_document(STANDARD_INPUT) == {"a": "é"}
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"\xff")))
    with pytest.raises(Invalid, match="standard input is not UTF-8"):
        read_document(STANDARD_INPUT)
