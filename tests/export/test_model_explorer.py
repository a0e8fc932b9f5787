"""Model Explorer: the fields of its own data classes, boxes of modules, and node data of the same ids."""

from __future__ import annotations

import pytest

from tests.diagram_files import read_model_explorer, read_node_data
from tests.export.test_graph_facts import EVERYTHING, facts_of, plan_of
from tests.factories import layer
from tests.synthetic.engines import synthetic_engine
from trex.export.model_explorer import MAX_STEPS, model_explorer_json, node_data_json
from trex.views.diagram.style import DiagramStyle


def read(facts):
    return read_model_explorer(model_explorer_json(facts).encode())


def data(facts):
    return read_node_data(node_data_json(facts).encode())


@pytest.mark.slow
@pytest.mark.parametrize("style", [DiagramStyle(), EVERYTHING, DiagramStyle(color_by="latency")])
@pytest.mark.parametrize("name", ["resnet18-int8", "transformer-fp16"])
def test_every_node_and_edge_is_there(name, style):
    facts = facts_of(synthetic_engine(name), style)
    graph = read(facts)
    assert list(graph.nodes) == [f"n{node.id}" for node in facts.graph.nodes]
    ends = [(f"n{edge.source}", f"n{edge.target}") for edge in facts.graph.edges]
    assert sorted(edge[:2] for edge in graph.edges) == sorted(ends)
    assert graph.facts["groups"][""]["title"] == f"{name} · synthetic data" == graph.facts["id"]


def test_modules_are_boxes_with_their_own_facts():
    graph = read(facts_of(synthetic_engine("transformer-fp16")))
    assert graph.nodes["n0"]["namespace"] == "patch_embed/proj"
    groups = graph.facts["groups"]
    assert groups["blocks"]["layers"] == "120"
    assert float(groups["blocks"]["share_pct"]) > 90
    boxes = {node["namespace"] for node in graph.nodes.values()}
    assert boxes - {""} <= set(groups)
    folded = read(facts_of(synthetic_engine("transformer-fp16"), DiagramStyle(fold=True)))
    assert folded.facts["groups"]["blocks"] == groups["blocks"]
    assert any(node["label"].endswith(" x12") for node in folded.nodes.values())


def test_groups_that_are_asked_for_are_the_boxes():
    plan = synthetic_engine("transformer-fp16")
    blocks = read(facts_of(plan, DiagramStyle(group_by="block")))
    boxes = {node["namespace"] for node in blocks.nodes.values()}
    first = next(box for box in boxes if box.startswith("blocks/0 "))
    assert not any("attn" in box for box in boxes)
    assert blocks.facts["groups"][first]["layers"] == "10"
    flat = read(facts_of(plan, DiagramStyle(group_by="none")))
    assert {node["namespace"] for node in flat.nodes.values()} == {""}
    modules = read(facts_of(plan, DiagramStyle(group_by="module")))
    assert "blocks/0/attn/qkv" in {node["namespace"] for node in modules.nodes.values()}


def test_closed_groups_are_nodes():
    graph = read(facts_of(synthetic_engine("transformer-fp16"), DiagramStyle(close_groups="all")))
    (node,) = (node for node in graph.nodes.values() if node["label"].startswith("blocks"))
    assert node["label"] == "blocks x120"
    assert node["attrs"]["layers"].endswith(" and 80 more")


def test_memory_is_in_the_box_of_its_layers():
    facts = facts_of(synthetic_engine("transformer-fp16"), DiagramStyle(display_regions=True))
    graph = read(facts)
    regions = [graph.nodes[f"n{node.id}"] for node in facts.graph.memory_nodes if node.kind == "region"]
    assert any(node["namespace"].startswith("blocks/0") for node in regions)
    ends = [graph.nodes[f"n{node.id}"] for node in facts.graph.memory_nodes if node.is_user]
    assert {node["namespace"] for node in ends} == {""}


def test_tensors_have_the_number_of_their_place():
    two = layer("a", inputs=["x", "w"], outputs=["y", "z"])
    graph = read(facts_of(plan_of(two, layer("b", inputs=["z"], outputs=["o"]), inputs=["w"])))
    (edge,) = (edge for source, target, edge in graph.edges if target == "n1")
    assert (edge["sourceNodeOutputId"], edge["targetNodeInputId"]) == ("1", "0")
    assert graph.nodes["n0"]["inputsMetadata"]["1"]["__tensor_tag"] == "w"
    told = graph.nodes["n1"]["inputsMetadata"]["0"]
    assert (told["tensor_shape"], told["dtype"], told["bytes"]) == ("1x8x4x4", "FP16", "256")


def test_node_data_is_of_the_same_graph():
    facts = facts_of(synthetic_engine("resnet18-int8"))
    found = data(facts)
    assert found.facts == {"id": read(facts).facts["id"], "name": "latency_ms (average)"}
    values = [found.nodes[f"n{node.id}"]["value"] for node in facts.graph.layer_nodes]
    assert sum(values) == pytest.approx(facts.total_ms, rel=1e-5)


def test_layers_without_a_time_have_no_value():
    plan = plan_of(layer("a"), layer("b", inputs=["y"], outputs=["z"]), times=(0.5, None))
    assert list(data(facts_of(plan)).nodes) == ["n0"]


def test_node_data_of_another_coloring():
    facts = facts_of(synthetic_engine("resnet18-int8"), DiagramStyle(color_by="precision"))
    found = data(facts)
    assert found.facts["name"] == "precision"
    assert {each["value"] for each in found.nodes.values()} == {"INT8", "FP16", "FP32"}


def test_signs_that_mean_something_in_a_namespace_and_paths_without_end():
    odd = [layer("a", module="/a;b/c\\/d"), layer("b", module="/".join("s" * 5000)), layer("c", module="x" * 40_000)]
    graph = read(facts_of(plan_of(*odd)))
    assert graph.nodes["n0"]["namespace"] == "a,b/c|/d"
    assert len(graph.nodes["n1"]["namespace"].split("/")) == MAX_STEPS
    assert len(graph.nodes["n2"]["namespace"]) < 200
    assert graph.nodes["n2"]["attrs"]["module"] == "x" * 40_000


def test_attributes_of_the_record_do_not_hide_our_own():
    odd = layer("a", "Shuffle", latency_of=1, index=7, Axis=2, Flag=True)
    told = read(facts_of(plan_of(odd), DiagramStyle(expand_layer_details=True))).nodes["n0"]["attrs"]
    assert (told["index"], told["Axis"], told["Flag"]) == ("0", "2", "true")


def test_data_of_the_iteration_before_is_marked():
    plan = plan_of(layer("a", inputs=["c"], outputs=["b"]), layer("b", inputs=["b"], outputs=["c"]))
    graph = read(facts_of(plan))
    assert graph.nodes["n0"]["inputsMetadata"]["0"]["carried"] == "yes"
