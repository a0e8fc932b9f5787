"""Constants are stored data."""

from __future__ import annotations

from pathlib import Path

from tests.raw_records import layer, plan_of
from trex.core.layer import Role
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([{"Layers": [layer("c", "Constant", outputs=["w"])]}])


def test_constants_count_as_weights_and_are_no_rows(tmp_path: Path) -> None:
    layers = [
        layer("c", "Constant", outputs=["w"], weights={"Type": "Half", "Count": 100}),
        layer("d", "Constant", outputs=["v"]),
        layer("a", inputs=["x", "w", "v"], outputs=["y"]),
    ]
    plan = plan_of(tmp_path, layers)
    assert [item.role for item in plan.all_layers] == [Role.CONSTANT, Role.CONSTANT, Role.KERNEL]
    assert [item.name for item in plan.constants] == ["c", "d"]
    assert list(plan.df["Name"]) == ["a"]
    assert plan.total_weights_size == 200 + 256
    assert plan.total_act_size == 2 * 256
