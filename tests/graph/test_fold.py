"""Folding keeps every layer, once, and all of the time."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.factories import engine, layer, t, time, times
from tests.graph.test_blocks import repeated, step
from tests.synthetic.engines import synthetic_engine
from trex.engine_plan import load
from trex.graph.blocks import Block, find_blocks
from trex.graph.build import build_graph
from trex.graph.fold import fold_blocks
from trex.graph.plan_graph import LayerNode, Layers
from trex.graph.select import Selection, select


def graph_of(*layers, inputs=("in",), outputs=("out",), ms=(), **wanted):
    whole = engine(*layers, inputs=inputs, outputs=outputs)
    measured = times(whole.layers, *(ms or [1.0] * len(whole.layers)))
    return build_graph(SimpleNamespace(working_layers=whole.layers, times=measured, engine=whole, name="net"), **wanted)


def layers_in(graph):
    for node in graph.layer_nodes:
        yield from node.folded.layers if node.folded else (node.layer,)


def check(graph, folded):
    assert [node.id for node in folded.nodes] == list(range(len(folded.nodes)))
    assert sorted(item.index for item in layers_in(folded)) == [node.layer.index for node in graph.layer_nodes]
    before = [node.ms() for node in graph.layer_nodes]
    behind = [node.ms() for node in folded.layer_nodes]
    assert math.fsum(ms or 0 for ms in behind) == pytest.approx(math.fsum(ms or 0 for ms in before))
    assert untouched(folded) == untouched(graph)


def untouched(graph):
    touched = {edge.source for edge in graph.edges} | {edge.target for edge in graph.edges}
    return [node.name for node in graph.memory_nodes if node.id not in touched]


def ends(graph):
    def name(node):
        return node.layer.name if isinstance(node, LayerNode) else f"{node.kind} {node.name}"

    nodes = graph.nodes
    return {(name(nodes[e.source]), name(nodes[e.target]), e.loops) for e in graph.edges}


def test_blocks_become_one_with_their_times():
    layers = [step(0, "embed", "in"), *repeated(3, "embed0"), step(0, "head", "add2", writes="out")]
    ms = [9.0, 1.0, 2.0, 3.0, 1.5, None, 3.0, 0.5, 2.0, 3.0, 7.0]
    graph = graph_of(*layers, ms=ms)
    folded = fold_blocks(graph)
    check(graph, folded)
    assert [node.layer.name for node in folded.layer_nodes] == ["embed0", "norm0", "matmul0", "add0", "head0"]
    norm, matmul = folded.layer_nodes[1].folded, folded.layer_nodes[2].folded
    assert norm is not None and matmul is not None
    assert (norm.count, norm.spread()) == (3, (0.5, 1.0, 1.5, 3.0))
    assert (matmul.count, matmul.spread()[3]) == (3, 4.0)
    assert folded.layer_nodes[0].folded is None


def test_what_goes_on_to_the_next_repetition_loops():
    layers = [step(0, "embed", "in"), *repeated(3, "embed0"), step(0, "head", "add2", writes="out")]
    assert ends(fold_blocks(graph_of(*layers))) == {
        ("input in", "embed0", False),
        ("embed0", "norm0", False),
        ("embed0", "add0", False),
        ("norm0", "matmul0", False),
        ("matmul0", "add0", False),
        ("add0", "norm0", True),
        ("add0", "add0", True),
        ("add0", "head0", False),
        ("head0", "output out", False),
    }
    assert all(edge.carried for edge in fold_blocks(graph_of(*layers)).edges if edge.loops)


def test_data_of_each_repetition_is_one_node_with_a_count():
    layers, x = [], "in"
    for i in range(4):
        layers += [
            step(i, "attention", x, f"cache{i}"),
            layer(f"mlp{i}", "mlp", [t(f"attention{i}", (1, 8))], [t(f"mlp{i}", (1, 8)), t(f"kept{i}", (1, 8))]),
        ]
        x = f"mlp{i}"
    inputs, outputs = [f"cache{i}" for i in range(4)], [f"kept{i}" for i in range(4)]
    folded = fold_blocks(graph_of(*layers, inputs=("in", *inputs), outputs=("mlp3", *outputs)))
    assert [(node.kind, node.name, node.count) for node in folded.memory_nodes] == [
        ("input", "in", 1),
        ("input", "cache0", 4),
        ("output", "mlp3", 1),
        ("output", "kept0", 4),
    ]


def test_memory_between_layers_folds_with_them():
    graph = graph_of(*repeated(4), include_regions=True)
    folded = fold_blocks(graph)
    check(graph, folded)
    assert [node.name for node in folded.memory_nodes if node.kind == "region"] == ["norm0", "matmul0", "add0"]


def test_what_does_not_repeat_stays_itself():
    graph = graph_of(step(0, "a", "in"), step(0, "b", "a0", writes="out"))
    assert fold_blocks(graph) is graph


def test_times_that_are_not_known():
    nothing = Layers((layer("a"), layer("b")), (None, time("b", None)))
    assert (nothing.count, nothing.spread()) == (2, (None,) * 4)


def test_parts_of_a_folded_graph_stay_folded():
    folded = fold_blocks(graph_of(step(0, "embed", "in"), *repeated(3, "embed0")))
    part = select(folded, Selection(beam=("matmul0", 1)))
    assert [node.folded.count for node in part.layer_nodes if node.folded] == [3, 3, 3]


@pytest.mark.slow
@given(st.data())
def test_nothing_is_lost_whatever_the_graph(data):
    count = data.draw(st.integers(1, 24))
    layers = []
    for i in range(count):
        reads = data.draw(st.lists(st.integers(max(0, i - 4), max(0, i - 1)), max_size=2)) if i else []
        layers.append(step(i, data.draw(st.sampled_from("ab")), *[f"v{j}" for j in reads or [-1]], writes=f"v{i}"))
    graph = graph_of(*layers, inputs=("v-1",), outputs=(f"v{count - 1}",), ms=[i / 7 for i in range(count)])
    check(graph, fold_blocks(graph))


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=5), st.integers(3, 6), st.booleans())
def test_repetitions_are_found_and_folded_whatever_the_pattern(pattern, count, ends_differ):
    layers, x = [step(0, "first", "in")] if ends_differ else [], "first0" if ends_differ else "in"
    for i in range(count * len(pattern)):
        layers.append(step(i, pattern[i % len(pattern)], x, writes=f"v{i}"))
        x = f"v{i}"
    if ends_differ:
        layers.append(step(0, "last", x, writes="out"))
    graph = graph_of(*layers)
    folded = fold_blocks(graph)
    check(graph, folded)
    assert len(folded.layer_nodes) <= len(pattern) + 2 * ends_differ


def test_real_engines_fold_without_loss(shared_engines):
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        graph = build_graph(load(folder))
        check(graph, fold_blocks(graph))


def test_the_example_transformer():
    graph = build_graph(synthetic_engine("transformer-fp16"))
    folded = fold_blocks(graph)
    check(graph, folded)
    assert find_blocks(graph) == (Block(5, 10, 12),)
    assert [node.folded.count for node in folded.layer_nodes if node.folded] == [12] * 10
