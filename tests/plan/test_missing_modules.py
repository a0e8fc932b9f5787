"""The reason for missing modules follows from the engine, and so does the next step."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import conv, t
from trex.core.layer import Layer
from trex.ingest.spelling.layer_names import parse_name
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan
from trex.plan.onnx_origins import missing_modules, origins_hint

FLAG = "--profilingVerbosity=detailed"


def detailed(name: str) -> Layer:
    return replace(conv(name, [t("x")], [t("y")]), name_parts=parse_name(name))


def test_node_names_without_paths_come_from_the_exporter():
    reason, hint = missing_modules([detailed("Conv_3 + Relu_4")], "8.4.1")
    assert reason == "node names contain no path ('Conv_3')"
    assert FLAG not in hint and "export the model" in hint and "PyTorch 1.13" in hint


def test_the_names_of_origins_count_as_well():
    reason, hint = missing_modules([replace(detailed("fused"), origins=("Cos_71",))], "8.6")
    assert "Cos_71" in reason and "export the model" in hint


@pytest.mark.parametrize(
    ("is_detailed", "version", "hint"),
    [
        (True, "8.4.1", f"build with TensorRT 8.6 or later and {FLAG}: older engines"),
        (True, "", f"build from ONNX with TensorRT 8.6 or later and {FLAG}"),
        (True, "v10.4", "build from ONNX: engines of other parsers"),
        (False, "10.4", f"build with {FLAG}"),
        (False, "", f"build with {FLAG} and TensorRT 8.6 or later"),
    ],
)
def test_without_nodes_the_build_is_the_reason(is_detailed, version, hint):
    layer = detailed("__myl_Mul_myl0_1")
    layers = [layer if is_detailed else replace(layer, inputs=(), outputs=(), tactic="")]
    assert origins_hint(layers, version).startswith(hint)
    assert missing_modules(layers, version)[1] == origins_hint(layers, version)


def test_names_are_escaped():
    assert "\x1b" not in "".join(missing_modules([replace(detailed("x"), origins=("\x1b[31m" * 99,))], ""))


def test_no_layers():
    assert missing_modules([], "")[1].startswith("build with")


def test_detailed_engines_need_no_rebuild(shared_engines):
    for name in ("trt8.4-resnet18-a100-fp16", "trt8.4-resnet18-a100-fp32", "trt8.6-controlnet-a10"):
        plan = load_plan(EnginePlan, str(shared_engines / name))
        assert not any(layer.module for layer in plan.layers)
        assert FLAG not in "".join(missing_modules(plan.layers, plan.tensorrt_version))
