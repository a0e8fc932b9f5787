"""The table of predicted outcomes."""

from __future__ import annotations

from trex.views.predictions import predictions_table

KNOWN = {
    "device": "NVIDIA A100", "batch": 8, "model": "as it is", "changes": None, "layers": 3, "compute_ms": 1.5,
    "from_ms": 1.0, "to_ms": 2.0, "samples_per_s": 5333.3, "speedup": 1.23456, "reason": None,
}  # fmt: skip
UNKNOWN = dict.fromkeys(KNOWN)


def test_what_is_unknown_is_no_zero() -> None:
    table = predictions_table([KNOWN, {**UNKNOWN, "device": "NVIDIA L4", "model": "as it is", "reason": "no clock"}])
    assert table.rows[0][-1] == 1.23
    assert table.rows[1][3:] == (None,) * 6


def test_columns_of_which_nothing_is_known_are_left_out() -> None:
    shown = predictions_table([{**KNOWN, "batch": None, "speedup": None}]).for_people()
    assert [column.name for column in shown.columns] == [
        "GPU",
        "model",
        "layers",
        "predicted",
        "from",
        "to",
        "samples/s",
    ]
