"""FP8 that brings nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import t
from tests.perf.round_device import round_device
from tests.rules.cases import analyzed, conv, copy, findings, half, int8, unchecked, work
from tests.rules.planting import Parts, half_like, pair
from trex.core.tensor import Tensor
from trex.perf.performance import Performance
from trex.rules.analyzed_engine import AnalyzedEngine

NAME = "fp8-without-gain"


def fp8(name: str):
    return t(name, (1, 64, 8, 8), "FP8")


def test_gemms_dequantized_before() -> None:
    engine = analyzed(
        copy("DequantizeLinear_1", fp8("x"), half("a"), "QDQ"),
        work("MatMul_2", "gemm", [half("a")], half("y")),
        ms=[0.1, 0.4],
    )
    (found,) = findings(NAME, engine)
    assert "1 GEMM of FP8 data runs in floats" in found.message and "MatMul_2" in found.message
    assert found.savings == pytest.approx({0: 0.1, 1: 0.2})


def test_kernels_in_half_precision_by_their_name() -> None:
    name = "sm89_xmma_gemm_f16f16_f16f16_f16_tn_n_tilesize128x128x32_stage4_warpsize2x2x1_tensor16x8x16"
    engine = analyzed(work("MatMul_1", "gemm", [fp8("x")], half("y"), tactic=name), ms=[0.4])
    (found,) = findings(NAME, engine)
    assert "half precision (kernel's name)" in found.message and found.savings == {0: pytest.approx(0.2)}


def test_convolutions_on_ada_and_on_an_unknown_gpu() -> None:
    engine = analyzed(conv("Conv_1", [fp8("x")], half("y")), ms=[0.4])
    (answer,) = unchecked(NAME, engine)
    assert "no file names the GPU" in answer.reason
    ada = AnalyzedEngine(Performance(engine.plan, replace(round_device(), compute_capability=(8, 9))))
    (found,) = findings(NAME, ada)
    assert "on Ada" in found.message and found.savings == {}
    hopper = AnalyzedEngine(Performance(engine.plan, replace(round_device(), compute_capability=(9, 0))))
    assert not findings(NAME, hopper)


def test_fp8_gemms_that_gain_and_engines_without() -> None:
    assert not findings(NAME, analyzed(work("MatMul_1", "gemm", [fp8("x")], half("y"))))
    assert not findings(NAME, analyzed(conv("Conv_1", [int8("x")], int8("y"))))


# ---- The defect that tests plant into engines, and its sound twin


def planted_fp8(x: Tensor, bad: bool) -> Parts:
    eight = t("f901", x.shape, "FP8")
    parts = [(copy("QuantizeLinear_901", x, eight, "QDQ"), 0.02)]
    read = eight
    if bad:
        read = half_like(x, "g902")
        parts.append((copy("DequantizeLinear_902", eight, read, "QDQ"), 0.02))
    return [*parts, (work("MatMul_903", "gemm", [read], t("m903", x.shape)), 0.1)]


PLANTER = pair(planted_fp8)
