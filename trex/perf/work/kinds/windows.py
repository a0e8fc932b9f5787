"""Windows: pooling and resizing, each output value from its neighbors in the input.

Formula: no MACs. Other operations per output value: pooling n − 1 comparisons for the maximum of n values (n =
Π(window)), n for an average (n − 1 additions and a division), 2n + 2 for a blend of both; resizing none for the nearest
neighbor, 2n − 1 for an interpolation (n multiplications, n − 1 additions) from n = 2^D (linear) or 4^D (cubic)
neighbors over the D dimensions whose extent changes. Bytes: the input values that some window touches and the output,
once.

Source: TensorRT operators reference, Pooling; TensorRT's ResizeMode / InterpolationMode.

Does not hold for: kernels that share partial results between overlapping windows or dimensions, which take fewer
operations; the neighbors' weights and positions. Positions in the padding count as all others.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import FROM_TENSORS, output_volume, per_value_work
from trex.perf.work.parameters import part_read, pooling_operations
from trex.perf.work.work import Work

_MODE_KEYS = ("ResizeMode", "InterpolationMode", "Mode")


def pooling(layer: Layer) -> Work:
    formula = "other operations = output values·(n − 1) for a maximum, ·n for an average, n = Π(window)"
    per_value, is_known = pooling_operations(layer.raw)
    read: int | None = FROM_TENSORS
    if layer.inputs and layer.outputs:
        part = part_read(layer.inputs[0].shape, layer.outputs[0].shape, layer.raw, ("WindowSize", ""))
        if part is not None:
            read = layer.inputs[0].size_bytes_at(part)
    confidence, reason = 1.0, ""
    if per_value is None:
        reason = "unknown pooling window"
    elif not is_known:
        confidence, reason = 0.8, "unknown type of pooling: counted as a maximum"
    return per_value_work(
        "pooling", layer, output_volume(layer), per_value, formula, confidence=confidence, reason=reason, read=read
    )


def resize(layer: Layer) -> Work:
    formula = "other operations = output values·(2n − 1), n = 2^D (linear), 4^D (cubic), none for the nearest neighbor"
    mode = next((str(layer.raw[key]).upper() for key in _MODE_KEYS if isinstance(layer.raw.get(key), str)), "")
    changing = _changing(layer)
    per_value: int | None = None
    if "NEAREST" in mode:
        per_value = 0
    elif changing is not None and ("LINEAR" in mode or "CUBIC" in mode):
        per_value = 2 * (4 if "CUBIC" in mode else 2) ** changing - 1 if changing else 0
    reason = "" if per_value is not None else f"unknown interpolation ({mode or 'no mode'})"
    return per_value_work("resize", layer, output_volume(layer), per_value, formula, reason=reason)


def _changing(layer: Layer) -> int | None:
    """Number of dimensions whose extent changes."""
    source = layer.inputs[0].shape if layer.inputs else None
    output = layer.outputs[0].shape if layer.outputs else None
    if source is None or output is None or len(source) != len(output) or None in source or None in output:
        return None
    return sum(before != after for before, after in zip(source, output))


KINDS = (
    WorkKind(frozenset({"pooling", "pool", "maxpool", "avgpool"}), pooling),
    WorkKind(frozenset({"resize", "upsample"}), resize),
)
