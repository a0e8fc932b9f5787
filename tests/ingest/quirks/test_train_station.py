"""Train stations are no operation of the network."""

from __future__ import annotations

from pathlib import Path

from tests.raw_records import chain, layer, plan_of, times
from trex.core.layer import Role
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([{"Layers": [layer("t", "TrainStation")]}])


LAYERS = [layer("[trainStation1]", "TrainStation"), *chain("a"), layer("[trainStation2]", "TrainStation", ["y"])]


def test_they_are_rows_only_if_timed(tmp_path: Path) -> None:
    profile = times(("[trainStation1]", 0.0), ("a", 1.0), ("[trainStation2]", 0.25))
    plan = plan_of(tmp_path, LAYERS, profile=profile)
    assert [item.role for item in plan.all_layers] == [Role.TRAIN_STATION, Role.KERNEL, Role.TRAIN_STATION]
    assert list(plan.df["Name"]) == ["a", "[trainStation2]"]
    assert plan.total_runtime == 1.25
