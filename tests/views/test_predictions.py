"""The table of predicted outcomes."""

from __future__ import annotations

from trex.export.text_table import table_lines
from trex.views.predictions import predictions_table

KNOWN = {
    "device": "NVIDIA A100", "batch": 8, "model": "unchanged", "changes": None, "layers": 3, "compute_ms": 1.5,
    "from_ms": 1.0, "to_ms": 2.0, "samples_per_s": 5333.3, "speedup": 1.23456,
    "speedup_from": 0.81234, "speedup_to": 1.98765, "reason": None, "unjudged": 0.25,
}  # fmt: skip
UNKNOWN = dict.fromkeys(KNOWN)


def test_what_is_unknown_is_no_zero() -> None:
    table = predictions_table([KNOWN, {**UNKNOWN, "device": "NVIDIA L4", "model": "unchanged", "reason": "no clock"}])
    assert table.rows[0][6:9] == (1.23, 0.81, 1.99)
    assert table.rows[0][-1] == 25.0
    assert table.rows[1][3:] == (None,) * 9


def test_columns_of_which_nothing_is_known_are_left_out() -> None:
    shown = predictions_table(
        [{**KNOWN, "batch": None, "speedup": None, "speedup_from": None, "speedup_to": None, "unjudged": None}]
    ).for_people()
    assert [column.name for column in shown.columns] == [
        "GPU",
        "model",
        "time",
        "from",
        "to",
        "samples/s",
        "layers",
    ]


def test_speedups_and_their_bars_fit_a_narrow_terminal() -> None:
    long = {**KNOWN, "device": "NVIDIA A100-SXM4-80GB", "model": "pooling quantized + residuals quantized"}
    lines = ["".join(text for text, *_ in line) for line in table_lines(predictions_table([long]).for_people(), 80)]
    assert any("speed-up" in line and "least" in line and "most" in line for line in lines)
    assert any("0.81  1.99" in line for line in lines) and max(map(len, lines)) <= 80
