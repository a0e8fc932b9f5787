"""A layer's roofline → the steps of its derivation, each a line with numbers and units."""

from __future__ import annotations

import math
from collections.abc import Iterator

from trex.core.layer import Role
from trex.perf.achievable import Bound, achievable
from trex.perf.performance import Performance
from trex.perf.roofline import LAUNCH_MS
from trex.perf.tiling import BLOCKS_PER_SM
from trex.views.table import byte_size

_SI = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def steps_of(performance: Performance, index: int) -> str:
    """How the figures of the layer at ``place`` of ``plan.layers`` come about, a step a line."""
    return "\n".join(_steps(performance, index))


def amount(value: float) -> str:
    """A large number with three digits and its decimal prefix: ``3.70 G``."""
    for step, prefix in _SI:
        if abs(value) >= step:
            return f"{value / step:.3g} {prefix}"
    return f"{value:.3g}"


def _steps(performance: Performance, index: int) -> Iterator[str]:
    yield from _work_steps(performance, index)
    if performance.plan.working_layers[index].role is not Role.KERNEL:
        yield "It launches no kernel, so it has no roofline."
    elif performance.device is None:
        yield from _relative_steps(performance, index)
    else:
        yield from _time_steps(performance, index)
        yield from _judgment(performance, index)
    yield from _tile_steps(performance, index)


def _work_steps(performance: Performance, index: int) -> Iterator[str]:
    work = performance.works[index]
    terms = ", ".join(f"{name} = {value}" for name, value in work.terms)
    yield f"work: {work.formula or 'no formula'}{f'; {terms}' if terms else ''}"
    if work.macs is not None and work.other_ops is not None:
        yield f"  {amount(work.macs)} MACs, {amount(work.other_ops)} other operations"
    elif work.macs is not None:
        yield f"  {amount(work.macs)} MACs; how many other operations is not known"
    if work.bytes_read is not None and work.bytes_written is not None:
        weights = f" (weights {byte_size(work.weights_bytes)})" if work.weights_bytes else ""
        yield f"  {byte_size(work.bytes_read)} read{weights}, {byte_size(work.bytes_written)} written"
    if work.reason:
        yield f"  confidence {work.confidence:.1f}: {work.reason}"


def _relative_steps(performance: Performance, index: int) -> Iterator[str]:
    roofline = performance.roofline
    if not math.isnan(roofline.intensity[index]):
        yield f"intensity: operations / bytes = {roofline.intensity[index]:.3g} operations a byte"
    if not math.isnan(roofline.achieved_gb_per_s[index]):
        yield f"achieved: bytes / {roofline.time_ms[index]:.4f} ms = {roofline.achieved_gb_per_s[index]:,.4g} GB/s"
    if not math.isnan(roofline.achieved_tflops[index]):
        yield f"achieved: operations / time = {roofline.achieved_tflops[index]:.3g} TFLOP/s"


def _time_steps(performance: Performance, index: int) -> Iterator[str]:
    roofline, device = performance.roofline, performance.device
    assert device is not None
    work, multiplication = performance.works[index], roofline.kernel_arithmetics[index]
    arithmetic = roofline.arithmetic[index]
    if work.macs and arithmetic is not None:
        rate = device.ops_per_s(arithmetic)
        share = f" · {multiplication.share:.3f}" if multiplication.share != 1 else ""
        yield f"GEMM: {multiplication.words}"
        if rate is not None:
            unit = "FLOP/s" if arithmetic.data_type.is_float else "OP/s"
            yield f"  {amount(rate.per_second)}{unit} = {rate.source}"
        else:
            unit = "OP/s"
            yield f"  {amount(roofline.rate[index])}{unit} at most: four times the rate of FP32, none is published"
        yield (
            f"  2 · {amount(work.macs)}{share} / {amount(roofline.rate[index])}{unit} "
            f"= {roofline.multiply_ms[index]:.4f} ms"
        )
    elif work.macs:
        yield f"GEMM: {multiplication.words}; this device's rate for them is not known"
    if work.other_ops:
        where = "next to the GEMM" if arithmetic is not None and arithmetic.tensor_core else "on CUDA cores"
        yield f"other operations, {where}: {amount(work.other_ops)} = {roofline.other_ms[index]:.4f} ms"
    bandwidth, l2 = device.bytes_per_s, device.l2_bytes_per_s
    moved, far = roofline.bytes_moved[index], roofline.memory_bytes[index]
    if bandwidth is not None and not math.isnan(moved):
        near = "" if far >= moved else f" of {byte_size(moved)} (the L2 may hold the rest)"
        gigabytes = f"{bandwidth.per_second / 1e9:,.4g} GB/s"
        yield f"memory: {byte_size(far)}{near} / {gigabytes} = {roofline.memory_ms[index]:.4f} ms"
    if l2 is not None and not math.isnan(moved):
        yield f"L2: {byte_size(moved)} / {l2.per_second / 1e9:,.4g} GB/s = {roofline.l2_ms[index]:.4f} ms"
    yield f"launch: a kernel takes at least {LAUNCH_MS:.4f} ms"


def _judgment(performance: Performance, index: int) -> Iterator[str]:
    roofline = performance.roofline
    bound, attainable, time = roofline.bounds[index], roofline.attainable_ms[index], roofline.time_ms[index]
    if index in performance.other_work:
        yield f"attainable: not comparable, as {performance.other_work[index]}"
        return
    if bound is Bound.UNKNOWN:
        yield "attainable: not known, as the work or a rate is not"
        return
    if roofline.impossible[index]:
        yield (
            f"It took {time:.4f} ms, though {roofline.least_ms[index]:.4f} ms are the least that this device needs: a "
            "contradiction (another device, higher clocks, work that was not done, data that stayed in the L2)"
        )
        return
    if time == attainable:
        yield f"It took {time:.4f} ms, no more than these allow (at least {roofline.least_ms[index]:.4f} ms): reached"
        return
    yield f"attainable: the longest of these, {attainable:.4f} ms: {bound.value}"
    if math.isnan(time):
        return
    yield f"reached: {attainable:.4f} / {time:.4f} ms = {100 * roofline.achieved_share[index]:.0f} %"
    good, part = achievable(bound, performance.works[index].kind), float(performance.prices.of_time[index])
    yield (
        f"could be saved: {time:.4f} − {attainable:.4f} / {good.share:.2f} = {roofline.headroom_ms[index]:.4f} ms "
        f"({good.share:.2f}: {good.source})"
    )
    if part < 1.0:
        yield (
            f"  without the cost of timing the layer: × {part:.2f} = {performance.headroom_ms[index]:.4f} ms "
            f"{performance.prices.kind}"
        )


def _tile_steps(performance: Performance, index: int) -> Iterator[str]:
    tiling = performance.tilings[index]
    if tiling is None:
        return
    sides = "×".join("?" if side is None else str(side) for side in tiling.tile)
    batch = f" {tiling.gemm.batch} times" if tiling.gemm.batch != 1 else ""
    yield (
        f"tiles: M×N×K = {tiling.gemm.m}×{tiling.gemm.n}×{tiling.gemm.k}{batch} in tiles of {sides}: "
        f"{100 * tiling.tile_efficiency:.0f} % of the padded MACs are useful"
    )
    if tiling.splits_k:
        yield "  each sum is split among blocks, the kernel's name does not contain how many"
    elif tiling.waves is not None and tiling.wave_efficiency is not None and tiling.tiles is not None:
        yield (
            f"  {tiling.tiles:,} tiles, {BLOCKS_PER_SM} at a time on each SM: {tiling.waves:,} "
            f"wave{'' if tiling.waves == 1 else 's'}, {100 * tiling.wave_efficiency:.0f} % full"
        )
