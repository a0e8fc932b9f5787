"""Groups: trees of titles become frames that data flows through one way only."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.factories import engine, layer
from tests.synthetic import CASES
from tests.synthetic.engines import synthetic_engine
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.graph.build import build_graph
from trex.graph.fold import fold_blocks
from trex.graph.grouping import GROUPINGS
from trex.graph.groups import grouped, with_groups
from trex.graph.plan_graph import LayerNode


def graph_of(*layers, inputs=("t0",), outputs=(), **options):
    whole = engine(*layers, inputs=inputs, outputs=outputs)
    plan = SimpleNamespace(working_layers=whole.layers, times=(None,) * len(whole.layers), engine=whole, name="small")
    return build_graph(plan, **options)


def chain(*modules):
    return graph_of(*(layer(f"l{i}", inputs=[f"t{i}"], outputs=[f"t{i + 1}"], module=m) for i, m in enumerate(modules)))


def outline(graph):
    """``outer{inner{0 1} 2}``: titles, and ids of layers."""

    def inside(parent):
        here = [
            (min(_all(graph, i)), f"{group.title}{{{inside(i)}}}")
            for i, group in enumerate(graph.groups)
            if group.parent == parent
        ]
        nodes = range(len(graph.nodes)) if parent is None else graph.groups[parent].nodes
        here += [(n, str(n)) for n in nodes if graph.group_of[n] == parent and isinstance(graph.nodes[n], LayerNode)]
        return " ".join(text for _, text in sorted(here))

    return inside(None)


def _all(graph, position):
    inner = [i for i, group in enumerate(graph.groups) if group.parent == position]
    return [*graph.groups[position].nodes, *(node for i in inner for node in _all(graph, i))]


def check_groups(graph):
    """Parents first; every node directly in one group at most; no data out of a group and back in."""
    for position, group in enumerate(graph.groups):
        assert group.parent is None or group.parent < position
    listed = [node for group in graph.groups for node in group.nodes]
    assert len(listed) == len(set(listed))
    for position in range(len(graph.groups)):
        members = set(_all(graph, position))
        assert sum(isinstance(graph.nodes[node], LayerNode) for node in members) >= 2
        outside = {e.target for e in graph.edges if not e.carried and e.source in members} - members
        waiting = list(outside)
        while waiting:
            for edge in graph.edges_from[waiting.pop()]:
                if edge.carried:
                    continue
                assert edge.target not in members
                if edge.target not in outside:
                    outside.add(edge.target)
                    waiting.append(edge.target)


def test_modules_nest_and_single_children_are_one():
    graph = grouped(chain("/a", "/b/0/x", "/b/0/x", "/b/1/y", "/b/1/y", "/b/1/z", "/c/d", "/c/d", "/e"), "module")
    assert outline(graph) == "0 b{b/0/x{1 2} b/1{b/1/y{3 4} 5}} c/d{6 7} 8"
    check_groups(graph)


def test_one_layer_is_no_group_and_neither_is_everything():
    assert outline(grouped(chain("/net/a", "/net/b", "/net/b"), "module")) == "0 net/b{1 2}"
    assert outline(grouped(chain("/a", "/b", "/c"), "module")) == "0 1 2"
    assert grouped(chain("", "", ""), "module").groups == ()


def test_a_layer_without_a_module_lies_where_its_neighbors_do():
    graph = grouped(chain("/a/0", "", "", "/a/0", "", "/a/1", "/a/1", "", "/b"), "module")
    assert outline(graph) == "a{a/0{0 1 2 3} 4 a/1{5 6}} 7 8"


def test_what_is_run_twice_is_two_groups():
    graph = grouped(chain("/e", "/e", "/x", "/x", "/e", "/e", "/y"), "module")
    assert outline(graph) == "e (1 of 2){0 1} x{2 3} e (2 of 2){4 5} 6"
    check_groups(graph)


def test_what_is_run_in_turns_side_by_side_is_one_group():
    layers = [
        layer("s", outputs=["a0", "b0"], inputs=["t0"]),
        *(
            layer(f"{k}{i}", inputs=[f"{k}{i}"], outputs=[f"{k}{i + 1}"], module=f"/{k}")
            for i in range(3)
            for k in ("a", "b")
        ),
    ]
    graph = grouped(graph_of(*layers), "module")
    assert outline(graph) == "0 a{1 3 5} b{2 4 6}"
    check_groups(graph)


def test_memory_lies_with_its_writers_and_readers():
    layers = [
        layer("a", inputs=["t0", "w"], outputs=["t1"], module="/m"),
        layer("b", inputs=["t1"], outputs=["t2"], module="/m"),
        layer("c", inputs=["t2"], outputs=["t3"], module="/n"),
    ]
    graph = grouped(graph_of(*layers, outputs=["t3"], include_regions=True), "module")
    (group,) = graph.groups
    kinds = {node.kind for node in graph.memory_nodes if node.id in group.nodes}
    assert kinds == {"region", "dangling"}
    (between,) = (node for node in graph.memory_nodes if node.kind == "region" and node.name == "t2")
    assert graph.group_of[between.id] is None


def test_repetitions_of_a_block():
    graph = grouped(build_graph(synthetic_engine("transformer-fp16")), "block")
    assert [group.title for group in graph.groups][:2] == [
        "blocks/0 · block 1 · 1 of 12",
        "blocks/1 · block 1 · 2 of 12",
    ]
    assert len(graph.groups) == 12 and all(len(group.nodes) == 10 for group in graph.groups)


def test_folded_blocks_say_how_often():
    folded = fold_blocks(build_graph(synthetic_engine("transformer-fp16")))
    assert [group.title for group in grouped(folded, "block").groups] == ["blocks/0 ×12"]
    titles = [group.title for group in grouped(folded, "module").groups]
    assert "blocks/0 ×12" in titles and "blocks/0/attn" in titles


def test_folded_blocks_one_behind_the_other_are_two():
    sizes = [4] * 9 + [8] * 9
    layers = [
        layer(f"l{i}", ("Conv", "Pool", "Scale")[i % 3], [f"t{i}"], [f"t{i + 1}"], Axes=size)
        for i, size in enumerate(sizes)
    ]
    graph = grouped(fold_blocks(graph_of(*layers)), "block")
    assert [group.title for group in graph.groups] == ["block 1 ×3", "block 2 ×3"]


def test_regions_of_myelin():
    graph = grouped(build_graph(synthetic_engine("transformer-fp16")), "region")
    (group,) = graph.groups
    assert group.title == "Myelin region 0" and group.kind == "region" and len(group.nodes) == 126


def test_an_unknown_grouping():
    with pytest.raises(TrexError, match="grouping"):
        grouped(chain("/a", "/a", "/b"), "color")


@st.composite
def titled_graphs(draw):
    """Layers that read any earlier ones, in groups that have nothing to do with it."""
    count = draw(st.integers(2, 25))
    layers = []
    for i in range(count):
        read = draw(st.sets(st.integers(0, i), min_size=1, max_size=3))
        layers.append(layer(f"l{i}", inputs=[f"t{source}" for source in read], outputs=[f"t{i + 1}"]))
    titles = draw(st.lists(st.lists(st.sampled_from("abc"), max_size=3).map(tuple), min_size=count, max_size=count))
    return graph_of(*layers), titles


@pytest.mark.slow
@settings(deadline=None)
@given(titled_graphs())
def test_any_titles_make_sound_groups(case):
    graph, titles = case
    grouped_graph = with_groups(graph, "any", titles)
    assert grouped_graph.nodes == graph.nodes and grouped_graph.edges == graph.edges
    check_groups(grouped_graph)
    for node in graph.layer_nodes:
        group = grouped_graph.group_of[node.id]
        depth = 0
        while group is not None:
            title = grouped_graph.groups[group].title.partition(" (")[0]
            assert title in titles[node.id]
            group, depth = grouped_graph.groups[group].parent, depth + 1
        assert depth <= len(titles[node.id])


@pytest.mark.parametrize("name", [case.name for case in CASES.values() if not case.expect.error])
def test_every_grouping_of_every_engine(name, tmp_path):
    case = CASES[name]
    plan = load(case.write(tmp_path))
    for graph in (build_graph(plan), fold_blocks(build_graph(plan, include_regions=True))):
        for by in GROUPINGS:
            grouped_graph = grouped(graph, by)
            assert all(group.kind == by and group.title for group in grouped_graph.groups)
            check_groups(grouped_graph)


def test_groups_of_real_engines(shared_engines):
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        graph = build_graph(load(folder))
        for by in GROUPINGS:
            check_groups(grouped(graph, by))
