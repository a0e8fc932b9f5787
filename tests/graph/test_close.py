"""Closed groups: one node that knows its layers and times, its outer edges kept."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from tests.factories import layer, stored, time
from tests.graph.test_groups import chain, graph_of, titled_graphs
from tests.synthetic.engines import synthetic_engine
from trex.graph.build import build_graph
from trex.graph.close import CLOSED_TYPE, close_groups
from trex.graph.fold import fold_blocks
from trex.graph.groups import grouped, with_groups
from trex.graph.limit import depths_of
from trex.graph.plan_graph import LayerNode, Layers


def outermost(graph):
    return [position for position, group in enumerate(graph.groups) if group.parent is None]


def small(**options):
    layers = [
        layer("a", "Convolution", ["t0"], ["t1"], module="/m", precision="FP16", stream=1,
              weights=[stored("weights", "FP16", 8)]),
        layer("b", "Pooling", ["t1"], ["t2", "side"], module="/m", precision="FP16", stream=1),
        layer("c", "Convolution", ["t2", "side"], ["t3"], module="/n"),
        layer("d", "Convolution", ["t2"], ["t4"], module="/n"),
    ]  # fmt: skip
    return graph_of(*layers, outputs=["t3", "t4"], **options)


def timed(graph, *ms):
    nodes = [
        replace(node, time=None if ms[node.id] is None else time(node.layer.name, ms[node.id]))
        if isinstance(node, LayerNode)
        else node
        for node in graph.nodes
    ]
    return replace(graph, nodes=tuple(nodes))


def test_a_closed_group_is_one_node():
    graph = close_groups(grouped(small(), "module"), [0])
    closed = graph.layer_nodes[0]
    assert closed.closed == Layers(closed.layers, (None, None), "m", "module")
    assert closed.layer.type == CLOSED_TYPE and closed.layer.name == "m"
    assert [item.name for item in closed.layers] == ["a", "b"]
    assert [item.name for item in closed.layer.inputs] == ["t0"]
    assert [item.name for item in closed.layer.outputs] == ["t2", "side"]
    assert closed.layer.precision == "FP16" and closed.layer.stream == 1 and closed.layer.module == "/m"
    assert closed.layer.weights_size_bytes == 16
    assert [group.title for group in graph.groups] == ["n"]
    assert [node.layer.name for node in graph.layer_nodes] == ["m", "c", "d"]
    ends = sorted((edge.source, edge.target, edge.tensor.name) for edge in graph.edges)
    assert ends == [(0, 1, "side"), (0, 1, "t2"), (0, 2, "t2"), (1, 4, "t3"), (2, 5, "t4"), (3, 0, "t0")]


def test_nothing_to_close_is_the_graph_itself():
    graph = grouped(small(), "module")
    assert close_groups(graph, []) is graph


def test_times_are_added_up_and_the_unknown_are_no_zeros():
    graph = timed(small(), 1.0, None, 2.0, 3.0)
    first, second = close_groups(grouped(graph, "module"), [0, 1]).layer_nodes
    assert first.ms() == 1.0
    assert second.ms() == 5.0 and second.closed is not None and second.closed.spread()[0] == 2.0
    assert close_groups(grouped(small(), "module"), [0]).layer_nodes[0].ms() is None


def test_what_differs_within_is_not_known_of_the_whole():
    graph = grouped(chain("/m", "/m", "/n"), "module")
    nodes = [replace(n, layer=replace(n.layer, stream=n.id)) if isinstance(n, LayerNode) else n for n in graph.nodes]
    closed = close_groups(replace(graph, nodes=tuple(nodes)), [0]).layer_nodes[0]
    assert closed.layer.stream is None


def test_inner_groups_close_alone_or_with_the_outer():
    graph = grouped(chain("/a/0", "/a/0", "/a/1", "/a/1", "/b"), "module")
    assert [group.title for group in graph.groups] == ["a", "a/0", "a/1"]
    inner = close_groups(graph, [1])
    assert [node.layer.name for node in inner.layer_nodes] == ["a/0", "l2", "l3", "l4"]
    assert [(group.title, group.nodes) for group in inner.groups] == [("a", (0,)), ("a/1", (1, 2))]
    outer = close_groups(graph, [0, 2])
    assert [node.layer.name for node in outer.layer_nodes] == ["a", "l4"] and outer.groups == ()
    again = close_groups(inner, [0])
    assert [item.name for item in again.layer_nodes[0].layers] == ["l0", "l1", "l2", "l3"]


def test_memory_within_is_gone_and_memory_between_stays():
    graph = close_groups(grouped(small(include_regions=True), "module"), [0])
    assert {node.name for node in graph.memory_nodes if node.kind == "region"} == {"t2", "side"}


def test_folded_layers_count_all():
    graph = grouped(fold_blocks(build_graph(synthetic_engine("transformer-fp16"))), "block")
    (closed,) = (node for node in close_groups(graph, [0]).layer_nodes if node.closed)
    assert len(closed.layers) == 120
    assert [item.index for item in closed.layers] == sorted(item.index for item in closed.layers)


def test_carried_values_stay_carried():
    layers = [
        layer("r", inputs=["s"], outputs=["u"], module="/m"),
        layer("q", inputs=["u"], outputs=["v"], module="/m"),
        layer("w", inputs=["v"], outputs=["s"], module="/n"),
    ]
    graph = close_groups(grouped(graph_of(*layers), "module"), [0])
    assert {(edge.source, edge.target, edge.carried) for edge in graph.edges} == {(0, 1, False), (1, 0, True)}


@pytest.mark.slow
@settings(deadline=None)
@given(titled_graphs())
def test_any_closed_groups_leave_a_sound_graph(case):
    graph, titles = case
    grouped = with_groups(graph, "any", titles)
    depths = depths_of(grouped.groups)
    for closing in (outermost(grouped), [p for p, depth in enumerate(depths) if depth == 1], range(0, len(depths), 2)):
        closed = close_groups(grouped, closing)
        check_nodes(closed)
        shown = [item.name for node in closed.layer_nodes for item in node.layers]
        assert sorted(shown) == sorted(node.layer.name for node in graph.layer_nodes)
        for edge in closed.edges:
            assert edge.source != edge.target
            if not edge.carried and isinstance(closed.nodes[edge.source], LayerNode):
                assert edge.source < edge.target


def check_nodes(graph):
    assert [node.id for node in graph.nodes] == list(range(len(graph.nodes)))
    assert [edge.target for edge in graph.edges] == sorted(edge.target for edge in graph.edges)


@pytest.mark.parametrize("name", ["resnet18-int8", "transformer-fp16"])
def test_examples(name):
    plan = synthetic_engine(name)
    graph = grouped(build_graph(plan), "module")
    closed = close_groups(graph, outermost(graph))
    assert sum(len(node.layers) for node in closed.layer_nodes) == len(plan.working_layers)
    assert sum(node.ms() or 0.0 for node in closed.layer_nodes) == pytest.approx(plan.total_runtime)
    assert len(closed.nodes) < len(graph.nodes)
