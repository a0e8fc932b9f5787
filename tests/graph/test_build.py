"""Plans become graphs: bindings, reused names, branches, data without a writer."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.factories import conv, engine, layer, noop, t
from trex.core.layer import Role
from trex.core.tensor import Binding
from trex.engine_plan import load
from trex.graph.build import build_graph
from trex.graph.plan_graph import LayerNode, MemoryNode
from trex.plan.engine_plan import EnginePlan


def plan_of(*layers, inputs=(), outputs=(), left_out=()):
    whole = engine(*layers, inputs=inputs, outputs=outputs)
    drawn = tuple(item for item in whole.layers if item.role is Role.KERNEL and item.name not in left_out)
    return SimpleNamespace(working_layers=drawn, times=(None,) * len(drawn), engine=whole, name="small")


def name_of(node):
    return node.layer.name if isinstance(node, LayerNode) else f"{node.kind}:{node.name}"


def arrows(graph):
    return [(name_of(graph.nodes[e.source]), name_of(graph.nodes[e.target]), e.tensor.name) for e in graph.edges]


def test_bindings_are_nodes_and_nodes_carry_their_position():
    graph = build_graph(plan_of(layer("a", inputs=["x"], outputs=["y"]), inputs=["x"], outputs=["y"]))
    assert [node.id for node in graph.nodes] == [0, 1, 2]
    assert arrows(graph) == [("input:x", "a", "x"), ("a", "output:y", "y")]
    assert [len(edges) for edges in graph.edges_from] == [1, 1, 0]
    assert [len(edges) for edges in graph.edges_into] == [1, 0, 1]


def test_bindings_keep_the_order_of_the_file():
    names = list("hgfedcba")
    layers = [layer(f"l{name}", inputs=[name], outputs=[f"o{name}"]) for name in sorted(names)]
    plan = plan_of(*layers, inputs=names, outputs=[f"o{name}" for name in names])
    memory_names = [[node.name for node in build_graph(plan).memory_nodes] for _ in range(3)]
    assert memory_names[0] == names + [f"o{name}" for name in names]
    assert memory_names[0] == memory_names[1] == memory_names[2]


def test_a_folded_no_op_to_a_binding_does_not_take_the_reader_from_the_writer():
    whole = engine(
        conv("conv", ["x"], ["t"]),
        noop("view", "t", "y"),
        layer("relu", inputs=["t"], outputs=["z"]),
        inputs=["x"],
        outputs=["y", "z"],
    )
    graph = build_graph(EnginePlan(whole))
    ends = [(source, target) for source, target, _ in arrows(graph)]
    assert sorted(ends) == [("conv", "output:y"), ("conv", "relu"), ("input:x", "conv"), ("relu", "output:z")]


def test_a_reused_name_makes_no_cycle():
    # One name in turn for two buffers' worth of data, as in "Reformatted Output Tensor 0" reused by several layers.
    plan = plan_of(
        layer("a", inputs=["x"], outputs=["t"]),
        layer("b", inputs=["t"], outputs=["u"]),
        layer("c", inputs=["u"], outputs=["t"]),
        layer("d", inputs=["t"], outputs=["u"]),
        inputs=["x"],
        outputs=["u"],
    )
    graph = build_graph(plan)
    assert all(edge.source < edge.target for edge in graph.edges if edge.source < 4)
    assert not any(edge.carried for edge in graph.edges)
    assert ("d", "output:u", "u") in arrows(graph)
    assert ("b", "output:u", "u") not in arrows(graph)
    assert [edge.generation for edge in graph.edges if edge.target == 3] == [1]


def test_both_branches_reach_their_reader_and_the_output():
    plan = plan_of(
        layer("then", inputs=["x"], outputs=["y"]),
        layer("else", inputs=["x"], outputs=["y"]),
        inputs=["x"],
        outputs=["y"],
    )
    assert arrows(build_graph(plan))[-2:] == [("then", "output:y", "y"), ("else", "output:y", "y")]


def test_many_writers_and_readers_meet_in_one_node():
    count = 200
    writers = [layer(f"w{i}", inputs=["x"], outputs=["y"]) for i in range(count)]
    readers = [layer(f"r{i}", inputs=["y"], outputs=[f"z{i}"]) for i in range(count)]
    graph = build_graph(plan_of(*writers, *readers, inputs=["x"]))
    assert [node.kind for node in graph.memory_nodes] == ["input", "merge"]
    assert len(graph.edges) == 3 * count


def test_a_read_before_the_write_is_an_edge_that_says_so():
    plan = plan_of(layer("read", inputs=["state"], outputs=["u"]), layer("write", inputs=["u"], outputs=["state"]))
    carried = [edge for edge in build_graph(plan).edges if edge.carried]
    assert [(edge.source, edge.target, edge.tensor.name) for edge in carried] == [(1, 0, "state")]


def test_an_input_that_is_overwritten_later_is_not_carried():
    plan = plan_of(
        layer("a", inputs=["x"], outputs=["u"]), layer("b", inputs=["u"], outputs=["x"]), inputs=["x"], outputs=["u"]
    )
    assert not any(edge.carried for edge in build_graph(plan).edges)
    assert ("input:x", "a", "x") in arrows(build_graph(plan))


def test_data_without_a_writer_is_dangling_once_and_names_a_writer_left_out():
    plan = plan_of(
        layer("sync", "signal", inputs=["x"], outputs=["s"], role=Role.SYNC),
        layer("a", inputs=["w", "s"], outputs=["y"]),
        layer("b", inputs=["w"], outputs=["z"]),
        inputs=["x"],
    )
    dangling = {node.name: node for node in build_graph(plan).memory_nodes if node.kind == "dangling"}
    assert dangling.keys() == {"w", "s"}
    assert dangling["s"].origin == "sync"
    assert dangling["w"].origin == ""


def test_constants_are_left_out_unless_asked_for_even_behind_a_no_op():
    plan = plan_of(
        layer("c", "Constant", inputs=[], outputs=["k"], role=Role.CONSTANT),
        noop("view", "k", "v"),
        layer("a", inputs=["x", "k", "v"], outputs=["y"]),
        inputs=["x"],
    )
    assert [node.kind for node in build_graph(plan).memory_nodes] == ["input"]
    shown = build_graph(plan, include_constants=True).memory_nodes
    assert [(node.kind, node.name) for node in shown] == [("input", "x"), ("constant", "k"), ("constant", "v")]


def test_bindings_of_unknown_direction_follow_from_their_writers():
    plan = plan_of(layer("a", inputs=["x"], outputs=["y"]))
    object.__setattr__(plan.engine, "bindings", tuple(Binding(name, None, None) for name in ("y", "x", "unused")))
    kinds = {node.name: node.kind for node in build_graph(plan).memory_nodes}
    assert kinds == {"x": "input", "y": "output", "unused": "input"}


def test_an_edge_holds_the_tensor_as_its_reader_sees_it():
    plan = plan_of(
        layer("a", inputs=["x"], outputs=[t("y", format="Unknown")]),
        layer("b", inputs=["k", t("y", format="NHWC8")], outputs=["z"]),
    )
    (edge,) = [edge for edge in build_graph(plan).edges if edge.source == 0]
    assert edge.tensor.format.label == "NHWC8"


def test_layers_without_tensors_and_an_empty_engine():
    graph = build_graph(plan_of(layer("TrainStation", "TrainStation", inputs=[], outputs=[])))
    assert len(graph.layer_nodes) == 1 and not graph.edges
    assert build_graph(plan_of()).nodes == ()


@pytest.mark.slow
def test_a_layer_with_very_many_inputs():
    names = [f"x{i}" for i in range(20_000)]
    plan = plan_of(layer("wide", inputs=names, outputs=["y"]), inputs=names)
    graph = build_graph(plan)
    assert len(graph.edges) == len(names)


@pytest.mark.parametrize(
    "folder", ["trt8.6-controlnet-a10", "trt8.4-resnet18-a100-qat", "trt10.4-alexnet-fp16-rtx3060"]
)
def test_real_engines_hang_together(shared_engines, folder):
    plan = load(shared_engines / folder)
    graph = build_graph(plan)
    assert [node.layer for node in graph.layer_nodes] == list(plan.working_layers)
    connected = {edge.source for edge in graph.edges} | {edge.target for edge in graph.edges}
    loose = [name_of(node) for node in graph.nodes if node.id not in connected]
    assert all("shape_call" in name for name in loose)
    assert not any(edge.carried for edge in graph.edges)
    assert not any(isinstance(node, MemoryNode) and node.kind == "dangling" for node in graph.nodes)
