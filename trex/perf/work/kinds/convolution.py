"""Convolution in any number of dimensions, grouped or not, with its fused epilogue.

Formula: macs = M · N · K with M = batch · Π(output extents), N = output channels, K = input channels / groups ·
Π(kernel). Other operations: per output value one for the bias, one per residual or other added tensor, and those of the
activation. Bytes: the input's values (a stride longer than the kernel skips some: a 1×1 kernel with stride 2 reads a
quarter), other inputs, weights and bias once, the output once; with 2:4 sparse weights half of the weights and two bits
of index for each.

Source: the implicit GEMM view of NVIDIA's "Convolutional Layers User's Guide" (M = N·P·Q, N = K, K = C·R·S).

Does not hold for: algorithms that multiply less (Winograd, FFT) and kernels that skip the MACs of sparse weights: the
work is that of the direct, dense convolution. Positions in the padding count as all others, the scaling of quantized
values does not count. A device reads DRAM in sectors of 32 bytes, so skipped values may be read along with needed ones.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.core.shape import shape_text, volume
from trex.perf.work.epilogue import epilogue
from trex.perf.work.gemm_shape import gemm_shape_of
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import FROM_TENSORS, layer_work, output_volume, times
from trex.perf.work.parameters import part_read
from trex.perf.work.stored_operands import reads_sparse_weights, sparse_bytes
from trex.perf.work.work import Work
from trex.plan.gemm import Gemm

FORMULA = "macs = M·N·K, M = batch·Π(output extents), N = output channels, K = input channels/groups·Π(kernel)"
BY_WEIGHTS = "macs = M·stored weights, M = batch·Π(output extents): every weight once per position"


def work(layer: Layer) -> Work:
    gemm = gemm_shape_of(layer)
    record = layer.raw
    confidence, reason, formula = 1.0, "", FORMULA
    terms: tuple[tuple[str, object], ...] = ()
    if gemm is None:
        gemm = _by_weights(layer)
        if gemm is not None:
            formula, confidence = BY_WEIGHTS, 0.8
            reason = "unknown kernel size: inferred from the number of stored weights"
    if gemm is None:
        macs = None
        reason = "unknown kernel size" if "Kernel" not in record else ""
    else:
        macs = gemm.macs
        terms = (("M", gemm.m), ("N", gemm.n), ("K", gemm.k), ("kernel", _text(record.get("Kernel"))))
        terms += (("groups", record.get("Groups", 1)),)
    per_value, why = epilogue(layer)
    stored: int | None = FROM_TENSORS
    if reads_sparse_weights(layer):
        stored, confidence = sparse_bytes(layer), min(confidence, 0.8)
        reason = _and(reason, "sparse weights: two of four values are read, each with a 2-bit index")
    if why:
        confidence, reason = min(confidence, 0.8), _and(reason, why)
    return layer_work(
        "convolution",
        layer,
        macs,
        times(output_volume(layer) if gemm is None else gemm.m * gemm.n, per_value),
        formula,
        (*terms, ("fused operations per value", per_value)),
        gemm=gemm,
        confidence=confidence,
        reason=reason,
        read=_input_bytes(layer, "Kernel", ""),
        stored=stored,
    )


def _by_weights(layer: Layer) -> Gemm | None:
    """The GEMM of a convolution of unknown kernel, from the number of its weights."""
    count, shape = layer.weights_cnt, layer.outputs[0].shape if layer.outputs else None
    if not count or shape is None or len(shape) < 3 or not shape[1] or count % shape[1]:
        return None
    positions = volume((shape[0], *shape[2:]))
    return None if positions is None else Gemm(positions, shape[1], count // shape[1])


def _input_bytes(layer: Layer, window: str, prefix: str) -> int | None:
    """Bytes of all inputs, of the first only the part that its windows touch; FROM_TENSORS if that is all of it."""
    if not layer.inputs or not layer.outputs:
        return FROM_TENSORS
    source = layer.inputs[0]
    part = part_read(source.shape, layer.outputs[0].shape, layer.raw, (window, prefix))
    if part is None or part == source.shape:
        return FROM_TENSORS
    others = {tensor.name: tensor.size_bytes for tensor in layer.inputs[1:] if tensor.name != source.name}
    sizes = [source.size_bytes_at(part), *others.values()]
    return None if None in sizes else sum(sizes)  # type: ignore[arg-type]


def _text(value: object) -> object:
    return shape_text(tuple(value)) if isinstance(value, list | tuple) else value


def _and(first: str, second: str) -> str:
    return f"{first}; {second}" if first else second


KIND = WorkKind(frozenset({"convolution", "conv"}), work)
