"""trex.graphing: the classic names that exist so far."""

from __future__ import annotations

from tests.factories import engine, layer
from trex.graphing import (
    PlanGraph,
    latency_types,
    layer_node_formatters,
    layer_precision_formatter,
    layer_type_formatter,
)
from trex.plan.engine_plan import EnginePlan
from trex.views.palette import LAYER_COLORS, PRECISION_COLORS


def test_plan_graph():
    graph = PlanGraph(
        EnginePlan(engine(layer("a"), layer("b", inputs=["y"], outputs=["z"]), inputs=["x"], outputs=["z"]))
    )
    assert [node.layer.name for node in graph.layer_nodes] == ["a", "b"]
    assert [(node.name, node.is_user) for node in graph.memory_nodes] == [("x", True), ("z", True)]
    assert len(graph.edges_list) == 3


def test_formatters_give_colours():
    item = layer("a", "Convolution", precision="INT8")
    assert layer_type_formatter(item)["fillcolor"] == LAYER_COLORS["Convolution"]
    assert layer_precision_formatter(item)["fillcolor"] == PRECISION_COLORS["INT8"]
    assert layer_node_formatters["layer_type"] is layer_type_formatter
    assert latency_types == ("avg_time", "median_time", "time")
