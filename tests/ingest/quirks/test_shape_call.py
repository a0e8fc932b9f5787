"""Shape calls launch no kernel."""

from __future__ import annotations

from pathlib import Path

from tests.raw_records import chain, layer, plan_of, times
from trex.core.layer import Role
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([{"Layers": [layer("__mye26_0_myl8_0", "shape_call")]}])


LAYERS = [layer("__mye1_0_myl0_0", "shape_call"), *chain("a", kind="kgen")]


def test_they_are_rows_only_if_timed(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, LAYERS)
    assert [item.role for item in plan.all_layers] == [Role.SHAPE, Role.KERNEL]
    assert list(plan.df["Name"]) == ["a"]
    timed = plan_of(tmp_path, LAYERS, profile=times(("__mye1_0_myl0_0", 0.002), ("a", 1.0)))
    assert list(timed.df["type"]) == ["shape_call", "kgen"]
    assert timed.total_runtime == 1.002
