"""Data movement: operators that put values elsewhere and compute none.

Formula: no multiply-adds, no other operations. Bytes: everything read once and written once.

Source: ONNX operator specification, Transpose, Concat, Split, Pad, Expand, Tile, DepthToSpace, SpaceToDepth …

Does not hold for: engines that let the neighbors read or write the right place (a concatenation that its producers
write into, a transpose inside a product): they move nothing.
"""

from __future__ import annotations

from trex.perf.work.operand import Count, Formula, Operands

FORMULA = "values are moved, none computed"


def _moved(operands: Operands) -> Count:
    return Count(0, 0, FORMULA)


_MOVING = [
    "Transpose", "Concat", "Split", "Pad", "Expand", "Tile", "DepthToSpace", "SpaceToDepth", "ReverseSequence",
    "Col2Im", "CenterCropPad", "Range", "ConstantOfShape", "EyeLike", "MaxUnpool", "SplitToSequence",
    "ConcatFromSequence", "SequenceConstruct", "SequenceInsert", "SequenceAt",
]  # fmt: skip

OPERATORS: dict[str, Formula] = dict.fromkeys(_MOVING, _moved)
