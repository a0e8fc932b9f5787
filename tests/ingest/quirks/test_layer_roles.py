"""Layers that are no kernels of the network."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.raw_records import chain, layer, plan_of, times
from trex.core.layer import Role
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine(
        [{"Layers": [layer("c", "Constant", outputs=["w"]), layer("s", "signal"), *chain("n", kind="NoOp")]}]
    )


def test_constants_count_as_weights_and_are_no_rows(tmp_path: Path) -> None:
    layers = [
        layer("c", "Constant", outputs=["w"], weights={"Type": "Half", "Count": 100}),
        layer("d", "Constant", outputs=["v"]),
        layer("a", inputs=["x", "w", "v"], outputs=["y"]),
    ]
    plan = plan_of(tmp_path, layers)
    assert [item.role for item in plan.engine.layers] == [Role.CONSTANT, Role.CONSTANT, Role.KERNEL]
    assert [item.name for item in plan.engine.constants] == ["c", "d"]
    assert list(plan.df["Name"]) == ["a"]
    assert plan.total_weights_size == 200 + 256
    assert plan.total_act_size == 2 * 256


def test_role_and_type_of_a_no_op() -> None:
    from trex.ingest.graph_json import layers_from_raw

    for kind in ({}, {"ParameterType": "Reformat"}):
        (item,) = layers_from_raw([layer("n", "NoOp", ["x"], ["y"], **kind)])
        assert (item.role, item.type) == (Role.NOOP, "NoOp")


def test_the_output_of_a_no_op_is_no_activation_of_its_own(tmp_path: Path) -> None:
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


SHAPE_CALLS = [layer("__mye1_0_myl0_0", "shape_call"), *chain("a", kind="kgen")]


def test_shape_calls_are_rows_only_if_timed(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, SHAPE_CALLS)
    assert [item.role for item in plan.engine.layers] == [Role.SHAPE, Role.KERNEL]
    assert list(plan.df["Name"]) == ["a"]
    timed = plan_of(tmp_path, SHAPE_CALLS, profile=times(("__mye1_0_myl0_0", 0.002), ("a", 1.0)))
    assert list(timed.df["type"]) == ["shape_call", "kgen"]
    assert timed.total_runtime == 1.002


STATIONS = [layer("[trainStation1]", "TrainStation"), *chain("a"), layer("[trainStation2]", "TrainStation", ["y"])]


def test_train_stations_are_rows_only_if_timed(tmp_path: Path) -> None:
    profile = times(("[trainStation1]", 0.0), ("a", 1.0), ("[trainStation2]", 0.25))
    plan = plan_of(tmp_path, STATIONS, profile=profile)
    assert [item.role for item in plan.engine.layers] == [Role.TRAIN_STATION, Role.KERNEL, Role.TRAIN_STATION]
    assert list(plan.df["Name"]) == ["a", "[trainStation2]"]
    assert plan.total_runtime == 1.25


KINDS = ["signal", "wait", "signal_and_wait", "signal_wait", "wait_and_signal"]


@pytest.mark.parametrize("kind", KINDS)
def test_signals_and_waits_are_rows_only_if_timed(kind: str, tmp_path: Path) -> None:
    layers = [layer("s", kind), *chain("a", kind="kgen")]
    plan = plan_of(tmp_path, layers, profile=times(("s", 0.0), ("a", 1.0)))
    assert [item.role for item in plan.engine.layers] == [Role.SYNC, Role.KERNEL]
    assert list(plan.df["Name"]) == ["a"]
    timed = plan_of(tmp_path, layers, profile=times(("s", 0.5), ("a", 1.0)))
    assert list(timed.df["Name"]) == ["s", "a"]


def test_jumps_and_single_integers_without_a_kernel_are_steps_of_the_host(tmp_path: Path) -> None:
    def scalar(name: str, type: str = "Int64") -> dict[str, object]:
        return {"Name": name, "Dimensions": [1], "Datatype": type, "Format": "(Linear) Row major linear format"}

    def step(name: str, kind: str, tensors: list[dict[str, object]], tactic: str = "") -> dict[str, object]:
        return {"Name": name, "LayerType": kind, "Inputs": tensors[:1], "Outputs": tensors[1:], "TacticName": tactic}

    layers = [
        step("j", "jmp", []),
        step("c", "cjmp", [scalar("x", "Bool")]),
        step("i", "add", [scalar("n"), scalar("m")]),
        step("f", "add", [scalar("n", "Float"), scalar("m", "Float")]),
        step("k", "cast", [scalar("n"), scalar("m")], "__myl_Cast_0x1"),
    ]
    roles = {item.name: item.role for item in plan_of(tmp_path, layers).engine.layers}
    assert roles == {"j": Role.SHAPE, "c": Role.SHAPE, "i": Role.SHAPE, "f": Role.KERNEL, "k": Role.KERNEL}
