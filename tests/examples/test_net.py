"""Net: names, values and weights of a graph under construction."""

from __future__ import annotations

import doctest

import pytest

onnx = pytest.importorskip("onnx")

from trex.examples import blocks, net  # noqa: E402
from trex.examples.net import HALF, NOT_WRITTEN, Net, path_of  # noqa: E402


@pytest.mark.parametrize("module", (net, blocks))
def test_examples_in_the_docstrings(module):
    assert doctest.testmod(module).failed == 0


def test_paths():
    assert path_of("features.1.conv.0.0") == "/features/features.1/conv/conv.0/conv.0.0"
    assert path_of("fc") == "/fc"


def test_a_name_that_is_taken_is_counted():
    net = Net("n")
    x = net.input("x", (1, 4))
    assert [net.node("Relu", x, at="/a") for _ in range(3)] == [
        "/a/Relu_output_0",
        "/a/Relu_1_output_0",
        "/a/Relu_2_output_0",
    ]
    assert Net("n", suffix=":{}").node("Relu", x, name="r") == "r:0"


def test_a_value_is_called_anew_where_it_is_read():
    net = Net("n")
    first = net.node("Relu", net.input("x", (None, 4)), at="/a")
    net.node("Relu", first, at="/b")
    assert net.call(first, "y") == "y"
    assert [*net.nodes[0].output, *net.nodes[1].input] == ["y", "y"]


def test_weights_are_described_or_drawn():
    described, drawn, half = Net("n"), Net("n", weights="random"), Net("n", weights="random", type=HALF)
    for graph in (described, drawn, half):
        assert graph.weight("w", 4, 3, 3, 3) == graph.weight("w", 4, 3, 3, 3) == "w"
        assert list(graph.stored) == ["w"]
    assert described.stored["w"].external_data[0].value == NOT_WRITTEN
    assert not described.stored["w"].raw_data
    numbers, rounded = (onnx.numpy_helper.to_array(graph.stored["w"]) for graph in (drawn, half))
    assert rounded.dtype == "float16"
    assert abs(numbers - rounded).max() < 1e-3
    assert onnx.numpy_helper.to_array(drawn.stored[drawn.weight("scale", 1000, around=1.0)]).mean() == pytest.approx(
        1, abs=0.01
    )


def test_the_symbolic_dimension_has_a_name():
    net = Net("n")
    net.output("y", net.node("Relu", net.input("x", (None, 4))), (None, 4))
    model = net.model(opset=17, ir_version=8)
    assert [value.type.tensor_type.shape.dim[0].dim_param for value in (*model.graph.input, *model.graph.output)] == [
        "batch",
        "batch",
    ]
    assert "not stored" in model.doc_string
