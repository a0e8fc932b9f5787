"""QdqReport → Document: what became of each Q/DQ, the reformats it causes, and how much of the work runs quantized."""

from __future__ import annotations

import math
from dataclasses import asdict

from trex.core.printable import printable
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.qdq_propagation import MOVED, OF_WEIGHTS
from trex.rules.qdq_report import STATUSES, CausedReformat, QdqOperation, QdqReport
from trex.rules.wording import cost, listed, shortened
from trex.views.document import Document, folder_of, section
from trex.views.table import Table, TableColumn


def qdq_document(engine: AnalyzedEngine, report: QdqReport) -> Document:
    """What ``trex qdq`` shows of one engine."""
    plan = engine.plan
    content = section(
        name="qdq",
        statements=report.notes,
        tables=qdq_tables(engine, report),
        data={
            "total_ms": engine.total_ms,
            "counts": {status: report.count(status) for status in STATUSES},
            **asdict(report),
            "conversions": [
                {
                    "from": conversion.reads.label,
                    "to": conversion.writes.label,
                    "copies": engine.indexes(conversion.copies),
                    "fused": engine.indexes(conversion.fused),
                    "cost_ms": conversion.cost_ms,
                }
                for conversion in engine.precision_map.conversions
            ],
        },
    )
    return Document(
        "qdq", plan.name, plan.provenance.statement, (content,), plan.notes, folder_of(plan.engine.source), report
    )


def qdq_tables(engine: AnalyzedEngine, report: QdqReport) -> list[Table]:
    """Operations, moved ones, caused reformats, coverage by type, junctions, conversions; all but the first only with
    rows.
    """
    statuses = ", ".join(f"{report.count(status)} {status}" for status in STATUSES if report.count(status))
    operations = Table(
        f"Q/DQ: {statuses or 'none'}",
        (TableColumn("operation"), TableColumn("status"), TableColumn("layer"), TableColumn("time", "ms", "ms")),
        tuple(
            (item.name, _status_text(item), item.conversion or item.layer_name, item.average_ms)
            for item in report.operations
        ),
        is_folded=True,
    )
    moved = Table(
        "Moved over operators that give the same result on quantized values",
        (TableColumn("operation"), TableColumn("over"), TableColumn("now in"), TableColumn("why")),
        tuple(
            (item.name, listed(item.propagation.over), shortened(item.layer_name), item.propagation.why)
            for item in report.operations
            if item.status == MOVED
        ),
    )
    reformats = {reformat.layer: reformat for item in report.operations for reformat in item.reformats}
    cost_ms = math.fsum(item.average_ms for item in reformats.values() if math.isfinite(item.average_ms))
    caused = Table(
        f"Reformats that Q/DQ cause: {len(reformats)}" + (f", {cost(cost_ms, engine)}" if cost_ms else ""),
        (TableColumn("operation"), TableColumn("reformat"), TableColumn("conversion"), TableColumn("time", "ms", "ms")),
        tuple(
            (item.name, _reformat_text(item, reformat), reformat.conversion, reformat.average_ms)
            for item in report.operations
            for reformat in item.reformats
        ),
    )
    coverage = Table(
        "Coverage by type of the data that layers read",
        (
            TableColumn("type"),
            TableColumn("layers", "count"),
            TableColumn("time", "ms", "ms"),
            TableColumn("share of time", "pct", "%"),
            TableColumn("share of MACs", "pct", "%"),
        ),
        tuple(
            (item.label, item.layers, item.sum_ms, 100 * item.time_share, 100 * item.macs_share)
            for item in report.coverage
        ),
    )
    junctions = Table(
        "Residual adds and concatenations: "
        f"{sum(item.is_quantized for item in report.junctions)} of {len(report.junctions)} stay quantized",
        (TableColumn("operation"), TableColumn("kind"), TableColumn("reads"), TableColumn("writes")),
        tuple((item.operation, item.kind, ", ".join(item.reads), ", ".join(item.writes)) for item in report.junctions),
    )
    conversions = Table(
        "Conversions between types",
        (
            TableColumn("conversion"),
            TableColumn("kernels that only convert", "count"),
            TableColumn("layers that convert on the way", "count"),
            TableColumn("cost", "ms", "ms"),
            TableColumn("share of time", "pct", "%"),
        ),
        tuple(
            (
                printable(item.label),
                len(item.copies),
                len(item.fused),
                item.cost_ms,
                100 * item.cost_ms / engine.total_ms,
            )
            for item in engine.precision_map.conversions
        ),
    )
    tables = (operations, moved, caused, coverage, junctions, conversions)
    return [table for table in tables if table.rows or table is operations]


def _status_text(operation: QdqOperation) -> str:
    is_of_weights = operation.propagation.status == OF_WEIGHTS
    return f"{operation.status}, weights" if is_of_weights else operation.status


def _reformat_text(operation: QdqOperation, reformat: CausedReformat) -> str:
    return "itself" if reformat.layer == operation.layer else reformat.layer_name
