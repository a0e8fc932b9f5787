"""Stored weights of layers without weights in their records, by the constants of the ONNX model."""

from __future__ import annotations

from pathlib import Path

import pytest

from trex.core.data_type import DataType
from trex.perf.work.from_model import model_weights_bytes
from trex.perf.work.operators import operator_count

pytest.importorskip("onnx")

from onnx import TensorProto

from tests.onnx_models import Net


def stored_bytes(net: Net, folder: Path, data_type: DataType = DataType.FP16) -> int | None:
    model = net.read(folder)
    counted = {operator.index: operator_count(operator, model) for operator in model.operators}
    return model_weights_bytes(model.operators, counted, model, data_type)


def product(weights: str, net: Net) -> Net:
    net.output(net.node("MatMul", net.input("x", (3, 8)), weights))
    return net


def test_floats_take_the_type_of_the_layer(tmp_path: Path) -> None:
    net = Net()
    assert stored_bytes(product(net.weight(8, 5), net), tmp_path) == 2 * 40


def test_floats_of_a_layer_of_unknown_type_are_unknown(tmp_path: Path) -> None:
    net = Net()
    assert stored_bytes(product(net.weight(8, 5), net), tmp_path, DataType.UNKNOWN) is None


def test_what_constants_alone_determine_was_used_up_at_the_build(tmp_path: Path) -> None:
    """5 × 8 weights, transposed at the build: the product reads 8 × 5, and nothing reads the others."""
    net = Net()
    assert stored_bytes(product(net.node("Transpose", net.weight(5, 8)), net), tmp_path) == 2 * 40


def test_a_constant_of_two_readers_counts_once(tmp_path: Path) -> None:
    net = Net()
    weights = net.weight(8, 8)
    first = net.node("MatMul", net.input("x", (3, 8)), weights)
    net.output(net.node("MatMul", first, weights))
    assert stored_bytes(net, tmp_path) == 2 * 64


def test_bytes_stay_bytes_and_shapes_are_not_read(tmp_path: Path) -> None:
    net = Net()
    x = net.node("Reshape", net.input("x", (24,)), net.constant([3, 8]))
    y = net.node("MatMulInteger", net.node("Cast", x, to=TensorProto.INT8), net.weight(8, 5, type=TensorProto.INT8))
    net.output(y, type=TensorProto.INT32)
    assert stored_bytes(net, tmp_path) == 40


def test_rows_of_a_table_are_not_the_table(tmp_path: Path) -> None:
    net = Net()
    net.output(net.node("Gather", net.weight(1000, 8), net.input("i", (2,), TensorProto.INT64)))
    assert stored_bytes(net, tmp_path) is None
