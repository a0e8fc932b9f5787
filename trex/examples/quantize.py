"""Q/DQ insertion: a floating-point model → the same model with quantizers for an INT8 build."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trex.core.errors import TrexError

if TYPE_CHECKING:
    import onnx

# Operator → the axis of the output channels in its weights (input 1).
_WEIGHTED = {"Conv": 0, "ConvTranspose": 1, "Gemm": 1, "MatMul": -1}
_POOLING = frozenset({"GlobalAveragePool", "AveragePool"})
_FLOAT, _INT8 = 1, 3  # TensorProto.DataType
_LARGEST = 127.0
_SMALL_BYTES = 8192
CONSTANTS = ("stored", "nodes", "shared")


def quantize(
    model: onnx.ModelProto,
    *,
    residuals: bool = False,
    pooling: bool = False,
    per_channel: bool = True,
    constants: str = "stored",
    weight_constants: str = "stored",
) -> onnx.ModelProto:
    """A copy of the model with QuantizeLinear and DequantizeLinear inserted as by quantization-aware training.

    Every convolution and GEMM with stored weights gets a quantizer at its input, with one scale for the tensor, and
    one at its weights, with a scale per output channel (``per_channel``; needs opset 13); zero points are 0. A value
    that several of them read is quantized for each, with one scale, as in layers that quantize their own inputs.
    residuals: also quantize the shortcut of every addition that joins two branches; otherwise TensorRT writes the
    output of the other branch's convolution in floating point. pooling: also quantize the inputs of average pooling.

    Scales are those of a largest magnitude of 4 (weights: from their data if stored, else 1). constants,
    weight_constants: scales and zero points as initializers (``stored``), as Constant nodes of each
    Q and each DQ (``nodes``), or one scale node for both and a stored zero point (``shared``), as PyTorch exports them.

    Raises TrexError for an opset before 10, or before 13 with per_channel, for weights that are not FP32, and for
    unknown constants.
    """
    from onnx import ModelProto

    opset = next((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), 0)
    if opset < (13 if per_channel else 10):
        what = "a scale per channel" if per_channel else "QuantizeLinear"
        raise TrexError(f"{what} is not in opset {opset}", "export the model with opset 13 or later")
    for word in (constants, weight_constants):
        if word not in CONSTANTS:
            raise TrexError(f"constants cannot be {word!r}", f"one of {', '.join(CONSTANTS)}")
    quantized = ModelProto()
    quantized.CopyFrom(model)
    shortcuts = dict(_shortcuts(model, _shapes(model))) if residuals else {}
    _Inserter(quantized.graph, per_channel, constants, weight_constants).insert(shortcuts, pooling)
    return quantized


class _Inserter:
    """Rewrites the graph node by node, each after its quantizers."""

    def __init__(
        self,
        graph: onnx.GraphProto,
        per_channel: bool,
        constants: str,
        weight_constants: str,
    ) -> None:
        self.graph = graph
        self.per_channel = per_channel
        self.constants = constants
        self.weight_constants = weight_constants
        self.stored = {tensor.name: tensor for tensor in graph.initializer}
        self.nodes: list[onnx.NodeProto] = []
        self.taken = {node.name for node in graph.node} | {name for node in graph.node for name in node.output}

    def insert(self, shortcuts: Mapping[int, int], pooling: bool) -> None:
        """shortcuts: index of an addition → its operand that is quantized."""
        nodes = list(self.graph.node)
        # A sum is computed from left to right: a shortcut on its left is quantized before the other branch begins.
        early: dict[str, list[int]] = {}
        for index, operand in shortcuts.items():
            if operand == 0:
                early.setdefault(nodes[index].input[0], []).append(index)
        for index, node in enumerate(nodes):
            for name in list(node.input):
                for addition in early.pop(name, ()):
                    self._quantize(nodes[addition], 0, "residual")
            if shortcuts.get(index) == 1:
                self._quantize(node, 1, "residual")
            if _is_weighted(node, self.stored):
                self._quantize(node, 0, "input")
                self._quantize_weights(node)
            elif pooling and node.op_type in _POOLING:
                self._quantize(node, 0, "input")
            self.nodes.append(node)
        del self.graph.node[:]
        self.graph.node.extend(self.nodes)

    def _quantize(self, node: onnx.NodeProto, operand: int, what: str) -> None:
        self._insert(node, operand, what, [4.0 / _LARGEST], (), self.constants)

    def _quantize_weights(self, node: onnx.NodeProto) -> None:
        tensor = self.stored[node.input[1]]
        if tensor.data_type != _FLOAT:
            raise TrexError(f"the weights {tensor.name!r} are not FP32", "quantize the model before it is converted")
        axis = _axis(node, tensor) if self.per_channel else None
        largest = self._largest(tensor, axis)
        shape = () if axis is None else (len(largest),)
        how = {} if axis is None else {"axis": axis}
        self._insert(
            node, 1, "weight", [magnitude / _LARGEST for magnitude in largest], shape, self.weight_constants, **how
        )

    def _largest(self, tensor: onnx.TensorProto, axis: int | None) -> list[float]:
        """The largest magnitude of the weights, per channel if an axis is given."""
        count = 1 if axis is None else tensor.dims[axis]
        if not (tensor.raw_data or tensor.float_data):
            return [1.0] * count
        from onnx import numpy_helper

        data = abs(numpy_helper.to_array(tensor))
        others = tuple(other for other in range(data.ndim) if other != axis)
        return [float(magnitude) or 1.0 for magnitude in data.max(axis=others).reshape(-1)]

    def _insert(
        self,
        node: onnx.NodeProto,
        operand: int,
        what: str,
        scale: Sequence[float],
        shape: Sequence[int],
        constants: str,
        **how: Any,
    ) -> None:
        at = self._free(f"{_module_path(node)}/_{what}_quantizer")
        numbers = {"scale": (_FLOAT, scale), "zero_point": (_INT8, [0] * len(scale))}
        pair: list[str] = []
        value = node.input[operand]
        for type in ("QuantizeLinear", "DequantizeLinear"):
            if not pair or constants == "nodes":
                pair = [
                    self._stored_tensor(f"{at}/{name}", kind, shape, values)
                    if constants == "stored" or (constants == "shared" and name == "zero_point")
                    else self._node("Constant", at, value=_tensor("", kind, shape, values))
                    for name, (kind, values) in numbers.items()
                ]
            value = self._node(type, at, value, *pair, **how)
        node.input[operand] = value

    def _stored_tensor(self, name: str, kind: int, shape: Sequence[int], values: Sequence[float]) -> str:
        self.graph.initializer.append(_tensor(name, kind, shape, values))
        return name

    def _node(self, type: str, at: str, *inputs: str, **attributes: Any) -> str:
        from onnx import helper

        called = self._free(f"{at}/{type}")
        self.nodes.append(helper.make_node(type, list(inputs), [f"{called}_output_0"], called, **attributes))
        return f"{called}_output_0"

    def _free(self, name: str) -> str:
        called, count = name, 0
        while called in self.taken:
            count += 1
            called = f"{name}_{count}"
        self.taken.add(called)
        return called


def _tensor(name: str, kind: int, shape: Sequence[int], values: Sequence[float]) -> onnx.TensorProto:
    from onnx import helper

    return helper.make_tensor(name, kind, list(shape), list(values))


def _module_path(node: onnx.NodeProto) -> str:
    """The node's name up to the last slash."""
    called = node.name or node.output[0]
    return called.rpartition("/")[0] if "/" in called.strip("/") else called


def _axis(node: onnx.NodeProto, tensor: onnx.TensorProto) -> int:
    is_transposed = any(attribute.name == "transB" and attribute.i for attribute in node.attribute)
    axis = 0 if node.op_type == "Gemm" and is_transposed else _WEIGHTED[node.op_type]
    return axis % len(tensor.dims)


def _is_weighted(node: onnx.NodeProto, stored: Container[str]) -> bool:
    is_known = node.op_type in _WEIGHTED and not node.domain and len(node.input) > 1
    return is_known and node.input[1] in stored and node.input[0] not in stored


def _shapes(model: onnx.ModelProto) -> dict[str, list[int | str]]:
    """Shapes of the values that ONNX's inference finds, without copying large weights."""
    from onnx import ModelProto, TensorProto, shape_inference

    bare = ModelProto(ir_version=model.ir_version)
    bare.opset_import.extend(model.opset_import)
    bare.functions.extend(model.functions)
    graph, whole = bare.graph, model.graph
    graph.name = whole.name
    graph.node.extend(whole.node)
    graph.input.extend(whole.input)
    graph.output.extend(whole.output)
    graph.value_info.extend(whole.value_info)
    for tensor in whole.initializer:
        is_large = len(tensor.raw_data) > _SMALL_BYTES or tensor.data_type == _FLOAT
        described = TensorProto(name=tensor.name, dims=tensor.dims, data_type=tensor.data_type)
        graph.initializer.append(described if is_large else tensor)
    try:
        graph = shape_inference.infer_shapes(bare, data_prop=True).graph
    except (shape_inference.InferenceError, ValueError):
        return {}
    return {
        info.name: [dim.dim_value or dim.dim_param for dim in info.type.tensor_type.shape.dim]
        for info in (*graph.input, *graph.value_info, *graph.output)
        if info.type.tensor_type.HasField("shape")
    }


def _shortcuts(model: onnx.ModelProto, shapes: Mapping[str, list[int | str]]) -> Iterator[tuple[int, int]]:
    """(index of an addition, its operand that is the shortcut) for each addition that joins two branches of one value.

    The shortcut is the branch with fewer weighted operators after the fork, or the right one. Operands of different
    shapes, such as a mask, are no branches.
    """
    stored = {tensor.name for tensor in model.graph.initializer}
    above: dict[str, int] = {}  # value → the values it is computed from, itself included, as bits
    depths: list[int] = []  # bit → weighted operators on the longest path to that value
    for index, node in enumerate(model.graph.node):
        for name in node.input:
            if name and name not in above and name not in stored:
                above[name] = 1 << len(depths)
                depths.append(0)
        sources = [name for name in node.input if name in above]
        deepest = max((depths[above[name].bit_length() - 1] for name in sources), default=0)
        for name in node.output:
            bits = 1 << len(depths)
            for source in sources:
                bits |= above[source]
            above[name] = bits
            depths.append(deepest + _is_weighted(node, stored))
        if node.op_type == "Add" and len(sources) == 2 and _have_same_shape(*map(shapes.get, sources)):
            left, right = (above[name] for name in sources)
            fork = (left & right).bit_length() - 1
            left_depth, right_depth = (depths[bits.bit_length() - 1] for bits in (left, right))
            if fork >= 0 and max(left_depth, right_depth) > depths[fork]:
                yield index, int(right_depth <= left_depth)


def _have_same_shape(left: list[int | str] | None, right: list[int | str] | None) -> bool:
    return left is None or right is None or left == right
