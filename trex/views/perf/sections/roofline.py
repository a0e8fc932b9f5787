"""Roofline: what bounds the layers, how much of what is attainable they reach, and where time could be saved."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from trex.core.counted import counted
from trex.core.layer import Role
from trex.perf.achievable import BOUNDS, Bound, achievable
from trex.perf.cache import Column
from trex.perf.performance import Performance
from trex.perf.roofline import Roofline, has_times_of_passes
from trex.perf.work.work import RUN_TIME_SHAPE
from trex.plan.implicit_batch import UNKNOWN_BATCH
from trex.plan.time_notes import TIMES_OF_OTHER_SHAPES
from trex.views.document import Detail, Section, SectionPlug, section
from trex.views.perf.roofline_steps import steps_of
from trex.views.table import Table, TableColumn, milliseconds

_WORDS = {
    Bound.TENSOR_CORES: "layers bound by tensor cores",
    Bound.CUDA_CORES: "layers bound by CUDA cores",
    Bound.MEMORY: "memory-bound layers",
    Bound.L2: "L2-bound layers",
    Bound.LAUNCH: "layers bound by their launch",
}
_WORTH_MS = 0.0005
_NOTABLE = 0.05
_MOST_DERIVED = 5


def make(performance: Performance, detail: Detail) -> Section | None:
    plan = performance.plan
    if not plan.working_layers:
        return None
    roofline = performance.roofline
    ranked = _ranking(performance)
    statements = tuple(_statements(performance))
    tables = [_by_bound(performance)] if roofline.device is not None else []
    tables.append(_ranking_table(performance, ranked, detail.top))
    return section(
        statements=statements,
        tables=tuple(tables),
        derivations=_derivations(performance, ranked[: min(detail.top, _MOST_DERIVED)]) if detail.explain else (),
        notes=tuple(note for note in roofline.notes if note.code != "no-device"),  # the first statement says it
        data={
            "total_time_ms": _sum(roofline.time_ms),
            "timed_layers": int(_timed(roofline).sum()),
            "total_attainable_ms": _sum(roofline.attainable_ms[_judged(roofline)]),
            "total_headroom_ms": _sum(performance.headroom_ms),
        },
    )


def bound_shares(roofline: Roofline) -> dict[Bound, float]:
    """What bounds layers → percent of the layers' time, those without any left out; empty without times."""
    total = float(np.nansum(roofline.time_ms))
    times = {bound: float(np.nansum(roofline.time_ms[roofline.bound == BOUNDS.index(bound)])) for bound in _WORDS}
    return {bound: 100 * ms / total for bound, ms in times.items() if ms > 0}


def _timed(roofline: Roofline) -> NDArray[np.bool_]:
    return ~np.isnan(roofline.time_ms)


def _is_timed(roofline: Roofline) -> bool:
    return bool(_timed(roofline).any())


def _judged(roofline: Roofline) -> NDArray[np.bool_]:
    """The layers whose attainable times are sums next to measured ones: those with a time, all without any."""
    timed = _timed(roofline)
    return timed if timed.any() else ~timed


def _ranking(performance: Performance) -> list[int]:
    """Places of layers: by headroom, then by time, then by what is attainable, largest first."""
    roofline = performance.roofline
    columns = (roofline.attainable_ms, roofline.time_ms, performance.headroom_ms)
    order = np.lexsort([-np.nan_to_num(column) for column in columns])
    return [int(index) for index in order]


def _statements(performance: Performance) -> Iterator[str]:
    roofline = performance.roofline
    if roofline.device is None:
        yield (
            "Which GPU this ran on is not known, so shares and bounds are not either: name it with --device NAME "
            "(trex devices lists them). Intensities and achieved rates need none."
        )
        return
    if not _is_timed(roofline):
        known = ~np.isnan(roofline.attainable_ms)
        has_times = any(time is not None and time.ms is not None for time in performance.plan.times)
        why = "are below the timer's resolution of 0.5 µs" if has_times else "were not measured"
        if any(note.code == TIMES_OF_OTHER_SHAPES for note in performance.notes):
            why = "are of other shapes: no shares"
        elif has_times_of_passes(performance.plan):
            why = "are of all passes of conditions and loops, the work is of one: no shares"
        if not known.any():
            yield f"Layer times {why}. The least that is attainable is unknown of all layers."
            return
        yield (
            f"Layer times {why}. On {roofline.device.name} the layers take "
            f"{milliseconds(float(np.nansum(roofline.attainable_ms)))} ms at the least that is attainable "
            f"({int(known.sum()):,} of {counted(len(known), 'layer')} known)."
        )
        return
    yield from _of_times(performance)


def _of_times(performance: Performance) -> Iterator[str]:
    roofline = performance.roofline
    total = float(np.nansum(roofline.time_ms))
    shares = {_WORDS[bound]: share for bound, share in bound_shares(roofline).items()}
    saved = np.nan_to_num(performance.headroom_ms)
    is_kernel = np.array([layer.role is Role.KERNEL for layer in performance.plan.working_layers], dtype=bool)
    unknown = is_kernel & roofline.is_own & (roofline.bound == BOUNDS.index(Bound.UNKNOWN))
    contradicted = float(np.nansum(roofline.time_ms[roofline.impossible]))
    if contradicted > _NOTABLE * total:
        name = "the device" if roofline.device is None else roofline.device.name
        part = _part(roofline, roofline.impossible, total)
        yield (
            f"These times and this device contradict each other: {part} took less time "
            f"than {name} needs at the very least. What follows cannot be believed; the notes list likely causes."
        )
    if not shares and unknown.any():
        yield _of_unknown(performance, unknown, total)
    if shares:
        (first, most), *rest = sorted(shares.items(), key=lambda one: -one[1])
        saving = "" if performance.is_bare_prediction else f"; {_saving(saved, performance)}"
        others = "".join(f", {words} {_percent(share)}" for words, share in rest)
        timed = _timed(roofline)
        part = "" if timed.all() else f" ({timed.sum():,} of {counted(len(timed), 'layer')} have a time)"
        yield f"{first[0].upper()}{first[1:]} take {most:.0f} % of the time{others}{saving}{part}."
        if performance.is_bare_prediction:
            yield "What could be saved is how far the time model lies from the roofline: no kernel was measured."
        elif saved.sum() >= _WORTH_MS:
            yield _where(saved)
    regions = np.array([work.kind == "region" for work in performance.works]) & (saved > 0)
    if regions.any():
        yield (
            f"Regions of many kernels are judged as if one did it all, {_part(roofline, regions, total)}: what goes "
            "through memory inside of them is not counted, so less can be saved there."
        )
    overhead = 0.0 if performance.is_bare_prediction else performance.prices.overhead_ms
    if overhead * len(roofline.time_ms) > _NOTABLE * total:
        yield (
            f"Timing the layers costs about {1000 * overhead:.1f} µs each (see Reconciliation): savings leave it out."
        )
    if shares and unknown.any():
        yield _of_unknown(performance, unknown, total)
    yield from _of_other_work(performance, total)
    if np.nansum(roofline.time_ms[~is_kernel]) > 0:
        yield f"Left out, as no kernel is launched: {_part(roofline, ~is_kernel, total)}."


def _of_other_work(performance: Performance, total: float) -> Iterator[str]:
    reasons = performance.other_work
    for reason in dict.fromkeys(reasons.values()):
        chosen = np.array([reasons.get(index) == reason for index in range(len(performance.works))], dtype=bool)
        yield f"Left out, as {reason}: {_part(performance.roofline, chosen, total)}."


def _of_unknown(performance: Performance, unknown: NDArray[np.bool_], total: float) -> str:
    if any(note.code == UNKNOWN_BATCH for note in performance.plan.notes):
        hint = " No file states the batch of the run."
    elif any(work.reason.startswith(RUN_TIME_SHAPE) for work in performance.works):
        hint = " Shapes of the optimization profile may help: --shapes opt."
    elif _has_origins(performance):
        hint = " The model that the engine was built from may help: --onnx FILE."
    else:
        hint = ""
    return (
        f"For {_part(performance.roofline, unknown, total)} the roofline is not known: what they compute or move, "
        f"or the rate for it, is unknown.{hint}"
    )


def _part(roofline: Roofline, chosen: NDArray[np.bool_], total: float) -> str:
    """How many layers, and of how much of the time."""
    share = 100 * float(np.nansum(roofline.time_ms[chosen])) / total
    return f"{counted(int(chosen.sum()), 'layer')} ({_percent(share)} of the time)"


def _percent(share: float) -> str:
    return "under 1 %" if 0 < share < 0.5 else f"{share:.0f} %"


def _has_origins(performance: Performance) -> bool:
    """Whether a model would help: none was given, and some layer of unknown work names its ONNX nodes."""
    layers = zip(performance.plan.working_layers, performance.works)
    return performance.plan.model is None and any(layer.origins and work.macs is None for layer, work in layers)


def _saving(saved: Column, performance: Performance) -> str:
    whole = f"{milliseconds(performance.prices.total_ms)} ms {performance.prices.kind}"
    if saved.sum() < _WORTH_MS:
        return f"of {whole} next to nothing could be saved"
    return f"{milliseconds(float(saved.sum()))} ms of {whole} could be saved"


def _where(saved: Column) -> str:
    half = int(np.searchsorted(np.cumsum(np.sort(saved)[::-1]), saved.sum() / 2)) + 1
    where = f" Half of it lies in {counted(half, 'layer')}." if len(saved) > 1 else ""
    return (
        "That is if every layer reached the share of its roofline that good kernels do (last column of the first "
        f"table).{where}"
    )


def _by_bound(performance: Performance) -> Table:
    roofline = performance.roofline
    total = float(np.nansum(roofline.time_ms))
    is_partial = _is_timed(roofline) and not _timed(roofline).all()
    rows = []
    for bound in BOUNDS:
        here = roofline.bound == BOUNDS.index(bound)
        count = int(here.sum())
        if not count:
            continue
        ms = _sum(roofline.time_ms[here])
        timed = here & _timed(roofline)
        attainable = _sum(roofline.attainable_ms[here & _judged(roofline)])
        known = bound is not Bound.UNKNOWN and ms is not None
        reached = 100 * (attainable or 0.0) / ms if known and ms else None
        good = _good_share(roofline, bound, here)
        rows.append(
            (
                bound.value,
                count,
                int(timed.sum()) if is_partial else None,
                ms,
                None if ms is None or not total else 100 * ms / total,
                attainable if bound is not Bound.UNKNOWN else None,
                reached,
                _sum(performance.headroom_ms[here]),
                None if math.isnan(good) else 100 * good,
            )
        )
    rows.sort(key=lambda row: -(row[3] or row[5] or 0.0))
    columns = (
        TableColumn("bound by"),
        TableColumn("layers", "count"),
        TableColumn("timed", "count", if_known=True),
        TableColumn("time", "ms", "ms", if_known=True),
        TableColumn("time %", "pct", if_known=True),
        TableColumn("attainable", "ms", "ms"),
        TableColumn("reached %", "pct", if_known=True),
        TableColumn("to save", "ms", "ms", if_known=True),
        TableColumn("good kernels reach %", "pct"),
    )
    return Table("Layers by what bounds them", columns, tuple(rows))


def _good_share(roofline: Roofline, bound: Bound, here: NDArray[np.bool_]) -> float:
    """What good kernels reach of all these layers together: copies among them may reach less than the others."""
    known = here & ~np.isnan(roofline.attainable_ms) & ~np.isnan(roofline.achievable_share)
    attainable = float(roofline.attainable_ms[known].sum())
    good_ms = float((roofline.attainable_ms[known] / roofline.achievable_share[known]).sum())
    return attainable / good_ms if good_ms else achievable(bound).share


def _ranking_table(performance: Performance, indexes: list[int], top: int) -> Table:
    plan, roofline = performance.plan, performance.roofline
    rows = []
    for index in indexes[:top]:
        tiling = performance.tilings[index]
        rows.append(
            (
                plan.working_layers[index].index,
                plan.working_layers[index].name,
                None if roofline.device is None else roofline.bounds[index].value,
                roofline.time_ms[index],
                roofline.attainable_ms[index],
                100 * roofline.achieved_share[index],
                performance.headroom_ms[index],
                roofline.achieved_tflops[index],
                roofline.achieved_gb_per_s[index],
                None if tiling is None else 100 * tiling.tile_efficiency,
                None if tiling is None or tiling.wave_efficiency is None else 100 * tiling.wave_efficiency,
            )
        )
    columns = (
        TableColumn("#", "count"),
        TableColumn("layer", "name"),
        TableColumn("bound by", if_known=True),
        TableColumn("time", "ms", "ms", if_known=True),
        TableColumn("attainable", "ms", "ms", if_known=True),
        TableColumn("reached %", "pct", if_known=True),
        TableColumn("to save", "ms", "ms", if_known=True),
        TableColumn("TOP/s", "rate", if_known=True),
        TableColumn("GB/s", "rate", if_known=True),
        TableColumn("tiles full %", "pct", if_known=True),
        TableColumn("waves full %", "pct", if_known=True),
    )
    title = _ranking_title(roofline, performance.is_bare_prediction)
    return Table(title, columns, tuple(rows), left_out=len(indexes) - len(rows), more="trex perf --top N")


def _ranking_title(roofline: Roofline, is_predicted: bool) -> str:
    if _is_timed(roofline):
        if roofline.device is None:
            return "Slowest layers"
        return "Layers furthest from their roofline" if is_predicted else "Where time could be saved"
    is_ranked = not np.isnan(roofline.attainable_ms).all()
    return "Layers that take longest at best" if is_ranked else "Layers in the order of execution"


def _derivations(performance: Performance, indexes: list[int]) -> tuple[tuple[str, str], ...]:
    layers = performance.plan.working_layers
    return tuple((f"{layers[index].index} {layers[index].name}", steps_of(performance, index)) for index in indexes)


def _sum(values: np.ndarray) -> float | None:
    """The sum of what is known, None when nothing is."""
    known = values[~np.isnan(values)]
    return float(known.sum()) if len(known) else None


SECTION = SectionPlug("Roofline", 40, make)
