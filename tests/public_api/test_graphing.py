"""trex.graphing: the classic names, and the cells of classic notebooks, unchanged."""

from __future__ import annotations

import inspect
from pathlib import Path
from xml.etree import ElementTree

import pytest

import trex
import trex.graphing
from tests.dot_parser import parse_dot, shown
from tests.factories import engine, layer, t
from tests.simulated_examples import load_simulated
from trex.core.errors import TrexError
from trex.graphing import (
    DotGraph,
    PlanGraph,
    clean_layer_name,
    get_dot_id,
    latency_types,
    layer_node_formatters,
    layer_node_highlighter,
    layer_node_renderers,
    layer_precision_formatter,
    layer_type_formatter,
    region_precision_formatter,
    regions_factory,
    render_dot,
    to_dot,
)
from trex.plan.engine_plan import EnginePlan
from trex.views.palette import LAYER_COLORS, PRECISION_COLORS

OPTIONS = {
    "layer_node_highlighter": layer_node_highlighter,
    "layer_node_renderer": layer_node_renderers["Configurable"],
    "region_formatter": region_precision_formatter,
    "display_layer_names": True,
    "stack_layer_names": True,
    "display_regions": False,
    "display_forking_regions": False,
    "expand_layer_details": False,
    "display_constants": False,
    "display_latency": True,
    "latency_type": "avg_time",
    "display_region_reuse": False,
    "display_region_names": False,
    "display_edge_name": False,
    "display_edge_details": True,
    "highlight_layers": None,
    "remove_disconnected_layers": False,
    "display_metadata": True,
}


def small():
    return EnginePlan(engine(layer("a"), layer("b", inputs=["y"], outputs=["z"]), inputs=["x"], outputs=["z"]))


def test_plan_graph():
    graph = PlanGraph(small())
    assert [node.layer.name for node in graph.layer_nodes] == ["a", "b"]
    assert [(node.name, node.is_user, node.region_gen) for node in graph.memory_nodes] == [
        ("x", True, 0),
        ("z", True, 0),
    ]
    for (source, port), target, tensor, generation in graph.edges_list:
        assert isinstance(target, trex.PortDesc) and tensor.name and generation == 0 and source and port in (0, None)
    assert [(name, tensor.name, generation, is_user) for name, tensor, generation, is_user in graph.memory_nodes] == [
        ("x", "x", 0, True),
        ("z", "z", 0, True),
    ]
    assert [(e.src.layer_name, e.dst.layer_name) for e in graph.edges_list] == [("x", "a"), ("a", "b"), ("b", "z")]
    assert [region.name for region in graph.regions] == ["x", "y", "z"]
    assert [region.name for region in regions_factory(small())] == ["x", "y", "z"]
    parameters = inspect.signature(PlanGraph).parameters
    assert list(parameters) == ["plan", "include_regions", "include_constants", "include_forking_regions"]


def test_formatters_give_colors():
    item = layer("a", "Convolution", precision="INT8")
    assert layer_type_formatter(item)["fillcolor"] == LAYER_COLORS["Convolution"]
    assert layer_precision_formatter(item)["fillcolor"] == PRECISION_COLORS["INT8"]
    assert layer_node_formatters["layer_type"] is layer_type_formatter
    assert list(layer_node_renderers) == ["Minimal", "Keras", "Configurable"]
    assert latency_types == ("avg_time", "median_time", "time")
    assert layer_node_highlighter("a", ["a"]) and not layer_node_highlighter("b", ["a"])
    assert region_precision_formatter(t("x"), True) != region_precision_formatter(t("x"), False)


def test_signature():
    parameters = inspect.signature(DotGraph).parameters
    assert list(parameters) == ["plan", "layer_node_formatter", *OPTIONS]
    assert {name: parameters[name].default for name in OPTIONS} == OPTIONS


def test_names_for_graphviz():
    assert get_dot_id("a:b") == "a###b"
    assert clean_layer_name(layer("a\x1eb")) == "a\\x1eb"


def test_every_promised_name_is_there():
    assert all(hasattr(trex.graphing, name) for name in trex.graphing.__all__)


def test_cells_of_the_classic_notebooks(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    plan, engine_name = load_simulated("resnet18-int8"), "resnet18"
    graph = to_dot(plan, layer_type_formatter)
    svg_name = render_dot(graph, engine_name, "svg")
    assert svg_name == "resnet18.svg"
    assert svg_name in capsys.readouterr().out
    assert ElementTree.parse(svg_name).getroot().tag.endswith("svg")
    graph = to_dot(
        plan,
        layer_precision_formatter,
        display_regions=True,
        expand_layer_details=True,
        display_latency=True,
        highlight_layers=plan.df["Name"][:2],
    )
    assert render_dot(graph, "precision", "dot") == "precision.dot"
    dot = parse_dot(Path("precision.dot").read_text(encoding="utf-8"))
    assert len([look for look in dot.nodes.values() if look.get("penwidth") == "6"]) == 2


def test_formatters_that_users_wrote():
    def formatter(layer):
        return {"style": "filled", "fillcolor": "red" if layer.precision == "INT8" else "blue", "tooltip": layer.name}

    dot = parse_dot(to_dot(load_simulated("resnet18-int8"), formatter).source)
    assert {look.get("fillcolor") for key, look in dot.nodes.items() if key == "n1"} == {"red"}
    assert shown(dot.nodes["n1"]["tooltip"]).startswith("conv1.weight")


def test_every_option_is_taken():
    plan = load_simulated("resnet18-fp16")
    for name, default in OPTIONS.items():
        value = not default if isinstance(default, bool) else default
        parse_dot(to_dot(plan, layer_type_formatter, **{name: value}).source)
    for latency_type in latency_types:
        parse_dot(DotGraph(plan, layer_type_formatter, latency_type=latency_type).dot.source)
    with pytest.raises(TrexError, match="latency_type"):
        to_dot(plan, layer_type_formatter, latency_type="mean")
    with pytest.raises(TypeError, match="display_matadata"):
        to_dot(plan, layer_type_formatter, display_matadata=True)
