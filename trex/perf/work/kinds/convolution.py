"""Convolution in any number of dimensions, grouped or not, with what is fused behind it.

Formula: macs = M · N · K with M = batch · Π(output extents), N = output channels, K = input channels / groups ·
Π(kernel). Other operations: per output value one for the bias, one per residual or other tensor added, and those of the
activation. Bytes: the input's values (a stride longer than the kernel skips some: a 1×1 kernel with stride 2 reads a
quarter), other inputs, weights and bias once, the output once; of weights with 2:4 sparsity that the kernel uses, half
of the values and two bits for the place of each.

Source: the implicit GEMM view of NVIDIA's "Convolutional Layers User's Guide" (M = N·P·Q, N = K, K = C·R·S).

Does not hold for: algorithms that multiply less (Winograd, FFT) and kernels that leave out sparse weights' products:
the work is that of the direct, dense convolution. Positions in the padding count like others, the scaling of quantized
values not at all. A device reads DRAM in sectors of 32 bytes: skipped values between those needed may come along.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.core.shape import shape_text, volume
from trex.perf.work.epilogue import epilogue
from trex.perf.work.kind import WorkKind
from trex.perf.work.made import AS_TOLD, made, output_volume, times
from trex.perf.work.parameters import part_read
from trex.perf.work.products import product_of_layer
from trex.perf.work.sparse_weights import reads_sparse_weights, sparse_bytes
from trex.perf.work.work import Work
from trex.plan.gemm import Gemm

FORMULA = "macs = M·N·K, M = batch·Π(output extents), N = output channels, K = input channels/groups·Π(kernel)"
BY_WEIGHTS = "macs = M·stored weights, M = batch·Π(output extents): each position meets every weight once"


def work(layer: Layer) -> Work:
    product = product_of_layer(layer)
    record = layer.raw
    confidence, reason, formula = 1.0, "", FORMULA
    terms: tuple[tuple[str, object], ...] = ()
    if product is None:
        product = _by_weights(layer)
        if product is not None:
            formula, confidence = BY_WEIGHTS, 0.8
            reason = "the file does not tell the kernel: taken from the number of stored weights"
    if product is None:
        macs = None
        reason = "the file does not tell the kernel" if "Kernel" not in record else ""
    else:
        macs = product.macs
        terms = (("M", product.m), ("N", product.n), ("K", product.k), ("kernel", _text(record.get("Kernel"))))
        terms += (("groups", record.get("Groups", 1)),)
    each, why = epilogue(layer)
    stored: int | None = AS_TOLD
    if reads_sparse_weights(layer):
        stored, confidence = sparse_bytes(layer), min(confidence, 0.8)
        reason = _and(reason, "sparse weights: two of four values are read, each with two bits that tell its place")
    if why:
        confidence, reason = min(confidence, 0.8), _and(reason, why)
    return made(
        "convolution",
        layer,
        macs,
        times(output_volume(layer) if product is None else product.m * product.n, each),
        formula,
        (*terms, ("fused operations per value", each)),
        product=product,
        confidence=confidence,
        reason=reason,
        read=_input_bytes(layer, "Kernel", ""),
        stored=stored,
    )


def _by_weights(layer: Layer) -> Gemm | None:
    """The product of a convolution whose kernel is not told, from the number of its weights."""
    count, shape = layer.weights_cnt, layer.outputs[0].shape if layer.outputs else None
    if not count or shape is None or len(shape) < 3 or not shape[1] or count % shape[1]:
        return None
    positions = volume((shape[0], *shape[2:]))
    return None if positions is None else Gemm(positions, shape[1], count // shape[1])


def _input_bytes(layer: Layer, window: str, prefix: str) -> int | None:
    """Bytes of all inputs, of the first only the part its windows touch; AS_TOLD when that is all of it."""
    if not layer.inputs or not layer.outputs:
        return AS_TOLD
    source = layer.inputs[0]
    part = part_read(source.shape, layer.outputs[0].shape, layer.raw, (window, prefix))
    if part is None or part == source.shape:
        return AS_TOLD
    others = {tensor.name: tensor.size_bytes for tensor in layer.inputs[1:] if tensor.name != source.name}
    sizes = [source.size_bytes_at(part), *others.values()]
    return None if None in sizes else sum(sizes)  # type: ignore[arg-type]


def _text(value: object) -> object:
    return shape_text(tuple(value)) if isinstance(value, list | tuple) else value


def _and(first: str, second: str) -> str:
    return f"{first}; {second}" if first else second


KIND = WorkKind(frozenset({"convolution", "conv"}), work)
