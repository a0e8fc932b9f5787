"""trtexec's text for shapes (``x:1x3x224x224,y:8``) ↔ dimensions."""

from __future__ import annotations

import re
from typing import Dict, Sequence, Tuple

from trex.capture.tensorrt_api.errors import CollectorError

Shapes = Dict[str, Tuple[int, ...]]

_DIMENSIONS = re.compile(r"\d{1,10}(?:x\d{1,10})*", re.ASCII)
_SHAPES_HINT = "write NAME:1x3x224x224, several with commas; the name is that of the model's input"


def parse_shapes(text: str) -> Shapes:
    """``x:1x3,'y:0':2`` → {x: (1, 3), y:0: (2,)}; () for a scalar. A name ends at the last colon of its part."""
    shapes: Shapes = {}
    for part in text.split(","):
        name, colon, dims = part.strip().replace("'", "").rpartition(":")
        if not colon or not name:
            raise CollectorError(f"{part!r} is not the shape of an input", _SHAPES_HINT)
        if dims not in ("", "scalar") and not _DIMENSIONS.fullmatch(dims):
            raise CollectorError(
                f"the shape of {name} is not whole numbers with x between them: {dims!r}", _SHAPES_HINT
            )
        if name in shapes:
            raise CollectorError(f"the shape of {name} is given twice", _SHAPES_HINT)
        shapes[name] = () if dims in ("", "scalar") else tuple(int(size) for size in dims.split("x"))
    return shapes


def shape_text(dims: Sequence[int]) -> str:
    """(1, 3) → ``1x3``; () → ``scalar``."""
    return "x".join(str(size) for size in dims) or "scalar"
