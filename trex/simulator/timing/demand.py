"""Demand: the resources that a layer needs, in milliseconds at the published rates, before any efficiency."""

from __future__ import annotations

from collections.abc import Sequence

from trex.core.data_type import DataType
from trex.core.frozen import frozen
from trex.core.layer import Layer
from trex.perf.cache import memory_bytes
from trex.perf.device import Device
from trex.perf.mac_rates import BYTE_TYPES
from trex.perf.work.work import Work
from trex.simulator.timing.machine import Machine
from trex.simulator.timing.tile import gemm_seconds
from trex.simulator.timing.time_kinds import (
    DEPTHWISE,
    FIRST_ON_CUDA_CORES,
    FIRST_ON_TENSOR_CORES,
    GEMMS,
    GEMV,
    HOST,
    NOTHING,
    UNKNOWN,
    kind_of_work,
    time_kind,
)


@frozen
class Demand:
    """kind: of ``time_kinds``. compute_ms: MACs, including tile and wave quantization, or other operations without
    MACs. far_ms, near_ms: of the bytes from memory, and from the L2. steps: sequential steps over K of one block.
    is_known: False if the MACs or bytes are unknown, so that the time is a guess. work: its kind of work, of
    ``time_kinds.kind_of_work``.
    """

    kind: str
    compute_ms: float
    far_ms: float
    near_ms: float
    steps: int
    is_known: bool
    work: str = ""


def demands_of(layers: Sequence[Layer], works: Sequence[Work], device: Device) -> tuple[Demand, ...]:
    """One Demand per layer, in their order."""
    machine = Machine(device)
    capacity = None if device.l2_mib is None else device.l2_mib * 1024 * 1024
    far, _ = memory_bytes(layers, works, capacity)
    return tuple(_demand(layer, work, moved, machine) for layer, work, moved in zip(layers, works, far.tolist()))


def _demand(layer: Layer, work: Work, far: float, machine: Machine) -> Demand:
    precision = layer.compute.data_type
    first_on_cuda = precision is DataType.FP32 or precision in BYTE_TYPES or not precision.is_known
    kind = time_kind(layer, work, first_on_cuda)
    if kind in (NOTHING, HOST):
        return Demand(kind, 0.0, 0.0, 0.0, 0, True)
    known = work.bytes_moved is not None
    moved = float(work.bytes_moved) if work.bytes_moved is not None else _known_bytes(layer, work)
    if not known:
        far = moved
    near = max(moved - far, 0.0)
    compute, steps = 0.0, 0
    if work.macs:
        compute, steps = _macs_ms(kind, work, precision, machine)
    elif work.macs is None and kind != UNKNOWN:
        known = False
    if kind not in GEMMS and work.other_ops:
        compute = max(compute, work.other_ops / machine.cuda * 1e3)
    far_ms, near_ms = far / machine.memory * 1e3, near / machine.l2 * 1e3
    return Demand(kind, compute, far_ms, near_ms, steps, known, kind_of_work(kind, precision))


def _macs_ms(kind: str, work: Work, precision: DataType, machine: Machine) -> tuple[float, int]:
    rate, item_bytes = machine.multiplied(precision, work.kind)
    macs = work.macs or 0.0
    if kind == FIRST_ON_CUDA_CORES:
        narrow = machine.dp4a_rate() if precision in BYTE_TYPES else machine.cuda
        return 2 * macs / (narrow if narrow > 0 else machine.cuda) * 1e3, 0
    if kind in (DEPTHWISE, GEMV):
        return 2 * macs / machine.cuda * 1e3, 0
    if kind == FIRST_ON_TENSOR_CORES or kind not in GEMMS:
        return 2 * macs / rate * 1e3, 0
    gemm = work.gemm
    if gemm is None or not gemm.macs:
        return 2 * macs / rate * 1e3, 0
    seconds, steps = gemm_seconds(
        gemm.m, gemm.n, gemm.k, gemm.batch, item_bytes, rate / 2 / machine.sm_count, machine.into_sm,
        machine.sm_count,
    )  # fmt: skip
    return seconds * 1e3, steps


def _known_bytes(layer: Layer, work: Work) -> float:
    """Bytes of the tensors and weights of known size: a lower bound of the bytes moved."""
    parts = [*(tensor.size_bytes for tensor in (*layer.inputs, *layer.outputs)), work.weights_bytes]
    return float(sum(part for part in parts if part))
