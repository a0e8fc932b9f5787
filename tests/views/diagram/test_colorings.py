"""Every coloring on every kind of layer: a color and words for each, and a legend."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.factories import conv, engine, layer, t, times
from tests.simulated_examples import SIMULATED
from trex.core.errors import TrexError
from trex.core.metadata import Metadata
from trex.engine_plan import load
from trex.graph.build import build_graph
from trex.graph.close import close_groups
from trex.graph.groups import grouped
from trex.graph.plan_graph import LayerNode, PlanGraph
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.coloring import COLORINGS, coloring
from trex.views.diagram.scene import build_scene
from trex.views.diagram.style import DiagramStyle

ODD = [
    layer("conv", "Convolution", stream=0, module="/net/a/x", precision="INT8"),
    layer("<&>", "Invented", stream=None, module=""),
    layer("gemm", "gemm", stream=3, module="/net/b", precision="FP16"),
]


def graph_of(*layers, ms=(None, None, None)):
    timed = zip(layers, times(layers, *ms), strict=True)
    return PlanGraph(tuple(LayerNode(i, item, time) for i, (item, time) in enumerate(timed)), ())


def test_there_is_one_for_each_question():
    assert set(COLORINGS) >= {"type", "precision", "latency", "stream", "module", "bound", "findings", "change"}
    assert not COLORINGS.broken
    with pytest.raises(TrexError, match="no coloring called"):
        coloring("mood")
    with pytest.raises(TrexError, match="is not a color_by"):
        DiagramStyle(color_by="mood")


@pytest.mark.parametrize("name", COLORINGS.names)
def test_each_layer_has_a_color_and_its_meaning(name):
    for ms in ((None, None, None), (0.0, 0.0, None), (1.0, 0.5, float("inf"))):
        paints = coloring(name).paint(graph_of(*ODD, ms=ms), DiagramStyle().latency_ms)
        assert len(paints) == 3
        assert all(re.fullmatch("#[0-9a-fA-F]{6}|gray", paint.color) and paint.text for paint in paints)
    assert coloring(name).paint(PlanGraph((), ()), DiagramStyle().latency_ms) == []


@pytest.mark.parametrize("name", COLORINGS.names)
def test_scenes_explain_each_color_they_use(name):
    plan = load(str(SIMULATED / "transformer-fp16"))
    scene = build_scene(build_graph(plan), plan, DiagramStyle(color_by=name))
    explained = {entry.color for entry in scene.legend[0].entries if entry.shape == "box"}
    assert {box.color for box in scene.boxes if box.kind == "layer"} == explained
    assert scene.legend[0].title == coloring(name).title


def test_heat_grows_with_time():
    paints = coloring("latency").paint(graph_of(*ODD, ms=(1.0, 0.01, 0.3)), DiagramStyle().latency_ms)
    assert paints[0].rank < paints[2].rank < paints[1].rank
    assert len({paint.color for paint in paints}) == 3


def test_modules_are_told_apart_where_they_differ():
    texts = [paint.text for paint in coloring("module").paint(graph_of(*ODD), DiagramStyle().latency_ms)]
    assert texts == ["/net/a", "not reported", "/net/b"]


def test_heat_in_the_legend_goes_from_hot_to_cold():
    whole = engine(layer("a", outputs=["v"]), layer("b", inputs=["v"], outputs=["w"]), layer("c", inputs=["w"]))
    plan = SimpleNamespace(
        working_layers=whole.layers, times=times(whole.layers, 0.1, 1.0, 0.4), engine=whole, name="net"
    )
    legend = build_scene(build_graph(plan), style=DiagramStyle(color_by="latency")).legend[0]
    assert [entry.text for entry in legend.entries][:3] == [
        "0.8000 ms and more (1)",
        "0.3000 ms and more (1)",
        "0.0500 ms and more (1)",
    ]


def test_closed_groups_of_several_kinds_say_so():
    layers = [
        layer(f"l{i}", inputs=[f"t{i}"], outputs=[f"t{i + 1}"], module=f"/m{i // 2}", precision=kind, stream=stream)
        for i, (kind, stream) in enumerate([("FP16", 0), ("INT8", 1), ("INT8", 0), ("INT8", 0)])
    ]
    graph = grouped(build_graph(EnginePlan(engine(*layers))), "module")
    closed = close_groups(graph, (0, 1))
    texts = {
        name: [paint.text for paint in coloring(name).paint(closed, DiagramStyle().latency_ms)] for name in COLORINGS
    }
    assert texts["precision"] == ["several in a closed group", "INT8"]
    assert texts["stream"] == ["several in a closed group", "stream 0"]
    assert texts["module"] == ["/m0", "/m1"] and texts["type"] == ["Group", "Group"]


def test_bounds_are_those_of_the_roofline():
    kernel = "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32_stage4_warpsize2x2x1_tensor16x8x16"
    # On an A100: 2·32768·4096·4096 / 312·10¹² = 3.5 ms of products; 512 MB at 2039 GB/s in and out; a few bytes.
    layers = [
        conv("c", [t("x", [32, 4096, 32, 32])], [t("y", [32, 4096, 32, 32])]),
        layer("r", "Reformat", [t("y", [32, 4096, 32, 32])], [t("z", [32, 4096, 32, 32])]),
        layer("s", "PointWise", [t("u", [1, 8])], [t("v", [1, 8])]),
        layer("d", "PluginV2", [t("a", None)], [t("b", None)]),
    ]
    layers[0] = replace(layers[0], tactic=kernel)
    metadata = Metadata(device={"Selected Device": "NVIDIA A100-SXM4-80GB"})
    plan = EnginePlan(engine(*layers), metadata=metadata)
    for graph in (build_graph(plan), grouped(build_graph(plan), "module")):
        paints = coloring("bound").paint(graph, DiagramStyle().latency_ms)
        assert [paint.text for paint in paints] == ["tensor cores", "memory", "launch", "not known"]
    legend = build_scene(build_graph(plan), plan, DiagramStyle(color_by="bound")).legend[0]
    assert legend.title == "Layers by bound"
    assert [entry.text for entry in legend.entries] == ["tensor cores (1)", "memory (1)", "launch (1)", "not known (1)"]


def test_bounds_without_a_device_are_not_known():
    for plan in (
        EnginePlan(engine(*ODD)),
        SimpleNamespace(working_layers=(), times=(), engine=engine(*ODD), name="net"),
    ):
        paints = coloring("bound").paint(build_graph(plan), DiagramStyle().latency_ms)
        assert {paint.text for paint in paints} <= {"not known: no file names the GPU"}
    assert {paint.color for paint in coloring("bound").paint(graph_of(*ODD), DiagramStyle().latency_ms)} == {"gray"}


def test_bounds_of_closed_groups():
    whole = grouped(build_graph(load(str(SIMULATED / "resnet18-fp16"))), "module")
    paints = coloring("bound").paint(close_groups(whole, (0, 1)), DiagramStyle().latency_ms)
    assert len(paints) == len(close_groups(whole, (0, 1)).layer_nodes)


def test_findings_are_those_of_lint(monkeypatch):
    from types import ModuleType

    from trex.core.registry import Plug
    from trex.rules.finding import Finding, Severity
    from trex.rules.rule import RULES, Rule

    def check(engine, limits):
        yield Finding("large", (0,), engine.savings([0]))
        yield Finding("small", (0, 1), severity=Severity.NOTE)
        yield Finding("unknown savings", (2,), severity=Severity.ERROR)

    rule = Plug("a", ModuleType("a"), Rule("AA001", "a", Severity.WARNING, check))
    monkeypatch.setitem(RULES.__dict__, "_loaded", ({"a": rule}, ()))
    whole = engine(*(layer(name) for name in "abcd"))
    plan = EnginePlan(whole, layer_times=None)
    object.__setattr__(plan, "times", times(whole.layers, 1.0, 1.0, 1.0, 1.0))
    paints = coloring("findings").paint(build_graph(plan), DiagramStyle().latency_ms)
    assert [paint.text for paint in paints] == ["warning, 1 % of time and more", "note", "error", "no finding"]
    assert len({paint.color for paint in paints}) == 4
    legend = build_scene(build_graph(plan), plan, DiagramStyle(color_by="findings")).legend[0]
    assert [entry.text for entry in legend.entries][:4] == [
        "error (1)",
        "warning, 1 % of time and more (1)",
        "note (1)",
        "no finding (1)",
    ]
