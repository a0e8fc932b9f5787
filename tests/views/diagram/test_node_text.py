"""The words of a node: minimal, like Keras's plots, or with all that the style wants."""

from __future__ import annotations

from typing import Any

from tests.factories import layer, t
from trex.views.diagram.details import MAX_DETAILS, short_text
from trex.views.diagram.node_text import configurable_text, keras_text, minimal_text
from trex.views.diagram.style import DiagramStyle

STYLE = DiagramStyle()
CONV = layer("conv1", "Convolution", [t("x", (1, 3, 8, 8))], [t("y", (1, 16, None, 8))], Kernel=[3, 3], Bias=None)


def test_minimal():
    assert minimal_text(CONV, None, STYLE) == "Convolution\nconv1"
    assert minimal_text(CONV, 0.5, DiagramStyle(display_layer_names=False)) == "Convolution · 0.5000 ms"


def test_keras():
    assert keras_text(CONV, 0.5, STYLE).split("\n") == [
        "Convolution · 0.5000 ms",
        "conv1",
        "input: 1x3x8x8",
        "output: 1x16x?x8",
    ]


def test_details():
    text = configurable_text(CONV, None, DiagramStyle(expand_layer_details=True))
    assert text.split("\n") == ["Convolution", "conv1", "Bias: None", "Kernel: [3, 3]"]
    keys: dict[str, Any] = {f"Key{i:02}": i for i in range(MAX_DETAILS + 3)}
    many = layer("a", **keys)
    assert configurable_text(many, None, DiagramStyle(expand_layer_details=True)).endswith("Key23: 23\nand 3 more")


def test_a_reformat_says_why():
    copy = layer("r", "Reformat", [t("x", type="FP32")], [t("y")], Origin="REFORMAT")
    assert "layout change\nprecision FP32 → FP16" in configurable_text(copy, None, STYLE)


def test_values_in_few_words():
    assert short_text({"Type": "Half", "Count": 9}) == "Half ×9"
    assert short_text([1, [2, [3, [4]]]]) == "[1, [2, [3, […]]]]"
    assert short_text(list(range(20)), most=3) == "[0, 1, 2, …]"
    assert short_text({"a": {"b": 1}}) == "{a: {b: 1}}"
    nested: list = []
    for _ in range(50_000):
        nested = [nested]
    assert "…" in short_text(nested)
    while nested:
        nested = nested.pop()
