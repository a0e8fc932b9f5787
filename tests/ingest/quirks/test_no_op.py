"""NoOps launch no kernel."""

from __future__ import annotations

from pathlib import Path

from tests.raw_records import chain, layer, plan_of, times
from trex.core.layer import Role
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([{"Layers": chain("n", kind="NoOp")}])


def test_their_role_and_type() -> None:
    from trex.ingest.graph_json import layers_from_raw

    for kind in ({}, {"ParameterType": "Reformat"}):
        (item,) = layers_from_raw([layer("n", "NoOp", ["x"], ["y"], **kind)])
        assert (item.role, item.type) == (Role.NOOP, "NoOp")


def test_their_output_is_no_activation_of_its_own(tmp_path: Path) -> None:
    layers = [
        layer("a", inputs=["x"], outputs=["t"]),
        layer("n", "NoOp", ["t"], ["u"]),
        layer("b", inputs=["u"], outputs=["y"]),
    ]
    plan = plan_of(tmp_path, layers)
    assert plan.total_act_size == 3 * 256
    assert list(plan.df["Name"]) == ["a", "b"]


def test_a_timed_no_op_stays(tmp_path: Path) -> None:
    layers = [layer("n", "NoOp", ["x"], ["t"]), layer("b", inputs=["t"], outputs=["y"])]
    timed = plan_of(tmp_path, layers, profile=times(("n", 0.5), ("b", 1.0)))
    assert list(timed.df["Name"]) == ["n", "b"]
    assert timed.total_runtime == 1.5
    untimed = plan_of(tmp_path, layers, profile=times(("n", 0.0), ("b", 1.0)))
    assert list(untimed.df["Name"]) == ["b"]
