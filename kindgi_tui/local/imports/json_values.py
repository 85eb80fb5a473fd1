"""JSON from untrusted files: one value at a time, in memory that the largest value decides, never an exception.

A file holds JSON lines, one JSON array, or values set side by side (concatenated JSON; a single object is one of
these); plain or gzip-compressed, told by content. Lines end at LF alone: U+2028 and its like may stand in a
string. NaN, Infinity and numbers too large for a float are no value (null). Lone surrogates stay as they are.
"""

import codecs
import gzip
import json
import math
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Literal, NamedTuple, cast

from kindgi_tui.domain.base import Json
from kindgi_tui.local.imports.records import Place, PositionUnit, Problem

DEPTH_LIMIT = 128
"""The deepest nesting of lists and objects; the Kindgi API refuses more as well."""

VALUE_LIMIT = 512 * 1024 * 1024
"""The longest line or value, in bytes or characters."""

_CHUNK = 1 << 18
_BUFFER = 1 << 18
_GZIP = b"\x1f\x8b"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_SPACE = re.compile(r"[ \t\r\n]*")
_SPACE_AND_COMMA = re.compile(r"[ \t\r\n,]*")
# A token cut off by the end of the buffer fails at most this far before it (`-Infinity`).
_CUT_TOKEN = 16


class Found(NamedTuple):
    """One value of a file."""

    place: Place
    """Where it stands."""
    value: Json
    """The value; no NaN, no infinity, at most `DEPTH_LIMIT` deep."""
    group: int = 0
    """Which top-level array of the file it is an element of, from 1; 0 when it stands by itself."""


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=lambda _: None)


def parse(text: str) -> Json:
    """The JSON value of a text.

    Raises ValueError with a short reason when it is not JSON, holds a whole number of thousands of digits, or
    nests deeper than `DEPTH_LIMIT`.
    """
    try:
        value = cast("Json", _DECODER.decode(text))
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if too_deep(value, text):
        raise ValueError(_TOO_DEEP)
    return value


_TOO_DEEP = f"it nests lists and objects more than {DEPTH_LIMIT} deep"


def too_deep(value: Json, text: str | None = None) -> bool:
    """Whether a value nests deeper than `DEPTH_LIMIT`; its own text, where given, can answer faster."""
    if text is not None and text.count("[") + text.count("{") <= DEPTH_LIMIT:
        return False
    level: list[Json] = [value]
    for _ in range(DEPTH_LIMIT + 1):
        level = [
            child
            for node in level
            if isinstance(node, dict | list)
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def json_in_text(value: Json) -> Json:
    """A text that holds a JSON object or array (perhaps as JSON text in JSON text) as that object or array;
    anything else, a text such as `42` among it, as it is (import rule 2)."""
    inner = value
    for _ in range(4):
        if not isinstance(inner, str) or inner.lstrip()[:1] not in ("{", "[", '"'):
            break
        try:
            inner = parse(inner)
        except ValueError:
            return value
    return inner if isinstance(inner, dict | list) else value


def values_of(path: Path, file: str) -> Iterator[Found | Problem]:
    """Every value of a file in order, and a problem for each part that cannot be read."""
    try:
        unit = _unit_of(path)
        with _opened(path) as stream:
            if unit is None:
                yield Problem(place=Place(file=file), reason="The file is empty.")
            elif unit == "utf-16":
                yield Problem(place=Place(file=file), reason="The file is UTF-16 text: save it as UTF-8.")
            elif unit == "line":
                yield from _lines(stream, file)
            else:
                yield from _in_a_row(_texts(stream), file)
    except (OSError, EOFError, zlib.error) as error:
        yield Problem(place=Place(file=file), reason=_trouble(error))
    except UnicodeDecodeError:
        yield Problem(place=Place(file=file), reason="The rest of the file is not UTF-8 text.")


def _trouble(error: Exception) -> str:
    if isinstance(error, gzip.BadGzipFile | EOFError | zlib.error):
        return "The compressed file is damaged or cut short: nothing after this could be read."
    words = error.strerror if isinstance(error, OSError) else None
    return f"The file can't be read: {(words or type(error).__name__).lower()}."


def _opened(path: Path) -> IO[bytes]:
    if not path.is_file():
        # Opening a pipe or a device could wait for ever; a missing file says so by itself.
        path.stat()
        raise OSError(0, "it is not a file")
    stream = path.open("rb", buffering=_BUFFER)
    start = stream.read(2)
    if start != _GZIP:
        stream.seek(0)
        return stream
    stream.close()
    return cast("IO[bytes]", gzip.open(path, "rb"))


def _unit_of(path: Path) -> PositionUnit | Literal["utf-16"] | None:
    """How a file is to be read: by line or by record; not at all when it is UTF-16; None when it is empty."""
    with _opened(path) as stream:
        # An array can be one line of any length, so its line is not read as one.
        line = stream.readline(_BUFFER)
        if line[:2] in _UTF16:
            return "utf-16"
        line = line.removeprefix(codecs.BOM_UTF8) or stream.readline(_BUFFER)
        while line and line.isspace():
            line = stream.readline(_BUFFER)
        if not line:
            return None
        head = line.lstrip()[:1]
        if head == b"[":
            return "record"
        if not line.endswith(b"\n"):
            line += stream.readline(VALUE_LIMIT)
    if head != b"{" or _starts_with_a_value(line):
        return "line"
    with _opened(path) as stream:
        try:
            # A first value that spans lines makes it values in a row; else this is a broken first line.
            start = next(_in_a_row(_texts(stream), ""), None)
        except UnicodeDecodeError:
            start = None
    return "record" if isinstance(start, Found) else "line"


def _starts_with_a_value(line: bytes) -> bool:
    try:
        _DECODER.raw_decode(line.decode("utf-8", "surrogatepass").lstrip())
    except RecursionError:
        return True
    except ValueError:
        return False
    return True


def _lines(stream: IO[bytes], file: str) -> Iterator[Found | Problem]:
    number = 0
    while line := stream.readline(VALUE_LIMIT):
        number += 1
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        place = Place(file=file, position=number, unit="line")
        if len(line) >= VALUE_LIMIT and not line.endswith(b"\n"):
            yield Problem(place=place, reason="The line is too long.")
            while (rest := stream.readline(_CHUNK)) and not rest.endswith(b"\n"):
                pass
            continue
        if line.isspace():
            continue
        try:
            for value in _values_of_line(line.rstrip(b"\r\n").decode("utf-8", "surrogatepass")):
                yield Found(place, value)
        except UnicodeDecodeError:
            yield Problem(place=place, reason="The line is not UTF-8 text.")
        except ValueError as error:
            yield Problem(place=place, reason=f"The line is not JSON: {_words(error)}.")


def _values_of_line(line: str) -> list[Json]:
    try:
        return [parse(line)]
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise
    values: list[Json] = []
    for found in _in_a_row(iter((line,)), ""):
        if isinstance(found, Problem):
            raise ValueError("several values, one of them broken")
        values.append(found.value)
    return values


def _words(error: ValueError) -> str:
    """What is wrong, without a word of the record."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg[:1].lower()}{error.msg[1:]}, character {error.pos + 1}"
    text = str(error)
    return "it holds a number of thousands of digits" if "digits" in text else text


def _texts(stream: IO[bytes]) -> Iterator[str]:
    decode = codecs.getincrementaldecoder("utf-8")("surrogatepass").decode
    first = True
    while chunk := stream.read(_CHUNK):
        if first:
            chunk = chunk.removeprefix(codecs.BOM_UTF8)
            first = False
        yield decode(chunk)
    yield decode(b"", True)


def _in_a_row(chunks: Iterator[str], file: str) -> Iterator[Found | Problem]:
    """The values that stand side by side in a text, the elements of top-level arrays one by one.

    A value that is cut off by the end of what was read is parsed again with twice as much of the text, so the
    work stays proportional to the text. A broken value ends it: what follows can't be told apart.
    """
    buffer = ""
    at = 0
    ended = False
    number = 0
    array = 0
    inside = False

    def more() -> None:
        nonlocal buffer, at, ended
        kept = buffer[at:]
        wanted = max(len(kept), 1)
        parts = [kept]
        while wanted > 0 and not ended:
            part = next(chunks, None)
            if part is None:
                ended = True
            else:
                parts.append(part)
                wanted -= len(part)
        buffer, at = "".join(parts), 0

    while True:
        match = (_SPACE_AND_COMMA if inside else _SPACE).match(buffer, at)
        at = match.end() if match else at
        if at >= len(buffer):
            if ended:
                break
            more()
            continue
        if inside and buffer[at] == "]":
            inside, at = False, at + 1
            continue
        if not inside and buffer[at] == "[":
            inside, array, at = True, array + 1, at + 1
            continue
        place = Place(file=file, position=number + 1, unit="record")
        try:
            value, end = _DECODER.raw_decode(buffer, at)
        except json.JSONDecodeError as error:
            cut = error.pos >= len(buffer) - _CUT_TOKEN or error.msg.startswith("Unterminated string")
            if cut and not ended and len(buffer) - at < VALUE_LIMIT:
                more()
                continue
            yield Problem(
                place=place,
                reason=f"The JSON is broken here ({error.msg[:1].lower()}{error.msg[1:]}): "
                "nothing after this could be read.",
            )
            return
        except (RecursionError, ValueError) as error:
            reason = _TOO_DEEP if isinstance(error, RecursionError) else _words(error)
            yield Problem(place=place, reason=f"The record can't be read ({reason}), nor anything after it.")
            return
        if end == len(buffer) and not ended and not isinstance(value, dict | list | str):
            more()
            continue
        text = buffer[at:end] if end - at < _CHUNK else None
        number, at = number + 1, end
        if too_deep(value, text):
            yield Problem(place=place, reason=f"The record can't be read: {_TOO_DEEP}.")
        else:
            yield Found(place, cast("Json", value), array if inside else 0)
    if inside:
        yield Problem(
            place=Place(file=file, position=number + 1, unit="record"),
            reason="The file ends in the middle of its list.",
        )
