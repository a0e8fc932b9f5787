"""Compare two or more engines: which is faster, what caused the difference, and whether it is significant.

NVIDIA's TREx pairs layers by type and shape and shows tables; ``trex.compare_engines`` does that here.
``trex.compare`` is a folder of the package, so the function is ``trex.comparison.compare``.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from trex.compare.best_of_each import BestOfEach
from trex.compare.plan_diff import PlanDiff
from trex.compare.series import EngineSeries
from trex.export.document_view import DocumentView
from trex.jupyter.shown_comparison import ShownComparison
from trex.perf.device import Device
from trex.perf.recognize import find_device
from trex.plan.engine_plan import EnginePlan
from trex.views.compare.document import comparison_document, series_document
from trex.views.document import Document

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BestOfEach", "Comparison", "Series", "compare", "compare_series"]


class _GraphView(DocumentView):
    """What two engines and a series of several have in common."""

    def show(self, height: int = 900) -> ShownComparison:
        """Shows both engines' graphs side by side in a cell, colored by change. Click a layer to mark its match.

        height: in pixels. Raises TrexError if it is not a usable height.
        """
        return ShownComparison(self.document, height)


class Comparison(_GraphView, PlanDiff):
    """The difference of two engines: ``.verdict`` in words, ``.parity`` of the run settings, ``.significances``,
    ``.alignment`` of the layers, ``.changes`` with their causes, ``.waterfall``, ``.operations`` and ``.modules``.

    Speed-ups are left over right time, above 1 if the right engine is faster. Differences are right minus left in
    milliseconds, negative is faster.
    """

    @cached_property
    def df(self) -> pd.DataFrame:
        """One row per group of matched layers: left_layers, right_layers, left_ms, right_ms, difference_ms, speedup,
        cause, words, matched_by, confidence. Unknown times are NaN.
        """
        from trex.views.compare.frame import comparison_frame

        return comparison_frame(self)

    @cached_property
    def operations_df(self) -> pd.DataFrame:
        """One row per operation of the ONNX model: operation, new_operation, kind, module, left_ms, right_ms,
        difference_ms, speedup, left_rule, right_rule. NaN if an engine does not name or did not time the operation.
        """
        from trex.views.compare.frame import operations_frame

        return operations_frame(self)

    @cached_property
    def modules_df(self) -> pd.DataFrame:
        """One row per module: module, left_ms, right_ms, difference_ms, speedup, left_conversions_ms,
        right_conversions_ms, operations. The rows add up to the layer times of each engine.
        """
        from trex.views.compare.frame import modules_frame

        return modules_frame(self)

    def __repr__(self) -> str:
        return f"Comparison({self.left.name!r}, {self.right.name!r})"

    @property
    def document(self) -> Document:
        """What ``trex compare`` shows."""
        return comparison_document(self)


class Series(_GraphView, EngineSeries):
    """One base and the engines compared with it: ``.kind`` (what varies), ``.sentence``, ``.facts`` of every engine,
    ``.comparisons`` with the base, ``.operations``, ``.scaling``, ``.steps`` (causes) and ``.best_of_each``.
    """

    @cached_property
    def df(self) -> pd.DataFrame:
        """One row per engine, the base first: its facts and times, its speed-up over the base and the verdict."""
        from trex.views.compare.frame import engines_frame

        return engines_frame(self)

    @cached_property
    def operations_df(self) -> pd.DataFrame:
        """One row per operation of the ONNX model, with its time in ms in every engine."""
        from trex.views.compare.frame import series_operations_frame

        return series_operations_frame(self)

    @cached_property
    def scaling_df(self) -> pd.DataFrame:
        """One row per module and batch size: module, batch, ms, item_ms, exponent, efficiency, linear_from."""
        from trex.views.compare.frame import scaling_frame

        return scaling_frame(self)

    @cached_property
    def best_of_each(self) -> BestOfEach:
        """The fastest engine per operation. Raises TrexError if the engines cannot be mixed."""
        from trex.compare.best_of_each import best_of_each

        return best_of_each(self)

    def __repr__(self) -> str:
        return f"Series({', '.join(map(repr, self.names))})"

    @property
    def document(self) -> Document:
        """What ``trex compare`` shows."""
        return series_document(self)


def compare(left: EnginePlan, right: EnginePlan, device: Device | str | None = None) -> Comparison:
    """What changed from ``left`` (the base) to ``right`` (the new engine), why, and whether it is significant.

    device: a Device, the name of a known GPU, or a file of ``trex devices``, for both engines; by default the GPU that
    each engine's files describe. Everything is computed on first use; times are in milliseconds. Raises TrexError for
    an unknown device.
    """
    return Comparison(left, right, find_device(device) if isinstance(device, str) else device)


def compare_series(base: EnginePlan, *others: EnginePlan, device: Device | str | None = None) -> Series:
    """Compares every engine of ``others`` with ``base``: what varies, scaling, causes, operations.

    device: as for ``compare``, for all engines. Raises TrexError without other engines or for an unknown device.
    """
    return Series(base, others, find_device(device) if isinstance(device, str) else device)
