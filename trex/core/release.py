"""Release: a version of TensorRT."""

from __future__ import annotations

import re
from typing import NamedTuple

_TEXT = re.compile(r"(\d{1,3})\.(\d{1,3})(?:\.(\d{1,3}))?", re.ASCII)


class Release(NamedTuple):
    """A version of TensorRT: ``Release(10, 16, 1) >= (8, 6)``; compare ``.pair`` to ignore patches."""

    major: int
    minor: int
    patch: int = 0

    @property
    def pair(self) -> tuple[int, int]:
        return self.major, self.minor

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


def release_from_text(text: str) -> Release | None:
    """``10.16.1.11`` → Release(10, 16, 1); None for text that does not start with a version."""
    match = _TEXT.match(text)
    return Release(int(match[1]), int(match[2]), int(match[3] or 0)) if match else None
