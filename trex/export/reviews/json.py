"""JSON: every finding with its evidence and price, for programs; the schema is versioned (``trex.lint/1``)."""

from __future__ import annotations

from trex.export.frame import json_text, plain_value
from trex.export.review import ReviewFormat, ReviewStyle
from trex.views.review.reading import ReviewReading


def render(reading: ReviewReading, style: ReviewStyle) -> str:
    return json_text(plain_value(reading.as_dict()), indent=1) + "\n"


FORMAT = ReviewFormat((".json",), render)
