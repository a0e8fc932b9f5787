"""Public: the graph of a plan as data and as DOT, drawn with or without Graphviz, under TREx's names.

Differs from NVIDIA's TREx: any name is safe and no string too long for Graphviz; SVG needs neither Graphviz nor
another package (Graphviz draws small graphs if it is installed), PNG and PDF need the extra ``graphviz`` or
``picture``; nodes are called ``n0``, ``n1`` … in the text, as names repeat; a legend explains the colors.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from typing import Any

from trex import _reexported
from trex.activations import Activation
from trex.classic.views_of_facts import gives_views, takes_views
from trex.core.printable import printable
from trex.engine_plan import EnginePlan
from trex.export import dot_looks
from trex.export.dot_document import write_picture
from trex.export.dot_looks import Attributes, DotLooks, layer_node_highlighter
from trex.export.onnx_graph import OnnxGraph
from trex.export.onnx_graph import make_onnx_tensor as make_onnx_tensor
from trex.export.plan_dot import plan_dot
from trex.graph.plan_graph import LayerNode, MemoryNode
from trex.graph.port_graph import PortDesc, Region, RegionGeneration
from trex.graph.port_graph import PortEdge as Edge
from trex.graph.port_graph import PortGraph as PlanGraph
from trex.jupyter.drawn_graph import DEFAULT_HEIGHT, DrawnGraph, draw_plan
from trex.layer import Layer
from trex.views.diagram.keywords import parameters
from trex.views.diagram.style import LATENCY_TYPES, DiagramStyle

__all__ = [
    "DotGraph",
    "Edge",
    "LayerNode",
    "MemoryNode",
    "OnnxGraph",
    "PlanGraph",
    "PortDesc",
    "Region",
    "RegionGeneration",
    "draw",
    "latency_types",
    "layer_node_configurable_renderer",
    "layer_node_formatters",
    "layer_node_highlighter",
    "layer_node_renderer_keras",
    "layer_node_renderer_simple",
    "layer_node_renderers",
    "layer_precision_formatter",
    "layer_type_formatter",
    "region_precision_formatter",
    "render_dot",
    "to_dot",
]

latency_types = LATENCY_TYPES
layer_type_formatter = takes_views(dot_looks.layer_type_formatter)
layer_precision_formatter = takes_views(dot_looks.layer_precision_formatter)
region_precision_formatter = takes_views(dot_looks.region_precision_formatter)
layer_node_renderer_simple = takes_views(dot_looks.layer_node_renderer_simple)
layer_node_renderer_keras = takes_views(dot_looks.layer_node_renderer_keras)
layer_node_configurable_renderer = takes_views(dot_looks.layer_node_configurable_renderer)
layer_node_formatters = {
    "layer_type": layer_type_formatter,
    "layer_precision_formatter": layer_precision_formatter,
}
layer_node_renderers = {
    "Minimal": layer_node_renderer_simple,
    "Keras": layer_node_renderer_keras,
    "Configurable": layer_node_configurable_renderer,
}


def draw(
    plan: EnginePlan, *, height: int = DEFAULT_HEIGHT, baseline: EnginePlan | None = None, **options: Any
) -> DrawnGraph:
    """The graph of a plan for a notebook's cell: an interactive page that needs no network; ``.save(path)`` writes it.

    height: of the cell, in pixels. baseline: another engine of the same model, for ``color_by="change"``. options: what
    the flags of ``trex draw`` are, by the same names: ``color_by``, ``fold``, ``display_regions`` and all else of the
    style; ``query``, ``beam`` ("NODE,RADIUS" or (node, radius)), ``between``, ``hottest``,
    ``neighbors``, ``module``, ``stream`` and ``tensor`` select a part.
    Raises TrexError for a misspelled option, a value it does not take, and a selection that nothing answers.
    """
    return draw_plan(plan, height, options, baseline)


# The names, for those who look it up: help(trex.draw), and the notebook's completion.
_PLAN, _HEIGHT, _BASELINE, _ = inspect.signature(draw).parameters.values()
draw.__signature__ = inspect.Signature([_PLAN, _HEIGHT, _BASELINE, *parameters()])  # type: ignore[attr-defined]


def to_dot(*args: Any, **kwargs: Any) -> Any:
    """``DotGraph(…).dot``: a ``graphviz.Digraph`` where that package is installed, else its like."""
    return DotGraph(*args, **kwargs).dot


class DotGraph:
    """The graph of a plan in Graphviz's language, as ``dot``.

    layer_node_formatter: layer → Graphviz attributes of its node. layer_node_renderer: (layer, latency in ms or None,
    …) → its words. region_formatter: (tensor, is an input or output of the engine) → attributes of memory. Layers are
    ``trex.Layer``, tensors ``trex.Activation``. highlight_layers: names. Raises TrexError for a latency_type that is
    none.
    """

    def __init__(
        self,
        plan: EnginePlan,
        layer_node_formatter: Callable[[Layer], Attributes],
        layer_node_highlighter: Callable[[str, Collection[str]], Attributes] = layer_node_highlighter,
        layer_node_renderer: Callable[..., str] = layer_node_configurable_renderer,
        region_formatter: Callable[..., Attributes] = region_precision_formatter,
        display_layer_names: bool = True,
        stack_layer_names: bool = True,
        display_regions: bool = False,
        display_forking_regions: bool = False,
        expand_layer_details: bool = False,
        display_constants: bool = False,
        display_latency: bool = True,
        latency_type: str = "avg_time",
        display_region_reuse: bool = False,
        display_region_names: bool = False,
        display_edge_name: bool = False,
        display_edge_details: bool = True,
        highlight_layers: Sequence[str] | None = None,
        remove_disconnected_layers: bool = False,
        display_metadata: bool = True,
    ) -> None:
        looks = looks_of(layer_node_formatter, layer_node_highlighter, layer_node_renderer, region_formatter)
        style = DiagramStyle(
            color_by=looks.color_by or "type",
            display_layer_names=display_layer_names,
            stack_layer_names=stack_layer_names,
            display_regions=display_regions,
            display_forking_regions=display_forking_regions,
            expand_layer_details=expand_layer_details,
            display_constants=display_constants,
            display_latency=display_latency,
            latency_type=latency_type,
            display_region_reuse=display_region_reuse,
            display_region_names=display_region_names,
            display_edge_name=display_edge_name,
            display_edge_details=display_edge_details,
            highlight_layers=() if highlight_layers is None else tuple(highlight_layers),
            remove_disconnected_layers=remove_disconnected_layers,
            display_metadata=display_metadata,
        )
        self.dot = plan_dot(plan, style, looks)


def looks_of(
    layer_node_formatter: Callable[[Layer], Attributes] = layer_type_formatter,
    layer_node_highlighter: Callable[[str, Collection[str]], Attributes] = layer_node_highlighter,
    layer_node_renderer: Callable[..., str] = layer_node_configurable_renderer,
    region_formatter: Callable[..., Attributes] = region_precision_formatter,
) -> DotLooks:
    """DotGraph's functions as drawing calls them: those of a user get ``trex.Layer`` and ``trex.Activation``."""
    return DotLooks(
        gives_views(layer_node_formatter, Layer.of),
        layer_node_highlighter,
        gives_views(layer_node_renderer, Layer.of),
        gives_views(region_formatter, Activation.of),
    )


def render_dot(dot_graph: Any, engine_name: str, output_format: str) -> str:
    """Writes ENGINE_NAME.OUTPUT_FORMAT, prints and returns its path.

    svg needs nothing; png and pdf need the extra ``graphviz`` or ``picture``, else TrexError; dot is the text.
    """
    path = str(write_picture(dot_graph, f"{engine_name}.{output_format}", output_format))
    print(f"Created {path}")
    return path


def regions_factory(plan: EnginePlan) -> list[Region]:
    """The memory behind every tensor name, as the values that it held one after the other."""
    return list(PlanGraph(plan).regions)


def clean_layer_name(layer: Layer) -> str:
    """The layer's name without what cannot be printed: names are cleaned when they are read."""
    return printable(layer.name)


def _get_latency(plan: EnginePlan, layer: Layer, latency_type: str) -> float:
    """Milliseconds of the first layer of that name. latency_type: one of ``latency_types``. NaN if it has no time."""
    known = plan.df.loc[plan.df["Name"] == layer.name, f"latency.{latency_type}"]
    return float(known.iloc[0]) if len(known) else float("nan")


def get_dot_id(layer_name: str) -> str:
    """The name as graphviz's functions take it for a node: a colon would start the name of a port."""
    return layer_name.replace(":", "###")


__getattr__ = _reexported(__name__)
