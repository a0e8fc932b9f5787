"""What boxes and wires say."""

from __future__ import annotations

from dataclasses import replace

from tests.factories import layer, t, time
from trex.core.layer import NameParts
from trex.graph.plan_graph import LayerNode, MemoryNode
from trex.views.diagram.labels import (
    MAX_NAME_LINES,
    MAX_WIDTH,
    layer_label,
    layer_tooltip,
    memory_label,
    tensor_words,
    wire_text,
    wire_tooltip,
)
from trex.views.diagram.style import DiagramStyle
from trex.views.table import milliseconds

STYLE = DiagramStyle()


def label_of(item, ms=None, share=None, style=STYLE):
    return layer_label(LayerNode(0, item, None if ms is None else time(item.name, ms)), share, style)


def test_time_and_share_head_the_box():
    label = label_of(layer("a", "Convolution"), 0.25, 12.5)
    assert (label.kind, label.badge) == ("Convolution", f"{milliseconds(0.25)} ms · 12.5%")
    assert label_of(layer("a"), None).badge == ""
    assert label_of(layer("a"), 0.25, 12.5, DiagramStyle(display_latency=False)).badge == ""


def test_fused_operations_are_stacked_and_counted():
    names = tuple(f"/op{i}" for i in range(8))
    fused = replace(layer(" + ".join(names)), name_parts=NameParts(names, "vertical"))
    texts = [text for _, text in label_of(fused).lines]
    assert texts == ["/op0", "+ /op1", "+ /op2", "+ /op3", "+ 4 more"]
    five = replace(fused, name_parts=NameParts(names[:5], "horizontal"))
    assert [text for _, text in label_of(five).lines][-1] == "|| /op4"
    flat = label_of(fused, style=DiagramStyle(stack_layer_names=False)).lines
    assert " ".join(text for _, text in flat) == fused.name


def test_kernels_of_myelin_say_where_they_came_from():
    kernel = layer("__myl_Add_myl0_1", "kgen", origins=["/norm/Add", "/norm/Mul", "/norm/Div"])
    kernel = replace(kernel, name_parts=NameParts((kernel.name,), "myelin"))
    assert [line for line in label_of(kernel).lines if line[0] == "origin"] == [
        ("origin", "from /norm/Add"),
        ("origin", "from /norm/Mul"),
        ("origin", "and 1 more"),
    ]
    assert not [
        line for line in label_of(kernel, style=DiagramStyle(display_metadata=False)).lines if line[0] == "origin"
    ]


def test_attributes_are_written_when_asked_for():
    kernel = layer("a", "Convolution", Kernel=[3, 3], Groups=1)
    plain = label_of(kernel)
    assert ("origin", "Kernel: [3, 3]") not in plain.lines
    assert label_of(kernel, style=DiagramStyle(expand_layer_details=True)).lines == (
        *plain.lines,
        ("origin", "Groups: 1"),
        ("origin", "Kernel: [3, 3]"),
    )


def test_a_reformat_says_why_even_without_origin():
    result = replace(layer("Reformatting …", "Reformat"), name_parts=NameParts((), "reformat", wraps="conv"))
    assert label_of(result).lines[0] == ("reason", "origin not reported for conv")
    assert "why: origin not reported" in label_of(result).tooltip


def test_a_huge_name_is_short_in_the_box_and_whole_in_the_tooltip():
    name = "/".join(f"block{i}" for i in range(6000))
    label = label_of(layer(name))
    assert label.width <= MAX_WIDTH + 8 and len(label.lines) <= MAX_NAME_LINES
    assert name in label.tooltip


def test_tooltip_tells_what_is_known_and_what_is_not():
    text = layer_tooltip(layer("a", "kgen", precision="FP16", stream=2, module="/m"), time("a", 0.5), 25.0)
    assert "precision: FP16" in text and f"average {milliseconds(0.5)} ms" in text and "25.00 %" in text
    assert "tactic: not reported" in text and "stream: 2" in text and "module: /m" in text
    assert "time: not measured" in layer_tooltip(layer("a", inputs=[], outputs=[]), None, None)
    assert "precision: not reported" in layer_tooltip(layer("a", inputs=[], outputs=[]), None, None)


def test_tooltips_list_only_so_many_tensors():
    many = layer("a", inputs=[f"x{i}" for i in range(1000)], outputs=[])
    assert "960 more" in layer_tooltip(many, None, None)


def test_wires_say_precision_shape_and_format():
    tensor = t("x", [1, None, 56], "INT8", "NHWC4")
    assert tensor_words(tensor) == "INT8 1x?x56 NHWC4"
    assert tensor_words(t("x", None, "Unknown", "Unknown")) == "? ?"
    assert wire_text(tensor, DiagramStyle(display_edge_name=True)) == "x INT8 1x?x56 NHWC4"
    assert wire_text(tensor, DiagramStyle(display_edge_details=False)) == ""
    assert "size not reported" in wire_tooltip(tensor, "a", "b", carried=True)
    assert "previous iteration" in wire_tooltip(tensor, "a", "b", carried=True)


def test_tooltips_of_wires_do_not_repeat_huge_names():
    assert len(wire_tooltip(t("x" * 40_000), "a" * 40_000, "b" * 40_000, False)) < 1000


def test_data_shares_a_box():
    nodes = [MemoryNode(i, "dangling", f"w{i}", t(f"w{i}"), "hidden" if i else "") for i in range(3)]
    label = memory_label(nodes, STYLE)
    assert label.kind == "No writer reported ×3"
    assert "w2 · FP16" in label.tooltip and "written by hidden, which is not drawn" in label.tooltip
    assert ("origin", "FP16 1x8x4x4 NCHW") in memory_label([MemoryNode(0, "output", "y", t("y"))], STYLE).lines
