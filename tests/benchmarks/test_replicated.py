"""Replicated engines are as large as asked for, and as real as the one they come from."""

from __future__ import annotations

from pathlib import Path

import pytest

import trex
from tests.benchmarks.replicated import REAL, is_there, write_replicated


@pytest.mark.parametrize("name", REAL)
def test_every_layer_has_a_name_and_a_time_of_its_own(name: str, tmp_path: Path) -> None:
    if not is_there(name):
        pytest.skip(f"{name}: the shared engines are not here")
    one = trex.EnginePlan(*write_replicated(tmp_path, name, 1))
    many = trex.EnginePlan(*write_replicated(tmp_path, name, 8 * len(one.all_layers)))
    assert many.df["Name"].is_unique
    assert many.df["latency.avg_time"].isna().sum() == 8 * one.df["latency.avg_time"].isna().sum()
    assert many.total_runtime == pytest.approx(8 * one.total_runtime)
    assert sorted(many.df["type"].unique()) == sorted(one.df["type"].unique())
    assert many.total_weights_size == pytest.approx(8 * one.total_weights_size)
