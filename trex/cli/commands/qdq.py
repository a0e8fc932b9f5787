"""What became of every QuantizeLinear and DequantizeLinear: fused, moved, a reformat, or a kernel of its own.

TensorRT moves Q/DQ over operators that give the same result on quantised values, as a max pooling: what moved is told
with where it runs now and how that is known; where names and types cannot show it, the reason is. Each reformat that a
Q/DQ forces is told with its price. Besides: how much of the time and of the multiply-adds runs in INT8 or FP8, whether
residual adds and concatenations stay quantised, and what each crossing between types costs. The engine's names and
metadata tell of Q/DQ; with --onnx those that no layer names are told too, by the types around them.

examples:
  trex qdq example:resnet18-int8
  trex qdq out/ --onnx model.onnx
  trex qdq out/ --json > qdq.json
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from trex.cli.command import Command
from trex.core.options import count, option

if TYPE_CHECKING:
    from trex.rules.inspected import Inspected
    from trex.rules.qdq_fate import Fate, Forced, QdqReport
    from trex.views.table import Table

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
    from trex.rules.inspected import Inspected
    from trex.rules.qdq_fate import qdq_report

    plan = load_plan(options.path, options.profiling_json, options.profile_id, options.onnx)
    seen = Inspected(Performance(plan))
    report = qdq_report(seen)
    if options.json:
        console.show_json(plain_value(_document(seen, report)))
    else:
        for place, table in enumerate(_tables(seen, report)):
            if place:
                console.say()
            console.show(table_lines(table, console.width()))
        for note in report.notes:
            console.say(note)
    console.warn(plan.notes)
    return 0


def _document(seen: Inspected, report: QdqReport) -> dict[str, Any]:
    from trex.rules.qdq_fate import FATES

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
        "total_ms": seen.total_ms,
        "counts": {fate: report.count(fate) for fate in FATES},
        **asdict(report),
        "crossings": crossings,
    }


def _tables(seen: Inspected, report: QdqReport) -> list[Table]:
    from trex.core.printable import printable
    from trex.rules.qdq_fate import FATES, MOVED
    from trex.rules.wording import listed, priced, shortened
    from trex.views.table import Table, TableColumn

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
        "Moved over what gives the same result on quantised values",
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
        f"{sum(each.is_quantized for each in report.junctions)} of {len(report.junctions)} stay quantised",
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
    from trex.rules.qdq_moves import OF_WEIGHTS

    return f"{fate.fate}, weights" if fate.move.place == OF_WEIGHTS else fate.fate


def _reformat_words(fate: Fate, forced: Forced) -> str:
    return "itself" if forced.layer == fate.layer else forced.layer_name


COMMAND = Command(Options, run)
