"""Activation functions.

Formula: no MACs. Other operations = output values · operations per value: Relu 1, LeakyRelu and PRelu 2 (a comparison
and a multiplication), ThresholdedRelu 1, Tanh 1, Sigmoid 4 (negation, exponential, addition, division), HardSigmoid 4,
HardSwish 5, Swish and QuickGelu 5, Elu 4, Celu 7, Selu 5, Softplus 3, Softsign 3, Shrink 3, Mish 5, Gelu 5 with the
error function and 8 with the hyperbolic tangent; ONNX Runtime's BiasGelu 6, FastGelu 8 and 9 with a bias.

Source: ONNX operator specification, the operators' definitions; ONNX Runtime's contributed operators.

Does not hold for: instructions, since a function may need several; approximations with fewer operations.
"""

from __future__ import annotations

from functools import partial

from trex.perf.work.operand import Count, Formula, Operands, per_result

_OPERATIONS = {
    "Relu": 1,
    "LeakyRelu": 2,
    "PRelu": 2,
    "ThresholdedRelu": 1,
    "Tanh": 1,
    "Sigmoid": 4,
    "HardSigmoid": 4,
    "HardSwish": 5,
    "Swish": 5,
    "Elu": 4,
    "Celu": 7,
    "Selu": 5,
    "Softplus": 3,
    "Softsign": 3,
    "Mish": 5,
    "Shrink": 3,
    "com.microsoft::Gelu": 5,
    "com.microsoft::QuickGelu": 5,
    "com.microsoft::BiasGelu": 6,
}


def _gelu(operands: Operands) -> Count:
    return per_result(operands, 8 if operands.text("approximate", "none") == "tanh" else 5)


def _fast_gelu(operands: Operands) -> Count:
    return per_result(operands, 8 + operands.has(1))


OPERATORS: dict[str, Formula] = {
    **{name: partial(per_result, operations=operations) for name, operations in _OPERATIONS.items()},
    "Gelu": _gelu,
    "com.microsoft::FastGelu": _fast_gelu,
}
