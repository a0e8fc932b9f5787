"""Time kinds: groups of layers that share an efficiency, and the group of a layer.

They are fewer than the kinds of work: layers are distinguished only if real engines take different times for the same
bytes and MACs. A kind does not depend on kernel names, which a simulated engine does not have.
"""

from __future__ import annotations

from trex.core.data_type import DataType
from trex.core.layer import Layer, Role
from trex.perf.work.work import Work
from trex.plan.gemm import groups_of
from trex.plan.listed_operands import source_of

NOTHING = "nothing"
HOST = "host"
CONVOLUTION = "convolution"
LINEAR_CONVOLUTION = "convolution of a linear layout"
FIRST_ON_TENSOR_CORES = "first convolution on tensor cores"
FIRST_ON_CUDA_CORES = "first convolution on CUDA cores"
DEPTHWISE = "depthwise convolution"
GEMM = "GEMM"
GEMV = "GEMV"
ATTENTION = "attention"
POOLING = "pooling"
POINTWISE = "pointwise"
REFORMAT = "reformat"
NARROW_REFORMAT = "reformat of few channels"
MOVEMENT = "movement"
NARROW_MOVEMENT = "movement of few channels"
REDUCTION = "reduction"
GENERATED = "generated kernel"
REGION = "region"
UNKNOWN = "plugin or unknown"

GEMMS = frozenset({CONVOLUTION, LINEAR_CONVOLUTION, FIRST_ON_TENSOR_CORES, FIRST_ON_CUDA_CORES, GEMM, GEMV})
"""Kinds whose MACs are cut into tiles."""

MULTIPLYING = GEMMS | {DEPTHWISE, ATTENTION}
"""Kinds whose kernels differ by precision; the others move bytes, of whichever type."""

FEW_CHANNELS = 4
"""Images have three; TensorRT has special kernels for up to four, which are far from the peak."""
FEW_ROWS = 4
"""A GEMM of so few rows reads each weight for a handful of MACs: it is bound by reading them."""

_BY_WORK = {
    "no-work": NOTHING,
    "attention": ATTENTION,
    "pooling": POOLING,
    "pointwise": POINTWISE,
    "elementwise": POINTWISE,
    "scale": POINTWISE,
    "movement": MOVEMENT,
    "slice": MOVEMENT,
    "gather": MOVEMENT,
    "scatter": MOVEMENT,
    "concatenation": MOVEMENT,
    "resize": MOVEMENT,
    "softmax": REDUCTION,
    "normalization": REDUCTION,
    "reduce": REDUCTION,
    "top-k": REDUCTION,
    "generated-kernel": GENERATED,
    "region": REGION,
}


def kind_of_work(kind: str, precision: DataType) -> str:
    """What an error bar counts as one kind of work: ``FP16 GEMM``, ``INT8 convolution``, ``pooling`` in any precision;
    "" for layers that launch no kernel.
    """
    if kind in (NOTHING, HOST):
        return ""
    return f"{precision.label} {kind}" if kind in MULTIPLYING and precision.is_known else kind


def time_kind(layer: Layer, work: Work, first_on_cuda: bool) -> str:
    """The kind of a layer. first_on_cuda: a first convolution of this precision runs on the CUDA cores."""
    if layer.role in (Role.SHAPE, Role.TRAIN_STATION):
        return HOST
    if layer.role is not Role.KERNEL:
        return NOTHING
    if work.kind in ("convolution", "convolution-and-pooling", "deconvolution"):
        return _convolution(layer, work, first_on_cuda)
    if work.kind == "reformat":
        return NARROW_REFORMAT if is_narrow(layer, 1) else REFORMAT
    if work.kind == "gemm" or (work.kind == "generated-kernel" and work.gemm is not None):
        return GEMV if work.gemm is not None and min(work.gemm.m or 1, work.gemm.n or 1) <= FEW_ROWS else GEMM
    kind = _BY_WORK.get(work.kind, UNKNOWN)
    return NARROW_MOVEMENT if kind == MOVEMENT and is_narrow(layer, 1, 3) else kind


def _convolution(layer: Layer, work: Work, first_on_cuda: bool) -> str:
    groups = groups_of(layer)
    channels = channels_of(layer)
    if isinstance(groups, int) and groups > 1 and channels is not None and channels <= FEW_CHANNELS * groups:
        return DEPTHWISE
    if channels is not None and channels <= FEW_CHANNELS and work.kind != "deconvolution":
        fused = work.kind == "convolution-and-pooling"
        return FIRST_ON_CUDA_CORES if first_on_cuda and not fused else FIRST_ON_TENSOR_CORES
    if work.gemm is not None and 0 < work.gemm.m <= FEW_ROWS:
        return GEMV
    is_linear = layer.inputs and layer.inputs[0].format.layout == "linear"
    return LINEAR_CONVOLUTION if is_linear and layer.compute.data_type is DataType.FP32 else CONVOLUTION


def channels_of(layer: Layer) -> int | None:
    """Channels of the first or convolved input (a batch of images or volumes), None if unknown."""
    source = source_of(layer)
    shape = None if source is None else source.shape
    return shape[1] if shape is not None and len(shape) >= 3 else None


def is_narrow(layer: Layer, *axes: int) -> bool:
    """True if images have so few channels (along one of ``axes`` of their shape) that most of a packed vector is
    padding, or that adjacent values in one format are far apart in the other.
    """
    shape = layer.inputs[0].shape if layer.inputs else None
    if shape is None or len(shape) != 4:
        return False
    return any(1 < (shape[axis] or 0) <= FEW_CHANNELS for axis in axes)
