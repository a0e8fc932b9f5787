"""FP8 that brings nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.perf.round_device import round_device
from tests.rules.inspections import conv, copy, findings, half, inspect, int8, t, unanswered, work
from trex.perf.performance import Performance
from trex.rules.analyzed_engine import Inspected

NAME = "fp8-without-gain"


def fp8(name: str):
    return t(name, (1, 64, 8, 8), "FP8")


def test_products_dequantized_before() -> None:
    seen = inspect(
        copy("DequantizeLinear_1", fp8("x"), half("a"), "QDQ"),
        work("MatMul_2", "gemm", [half("a")], half("y")),
        ms=[0.1, 0.4],
    )
    (found,) = findings(NAME, seen)
    assert "1 product of FP8 data run in floats" in found.message and "MatMul_2" in found.message
    assert found.at_stake == pytest.approx({0: 0.1, 1: 0.2})


def test_kernels_in_half_precision_by_their_name() -> None:
    name = "sm89_xmma_gemm_f16f16_f16f16_f16_tn_n_tilesize128x128x32_stage4_warpsize2x2x1_tensor16x8x16"
    seen = inspect(work("MatMul_1", "gemm", [fp8("x")], half("y"), tactic=name), ms=[0.4])
    (found,) = findings(NAME, seen)
    assert "half precision by their kernel's name" in found.message and found.at_stake == {0: pytest.approx(0.2)}


def test_convolutions_on_ada_and_on_an_unknown_gpu() -> None:
    seen = inspect(conv("Conv_1", [fp8("x")], half("y")), ms=[0.4])
    (answer,) = unanswered(NAME, seen)
    assert "which the files do not name" in answer.reason
    ada = Inspected(Performance(seen.plan, replace(round_device(), compute_capability=(8, 9))))
    (found,) = findings(NAME, ada)
    assert "on Ada" in found.message and found.at_stake == {}
    hopper = Inspected(Performance(seen.plan, replace(round_device(), compute_capability=(9, 0))))
    assert not findings(NAME, hopper)


def test_fp8_products_that_gain_and_engines_without() -> None:
    assert not findings(NAME, inspect(work("MatMul_1", "gemm", [fp8("x")], half("y"))))
    assert not findings(NAME, inspect(conv("Conv_1", [int8("x")], int8("y"))))
