"""Small ONNX models for tests: ``net = Net(); x = net.input("x", (1, 3, 8, 8)); y = net.node("Relu", x); net.save(…)``.

Weights have a shape and no data: the data are in an external file that does not exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import onnx
from onnx import TensorProto, helper

from trex.core.model import Model
from trex.ingest.onnx_child import OnnxChildResult
from trex.ingest.onnx_model import read_model

Dims = Sequence[int | str | None]


class Net:
    """A graph under construction. Every method that makes a value returns its name."""

    def __init__(self, opset: int = 20, **domains: int) -> None:
        self.opsets = {"": opset} | {name.replace("_", "."): version for name, version in domains.items()}
        self.nodes: list[onnx.NodeProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.outputs: list[onnx.ValueInfoProto] = []
        self.infos: list[onnx.ValueInfoProto] = []
        self.initializers: list[onnx.TensorProto] = []
        self.functions: list[onnx.FunctionProto] = []

    def input(self, name: str, shape: Dims | None, type: int = TensorProto.FLOAT) -> str:
        self.inputs.append(helper.make_tensor_value_info(name, type, shape))
        return name

    def output(self, *names: str, type: int = TensorProto.FLOAT) -> None:
        self.outputs += [helper.make_tensor_value_info(name, type, None) for name in names]

    def weight(self, *shape: int, name: str = "", type: int = TensorProto.FLOAT) -> str:
        """A stored tensor whose data are elsewhere."""
        tensor = TensorProto(name=name or f"w{len(self.initializers)}", dims=shape, data_type=type)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="weights.bin")
        self.initializers.append(tensor)
        return tensor.name

    def constant(self, numbers: Iterable[Any], dims: Sequence[int] | None = None, type: int = TensorProto.INT64) -> str:
        """A stored tensor with its data; by default a list of 64-bit integers."""
        values = list(numbers)
        name = f"c{len(self.initializers)}"
        shape = [len(values)] if dims is None else list(dims)
        self.initializers.append(helper.make_tensor(name, type, shape, values))
        return name

    def node(
        self, type: str, *inputs: str, name: str | None = None, outputs: int = 1, domain: str = "", **how: Any
    ) -> Any:
        """The name of its output, or the names of several; by default a node is called ``/TYPE_n``."""
        called = f"/{type}_{len(self.nodes)}" if name is None else name
        written = [f"{called or f'unnamed{len(self.nodes)}'}_output_{index}" for index in range(outputs)]
        self.nodes.append(helper.make_node(type, list(inputs), written, called, domain=domain, **how))
        return written[0] if outputs == 1 else tuple(written)

    def proto(self) -> onnx.ModelProto:
        graph = helper.make_graph(
            self.nodes, "net", self.inputs, self.outputs, self.initializers, value_info=self.infos
        )
        opsets = [helper.make_opsetid(name, version) for name, version in self.opsets.items()]
        return helper.make_model(
            graph, opset_imports=opsets, functions=self.functions, producer_name="tests", ir_version=10
        )

    def save(self, path: Path) -> Path:
        path.write_bytes(self.proto().SerializeToString())
        return path

    def read(self, folder: Path, shapes: Any = None) -> Model:
        return read_model(self.save(folder / "net.onnx"), shapes)


def infer_here(data: bytes, *, is_strict: bool = False, spent_s: float = 0.0) -> OnnxChildResult:
    """``trex.ingest.onnx_child.inferred`` without a process of its own: a quarter of a second less."""
    try:
        model = onnx.shape_inference.infer_shapes(data, check_type=False, strict_mode=is_strict, data_prop=True)
    except Exception as error:
        return OnnxChildResult(problem=" ".join(str(error).split()))
    return OnnxChildResult(model.SerializeToString())


def convolution(net: Net, x: str, channels: int, maps: int, kernel: int, name: str, **attributes: Any) -> str:
    """A square convolution that keeps the extents but for its stride."""
    padding = {"pads": [kernel // 2] * 4} | attributes
    weights = net.weight(maps, channels // attributes.get("group", 1), kernel, kernel)
    output: str = net.node("Conv", x, weights, net.weight(maps), name=name, **padding)
    return output


def quantized(net: Net, x: str, at: str) -> str:
    """The value quantized and back, with one scale and a zero point of 0, as a toolkit for training so inserts it."""
    scale, zero = net.constant([0.5], (), TensorProto.FLOAT), net.constant([0], (), TensorProto.INT8)
    q = net.node("QuantizeLinear", x, scale, zero, name=f"{at}/QuantizeLinear")
    output: str = net.node("DequantizeLinear", q, scale, zero, name=f"{at}/DequantizeLinear")
    return output


def resnet18(batch: int | str = 1, *, is_quantized: bool = False) -> Net:
    """ResNet18 (He et al. 2015, table 1) as PyTorch exports it for inference: batch norms folded, with its node names.

    is_quantized: with Q/DQ at the inputs and weights of every convolution and of the classifier.
    """
    net = Net()

    def conv(x: str, channels: int, maps: int, kernel: int, at: str, stride: int = 1) -> str:
        weights = net.weight(maps, channels, kernel, kernel)
        if is_quantized:
            x, weights = quantized(net, x, f"{at}/_input_quantizer"), quantized(net, weights, f"{at}/_weight_quantizer")
        padding = [kernel // 2] * 4
        output: str = net.node(
            "Conv", x, weights, net.weight(maps), name=f"{at}/Conv", strides=[stride] * 2, pads=padding
        )
        return output

    x = conv(net.input("input", (batch, 3, 224, 224)), 3, 64, 7, "/conv1", 2)
    x = net.node("Relu", x, name="/relu/Relu")
    x = net.node("MaxPool", x, name="/maxpool/MaxPool", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for stage, maps in enumerate((64, 128, 256, 512), 1):
        for block in range(2):
            at, stride = f"/layer{stage}/layer{stage}.{block}", 2 if stage > 1 and block == 0 else 1
            y = net.node("Relu", conv(x, channels, maps, 3, f"{at}/conv1", stride), name=f"{at}/relu/Relu")
            y = conv(y, maps, maps, 3, f"{at}/conv2")
            if stride == 2:
                x = conv(x, channels, maps, 1, f"{at}/downsample/downsample.0", 2)
            x = net.node("Relu", net.node("Add", y, x, name=f"{at}/Add"), name=f"{at}/relu_1/Relu")
            channels = maps
    x = net.node("GlobalAveragePool", x, name="/avgpool/GlobalAveragePool")
    x, weights = net.node("Flatten", x, name="/Flatten", axis=1), net.weight(1000, 512)
    if is_quantized:
        x, weights = quantized(net, x, "/fc/_input_quantizer"), quantized(net, weights, "/fc/_weight_quantizer")
    net.output(net.node("Gemm", x, weights, net.weight(1000), name="/fc/Gemm", transB=1))
    return net


def transformer(layers: int = 2, batch: int = 1, tokens: int = 128, hidden: int = 768, heads: int = 12) -> Net:
    """A BERT-like encoder (Devlin et al. 2018: base has 12 layers) in primitive operators, as exporters write it."""
    net, size = Net(), hidden // heads
    ids = net.input("input_ids", (batch, tokens), TensorProto.INT64)
    x = net.node("Gather", net.weight(30522, hidden), ids, name="/embeddings/Gather")
    for layer in range(layers):
        at = f"/encoder/layer.{layer}"

        def split(name: str, x: str = x, at: str = at, perm: tuple[int, ...] = (0, 2, 1, 3)) -> str:
            y = net.node("MatMul", x, net.weight(hidden, hidden), name=f"{at}/{name}/MatMul")
            y = net.node("Add", y, net.weight(hidden), name=f"{at}/{name}/Add")
            y = net.node("Reshape", y, net.constant((0, -1, heads, size)), name=f"{at}/{name}/Reshape")
            output: str = net.node("Transpose", y, name=f"{at}/{name}/Transpose", perm=perm)
            return output

        query, key, value = split("query"), split("key", perm=(0, 2, 3, 1)), split("value")
        scores = net.node("MatMul", query, key, name=f"{at}/MatMul")
        scores = net.node("Div", scores, net.constant([size**0.5], (), TensorProto.FLOAT), name=f"{at}/Div")
        y = net.node("MatMul", net.node("Softmax", scores, name=f"{at}/Softmax"), value, name=f"{at}/MatMul_1")
        y = net.node("Transpose", y, name=f"{at}/Transpose", perm=(0, 2, 1, 3))
        y = net.node("Reshape", y, net.constant((0, -1, hidden)), name=f"{at}/Reshape")
        y = net.node("MatMul", y, net.weight(hidden, hidden), name=f"{at}/output/MatMul")
        x = net.node("Add", net.node("Add", y, net.weight(hidden), name=f"{at}/output/Add"), x, name=f"{at}/Add")
        x = net.node(
            "LayerNormalization", x, net.weight(hidden), net.weight(hidden), name=f"{at}/norm/LayerNormalization"
        )
        y = net.node("MatMul", x, net.weight(hidden, 4 * hidden), name=f"{at}/up/MatMul")
        y = net.node("Gelu", net.node("Add", y, net.weight(4 * hidden), name=f"{at}/up/Add"), name=f"{at}/up/Gelu")
        y = net.node("MatMul", y, net.weight(4 * hidden, hidden), name=f"{at}/down/MatMul")
        x = net.node("Add", net.node("Add", y, net.weight(hidden), name=f"{at}/down/Add"), x, name=f"{at}/Add_1")
        x = net.node(
            "LayerNormalization", x, net.weight(hidden), net.weight(hidden), name=f"{at}/norm_1/LayerNormalization"
        )
    net.output(x)
    return net
