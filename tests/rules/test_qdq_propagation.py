"""Propagation of Q/DQ over operators that commute with them: by the model, or unknown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.factories import t
from tests.rules.cases import analyzed, conv, copy, half, int8, of_engine, single, work
from trex.core.data_type import DataType
from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.qdq_propagation import IN_PLACE, MOVED, OF_WEIGHTS, UNKNOWN, Propagation, PropagationFinder
from trex.rules.qdq_report import FUSED, REFORMAT, qdq_report


def pool(name: str, source: Tensor, output: Tensor) -> Layer:
    return work(name, "Pooling", [source], output)


def moved(engine: AnalyzedEngine, operation: str, position: int | None) -> Propagation:
    return PropagationFinder(engine).of(operation, operation.lower().lstrip("/").startswith("q"), position)


def test_without_the_model_a_move_is_unknown() -> None:
    engine = analyzed(
        conv("/conv1/Conv", [half("x")], half("a")),
        copy("/pool/QuantizeLinear", half("a"), int8("b"), "QDQ"),
        pool("/pool/MaxPool", int8("b"), int8("y")),
    )
    assert moved(engine, "/pool/QuantizeLinear", 1).status == UNKNOWN
    (note,) = [each for each in qdq_report(engine).notes if each.startswith("can't check")]
    assert "1 Q/DQ moved" in note and "--onnx" in note


def test_of_weights() -> None:
    engine = analyzed(conv("conv1.weight + QuantizeLinear_7 + Conv_9", [int8("x")], int8("y")))
    assert moved(engine, "QuantizeLinear_7", 0).status == OF_WEIGHTS


@pytest.mark.parametrize("name", ["qat", "qat-residual", "qat-residual-qgap"])
def test_the_real_engines_name_those_of_weights(shared_engines: Path, name: str) -> None:
    report = qdq_report(of_engine(shared_engines / f"trt8.4-resnet18-a100-{name}"))
    statuses = [each.propagation.status for each in report.operations]
    assert statuses.count(OF_WEIGHTS) == 21 and set(statuses) == {OF_WEIGHTS, UNKNOWN}


def with_model(folder: Path, layers: list[Layer], *, is_quantized_before: bool = False) -> AnalyzedEngine:
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
    plan = analyzed(*layers, ms=[0.1] * len(layers)).plan
    return AnalyzedEngine(Performance(plan.with_model(net.save(folder / "net.onnx"))))


def statuses(engine: AnalyzedEngine) -> dict[str, tuple[str, int | None]]:
    return {each.name: (each.status, each.layer) for each in qdq_report(engine).operations}


def test_the_model_shows_what_moved_though_no_layer_names_it(tmp_path: Path) -> None:
    engine = with_model(
        tmp_path,
        [
            conv("C1", [half("x")], int8("a")),
            pool("M1", int8("a"), int8("b")),
            pool("M2", int8("b"), int8("c")),
            conv("C2", [int8("c")], half("y")),
        ],
    )
    found = statuses(engine)
    assert found["Q1"] == (MOVED, 0) and found["DQ1"] == (MOVED, 3)
    assert moved(engine, "Q1", None).over == ("M1",) and moved(engine, "DQ1", None).over == ("M2",)
    assert "C1 writes INT8 NC/32HW32" in moved(engine, "Q1", None).why
    assert moved(engine, "QW", None).status == OF_WEIGHTS and moved(engine, "DQW", None).status == OF_WEIGHTS


def test_the_model_shows_what_is_in_place(tmp_path: Path) -> None:
    engine = with_model(
        tmp_path,
        [
            conv("C1", [half("x")], half("a")),
            pool("M1", half("a"), half("b")),
            copy("Reformatting CopyNode for Input Tensor 0 to M2", half("b"), int8("c")),
            pool("M2", int8("c"), half("d")),
            conv("C2", [half("d")], half("y")),
        ],
    )
    assert statuses(engine)["Q1"] == (REFORMAT, 2) and statuses(engine)["DQ1"] == (FUSED, 3)


def test_a_pooling_between_q_and_dq_of_its_own_moves_nothing(tmp_path: Path) -> None:
    layers = [
        conv("C1", [half("x")], int8("a")),
        pool("M1", int8("a"), int8("b")),
        pool("M2", int8("b"), int8("c")),
        conv("C2", [int8("c")], half("y")),
    ]
    engine = with_model(tmp_path, layers, is_quantized_before=True)
    assert moved(engine, "DQ0", None).status == IN_PLACE and moved(engine, "Q1", None).status == IN_PLACE
    assert statuses(engine)["Q0"] == (FUSED, 0)


def test_unknown_types_show_nothing(tmp_path: Path) -> None:
    blind = replace(t("b"), data_type=DataType.UNKNOWN)
    layers = [conv("C1", [half("x")], single("a")), pool("M1", blind, blind), conv("C2", [blind], half("y"))]
    assert moved(with_model(tmp_path, layers), "Q1", None).status == UNKNOWN
