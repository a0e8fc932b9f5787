"""Selections keep what was asked for, say where they were cut, and name what was meant."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.factories import engine, layer, t, times
from trex.core.errors import TrexError
from trex.graph.build import build_graph
from trex.graph.find import find_node
from trex.graph.plan_graph import LayerNode, MemoryNode, PlanGraph, average_ms
from trex.graph.select import Selection, select, without_disconnected
from trex.ingest.spelling.layer_names import parse_name


def around(graph, node, radius):
    return select(graph, Selection(beam=(node, radius)))


def matching(graph, pattern):
    return select(graph, Selection(query=pattern))


def between(graph, first, second):
    return select(graph, Selection(between=(first, second)))


def hottest(graph, count, latency=average_ms, neighbors=False):
    return select(graph, Selection(hottest=count, neighbors=neighbors), latency)


def in_module(graph, module):
    return select(graph, Selection(module=module))


def on_stream(graph, stream):
    return select(graph, Selection(stream=stream))


def tensor_path(graph, tensor):
    return select(graph, Selection(tensor=tensor))


def graph_of(*layers, inputs=("in",), outputs=("out",), ms=None):
    whole = engine(*layers, inputs=inputs, outputs=outputs)
    measured = times(whole.layers, *ms) if ms else (None,) * len(whole.layers)
    return build_graph(SimpleNamespace(working_layers=whole.layers, times=measured, engine=whole, name="net"))


def residual():
    """conv1 → relu1 → conv2 → add ← relu1; add → copy → fc, and a separate layer."""
    return graph_of(
        layer("conv1", "Convolution", ["in"], ["a"], module="/layer1/0/conv1", stream=0),
        layer("relu1", "PointWise", ["a"], ["b"], module="/layer1/0/relu1", stream=0),
        layer("conv2", "Convolution", ["b"], ["c"], module="/layer1/1/conv2", stream=1),
        layer("add", "ElementWise", ["b", "c"], ["d"], module="/layer10/add", stream=0, origins=["/sum/Add"]),
        layer("copy", "Reformat", ["d"], ["e"]),
        layer("fc", "MatrixMultiply", ["e"], ["out"], module="/fc"),
        layer("aside", "Shuffle", ["x"], ["y"]),
        ms=(4.0, 1.0, 3.0, None, 0.5, 2.0, 0.1),
    )


def names(graph: PlanGraph) -> list[str]:
    assert [node.id for node in graph.nodes] == list(range(len(graph.nodes)))
    for edge in graph.edges:
        assert 0 <= edge.source < len(graph.nodes) and 0 <= edge.target < len(graph.nodes)
    return [node.layer.name for node in graph.layer_nodes]


def stubs(graph: PlanGraph) -> list[tuple[str, str, str]]:
    return [(node.kind, node.name, node.origin) for node in graph.memory_nodes if node.kind in ("from", "to")]


def test_around_a_node_follows_both_directions():
    graph = residual()
    assert names(around(graph, "conv2", 0)) == ["conv2"]
    assert names(around(graph, "conv2", 1)) == ["relu1", "conv2", "add"]
    assert names(around(graph, 2, 2)) == ["conv1", "relu1", "conv2", "add", "copy"]


def test_layers_keep_their_own_index_and_generations_follow():
    part = around(residual(), "conv2", 1)
    assert [node.layer.index for node in part.layer_nodes] == [1, 2, 3]
    written = {generation.name: generation for generation in part.generations}
    assert written["c"].writers == (1,) and written["c"].readers == (2,)
    assert written["a"].writers == () and "e" not in written


def test_cut_edges_end_in_stubs_that_say_who_is_outside():
    part = matching(residual(), "^conv2$")
    assert stubs(part) == [("from", "b", "relu1"), ("to", "c", "add")]
    assert [(edge.source, edge.target) for edge in part.edges] == [(1, 0), (0, 2)]


def test_a_value_read_by_many_outside_has_one_stub():
    graph = graph_of(layer("a", outputs=["v"]), *[layer(f"r{i}", inputs=["v"], outputs=[f"o{i}"]) for i in range(9)])
    assert stubs(around(graph, "a", 0)) == [("to", "v", "r0")]


def test_the_engines_own_borders_come_along():
    part = around(residual(), "conv1", 0)
    assert [node.kind for node in part.memory_nodes] == ["input", "to"]


def test_regular_expressions_search_names_types_and_metadata():
    graph = residual()
    assert names(matching(graph, "conv")) == ["conv1", "conv2"]
    assert names(matching(graph, "Convolution")) == ["conv1", "conv2"]
    assert names(matching(graph, "/sum/")) == ["add"]
    assert names(matching(graph, "(?i)RESHAPE|^fc$|Shuffle")) == ["fc", "aside"]
    with pytest.raises(TrexError, match="not a regular expression"):
        matching(graph, "conv(")


def test_between_takes_every_path_in_either_order():
    graph = residual()
    assert names(between(graph, "relu1", "add")) == ["relu1", "conv2", "add"]
    assert names(between(graph, "copy", "conv2")) == ["conv2", "add", "copy"]
    with pytest.raises(TrexError, match="no data flows between aside and fc"):
        between(graph, "aside", "fc")


def test_between_follows_carried_values_only_when_nothing_else_connects():
    graph = graph_of(
        layer("early", inputs=["state"], outputs=["a"]), layer("late", inputs=["a"], outputs=["b", "state"])
    )
    assert names(between(graph, "early", "late")) == ["early", "late"]
    loop = graph_of(layer("early", inputs=["state"], outputs=["a"]), layer("late", inputs=["q"], outputs=["state"]))
    assert names(between(loop, "late", "early")) == ["early", "late"]


def test_hottest_and_their_neighbors():
    graph = residual()
    assert names(hottest(graph, 2)) == ["conv1", "conv2"]
    assert names(hottest(graph, 2, neighbors=True)) == ["conv1", "relu1", "conv2", "add"]
    with pytest.raises(TrexError, match="can't select the hottest"):
        hottest(graph_of(layer("a")), 1)


def test_modules_by_whole_steps_of_the_path():
    graph = residual()
    assert names(in_module(graph, "/layer1")) == ["conv1", "relu1", "conv2"]
    assert names(in_module(graph, "layer1/0/")) == ["conv1", "relu1"]
    with pytest.raises(TrexError, match="/layer1") as error:
        in_module(graph, "/layer2")
    assert "no module '/layer2'" in error.value.message
    with pytest.raises(TrexError, match="is not a module"):
        in_module(graph, "/")


def test_streams():
    assert names(on_stream(residual(), 1)) == ["conv2"]
    with pytest.raises(TrexError, match="the streams here: 0, 1"):
        on_stream(residual(), 7)
    with pytest.raises(TrexError, match="contains no streams"):
        on_stream(graph_of(layer("a")), 0)


def test_a_tensors_path_goes_on_through_copies():
    graph = residual()
    assert names(tensor_path(graph, "d")) == ["add", "copy", "fc"]
    assert names(tensor_path(graph, "e")) == ["add", "copy", "fc"]
    assert names(tensor_path(graph, "b")) == ["relu1", "conv2", "add"]
    with pytest.raises(TrexError, match="no tensor is named"):
        tensor_path(graph, "nowhere")


def test_disconnected_layers_go():
    graph = graph_of(layer("a", inputs=["in"], outputs=["out"]), layer("loose", inputs=[], outputs=[]))
    assert names(without_disconnected(graph)) == ["a"]
    whole = without_disconnected(graph)
    assert without_disconnected(whole) is whole


def test_several_selections_agree():
    graph = residual()
    assert select(graph, Selection()) is graph
    assert names(select(graph, Selection(query="conv", stream=1))) == ["conv2"]
    assert names(select(graph, Selection(module="/layer1", hottest=1))) == ["conv1"]
    assert names(select(graph, Selection(beam=("conv2", 1), between=("conv1", "conv2")))) == ["relu1", "conv2"]
    with pytest.raises(TrexError, match="no layer matches all conditions"):
        select(graph, Selection(query="^fc$", stream=1))


def test_names_are_found_and_mistakes_explained():
    graph = residual()
    assert names(around(graph, "nv2", 0)) == ["conv2"]
    assert names(around(graph, "5", 0)) == ["fc"]
    with pytest.raises(TrexError, match="2 names contain 'conv'") as error:
        around(graph, "conv", 1)
    assert "0 (conv1), 2 (conv2)" in error.value.hint
    with pytest.raises(TrexError, match="did you mean") as error:
        around(graph, "Conv1x", 1)
    assert "conv1" in error.value.hint
    twice = graph_of(layer("a", outputs=["v"]), layer("a", inputs=["v"]))
    with pytest.raises(TrexError, match="2 layers are named 'a'"):
        around(twice, "a", 1)
    with pytest.raises(TrexError, match="no layer is named"):
        around(graph, "", 1)


def named(name, origins=(), module="", **options):
    return replace(layer(name, origins=origins, module=module, **options), name_parts=parse_name(name))


def test_a_whole_operator_or_module_of_one_layer_goes_before_parts_of_names():
    graph = graph_of(
        named("Reformatting CopyNode for Input Tensor 0 to conv1.weight + Conv_9", inputs=["in"], outputs=["a"]),
        named("conv1.weight + Conv_9", ["Conv_9", "Relu_11"], "/conv1", inputs=["a"], outputs=["b"]),
        named("layer1.0.conv1.weight + Conv_95 + Relu_9", (), "/layer1/0/conv1", inputs=["b"], outputs=["c"]),
        named("layer1.0.conv2.weight + Conv_96 + Relu_9", (), "/layer1/0/conv2", inputs=["c"], outputs=["Relu_111"]),
    )
    assert find_node(graph, "Conv_9") == find_node(graph, "conv1.weight") == find_node(graph, "1")
    assert (
        find_node(graph, "conv1") == find_node(graph, "/conv1") == find_node(graph, "Relu_11") == find_node(graph, "1")
    )
    assert find_node(graph, "layer1/0/conv1") == find_node(graph, "2")
    with pytest.raises(TrexError, match="2 names contain 'Relu_9'"):
        find_node(graph, "Relu_9")
    with pytest.raises(TrexError, match="2 names contain 'layer1'"):
        find_node(graph, "layer1")


def test_an_empty_graph_has_nothing_to_find():
    empty = PlanGraph((), ())
    for question in (Selection(beam=("a", 1)), Selection(query="a"), Selection(hottest=1), Selection(stream=0)):
        with pytest.raises(TrexError):
            select(empty, question)


@pytest.mark.slow
@given(st.integers(1, 30), st.data())
def test_parts_have_the_edges_between_their_nodes(count, data):
    layers = []
    for i in range(count):
        reads = data.draw(st.lists(st.integers(0, max(0, i - 1)), max_size=3)) if i else []
        layers.append(layer(f"n{i}", inputs=[t(f"v{j}") for j in reads] or ["in"], outputs=[f"v{i}"]))
    graph = graph_of(*layers)
    part = around(graph, 0, data.draw(st.integers(0, 3)))
    kept = {node.layer.index for node in part.layer_nodes}

    def ends(of: PlanGraph):
        for edge in of.edges:
            source, target = of.nodes[edge.source], of.nodes[edge.target]
            if isinstance(source, LayerNode) and isinstance(target, LayerNode):
                yield source.layer.index, target.layer.index, edge.tensor.name

    assert sorted(ends(part)) == sorted(one for one in ends(graph) if {one[0], one[1]} <= kept)
    touched = [node for node in part.memory_nodes if isinstance(node, MemoryNode)]
    assert all(part.edges_from[node.id] or part.edges_into[node.id] for node in touched)
