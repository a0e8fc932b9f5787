"""Resize: nearest, linear or cubic interpolation.

Formula: no MACs. Other operations per output value: none for the nearest neighbor; for an interpolation from n
neighbors n multiplications and n − 1 additions, with n = 2^D (linear) or 4^D (cubic) over the D dimensions whose extent
changes. Bytes: input and output once.

Source: the definition of the interpolation as a weighted sum of neighbors (TensorRT's ResizeMode / InterpolationMode).

Does not hold for: kernels that interpolate one dimension after the other, which take fewer operations, and the
computation of the neighbors' weights and positions.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import layer_work, output_volume, times
from trex.perf.work.work import Work

FORMULA = "other operations = output values·(2n − 1), n = 2^D (linear), 4^D (cubic), none for the nearest neighbor"
_KEYS = ("ResizeMode", "InterpolationMode", "Mode")


def work(layer: Layer) -> Work:
    mode = next((str(layer.raw[key]).upper() for key in _KEYS if isinstance(layer.raw.get(key), str)), "")
    values, changing = output_volume(layer), _changing(layer)
    per_value: int | None = None
    if "NEAREST" in mode:
        per_value = 0
    elif changing is not None and ("LINEAR" in mode or "CUBIC" in mode):
        per_value = 2 * (4 if "CUBIC" in mode else 2) ** changing - 1 if changing else 0
    terms = (("output values", values), ("dimensions that change", changing), ("operations per value", per_value))
    reason = "" if per_value is not None else f"unknown interpolation ({mode or 'no mode'})"
    return layer_work("resize", layer, 0, times(values, per_value), FORMULA, terms, reason=reason)


def _changing(layer: Layer) -> int | None:
    source = layer.inputs[0].shape if layer.inputs else None
    output = layer.outputs[0].shape if layer.outputs else None
    if source is None or output is None or len(source) != len(output) or None in source or None in output:
        return None
    return sum(before != after for before, after in zip(source, output))


KIND = WorkKind(frozenset({"resize", "upsample"}), work)
