"""The graph as JSON: node-link form that networkx reads, null for the unknown, every folded layer by name."""

from __future__ import annotations

import json

import pytest

from tests.diagram_files import read_graph_json
from tests.export.test_graph_facts import EVERYTHING, facts_of, plan_of
from tests.factories import layer, t
from tests.synthetic.engines import synthetic_engine
from trex.export.graph_document import graph_json
from trex.views.diagram.style import DiagramStyle


def read(facts):
    return read_graph_json(graph_json(facts).encode())


def test_facts_are_values_of_their_kinds():
    facts = facts_of(synthetic_engine("resnet18-int8"))
    graph = read(facts)
    assert graph.nodes["n0"]["origins"] == list(facts.graph.layer_nodes[0].layer.origins)
    assert graph.edges[0][2]["shape"] == [32, 3, 224, 224]
    assert graph.facts == facts.of_graph()
    kinds = [node["kind"] for node in graph.nodes.values()]
    assert (kinds.count("layer"), kinds.count("input"), kinds.count("output")) == (35, 1, 1)


def test_unknown_is_null_and_a_scalar_has_no_dimensions():
    odd = layer("a", inputs=[t("x", None, "Unknown", "Unknown")], outputs=[t("y", (1, None))])
    graph = read(facts_of(plan_of(odd, inputs=["x"], outputs=["y"])))
    told = graph.nodes["n0"]
    assert [told[key] for key in ("latency_ms", "share_pct", "precision", "tactic", "stream")] == [None] * 5
    assert graph.nodes["n1"]["shape"] is None
    assert graph.nodes["n2"]["shape"] == [1, None]
    scalar = layer("s", inputs=[t("x", ())], outputs=[t("y", ())])
    assert read(facts_of(plan_of(scalar, inputs=["x"]))).nodes["n1"]["shape"] == []


def test_folded_layers_are_listed():
    plan = synthetic_engine("transformer-fp16")
    graph = read(facts_of(plan, EVERYTHING))
    folded = [node for node in graph.nodes.values() if node.get("layers")]
    listed = [each["index"] for node in folded for each in node["layers"]]
    alone = [node["index"] for node in graph.nodes.values() if node["kind"] == "layer" and "layers" not in node]
    assert sorted(listed + alone) == [each.index for each in plan.working_layers]
    for node in folded:
        assert sum(each["latency_ms"] for each in node["layers"]) == pytest.approx(node["latency_ms"], rel=1e-4)
    assert any(node["kind"] == "region" for node in graph.nodes.values())
    assert all(isinstance(node["attributes"], dict) for node in graph.nodes.values() if node["kind"] == "layer")


def test_groups_and_closed_groups():
    plan = synthetic_engine("transformer-fp16")
    graph = read(facts_of(plan, DiagramStyle(group_by="module")))
    first = next(group for group in graph.groups if group["title"] == "blocks/0/attn")
    assert graph.groups[first["parent"]]["title"] == "blocks/0"
    assert all(graph.nodes[f"n{node}"]["groups"][-1] == "blocks/0/attn" for node in first["nodes"])
    closed = read(facts_of(plan, DiagramStyle(close_groups="all")))
    (node,) = (node for node in closed.nodes.values() if node["name"] == "blocks")
    assert (node["kind"], node["repeats"], len(node["layers"])) == ("group", 120, 120)
    assert sum(each["latency_ms"] for each in node["layers"]) == pytest.approx(node["latency_ms"], rel=1e-4)


def test_a_node_or_edge_is_a_line():
    facts = facts_of(synthetic_engine("resnet18-int8"))
    lines = graph_json(facts).splitlines()
    ids = [json.loads(line.removesuffix(","))["id"] for line in lines if line.startswith('{"id"')]
    assert ids == [node.id for node in facts.graph.nodes]


def test_an_empty_graph():
    graph = read(facts_of(plan_of()))
    assert (graph.nodes, graph.edges) == ({}, [])
    assert graph.facts["total_layers"] == 0


def test_the_same_text_every_time():
    plan = synthetic_engine("transformer-fp16")
    assert graph_json(facts_of(plan)) == graph_json(facts_of(plan))


@pytest.mark.parametrize("style", [DiagramStyle(), EVERYTHING])
def test_networkx_reads_it(style):
    networkx = pytest.importorskip("networkx")
    facts = facts_of(synthetic_engine("transformer-fp16"), style)
    graph = networkx.node_link_graph(json.loads(graph_json(facts)), edges="edges")
    assert graph.is_directed() and graph.is_multigraph()
    assert len(graph) == len(facts.graph.nodes)
    assert graph.number_of_edges() == len(facts.graph.edges)
    assert graph.graph["title"] == facts.of_graph()["title"]
