"""Quantized convolutions that write floats: what blocks them, and what that costs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.cases import analyzed, conv, copy, findings, half, int8, single, unchecked, work
from tests.rules.planting import pair, residual_add

NAME = "quantized-layer-writes-float"


def residual_block(*, quantized: bool) -> list:
    residual = int8("r") if quantized else half("r")
    out = int8("s") if quantized else half("s")
    layers = [
        copy("QuantizeLinear_1", half("x"), int8("q"), "QDQ"),
        conv("Conv_2", [int8("q")], residual),
        conv("Conv_3 + Add_4 + Relu_5", [int8("q"), residual], out),
    ]
    if not quantized:
        layers.append(copy("QuantizeLinear_6", half("s"), int8("t"), "QDQ"))
    return [*layers, conv("Conv_7", [int8("s" if quantized else "t")], int8("y"))]


def test_residual_adds_are_named() -> None:
    engine = analyzed(*residual_block(quantized=False), ms=[0.1, 0.4, 0.5, 0.2, 0.3])
    (found,) = findings(NAME, engine)
    assert "2 quantized layers write FP16 because of a residual add: Add_4" in found.message
    assert found.layers == (1, 2)
    # 64 channels of 8×8: 4096 bytes INT8, 8192 FP16; weights 64·64 = 4096 bytes.
    # Conv_2 moves 4096 + 8192 + 4096, of which 4096 would be saved; Conv_3 reads 8192 more.
    assert found.savings == pytest.approx({3: 0.2, 1: 0.4 * 4096 / 16384, 2: 0.5 * 4096 / 24576})


def test_a_product_of_myelin_that_adds_the_sums_of_another() -> None:
    """The sums are its residual; the quantized input is not."""
    engine = analyzed(
        conv("Conv_1", [int8("x")], single("a"), type="correlation"),
        work("__myl_MulRounCast_1", "kgen", [single("a")], int8("b")),
        conv("Conv_2", [int8("b"), single("a")], single("c"), type="correlation"),
        work("__myl_MulRounCast_3", "kgen", [single("c")], int8("d")),
        conv("Conv_4", [int8("d"), single("c")], single("y"), type="correlation"),
        ms=[0.4, 0.1, 0.4, 0.1, 0.4],
    )
    (found,) = findings(NAME, engine)
    assert "because of residual adds: the second input of Conv_2 and the second input of Conv_4" in found.message


def test_quantized_residuals_are_no_finding() -> None:
    assert not findings(NAME, analyzed(*residual_block(quantized=True)))


def test_without_times_the_finding_stands_and_nothing_is_saved() -> None:
    (found,) = findings(NAME, analyzed(*residual_block(quantized=False)))
    assert found.savings == {}


def test_poolings_outputs_and_other_operators_are_distinguished() -> None:
    engine = analyzed(
        conv("Conv_1", [int8("x")], half("a")),
        work("MaxPool_2", "Pooling", [half("a")], half("b")),
        conv("Conv_3", [int8("x")], half("c")),
        work("Softmax_4", "SoftMax", [half("c")], half("d")),
        conv("Conv_5", [int8("x")], half("e")),
        copy("QuantizeLinear_6", half("e"), int8("f"), "QDQ"),
        conv("Conv_7", [int8("f")], single("y")),
        ms=[1.0] * 7,
    )
    pooling, operator, separate = findings(NAME, engine)
    assert "MaxPool_2" in pooling.message and "ConvActPool" in pooling.fix[0]
    assert "Softmax_4" in operator.message
    assert "QuantizeLinear_6" in separate.message


def test_floats_as_an_output_of_the_engine_are_expected() -> None:
    assert not findings(NAME, analyzed(conv("Conv_1", [int8("x")], single("y"))))


def test_gemms_that_write_floats_for_floats_are_no_finding() -> None:
    engine = analyzed(
        work("MatMul_1", "gemm", [int8("x")], half("a")), work("Exp_2", "PointWise", [half("a")], half("y"))
    )
    assert not findings(NAME, engine)


def test_outputs_of_unknown_type_are_unchecked() -> None:
    from dataclasses import replace

    from trex.core.data_type import DataType

    odd = replace(half("y"), data_type=DataType.UNKNOWN)
    (answer,) = unchecked(NAME, analyzed(conv("Conv_1", [int8("x")], odd)))
    assert answer.layers == (0,)


def with_epilogues(*, reads_sum: bool) -> list:
    """INT8 convolutions of Myelin, whose float sums generated kernels rescale and quantize; a residual add."""
    first = [int8("q1"), single("s1")] if reads_sum else [int8("q1")]
    return [
        work("Conv_1", "correlation", [int8("x")], single("c1")),
        replace(work("MulReluRoun_2", "kgen", [single("c1")], int8("q1")), outputs=tuple(first)),
        work("Conv_3", "correlation", [int8("q1")], single("c3")),
        work("MulAdd_4 + Add_4", "kgen", [single("c3"), first[-1]], int8("y")),
    ]


def test_sums_that_a_generated_kernel_quantizes_are_no_finding() -> None:
    assert not findings(NAME, analyzed(*with_epilogues(reads_sum=False)))


def test_a_generated_kernel_that_writes_floats_as_well_is_one() -> None:
    (found,) = findings(NAME, analyzed(*with_epilogues(reads_sum=True)))
    assert found.message == "1 quantized layer writes FP32 because of a residual add: Add_4"
    assert found.layers == (1, 3) and found.main_layers == (1,) and found.tensors == ("s1",)


def test_the_float_copy_and_what_reads_it_are_saved() -> None:
    ms = [1.0, 1.0, 1.0, 1.0]
    (found,) = findings(NAME, analyzed(*with_epilogues(reads_sum=True), ms=ms))
    # 4096 values. Written: 16384 of 16384 + 4096 + 16384 bytes. Read as 8 bits: 12288 of 2 · 16384 + 4096 bytes.
    assert found.savings == pytest.approx({1: 16384 / 36864, 3: 12288 / 36864})


# ---- The defect that tests plant into engines, and its sound twin


PLANTER = pair(residual_add)
