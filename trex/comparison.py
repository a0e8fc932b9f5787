"""Compare two or more engines: which is faster, what caused the difference, and whether it is significant.

NVIDIA's TREx pairs layers by type and shape and shows tables; ``trex.compare_engines`` does that here.
``trex.compare`` is a folder of the package, so the function is ``trex.comparison.compare``.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from trex.compare.best_of_each import BestOfEach
from trex.compare.plan_diff import PlanDiff
from trex.compare.series import EngineSeries
from trex.perf.device import Device
from trex.perf.recognize import find_device
from trex.plan.engine_plan import EnginePlan

if TYPE_CHECKING:
    import pandas as pd

    from trex.jupyter.shown_comparison import ShownComparison
    from trex.views.comparison.reading import ComparisonReading

__all__ = ["BestOfEach", "Comparison", "Series", "compare", "compare_series"]


class _Shown:
    """What a comparison of two and a series of several engines can show and save."""

    def _reading(self) -> ComparisonReading:
        raise NotImplementedError

    def __str__(self) -> str:
        """As ``trex compare`` prints it."""
        from trex.export.performance_text import performance_text

        return performance_text(self._reading())

    def _repr_html_(self) -> str:
        """For notebooks: the verdict, the causes as bars, and every section folded."""
        from trex.export.comparison_cell import comparison_cell

        return comparison_cell(self._reading())

    def show(self, height: int = 900) -> ShownComparison:
        """Shows both engines' graphs side by side in a cell, colored by change. Click a layer to mark its match.

        height: in pixels. Raises TrexError if it is not a usable height.
        """
        from trex.jupyter.shown_comparison import ShownComparison

        return ShownComparison(self._reading(), height)

    def save(self, path: str | os.PathLike[str]) -> str:
        """Writes the format that the file's ending selects (``.html``, ``.md``, ``.json``, ``.xlsx`` …).

        Returns the path. Raises TrexError for an unknown ending or a folder that cannot be written to.
        """
        from trex.export.comparison import write_comparison

        return str(write_comparison(self._reading(), os.fspath(path)))


class Comparison(_Shown, PlanDiff):
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
        from trex.views.comparison.frame import comparison_frame

        return comparison_frame(self)

    @cached_property
    def operations_df(self) -> pd.DataFrame:
        """One row per operation of the ONNX model: operation, new_operation, kind, module, left_ms, right_ms,
        difference_ms, speedup, left_rule, right_rule. NaN if an engine does not name or did not time the operation.
        """
        from trex.views.comparison.frame import operations_frame

        return operations_frame(self)

    @cached_property
    def modules_df(self) -> pd.DataFrame:
        """One row per module: module, left_ms, right_ms, difference_ms, speedup, left_conversions_ms,
        right_conversions_ms, operations. The rows add up to the layer times of each engine.
        """
        from trex.views.comparison.frame import modules_frame

        return modules_frame(self)

    def __repr__(self) -> str:
        return f"Comparison({self.left.name!r}, {self.right.name!r})"

    def _reading(self) -> ComparisonReading:
        from trex.views.comparison.reading import read_comparison
        from trex.views.performance.section import Detail

        return read_comparison(self, Detail())


class Series(_Shown, EngineSeries):
    """One base and the engines compared with it: ``.kind`` (what varies), ``.sentence``, ``.facts`` of every engine,
    ``.comparisons`` with the base, ``.operations``, ``.scaling``, ``.steps`` (causes) and ``.best_of_each``.
    """

    @cached_property
    def df(self) -> pd.DataFrame:
        """One row per engine, the base first: its facts and times, its speed-up over the base and the verdict."""
        from trex.views.comparison.frame import engines_frame

        return engines_frame(self)

    @cached_property
    def operations_df(self) -> pd.DataFrame:
        """One row per operation of the ONNX model, with its time in ms in every engine."""
        from trex.views.comparison.frame import series_operations_frame

        return series_operations_frame(self)

    @cached_property
    def scaling_df(self) -> pd.DataFrame:
        """One row per module and batch size: module, batch, ms, item_ms, exponent, efficiency, linear_from."""
        from trex.views.comparison.frame import scaling_frame

        return scaling_frame(self)

    @cached_property
    def best_of_each(self) -> BestOfEach:
        """The fastest engine per operation. Raises TrexError if the engines cannot be mixed."""
        from trex.compare.best_of_each import best_of_each

        return best_of_each(self)

    def __repr__(self) -> str:
        return f"Series({', '.join(map(repr, self.names))})"

    def _reading(self) -> ComparisonReading:
        from trex.views.comparison.reading import read_series
        from trex.views.performance.section import Detail

        return read_series(self, Detail())


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
