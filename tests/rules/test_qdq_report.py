"""What became of Q/DQ, how much runs quantized, and which adds do."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest

from tests.rules.cases import analyzed, conv, copy, half, int8, named, of_engine, single, work
from trex.rules.qdq_report import FUSED, KERNEL, REFORMAT, qdq_report
from trex.views.qdq import qdq_tables


def test_every_status() -> None:
    engine = analyzed(
        copy("QuantizeLinear_1", single("x"), int8("a"), "QDQ"),
        conv("w + QuantizeLinear_2 + Conv_3", [int8("a")], half("b")),
        work("DequantizeLinear_4", "kgen", [half("b")], half("c"), origins=("DequantizeLinear_4",)),
        conv("Conv_5 + Add_6", [int8("a"), half("c")], half("y")),
        ms=[0.1, 0.5, 0.2, 0.2],
    )
    report = qdq_report(engine)
    operations = [(each.name, each.quantizes, each.status, each.layer) for each in report.operations]
    assert operations == [
        ("QuantizeLinear_1", True, REFORMAT, 0),
        ("QuantizeLinear_2", True, FUSED, 1),
        ("DequantizeLinear_4", False, KERNEL, 2),
    ]
    assert report.operations[0].conversion == "FP32 NCHW → INT8 NC/32HW32" and report.operations[0].time_ms == 0.1
    (add,) = report.junctions
    assert (add.operation, add.reads, add.writes, add.is_quantized) == ("Add_6", ("INT8", "FP16"), ("FP16",), False)


def test_many_of_one_layer_contain_little_of_its_long_name() -> None:
    names = [f"QuantizeLinear_{number}" for number in range(200)]
    engine = analyzed(
        named(copy(" + ".join(names), single("x"), int8("a"), "QDQ"), *names), conv("Conv_3", [int8("a")], half("b"))
    )
    operations = qdq_report(engine).operations
    assert len(operations) == 200
    assert all(len(each.layer_name) == len(each.reformats[0].layer_name) == 1000 for each in operations)


def test_coverage_by_time_and_by_work() -> None:
    engine = analyzed(
        conv("Conv_1", [int8("x")], half("a")),
        conv("Conv_2", [half("a")], half("b")),
        copy("R", half("b"), half("y", format="NHWC8")),
        ms=[0.3, 0.6, 0.1],
    )
    first, second, third = qdq_report(engine).coverage
    assert (first.label, first.layers, first.macs) == ("INT8", 1, 64 * 64 * 64)
    assert first.time_share == pytest.approx(0.3) and first.macs_share == pytest.approx(0.5)
    assert (second.label, second.time_share) == ("FP16", pytest.approx(0.6))
    assert (third.label, third.macs) == ("copies", 0.0)


def test_concatenations_and_engines_without_q() -> None:
    engine = analyzed(named(work("Concat_1", "Concat", [int8("x"), int8("z")], int8("y")), "Concat_1"))
    report = qdq_report(engine)
    (junction,) = report.junctions
    assert junction.kind == "concatenation" and junction.is_quantized
    assert report.operations == () and "no layer names" in report.notes[0]
    assert qdq_report(analyzed()).coverage == ()


def test_an_add_of_sums_that_are_quantized_at_once_stays_quantized() -> None:
    engine = analyzed(
        work("Conv_1", "correlation", [int8("x")], single("c")),
        work("MulAdd_2 + Add_2", "kgen", [int8("x"), single("c")], int8("y")),
    )
    (add,) = qdq_report(engine).junctions
    assert (add.operation, add.reads, add.is_quantized) == ("Add_2", ("INT8", "FP32"), True)


def test_without_times_shares_are_unknown() -> None:
    (row,) = qdq_report(analyzed(conv("Conv_1", [int8("x")], int8("y")))).coverage
    assert row.time_share != row.time_share and row.macs_share == 1.0


def test_what_no_layer_of_a_type_has_is_unknown_not_zero() -> None:
    names_only = conv("Conv_3", [int8("b")], half("y"))
    engine = analyzed(
        conv("Conv_1", [half("x")], half("a")),
        conv("Conv_2", [half("a")], half("b")),
        replace(names_only, outputs=(replace(names_only.outputs[0], shape=None),)),
        ms=[0.3, None, None],
    )
    quantized, floats = qdq_report(engine).coverage
    assert (floats.label, floats.layers, floats.timed, floats.sum_ms, floats.time_share) == ("FP16", 2, 1, 0.3, 1.0)
    assert (quantized.label, quantized.timed, floats.macs_share) == ("INT8", 0, 1.0)
    assert all(map(isnan, (quantized.sum_ms, quantized.time_share, quantized.macs, quantized.macs_share)))
    (table,) = (table for table in qdq_tables(engine, qdq_report(engine)) if table.title.startswith("Coverage"))
    assert [row[2] for row in table.rows] == [0, 1]


def test_the_published_story(shared_engines: Path) -> None:
    before, after = (
        qdq_report(of_engine(shared_engines / f"trt8.4-resnet18-a100-{name}")) for name in ("qat", "qat-residual-qgap")
    )
    assert (before.count(REFORMAT), after.count(REFORMAT)) == (10, 1)
    assert [each.is_quantized for each in before.junctions] == [False] * 8
    assert [each.is_quantized for each in after.junctions] == [True] * 8
    assert before.coverage[0].label == "INT8" and before.coverage[0].macs_share == pytest.approx(1.0)


def test_with_the_model_all_of_them_are_counted(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    from tests.onnx_models import resnet18
    from tests.synthetic.engines import synthetic_engine
    from trex.perf.performance import Performance
    from trex.rules.analyzed_engine import AnalyzedEngine
    from trex.rules.qdq_report import NOT_NAMED

    file = tmp_path / "model.onnx"
    resnet18(32, is_quantized=True).save(file)
    plan = synthetic_engine("resnet18-int8")
    report = qdq_report(AnalyzedEngine(Performance(plan.with_model(file))))
    alone = qdq_report(AnalyzedEngine(Performance(plan)))
    # Quantizers that read the same value are one kernel: three of the model's share theirs with another.
    assert report.count(REFORMAT) == alone.count(REFORMAT) + 3
    assert {each.layer for each in report.operations if each.status == REFORMAT} == {
        each.layer for each in alone.operations if each.status == REFORMAT
    }
    by_types = {each.name for each in report.operations} - {each.name for each in alone.operations}
    assert len(by_types) > 30 and report.count(FUSED) > alone.count(FUSED)
    untold = [each for each in report.operations if each.status == NOT_NAMED]
    assert all(each.propagation.status == "of weights" for each in untold), "what types around it tell is told"
    assert not any(note.startswith("cannot tell") for note in report.notes)
