"""Quantization as a kernel of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.inspections import conv, copy, findings, half, inspect, int8, unanswered, work
from trex.core.layer import NameParts
from trex.rules.finding import Severity

NAME = "standalone-quantization"


def kernel(*origins: str, tokens: tuple[str, ...] = ("Quan",)):
    made = work("__myl_Quan_myl0_1", "kgen", [half("a")], int8("b"), origins=origins)
    return replace(made, name_parts=NameParts((), tokens=tokens))


def test_a_generated_kernel_that_only_quantizes() -> None:
    seen = inspect(
        work("Sigmoid_1", "PointWise", [half("x")], half("a")),
        kernel("/q/QuantizeLinear", "/q/Cast"),
        conv("Conv_2", [int8("b")], int8("y")),
        ms=[0.2, 0.3, 0.5],
    )
    (found,) = findings(NAME, seen)
    assert "/q/QuantizeLinear is a kernel of its own between Sigmoid_1 and Conv_2: 0.3 ms (30.0 %" in found.message
    assert found.at_stake == {1: pytest.approx(0.3)} and found.layers == (1,)


def test_types_tokens_inputs_and_stored_data() -> None:
    by_type = inspect(work("DequantizeLinear_1", "Dequantize", [int8("x")], half("y")))
    (found,) = findings(NAME, by_type)
    assert found.severity is Severity.NOTE and found.at_stake == {}
    (found,) = findings(NAME, inspect(kernel()))
    assert "fold it into the constant" in found.advice[0]


def test_what_computes_more_or_is_a_copy_is_no_finding() -> None:
    fused = inspect(kernel("/q/QuantizeLinear", "/act/Mul"), kernel("/act/Mul"))
    mixed = inspect(kernel(tokens=("Mul", "Quan")), copy("QuantizeLinear_1", half("x"), int8("y"), "QDQ"))
    assert not findings(NAME, fused) and not findings(NAME, mixed)


def test_kernels_that_tell_nothing() -> None:
    (answer,) = unanswered(NAME, inspect(kernel(tokens=()), conv("Conv_1", [int8("b")], int8("y"))))
    assert answer.layers == (0,)
    assert not unanswered(NAME, inspect(work("k", "kgen", [half("x")], half("y"))))
