"""Comparison: what changed between two engines, why, and whether it is real.

NVIDIA's TREx compares plans in ``trex.compare_engines``, by names and in tables; this module has its own words.
``trex.compare`` is a floor of the inside, so the function is ``trex.comparison.compare``.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from trex.compare.comparison import Comparison as _Comparison
from trex.perf.device import Device
from trex.perf.recognise import find_device
from trex.plan.engine_plan import EnginePlan

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Comparison", "compare"]


class Comparison(_Comparison):
    """``.verdict`` in words, ``.parity``, ``.significances``, ``.alignment``, ``.changes`` with causes, ``.waterfall``.

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

    def __str__(self) -> str:
        """As ``trex compare`` shows it."""
        from trex.export.performance_text import performance_text
        from trex.views.comparison.reading import read_comparison
        from trex.views.performance.section import Detail

        return performance_text(read_comparison(self, Detail()))

    def __repr__(self) -> str:
        return f"Comparison({self.left.name!r}, {self.right.name!r})"

    def _repr_html_(self) -> str:
        """As a notebook shows it: sentences and tables."""
        from trex.export.page_content import content_html
        from trex.views.comparison.reading import read_comparison
        from trex.views.performance.section import Detail

        sections = read_comparison(self, Detail()).sections
        return "".join(f"<h3>{title}</h3>{''.join(content_html(content))}" for _, title, content in sections)


def compare(left: EnginePlan, right: EnginePlan, device: Device | str | None = None) -> Comparison:
    """What changed from ``left`` (the base) to ``right`` (the new engine), why, and whether it is real.

    device: a Device, the name of a known one, or a file of ``trex devices``, for both; without it the one that each
    engine's own files describe. Every reading is made when it is first asked for. Raises TrexError for a device that is
    not known. Times are in milliseconds.
    """
    return Comparison(left, right, find_device(device) if isinstance(device, str) else device)
