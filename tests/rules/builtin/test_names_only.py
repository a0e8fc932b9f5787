"""Engines that keep nothing but the names of their layers."""

from __future__ import annotations

from dataclasses import replace

from tests.raw_records import chain
from tests.rules.cases import finding, plan_of, reports
from tests.rules.planting import Ground, Planter, whole
from trex.core.engine import Engine
from trex.core.metadata import Metadata
from trex.plan.engine_plan import EnginePlan

RULE = "names-only"
NAMES = [{"Name": "/a/Conv"}, {"Name": "/b/Conv"}]


def test_names_alone_are_reported_with_the_command_that_brings_the_rest():
    found = finding(RULE, plan_of(NAMES))
    assert "its 2 layers" in found.message and not found.savings
    assert found.fix[0].startswith("trtexec --onnx=MODEL.onnx")


def test_the_command_is_the_builds_own_where_it_is_reported():
    plan = plan_of(NAMES)
    line = "trtexec --onnx=net.onnx --fp16 --profilingVerbosity=layer_names_only --saveEngine=net.engine"
    plan.build_metadata = Metadata(command_line=line)
    expected = "trtexec --onnx=net.onnx --fp16 --saveEngine=net.engine --profilingVerbosity=detailed"
    assert finding(RULE, plan).fix[0] == expected
    plan.build_metadata = replace(plan.build_metadata, command_line="", model_options={"Model": "my net.onnx"})
    assert finding(RULE, plan).fix[0].startswith("trtexec --onnx='my net.onnx' ")


def test_one_tensor_or_kernel_is_enough():
    assert reports(RULE, plan_of(chain("a", "b"))) == []
    assert reports(RULE, plan_of([*NAMES, {"Name": "/c/Conv", "TacticName": "sm80_xmma"}])) == []


def test_an_engine_without_layers_is_none():
    assert reports(RULE, EnginePlan(Engine(()))) == []


# ---- The defect that tests plant into engines, and its sound twin


def names_alone(ground: Ground) -> None:
    ground.layers = [replace(each, inputs=(), outputs=(), tactic="") for each in ground.layers]


PLANTER = Planter(whole(names_alone))


def test_a_strangers_command_line_is_no_command() -> None:
    plan = plan_of(NAMES)
    plan.build_metadata = Metadata(command_line="trtexec --onnx=m.onnx; touch x; #")
    assert "touch" not in finding(RULE, plan).fix[0]
    plan.build_metadata = Metadata(command_line="trtexec --onnx=$(touch${IFS}x).onnx --fp16")
    assert finding(RULE, plan).fix[0] == "trtexec '--onnx=$(touch${IFS}x).onnx' --fp16 --profilingVerbosity=detailed"
