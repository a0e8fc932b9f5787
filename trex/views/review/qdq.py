"""Fate of Q/DQ → Tables: what became of each, what it forces, and how much of the work runs quantized."""

from __future__ import annotations

import math

from trex.core.printable import printable
from trex.rules.analyzed_engine import Inspected
from trex.rules.qdq_propagation import OF_WEIGHTS
from trex.rules.qdq_report import FATES, MOVED, Fate, Forced, QdqReport
from trex.rules.wording import listed, priced, shortened
from trex.views.table import Table, TableColumn


def qdq_tables(seen: Inspected, report: QdqReport) -> list[Table]:
    """Fates, what moved, forced reformats, coverage by type, junctions, crossings; all but the first only with rows."""
    total = seen.total_ms
    fates = Table(
        "Q/DQ: " + (", ".join(f"{report.count(fate)} {fate}" for fate in FATES if report.count(fate)) or "none told"),
        (TableColumn("operation"), TableColumn("fate"), TableColumn("layer"), TableColumn("time", "ms", "ms")),
        tuple(
            (each.operation, _fate_words(each), each.conversion or each.layer_name, each.milliseconds)
            for each in report.fates
        ),
    )
    moved = Table(
        "Moved over what gives the same result on quantized values",
        (TableColumn("operation"), TableColumn("over"), TableColumn("now in"), TableColumn("because")),
        tuple(
            (each.operation, listed(each.move.over), shortened(each.layer_name), each.move.why)
            for each in report.fates
            if each.fate == MOVED
        ),
    )
    reformats = {forced.layer: forced for each in report.fates for forced in each.forces}
    cost = math.fsum(each.milliseconds for each in reformats.values() if math.isfinite(each.milliseconds))
    forced = Table(
        f"Reformats that Q/DQ force: {len(reformats)}" + (f", {priced(cost, total)}" if cost else ""),
        (TableColumn("operation"), TableColumn("reformat"), TableColumn("conversion"), TableColumn("time", "ms", "ms")),
        tuple(
            (each.operation, _reformat_words(each, forced), forced.conversion, forced.milliseconds)
            for each in report.fates
            for forced in each.forces
        ),
    )
    coverage = Table(
        "Coverage by type of the data that layers read",
        (
            TableColumn("type"),
            TableColumn("layers", "count"),
            TableColumn("time", "ms", "ms"),
            TableColumn("of the time", "pct", "%"),
            TableColumn("of the multiply-adds", "pct", "%"),
        ),
        tuple(
            (each.label, each.layers, each.milliseconds, 100 * each.time_share, 100 * each.macs_share)
            for each in report.coverage
        ),
    )
    junctions = Table(
        "Residual adds and concatenations: "
        f"{sum(each.is_quantized for each in report.junctions)} of {len(report.junctions)} stay quantized",
        (TableColumn("operation"), TableColumn("kind"), TableColumn("reads"), TableColumn("writes")),
        tuple((each.operation, each.kind, ", ".join(each.reads), ", ".join(each.writes)) for each in report.junctions),
    )
    crossings = Table(
        "Crossings between types",
        (
            TableColumn("crossing"),
            TableColumn("kernels that only convert", "count"),
            TableColumn("layers that convert on the way", "count"),
            TableColumn("cost", "ms", "ms"),
            TableColumn("of the time", "pct", "%"),
        ),
        tuple(
            (printable(each.label), len(each.copies), len(each.fused), each.cost_ms, 100 * each.cost_ms / total)
            for each in seen.precision_map.crossings
        ),
    )
    tables = (fates, moved, forced, coverage, junctions, crossings)
    return [each for each in tables if each.rows or each is fates]


def _fate_words(fate: Fate) -> str:
    return f"{fate.fate}, weights" if fate.move.place == OF_WEIGHTS else fate.fate


def _reformat_words(fate: Fate, forced: Forced) -> str:
    return "itself" if forced.layer == fate.layer else forced.layer_name
