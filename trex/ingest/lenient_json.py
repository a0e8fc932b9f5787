"""Bytes → raw JSON documents: fast if the file is valid, repaired with Notes if it is not.

TensorRT's own exporters write files that are not JSON: layer names are not escaped, ``nan`` and ``inf`` stand for
numbers, control characters stand in strings, killed runs leave files that end in the middle.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.ingest.json_repair import MAX_DEPTH, check_depth, repair, repair_notes
from trex.ingest.opening import empty_file
from trex.ingest.signature import refuse_binary
from trex.ingest.text import decode, without_binary_blocks, without_blank_end

_UTF8_MARK = b"\xef\xbb\xbf"
_NOT_BRACKETS = bytes(sorted(set(range(256)) - set(b"[]{}")))
_OBJECT_BYTES, _MEMBER_BYTES, _LIST_BYTES, _STRING_BYTES, _NUMBER_BYTES = 200, 80, 100, 95, 45
"""What orjson 3.11 takes at its peak for short ones, measured within 15 % for each kind alone. 18 real graphs without
blanks, whose objects share sizes, are 5.5 to 6.3 times their bytes, and 4.5 to 8.0 by these."""
_KEY_BYTES = 140
"""Of a key that no other object has, next to its member."""
_KEY = re.compile(rb'"([^"]{0,64})" ?:')
_SAMPLES, _SAMPLE_BYTES = 256, 4096
_TIMES, _MORE = 8, 60_000_000
"""What that may be: so many times the bytes, and so many bytes more."""
# Control characters that are not white space between tokens.
_CONTROL = re.compile(r"(?<!\\)[\x00-\x08\x0b\x0c\x0e-\x1f]")
_CONTROL_BYTES = re.compile(_CONTROL.pattern.encode())
_PIECE = 1 << 16
_BRACKET = re.compile(rb"[\[\]{}]")
_MANY = _PIECE // 64
_LEAST_BYTES = 4
"""Of a list or an object."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """documents: the JSON values of the file, in order; one in a valid file.

    Numbers that JSON cannot write (``nan``, ``-inf``) are floats; values that could not be read are None.
    """

    documents: list[Any]
    notes: tuple[Note, ...] = ()


def parse(data: bytes, where: str = "", prepare: Callable[[str], str] = str) -> Parsed:
    """The JSON in the bytes of a file. A valid file costs little more than orjson does, unless it has long
    lists of numbers; any other is repaired in linear time.

    Every kind of repair is a Note; ``json_repair`` lists them. Integers beyond 64 bits become floats. If an object
    has a key twice, the last value counts, and values that differ from it are noted. prepare: is given the text of a
    damaged file before it is repaired.

    Raises TrexError, with the position and an excerpt, for an empty or binary file, for one without any complete
    JSON, for brackets nested more than 128 deep, and for so many short objects, lists, members, strings and numbers
    that they would take more than 8 times the file and 100 MB.
    """
    _check_size(data, where)
    body: bytes | memoryview = memoryview(data)[3:] if data.startswith(_UTF8_MARK) else data
    is_valid, document = _loaded(body)
    if is_valid:
        _check_depth(document, data, where)
        if _is_whole(document, data):
            return Parsed([document])
        del document
    return _parse_damaged(data, where, prepare)


def _check_size(data: bytes, where: str) -> None:
    if len(data) < _MORE // _OBJECT_BYTES:
        return
    objects, lists = data.count(b"{"), data.count(b"[")
    members = data.count(b'":') + data.count(b'" :')
    strings = data.count(b'"') // 2 - members
    numbers = max(data.count(b",") - members - strings, 0)
    step = len(data) // _SAMPLES
    keys = [key for at in range(_SAMPLES) for key in _KEY.findall(data, at * step, at * step + _SAMPLE_BYTES)]
    own = members * len(set(keys)) / max(len(keys), 1)
    taken = objects * _OBJECT_BYTES + members * _MEMBER_BYTES + own * _KEY_BYTES + lists * _LIST_BYTES
    if taken + strings * _STRING_BYTES + numbers * _NUMBER_BYTES > _TIMES * len(data) + _MORE:
        values = objects + lists + members + strings + numbers
        message = f"the file has {values:,} short values, more than are read of {len(data):,} bytes"
        raise TrexError(message, "check that this is the right file", where)


def _loaded(data: bytes | bytearray | memoryview) -> tuple[bool, Any]:
    """(is valid, document). The error, which has a copy of the text, ends here."""
    try:
        return True, orjson.loads(data)
    except orjson.JSONDecodeError:
        return False, None


def _is_whole(document: Any, data: bytes | bytearray) -> bool:
    """False if the text may have more members than the document, since the fast parser keeps one value of a key.

    Each member has a colon, and those inside strings are in both texts. Long lists of numbers are not written again:
    the fast writer reserves up to a hundred times their text.
    """
    if not isinstance(document, (dict, list)) or b":" not in data:
        return True
    if b"\\u003a" in data or b"\\u003A" in data:  # written again as a colon
        return False
    if len(data) < _LEAST_BYTES * (data.count(b"{") + data.count(b"[")):
        return False
    for start in range(0, len(data) - _PIECE, _PIECE):
        if not _BRACKET.search(data, start, start + _PIECE) and data.count(b",", start, start + _PIECE) > _MANY:
            return False
    return orjson.dumps(document).count(b":") == data.count(b":")


def _parse_damaged(data: bytes, where: str, prepare: Callable[[str], str]) -> Parsed:
    """The text is held in one form at a time, as UTF-8 or decoded, and not at all if it equals the bytes given."""
    if not data or data.isspace():
        raise empty_file(where)
    refuse_binary(data, where)
    notes: list[Note] = []
    kept = without_binary_blocks(b"".join(without_blank_end([data], notes, where)), notes, where)
    text, invalid = decode(kept, where)
    del kept
    text = prepare(text)
    if not text.strip("\ufeff\x00 \t\r\n"):
        raise empty_file(where)
    first = _CONTROL.search(text)
    controls = 0 if first is None else sum(1 for _ in _CONTROL.finditer(text))
    repairs = repair_notes({"control-characters": (controls, first.start())}, text, where) if first else ()
    body = text.encode("utf-8", "surrogatepass")
    del text
    if body == data:
        body = data
    # TensorRT 8.6 and later write raw control characters inside strings: often the only damage.
    escaped = _with_escapes(body) if first else body
    is_valid, document = _loaded(escaped)
    if is_valid:
        _check_depth(document, escaped, where)
        if _is_whole(document, escaped):
            return Parsed([document], (*invalid, *notes, *repairs))
    del escaped, document
    text = body.decode("utf-8", "surrogatepass")
    del body
    documents, repairs = repair(text, where)
    return Parsed(documents, (*invalid, *notes, *repairs))


def _with_escapes(data: bytes) -> bytearray:
    """The text with its control characters as escapes: piece by piece, for each of them takes memory."""
    escaped = bytearray()
    start = 0
    while start < len(data):
        end = start + _PIECE
        while data[end - 1 : end] == b"\\":  # what follows it stays
            end += 1
        escaped += _CONTROL_BYTES.sub(lambda match: b"\\u%04x" % ord(match[0]), data[start:end])
        start = end
    return escaped


def _check_depth(document: Any, data: bytes | bytearray, where: str) -> None:
    """Raises TrexError for deep nesting, which the fast parser accepts up to a depth that overflows other code.

    The brackets alone are checked first, an order of magnitude faster than walking the document: pairs are removed
    from the inside out. Only if brackets in names leave a doubt is the document walked.
    """
    brackets = data.translate(None, _NOT_BRACKETS)
    for _ in range(MAX_DEPTH):
        if not brackets:
            return
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    check_depth(document, where)
