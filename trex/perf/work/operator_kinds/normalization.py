"""Normalizations by stored statistics (batch) or by those of the values themselves (layer, instance, group, RMS …).

Formula: no MACs. Other operations = values · operations per value. BatchNormalization 2: with stored statistics it is
one scale and one shift per channel. LayerNormalization, InstanceNormalization and GroupNormalization 7 (sum for the
mean, subtraction, square, sum for the variance, multiplication by the inverse deviation, scale, shift), 6 without a
shift. RMSNormalization 4 (square, sum, multiplication, scale). LpNormalization 3, MeanVarianceNormalization 5, LRN size
+ 4 (square, size − 1 additions, scale, shift, power, division). ONNX Runtime's Skip… one more for the residual, one for
its bias.

Source: ONNX operator specification, the operators' definitions; ONNX Runtime's contributed operators.

Does not hold for: operations per channel, row or group (roots, divisions by a count), which are left out; a
BatchNormalization that is folded into the preceding weights (it costs nothing).
"""

from __future__ import annotations

from functools import partial

from trex.perf.work.operand import Count, Formula, Operands, per_input


def _layer(operands: Operands) -> Count:
    return per_input(operands, 6 + operands.has(2))


def _local_response(operands: Operands) -> Count:
    return per_input(operands, max(1, operands.integer("size", 1)) + 4)


def _skip_layer(operands: Operands) -> Count:
    return per_input(operands, 7 + operands.has(3) + operands.has(4))


def _skip_root_mean_square(operands: Operands) -> Count:
    return per_input(operands, 5 + operands.has(3))


OPERATORS: dict[str, Formula] = {
    "BatchNormalization": partial(per_input, operations=2),
    "LayerNormalization": _layer,
    "InstanceNormalization": partial(per_input, operations=7),
    "GroupNormalization": partial(per_input, operations=7),
    "RMSNormalization": partial(per_input, operations=4),
    "LpNormalization": partial(per_input, operations=3),
    "MeanVarianceNormalization": partial(per_input, operations=5),
    "LRN": _local_response,
    # SimplifiedLayerNormalization was written into ONNX's own domain before it had RMSNormalization.
    "SimplifiedLayerNormalization": partial(per_input, operations=4),
    "com.microsoft::SimplifiedLayerNormalization": partial(per_input, operations=4),
    "com.microsoft::SkipLayerNormalization": _skip_layer,
    "com.microsoft::SkipSimplifiedLayerNormalization": _skip_root_mean_square,
    "com.microsoft::GroupNorm": partial(per_input, operations=7),
}
