"""Row: a kernel's name, its types in words, and every other fact that it states."""

from __future__ import annotations

from typing import Any

Row = tuple[str, str, dict[str, Any]]


def row(name: str, types: str, *common: dict[str, Any], **facts: Any) -> Row:
    """types: in, of weights, accumulated, out; ``?`` where the name does not tell."""
    merged: dict[str, Any] = {}
    for each in common:
        merged |= each
    return name, types, merged | facts
