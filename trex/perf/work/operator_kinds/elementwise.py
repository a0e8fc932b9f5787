"""Elementwise: functions of the values at one position, activations, quantization and rotary embeddings.

Formula: no MACs. Other operations = values · operations per value; an exponential, a logarithm, a root, a power, a
trigonometric, hyperbolic or error function and a comparison count as one each. Of n operands n − 1; Mean one more; Clip
one per bound; Where 1, a selection; Cast 0, a conversion; Sigmoid 4 (negation, exponential, addition, division), the
other activations likewise by their definitions (LeakyRelu 2, Gelu 5 with the error function, 8 with the hyperbolic
tangent). QuantizeLinear 2 (multiplication by the inverse scale, rounding with clipping), DequantizeLinear 1, each one
more with a zero point that is not known to be 0; DynamicQuantizeLinear 5 (minimum and maximum to find the scale).
Rotary embedding 3 per rotated value: a pair needs four multiplications, a sum and a difference.

Source: ONNX operator specification, the operators' definitions; ONNX Runtime's contributed operators; Su et al.,
"RoFormer: Enhanced Transformer with Rotary Position Embedding".

Does not hold for: instructions, since a function may need several; approximations with fewer operations; quantizers
that an engine fuses into the adjacent kernels; the values that rotary_embedding_dim excludes, if the head size is
unknown.
"""

from __future__ import annotations

from functools import partial

from trex.perf.work.operand import Count, Formula, Operands, per_input, per_result

_ONE = [
    "Abs", "Acos", "Acosh", "Add", "And", "Asin", "Asinh", "Atan", "Atanh", "BitShift", "BitwiseAnd",
    "BitwiseNot", "BitwiseOr", "BitwiseXor", "Ceil", "Cos", "Cosh", "Div", "Equal", "Erf", "Exp", "Floor",
    "Greater", "GreaterOrEqual", "IsInf", "IsNaN", "Less", "LessOrEqual", "Log", "Mod", "Mul", "Neg", "Not",
    "Or", "Pow", "Reciprocal", "Relu", "Round", "Sign", "Sin", "Sinh", "Sqrt", "Sub", "Tan", "Tanh",
    "ThresholdedRelu", "Where", "Xor",
]  # fmt: skip
_SEVERAL = {
    "Cast": 0,
    "CastLike": 0,
    "BitCast": 0,
    "LeakyRelu": 2,
    "PRelu": 2,
    "Softplus": 3,
    "Softsign": 3,
    "Shrink": 3,
    "Sigmoid": 4,
    "HardSigmoid": 4,
    "Elu": 4,
    "HardSwish": 5,
    "Swish": 5,
    "Selu": 5,
    "Mish": 5,
    "Celu": 7,
    "com.microsoft::Gelu": 5,
}


def _of_all(operands: Operands) -> Count:
    return per_result(operands, len(operands.operator.inputs) - 1 + (operands.operator.type == "Mean"))


def _clip(operands: Operands) -> Count:
    attributes = operands.operator.attributes
    bounds = (operands.has(1) or "min" in attributes) + (operands.has(2) or "max" in attributes)
    return per_result(operands, bounds)


def _gelu(operands: Operands) -> Count:
    return per_result(operands, 8 if operands.text("approximate", "none") == "tanh" else 5)


def _shifted(operands: Operands, operations: int) -> Count:
    numbers = operands.numbers(2)
    is_shifted = operands.has(2) and (numbers is None or any(numbers))
    return per_input(operands, operations + is_shifted)


def _rotated(operands: Operands) -> Count:
    shape, values = operands.shape(), operands.count()
    part = operands.integer("rotary_embedding_dim", 0)
    heads = operands.integer("num_heads", 0)
    size = shape[-1] if len(shape) == 4 else shape[-1] // heads if heads else 0
    if part and size:
        values = values * part // size
    return Count(0, values * 3)


OPERATORS: dict[str, Formula] = {
    **dict.fromkeys(_ONE, partial(per_result, operations=1)),
    **{name: partial(per_result, operations=operations) for name, operations in _SEVERAL.items()},
    **dict.fromkeys(("Sum", "Mean", "Max", "Min"), _of_all),
    "Clip": _clip,
    "Gelu": _gelu,
    **dict.fromkeys(("QuantizeLinear", "com.microsoft::QuantizeLinear"), partial(_shifted, operations=2)),
    **dict.fromkeys(("DequantizeLinear", "com.microsoft::DequantizeLinear"), partial(_shifted, operations=1)),
    "DynamicQuantizeLinear": partial(per_input, operations=5),
    **dict.fromkeys(("RotaryEmbedding", "com.microsoft::RotaryEmbedding"), _rotated),
}
