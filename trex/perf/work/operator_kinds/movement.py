"""Movement: operators that move or select values, and views of the same bytes.

Formula: no MACs and no other operations, except one per update for a scatter that adds, multiplies or compares. Bytes:
everything read once and written once. Gather, Slice and similar operators read their indices and the values they select
(a row of an embedding, not the table); Scatter reads its data, updates and indices, and writes all of its data; views,
constants and shapes, which are known without reading a value, move nothing.

Source: ONNX operator specification, Transpose, Concat, Split, Pad, Expand, Tile, Gather…, Slice, Scatter…, OneHot,
Trilu, Reshape, Identity, Dropout (at inference), Shape, Constant, Optional….

Does not hold for: engines that avoid the copy (a concatenation whose producers write into its output, a transpose
inside a GEMM, a scatter in place); rows selected twice, which a cache may hold; a reshape of a tensor whose format is
not row-major, which has to copy.
"""

from __future__ import annotations

from functools import partial

from trex.perf.work.operand import Count, Formula, Operands

_MOVED = Count(0, 0)
_MOVING = [
    "Transpose", "Concat", "Split", "Pad", "Expand", "Tile", "DepthToSpace", "SpaceToDepth", "ReverseSequence",
    "Col2Im", "CenterCropPad", "Range", "ConstantOfShape", "EyeLike", "MaxUnpool", "SplitToSequence",
    "ConcatFromSequence", "SequenceConstruct", "SequenceInsert", "SequenceAt", "OneHot", "Trilu", "Compress",
]  # fmt: skip
_VIEWING = [
    "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Optional", "OptionalGetElement", "OptionalHasElement",
]  # fmt: skip


def _moved(operands: Operands) -> Count:
    return _MOVED


def _scattered(operands: Operands) -> Count:
    return _MOVED if operands.text("reduction", "none") == "none" else Count(0, operands.count(2))


def _partly_read(operands: Operands, reason: str = "") -> Count:
    return Count(0, 0, reason, reads_all=False)


_SHAPE = partial(_partly_read, reason="a shape is known without reading a value")

OPERATORS: dict[str, Formula] = {
    **dict.fromkeys(_MOVING, _moved),
    **dict.fromkeys(("Gather", "GatherElements", "GatherND", "Slice"), _partly_read),
    **dict.fromkeys(("Scatter", "ScatterElements", "ScatterND", "TensorScatter"), _scattered),
    **dict.fromkeys(_VIEWING, partial(_partly_read, reason="a view: the same bytes")),
    **dict.fromkeys(("Shape", "Size", "SequenceLength", "SequenceEmpty"), _SHAPE),
    "Constant": partial(_partly_read, reason="a constant is stored"),
    "Dropout": partial(_partly_read, reason="a view: nothing is dropped at inference"),
}
