"""Quantization as a kernel of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.cases import analyzed, conv, copy, findings, half, int8, unchecked, work
from tests.rules.planting import Parts, int8_like, like, pair
from trex.core.data_type import DataType
from trex.core.layer import NameParts
from trex.core.tensor import Tensor
from trex.rules.finding import Severity

NAME = "standalone-quantization"


def kernel(*origins: str, tokens: tuple[str, ...] = ("Quan",)):
    made = work("__myl_Quan_myl0_1", "kgen", [half("a")], int8("b"), origins=origins)
    return replace(made, name_parts=NameParts((), tokens=tokens))


def test_a_generated_kernel_that_only_quantizes() -> None:
    engine = analyzed(
        work("Sigmoid_1", "PointWise", [half("x")], half("a")),
        kernel("/q/QuantizeLinear", "/q/Cast"),
        conv("Conv_2", [int8("b")], int8("y")),
        ms=[0.2, 0.3, 0.5],
    )
    (found,) = findings(NAME, engine)
    assert "/q/QuantizeLinear is a kernel of its own between Sigmoid_1 and Conv_2: 0.3 ms (30.0 %" in found.message
    assert found.savings == {1: pytest.approx(0.3)} and found.layers == (1,)


def test_types_tokens_inputs_and_stored_data() -> None:
    by_type = analyzed(work("DequantizeLinear_1", "Dequantize", [int8("x")], half("y")))
    (found,) = findings(NAME, by_type)
    assert found.severity is Severity.NOTE and found.savings == {}
    (found,) = findings(NAME, analyzed(kernel()))
    assert "fold it into the constant" in found.fix[0]


def test_what_computes_more_or_is_a_copy_is_no_finding() -> None:
    fused = analyzed(kernel("/q/QuantizeLinear", "/act/Mul"), kernel("/act/Mul"))
    mixed = analyzed(kernel(tokens=("Mul", "Quan")), copy("QuantizeLinear_1", half("x"), int8("y"), "QDQ"))
    assert not findings(NAME, fused) and not findings(NAME, mixed)


def test_kernels_without_information() -> None:
    (answer,) = unchecked(NAME, analyzed(kernel(tokens=()), conv("Conv_1", [int8("b")], int8("y"))))
    assert answer.layers == (0,)
    assert not unchecked(NAME, analyzed(work("k", "kgen", [half("x")], half("y"))))


def test_a_scale_that_quantizes() -> None:
    engine = analyzed(
        work("QuantLinearNode__9", "Scale", [half("x")], int8("a")),
        conv("Conv_1", [int8("a")], int8("y")),
        ms=[0.2, 0.3],
    )
    (found,) = findings(NAME, engine)
    assert (
        "QuantLinearNode__9 is a kernel of its own between an input of the engine and Conv_1: 0.2 ms" in found.message
    )
    assert found.savings == {0: pytest.approx(0.2)}


def test_a_scale_named_after_q_that_keeps_its_type() -> None:
    (found,) = findings(NAME, analyzed(work("QuantizeLinear_1", "Scale", [half("x")], half("y"))))
    assert found.savings == {}


def test_scales_of_floats_are_no_finding() -> None:
    assert not findings(NAME, analyzed(work("Mul_1 + Add_2", "Scale", [half("x")], half("y"))))


def test_scales_of_unknown_types() -> None:
    odd = replace(half("x"), data_type=DataType.UNKNOWN)
    (answer,) = unchecked(NAME, analyzed(work("s", "Scale", [odd], replace(odd, name="y"))))
    assert answer.layers == (0,)


# ---- The defect that tests plant into engines, and its sound twin


def standalone(x: Tensor, bad: bool) -> Parts:
    origins = ("/q901/QuantizeLinear",) if bad else ("/q901/QuantizeLinear", "/act901/Mul")
    made = work("__myl_Quan_myl9_1", "kgen", [x], int8_like(x, "q901"), origins=origins)
    kernel = replace(made, name_parts=NameParts((), tokens=("Quan",) if bad else ("Mul", "Quan")))
    return [(kernel, 0.05), (conv("Conv_902", [int8_like(x, "q901")], like(x, "e902")), 0.05)]


PLANTER = pair(standalone)
