"""Text: every section as plain lines, as ``trex compare`` shows it."""

from __future__ import annotations

from trex.export.comparison import ComparisonFormat, ComparisonStyle
from trex.export.performance_text import performance_text
from trex.views.comparison.reading import ComparisonReading


def render(reading: ComparisonReading, style: ComparisonStyle) -> str:
    return performance_text(reading)


FORMAT = ComparisonFormat((".txt", ".text"), render)
