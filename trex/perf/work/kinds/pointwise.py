"""Pointwise expression: a chain of elementwise operations that TensorRT compiled into one kernel.

Formula: no MACs. Other operations = output values · Σ(operations of the functions that the layer's record lists); an
exponential, a root or a comparison counts as one, a conversion as none. Bytes: inputs, stored operands and outputs
once.

Source: the record's own ``Operations`` (``pwgen::iMul(arg0, var3)``, one line each) or, without them, ``NbOperations``.

Does not hold for: functions that a device computes in several instructions (exp, erf, division), counted as one here.
"""

from __future__ import annotations

import re
from functools import lru_cache

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import largest_volume, layer_work, times
from trex.perf.work.work import Work

FORMULA = "other operations = output values·Σ(operations of the expression)"
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


def work(layer: Layer) -> Work:
    values = largest_volume(layer, inputs=False)
    per_value, reason, confidence = expression_operations(layer)
    terms = (("output values", values), ("operations per value", per_value))
    return layer_work(
        "pointwise", layer, 0, times(values, per_value), FORMULA, terms, confidence=confidence, reason=reason
    )


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
    return sum(_function_operations(name) for name in _CALL.findall(line))


def _function_operations(name: str) -> int:
    return 0 if _FREE.match(name) else _OF_SEVERAL.get(name.lower(), 1)


KIND = WorkKind(frozenset({"pointwise", "pointwiseexpression", "pwn"}), work)
