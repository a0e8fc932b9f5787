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


def steps_of(performance: Performance, place: int) -> str:
    """How the figures of the layer at ``place`` of ``plan.layers`` come about, a step a line."""
    return "\n".join(_steps(performance, place))


def amount(value: float) -> str:
    """A large number with three digits and its decimal prefix: ``3.70 G``."""
    for step, prefix in _SI:
        if abs(value) >= step:
            return f"{value / step:.3g} {prefix}"
    return f"{value:.3g}"


def _steps(performance: Performance, place: int) -> Iterator[str]:
    yield from _work_steps(performance, place)
    if performance.plan.layers[place].role is not Role.KERNEL:
        yield "It launches no kernel of which a roofline could be told."
    elif performance.device is None:
        yield from _relative_steps(performance, place)
    else:
        yield from _time_steps(performance, place)
        yield from _judgment(performance, place)
    yield from _tile_steps(performance, place)


def _work_steps(performance: Performance, place: int) -> Iterator[str]:
    work = performance.works[place]
    terms = ", ".join(f"{name} = {value}" for name, value in work.terms)
    yield f"work: {work.formula or 'no formula'}{f'; {terms}' if terms else ''}"
    if work.macs is not None and work.other_ops is not None:
        yield f"  {amount(work.macs)} multiply-adds, {amount(work.other_ops)} other operations"
    elif work.macs is not None:
        yield f"  {amount(work.macs)} multiply-adds; how many other operations is not known"
    if work.bytes_read is not None and work.bytes_written is not None:
        weights = f" (weights {byte_size(work.weights_bytes)})" if work.weights_bytes else ""
        yield f"  {byte_size(work.bytes_read)} read{weights}, {byte_size(work.bytes_written)} written"
    if work.reason:
        yield f"  confidence {work.confidence:.1f}: {work.reason}"


def _relative_steps(performance: Performance, place: int) -> Iterator[str]:
    roofline = performance.roofline
    if not math.isnan(roofline.intensity[place]):
        yield f"intensity: operations / bytes = {roofline.intensity[place]:.3g} operations a byte"
    if not math.isnan(roofline.achieved_gb_per_s[place]):
        yield f"achieved: bytes / {roofline.time_ms[place]:.4f} ms = {roofline.achieved_gb_per_s[place]:,.4g} GB/s"
    if not math.isnan(roofline.achieved_tflops[place]):
        yield f"achieved: operations / time = {roofline.achieved_tflops[place]:.3g} TFLOP/s"


def _time_steps(performance: Performance, place: int) -> Iterator[str]:
    roofline, device = performance.roofline, performance.device
    assert device is not None
    work, multiplication = performance.works[place], roofline.kernel_arithmetics[place]
    arithmetic = roofline.arithmetic[place]
    if work.macs and arithmetic is not None:
        rate = device.ops_per_s(arithmetic)
        share = f" · {multiplication.share:.3f}" if multiplication.share != 1 else ""
        yield f"products: {multiplication.words}"
        if rate is not None:
            unit = "FLOP/s" if arithmetic.data_type.is_float else "OP/s"
            yield f"  {amount(rate.per_second)}{unit} = {rate.source}"
        else:
            unit = "OP/s"
            yield f"  {amount(roofline.rate[place])}{unit} at most: four times the rate of FP32, none is published"
        yield (
            f"  2 · {amount(work.macs)}{share} / {amount(roofline.rate[place])}{unit} "
            f"= {roofline.multiply_ms[place]:.4f} ms"
        )
    elif work.macs:
        yield f"products: {multiplication.words}; this device's rate for them is not known"
    if work.other_ops:
        where = "beside the products" if arithmetic is not None and arithmetic.tensor_core else "on CUDA cores"
        yield f"other operations, {where}: {amount(work.other_ops)} = {roofline.other_ms[place]:.4f} ms"
    bandwidth, l2 = device.bytes_per_s, device.l2_bytes_per_s
    moved, far = roofline.bytes_moved[place], roofline.memory_bytes[place]
    if bandwidth is not None and not math.isnan(moved):
        near = "" if far >= moved else f" of {byte_size(moved)} (the L2 may hold the rest)"
        gigabytes = f"{bandwidth.per_second / 1e9:,.4g} GB/s"
        yield f"memory: {byte_size(far)}{near} / {gigabytes} = {roofline.memory_ms[place]:.4f} ms"
    if l2 is not None and not math.isnan(moved):
        yield f"L2: {byte_size(moved)} / {l2.per_second / 1e9:,.4g} GB/s = {roofline.l2_ms[place]:.4f} ms"
    yield f"launch: a kernel takes at least {LAUNCH_MS:.4f} ms"


def _judgment(performance: Performance, place: int) -> Iterator[str]:
    roofline = performance.roofline
    bound, attainable, time = roofline.bounds[place], roofline.attainable_ms[place], roofline.time_ms[place]
    if bound is Bound.UNKNOWN:
        yield "attainable: not known, as the work or a rate is not"
        return
    if roofline.impossible[place]:
        yield (
            f"It took {time:.4f} ms, though {roofline.least_ms[place]:.4f} ms are the least that this device needs: a "
            "contradiction (another device, higher clocks, work that was not done, data that stayed in the L2)"
        )
        return
    if time == attainable:
        yield f"It took {time:.4f} ms, no more than these allow (at least {roofline.least_ms[place]:.4f} ms): reached"
        return
    yield f"attainable: the longest of these, {attainable:.4f} ms: {bound.value}"
    if math.isnan(time):
        return
    yield f"reached: {attainable:.4f} / {time:.4f} ms = {100 * roofline.achieved_share[place]:.0f} %"
    good = achievable(bound, performance.works[place].kind)
    yield (
        f"could be saved: {time:.4f} − {attainable:.4f} / {good.share:.2f} = {roofline.headroom_ms[place]:.4f} ms "
        f"({good.share:.2f}: {good.source})"
    )


def _tile_steps(performance: Performance, place: int) -> Iterator[str]:
    tiling = performance.tilings[place]
    if tiling is None:
        return
    sides = "×".join("?" if side is None else str(side) for side in tiling.tile)
    batch = f" {tiling.batch} times" if tiling.batch != 1 else ""
    yield (
        f"tiles: M×N×K = {tiling.m}×{tiling.n}×{tiling.k}{batch} in tiles of {sides}: "
        f"{100 * tiling.tile_efficiency:.0f} % of the padded products are useful"
    )
    if tiling.splits_k:
        yield "  each sum is split among blocks, how many the kernel's name does not tell"
    elif tiling.waves is not None and tiling.wave_efficiency is not None and tiling.tiles is not None:
        yield (
            f"  {tiling.tiles:,} tiles, {BLOCKS_PER_SM} at a time on each SM: {tiling.waves:,} "
            f"wave{'' if tiling.waves == 1 else 's'}, {100 * tiling.wave_efficiency:.0f} % full"
        )
