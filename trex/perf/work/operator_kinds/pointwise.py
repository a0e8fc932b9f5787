"""Pointwise operators: every output value depends on the input values at its own position.

Formula: no MACs. Other operations = output values · operations per value; an exponential, a logarithm, a root, a power,
a trigonometric or error function and a comparison count as one each. Of n operands, n − 1; Mean one more; Clip one per
bound; Where 1, a selection; Cast 0, a conversion.

Source: ONNX operator specification, the operators' definitions.

Does not hold for: instructions, since a function may need several.
"""

from __future__ import annotations

from functools import partial

from trex.perf.work.operand import Count, Formula, Operands, per_result

_ONE = [
    "Abs", "Acos", "Acosh", "Add", "And", "Asin", "Asinh", "Atan", "Atanh", "BitShift", "BitwiseAnd",
    "BitwiseNot", "BitwiseOr", "BitwiseXor", "Ceil", "Cos", "Cosh", "Div", "Equal", "Erf", "Exp", "Floor",
    "Greater", "GreaterOrEqual", "IsInf", "IsNaN", "Less", "LessOrEqual", "Log", "Mod", "Mul", "Neg", "Not",
    "Or", "Pow", "Reciprocal", "Round", "Sign", "Sin", "Sinh", "Sqrt", "Sub", "Tan", "Where", "Xor",
]  # fmt: skip


def _of_all(operands: Operands) -> Count:
    operations = len(operands.operator.inputs) - 1 + (operands.operator.type == "Mean")
    return per_result(operands, operations)


def _clip(operands: Operands) -> Count:
    attributes = operands.operator.attributes
    bounds = (operands.has(1) or "min" in attributes) + (operands.has(2) or "max" in attributes)
    return per_result(operands, bounds)


OPERATORS: dict[str, Formula] = {
    **dict.fromkeys(_ONE, partial(per_result, operations=1)),
    **dict.fromkeys(("Sum", "Mean", "Max", "Min"), _of_all),
    **dict.fromkeys(("Cast", "CastLike", "BitCast"), partial(per_result, operations=0)),
    "Clip": _clip,
    # In integers of fewer bits: both operands and the result are scaled, the result rounded and clipped.
    "com.microsoft::QLinearAdd": partial(per_result, operations=6),
    "com.microsoft::QLinearMul": partial(per_result, operations=6),
}
