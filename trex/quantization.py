"""Quantization: what became of the QuantizeLinear and DequantizeLinear of a model, and how much of it runs quantized.

NVIDIA's TREx has no such module; ``trex.lint_engine`` reports how to fix it, with milliseconds.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING

from trex.export.document_view import DocumentView
from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.perf.recognize import find_device
from trex.plan.engine_plan import EnginePlan
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.qdq_report import QdqReport, qdq_report
from trex.views.document import Document
from trex.views.qdq import qdq_document

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Quantization", "qdq"]


class Quantization(DocumentView, QdqReport):
    """``.fates`` of every Q/DQ, ``.coverage`` by type, ``.junctions`` (residual adds, concatenations), ``.notes``."""

    _engine: AnalyzedEngine

    @cached_property
    def df(self) -> pd.DataFrame:
        """One row per Q/DQ: operation, quantizes, status, layer (its name, "" without one), avg_ms (NaN unless it is a
        kernel of its own; quantizers that became one kernel have its time each), conversion, reformats (how many it
        causes), reformats_ms.
        """
        import pandas as pd

        rows = [
            (
                operation.name,
                operation.quantizes,
                operation.status,
                operation.layer_name,
                operation.time_ms,
                operation.conversion,
                len(operation.reformats),
                sum(reformat.time_ms for reformat in operation.reformats),
            )
            for operation in self.operations
        ]
        columns = ["operation", "quantizes", "status", "layer", "avg_ms", "conversion", "reformats", "reformats_ms"]
        result: pd.DataFrame = pd.DataFrame(rows, columns=columns)
        return result

    @property
    def document(self) -> Document:
        """What ``trex qdq`` shows."""
        return qdq_document(self._engine, self)

    def __repr__(self) -> str:
        return f"Quantization({self._engine.plan.name!r}, {len(self.operations)} Q/DQ)"


def qdq(plan: EnginePlan, device: Device | str | None = None) -> Quantization:
    """Every Q/DQ that the engine's names and metadata contain, and with an ONNX model those that only it contains.

    device: as for ``trex.lint_engine``. Raises TrexError for an unknown device. Times are in milliseconds.
    """
    engine = AnalyzedEngine(Performance(plan, find_device(device) if isinstance(device, str) else device))
    report = qdq_report(engine)
    quantization = Quantization(**{field.name: getattr(report, field.name) for field in fields(report)})
    object.__setattr__(quantization, "_engine", engine)
    return quantization
