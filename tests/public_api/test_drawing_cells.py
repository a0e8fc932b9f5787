"""Drawing cells as users of TREx wrote them, run as they stand on every bundled engine.

The calls are those of NVIDIA's walk-through and of the classic signatures; the formatters and renderers are such as
users write for themselves.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

import trex
from tests.dot_parser import parse_dot, shown
from tests.simulated_examples import SIMULATED
from trex.export import dot_document, dot_pictures

# Whole runs: too long for the check between two edits.
pytestmark = pytest.mark.slow

EXAMPLES = ("resnet18-fp16", "resnet18-int8", "resnet18-int8-residual", "transformer-fp16")

LOAD = """
    plan = EnginePlan(
        f"{engine_name}.graph.json", f"{engine_name}.profile.json", f"{engine_name}.profile.metadata.json")
"""

# How notebooks came by the names.
WAYS_IN = {
    "stars": """
        from trex import *
        from trex.graphing import *
    """,
    "the lobby's star": """
        from trex import *
    """,
    "modules": """
        import trex
        import trex.graphing
        EnginePlan = trex.EnginePlan
        to_dot, render_dot = trex.graphing.to_dot, trex.graphing.render_dot
        layer_type_formatter = trex.graphing.layer_type_formatter
    """,
    "the lobby": """
        import trex
        EnginePlan, to_dot, render_dot = trex.EnginePlan, trex.to_dot, trex.render_dot
        layer_type_formatter = trex.layer_type_formatter
    """,
    "by name": """
        from trex.engine_plan import EnginePlan
        from trex.graphing import to_dot, render_dot, layer_type_formatter
    """,
}

BOOLEANS = (
    "display_layer_names",
    "stack_layer_names",
    "display_regions",
    "display_forking_regions",
    "expand_layer_details",
    "display_constants",
    "display_latency",
    "display_region_reuse",
    "display_region_names",
    "display_edge_name",
    "display_edge_details",
    "remove_disconnected_layers",
    "display_metadata",
)


def run(cell: str, **names: Any) -> SimpleNamespace:
    """The names there are after a cell."""
    exec(compile(dedent(cell), "<cell>", "exec"), names)
    return SimpleNamespace(**{name: value for name, value in names.items() if not name.startswith("__")})


@pytest.fixture(params=EXAMPLES)
def engine_name(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A bundled engine's files copied to where a cell may write; the stem of their paths."""
    folder = SIMULATED / request.param
    for file in folder.iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    return str(tmp_path / request.param)


@pytest.fixture
def plan(engine_name: str) -> Any:
    return trex.load(f"{engine_name}.graph.json")


@pytest.fixture
def no_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the program, nor pygraphviz, nor the package graphviz: what a plain installation has."""
    monkeypatch.setattr(dot_pictures.shutil, "which", lambda name: None)
    monkeypatch.setattr(dot_document, "has_graphviz", lambda: False)
    monkeypatch.setitem(sys.modules, "graphviz", None)


@pytest.mark.parametrize("way_in", WAYS_IN)
def test_the_walk_throughs_cells(way_in, engine_name, no_graphviz, capsys):
    cell = dedent(WAYS_IN[way_in]) + dedent(LOAD)
    cell += "graph = to_dot(plan, layer_type_formatter)\nsvg_name = render_dot(graph, engine_name, 'svg')\n"
    done = run(cell, engine_name=engine_name)
    assert done.svg_name == f"{engine_name}.svg"
    assert done.svg_name in capsys.readouterr().out
    texts = "".join(ElementTree.parse(done.svg_name).getroot().itertext())
    assert done.plan.layers[0].name[:12] in texts.replace("\n", "")


@pytest.mark.parametrize("format", ["svg", "png"])
def test_a_picture_is_shown_in_the_notebook(format, engine_name):
    pytest.importorskip("IPython")
    if format == "png" and not dot_pictures.has_graphviz():
        pytest.importorskip("typst", reason="PNG needs an extra")
    done = run(
        f"""
        from IPython.display import SVG, Image
        graph = trex.to_dot(plan, trex.layer_precision_formatter)
        name = trex.render_dot(graph, engine_name, "{format}")
        picture = SVG(filename=name) if name.endswith("svg") else Image(filename=name)
        """,
        trex=trex,
        plan=trex.load(f"{engine_name}.graph.json"),
        engine_name=engine_name,
    )
    if format == "svg":
        assert done.picture.data.startswith("<svg")
    else:
        assert struct.unpack(">II", done.picture.data[16:24]) > (100, 100)


def test_the_graph_itself_is_shown_as_svg(plan, no_graphviz):
    bundle = trex.to_dot(plan, trex.layer_type_formatter)._repr_mimebundle_()
    assert ElementTree.fromstring(bundle["image/svg+xml"].encode()).tag.endswith("svg")


@pytest.mark.parametrize("keyword", BOOLEANS)
def test_every_switch_both_ways(keyword, plan):
    texts = set()
    for value in (True, False):
        dot = trex.to_dot(plan, trex.layer_type_formatter, **{keyword: value})
        assert parse_dot(dot.source).nodes
        texts.add(dot.source)
    # These ask for what an engine must have to differ.
    if keyword not in (
        "stack_layer_names",
        "display_constants",
        "display_forking_regions",
        "display_region_reuse",
        "display_region_names",
        "remove_disconnected_layers",
        "display_metadata",
        "expand_layer_details",
    ):
        assert len(texts) == 2


@pytest.mark.parametrize("renderer", ["Minimal", "Keras", "Configurable"])
@pytest.mark.parametrize("formatter", ["layer_type", "layer_precision_formatter"])
def test_the_tables_of_formatters_and_renderers(renderer, formatter, plan):
    done = run(
        """
        from trex.graphing import *
        dot = to_dot(plan, layer_node_formatters[formatter], layer_node_renderer=layer_node_renderers[renderer])
        graphs = [
            to_dot(plan, layer_type_formatter, latency_type=latency, display_latency=True).source
            for latency in latency_types
        ]
        """,
        plan=plan,
        renderer=renderer,
        formatter=formatter,
    )
    labels = [shown(look.get("label", "")) for look in parse_dot(done.dot.source).nodes.values()]
    assert any(plan.layers[0].type in label for label in labels)
    assert len(set(done.graphs)) == 3


def test_layers_are_highlighted_by_name(plan):
    done = run(
        """
        from trex.graphing import *
        slowest = plan.df.nlargest(3, "latency.avg_time")
        dot = DotGraph(plan, layer_type_formatter, highlight_layers=slowest["Name"].tolist()).dot
        """,
        plan=plan,
    )
    marked = [look for look in parse_dot(done.dot.source).nodes.values() if look.get("penwidth") == "6"]
    assert len(marked) == 3


def test_formatters_renderers_and_highlighters_that_users_wrote(plan):
    done = run(
        """
        from trex.graphing import to_dot, region_precision_formatter
        from trex import precision_colormap

        def formatter(layer):
            # one color for all that TensorRT adds
            if layer.type == "Reformat":
                return {'style': 'filled', 'color': 'red', 'tooltip': layer.tooltip()}
            return {'shape': 'Mrecord', 'style': 'filled', 'fillcolor': precision_colormap[layer.precision]}

        def renderer(layer, latency, display_layer_names=True, expand_layer_details=False,
                     stack_layer_names=True, display_metadata=True):
            return f"{layer.type}\\\\n{latency} ms\\\\n{len(layer.inputs)} in, {len(layer.outputs)} out"

        def highlighter(node_name, highlighted_layer_names):
            return {'penwidth': '9'} if node_name in highlighted_layer_names else {}

        def regions(tensor, is_user):
            look = dict(region_precision_formatter(tensor, is_user))
            look['shape'] = 'cylinder' if is_user else 'oval'
            return look

        dot = to_dot(plan, formatter, highlighter, renderer, regions, display_regions=True,
                     highlight_layers=[plan.layers[1].name])
        """,
        plan=plan,
    )
    nodes = parse_dot(done.dot.source).nodes.values()
    labels = [shown(look.get("label", "")) for look in nodes]
    first = plan.layers[0]
    assert any(f"{len(first.inputs)} in, {len(first.outputs)} out" in label for label in labels)
    assert len([look for look in nodes if look.get("penwidth") == "9"]) == 1
    assert {"cylinder", "oval"} <= {look.get("shape") for look in nodes}
    reformats = [layer for layer in plan.layers if layer.type == "Reformat"]
    assert len([look for look in nodes if look.get("color") == "red"]) == len(reformats)


def test_what_users_wrote_is_also_drawn_without_graphviz(plan, no_graphviz):
    done = run(
        r"""
        from trex.graphing import *

        def formatter(layer):
            return {'style': 'filled', 'fillcolor': 'navy' if layer.type == 'Reformat' else 'palegreen'}

        def renderer(layer, latency, *args, **kwargs):
            return f'{layer.type}\\l{len(layer.outputs)} out of it'

        svg_name = render_dot(to_dot(plan, formatter, layer_node_renderer=renderer), 'mine', 'svg')
        """,
        plan=plan,
    )
    text = Path(done.svg_name).read_text(encoding="utf-8")
    assert text.count("1 out of it") >= len(plan.layers) / 2
    assert "#98fb98" in text
    assert ("#000080" in text) == any(layer.type == "Reformat" for layer in plan.layers)


def test_the_text_is_saved_and_changed_as_graphviz_graphs_are(plan, tmp_path):
    done = run(
        """
        from trex.graphing import *
        graph = to_dot(plan, layer_type_formatter)
        graph.attr(rankdir='LR')
        graph.node('note', label='measured on Friday', shape='note')
        path = graph.save('engine.gv')
        dot_name = render_dot(graph, 'engine', 'dot')
        """,
        plan=plan,
    )
    text = Path(done.path).read_text(encoding="utf-8")
    assert text == Path(done.dot_name).read_text(encoding="utf-8") == done.graph.source
    parsed = parse_dot(text)
    assert parsed.nodes["note"]["shape"] == "note" and "LR" in text


def test_a_plan_graph_is_walked(plan):
    done = run(
        """
        from trex.graphing import PlanGraph, regions_factory
        g = PlanGraph(plan, include_regions=True, include_constants=False, include_forking_regions=True)
        successors = {}
        for edge in g.edges_list:
            successors.setdefault((edge.src.layer_name, edge.src.port), []).append(edge.dst.layer_name)
        names = [node.layer.name for node in g.layer_nodes]
        inputs = [node.name for node in g.memory_nodes if node.is_user]
        bytes_of = {edge.tensor.name: edge.tensor.size_bytes for edge in g.edges_list}
        reused = [region.name for region in g.regions if region.nb_generations() > 1]
        writers = [writer.layer_name for region in regions_factory(plan) for writer in region.writers()]
        generations = [len(region.generations) for region in g.regions]
        wanted = g.should_include_region(g.regions[0], g.regions[0].generations[0], False)
        """,
        plan=plan,
    )
    assert done.names == [layer.name for layer in plan.layers]
    assert {tensor.name for tensors in plan.get_bindings() for tensor in tensors} <= set(done.inputs)
    assert set(done.names) >= {name for name in done.writers if name in done.names}
    assert all(count >= 1 for count in done.generations)
    assert set(done.bytes_of) and done.successors and done.wanted in (True, False)


def test_an_onnx_graph_is_saved(plan, tmp_path):
    onnx = pytest.importorskip("onnx")
    done = run(
        """
        import onnx
        from trex.graphing import OnnxGraph
        g = OnnxGraph(plan, display_forking_regions=True)
        onnx.save(g.onnx_model, "engine.onnx")
        count = len(g.onnx_nodes)
        """,
        plan=plan,
    )
    assert len(onnx.load("engine.onnx").graph.node) == done.count >= len(plan.layers)
