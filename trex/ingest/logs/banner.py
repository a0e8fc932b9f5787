"""Banner: the ``&&&&`` lines with which trtexec begins and ends, and the version in them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BANNER = re.compile(
    r"&&&& ([A-Z_]+) ([^ #]+)(?: \[[A-Za-z-]+ v([0-9]{1,9})\])?(?: \[b([0-9]{1,9})\])?(?: # ?(.*))?$", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Banner:
    """A ``&&&&`` line. kind: RUNNING, PASSED, FAILED, WAIVED …; tensorrt_version, command_line: "" if missing."""

    kind: str
    tensorrt_version: str
    command_line: str


def version_text(number: int) -> str:
    """``10.16.0`` for 101600, ``8.6.1`` for 8601.

    Source: NV_TENSORRT_VERSION is major*1000 + minor*100 + patch until 9.x and major*10000 + minor*100 + patch since.
    """
    if number < 1000:
        return ""
    major = number // (1000 if number < 10000 else 10000)
    return f"{major}.{number // 100 % (10 if number < 10000 else 100)}.{number % 100}"


def parse_banner(message: str) -> Banner | None:
    match = _BANNER.match(message)
    if match is None:
        return None
    return Banner(match[1], version_text(int(match[3])) if match[3] else "", (match[5] or "").strip(" \t"))
