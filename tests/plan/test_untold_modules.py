"""Advice where no layer tells its module follows what is really missing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import conv, engine, t
from trex.core.layer import Layer
from trex.ingest.spelling.layer_names import parse_name
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan
from trex.plan.untold_modules import nodes_hint, untold_modules

FLAG = "--profilingVerbosity=detailed"


def plan_of(made: Layer, version: str = "") -> EnginePlan:
    return EnginePlan(replace(engine(replace(made, name_parts=parse_name(made.name))), tensorrt_version=version))


def detailed(name: str) -> Layer:
    return conv(name, [t("x")], [t("y")])


def test_names_without_paths_are_the_exporters():
    why, hint = untold_modules((plan_of(detailed("Conv_3 + Relu_4"), "8.4.1"),))
    assert why == "the nodes' names hold no path (as 'Conv_3')"
    assert FLAG not in hint and "export the model anew" in hint and "PyTorch 1.13" in hint


def test_the_names_of_origins_count_as_well():
    why, hint = untold_modules((plan_of(replace(detailed("fused"), origins=("Cos_71",)), "8.6"),))
    assert "Cos_71" in why and "export the model anew" in hint


@pytest.mark.parametrize(
    "name, is_detailed, version, hint",
    [
        ("__myl_Mul_myl0_1", True, "8.4.1", f"build with TensorRT 8.6 or later and {FLAG}: before, engines do not"),
        ("__myl_Mul_myl0_1", True, "", f"TensorRT 8.6 and later tell the nodes, where built from ONNX with {FLAG}"),
        ("__myl_Mul_myl0_1", True, "v10.4", "engines that are built from an ONNX model tell its nodes; others what"),
        ("__myl_Mul_myl0_1", False, "10.4", f"build with {FLAG}"),
        ("__myl_Mul_myl0_1", False, "", f"build with {FLAG} and TensorRT 8.6 or later"),
    ],
)
def test_without_any_node_it_is_the_build(name, is_detailed, version, hint):
    plan = plan_of(
        detailed(name) if is_detailed else replace(detailed(name), inputs=(), outputs=(), tactic=""), version
    )
    assert nodes_hint(plan).startswith(hint)
    assert untold_modules((plan,))[1] == nodes_hint(plan)


def test_of_two_engines_each_thing_is_said_once():
    old, new = plan_of(detailed("Conv_3"), "8.4"), plan_of(detailed("Conv_3"), "10.4")
    assert untold_modules((old, new)) == untold_modules((old,))
    other = plan_of(detailed("__myl_Mul_myl0_1"), "8.4")
    assert [each.count("; ") for each in untold_modules((old, other))] == [1, 1]


def test_names_are_shown_escaped():
    assert "\x1b" not in "".join(untold_modules((plan_of(replace(detailed("x"), origins=("\x1b[31m" * 99,))),)))


def test_nothing_at_all():
    assert untold_modules((EnginePlan(engine()),))[1].startswith("build with")


def test_engines_that_were_built_with_details_are_not_told_to_be(shared_engines):
    for name in ("trt8.4-resnet18-a100-fp16", "trt8.4-resnet18-a100-fp32", "trt8.6-controlnet-a10"):
        plan = load_plan(EnginePlan, str(shared_engines / name))
        assert not any(each.module for each in plan.layers)
        assert FLAG not in "".join(untold_modules((plan,)))
