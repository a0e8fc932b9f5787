"""What became of every QuantizeLinear and DequantizeLinear: fused, moved, a reformat, or a kernel of its own.

TensorRT moves Q/DQ over operators that give the same result on quantized values, such as a max pooling: moved ones are
listed with where they run now and the evidence, or with the reason why that is unknown. Also listed: the reformats that
each Q/DQ causes and their time, the share of time and MACs in INT8 or FP8, residual adds and concatenations that stay
quantized, and the cost of each conversion between types. With --onnx, Q/DQ that no layer names are listed, too.

examples:
  trex qdq example:resnet18-int8
  trex qdq out/ --onnx model.onnx
  trex qdq out/ --json > qdq.json
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from trex.cli.command import Command
from trex.core.options import count, option

if TYPE_CHECKING:
    from trex.rules.analyzed_engine import AnalyzedEngine
    from trex.rules.qdq_report import QdqReport

SCHEMA = "trex.qdq/1"


@dataclass(frozen=True)
class Options:
    path: str = option(help="any file of the engine, a stem, a folder, a .tea archive, or example:NAME")
    onnx: str = option("", "the ONNX model the engine was built from", metavar="FILE")
    json: bool = option(False, f"print JSON (schema {SCHEMA})")
    profiling_json: str = option(
        "",
        "the layer profile, if it is not next to the graph",
        flags=("-pj", "--profiling_json"),
        metavar="FILE",
    )
    profile_id: int = option(-1, "optimization profile to show (default: the first)", metavar="N", convert=count)


def run(options: Options) -> int:
    from trex.cli import console
    from trex.cli.inputs import load_plan
    from trex.export.frame import plain_value
    from trex.export.text_table import table_lines
    from trex.perf.performance import Performance
    from trex.rules.analyzed_engine import AnalyzedEngine
    from trex.rules.qdq_report import qdq_report
    from trex.views.review.qdq import qdq_tables

    plan = load_plan(options.path, options.profiling_json, options.profile_id, options.onnx)
    engine = AnalyzedEngine(Performance(plan))
    report = qdq_report(engine)
    if options.json:
        console.show_json(plain_value(_document(engine, report)))
    else:
        if plan.provenance.statement:
            console.say(f"*** {plan.provenance.statement} ***")
        for number, table in enumerate(qdq_tables(engine, report)):
            if number:
                console.say()
            console.show(table_lines(table, console.width()))
        for note in report.notes:
            console.say(note)
    console.warn(plan.notes)
    return 0


def _document(engine: AnalyzedEngine, report: QdqReport) -> dict[str, Any]:
    from trex.rules.qdq_report import STATUSES

    conversions = [
        {
            "from": conversion.reads.label,
            "to": conversion.writes.label,
            "copies": engine.indexes(conversion.copies),
            "fused": engine.indexes(conversion.fused),
            "cost_ms": conversion.cost_ms,
        }
        for conversion in engine.precision_map.conversions
    ]
    return {
        "schema": SCHEMA,
        "engine": engine.plan.name,
        "statement": engine.plan.provenance.statement,
        "total_ms": engine.total_ms,
        "counts": {status: report.count(status) for status in STATUSES},
        **asdict(report),
        "conversions": conversions,
    }


COMMAND = Command(Options, run)
