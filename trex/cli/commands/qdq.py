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

from dataclasses import dataclass

from trex.cli.command import Command
from trex.cli.inputs import EngineOptions, plan_of
from trex.cli.output import OutputOptions
from trex.core.options import option
from trex.views.document import Document


@dataclass(frozen=True, kw_only=True)
class QdqOptions(OutputOptions, EngineOptions):
    onnx: str = option("", "the ONNX model the engine was built from", metavar="FILE")


def run(options: QdqOptions) -> Document:
    from trex.perf.performance import Performance
    from trex.rules.analyzed_engine import AnalyzedEngine
    from trex.rules.qdq_report import qdq_report
    from trex.views.qdq import qdq_document

    engine = AnalyzedEngine(Performance(plan_of(options, options.onnx)))
    return qdq_document(engine, qdq_report(engine))


COMMAND = Command(QdqOptions, run)
