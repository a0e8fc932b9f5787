"""The hottest path is the way along the data that takes most time, whatever the graph."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tests.simulated_examples import load_simulated
from trex.export.svg import render_svg
from trex.graph.build import build_graph
from trex.views.diagram.hot_path import hottest_path
from trex.views.diagram.scene import build_scene
from trex.views.diagram.style import DiagramStyle


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[float], list[tuple[int, int] | None]]:
    times = draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 5.0]), min_size=1, max_size=7))
    places = st.integers(0, len(times) - 1)
    pairs = draw(st.lists(st.tuples(places, places), max_size=12))
    return times, [(source, target) if source < target else None for source, target in pairs]


@given(graphs())
def test_no_way_takes_longer(graph: tuple[list[float], list[tuple[int, int] | None]]) -> None:
    times, wires = graph
    longest = list(times)  # up to each box: wires go forward
    for box in range(len(times)):
        for ends in wires:
            if ends is not None and ends[1] == box:
                longest[box] = max(longest[box], longest[ends[0]] + times[box])
    ms, found = hottest_path(times, wires)
    assert ms == max(longest)
    way = sorted(ends for position in found if (ends := wires[position]) is not None)
    assert all(first[1] == second[0] for first, second in pairwise(way))
    if way:
        assert sum(times[box] for box in {*(box for ends in way for box in ends)}) == ms


def test_a_picture_marks_it_and_its_legend_says_so() -> None:
    plan = load_simulated("resnet18-int8")
    scene = build_scene(build_graph(plan), plan)
    svg = render_svg(scene)
    hot = sum(wire.is_hot for wire in scene.wires)
    assert hot > 10 and svg.count('<g class="z">') >= 1
    (words,) = (entry.text for group in scene.legend for entry in group.entries if entry.shape == "path")
    assert words.startswith("hottest path: ") and words in svg
    plain = build_scene(build_graph(plan), plan, DiagramStyle(display_latency=False))
    assert "hottest" not in render_svg(plain) and not any(wire.is_hot for wire in plain.wires)
    assert not any(wire.is_hot for wire in build_scene(build_graph(plan), plan, for_page=True).wires)
