"""Columns of performance: every perf.* column of the layers' DataFrame, with its unit, meaning and source."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from trex.plan.columns import NAN, Column, columns_table

if TYPE_CHECKING:  # columns are documented without numpy
    from trex.perf.performance import Performance


def page() -> str:
    """The columns as a part of the Markdown page of columns."""
    lines = [
        "## Performance",
        "",
        "`trex.add_performance(plan)` adds these to `plan.df`, even if its rows have changed. Formulas and their",
        "sources are in [performance.md](performance.md).",
        "",
        *columns_table(PERFORMANCE_COLUMNS),
    ]
    return "\n".join(lines) + "\n"


def _roofline(name: str, unit: str, meaning: str, source: str = "Roofline", attribute: str = "") -> Column[Performance]:
    """A column of ``Roofline``. attribute: its name there if it is another."""

    def values(performance: Performance) -> list[float]:
        result: list[float] = getattr(performance.roofline, attribute or name).tolist()
        return result

    return Column(f"perf.{name}", "float64", unit, meaning, source, values)


def _tiling(name: str, unit: str, meaning: str) -> Column[Performance]:
    def values(performance: Performance) -> list[float]:
        figures = (None if tiling is None else getattr(tiling, name) for tiling in performance.tilings)
        return [NAN if figure is None else figure for figure in figures]

    return Column(f"perf.{name}", "float64", unit, meaning, "Tiling", values)


def _text(name: str, meaning: str, source: str, values: Callable[[Performance], list[Any]]) -> Column[Performance]:
    return Column(f"perf.{name}", "object", "", meaning, source, values)


PERFORMANCE_COLUMNS: tuple[Column[Performance], ...] = (
    _text(
        "kind",
        "Kind of work whose formula was used; empty for none",
        "Work",
        lambda performance: [work.kind for work in performance.works],
    ),
    _roofline("macs", "MACs", "MACs of the definition, each counted once", "Work"),
    _roofline("other_ops", "operations", "All other arithmetic operations", "Work"),
    _roofline("bytes", "bytes", "Read and written, each value once", "Work", "bytes_moved"),
    _roofline(
        "memory_bytes", "bytes", "Bytes that the device's memory moves, if the L2 keeps as much as it can", "Cache"
    ),
    _roofline(
        "confidence",
        "0 to 1",
        "Confidence of the work and its arithmetic: 1 from the file, 0 unknown",
        "Work, KernelArithmetic",
    ),
    _roofline("intensity", "op/byte", "Operations done per byte read or written"),
    _roofline("ridge", "op/byte", "Intensity above which the layer's arithmetic, not the memory, is the limit"),
    _text(
        "bound",
        "Limit: tensor cores, CUDA cores, memory, L2, launch or unknown",
        "Roofline",
        lambda performance: [bound.value for bound in performance.roofline.bounds],
    ),
    _roofline("compute_ms", "ms", "Time of its arithmetic at the device's peak"),
    _roofline("memory_ms", "ms", "Time of its memory_bytes at the published bandwidth"),
    _roofline("attainable_ms", "ms", "Time at its roofline"),
    _roofline("least_ms", "ms", "Physical limit of the time; a shorter time is a contradiction"),
    _roofline(
        "achieved_share",
        "0 to 1",
        "attainable_ms over the measured time; above 1.05 a contradiction",
        "Roofline, layer times",
    ),
    _roofline(
        "achieved_tflops",
        "10¹² op/s",
        "Operations done over the measured time",
        "Work, layer times",
    ),
    _roofline(
        "achieved_gb_per_s",
        "10⁹ byte/s",
        "Bytes moved over the measured time",
        "Work, layer times",
    ),
    _roofline(
        "achievable_share", "0 to 1", "Share of its roofline that a good kernel of its kind reaches", "Achievable"
    ),
    Column(
        "perf.headroom_ms",
        "float64",
        "ms",
        "Savings at the achievable share, in GPU compute time if it is known",
        "Achievable, Prices",
        lambda performance: performance.headroom_ms.tolist(),
    ),
    _tiling("tile_efficiency", "0 to 1", "Useful share of the MACs that its tiles compute"),
    _tiling("waves", "waves", "Rounds of thread blocks over the SMs"),
    _tiling("wave_efficiency", "0 to 1", "Share of SMs that these waves occupy, with one block on each SM"),
)
