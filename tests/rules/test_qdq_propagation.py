"""Moves of Q/DQ over what commutes with them: by the model, by an exporter's numbers, or not to be told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.rules.inspections import conv, copy, half, inspect, int8, of_engine, single, t, work
from trex.core.data_type import DataType
from trex.core.layer import Layer
from trex.rules.analyzed_engine import Inspected
from trex.rules.qdq_propagation import CANNOT_TELL, IN_PLACE, MOVED, OF_WEIGHTS, Move, Moves
from trex.rules.qdq_report import FUSED, REFORMAT, qdq_report


def pool(name: str, source: object, output: object) -> Layer:
    return work(name, "Pooling", [source], output)  # type: ignore[list-item,arg-type]


def moved(seen: Inspected, operation: str, place: int | None) -> Move:
    return Moves(seen).of(operation, operation.lower().lstrip("/").startswith("q"), place)


def test_a_quantize_before_what_the_numbers_have_before_it() -> None:
    seen = inspect(
        conv("Conv_9 + Relu_10", [half("x")], half("a")),
        copy("QuantizeLinear_15", half("a"), int8("b"), "QDQ"),
        pool("MaxPool_11", int8("b"), int8("c")),
        pool("MaxPool_12", int8("c"), int8("d")),
        conv("Conv_17", [int8("d")], int8("y")),
        ms=[0.5, 0.1, 0.1, 0.1, 0.5],
    )
    found = moved(seen, "QuantizeLinear_15", 1)
    assert (found.place, found.over, found.into) == (MOVED, ("MaxPool_12", "MaxPool_11"), 1)
    assert "by the exporter's numbers QuantizeLinear_15 stood behind MaxPool_12 and MaxPool_11" in found.why
    report = qdq_report(seen)
    (fate,) = report.fates
    assert (fate.fate, fate.became, fate.milliseconds, report.count(MOVED)) == (MOVED, REFORMAT, 0.1, 1)
    assert [(each.layer, each.milliseconds) for each in fate.forces] == [(1, 0.1)]


def test_a_dequantize_behind_what_the_numbers_have_behind_it() -> None:
    seen = inspect(
        conv("Conv_1", [int8("x")], int8("a")),
        work("Transpose_7", "Shuffle", [int8("a")], int8("b")),
        copy("DequantizeLinear_5", int8("b"), half("c"), "QDQ"),
        conv("Conv_9", [half("c")], half("y")),
    )
    assert moved(seen, "DequantizeLinear_5", 2).over == ("Transpose_7",)


def test_in_the_order_of_the_numbers_it_is_in_place() -> None:
    seen = inspect(
        conv("Conv_9", [half("x")], half("a")),
        pool("MaxPool_12", half("a"), half("b")),
        copy("Reformatting CopyNode for Input Tensor 0 to it", half("b"), half("c", format="NCHW")),
        copy("QuantizeLinear_15", half("c", format="NCHW"), int8("d"), "QDQ"),
        conv("Conv_17 + Add_36", [int8("d"), half("e")], half("y")),
        ms=[0.5, 0.1, 0.1, 0.1, 0.1],
    )
    assert moved(seen, "QuantizeLinear_15", 3).place == IN_PLACE
    (fate,) = qdq_report(seen).fates
    assert [(each.layer, each.why) for each in fate.forces] == [
        (3, "it is this reformat itself"),
        (2, "makes what it reads"),
    ]


def test_numbers_that_contradict_the_layers_tell_nothing() -> None:
    for word in ("Conv_9", "GlobalAveragePool_9"):  # neither commutes with quantization
        seen = inspect(
            conv("Conv_1", [half("x")], half("a")),
            copy("QuantizeLinear_15", half("a"), int8("b"), "QDQ"),
            work(word, "Pooling", [int8("b")], int8("c")),
            conv("Conv_17", [int8("c")], int8("y")),
        )
        assert moved(seen, "QuantizeLinear_15", 1).place == CANNOT_TELL
    backwards = inspect(
        conv("Conv_9", [half("x")], half("a")),
        copy("QuantizeLinear_2", half("a"), int8("b"), "QDQ"),
        conv("Conv_1", [int8("b")], int8("y")),
    )
    assert "do not tell the order" in moved(backwards, "QuantizeLinear_2", 1).why


def test_names_without_numbers_tell_nothing() -> None:
    seen = inspect(
        conv("/conv1/Conv", [half("x")], half("a")),
        copy("/pool/QuantizeLinear", half("a"), int8("b"), "QDQ"),
        pool("/pool/MaxPool", int8("b"), int8("y")),
    )
    assert moved(seen, "/pool/QuantizeLinear", 1).place == CANNOT_TELL
    (note,) = [each for each in qdq_report(seen).notes if each.startswith("cannot tell")]
    assert "1 Q/DQ moved" in note and "--onnx" in note


def test_of_weights() -> None:
    seen = inspect(conv("conv1.weight + QuantizeLinear_7 + Conv_9", [int8("x")], int8("y")))
    assert moved(seen, "QuantizeLinear_7", 0).place == OF_WEIGHTS


@pytest.mark.parametrize("name", ["qat", "qat-residual", "qat-residual-qgap"])
def test_the_real_engines_have_theirs_in_place(shared_engines: Path, name: str) -> None:
    report = qdq_report(of_engine(shared_engines / f"trt8.4-resnet18-a100-{name}"))
    assert {each.move.place for each in report.fates} == {IN_PLACE, OF_WEIGHTS}


def with_model(folder: Path, layers: list[Layer], *, is_quantized_before: bool = False) -> Inspected:
    """An engine with this model: Conv, MaxPool, Reshape (of no layer), Q, DQ, MaxPool, Conv."""
    pytest.importorskip("onnx")
    from onnx import TensorProto

    from tests.onnx_models import Net
    from trex.perf.performance import Performance

    net = Net()
    scale, zero = net.constant([0.5], (), TensorProto.FLOAT), net.constant([0], (), TensorProto.INT8)
    x = net.node("Conv", net.input("x", (1, 64, 8, 8)), net.weight(64, 64, 1, 1), name="C1")
    if is_quantized_before:
        x = net.node("QuantizeLinear", x, scale, zero, name="Q0")
        x = net.node("DequantizeLinear", x, scale, zero, name="DQ0")
    x = net.node("MaxPool", x, name="M1", kernel_shape=[1, 1])
    x = net.node("Reshape", x, net.constant([1, 64, 8, 8]), name="R1")
    x = net.node("QuantizeLinear", x, scale, zero, name="Q1")
    x = net.node("DequantizeLinear", x, scale, zero, name="DQ1")
    x = net.node("MaxPool", x, name="M2", kernel_shape=[1, 1])
    w = net.node("QuantizeLinear", net.weight(64, 64, 1, 1), scale, zero, name="QW")
    w = net.node("DequantizeLinear", w, scale, zero, name="DQW")
    net.output(net.node("Conv", x, w, name="C2"))
    plan = inspect(*layers, ms=[0.1] * len(layers)).plan
    return Inspected(Performance(plan.with_model(net.save(folder / "net.onnx"))))


def told(seen: Inspected) -> dict[str, tuple[str, int | None]]:
    return {each.operation: (each.fate, each.layer) for each in qdq_report(seen).fates}


def test_the_model_tells_what_moved_though_no_layer_names_it(tmp_path: Path) -> None:
    seen = with_model(
        tmp_path,
        [
            conv("C1", [half("x")], int8("a")),
            pool("M1", int8("a"), int8("b")),
            pool("M2", int8("b"), int8("c")),
            conv("C2", [int8("c")], half("y")),
        ],
    )
    found = told(seen)
    assert found["Q1"] == (MOVED, 0) and found["DQ1"] == (MOVED, 3)
    assert moved(seen, "Q1", None).over == ("M1",) and moved(seen, "DQ1", None).over == ("M2",)
    assert "C1 writes INT8 NC/32HW32" in moved(seen, "Q1", None).why
    assert moved(seen, "QW", None).place == OF_WEIGHTS and moved(seen, "DQW", None).place == OF_WEIGHTS


def test_the_model_tells_what_stands_where_it_was(tmp_path: Path) -> None:
    seen = with_model(
        tmp_path,
        [
            conv("C1", [half("x")], half("a")),
            pool("M1", half("a"), half("b")),
            copy("Reformatting CopyNode for Input Tensor 0 to M2", half("b"), int8("c")),
            pool("M2", int8("c"), half("d")),
            conv("C2", [half("d")], half("y")),
        ],
    )
    assert told(seen)["Q1"] == (REFORMAT, 2) and told(seen)["DQ1"] == (FUSED, 3)


def test_a_pooling_between_q_and_dq_of_its_own_moves_nothing(tmp_path: Path) -> None:
    layers = [
        conv("C1", [half("x")], int8("a")),
        pool("M1", int8("a"), int8("b")),
        pool("M2", int8("b"), int8("c")),
        conv("C2", [int8("c")], half("y")),
    ]
    seen = with_model(tmp_path, layers, is_quantized_before=True)
    assert moved(seen, "DQ0", None).place == IN_PLACE and moved(seen, "Q1", None).place == IN_PLACE
    assert told(seen)["Q0"] == (FUSED, 0)


def test_unknown_types_cannot_tell(tmp_path: Path) -> None:
    blind = replace(t("b"), data_type=DataType.UNKNOWN)
    layers = [conv("C1", [half("x")], single("a")), pool("M1", blind, blind), conv("C2", [blind], half("y"))]
    assert moved(with_model(tmp_path, layers), "Q1", None).place == CANNOT_TELL
