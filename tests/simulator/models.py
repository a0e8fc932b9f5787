"""Small networks as Models, made without ONNX's package."""

from __future__ import annotations

from collections.abc import Mapping

from trex.core.data_type import DataType
from trex.core.model import Model
from trex.core.operator import AttributeValue, Operator, Value
from trex.core.release import Release
from trex.core.shape import Shape
from trex.perf.recognize import find_device
from trex.simulator.target import DEFAULT_RELEASE, Target


class Net:
    """Operators one after the other; every value's shape is written down."""

    def __init__(self, **inputs: Shape) -> None:
        self.operators: list[Operator] = []
        self.values: dict[str, Value] = {}
        self.inputs = [self._value(name, shape) for name, shape in inputs.items()]

    def stored(self, name: str, *shape: int, data_type: DataType = DataType.FP32) -> str:
        self.values[name] = Value(name, shape, data_type, is_stored=True)
        return name

    def add(
        self,
        type_: str,
        reads: str,
        writes: str,
        *shape: int,
        data_type: DataType = DataType.FP32,
        name: str = "",
        domain: str = "",
        attributes: Mapping[str, AttributeValue] | None = None,
    ) -> str:
        """reads, writes: names with spaces between them; all that is written has one shape."""
        index = len(self.operators)
        built = Operator(
            index,
            name or f"{type_}_{index}",
            type_,
            domain,
            tuple(reads.split()),
            tuple(writes.split()),
            dict(attributes or {}),
        )
        self.operators.append(built)
        for item in writes.split():
            self._value(item, shape, data_type)
        return writes

    def model(self, *outputs: str) -> Model:
        results = tuple(self.values[name] for name in outputs)
        return Model(tuple(self.operators), self.values, tuple(self.inputs), results)

    def _value(self, name: str, shape: Shape, data_type: DataType = DataType.FP32) -> Value:
        return self.values.setdefault(name, Value(name, shape, data_type))


def target(device: str = "A100", *allowed: DataType, release: Release = DEFAULT_RELEASE) -> Target:
    return Target(find_device(device), release, frozenset(allowed))


def small_cnn() -> Model:
    """Convolution, ReLU, pooling, a residual block, global pooling, a fully connected layer, softmax."""
    net = Net(x=(1, 3, 32, 32))
    kernel: dict[str, AttributeValue] = {"kernel_shape": (3, 3), "pads": (1, 1, 1, 1)}
    net.stored("w0", 64, 3, 3, 3)
    net.stored("w1", 64, 64, 3, 3)
    net.stored("fc", 10, 64)
    net.stored("b", 10)
    net.add("Conv", "x w0", "c0", 1, 64, 32, 32, attributes=kernel)
    net.add("Relu", "c0", "r0", 1, 64, 32, 32)
    net.add("MaxPool", "r0", "p0", 1, 64, 16, 16, attributes={"kernel_shape": (2, 2), "strides": (2, 2)})
    net.add("Conv", "p0 w1", "c1", 1, 64, 16, 16, attributes=kernel)
    net.add("Add", "c1 p0", "a1", 1, 64, 16, 16)
    net.add("Relu", "a1", "r1", 1, 64, 16, 16)
    net.add("GlobalAveragePool", "r1", "g", 1, 64, 1, 1)
    net.add("Flatten", "g", "f", 1, 64)
    net.add("Gemm", "f fc b", "l", 1, 10, attributes={"transB": 1})
    net.add("Softmax", "l", "y", 1, 10)
    return net.model("y")
