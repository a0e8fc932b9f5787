"""What became of every QuantizeLinear and DequantizeLinear: fused, moved, a reformat, or a kernel of its own.

TensorRT moves Q/DQ over operators that give the same result on quantized values, as a max pooling: what moved is told
with where it runs now and how that is known; where names and types cannot show it, the reason is. Each reformat that a
Q/DQ forces is told with its price. Besides: how much of the time and of the multiply-adds runs in INT8 or FP8, whether
residual adds and concatenations stay quantized, and what each crossing between types costs. The engine's names and
metadata tell of Q/DQ; with --onnx those that no layer names are told too, by the types around them.

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
    from trex.rules.analyzed_engine import Inspected
    from trex.rules.qdq_report import QdqReport

SCHEMA = "trex.qdq/1"


@dataclass(frozen=True)
class Options:
    path: str = option(help="any file of the engine, a stem, a folder, a .tea archive, or example:NAME")
    onnx: str = option("", "the ONNX model the engine was built from", metavar="FILE")
    json: bool = option(False, f"print JSON (schema {SCHEMA})")
    profiling_json: str = option(
        "",
        "the layer profile, when it is not beside the graph",
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
    from trex.rules.analyzed_engine import Inspected
    from trex.rules.qdq_report import qdq_report
    from trex.views.review.qdq import qdq_tables

    plan = load_plan(options.path, options.profiling_json, options.profile_id, options.onnx)
    seen = Inspected(Performance(plan))
    report = qdq_report(seen)
    if options.json:
        console.show_json(plain_value(_document(seen, report)))
    else:
        if plan.provenance.statement:
            console.say(f"*** {plan.provenance.statement} ***")
        for place, table in enumerate(qdq_tables(seen, report)):
            if place:
                console.say()
            console.show(table_lines(table, console.width()))
        for note in report.notes:
            console.say(note)
    console.warn(plan.notes)
    return 0


def _document(seen: Inspected, report: QdqReport) -> dict[str, Any]:
    from trex.rules.qdq_report import FATES

    crossings = [
        {
            "from": each.reads.label,
            "to": each.writes.label,
            "copies": [seen.layers[place].index for place in each.copies],
            "fused": [seen.layers[place].index for place in each.fused],
            "cost_ms": each.cost_ms,
        }
        for each in seen.precision_map.crossings
    ]
    return {
        "schema": SCHEMA,
        "engine": seen.plan.name,
        "statement": seen.plan.provenance.statement,
        "total_ms": seen.total_ms,
        "counts": {fate: report.count(fate) for fate in FATES},
        **asdict(report),
        "crossings": crossings,
    }


COMMAND = Command(Options, run)
