"""Regions: one per tensor name, with its generations, writers and readers by port; and the graph's nodes for them."""

from __future__ import annotations

import pytest

from tests.factories import engine, layer
from trex.graph.build import build_graph
from trex.graph.port_graph import PortDesc, PortGraph, Region, port_edges, regions_of
from trex.plan.engine_plan import EnginePlan

REUSED = (
    layer("a", inputs=["x"], outputs=["u", "y"]),
    layer("b", inputs=["k", "y"], outputs=["z"]),
    layer("c", inputs=["z"], outputs=["y"]),
    layer("d", inputs=["y"], outputs=["out"]),
    layer("e", inputs=["y"], outputs=["w"]),
)


def plan():
    return EnginePlan(engine(*REUSED, inputs=["x"], outputs=["out"]))


def test_generations_of_a_reused_name():
    regions = {region.name: region for region in regions_of(REUSED, ["x", "out"])}
    y = regions["y"]
    assert y.nb_generations() == 2
    assert y.writers(0) == [PortDesc("a", 1)] and y.readers(0) == [PortDesc("b", 1)]
    assert y.writers(1) == [PortDesc("c", 0)] and y.readers(1) == [PortDesc("d", 0), PortDesc("e", 0)]
    assert y.writers() == [PortDesc("a", 1), PortDesc("c", 0)]
    assert [generation.is_forked for generation in y.generations] == [False, True]
    assert [generation.id for generation in y.generations] == [0, 1]
    assert not y.generations[0].is_user and regions["x"].generations[0].is_user
    assert regions["x"].is_placeholder() and regions["k"].is_placeholder() and not y.is_placeholder()


def test_a_region_made_by_hand():
    region = Region("r")
    region.add_generation(REUSED[0].outputs[0], is_user=True)
    region.add_writer(0, "a", 2)
    region.add_reader(0, "b", 0)
    assert region.readers() == [PortDesc("b", 0)] and region.writers(0) == [PortDesc("a", 2)]
    assert not region.is_placeholder()


def test_edges_by_port():
    edges = port_edges(build_graph(plan()))
    assert (PortDesc("a", 1), PortDesc("b", 1), 0) in [(e.src, e.dst, e.region_gen) for e in edges]
    assert [e.dst.layer_name for e in edges if e.src == PortDesc("x")] == ["a"]
    assert [e.src for e in edges if e.dst == PortDesc("out")] == [PortDesc("d", 0)]


@pytest.mark.parametrize(
    ("wanted", "regions"),
    [
        ({}, []),
        ({"include_regions": True}, [("u", 0), ("y", 0), ("y", 1), ("z", 0), ("w", 0)]),
        ({"include_forking_regions": True}, [("y", 1)]),
    ],
)
def test_regions_as_nodes(wanted, regions):
    graph = build_graph(plan(), **wanted)
    region_nodes = [node for node in graph.memory_nodes if node.kind == "region"]
    assert [(node.name, node.generation) for node in region_nodes] == regions
    for node in region_nodes:
        assert [edge.tensor.name for edge in graph.edges_into[node.id]] == [node.name]
    classic = PortGraph(plan(), **wanted)
    assert classic.nodes == graph.nodes
    for region in classic.regions:
        for generation in region.generations:
            is_node = (region.name, generation.id) in regions or region.name in ("x", "out")
            if not region.is_placeholder():
                assert classic.should_include_region(region, generation, False) == is_node


def test_constants_are_included_when_asked_for():
    graph = PortGraph(plan(), include_constants=True)
    region = graph.regions[0]
    assert graph.should_include_region(region, region.generations[0], is_constant=True)
    assert not PortGraph(plan()).should_include_region(region, region.generations[0], is_constant=True)


def test_writers_without_a_reader_between():
    layers = (layer("a", outputs=["y"]), layer("b", outputs=["y"]), layer("c", inputs=["y"], outputs=["z"]))
    (y,) = (region for region in regions_of(layers, []) if region.name == "y")
    assert y.writers() == [PortDesc("a", 0), PortDesc("b", 0)]


def test_readers_of_the_run_before():
    layers = (layer("a", inputs=["s"], outputs=["u"]), layer("b", inputs=["u"], outputs=["s"]))
    (s,) = (region for region in regions_of(layers, []) if region.name == "s")
    assert (s.writers(), s.readers()) == ([PortDesc("b", 0)], [PortDesc("a", 0)])
