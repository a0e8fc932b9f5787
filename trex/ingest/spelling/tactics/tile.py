"""The tile of a thread block in a kernel's name: ``128x64`` or ``128x64x32``."""

from __future__ import annotations

import re

from trex.ingest.spelling.tactics.vocabulary import Meaning, meaning, times

TILE = re.compile(r"\d{2,4}x\d{1,4}(?:x\d{1,4})?")


def tile_meaning(word: str) -> Meaning:
    """``128x64`` or ``128x64x32``: the tile of a thread block."""
    sides = [int(side) for side in word.split("x")]
    tile = (sides[0], sides[1], sides[2] if len(sides) > 2 else None)
    return meaning("tile", f"tile of {times(word)}", tile=tile)
