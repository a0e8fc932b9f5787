"""Comparison → DataFrame: one row per group of matched layers."""

from __future__ import annotations

import pandas as pd

from trex.compare.comparison import Comparison

_NUMBERS = ("left_ms", "right_ms", "difference_ms", "speedup", "confidence")


def comparison_frame(comparison: Comparison) -> pd.DataFrame:
    """Rows in the order of the matches; times that are not known are NaN, a side without layers has 0 ms."""
    names = "left_layers right_layers left_ms right_ms difference_ms speedup cause words matched_by confidence"
    rows = []
    for change in comparison.changes:
        left, right = comparison.layers_of(change)
        nan = float("nan")
        rows.append(
            (
                [layer.name for layer in left],
                [layer.name for layer in right],
                change.left_ms if change.is_known else nan,
                change.right_ms if change.is_known else nan,
                change.difference_ms if change.is_known else nan,
                nan if change.speedup is None else change.speedup,
                change.cause.value,
                change.words,
                change.match.why,
                change.match.confidence,
            )
        )
    frame = pd.DataFrame(rows, columns=names.split())
    return frame.astype(dict.fromkeys(_NUMBERS, "float64"))
