"""Comparison and Series: what changed between two or more engines, why, and whether it is real.

NVIDIA's TREx compares plans in ``trex.compare_engines``, by names and in tables; this module has its own words.
``trex.compare`` is a floor of the inside, so the function is ``trex.comparison.compare``.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from trex.compare.best_of_each import BestOfEach
from trex.compare.comparison import Comparison as _Comparison
from trex.compare.series import Series as _Series
from trex.export.document_view import DocumentView
from trex.jupyter.shown_comparison import ShownComparison
from trex.perf.device import Device
from trex.perf.recognize import find_device
from trex.plan.engine_plan import EnginePlan
from trex.views.comparison.document import comparison_document, series_document
from trex.views.document import Document

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BestOfEach", "Comparison", "Series", "compare", "compare_series"]


class Comparison(DocumentView, _Comparison):
    """``.verdict`` in words, ``.parity``, ``.significances``, ``.alignment``, ``.changes`` with causes, ``.waterfall``,
    ``.operations`` and ``.modules`` with fused time charged to the ONNX operations (``trex.compare.charge``).

    Speed-ups are left over right time, above 1 when the right engine is faster; differences are right less left in
    milliseconds, negative is faster.
    """

    @cached_property
    def df(self) -> pd.DataFrame:
        """One row per group of matched layers: left_layers, right_layers, left_ms, right_ms, difference_ms, speedup,
        cause, words, matched_by, confidence. Times that are not known are NaN.
        """
        from trex.views.comparison.frame import comparison_frame

        return comparison_frame(self)

    @cached_property
    def operations_df(self) -> pd.DataFrame:
        """One row per operation of the ONNX model: operation, new_operation, kind, module, left_ms, right_ms,
        difference_ms, speedup, left_rule, right_rule. NaN where a side names no such operation or did not time it.
        """
        from trex.views.comparison.frame import operations_frame

        return operations_frame(self)

    @cached_property
    def modules_df(self) -> pd.DataFrame:
        """One row per module: module, left_ms, right_ms, difference_ms, speedup, left_conversions_ms,
        right_conversions_ms, operations. The rows sum to the layers' time of both sides.
        """
        from trex.views.comparison.frame import modules_frame

        return modules_frame(self)

    def __repr__(self) -> str:
        return f"Comparison({self.left.name!r}, {self.right.name!r})"

    @property
    def document(self) -> Document:
        """What ``trex compare`` shows."""
        return comparison_document(self)

    def show(self, height: int = 900) -> ShownComparison:
        """Both engines' graphs side by side in a cell, colored by change; a click on a layer marks its match.

        height: in pixels. Raises TrexError for an invalid height.
        """
        return ShownComparison(self.document, height)


class Series(DocumentView, _Series):
    """One base and the engines compared with it: ``.kind`` and ``.sentence`` (which series it is), ``.facts`` of every
    engine, ``.comparisons`` of each with the base, ``.operations``, ``.scaling``, ``.steps`` (causes) and
    ``.best_of_each``.
    """

    @cached_property
    def df(self) -> pd.DataFrame:
        """One row per engine, the base first: its facts and times, its speed-up against the base and the verdict."""
        from trex.views.comparison.frame import engines_frame

        return engines_frame(self)

    @cached_property
    def operations_df(self) -> pd.DataFrame:
        """One row per operation of the ONNX model, with its time in ms in every engine."""
        from trex.views.comparison.frame import series_operations_frame

        return series_operations_frame(self)

    @cached_property
    def scaling_df(self) -> pd.DataFrame:
        """One row per module and batch: module, batch, ms, item_ms, exponent, efficiency, linear_from."""
        from trex.views.comparison.frame import scaling_frame

        return scaling_frame(self)

    @cached_property
    def best_of_each(self) -> BestOfEach:
        """From which engine each operation is best taken. Raises TrexError where engines cannot be mixed."""
        from trex.compare.best_of_each import best_of_each

        return best_of_each(self)

    def __repr__(self) -> str:
        return f"Series({', '.join(map(repr, self.names))})"

    @property
    def document(self) -> Document:
        """What ``trex compare`` shows."""
        return series_document(self)

    def show(self, height: int = 900) -> ShownComparison:
        """Both engines' graphs side by side in a cell, colored by change; a click on a layer marks its match.

        height: in pixels. Raises TrexError for an invalid height.
        """
        return ShownComparison(self.document, height)


def compare(left: EnginePlan, right: EnginePlan, device: Device | str | None = None) -> Comparison:
    """What changed from ``left`` (the base) to ``right`` (the new engine), why, and whether it is real.

    device: a Device, the name of a known one, or a file of ``trex devices``, for both; without it the one that each
    engine's own files describe. Every reading is made when it is first asked for. Raises TrexError for a device that is
    not known. Times are in milliseconds.
    """
    return Comparison(left, right, find_device(device) if isinstance(device, str) else device)


def compare_series(base: EnginePlan, *others: EnginePlan, device: Device | str | None = None) -> Series:
    """All ``others`` against ``base``, side by side: which series it is, scaling, causes, operations.

    device: as of ``compare``, for all. Raises TrexError without any other engine, and for a device that is not known.
    """
    return Series(base, others, find_device(device) if isinstance(device, str) else device)
