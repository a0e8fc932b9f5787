"""Graphs that no runtime accepts are refused with an address; what is only unusual is read."""

from __future__ import annotations

from pathlib import Path

import pytest

onnx = pytest.importorskip("onnx")

from onnx import helper  # noqa: E402

from tests.onnx_models import Net, quantized  # noqa: E402
from trex.core.errors import TrexError  # noqa: E402
from trex.perf.recognize import find_device  # noqa: E402
from trex.simulator.model_edit import EDITS  # noqa: E402
from trex.simulator.target import Target  # noqa: E402
from trex.simulator.what_if import what_if_results, what_if_rows  # noqa: E402


def refusal(net: Net, folder: Path) -> TrexError:
    with pytest.raises(TrexError) as caught:
        net.read(folder)
    assert caught.value.where.endswith("net.onnx") and caught.value.hint
    return caught.value


def quantizer(index: int, end: str, value: str) -> Net:
    """A pair around a pooling, one end of its first or last node replaced."""
    net = Net()
    y = quantized(net, net.input("x", (1, 8, 4, 4)), "a")
    y = net.node("MaxPool", y, kernel_shape=[2, 2])
    net.output(quantized(net, y, "b"))
    getattr(net.nodes[index], end)[0] = value
    return net


@pytest.mark.parametrize(
    ("index", "end", "words"),
    [
        (0, "input", "operator 0 'a/QuantizeLinear' (QuantizeLinear) has no input 'x'"),
        (1, "input", "operator 1 'a/DequantizeLinear' (DequantizeLinear) has no input 'x'"),
        (3, "output", "operator 3 'b/QuantizeLinear' (QuantizeLinear) has too few outputs"),
        (4, "output", "operator 4 'b/DequantizeLinear' (DequantizeLinear) has too few outputs"),
    ],
)
def test_a_quantizer_without_an_end(index: int, end: str, words: str, tmp_path: Path) -> None:
    assert words in refusal(quantizer(index, end, ""), tmp_path).message


def test_a_value_that_is_written_twice(tmp_path: Path) -> None:
    error = refusal(quantizer(4, "output", "a/QuantizeLinear_output_0"), tmp_path)
    assert "'b/DequantizeLinear'" in error.message and "also an output of operator 0" in error.message


def test_an_input_or_initializer_that_is_written(tmp_path: Path) -> None:
    for name, words in (("x", "an input"), ("c0", "an initializer")):
        assert words in refusal(quantizer(2, "output", name), tmp_path).message


def test_two_inputs_of_one_name(tmp_path: Path) -> None:
    net = quantizer(0, "input", "x")
    net.input("x", (1, 8, 4, 4))
    assert "several inputs called 'x'" in refusal(net, tmp_path).message


def test_operators_that_depend_on_themselves(tmp_path: Path) -> None:
    net = quantizer(0, "input", "b/QuantizeLinear_output_0")
    assert "depend on their own results" in refusal(net, tmp_path).message


def test_an_end_too_many_an_attribute_too_few_or_of_another_type(tmp_path: Path) -> None:
    def one(operator: str, count: int = 1, **attributes: object) -> TrexError:
        net = Net()
        net.output(net.node(operator, *["x"] * count, **attributes))
        net.input("x", (1, 8, 4, 4))
        return refusal(net, tmp_path)

    assert "has 2 inputs, more than 1" in one("Relu", 2).message
    assert "has no attribute 'kernel_shape'" in one("MaxPool").message
    assert "has an attribute 'axis' of another type" in one("Softmax", axis="first").message


def test_operators_in_another_order_are_sorted(tmp_path: Path) -> None:
    net = quantizer(0, "input", "x")
    straight = net.read(tmp_path)
    net.nodes.reverse()
    model = net.read(tmp_path)
    assert [note.code for note in model.notes] == ["model-not-sorted"]
    assert [operator.name for operator in model.operators] == [operator.name for operator in straight.operators]
    assert {name: value.shape for name, value in model.values.items()} == {
        name: value.shape for name, value in straight.values.items()
    }


@pytest.mark.parametrize("opset", [-(2**63), 1, 6, 99])
def test_the_nearest_definition_counts(opset: int, tmp_path: Path) -> None:
    """LayerNormalization is of opset 17; 99 is newer than any package."""
    net = Net(opset=opset)
    net.output(net.node("LayerNormalization", net.input("x", (1, 8))))
    error = refusal(net, tmp_path)
    assert "has no input 'Scale'" in error.message and ("update it" in error.hint) is (opset == 99)


def test_operators_of_other_domains_and_own_functions_are_not_judged(tmp_path: Path) -> None:
    net = Net(opset=20, own=1)
    net.output(net.node("Relu", net.input("x", (1,)), "x", domain="own"))
    net.functions.append(
        helper.make_function(
            "own",
            "Relu",
            ["a", "b"],
            ["c"],
            [helper.make_node("Add", ["a", "b"], ["c"])],
            [helper.make_opsetid("", 20)],
        )
    )
    assert net.read(tmp_path).operators


def test_a_function_of_the_model_is_no_operator_of_onnx(tmp_path: Path) -> None:
    """Functions that call themselves cannot be inlined."""
    net = Net()
    net.output(net.node("Conv", net.input("x", (1, 8, 4, 4))))
    opsets = [helper.make_opsetid("", 20)]
    for name in ("Conv", "Again"):
        body = [helper.make_node("Again", ["a"], ["b"])]
        net.functions.append(helper.make_function("", name, ["a"], ["b"], body, opsets))
    model = net.read(tmp_path)
    assert [operator.qualified_type for operator in model.operators] == ["model-local::Conv"]
    assert "model-functions-closed" in [note.code for note in model.notes]


def test_optional_ends_stay_optional(tmp_path: Path) -> None:
    net = Net()
    x = net.input("x", (1, 8, 4, 4))
    y = net.node("Resize", x, "", net.constant([1, 1, 2, 2], type=onnx.TensorProto.FLOAT))
    _, indices = net.node("TopK", y, net.constant([1]), outputs=2)
    net.nodes[-1].output[0] = ""
    net.output(indices, type=onnx.TensorProto.INT64)
    assert len(net.read(tmp_path).operators) == 2


@pytest.mark.parametrize("edit", EDITS.names)
def test_weights_of_too_few_dimensions_are_simulated(edit: str, tmp_path: Path) -> None:
    """Found by mutants: shape inference fails, so nothing else refuses them; their channels are unknown."""
    net = Net()
    y = net.node("ConvTranspose", net.input("x", (1, 8, 4, 4)), net.weight(8), name="up")
    net.output(net.node("MaxPool", y, kernel_shape=[2, 2]))
    path = net.save(tmp_path / "net.onnx")
    device = find_device("A100")
    rows = what_if_rows(what_if_results(str(path), Target(device), [device], [None], [EDITS.load(edit)]))
    assert len(rows) == 2 and all(row["compute_ms"] is not None or row["reason"] for row in rows)
