"""Quantization: what became of the QuantizeLinear and DequantizeLinear of a model, and how much of it runs quantized.

NVIDIA's TREx has no such module; ``trex.check`` says what to do about it, with milliseconds.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING

from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.perf.recognize import find_device
from trex.plan.engine_plan import EnginePlan
from trex.rules.analyzed_engine import Inspected
from trex.rules.qdq_report import QdqReport, qdq_report

if TYPE_CHECKING:
    import pandas as pd

    from trex.views.table import Table

__all__ = ["Quantization", "qdq"]


class Quantization(QdqReport):
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

    def __str__(self) -> str:
        """As ``trex qdq`` shows it."""
        from trex.export.text_table import table_text

        return "\n".join([*map(table_text, self._tables()), *self.notes])

    def __repr__(self) -> str:
        return f"Quantization({self._seen.plan.name!r}, {len(self.fates)} Q/DQ)"

    def _repr_html_(self) -> str:
        """As a notebook shows it: tables and sentences."""
        from trex.export.page_content import content_html
        from trex.views.performance.section import Content

        statements = tuple(filter(None, (self._seen.plan.provenance.statement, *self.notes)))
        return "".join(content_html(Content(statements, tables=tuple(self._tables()))))

    def _tables(self) -> list[Table]:
        from trex.views.review.qdq import qdq_tables

        return qdq_tables(self._seen, self)


def qdq(plan: EnginePlan, device: Device | str | None = None) -> Quantization:
    """The fate of every Q/DQ that the engine's names and metadata tell; of all where the plan knows its ONNX model.

    device: as of ``trex.check``. Raises TrexError for a device that is not known. Times are in milliseconds.
    """
    seen = Inspected(Performance(plan, find_device(device) if isinstance(device, str) else device))
    report = qdq_report(seen)
    made = Quantization(**{field.name: getattr(report, field.name) for field in fields(report)})
    object.__setattr__(made, "_seen", seen)
    return made
