"""Elementwise: every output value depends on the input values at its own position.

Formula: no MACs. Other operations = output values · operations per value. Elementwise and unary functions, selections:
1 + those of the fused activation; an activation: those of its definition; a pointwise expression: the sum over the
functions that the record lists (conversions count as none); a scale (x · scale + shift) ^ power: the number of its
stored constants + those of the activation. Bytes: inputs, stored operands and outputs once; a broadcast operand counts
with its own, small size.

Source: TensorRT's ElementWiseOperation, UnaryOperation and ActivationType references, its operators reference, Scale;
an expression's own ``Operations`` (``pwgen::iMul(arg0, var3)``, one line each), else ``NbOperations``.

Does not hold for: functions that a device computes in several instructions (exp, erf, power, division), counted as one;
the rounding of a scale that quantizes.
"""

from __future__ import annotations

import re
from functools import lru_cache

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import largest_output, output_volume, per_value_work
from trex.perf.work.parameters import activation_operations
from trex.perf.work.work import Work

_CONSTANTS = ("Scale", "Shift", "Power")
_CALL = re.compile(r"pwgen::(\w+)")
_OF_SEVERAL = {
    "isigmoid": 4,
    "iclip": 2,
    "irelu": 1,
    "ileakyrelu": 2,
    "ielu": 4,
    "iselu": 5,
    "isoftplus": 5,
    "isoftsign": 3,
    "ihardsigmoid": 4,
    "igelu": 5,
    "igeluerf": 5,
    "igelutanh": 8,
    "iswish": 5,
}
_FREE = re.compile(r"i?(?:cast|convert|identity|copy|move|to[A-Z]|float|half|int)", re.IGNORECASE)


def elementwise(layer: Layer) -> Work:
    formula = "other operations = output values·(1 + operations of the activation)"
    activation = activation_operations(layer.raw)
    own = 0 if layer.type.lower() == "activation" and activation else 1
    if activation is None:
        reason = "an unknown activation counts as one operation"
        return per_value_work(
            "elementwise", layer, output_volume(layer), own + 1, formula, confidence=0.8, reason=reason
        )
    return per_value_work("elementwise", layer, output_volume(layer), own + activation, formula)


def pointwise(layer: Layer) -> Work:
    formula = "other operations = output values·Σ(operations of the expression)"
    per_value, reason, confidence = expression_operations(layer)
    values = largest_output(layer)
    return per_value_work("pointwise", layer, values, per_value, formula, confidence=confidence, reason=reason)


def expression_operations(layer: Layer) -> tuple[int | None, str, float]:
    """(operations per value, why it is unknown or approximate, confidence)."""
    lines = layer.raw.get("Operations")
    if isinstance(lines, list) and lines and all(isinstance(line, str) for line in lines):
        return sum(map(_line_operations, lines)), "", 1.0
    count = layer.raw.get("NbOperations")
    if type(count) is int and 0 <= count < 1 << 20:
        return count, "unknown expression: each of its steps counts as one operation", 0.8
    return None, "unknown expression", 0.5


@lru_cache(maxsize=4096)
def _line_operations(line: str) -> int:
    return sum(0 if _FREE.match(name) else _OF_SEVERAL.get(name.lower(), 1) for name in _CALL.findall(line))


def scale(layer: Layer) -> Work:
    formula = "other operations = values·(constants among scale, shift and power + operations of the activation)"
    constants = [layer.raw[key] for key in _CONSTANTS if key in layer.raw]
    if not constants:
        return per_value_work("scale", layer, output_volume(layer), None, formula, reason="unknown constants")
    used = sum(isinstance(value, dict) and value.get("Count") not in (0, None) for value in constants)
    per_value = used + (activation_operations(layer.raw) or 0)
    return per_value_work("scale", layer, output_volume(layer), per_value, formula)


_TYPES = {"elementwise", "unary", "activation", "select", "where", "parametricrelu", "clip", "relu", "compare"}

KINDS = (
    WorkKind(frozenset(_TYPES), elementwise),
    WorkKind(frozenset({"pointwise", "pointwiseexpression", "pwn"}), pointwise),
    WorkKind(frozenset({"scale", "batchnorm"}), scale),
)
