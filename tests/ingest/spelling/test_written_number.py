"""written_number and written_quantity: finite numbers or None."""

from __future__ import annotations

from typing import Any

import pytest

from trex.ingest.spelling.written_number import written_number, written_quantity


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, 1.0),
        (-2.5, -2.5),
        (" 1e3 ", 1000.0),
        (".5", 0.5),
        ("7.", 7.0),
        ("1_0", None),
        ("nan", None),
        ("", None),
        ("1e999", None),
        (10**400, None),
        (float("nan"), None),
        (float("-inf"), None),
        (True, None),
        (None, None),
        ([1], None),
        ("٣", None),
        ("1" * 100_000 + "x", None),
    ],
)
def test_written_number(value: Any, expected: float | None) -> None:
    assert written_number(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("192 bits (ECC disabled)", (192.0, "bits")),
        ("1.425 GHz", (1.425, "ghz")),
        ("200ms", (200.0, "ms")),
        (30.0, (30.0, "")),
        ("30", (30.0, "")),
        ("81,920 MiB", None),
        ("12,5", None),
        ("192 bits, ECC disabled", (192.0, "bits")),
        ("fast", None),
        (None, None),
    ],
)
def test_written_quantity(value: Any, expected: tuple[float, str] | None) -> None:
    assert written_quantity(value) == expected
