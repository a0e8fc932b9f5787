"""GraphFacts: one name and one unit for each fact, None for what is not known, the same for any kind of node."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import replace

import pytest

from tests.factories import conv, engine, layer, t, time
from tests.synthetic.engines import synthetic_engine
from trex.core.layer import Role
from trex.core.note import Note
from trex.core.timings import LayerTimes
from trex.export.diagram import Drawing, render_diagram
from trex.export.graph_facts import (
    EDGE_FACTS,
    GRAPH_FACTS,
    MAX_LABEL,
    MAX_REPEATED,
    NODE_FACTS,
    GraphFacts,
    finite,
    whole,
)
from trex.graph.select import Selection
from trex.plan.engine_plan import EnginePlan
from trex.plan.time_notes import TIMES_CONTRADICT
from trex.views.diagram.drawn_graph import drawn_graph
from trex.views.diagram.style import DiagramStyle

EVERYTHING = DiagramStyle(fold=True, display_constants=True, display_regions=True, expand_layer_details=True)


def facts_of(plan, style=None, selection=None):
    style = style or DiagramStyle()
    return GraphFacts(drawn_graph(plan, style, selection), plan, style)


def plan_of(*layers, times=(), **bindings):
    records = tuple(time(each.name, ms) for each, ms in zip(layers, times) if ms is not None)
    return EnginePlan(engine(*layers, **bindings), LayerTimes(records) if times else None)


def by_name(facts):
    return {told["name"]: told for told in map(facts.of_node, facts.graph.nodes)}


@pytest.mark.parametrize("style", [DiagramStyle(), EVERYTHING, DiagramStyle(color_by="latency")])
@pytest.mark.parametrize("name", ["resnet18-int8", "transformer-fp16"])
def test_what_is_told_is_in_the_tables(name, style):
    facts = facts_of(synthetic_engine(name), style)
    kinds = {"text": str, "texts": list, "number": float, "whole": int, "flag": bool, "shape": list, "record": dict}
    for table, rows in (
        (GRAPH_FACTS, [facts.of_graph()]),
        (NODE_FACTS, map(facts.of_node, facts.graph.nodes)),
        (EDGE_FACTS, map(facts.of_edge, facts.graph.edges)),
    ):
        known = {fact.name: fact for fact in table}
        assert len(known) == len(table)
        for row in rows:
            assert list(row) == [name for name in known if name in row], "the table has another order"
            for key, value in row.items():
                assert value is None or type(value) is kinds[known[key].kind], key
                assert not isinstance(value, float) or math.isfinite(value)


def test_units_and_shares():
    plan = plan_of(
        layer("a", inputs=["x"], outputs=["y"]),
        layer("b", inputs=["y"], outputs=["z"]),
        layer("c", inputs=["z"], outputs=["w"]),
        times=(0.25, 0.75, None),
    )
    told = by_name(facts_of(plan))
    assert [told[name]["latency_ms"] for name in "abc"] == [0.25, 0.75, None]
    assert [told[name]["share_pct"] for name in "abc"] == [25.0, 75.0, None]
    alone = facts_of(plan, None, Selection(hottest=1))
    assert by_name(alone)["b"]["share_pct"] == 75.0, "shares are of the whole engine"
    assert (alone.of_graph()["total_ms"], alone.of_graph()["total_layers"]) == (1.0, 3)
    assert by_name(facts_of(plan, DiagramStyle(latency_type="time")))["a"]["latency_ms"] == 2.5


def test_a_graph_says_what_its_times_lack():
    plan = plan_of(layer("a", inputs=["x"], outputs=["y"]), layer("b", inputs=["y"], outputs=["z"]), times=(0.25, None))
    told = facts_of(plan).of_graph()
    assert (told["total_layers"], told["timed_layers"], told["problems"], told["profile"]) == (2, 1, [], None)
    doubted = copy(plan)
    doubted.notes = (
        Note(TIMES_CONTRADICT, "they are of seconds", severity="problem"),
        Note("truncated", "cut", "", "", "problem"),
    )
    words = [f"times can't be trusted ({TIMES_CONTRADICT}): they are of seconds", "layers are missing (truncated): cut"]
    assert facts_of(doubted).of_graph()["problems"] == words
    drawing = Drawing(doubted)
    for name in ("svg", "html", "dot", "json", "graphml", "model-explorer"):
        assert "of seconds" in render_diagram(drawing, name).decode(), name
    assert "2 problems" in render_diagram(drawing, "node-data").decode()


def test_a_graph_names_its_optimization_profile():
    layers = [replace(layer("a", inputs=["x"], outputs=["y"]), profile=number) for number in (0, 1)]
    plan = EnginePlan(engine(*layers), profile_id=1)
    assert facts_of(plan).of_graph()["profile"] == 1
    for name in ("svg", "dot"):
        assert "optimization profile 1 of 2" in render_diagram(Drawing(plan), name).decode()


def test_what_is_not_known_is_none():
    odd = layer("a", inputs=[t("x", None, "Unknown", "Unknown")], outputs=[t("y", (1, None), "FP16")])
    facts = facts_of(plan_of(odd, inputs=["x"]))
    told = by_name(facts)
    for name, keys in (
        ("a", ("precision", "precision_from", "latency_ms", "share_pct", "stream", "tactic", "module")),
        ("x", ("dtype", "shape", "format", "bytes")),
    ):
        assert {told[name][key] for key in keys} == {None}
    (edge,) = facts.graph.edges
    assert facts.of_edge(edge) == {
        "tensor": "x", "dtype": None, "shape": None, "format": None, "bytes": None, "generation": 0, "carried": False,
        "loops": False,
    }  # fmt: skip
    assert facts.of_graph()["total_ms"] is None
    assert facts.of_graph()["tensorrt_version"] is None


def test_numbers_that_no_file_holds_are_not_known():
    assert [whole(n) for n in (None, 2**63, -(2**63) - 1, 10**5000)] == [None] * 4
    assert [whole(n) for n in (0, 2**63 - 1, -(2**63))] == [0, 2**63 - 1, -(2**63)]
    assert [finite(x) for x in (None, math.nan, math.inf, 0.1234567)] == [None, None, None, 0.123457]


def test_folded_blocks_tell_their_layers_and_times():
    plan = synthetic_engine("transformer-fp16")
    facts = facts_of(plan, DiagramStyle(fold=True))
    folded = [told for told in map(facts.of_node, facts.graph.layer_nodes) if "layers" in told]
    assert {told["repeats"] for told in folded} == {12}
    for told in folded:
        assert len(told["layers"]) == told["repeats"]
        assert told["min_ms"] <= told["median_ms"] <= told["max_ms"] <= told["latency_ms"]
    shown = sum(told["latency_ms"] for told in map(facts.of_node, facts.graph.layer_nodes))
    assert shown == pytest.approx(facts.total_ms, rel=1e-5)


def test_parts_say_where_they_were_cut():
    plan = synthetic_engine("resnet18-int8")
    facts = facts_of(plan, None, Selection(beam=("5", 0)))
    told = list(map(facts.of_node, facts.graph.nodes))
    assert {each["kind"] for each in told} == {"layer", "from", "to"}
    assert all(each["outside_layer"] for each in told if each["kind"] != "layer")


def test_the_name_of_a_layer_outside_of_the_graph_is_cut():
    shapes = layer("s" * 5000, "shape_call", outputs=["a", "b"], role=Role.SHAPE)
    readers = [layer(f"l{name}", inputs=[name], outputs=[f"y{name}"]) for name in "ab"]
    known = by_name(facts_of(plan_of(shapes, *readers)))
    assert {len(known[name]["outside_layer"]) for name in "ab"} == {MAX_REPEATED}


def test_titles_of_the_groups_around_a_node_are_cut():
    module = "/" + "q" * 5000
    layers = [
        layer(f"l{number}", inputs=[f"t{number}"], outputs=[f"t{number + 1}"], module=module) for number in (0, 1)
    ]
    other = layer("other", inputs=["t2"], outputs=["t3"], module="/other")
    facts = facts_of(plan_of(*layers, other), DiagramStyle(group_by="module"))
    (title,) = by_name(facts)["l0"]["groups"]
    assert len(title) == MAX_REPEATED < len(facts.graph.groups[0].title)


def test_attributes_when_they_are_asked_for():
    deep = [[[[[[1]]]]]]
    odd = conv("c", ["x"], ["y"], Deep=deep, Long="x" * 5000, Nan=math.nan, Huge=10**400, Flag=True)
    assert "attributes" not in by_name(facts_of(plan_of(odd)))["c"]
    told = by_name(facts_of(plan_of(odd), DiagramStyle(expand_layer_details=True)))["c"]["attributes"]
    assert (told["Kernel"], told["Groups"], told["Nan"], told["Flag"]) == ("[1, 1]", 1, None, True)
    assert "…" in told["Deep"]
    assert max(len(str(value)) for value in told.values()) <= 400


def test_labels_are_short_and_names_whole():
    name = "x" * 1000
    told = by_name(facts_of(plan_of(layer(name))))[name]
    assert len(told["label"]) == MAX_LABEL


def test_colors_and_what_they_mean():
    plan = synthetic_engine("resnet18-int8")
    told = by_name(facts_of(plan, DiagramStyle(color_by="precision")))
    meanings = {each["color_meaning"]: each["color"] for each in told.values() if each["kind"] == "layer"}
    assert set(meanings) == {"INT8", "FP32", "FP16"}
    assert all(color.startswith("#") and len(color) == 7 for color in meanings.values())


def test_synthetic_data_says_so():
    plan = synthetic_engine("resnet18-int8")
    assert facts_of(plan).of_graph()["title"] == "resnet18-int8 · synthetic data"
    real = EnginePlan(replace(plan.engine, extra={}), name="net")
    assert facts_of(real).of_graph()["title"] == "net"
