"""Objects of a plan under TREx's names, over every engine."""

from __future__ import annotations

import pickle
from copy import deepcopy

import trex
from tests.simulated_examples import load_simulated
from trex.views.redaction import redacted

LAYER = (
    "raw_dict name type subtype metadata inputs outputs precision inputs_size_bytes outputs_size_bytes "
    "total_io_size_bytes weights_cnt weights_type weights_size bias_cnt bias_type bias_size total_footprint_bytes"
)
ACTIVATION = "name shape format precision data_size size_bytes"


def test_layers_and_tensors_are_those_of_the_classic_classes(address: str) -> None:
    plan = trex.load(address)
    assert type(plan) is trex.EnginePlan
    for layers in (plan.layers, plan.all_layers, plan.constants):
        assert type(layers) is list
        for layer in layers:
            assert type(layer) is trex.Layer and all(hasattr(layer, name) for name in LAYER.split())
            assert type(layer.inputs) is type(layer.outputs) is list
            for tensor in (*layer.inputs, *layer.outputs):
                assert type(tensor) is trex.Activation and type(tensor.shape) is list and type(tensor.format) is str
    assert not isinstance(plan, trex.Layer) and not isinstance(plan.layers, trex.Activation)


def test_the_typed_layers_are_behind_the_classic_ones(address: str) -> None:
    plan = trex.load(address)
    assert tuple(layer.fact for layer in plan.layers) == plan.working_layers
    assert tuple(layer.fact for layer in plan.all_layers) == plan.engine.layers
    for layer, fact in zip(plan.layers, plan.working_layers, strict=True):
        assert isinstance(fact, trex.Layer) and layer.origins == fact.origins and layer.raw_dict is fact.raw
        assert tuple(tensor.fact for tensor in layer.inputs) == fact.inputs
    assert tuple(layer.fact for layer in plan.constants) == plan.engine.constants


def test_lists_of_layers_are_the_users_own() -> None:
    plan = load_simulated("resnet18-int8")
    count, findings = len(plan.layers), len(trex.lint_engine(plan).findings)
    plan.layers[0].name = "changed"
    del plan.layers[1:]
    assert len(plan.df) == len(plan.working_layers) == count and plan.df["Name"][0] != "changed"
    assert len(trex.lint_engine(plan).findings) == findings
    assert len(trex.performance(plan).plan.layers) == 1


def test_a_layer_is_found_by_its_name(address: str) -> None:
    plan = trex.load(address)
    for layer in plan.layers[:5]:
        found = plan.find(layer.name)
        assert found is not None and found.name == layer.name and found in plan.layers
    for layer in plan.all_layers[:5]:
        found = plan.find(layer.name)
        assert found is not None and found.name == layer.name
    assert plan.find("no such layer") is None


def test_layers_follow_the_plan_they_are_of() -> None:
    plan = load_simulated("resnet18-int8")
    assert plan.layers and plan.all_layers  # computed before
    plan.layers.clear()
    again = plan.at_shapes({})
    assert type(again) is trex.EnginePlan and len(again.layers) == len(again.working_layers) > 0
    hidden = redacted(plan)
    assert not {layer.name for layer in hidden.all_layers} & {layer.name for layer in plan.all_layers}


def test_public_modules_take_and_give_the_one_class() -> None:
    plan = load_simulated("resnet18-int8")
    comparison = trex.comparison.compare(plan, plan)
    quantization = trex.qdq(plan)
    assert comparison.left is comparison.right is trex.performance(plan).plan is plan
    assert len(quantization.df) == len(quantization.operations)
    assert type(trex.performance(plan).plan.layers[0]) is trex.Layer
    assert trex.EnginePlan is trex.engine_plan.EnginePlan is trex.graphing.EnginePlan is trex.lint.EnginePlan


def test_layers_can_be_copied_and_stored() -> None:
    layer = load_simulated("resnet18-int8").layers[1]
    for again in (deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert type(again) is trex.Layer and repr(again) == repr(layer)
        assert (again.inputs[0].shape, again.fact) == (layer.inputs[0].shape, layer.fact)


def test_functions_for_graphs_take_and_get_classic_objects() -> None:
    plan = load_simulated("resnet18-int8")
    for known in (*trex.layer_node_formatters.values(), *trex.layer_node_renderers.values()):
        rest = () if known in trex.layer_node_formatters.values() else (1.0,)
        for layer in plan.layers:
            assert known(layer, *rest) == known(layer.fact, *rest)
    given: list = []

    def formatter(layer: trex.Layer) -> dict[str, str]:
        given.append(layer)
        return trex.layer_type_formatter(layer)

    def renderer(layer: trex.Layer, latency: float, **options: bool) -> str:
        given.append(layer)
        return f"{layer.inputs[0].shape} {layer.outputs[0].format}"

    def region(tensor: trex.Activation, is_user: bool) -> dict[str, str]:
        given.append(tensor)
        return trex.region_precision_formatter(tensor, is_user)

    dot = trex.to_dot(plan, formatter, layer_node_renderer=renderer, region_formatter=region, display_regions=True)
    assert {type(item) for item in given} == {trex.Layer, trex.Activation}
    assert f"[32, 3, 224, 224] {plan.layers[0].outputs[0].format}" in dot.source


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
    formats = {tensor.format for layer in plan.layers for tensor in layer.inputs}
    assert "Int8 NC/32HW32" in formats
    assert plan.layers[1].inputs[0].precision == "INT8"


def test_groups_are_numbers(address: str) -> None:
    plan = trex.load(address)
    convs = plan.get_layers_by_type("Convolution")
    for name in ("Groups", "attr.groups"):
        for frame in (plan.df, convs, trex.clean_for_display(plan.df)):
            assert name not in frame or frame[name].dtype.kind in "if" or frame[name].isna().all(), name
    for layer in plan.layers:
        assert type(layer.raw_dict.get("Groups", 1)) is int
