"""Data movement: operators that move values and compute none.

Formula: no MACs, no other operations. Bytes: everything read once and written once.

Source: ONNX operator specification, Transpose, Concat, Split, Pad, Expand, Tile, DepthToSpace, SpaceToDepth …

Does not hold for: engines that avoid the copy (a concatenation whose producers write into its output, a transpose
inside a GEMM): they move nothing.
"""

from __future__ import annotations

from trex.perf.work.operand import Count, Formula, Operands


def _moved(operands: Operands) -> Count:
    return Count(0, 0)


_MOVING = [
    "Transpose", "Concat", "Split", "Pad", "Expand", "Tile", "DepthToSpace", "SpaceToDepth", "ReverseSequence",
    "Col2Im", "CenterCropPad", "Range", "ConstantOfShape", "EyeLike", "MaxUnpool", "SplitToSequence",
    "ConcatFromSequence", "SequenceConstruct", "SequenceInsert", "SequenceAt",
]  # fmt: skip

OPERATORS: dict[str, Formula] = dict.fromkeys(_MOVING, _moved)
