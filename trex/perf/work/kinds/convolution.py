"""Convolution and deconvolution in any number of dimensions, grouped or not, with their fused epilogue or pooling.

Formula: macs = M · N · K. Convolution: M = batch · Π(output extents), N = output channels, K = input channels / groups
· Π(kernel). Deconvolution: M = batch · Π(input extents), N = output channels · Π(kernel), K = input channels / groups.
Myelin's ``correlation`` and ``deconv`` record neither kernel nor groups: both follow from the filter's shape.
ConvActPool (convolution, activation and pooling in one kernel): as a convolution, whose output, which is never written,
has the extents ⌊(input + padding − dilation · (kernel − 1) − 1) / stride⌋ + 1. Other operations: per output value one
for the bias, one per residual or other added tensor, and those of the activation; then those of the pooling. Bytes: the
input's values (a stride longer than the kernel skips some: a 1×1 kernel with stride 2 reads a quarter), other inputs,
weights and bias once, the output once; with 2:4 sparse weights half of the weights and two bits of index for each.

Source: the implicit GEMM view of NVIDIA's "Convolutional Layers User's Guide" (M = N·P·Q, N = K, K = C·R·S); Dumoulin
and Visin, "A guide to convolution arithmetic for deep learning", chapter 4, for deconvolution; TensorRT's PaddingMode
reference.

Does not hold for: algorithms that multiply less (Winograd, FFT) and kernels that skip the MACs of sparse weights: the
work is that of the direct, dense convolution. Positions in the padding count as all others, the scaling of quantized
values does not count. Channels that Myelin pads (an image's three to four, those of an INT8 group to four) count as
recorded; its records state no stride, so all of the input counts as read. A device reads DRAM in sectors of 32 bytes,
so skipped values may be read along with needed ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trex.core.layer import Layer
from trex.core.shape import Shape, shape_text, volume
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import FROM_TENSORS, joined, layer_work, output_volume, sum_of, times
from trex.perf.work.named_operations import activation_in_names
from trex.perf.work.parameters import activation_operations, part_read, pooling_operations
from trex.perf.work.stored_operands import reads_sparse_weights, sparse_bytes
from trex.perf.work.work import Work
from trex.plan.gemm import Gemm, gemm_of
from trex.plan.listed_operands import CONSTANTS, filter_of

FORMULA = "macs = M·N·K, M = batch·Π(output extents), N = output channels, K = input channels/groups·Π(kernel)"
NO_FILTER = "no operand fits the shapes as the filter"
BY_WEIGHTS = "macs = M·stored weights, M = batch·Π(output extents): every weight once per position"
_INFERRED = "unknown kernel size: inferred from the number of stored weights"


def convolution(layer: Layer) -> Work:
    gemm = gemm_of(layer)
    record = layer.raw
    confidence, reason, formula = 1.0, "", FORMULA
    if gemm is None and CONSTANTS not in record:
        gemm = _by_weights(layer, layer.outputs[0].shape if layer.outputs else None)
        if gemm is not None:
            formula, confidence, reason = BY_WEIGHTS, 0.8, _INFERRED
    if gemm is None:
        terms: tuple[tuple[str, object], ...] = ()
        reason = _unknown_kernel(layer)
    else:
        filters = filter_of(layer)
        kernel = record.get("Kernel") if filters is None else filters.window
        shown = shape_text(tuple(kernel)) if isinstance(kernel, list | tuple) else kernel
        groups = record.get("Groups", 1) if filters is None else filters.groups
        terms = (*_terms(gemm), ("kernel", shown), ("groups", groups))
        if formula == FORMULA and _is_contradicted(record, gemm):
            confidence, reason = 0.5, "its kernel and its number of stored weights contradict each other"
    per_value, why = epilogue(layer)
    stored: int | None = FROM_TENSORS
    if reads_sparse_weights(layer):
        stored, confidence = sparse_bytes(layer), min(confidence, 0.8)
        reason = joined(reason, "sparse weights: two of four values are read, each with a 2-bit index")
    if why:
        confidence, reason = min(confidence, 0.8), joined(reason, why)
    return layer_work(
        "convolution",
        layer,
        None if gemm is None else gemm.macs,
        times(output_volume(layer) if gemm is None else gemm.m * gemm.n, per_value),
        formula,
        (*terms, ("fused operations per value", per_value)),
        gemm=gemm,
        confidence=confidence,
        reason=reason,
        read=_input_bytes(layer),
        stored=stored,
    )


def deconvolution(layer: Layer) -> Work:
    formula = "macs = M·N·K, M = batch·Π(input extents), N = output channels·Π(kernel), K = input channels/groups"
    gemm = gemm_of(layer)
    per_value, why = epilogue(layer)
    confidence, reason = (0.8, why) if why else (1.0, "")
    if gemm is None and CONSTANTS not in layer.raw:
        inferred = _by_weights(layer, layer.inputs[0].shape if layer.inputs else None)
        if inferred is not None:
            gemm = Gemm(inferred.m, inferred.k, inferred.n)
            confidence, reason = 0.8, _INFERRED
    return layer_work(
        "deconvolution",
        layer,
        None if gemm is None else gemm.macs,
        times(output_volume(layer), per_value),
        formula,
        (*_terms(gemm), ("fused operations per value", per_value)),
        gemm=gemm,
        confidence=confidence,
        reason=reason if gemm is not None else joined(_unknown_kernel(layer), reason),
    )


def convolution_and_pooling(layer: Layer) -> Work:
    formula = "macs = M·N·K of the convolution before the pooling, M = batch·Π(its output extents)"
    gemm = gemm_of(layer)
    activation = activation_operations(layer.raw, "Conv" if "ConvKernel" in layer.raw else "Convolution")
    per_value = sum(weights.kind == "bias" for weights in layer.weights) + (1 if activation is None else activation)
    between = None if gemm is None else gemm.m * gemm.n
    pooled, _ = pooling_operations(layer.raw, "Pooling")
    pooling = times(output_volume(layer), pooled)
    fused = times(between, per_value)
    terms = () if gemm is None else (*_terms(gemm), ("values before pooling", between))
    reason = "" if activation is not None else "an unknown activation counts as one operation"
    if pooled is None:
        reason = joined(reason, "unknown pooling window")
    return layer_work(
        "convolution-and-pooling",
        layer,
        None if gemm is None else gemm.macs,
        None if fused is None or pooling is None else fused + pooling,
        formula,
        (*terms, ("fused operations per value", per_value), ("pooling operations per output value", pooled)),
        gemm=gemm,
        confidence=1.0 if activation is not None else 0.8,
        reason=reason or ("unknown kernel size" if gemm is None else ""),
    )


def epilogue(layer: Layer) -> tuple[int | None, str]:
    """(operations per output value after the MACs, why they are unknown or approximate).

    One for a bias, one for each further tensor added (a residual), and those of the activation. Myelin's convolutions
    record none of them: operands beyond the filter are added (or scales), activations come from the names of the ONNX
    nodes.
    """
    record = layer.raw
    if layer.type in ("conv", "correlation", "deconv"):
        operands = len(layer.inputs) + sum(weights.count != 1 for weights in layer.weights)
        named = activation_in_names(layer.origins)
        return max(0, operands - 2) + named, "activation inferred from the names of the ONNX nodes" if named else ""
    if "Activation" not in record and "HasReLU" not in record:
        return None, "unknown epilogue"
    count = int("bias" in [weights.kind for weights in layer.weights])
    count += max(0, len(layer.inputs) - 1 - (record.get("HasDynamicFilter") in (1, True)))
    activation = activation_operations(record)
    if activation is None:
        return count + 1, "an unknown activation counts as one operation"
    return count + activation, ""


def _unknown_kernel(layer: Layer) -> str:
    """Why the GEMM of a convolution is unknown, "" if other figures of the record are the reason."""
    if CONSTANTS in layer.raw:
        return "" if filter_of(layer) is not None else NO_FILTER
    return "unknown kernel size" if "Kernel" not in layer.raw else ""


def _terms(gemm: Gemm | None) -> tuple[tuple[str, object], ...]:
    return () if gemm is None else (("M", gemm.m), ("N", gemm.n), ("K", gemm.k))


def _is_contradicted(record: Mapping[str, Any], gemm: Gemm) -> bool:
    """Whether the record's number of weights is another than its kernel's: equal in 607 records of real engines."""
    weights = record.get("Weights")
    count = weights.get("Count") if isinstance(weights, dict) else None
    return type(count) is int and count > 0 and count != gemm.n * gemm.k


def _by_weights(layer: Layer, shape: Shape | None) -> Gemm | None:
    """The GEMM of a layer of unknown kernel: each stored weight once per position of ``shape``, N its channels. With an
    implicit batch, before TensorRT 10, the channels come first.
    """
    count, kernel = layer.weights_cnt, layer.raw.get("Kernel")
    if not count or shape is None or len(shape) < 3:
        return None
    axis = 0 if isinstance(kernel, list) and len(kernel) == len(shape) - 1 else 1
    channels, positions = shape[axis], volume((*shape[:axis], *shape[axis + 1 :]))
    if positions is None or not channels or count % channels:
        return None
    return Gemm(positions, channels, count // channels)


def _input_bytes(layer: Layer) -> int | None:
    """Bytes of all inputs, of the first only the part that its windows touch; FROM_TENSORS if that is all of it."""
    if not layer.inputs or not layer.outputs:
        return FROM_TENSORS
    source = layer.inputs[0]
    part = part_read(source.shape, layer.outputs[0].shape, layer.raw, ("Kernel", ""))
    if part is None or part == source.shape:
        return FROM_TENSORS
    others = {tensor.name: tensor.size_bytes for tensor in layer.inputs[1:] if tensor.name != source.name}
    return sum_of([source.size_bytes_at(part), *others.values()])


KINDS = (
    WorkKind(frozenset({"convolution", "conv", "correlation"}), convolution),
    WorkKind(frozenset({"deconvolution", "deconv"}), deconvolution),
    WorkKind(frozenset({"convactpool"}), convolution_and_pooling),
)
