"""Net: an ONNX graph under construction, with nodes named by module paths as in PyTorch's exports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod, sqrt
from typing import TYPE_CHECKING, Any
from zlib import crc32

if TYPE_CHECKING:
    import onnx

FLOAT, INT8, INT64, HALF = 1, 3, 7, 10  # TensorProto.DataType
NOT_WRITTEN = "weights_were_not_written.bin"
"""The file that weights without data refer to; it is never written."""

BATCH = "batch"
"""Name of the symbolic dimension."""


def path_of(module: str) -> str:
    """Module's name in the state dictionary → its path in the export.

    >>> path_of("layer2.0.downsample.0")
    '/layer2/layer2.0/downsample/downsample.0'
    """
    parts: list[str] = []
    for part in module.split("."):
        parts.append(f"{parts[-1]}.{part}" if part.isdigit() and parts else part)
    return "".join(f"/{part}" for part in parts)


class Net:
    """Methods that add a node or tensor return the name of its value, which other methods take as input.

    weights: ``none`` describes trained tensors without data, so that files are small; ``random`` draws them from a
    normal distribution with a variance of 2 over the fan-in, seeded with the tensor's name, so that a tensor is
    the same in all variants of a network. type: of all trained tensors. suffix: of the names of outputs,
    after the node's name.
    """

    def __init__(self, name: str, *, weights: str = "none", type: int = FLOAT, suffix: str = "_output_{}") -> None:
        self.name = name
        self.has_data = weights == "random"
        self.type = type
        self.suffix = suffix
        self.nodes: list[onnx.NodeProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.outputs: list[onnx.ValueInfoProto] = []
        self.described: list[onnx.ValueInfoProto] = []
        self.stored: dict[str, onnx.TensorProto] = {}
        self._names: set[str] = set()

    def input(self, name: str, shape: Sequence[int | None], type: int | None = None) -> str:
        """shape: None for the symbolic batch."""
        self.inputs.append(self._described(name, shape, type))
        return name

    def output(self, name: str, value: str, shape: Sequence[int | None]) -> None:
        """Makes the value an output of the graph with this name."""
        self.outputs.append(self._described(name, shape, None))
        self.call(value, name)

    def call(self, value: str, name: str) -> str:
        """Renames the value, in the nodes that read it too."""
        for node in self.nodes:
            node.output[:] = [name if output == value else output for output in node.output]
            node.input[:] = [name if read == value else read for read in node.input]
        return name

    def describe(self, value: str, shape: Sequence[int | None]) -> str:
        """Adds the shape of a value that ONNX's inference cannot find."""
        self.described.append(self._described(value, shape, None))
        return value

    def weight(self, name: str, *shape: int, around: float = 0.0) -> str:
        """A trained tensor. around: mean of its data, 1 for factors."""
        from onnx import TensorProto

        if name in self.stored:
            return name
        tensor = TensorProto(name=name, dims=shape, data_type=self.type)
        if self.has_data:
            tensor.raw_data = self._drawn(name, shape, around)
        else:
            tensor.data_location = TensorProto.EXTERNAL
            tensor.external_data.add(key="location", value=NOT_WRITTEN)
        self.stored[name] = tensor
        return name

    def stored_constant(self, name: str, numbers: Iterable[float], shape: Sequence[int], type: int = INT64) -> str:
        """A tensor of the structure (a shape, axes, a scale), stored with its data as an initializer."""
        from onnx import helper

        self.stored[name] = helper.make_tensor(name, type, list(shape), list(numbers))
        return name

    def constant(self, numbers: Iterable[float], shape: Sequence[int], at: str = "", type: int = INT64) -> str:
        """A tensor of the structure as a Constant node."""
        from onnx import helper

        return self.node("Constant", at=at, value=helper.make_tensor("", type, list(shape), list(numbers)))

    def node(self, type: str, *inputs: str, at: str = "", name: str = "", **attributes: Any) -> str:
        """A node with one output, called ``name`` or ``at/TYPE``, with ``_1``, ``_2`` … if the name is taken."""
        from onnx import helper

        called = self._free(name or f"{at}/{type}")
        output = called + self.suffix.format(0)
        self.nodes.append(helper.make_node(type, list(inputs), [output], called, **attributes))
        return output

    def split(self, x: str, parts: int, size: int, at: str) -> tuple[str, ...]:
        """The last axis in equal parts of that size."""
        from onnx import helper

        called = self._free(f"{at}/Split")
        outputs = [called + self.suffix.format(index) for index in range(parts)]
        sizes = self.constant([size] * parts, (parts,), at)
        self.nodes.append(helper.make_node("Split", [x, sizes], outputs, called, axis=-1))
        return tuple(outputs)

    def conv(
        self,
        x: str,
        module: str,
        channels: tuple[int, int],
        kernel: int,
        *,
        stride: int = 1,
        padding: int | None = None,
        group: int = 1,
        has_bias: bool = True,
        name: str = "",
        weight: str = "",
    ) -> str:
        """A square convolution. channels: (in, out). padding: half the kernel by default.

        name, weight: names of the node and its weights, by default from the module.
        """
        into, out = channels
        pads = [kernel // 2 if padding is None else padding] * 4
        parameters = [self.weight(weight or f"{module}.weight", out, into // group, kernel, kernel)]
        parameters += [self.weight(f"{module}.bias", out)] if has_bias else []
        return self.node(
            "Conv",
            x,
            *parameters,
            at=path_of(module),
            name=name,
            dilations=[1, 1],
            group=group,
            kernel_shape=[kernel, kernel],
            pads=pads,
            strides=[stride, stride],
        )

    def max_pool(self, x: str, at: str, kernel: int, stride: int, padding: int = 0, *, name: str = "") -> str:
        """Max pooling over squares; the output's extents are rounded down."""
        shape = {"kernel_shape": [kernel] * 2, "pads": [padding] * 4, "strides": [stride] * 2}
        return self.node("MaxPool", x, at=at, name=name, ceil_mode=0, **shape)

    def norm(self, x: str, module: str, channels: int, *, name: str = "") -> str:
        """A batch normalization that is not folded into the convolution before it."""
        around = {"weight": 1.0, "bias": 0.0, "running_mean": 0.0, "running_var": 1.0}
        parameters = [self.weight(f"{module}.{kind}", channels, around=mean) for kind, mean in around.items()]
        at = path_of(module)
        return self.node("BatchNormalization", x, *parameters, at=at, name=name, epsilon=1e-5, momentum=0.9)

    def linear(self, x: str, module: str, features: tuple[int, int]) -> str:
        """A fully connected layer, as Gemm with transposed weights. features: (in, out)."""
        into, out = features
        weight, bias = self.weight(f"{module}.weight", out, into), self.weight(f"{module}.bias", out)
        return self.node("Gemm", x, weight, bias, at=path_of(module), alpha=1.0, beta=1.0, transB=1)

    def model(self, *, opset: int, ir_version: int) -> onnx.ModelProto:
        from onnx import helper

        stored = list(self.stored.values())
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, stored, value_info=self.described)
        data = "drawn at random" if self.has_data else "not stored"
        return helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", opset)],
            ir_version=ir_version,
            producer_name="trex.examples",
            doc_string=f"The structure of {self.name}, written by trex; its weights are {data}.",
        )

    def _described(self, name: str, shape: Sequence[int | None], type: int | None) -> onnx.ValueInfoProto:
        from onnx import helper

        dims = [BATCH if size is None else size for size in shape]
        return helper.make_tensor_value_info(name, self.type if type is None else type, dims)

    def _free(self, name: str) -> str:
        called, count = name, 0
        while called in self._names:
            count += 1
            called = f"{name}_{count}"
        self._names.add(called)
        return called

    def _drawn(self, name: str, shape: Sequence[int], around: float) -> bytes:
        import numpy as np

        spread = sqrt(2 / prod(shape[1:])) if len(shape) > 1 else 0.02
        generator = np.random.default_rng([0, crc32(name.encode())])
        numbers = generator.standard_normal(tuple(shape), dtype=np.float32) * spread + around
        return numbers.astype("<f2" if self.type == HALF else "<f4").tobytes()
