"""What is a time and what is none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from trex.perf.samples.series import usable


def test_unusable_times_are_left_out_and_reported():
    result: Any = usable([9.0, 1.0, math.nan, -1.0, 0.0, math.inf, 2.0], warm_up_rows=1)
    assert result.values.tolist() == [1.0, 2.0]
    assert (result.unknown, result.negative, result.zero, result.left_out) == (2, 1, 1, 4)
    assert result.words == "left out: 2 samples without a number, 1 negative sample, 1 sample of 0 ms"


def test_zero_may_be_a_rounded_time():
    result: Any = usable([0.0, 0.01], zero_is_a_time=True)
    assert result.values.tolist() == [0.0, 0.01] and result.words == ""


def test_clean_samples_are_not_copied():
    values = np.array([1.0, 2.0])
    assert np.shares_memory(usable(values).values, values)
    assert len(usable([])) == 0
    assert len(usable([1.0], warm_up_rows=5)) == 0
