"""A log of trtexec → Metadata, and the metadata files of TREx, without holding a log of 100 MB.

Nearly all of a verbose log is the library's chatter, which says nothing about options, device and performance: it is
left out before the log is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from trex.core.errors import TrexError
from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.ingest.logs.trtexec_log import read_log

_TELLING = re.compile(rb"^(?!\[[^\]\n]{0,30}\] (?:\[V\] \[TRT\]|\[TRT\] \[V\])).*\n", re.MULTILINE)
_BLOCK = 1 << 18
_LONGEST_LINE = 1 << 20

BUILD_SECTIONS = ("model_options", "build_options", "device_information")
PROFILE_SECTIONS = ("performance_summary", "inference_options", "device_information")
# Beside TREx's sections: without these, percentiles have no names and nothing tells the release.
_ALSO = ("system_options", "reporting_options")


def metadata_of_log(path: Path) -> Metadata:
    """What the last run in a log tells; empty where it is no log of trtexec. Raises TrexError for an unreadable one."""
    try:
        with path.open("rb") as file:
            told = list(_telling_lines(file))
    except OSError as error:
        raise TrexError(f"the log cannot be read: {error.strerror}", "check its permissions", str(path)) from None
    try:
        runs = read_log(b"".join(line for _, line in told), str(path)).runs
    except TrexError:
        return Metadata()
    numbers = [number for number, _ in told]
    metadata = runs[-1].metadata
    return replace(metadata, notes=tuple(_numbered(note, str(path), numbers) for note in metadata.notes))


def metadata_bytes(metadata: Metadata, sections: tuple[str, ...]) -> bytes:
    """The JSON file that process_engine wrote: values as the log has them, percentiles in lists."""
    told: dict[str, Any] = {
        "model_options": metadata.model_options,
        "build_options": metadata.build_options,
        "system_options": metadata.system_options,
        "inference_options": metadata.inference_options,
        "reporting_options": metadata.reporting_options,
        "device_information": metadata.device,
        "performance_summary": metadata.performance,
    }
    document: dict[str, Any] = {name: dict(told[name]) for name in (*sections, *_ALSO)}
    document["tensorrt_version"] = metadata.tensorrt_version
    document["command_line"] = metadata.command_line
    return (json.dumps(document, indent=4, default=str) + "\n").encode()


def _numbered(note: Note, path: str, numbers: Sequence[int]) -> Note:
    """The note with the line's number in the whole log."""
    before, _, number = note.where.rpartition(":")
    if before != path or not number.isdecimal() or not 0 < int(number) <= len(numbers):
        return note
    return replace(note, where=f"{path}:{numbers[int(number) - 1]}")


def _telling_lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """(number, line) of the lines that are not the library's chatter; what follows chatter without a prefix belongs to
    it. Read in blocks: a regular expression passes over a line in a tenth of the time that Python takes for it.
    """
    is_chatter = False
    number, rest = 1, b""
    while piece := file.read(_BLOCK):
        block = rest + piece
        end = block.rfind(b"\n") + 1
        if not end and len(block) < _LONGEST_LINE:
            rest = block
            continue
        rest = block[end:] if end else b""
        block = block[:end] if end else block + b"\n"
        last = 0
        for found in _TELLING.finditer(block):
            start = found.start()
            if start > last:
                number += block.count(b"\n", last, start)
                is_chatter = True
            if block[start : start + 1] in (b"[", b"&"):
                is_chatter = False
            if not is_chatter:
                yield number, found[0]
            number += 1
            last = found.end()
        if last < len(block):
            number += block.count(b"\n", last)
            is_chatter = True
    if rest and _TELLING.match(rest + b"\n") and (not is_chatter or rest[:1] in (b"[", b"&")):
        yield number, rest
