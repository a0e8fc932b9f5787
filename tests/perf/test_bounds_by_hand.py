"""Bounds of real layers against those computed by hand, in microseconds in a comment at each row."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import trex
from tests.perf.work.by_hand import ROWS, Row
from trex.perf.performance import Performance

BOUND = [row for row in ROWS if row.bound is not None]


@cache
def judged(path: Path, device: str) -> Performance:
    return trex.performance(trex.load(path), device)


@pytest.mark.parametrize("row", BOUND, ids=lambda row: f"{row.engine}-{row.index}")
def test_bounds(shared_engines: Path, row: Row):
    result = judged(shared_engines / row.engine, row.device).roofline
    assert result.bounds[row.index].value == row.bound


def test_the_table_is_large_enough():
    assert len(BOUND) >= 40
