"""Layer → its attributes in few words, one a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trex.core.layer import Layer
from trex.views.diagram.lettering import elided

MAX_DETAILS = 24
_SHOWN_ELSEWHERE = frozenset(("Name", "LayerType", "ParameterType", "Inputs", "Outputs", "Metadata"))


def detail_lines(layer: Layer, room: float, size: float) -> Iterator[str]:
    """The attributes that a label does not already show, by name, ``room`` pixels wide in letters of ``size``."""
    keys = sorted(key for key in layer.raw if key not in _SHOWN_ELSEWHERE)
    for key in keys[:MAX_DETAILS]:
        yield elided(f"{key}: {short_text(layer.raw[key])}", room, size)
    if len(keys) > MAX_DETAILS:
        yield f"and {len(keys) - MAX_DETAILS} more"


def short_text(value: Any, depth: int = 3, most: int = 12) -> str:
    """A value of a record in few words: lists as ``[1, 2]``, stored values as type and count; deep or long is ``…``."""
    if isinstance(value, dict):
        if depth == 0:
            return "{…}"
        if "Type" in value and "Count" in value and len(value) == 2:
            return f"{short_text(value['Type'], 1)} ×{short_text(value['Count'], 1)}"
        pairs = [f"{key}: {short_text(item, depth - 1, most)}" for key, item in list(value.items())[:most]]
        return "{" + ", ".join(pairs) + (", …" if len(value) > most else "") + "}"
    if isinstance(value, list | tuple):
        if depth == 0:
            return "[…]"
        shown = ", ".join([short_text(item, depth - 1, most) for item in value[:most]])
        return f"[{shown}{', …' if len(value) > most else ''}]"
    return str(value)
