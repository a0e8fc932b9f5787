"""GraphML: valid, typed, and what networkx reads is what the graph says."""

from __future__ import annotations

import io

import pytest

from tests.diagram_files import read_graphml
from tests.export.test_graph_facts import EVERYTHING, facts_of, plan_of
from tests.factories import layer, t
from tests.synthetic.engines import synthetic_engine
from trex.export.graphml import graphml_text
from trex.views.diagram.style import DiagramStyle


def read(facts):
    return read_graphml(graphml_text(facts).encode())


def test_nodes_and_edges_have_their_facts():
    facts = facts_of(synthetic_engine("resnet18-int8"))
    graph = read(facts)
    assert len(graph.nodes) == len(facts.graph.nodes)
    assert len(graph.edges) == len(facts.graph.edges)
    first = facts.graph.layer_nodes[0]
    told = graph.nodes["n0"]
    assert told["latency_ms"] == pytest.approx(first.ms(), rel=1e-5)
    assert (told["name"], told["type"], told["stream"]) == (first.layer.name, first.layer.type, first.layer.stream)
    source, target, edge = graph.edges[0]
    assert (source, target) == (f"n{facts.graph.edges[0].source}", f"n{facts.graph.edges[0].target}")
    assert edge["shape"] == "32x3x224x224" and edge["bytes"] == 32 * 3 * 224 * 224 * 4
    assert edge["dtype"] == "FP32" and edge["carried"] is False
    assert graph.facts["synthetic"] is True
    assert "synthetic" in graph.facts["title"]


def test_what_is_not_known_has_no_element():
    odd = layer("a", inputs=[t("x", None, "Unknown", "Unknown")], outputs=[t("y", (1, None))])
    graph = read(facts_of(plan_of(odd, inputs=["x"], outputs=["y"])))
    assert not {"latency_ms", "precision", "stream", "origins"} & set(graph.nodes["n0"])
    assert not {"dtype", "shape", "bytes"} & set(graph.nodes["n1"])
    assert graph.nodes["n2"]["shape"] == "1x?"
    scalar = layer("s", inputs=[t("x", ())], outputs=[t("y", ())])
    assert read(facts_of(plan_of(scalar, inputs=["x"]))).nodes["n1"]["shape"] == "scalar"


def test_lists_are_one_item_a_line():
    many = layer("a", origins=["/conv", "/relu\nx"])
    assert read(facts_of(plan_of(many))).nodes["n0"]["origins"] == "/conv\n/relu\nx"


def test_gephi_finds_its_label_by_the_id_of_its_key():
    assert '<key id="label" for="node" attr.name="label"' in graphml_text(facts_of(synthetic_engine("resnet18-int8")))


@pytest.mark.parametrize("name", ["resnet18-int8", "transformer-fp16"])
@pytest.mark.parametrize("style", [DiagramStyle(), EVERYTHING])
def test_networkx_reads_it(name, style):
    networkx = pytest.importorskip("networkx")
    facts = facts_of(synthetic_engine(name), style)
    text = graphml_text(facts)
    graph = networkx.read_graphml(io.BytesIO(text.encode()), force_multigraph=True)
    assert graph.is_directed()
    assert set(graph) == {f"n{node.id}" for node in facts.graph.nodes}
    assert graph.number_of_edges() == len(facts.graph.edges)
    total = sum(told.get("latency_ms", 0.0) for _, told in graph.nodes(data=True))
    assert total == pytest.approx(facts.total_ms, rel=1e-5)
    assert {type(told["bytes"]) for _, _, told in graph.edges(data=True)} == {int}
    assert graph.graph["synthetic"] is True
