"""Shapes on the host and what crosses over."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import layer, t
from tests.rules.cases import findings, on_round_device, unchecked
from tests.rules.planting import Parts, pair
from trex.core.layer import Role
from trex.core.tensor import Tensor
from trex.rules.finding import Severity

RULE = "shape-tensors-on-host"


def on(location, name):
    return replace(t(name, [4], "INT32"), location=location)


def crossing(source="Device", target="Host"):
    return layer("copy", "Shuffle", [on(source, "a")], [on(target, "b")])


def shape_call(name="__mye97"):
    return layer(name, "shape_call", [], [], role=Role.SHAPE)


def test_to_the_host():
    (found,) = findings(RULE, on_round_device(crossing(), shape_call(), layer("rest"), ms=[0.1, 0.2, 1.0]))
    assert found.savings == {0: pytest.approx(0.1), 1: pytest.approx(0.2)}
    assert found.severity is None and "1 of them to the host" in found.message and found.tensors == ("b",)


def test_to_the_device_is_a_note():
    (found,) = findings(RULE, on_round_device(crossing("Host", "Device"), ms=[0.1]))
    assert found.severity is Severity.NOTE


def test_by_name_and_type():
    assert findings(RULE, on_round_device(layer("shape_of_x [DeviceToShapeHostCopy]", "Shuffle"), ms=[0.1]))
    assert findings(RULE, on_round_device(layer("a", "ShapeHostToDevice"), ms=[0.1]))


def test_shape_arithmetic_that_takes_time():
    (found,) = findings(RULE, on_round_device(shape_call(), layer("rest"), ms=[0.1, 1.0]))
    assert "computes shapes on the host" in found.message
    assert not findings(RULE, on_round_device(shape_call(), layer("rest"), ms=[0.001, 1.0]))


def test_data_on_one_side_are_fine():
    assert not findings(RULE, on_round_device(crossing("Host", "Host"), crossing("Device", "Device"), ms=[0.1, 0.1]))


def test_many_calls_without_times():
    calls = [shape_call(f"c{n}") for n in range(12)]
    assert unchecked(RULE, on_round_device(*calls, layer("rest")))
    assert not unchecked(RULE, on_round_device(layer("rest")))


def test_steps_of_conditions_and_loops_are_no_shapes():
    jump = layer("jump", "cjmp", [], [], role=Role.SHAPE)
    assert not findings(RULE, on_round_device(shape_call(), jump, layer("rest"), ms=[0.1, 0.2, 1.0]))


# ---- The defect that tests plant into engines, and its sound twin


def on_host(x: Tensor, bad: bool) -> Parts:
    there = replace(t("s902", [4], "INT32"), location="Host" if bad else "Device")
    return [
        (layer("Shape_901", "Shuffle", [x], [t("s901", [4], "INT32")]), 0.01),
        (layer("copy_902", "Shuffle", [t("s901", [4], "INT32")], [there]), 0.05),
    ]


PLANTER = pair(on_host)
