"""Columns of performance: every perf.* column of the layers' DataFrame, with its unit, meaning and source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # columns are documented without numpy
    from trex.perf.performance import Performance
    from trex.perf.roofline import Roofline
    from trex.perf.tiling import Tiling
    from trex.perf.work.work import Work

NAN = float("nan")


@dataclass(frozen=True, slots=True)
class PerformanceColumn:
    """One column, as ``plan.columns.Column``. values: one per layer of ``plan.layers``."""

    name: str
    dtype: str
    unit: str
    meaning: str
    source: str
    values: Callable[[Performance], Sequence[Any]]


def page() -> str:
    """The columns as a part of the Markdown page of columns."""
    lines = [
        "## Performance",
        "",
        "`trex.add_performance(plan)` adds these to `plan.df`, even if its rows have changed. Formulas and their",
        "sources are in [performance.md](performance.md).",
        "",
        "| column | dtype | unit | meaning | source |",
        "| --- | --- | --- | --- | --- |",
    ]
    for column in PERFORMANCE_COLUMNS:
        lines.append(f"| `{column.name}` | {column.dtype} | {column.unit} | {column.meaning} | {column.source} |")
    return "\n".join(lines) + "\n"


def _of_work(value: Callable[[Work], Any]) -> Callable[[Performance], Sequence[Any]]:
    return lambda performance: [value(work) for work in performance.works]


def _of_roofline(value: Callable[[Roofline], Any]) -> Callable[[Performance], Sequence[Any]]:
    return lambda performance: value(performance.roofline).tolist()


def _of_tiling(value: Callable[[Tiling], float | None]) -> Callable[[Performance], Sequence[Any]]:
    def values(performance: Performance) -> list[float]:
        figures = (None if tiling is None else value(tiling) for tiling in performance.tilings)
        return [NAN if figure is None else figure for figure in figures]

    return values


def _number(
    name: str, unit: str, meaning: str, source: str, values: Callable[[Performance], Sequence[Any]]
) -> PerformanceColumn:
    return PerformanceColumn(f"perf.{name}", "float64", unit, meaning, source, values)


def _text(name: str, meaning: str, source: str, values: Callable[[Performance], Sequence[Any]]) -> PerformanceColumn:
    return PerformanceColumn(f"perf.{name}", "object", "", meaning, source, values)


PERFORMANCE_COLUMNS: tuple[PerformanceColumn, ...] = (
    _text("kind", "Kind of work whose formula was used; empty for none", "Work", _of_work(lambda w: w.kind)),
    _number("macs", "MACs", "MACs of the definition, each counted once", "Work", _of_roofline(lambda r: r.macs)),
    _number("other_ops", "operations", "All other arithmetic operations", "Work", _of_roofline(lambda r: r.other_ops)),
    _number("bytes", "bytes", "Read and written, each value once", "Work", _of_roofline(lambda r: r.bytes_moved)),
    _number(
        "memory_bytes",
        "bytes",
        "Bytes that the device's memory moves, if the L2 keeps as much as it can",
        "Cache",
        _of_roofline(lambda r: r.memory_bytes),
    ),
    _number(
        "confidence",
        "0 to 1",
        "Confidence of the work and its arithmetic: 1 from the file, 0 unknown",
        "Work, KernelArithmetic",
        _of_roofline(lambda r: r.confidence),
    ),
    _number(
        "intensity",
        "op/byte",
        "Operations done per byte read or written",
        "Roofline",
        _of_roofline(lambda r: r.intensity),
    ),
    _number(
        "ridge",
        "op/byte",
        "Intensity above which the layer's arithmetic, not the memory, is the limit",
        "Roofline",
        _of_roofline(lambda r: r.ridge),
    ),
    _text(
        "bound",
        "Limit: tensor cores, CUDA cores, memory, L2, launch or unknown",
        "Roofline",
        lambda performance: [bound.value for bound in performance.roofline.bounds],
    ),
    _number(
        "compute_ms",
        "ms",
        "Time of its arithmetic at the device's peak",
        "Roofline",
        _of_roofline(lambda r: r.compute_ms),
    ),
    _number(
        "memory_ms",
        "ms",
        "Time of its memory_bytes at the published bandwidth",
        "Roofline",
        _of_roofline(lambda r: r.memory_ms),
    ),
    _number("attainable_ms", "ms", "Time at its roofline", "Roofline", _of_roofline(lambda r: r.attainable_ms)),
    _number(
        "least_ms",
        "ms",
        "Physical limit of the time; a shorter time is a contradiction",
        "Roofline",
        _of_roofline(lambda r: r.least_ms),
    ),
    _number(
        "achieved_share",
        "0 to 1",
        "attainable_ms over the measured average; above 1.05 a contradiction",
        "Roofline, profile `averageMs`",
        _of_roofline(lambda r: r.achieved_share),
    ),
    _number(
        "achieved_tflops",
        "10¹² op/s",
        "Operations done over the measured average",
        "Work, profile `averageMs`",
        _of_roofline(lambda r: r.achieved_tflops),
    ),
    _number(
        "achieved_gb_per_s",
        "10⁹ byte/s",
        "Bytes moved over the measured average",
        "Work, profile `averageMs`",
        _of_roofline(lambda r: r.achieved_gb_per_s),
    ),
    _number(
        "achievable_share",
        "0 to 1",
        "Share of its roofline that a good kernel of its kind reaches",
        "Achievable",
        _of_roofline(lambda r: r.achievable_share),
    ),
    _number(
        "headroom_ms",
        "ms",
        "Savings at the achievable share",
        "Achievable",
        _of_roofline(lambda r: r.headroom_ms),
    ),
    _number(
        "tile_efficiency",
        "0 to 1",
        "Useful share of the MACs that its tiles compute",
        "Tiling",
        _of_tiling(lambda t: t.tile_efficiency),
    ),
    _number("waves", "waves", "Rounds of thread blocks over the SMs", "Tiling", _of_tiling(lambda t: t.waves)),
    _number(
        "wave_efficiency",
        "0 to 1",
        "Share of SMs that these waves occupy, with one block on each SM",
        "Tiling",
        _of_tiling(lambda t: t.wave_efficiency),
    ),
)
