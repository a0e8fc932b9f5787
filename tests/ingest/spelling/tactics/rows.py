"""Row: a kernel's name, its types in words, and every other fact that it states."""

from __future__ import annotations

from typing import Any

Row = tuple[str, str, dict[str, Any]]


def row(name: str, types: str, *common: dict[str, Any], **facts: Any) -> Row:
    """types: input, weights, accumulator, output; ``?`` where the name does not state one."""
    merged: dict[str, Any] = {}
    for shared in common:
        merged |= shared
    return name, types, merged | facts
