"""QdqReport → Document: what became of each Q/DQ, the reformats it causes, and how much of the work runs quantized."""

from __future__ import annotations

import math
from dataclasses import asdict

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.core.printable import printable
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.qdq_propagation import MOVED, OF_WEIGHTS
from trex.rules.qdq_report import STATUSES, CausedReformat, QdqOperation, QdqReport
from trex.rules.type_flow import QUANTIZED
from trex.rules.wording import cost, listed, shortened
from trex.views.document import Document, folder_of, section
from trex.views.table import Table, TableColumn

_QUANTIZED = frozenset(type_.label for type_ in QUANTIZED)
_NO_TYPE = frozenset({"copies", DataType.UNKNOWN.label})


def qdq_document(engine: AnalyzedEngine, report: QdqReport) -> Document:
    """What ``trex qdq`` shows of one engine."""
    plan = engine.plan
    content = section(
        name="qdq",
        statements=(_counts(report), *report.notes),
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
        "qdq", plan.name, plan.statement, (content,), engine.performance.notes, folder_of(plan.engine.source), report
    )


def qdq_tables(engine: AnalyzedEngine, report: QdqReport) -> list[Table]:
    """Coverage by type, caused reformats, junctions, conversions, moved operations, all operations: those with rows."""
    operations = Table(
        "All Q/DQ",
        (
            TableColumn("operation", "name"),
            TableColumn("status"),
            TableColumn("layer", "name"),
            TableColumn("time", "ms", "ms"),
        ),
        tuple(
            (item.name, _status_text(item), item.conversion or item.layer_name, item.time_ms)
            for item in report.operations
        ),
        is_folded=True,
    )
    moved = Table(
        "Moved over operators that give the same result on quantized values",
        (TableColumn("operation", "name"), TableColumn("over"), TableColumn("now in"), TableColumn("why")),
        tuple(
            (item.name, listed(item.propagation.over), shortened(item.layer_name), item.propagation.why)
            for item in report.operations
            if item.status == MOVED
        ),
    )
    reformats = {reformat.layer: reformat for item in report.operations for reformat in item.reformats}
    cost_ms = math.fsum(item.time_ms for item in reformats.values() if math.isfinite(item.time_ms))
    caused = Table(
        f"Reformats that Q/DQ cause: {len(reformats)}" + (f", {cost(cost_ms, engine)}" if cost_ms else ""),
        (
            TableColumn("operation", "name"),
            TableColumn("reformat", "name"),
            TableColumn("conversion"),
            TableColumn("time", "ms", "ms"),
        ),
        tuple(
            (item.name, _reformat_text(item, reformat), reformat.conversion, reformat.time_ms)
            for item in report.operations
            for reformat in item.reformats
        ),
    )
    is_partial = engine.is_timed and any(item.timed < item.layers for item in report.coverage)
    coverage = Table(
        "Coverage by type of the data that layers read",
        (
            TableColumn("type"),
            TableColumn("layers", "count"),
            TableColumn("timed", "count", if_known=True, meaning="layers with a time, where some have none"),
            TableColumn("time", "ms", "ms"),
            TableColumn("share of time", "pct", "%"),
            TableColumn("share of MACs", "pct", "%"),
        ),
        tuple(
            (
                item.label,
                item.layers,
                item.timed if is_partial else None,
                item.sum_ms,
                100 * item.time_share,
                100 * item.macs_share,
            )
            for item in report.coverage
        ),
    )
    quantized = sum(item.is_quantized for item in report.junctions)
    unknown = sum(not item.reads and not item.writes for item in report.junctions)
    junctions = Table(
        f"Residual adds and concatenations: {quantized} of {len(report.junctions)} stay quantized"
        + (f", {unknown} unknown" if unknown else ""),
        (TableColumn("operation", "name"), TableColumn("kind"), TableColumn("reads"), TableColumn("writes")),
        tuple(
            (item.operation, item.kind, ", ".join(item.reads) or None, ", ".join(item.writes) or None)
            for item in report.junctions
        ),
        is_folded=not report.operations or quantized == len(report.junctions),
    )
    conversions = Table(
        "Conversions between types",
        (
            TableColumn("conversion"),
            TableColumn("kernels", "count", meaning="kernels that only convert"),
            TableColumn("other layers", "count", meaning="layers that also convert"),
            TableColumn("cost", "ms", "ms"),
            TableColumn("share of time", "pct", "%"),
        ),
        tuple(
            (
                printable(item.label),
                len(item.copies),
                len(item.fused),
                item.cost_ms,
                100 * item.cost_ms / engine.total_ms if engine.total_ms > 0 else None,
            )
            for item in engine.precision_map.conversions
        ),
    )
    tables = (coverage, caused, junctions, conversions, moved, operations)
    return [table for table in tables if table.rows and (table is not junctions or engine.flow.quantized_positions)]


def _counts(report: QdqReport) -> str:
    """``81 Q/DQ: 71 fused, 10 reformat.``, or what an engine without Q/DQ is."""
    counts = ", ".join(f"{report.count(status)} {status}" for status in STATUSES if report.count(status))
    if counts:
        return f"{len(report.operations):,} Q/DQ: {counts}."
    quantized = {item.label: item.layers for item in report.coverage if item.label in _QUANTIZED}
    if quantized:
        layers = listed(f"{counted(number, 'layer')} in {label}" for label, number in quantized.items())
        return f"No Q/DQ, but {layers}: quantized by calibration, or Q/DQ fused without a trace."
    if all(item.label in _NO_TYPE for item in report.coverage):
        return "No Q/DQ, and the types of the layers are unknown."
    unknown = sum(item.layers for item in report.coverage if item.label == DataType.UNKNOWN.label)
    known = f" ({counted(unknown, 'layer')} of unknown type)" if unknown else ""
    return f"Not quantized: no Q/DQ, and no layer reads a quantized type{known}."


def _status_text(operation: QdqOperation) -> str:
    is_of_weights = operation.propagation.status == OF_WEIGHTS
    return f"{operation.status}, weights" if is_of_weights else operation.status


def _reformat_text(operation: QdqOperation, reformat: CausedReformat) -> str:
    return "itself" if reformat.layer == operation.layer else reformat.layer_name
