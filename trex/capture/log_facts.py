"""A log of trtexec → Metadata, and the metadata files of TREx, without holding a log of 100 MB.

Nearly all of a verbose log is the library's chatter, which says nothing about options, device and performance: those
lines are left empty, so that the numbers of the others stay.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from trex.core.errors import TrexError
from trex.core.metadata import Metadata
from trex.ingest.logs.trtexec_log import read_log

_CHATTER = (b"[V] [TRT]", b"[TRT] [V]")
_PREFIX_BYTES = 48
_LONGEST_LINE = 1 << 16

BUILD_SECTIONS = ("model_options", "build_options", "device_information")
PROFILE_SECTIONS = ("performance_summary", "inference_options", "device_information")
# Beside TREx's sections: without these, percentiles have no names and nothing tells the release.
_ALSO = ("system_options", "reporting_options")


def metadata_of_log(path: Path) -> Metadata:
    """What the last run in a log tells; empty where it is no log of trtexec. Raises TrexError for an unreadable one."""
    try:
        with path.open("rb") as file:
            data = b"".join(_telling_lines(file))
    except OSError as error:
        raise TrexError(f"the log cannot be read: {error.strerror}", "check its permissions", str(path)) from None
    try:
        runs = read_log(data, str(path)).runs
    except TrexError:
        return Metadata()
    return runs[-1].metadata if runs else Metadata()


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


def _telling_lines(file: BinaryIO) -> Iterator[bytes]:
    is_chatter = False
    while line := file.readline(_LONGEST_LINE):
        first = line[:1]
        if first == b"[":
            head = line[:_PREFIX_BYTES]
            is_chatter = any(mark in head for mark in _CHATTER)
        elif first == b"&":
            is_chatter = False
        if not is_chatter:
            yield line
        elif line.endswith(b"\n"):
            yield b"\n"
