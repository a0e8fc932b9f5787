"""MACs of engines that TensorRT for RTX builds here, against a count of their ONNX models that is not ours.

Skipped without its wheels.
"""

from __future__ import annotations

from math import prod
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto

from tests.capture.backends.test_tensorrt_rtx import NEEDS_WHEELS, options
from tests.onnx_models import Net
from trex.capture.process import process
from trex.engine_plan import load
from trex.examples.network import write_network
from trex.perf.work.plan_works import own_works_of
from trex.plan.engine_plan import EnginePlan
from trex.views.charting import convolution_rows, gemm_rows

pytestmark = pytest.mark.slow


def macs_of(model: Path) -> int:
    """Over ONNX's own shape inference. Conv: output values · Π(filter without its maps); ConvTranspose: input values ·
    the same; Gemm and MatMul: output values · the first operand's last extent.
    """
    graph = onnx.shape_inference.infer_shapes(onnx.load(model, load_external_data=False), data_prop=True).graph
    shapes = {info.name: _dims(info) for info in (*graph.input, *graph.output, *graph.value_info)}
    shapes |= {tensor.name: list(tensor.dims) for tensor in graph.initializer}
    total = 0
    for node in graph.node:
        if node.op_type in ("Conv", "ConvTranspose"):
            over = node.output[0] if node.op_type == "Conv" else node.input[0]
            total += prod(shapes[over]) * prod(shapes[node.input[1]][1:])
        elif node.op_type in ("Gemm", "MatMul"):
            total += prod(shapes[node.output[0]]) * shapes[node.input[0]][-1]
    return total


def _dims(info: onnx.ValueInfoProto) -> list[int]:
    return [dim.dim_value for dim in info.type.tensor_type.shape.dim]


def build(model: Path, folder: Path) -> EnginePlan:
    outcome = process(options(model, folder))
    assert outcome.failure is None
    return load(folder)


@NEEDS_WHEELS
@pytest.mark.parametrize("name", ["resnet18", "unet-fp16"])
def test_an_engine_has_the_macs_of_its_model(name: str, tmp_path: Path) -> None:
    model = write_network(name, tmp_path / f"{name}.onnx", weights="random")
    plan = build(model, tmp_path / "out")
    works = own_works_of(plan)
    assert [work.reason for work in works if work.macs is None] == []
    total = sum(work.macs or 0 for work in works)
    assert total == pytest.approx(macs_of(model), rel=0.01)
    convolutions = convolution_rows(plan.df, plan)
    assert len(convolutions) == {"resnet18": 20, "unet-fp16": 28}[name]
    attention = sum(work.macs or 0 for work in works if work.kind in ("attention", "generated-kernel"))
    assert gemm_rows(plan.df, plan, convolutions)["attr.macs"].sum() == total - attention


@NEEDS_WHEELS
def test_grouped_transposed_and_one_dimensional_convolutions_have_the_macs_of_their_model(tmp_path: Path) -> None:
    net = Net()

    def filters(*dims: int) -> str:
        return net.constant([0.01 * (index % 7) for index in range(prod(dims))], dims, TensorProto.FLOAT)

    x = net.input("x", (2, 64, 20, 24))
    x = net.node("Relu", net.node("ConvTranspose", x, filters(64, 32, 4, 4), strides=[2, 2], pads=[1] * 4))
    x = net.node("ConvTranspose", x, filters(32, 16, 3, 3), group=2, pads=[1] * 4)
    x = net.node("Conv", x, filters(48, 8, 3, 3), group=4, strides=[2, 2])
    line = net.node("Conv", net.input("line", (2, 64, 100)), filters(128, 64, 5), pads=[2, 2])
    product = net.node("MatMul", line, net.input("matrix", (2, 100, 64)))
    net.output(x, net.node("Gelu", product))
    model = net.save(tmp_path / "m.onnx")
    plan = build(model, tmp_path / "out")
    assert sum(work.macs or 0 for work in own_works_of(plan)) == macs_of(model)
    assert {"correlation", "deconv"} <= {layer.type for layer in plan.working_layers}
