"""JSON: every section with its tables, notes and data, for programs; the schema is versioned (``trex.compare/1``)."""

from __future__ import annotations

from trex.export.comparison import ComparisonFormat, ComparisonStyle
from trex.export.frame import json_text, plain_value
from trex.views.comparison.reading import ComparisonReading


def render(reading: ComparisonReading, style: ComparisonStyle) -> str:
    return json_text(plain_value(reading.as_dict()), indent=1) + "\n"


FORMAT = ComparisonFormat((".json",), render)
