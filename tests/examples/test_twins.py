"""The example networks are twins of the real engines' models, with the same operators, shapes and values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import trex
from trex.core.layer import Layer
from trex.core.model import Model
from trex.core.shape import Shape
from trex.examples.network import write_network
from trex.ingest.onnx_model import read_model
from trex.ingest.spelling.layer_names import inserted_for
from trex.perf.work.from_model import model_works_of
from trex.perf.work.plan_works import own_works_of

pytest.importorskip("onnx")

# Engine → the network that it was built from, and its batch.
TWINS = {
    "trt8.4-resnet18-a100-fp32": ("resnet18", 32),
    "trt8.4-resnet18-a100-fp16": ("resnet18", 32),
    "trt8.4-resnet18-a100-qat": ("resnet18-qat", 32),
    "trt8.4-resnet18-a100-qat-residual": ("resnet18-qat-residual", 32),
    "trt8.4-resnet18-a100-qat-residual-qgap": ("resnet18-qat-residual-qgap", 32),
    "trt10.4-resnet18-fp16-rtx3060": ("resnet18-fp16", 1),
    "trt10.4-alexnet-fp16-rtx3060": ("alexnet-fp16", 1),
    "trt10.1-alexnet-onnx": ("alexnet-fp16", 1),
    "trt8.2-resnet50-rtx3090-fp32": ("resnet50", 32),
    "trt8.2-resnet50-rtx3090-fp16": ("resnet50", 32),
    "trt8.2-resnet50-rtx3090-qat": ("resnet50-qat", 32),
    "trt8.4-mobilenetv2-qat": ("mobilenet-v2-qat", 1),
    "trt8.4-mobilenetv2-qat-residuals": ("mobilenet-v2-qat-residual", 1),
}
# Words at the end of a node's name (TensorFlow's types) → ONNX operator types.
TYPES = {
    "Conv2D": {"Conv", "Transpose"},
    "BiasAdd": {"Conv", "Add", "Transpose"},
    "add": {"Add"},
    "Mean": {"GlobalAveragePool"},
    "QuantLinearNode": {"QuantizeLinear"},
}
MOVED_OVER = {"Flatten", "MaxPool", "Pad", "Reshape", "Squeeze", "Transpose"}
PRODUCTS = {"Conv", "Gemm", "MatMul"}


class Pair:
    """An engine and the model of its twin."""

    def __init__(self, name: str, engines: Path, folder: Path) -> None:
        self.name = name
        network, batch = TWINS[name]
        file = write_network(network, folder / "twin.onnx", batch)
        self.plan = trex.load(engines / name, onnx=file)
        self.model: Model = read_model(file)

    def operations(self) -> list[tuple[Layer, tuple[str, ...]]]:
        """The operations that each layer names, without those that TensorRT inserted."""
        return [(layer, tuple(filter(_is_of_the_model, _operations_of(layer)))) for layer in self.plan.engine.layers]


def _operations_of(layer: Layer) -> tuple[str, ...]:
    if layer.origins or "myelin" in layer.name_parts.fusion:
        return layer.origins
    return layer.name_parts.operations


def _is_of_the_model(name: str) -> bool:
    return bool(name) and not name.startswith("(Unnamed Layer*") and inserted_for(name) is None


@pytest.fixture(scope="module", params=TWINS)
def pair(request: pytest.FixtureRequest, shared_engines: Path, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return Pair(request.param, shared_engines, tmp_path_factory.mktemp("twin"))


def test_every_operation_that_a_layer_names_is_in_the_twin(pair: Pair) -> None:
    names = [name for _, operations in pair.operations() for name in operations]
    missing = [name for name in names if name not in pair.model.by_name and name not in pair.model.values]
    print(f"{pair.name}: {len(names) - len(missing)} of {len(names)} named operations are in the twin")
    assert len(names) >= 19
    assert missing == []


def test_the_engine_takes_the_twin_for_its_model(pair: Pair) -> None:
    origins = pair.plan.onnx_origins
    assert origins is not None
    assert (origins.share, origins.missing) == (1.0, ())
    assert model_works_of(pair.plan, own_works_of(pair.plan)).notes == ()
    assert not [note for note in pair.plan.notes if note.code.startswith("model-") and note.severity != "info"]


def test_they_are_of_the_type_that_their_name_says(pair: Pair) -> None:
    for _, operations in pair.operations():
        for operator in (pair.model.by_name[name][0] for name in operations if name in pair.model.by_name):
            word = operator.name.rpartition("/")[2].rstrip("0123456789").rstrip("_")
            assert operator.type in TYPES.get(word, {word}), operator


def test_values_have_the_shapes_of_the_engines_tensors(pair: Pair) -> None:
    tensors = {t.name: t.shape for layer in pair.plan.engine.layers for t in (*layer.inputs, *layer.outputs)}
    shapes = {name: shape for name, shape in tensors.items() if name in pair.model.values}
    own = [name for name in tensors if not name.startswith("Reformatted ")]
    print(f"{pair.name}: {len(shapes)} of {len(own)} tensors of the engine are values of the twin")
    assert len(shapes) >= 10
    wrong = {name: shape for name, shape in shapes.items() if shape not in _shapes_near(pair.model, name)}
    assert wrong == {}


def _shapes_near(model: Model, name: str) -> list[Shape | None]:
    return [model.values[near].shape for near in _near(model, name)]


def _near(model: Model, name: str) -> list[str]:
    """The value, and those one operator away over which TensorRT moves Q and DQ: their outputs keep the old name."""
    near = [name]
    for operator in (*model.consumers.get(name, ()), *filter(None, [model.producers.get(name)])):
        if operator.type in MOVED_OVER:
            near += (*operator.inputs[:1], *operator.outputs)
    return near


def test_what_a_layer_writes_is_computed_by_its_operators(pair: Pair) -> None:
    checked = 0
    for layer, operations in pair.operations():
        written = [tensor.name for tensor in layer.outputs if tensor.name in pair.model.values]
        operators = {pair.model.by_name[name][0].index for name in operations if name in pair.model.by_name}
        if written and operators:
            checked += 1
            near = [value for name in written for value in _near(pair.model, name)]
            moved = [operator for name in near[1:] for operator in pair.model.consumers.get(name, ())]
            above = _indexes_above(pair.model, near) | {
                operator.index for operator in moved if operator.type == "QuantizeLinear"
            }
            assert operators <= above, layer.name
    assert checked >= 8


def _indexes_above(model: Model, names: list[str]) -> set[int]:
    """Indexes of the operators that compute the values."""
    indexes: set[int] = set()
    pending = list(names)
    while pending:
        operator = model.producers.get(pending.pop())
        if operator is not None and operator.index not in indexes:
            indexes.add(operator.index)
            pending += operator.inputs
    return indexes


def test_convolutions_have_the_attributes_of_the_layers(pair: Pair) -> None:
    convolutions = 0
    for layer, operations in pair.operations():
        if "OutMaps" not in layer.raw:
            continue
        (operator,) = (
            operators[0]
            for name in operations
            if (operators := pair.model.by_name.get(name)) and operators[0].type in PRODUCTS
        )
        (output,) = pair.model.outputs_of(operator)
        assert output is not None and output.shape is not None
        assert output.shape[1] == layer.raw["OutMaps"]
        if operator.type == "Conv":
            convolutions += 1
            attributes: dict[str, Any] = dict(operator.attributes)
            assert list(attributes["kernel_shape"]) == layer.raw["Kernel"]
            assert list(attributes["strides"]) == layer.raw["Stride"]
            assert attributes["group"] == layer.raw["Groups"]
            assert list(attributes["pads"])[:2] == layer.raw["PrePadding"]
    assert convolutions > 3


def test_inputs_and_outputs_have_equal_names(pair: Pair) -> None:
    names = list(pair.plan.bindings)
    assert [value.name for value in (*pair.model.inputs, *pair.model.outputs)] == names
