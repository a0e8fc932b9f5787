"""A limit on nodes: groups close from the innermost up; where there are none, stretches of layers."""

from __future__ import annotations

from tests.graph.test_groups import chain
from trex.graph.groups import grouped
from trex.graph.limit import SEGMENT, depths_of, within_limit


def modules(*counts):
    """Layers in modules of three, in modules of so many of those."""
    return chain(*(f"/s{s}/b{b}/l{i % 3}" for s, count in enumerate(counts) for b in range(count) for i in range(6)))


def closed(graph):
    return [node.closed.title for node in graph.layer_nodes if node.closed]


def test_a_small_graph_stays():
    graph = grouped(modules(2, 2), "module")
    assert within_limit(graph, len(graph.nodes)) is graph


def test_the_innermost_close_first():
    graph = grouped(chain(*(f"/s/b{i // 4}/l{i % 4 // 2}" for i in range(40)), "/end"), "module")
    assert depths_of(graph.groups)[:3] == [0, 1, 2]
    limited = within_limit(graph, 25)
    assert closed(limited)[:2] == ["s/b0/l0", "s/b0/l1"] and len(limited.layer_nodes) == 21
    assert [group.title for group in limited.groups][:2] == ["s", "s/b0"]
    limited = within_limit(graph, 15)
    assert closed(limited) == [f"s/b{i}" for i in range(10)]


def test_stretches_where_there_are_no_groups():
    limited = within_limit(chain(*[""] * 100), 12)
    assert len(limited.nodes) <= 12 and {node.closed and node.closed.kind for node in limited.layer_nodes} == {SEGMENT}
    assert closed(limited)[0] == "layers 0 … 9"
    assert sum(len(node.layers) for node in limited.layer_nodes) == 100


def test_stretches_within_groups_that_would_leave_too_little():
    graph = grouped(chain(*["/a"] * 600, *["/b"] * 600), "module")
    limited = within_limit(graph, 100)
    assert 50 < len(limited.nodes) <= 100
    assert [group.title for group in limited.groups] == ["a", "b"]
    assert sum(len(node.layers) for node in limited.layer_nodes) == 1200


def test_more_groups_than_may_be_left():
    graph = grouped(chain(*(f"/m{i // 2}" for i in range(200))), "module")
    limited = within_limit(graph, 20)
    assert len(limited.nodes) <= 20 and sum(len(node.layers) for node in limited.layer_nodes) == 200
