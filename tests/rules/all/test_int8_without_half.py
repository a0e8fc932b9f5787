"""INT8 engines whose other layers may only be FP32."""

from __future__ import annotations

import pytest

from tests.raw_records import layer, tensor
from tests.rules.making import answers, finding, plan_of, untold

RULE = "int8_without_half"
INT8 = "Thirty-two wide channel vectorized row major Int8 format"
FP32, FP16 = "Row major linear FP32", "Row major linear FP16 format"
TIMES = {"conv": 0.5, "softmax": 0.3, "copy": 0.2}


def engine(precision: str, wide: str = FP32, times=None):
    records = [
        layer("conv", "CaskConvolution", [tensor("x", written=INT8)], [tensor("t", written=INT8)]),
        layer("copy", "Reformat", [tensor("t", written=INT8)], [tensor("u", written=wide)]),
        layer("softmax", "SoftMax", [tensor("u", written=wide)], [tensor("y", written=wide)]),
    ]
    records[0] |= {"ParameterType": "Convolution", "Weights": {"Type": "Int8", "Count": 576}}
    return plan_of(records, times, build={"Precision": precision} if precision else {})


def test_fp32_layers_of_a_build_without_fp16_are_priced_at_half():
    found = finding(RULE, engine("FP32+INT8", times=TIMES))
    assert found.at_stake == pytest.approx({2: 0.15})  # ½ · 0.3; the copy changes its types with its neighbours
    assert found.layers == (2,) and "softmax" in found.message
    assert any("--int8 --fp16" in each for each in found.advice)


def test_without_times_it_stands_without_a_price():
    assert finding(RULE, engine("FP32+INT8")).at_stake == {}


def test_with_fp16_or_strong_types_it_is_none():
    assert answers(RULE, engine("FP32+FP16+INT8", times=TIMES)) == []
    assert answers(RULE, engine("Strongly Typed", times=TIMES)) == []
    assert answers(RULE, engine("FP32+INT8", FP16, TIMES)) == []  # nothing computes in FP32
    assert answers(RULE, engine("FP32+INT8", times=TIMES), share=40.0) == []  # 30 % of the time


def test_it_cannot_be_told_without_the_builds_options():
    unanswered = untold(RULE, engine("", times=TIMES))
    assert unanswered.layers == (2,)
