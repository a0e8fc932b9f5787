"""Quantization: what became of the QuantizeLinear and DequantizeLinear of a model, and how much of it runs quantized.

NVIDIA's TREx has no such module; ``trex.check`` says what to do about it, with milliseconds.
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
from trex.rules.inspected import Inspected
from trex.rules.qdq_fate import QdqReport, qdq_report
from trex.views.document import Document, section

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Quantization", "qdq"]


class Quantization(DocumentView, QdqReport):
    """``.fates`` of every Q/DQ, ``.coverage`` by type, ``.junctions`` (residual adds, concatenations), ``.notes``."""

    _seen: Inspected

    @cached_property
    def df(self) -> pd.DataFrame:
        """One row per Q/DQ: operation, quantizes, fate, layer (its name, "" where none), avg_ms (NaN unless it is a
        kernel of its own; quantizers that became one kernel have its time each), conversion, forced (reformats that are
        there because of it), forced_ms.
        """
        import pandas as pd

        rows = [
            (
                each.operation,
                each.quantizes,
                each.fate,
                each.layer_name,
                each.milliseconds,
                each.conversion,
                len(each.forces),
                sum(forced.milliseconds for forced in each.forces),
            )
            for each in self.fates
        ]
        columns = ["operation", "quantizes", "fate", "layer", "avg_ms", "conversion", "forced", "forced_ms"]
        return pd.DataFrame(rows, columns=columns)

    @property
    def document(self) -> Document:
        """What ``trex qdq`` shows."""
        from trex.views.review.qdq import qdq_tables

        plan = self._seen.plan
        content = section(name="qdq", statements=self.notes, tables=qdq_tables(self._seen, self))
        return Document("qdq", plan.name, plan.provenance.statement, (content,), plan.notes, source=plan)

    def __repr__(self) -> str:
        return f"Quantization({self._seen.plan.name!r}, {len(self.fates)} Q/DQ)"


def qdq(plan: EnginePlan, device: Device | str | None = None) -> Quantization:
    """The fate of every Q/DQ that the engine's names and metadata tell; of all where the plan knows its ONNX model.

    device: as of ``trex.check``. Raises TrexError for a device that is not known. Times are in milliseconds.
    """
    seen = Inspected(Performance(plan, find_device(device) if isinstance(device, str) else device))
    report = qdq_report(seen)
    made = Quantization(**{field.name: getattr(report, field.name) for field in fields(report)})
    object.__setattr__(made, "_seen", seen)
    return made
