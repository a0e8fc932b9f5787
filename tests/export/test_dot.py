"""DOT: the same text every time, safe for any name, no string too long, one line for each node and edge."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.dot_parser import parse_dot, shown
from tests.factories import engine, layer, t
from tests.factories import time as measured
from tests.snapshot import check_snapshot
from tests.synthetic import CASES
from tests.synthetic.engines import synthetic_engine
from trex import examples
from trex.core.timings import LayerTimes
from trex.engine_plan import load
from trex.export.dot import render_dot_text
from trex.export.dot_looks import (
    DotLooks,
    layer_node_renderer_keras,
    layer_node_renderer_simple,
    layer_precision_formatter,
)
from trex.export.dot_pictures import has_graphviz, picture_of
from trex.graph.build import build_graph
from trex.graph.select import Selection
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.drawn_graph import drawn_graph
from trex.views.diagram.style import DiagramStyle

EVERYTHING = DiagramStyle(
    display_constants=True,
    display_regions=True,
    display_region_names=True,
    display_region_reuse=True,
    display_edge_name=True,
    expand_layer_details=True,
)
NAMES = [
    "a < b & c > \"d\" 'e'",
    "</title></svg><script>alert(1)</script>",
    "<<b>bold</b>>",
    "trailing backslash \\",
    '\\N \\G \\l \\" \\\\',
    '"; n0 -> n0; x="',
    "&lt;b&gt; &#65;",
    "fused\x1ename\x1fwith\x00controls\x7f\x85",
    "half \ud83d pair",
    "emoji 🙂 名前 \u202e right-to-left",
    "line\nbreak\r\nand tab\t",
    "x" * 40_000,
    '"\\&' * 20_000,
    "名" * 20_000,
    "\n" * 20_000,
    "",
    " ",
]


def plan_of(*layers, inputs=(), outputs=(), **changes):
    whole = replace(engine(*layers, inputs=inputs, outputs=outputs), **changes)
    times = LayerTimes(tuple(measured(each.name, 0.25, occurrence=each.occurrence) for each in whole.layers))
    return EnginePlan(whole, times)


def graph_of(*layers, **ends):
    return build_graph(plan_of(*layers, **ends))


def everything(plan):
    graph = build_graph(plan, include_constants=True, include_regions=True)
    return render_dot_text(graph, EVERYTHING)


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_any_name_is_safe(name):
    odd = layer(name, name, [t(name)], [t(f"{name}'s"), "y"], tactic=name, origins=[name], module=name, Key=name)
    next_ = layer("next", "Next", [t(f"{name}'s")], ["z"], module=name)
    dot = parse_dot(everything(plan_of(odd, next_, inputs=[name], outputs=["y"], name=name)))
    assert {"n0", "n1"} <= dot.nodes.keys()
    assert {(a, b) for a, b, _ in dot.edges} <= {(a, b) for a in dot.nodes for b in dot.nodes}
    assert len(dot.nodes) == 7  # legend, two layers, input, output, two regions


def test_names_are_shown_as_they_are():
    dot = parse_dot(render_dot_text(graph_of(layer('C:\\new "x" & <b>'), inputs=["x"], outputs=["y"])))
    assert 'C:\\new "x" & <b>' in shown(dot.nodes["n0"]["label"])
    assert shown(dot.nodes["n0"]["tooltip"]).startswith('C:\\new "x" & <b>\ntype: PointWise')


def test_what_is_left_out_is_counted():
    dot = parse_dot(render_dot_text(graph_of(layer("a" + "x" * 40_000 + "b"), inputs=["x"])))
    tooltip = shown(dot.nodes["n0"]["tooltip"])
    assert "… 38002 characters more …" in tooltip
    assert "b\ntype: PointWise" in tooltip


def test_facts_of_layers_and_edges():
    first = layer("a", "Convolution", ["x"], ["y"], tactic="sm80_kernel")
    dot = parse_dot(render_dot_text(graph_of(first, layer("b", "Pooling", ["y"], ["z"]), inputs=["x"], outputs=["z"])))
    assert shown(dot.nodes["n0"]["label"]) == "Convolution · 0.2500 ms\na"
    assert "tactic: sm80_kernel" in shown(dot.nodes["n0"]["tooltip"])
    assert "50.00 %" in shown(dot.nodes["n0"]["tooltip"])
    assert {(a, b) for a, b, _ in dot.edges} == {("n0", "n1"), ("n2", "n0"), ("n1", "n3")}
    (between,) = (look for a, b, look in dot.edges if (a, b) == ("n0", "n1"))
    assert between["label"] == "FP16 1x8x4x4 NCHW"
    assert "a → b" in shown(between["tooltip"])
    assert "Layers by type" in dot.nodes["legend"]["label"]


def test_every_option():
    layers = (
        layer("a", inputs=["x"], outputs=["y"], module="/m", Axes=2),
        layer("b", inputs=["y"], outputs=["z"], module="/m"),
        layer("c", inputs=["y"], outputs=["y"]),
        layer("alone", inputs=[], outputs=[]),
    )
    plan = plan_of(*layers, inputs=["x"], outputs=["z"])
    dot = parse_dot(everything(plan))
    assert "Axes: 2" in shown(dot.nodes["n0"]["label"])
    regions = [key for key, look in dot.nodes.items() if shown(look["label"]).startswith("Region\ny")]
    assert len(regions) == 2
    assert "generation 1" in shown(dot.nodes[regions[1]]["label"])
    assert [(a, b) for a, b, look in dot.edges if look.get("style") == "dotted"] == [tuple(regions)]
    bare = DiagramStyle(
        display_layer_names=False, display_latency=False, display_edge_details=False, remove_disconnected_layers=True
    )
    dot = parse_dot(render_dot_text(drawn_graph(plan, bare), bare))
    assert dot.nodes["n0"]["label"] == "PointWise"
    assert not any("alone" in shown(look.get("tooltip", "")) for look in dot.nodes.values())
    assert not any("label" in look for _, _, look in dot.edges)


def test_values_of_the_iteration_before_are_dashed():
    text = render_dot_text(graph_of(layer("a", inputs=["s"], outputs=["u"]), layer("b", inputs=["u"], outputs=["s"])))
    (look,) = (look for a, b, look in parse_dot(text).edges if (a, b) == ("n1", "n0"))
    assert look["style"] == "dashed" and look["constraint"] == "false"


def test_looks_of_a_user():
    looks = DotLooks(
        formatter=lambda layer: {"fillcolor": "orange", "URL": layer.name, "size hint": 3, "nothing": None},
        renderer=lambda layer, latency, **how: f"<<B>{latency}</B><BR/>{layer.type}>",
        region_formatter=lambda tensor, is_user: {"shape": "oval", "label": f"{tensor.name} {is_user}"},
        highlighter=lambda name, names: {"color": "red"} if name in names else {},
    )
    dot = parse_dot(render_dot_text(graph_of(layer("a"), inputs=["x"]), DiagramStyle(highlight_layers=("a",)), looks))
    look = dot.nodes["n0"]
    assert (look["fillcolor"], look["URL"], look["size hint"], look["color"]) == ("orange", "a", "3", "red")
    assert look["label"] == "<B>0.25</B><BR/>PointWise"
    assert "nothing" not in look
    assert dot.nodes["n1"]["label"] == "x True" and dot.nodes["n1"]["shape"] == "oval"
    assert "Layers by" not in dot.nodes["legend"]["label"]


@pytest.mark.parametrize(
    "label", ["<<B>a & b</B>>", "<<script>x</script>>", '<<IMG SRC="/etc/passwd"/>>', "<<B>", "<>", "<a>"]
)
def test_html_like_text_is_taken_only_when_it_is_safe(label):
    looks = DotLooks(renderer=lambda *_, **__: label)
    dot = parse_dot(render_dot_text(graph_of(layer("a"), inputs=["x"]), looks=looks))
    assert shown(dot.nodes["n0"]["label"]) == label


def test_renderers():
    graph = graph_of(layer("a", "Convolution"), inputs=["x"])
    keras = parse_dot(render_dot_text(graph, looks=DotLooks(renderer=layer_node_renderer_keras)))
    assert shown(keras.nodes["n0"]["label"]).endswith("a\ninput: 1x8x4x4\noutput: 1x8x4x4")
    simple = parse_dot(render_dot_text(graph, looks=DotLooks(renderer=layer_node_renderer_simple)))
    assert shown(simple.nodes["n0"]["label"]) == "Convolution · 0.2500 ms\na"
    assert "Layers by precision" in render_dot_text(graph, looks=DotLooks(formatter=layer_precision_formatter))


def test_an_empty_engine_is_a_document():
    dot = parse_dot(render_dot_text(graph_of()))
    assert not dot.nodes and not dot.edges


@pytest.mark.parametrize("name", examples.names())
def test_examples_look_as_before(name):
    plan = synthetic_engine(name)
    text = render_dot_text(build_graph(plan))
    assert text == render_dot_text(build_graph(synthetic_engine(name)))
    parse_dot(text)
    check_snapshot(f"dot/{name}.dot", text)


SNAPSHOTS = ("cnn-8.2", "cnn-10.4", "transformer-11.1", "foreign-node-8.6")


@pytest.mark.parametrize("name", [case.name for case in CASES.values() if not case.expect.error])
def test_every_engine_of_the_catalog(name, tmp_path):
    case = CASES[name]
    plan = load(case.write(tmp_path))
    graph = build_graph(plan)
    text = render_dot_text(graph)
    dot = parse_dot(text)
    assert len(dot.nodes.keys() - {"legend"}) == len(graph.nodes)
    assert len(dot.edges) == len(graph.edges)
    parse_dot(everything(plan))
    if name in SNAPSHOTS:
        check_snapshot(f"dot/case-{name}.dot", text.replace(str(tmp_path), "FOLDER"))


@pytest.mark.skipif(not has_graphviz(), reason="needs Graphviz: the extra graphviz brings it")
@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_graphviz_draws_any_name(name):
    odd = layer(name, name, [t(name)], [t(f"{name}'s"), "y"], tactic=name, origins=[name], module=name)
    assert b"<svg" in picture_of(everything(plan_of(odd, inputs=[name], outputs=["y"], name=name)), "svg")


def test_a_layer_takes_little_text():
    layers = [
        layer(f"/block{i // 7}/conv{i}/Conv + /block{i // 7}/relu{i}/Relu", "Convolution", [f"t{i}"], [f"t{i + 1}"])
        for i in range(500)
    ]
    text = render_dot_text(build_graph(EnginePlan(engine(*layers, inputs=["t0"], outputs=["t500"]))))
    assert len(text) < 1500 * len(layers)


def test_real_engines(shared_engines):
    for folder in sorted(each for each in shared_engines.iterdir() if each.is_dir()):
        plan = load(folder)
        dot = parse_dot(render_dot_text(build_graph(plan)))
        assert len(dot.nodes) >= len(plan.working_layers)


def test_colors_and_folds_of_the_style():
    layers = [layer(f"/b{i}/{op}", op, [f"t{i}.{k}"], [f"t{i}.{k + 1}" if k < 2 else f"t{i + 1}.0"])
              for i in range(6) for k, op in enumerate(("Conv", "Pool", "Scale"))]  # fmt: skip
    plan = plan_of(*layers, inputs=["t0.0"], outputs=["t6.0"])
    for color_by in ("latency", "precision", "module", "stream"):
        style = DiagramStyle(color_by=color_by, fold=True)
        dot = parse_dot(render_dot_text(drawn_graph(plan, style), style))
        assert len(dot.nodes) < len(layers)
        assert any("×6" in shown(look["label"]) for look in dot.nodes.values())
        assert "fillcolor" in dot.nodes["n0"]


def test_a_part_says_where_it_was_cut():
    layers = [layer(f"l{i}", "Conv", [f"t{i}"], [f"t{i + 1}"]) for i in range(9)]
    style = DiagramStyle()
    graph = drawn_graph(plan_of(*layers, inputs=["t0"], outputs=["t9"]), style, Selection(beam=("l4", 1)))
    labels = [shown(look["label"]) for look in parse_dot(render_dot_text(graph, style)).nodes.values()]
    assert any(label.startswith("From") for label in labels) and any(label.startswith("To") for label in labels)


def test_groups_are_clusters_within_clusters():
    plan = synthetic_engine("resnet18-int8")
    style = DiagramStyle(group_by="module", close_groups="layer[234]")
    graph = drawn_graph(plan, style)
    dot = parse_dot(render_dot_text(graph, style))
    assert len(dot.clusters) == len(graph.groups)
    for position, group in enumerate(graph.groups):
        assert {f"n{node}" for node in group.nodes} <= set(dot.clusters[f"cluster_{position}"])
    closed = [look for look in dot.nodes.values() if shown(look["label"]).startswith("layer2 ")]
    assert len(closed) == 1 and "7 layers: Convolution ×5, Reformat ×2" in shown(closed[0]["label"])


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_groups_of_any_name_are_safe(name):
    layers = [layer(f"l{i}", inputs=[f"t{i}"], outputs=[f"t{i + 1}"], module=f"/{name}/{i // 2}") for i in range(5)]
    plan = plan_of(*layers, layer("end", inputs=["t5"], outputs=["y"]), inputs=["t0"], outputs=["y"])
    for style in (DiagramStyle(group_by="module"), DiagramStyle(close_groups="all")):
        parse_dot(render_dot_text(drawn_graph(plan, style), style))
