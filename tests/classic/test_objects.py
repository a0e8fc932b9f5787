"""Objects of a plan under TREx's names, over every engine."""

from __future__ import annotations

import trex
from tests.simulated_examples import load_simulated

LAYER = (
    "raw_dict name type subtype metadata inputs outputs precision inputs_size_bytes outputs_size_bytes "
    "total_io_size_bytes weights_cnt weights_type weights_size bias_cnt bias_type bias_size total_footprint_bytes"
)
ACTIVATION = "name shape format precision data_size size_bytes"


def test_layers_and_tensors_are_instances_of_the_classic_classes(address: str) -> None:
    plan = trex.load(address)
    assert type(plan) is trex.EnginePlan
    for layer in plan.layers:
        assert isinstance(layer, trex.Layer) and all(hasattr(layer, name) for name in LAYER.split())
        assert all(isinstance(tensor, trex.Activation) for tensor in (*layer.inputs, *layer.outputs))
        view = trex.Layer.of(layer)
        assert isinstance(view, trex.Layer) and view.origins == layer.origins
        for activation in (*view.inputs, *view.outputs):
            assert type(activation) is trex.Activation
    assert not isinstance(plan, trex.Layer) and not isinstance(plan.layers, trex.Activation)


def test_bindings_are_activations(address: str) -> None:
    plan = trex.load(address)
    for activations in plan.get_bindings():
        assert type(activations) is list
        for activation in activations:
            assert type(activation) is trex.Activation and all(hasattr(activation, name) for name in ACTIVATION.split())
            assert type(activation.shape) is list and type(activation.format) is str
            assert activation.name in plan.bindings and not hasattr(activation, "no_such_attribute")
            assert activation.volume == activation.tensor.volume


def test_formats_are_the_classic_sentences() -> None:
    plan = load_simulated("resnet18-int8")
    (read,), _ = plan.get_bindings()
    assert (read.shape, read.format) == ([32, 3, 224, 224], "FP32 NCHW")
    formats = {tensor.format for layer in plan.layers for tensor in trex.Layer.of(layer).inputs}
    assert "Int8 NC/32HW32" in formats
    assert trex.Layer.of(plan.layers[1]).inputs[0].precision == "INT8"


def test_groups_are_numbers(address: str) -> None:
    convs = trex.load(address).get_layers_by_type("Convolution")
    for name in ("Groups", "attr.groups"):
        assert name not in convs or convs[name].dtype.kind in "if" or convs[name].isna().all(), name
