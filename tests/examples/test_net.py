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
    made = Net("n")
    x = made.input("x", (1, 4))
    assert [made.node("Relu", x, at="/a") for _ in range(3)] == [
        "/a/Relu_output_0",
        "/a/Relu_1_output_0",
        "/a/Relu_2_output_0",
    ]
    assert Net("n", suffix=":{}").node("Relu", x, name="r") == "r:0"


def test_a_value_is_called_anew_where_it_is_read():
    made = Net("n")
    first = made.node("Relu", made.input("x", (None, 4)), at="/a")
    made.node("Relu", first, at="/b")
    assert made.call(first, "y") == "y"
    assert [*made.nodes[0].output, *made.nodes[1].input] == ["y", "y"]


def test_weights_are_described_or_drawn():
    described, drawn, half = Net("n"), Net("n", weights="random"), Net("n", weights="random", type=HALF)
    for made in (described, drawn, half):
        assert made.weight("w", 4, 3, 3, 3) == made.weight("w", 4, 3, 3, 3) == "w"
        assert list(made.stored) == ["w"]
    assert described.stored["w"].external_data[0].value == NOT_WRITTEN
    assert not described.stored["w"].raw_data
    numbers, rounded = (onnx.numpy_helper.to_array(made.stored["w"]) for made in (drawn, half))
    assert rounded.dtype == "float16"
    assert abs(numbers - rounded).max() < 1e-3
    assert onnx.numpy_helper.to_array(drawn.stored[drawn.weight("scale", 1000, around=1.0)]).mean() == pytest.approx(
        1, abs=0.01
    )


def test_the_symbolic_dimension_has_a_name():
    made = Net("n")
    made.output("y", made.node("Relu", made.input("x", (None, 4))), (None, 4))
    model = made.model(opset=17, ir_version=8)
    assert [value.type.tensor_type.shape.dim[0].dim_param for value in (*model.graph.input, *model.graph.output)] == [
        "batch",
        "batch",
    ]
    assert "not stored" in model.doc_string
