"""The words of a DOT node: minimal, like Keras's plots, or with all that is asked for."""

from __future__ import annotations

from typing import Any

from tests.factories import layer, t
from trex.export.dot_looks import (
    layer_node_configurable_renderer,
    layer_node_renderer_keras,
    layer_node_renderer_simple,
)
from trex.views.diagram.details import MAX_DETAILS, short_text

CONV = layer("conv1", "Convolution", [t("x", (1, 3, 8, 8))], [t("y", (1, 16, None, 8))], Kernel=[3, 3], Bias=None)


def test_minimal():
    assert layer_node_renderer_simple(CONV, None) == "Convolution\nconv1"
    assert layer_node_renderer_simple(CONV, 0.5, display_layer_names=False) == "Convolution · 0.5000 ms"


def test_keras():
    assert layer_node_renderer_keras(CONV, 0.5).split("\n") == [
        "Convolution · 0.5000 ms",
        "conv1",
        "input: 1x3x8x8",
        "output: 1x16x?x8",
    ]


def test_details():
    text = layer_node_configurable_renderer(CONV, None, expand_layer_details=True)
    assert text.split("\n") == ["Convolution", "conv1", "Bias: None", "Kernel: [3, 3]"]
    keys: dict[str, Any] = {f"Key{i:02}": i for i in range(MAX_DETAILS + 3)}
    many = layer("a", **keys)
    assert layer_node_configurable_renderer(many, None, expand_layer_details=True).endswith("Key23: 23\nand 3 more")


def test_a_reformat_says_why():
    copy = layer("r", "Reformat", [t("x", type="FP32")], [t("y")], Origin="REFORMAT")
    assert "layout change\nprecision FP32 → FP16" in layer_node_configurable_renderer(copy, None)


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
