"""Residual adds in floats: fused and by themselves, quantized residuals that are turned back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import t
from tests.rules.cases import analyzed, conv, copy, findings, half, int8, single, unchecked, work
from tests.rules.planting import pair, residual_add
from trex.core.data_type import DataType

NAME = "residual-add-in-float"


def test_a_residual_in_floats_is_named_with_its_savings() -> None:
    engine = analyzed(
        conv("Conv_1", [int8("x")], half("r")),
        conv("Conv_2 + Add_3 + Relu_4", [int8("x"), half("r")], half("s")),
        copy("QuantizeLinear_5", half("s"), int8("q"), "QDQ"),
        conv("Conv_6", [int8("q")], int8("y")),
        ms=[0.3, 0.4, 0.2, 0.1],
    )
    (found,) = findings(NAME, engine)
    assert "Add_3 runs in FP16: its residual input 'r' is not quantized (written by Conv_1)" in found.message
    assert found.layers == (1, 2) and found.tensors == ("r",)
    # reads 4096 + 8192, writes 8192, weights 4096 bytes: of 24576, 4096 + 4096 would be saved
    assert found.savings == pytest.approx({2: 0.2, 1: 0.4 * 8192 / 24576})


def test_a_residual_turned_back_into_floats_names_who_reads_the_sum() -> None:
    engine = analyzed(
        conv("Conv_1", [int8("x")], int8("i")),
        copy("DequantizeLinear_2", int8("i"), single("r"), "QDQ"),
        conv("Conv_3 + Add_4", [int8("x"), single("r")], single("s")),
        work("GlobalAveragePool_5", "Pooling", [single("s")], single("p", (1, 64, 1, 1))),
        ms=[0.1] * 4,
    )
    (found,) = findings(NAME, engine)
    assert "DequantizeLinear_2 converts it back to FP32, because GlobalAveragePool_5 reads the sum" in found.message
    assert found.savings[1] == pytest.approx(0.1)


def test_an_add_by_itself() -> None:
    engine = analyzed(
        conv("Conv_1", [int8("x")], half("a")),
        conv("Conv_2", [int8("x")], half("b")),
        work("Add_3", "ElementWise", [half("a"), half("b")], half("c")),
        copy("QuantizeLinear_4", half("c"), int8("y"), "QDQ"),
    )
    (found,) = findings(NAME, engine)
    assert found.layers == (2, 3) and found.savings == {}


def test_sums_of_a_quantized_product_are_no_residual() -> None:
    """Myelin writes them in floats whatever is quantized: the residual is the other tensor of this shape."""
    engine = analyzed(
        conv("Conv_1", [int8("x")], int8("q")),
        work("DequantizeLinear_2", "kgen", [int8("q")], single("r")),
        work("MatMul_3", "gemm", [int8("q")], single("sums")),
        work("Add_4", "kgen", [single("r"), single("sums")], single("s")),
        ms=[0.1] * 4,
    )
    (found,) = findings(NAME, engine)
    assert found.tensors == ("r",) and "residual input 'r' is not quantized" in found.message
    # r and s have 16384 bytes each, of which three quarters would be saved; the sums stay.
    assert found.savings == pytest.approx({3: 0.1 * 2 * 12288 / (3 * 16384)})


def test_several_adds_in_a_layer() -> None:
    (found,) = findings(NAME, analyzed(conv("Conv_2 + Add_3 + Add_4", [int8("x"), half("r")], half("s"))))
    assert found.message.startswith("Add_3 and Add_4 run in FP16")


def test_no_finding_where_all_is_quantized_or_nothing_is() -> None:
    whole = analyzed(
        conv("Conv_1", [int8("x")], int8("r")),
        conv("Conv_2 + Add_3", [int8("x"), int8("r")], int8("y")),
    )
    floats = analyzed(conv("Conv_1", [half("x")], half("r")), conv("Conv_2 + Add_3", [half("x"), half("r")], half("z")))
    bias = analyzed(conv("Conv_1 + Add_2", [int8("x"), t("bias", (1, 64, 1, 1))], half("a")))
    for engine in (whole, floats, bias):
        assert not findings(NAME, engine)


def test_a_second_input_of_unknown_type_are_unchecked() -> None:
    odd = replace(half("r"), data_type=DataType.UNKNOWN)
    (answer,) = unchecked(NAME, analyzed(conv("Conv_1 + Add_2", [int8("x"), odd], half("a"))))
    assert answer.layers == (0,)


# ---- The defect that tests plant into engines, and its sound twin


PLANTER = pair(residual_add)
