"""Bytes → raw JSON documents: fast where the file is right, tolerant where it is not, and every repair is told.

TensorRT's own exporters write files that are not JSON: layer names are not escaped, ``nan`` and ``inf`` stand for
numbers, control characters stand in strings, killed runs leave torn tails.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import orjson

from trex.core.note import Note
from trex.ingest.finding.opening import empty_file
from trex.ingest.finding.signature import is_wide_text, refuse_binary
from trex.ingest.repair.json_repair import repair
from trex.ingest.repair.repairs import Repairs
from trex.ingest.repair.whole_values import MAX_DEPTH, depth_of, too_deep
from trex.ingest.text import decode

_UTF8_MARK = b"\xef\xbb\xbf"
_NOT_BRACKETS = bytes(sorted(set(range(256)) - set(b"[]{}")))
# Control characters that cannot be white space between tokens.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_NOT_CONTROL = bytes(sorted(set(range(256)) - (set(range(32)) - set(b"\t\n\r"))))


@dataclass(frozen=True, slots=True)
class Parsed:
    """documents: the JSON values of the file, in order; one in a file that is right.

    Numbers that JSON cannot write (``nan``, ``-inf``) are floats; values that could not be read are None.
    """

    documents: list[Any]
    notes: tuple[Note, ...] = ()


def parse(data: bytes, where: str = "") -> Parsed:
    """The JSON in the bytes of a file. A valid file costs what orjson costs; any other is repaired in linear time.

    Mended, each with a Note (its code in brackets): raw control characters [control-characters], nan and inf
    [not-a-number], needless, missing and leading commas [trailing-comma, missing-comma], quotes inside strings
    [unescaped-quotes], backslashes that escape nothing [bad-escape], half surrogate pairs [lone-surrogate], several
    documents in a file [several-documents], text around them [surrounding-text], torn tails [truncated], and more.
    Integers beyond 64 bits become floats. Of a key written twice in an object the last value counts.

    Raises TrexError, with the place and an excerpt, for an empty or a binary file, for one without any JSON to save,
    and for brackets nested more than 128 deep.
    """
    body: bytes | memoryview = memoryview(data)[3:] if data.startswith(_UTF8_MARK) else data
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError:
        return _repaired(data, where)
    _check_depth(data, document, where)
    return Parsed([document])


def _repaired(data: bytes, where: str) -> Parsed:
    if not data or data.isspace():
        raise empty_file(where)
    refuse_binary(data, where)
    text, notes = decode(data, where)
    if not text.strip("\ufeff\x00 \t\r\n"):
        raise empty_file(where)
    plain = text.encode("utf-8") if notes or is_wide_text(data) else data.removeprefix(_UTF8_MARK)
    documents = _loaded(plain, where) if plain is not data else None
    repairs = Repairs(text, where)
    if documents is None:
        documents = _loaded_with_controls(plain, where, repairs)
    if documents is None:
        documents, repairs = repair(text, where)
    return Parsed(documents, (*notes, *repairs.notes()))


def _loaded(data: bytes, where: str) -> list[Any] | None:
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    _check_depth(data, document, where)
    return [document]


def _loaded_with_controls(data: bytes, where: str, repairs: Repairs) -> list[Any] | None:
    """The document of a file whose only fault is raw control characters inside strings (TensorRT 8.6 and later)."""
    controls = data.translate(None, _NOT_CONTROL)
    if not controls:
        return None
    for code in set(controls):
        control = bytes([code])
        if b"\\" + control in data:
            return None
        data = data.replace(control, b"\\u%04x" % code)
    documents = _loaded(data, where)
    if documents is not None and (first := _CONTROL.search(repairs.text)):
        repairs.add("control-characters", first.start(), len(controls))
    return documents


def _check_depth(data: bytes, document: Any, where: str) -> None:
    """Raises TrexError for deep nesting, which the fast parser accepts up to a depth that overflows other code.

    Looking at the brackets alone is an order of magnitude faster than walking the document: pairs are removed from
    the inside out. Brackets that names do not close make it uncertain; only then the document is walked.
    """
    brackets = data.translate(None, _NOT_BRACKETS)
    for _ in range(MAX_DEPTH):
        if not brackets:
            return
        fewer = brackets.replace(b"[]", b"").replace(b"{}", b"")
        if len(fewer) == len(brackets):
            break
        brackets = fewer
    if brackets and depth_of(document) > MAX_DEPTH:
        raise too_deep(where)
