"""The next step to ONNX nodes in layers follows from the engine."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import conv, t
from trex.core.layer import Layer
from trex.ingest.spelling.layer_names import parse_name
from trex.plan.onnx_origins import origins_hint

FLAG = "--profilingVerbosity=detailed"


def detailed(name: str) -> Layer:
    return replace(conv(name, [t("x")], [t("y")]), name_parts=parse_name(name))


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


def test_no_layers():
    assert origins_hint([], "").startswith("build with")
