"""Signals and waits synchronize streams."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.raw_records import chain, layer, plan_of, times
from trex.core.layer import Role
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([{"Layers": [layer("s", "signal")]}])


KINDS = ["signal", "wait", "signal_and_wait", "signal_wait", "wait_and_signal"]


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_rows_only_if_timed(kind: str, tmp_path: Path) -> None:
    layers = [layer("s", kind), *chain("a", kind="kgen")]
    plan = plan_of(tmp_path, layers, profile=times(("s", 0.0), ("a", 1.0)))
    assert [item.role for item in plan.all_layers] == [Role.SYNC, Role.KERNEL]
    assert list(plan.df["Name"]) == ["a"]
    timed = plan_of(tmp_path, layers, profile=times(("s", 0.5), ("a", 1.0)))
    assert list(timed.df["Name"]) == ["s", "a"]
