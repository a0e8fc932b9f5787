"""Attention that eight bits made slower."""

from __future__ import annotations

import pytest

from tests.raw_records import layer, tensor
from tests.rules.making import answers, finding, plan_of

RULE = "slower_quantized_attention"
KERNELS = {
    "Int8": "fmha_v2_flash_attention_int8_64_32_S_64_sm80",
    "Half": "fmha_v2_flash_attention_fp16_64_32_S_64_sm80",
}


def attention(type_: str, ms: float):
    shape = (8, 12, 128, 64)
    inputs = [tensor(name, shape, type_) for name in "qkv"]
    records = [layer("/attn/Softmax", "kgen", inputs, [tensor("y", shape, type_)], TacticName=KERNELS[type_])]
    return plan_of(records, {"/attn/Softmax": ms})


def test_a_slower_block_in_eight_bits_is_told():
    found = finding(RULE, attention("Int8", 0.8), attention("Half", 0.2))
    assert found.at_stake == pytest.approx({0: 0.6})
    assert "in INT8" in found.message and "in FP16" in found.message


def test_a_faster_one_and_one_of_the_same_type_are_none():
    assert answers(RULE, attention("Int8", 0.1), attention("Half", 0.2)) == []
    assert answers(RULE, attention("Half", 0.8), attention("Half", 0.2)) == []
    assert answers(RULE, attention("Int8", 0.8), attention("Int8", 0.2)) == []


def test_it_says_nothing_without_a_baseline():
    assert answers(RULE, attention("Int8", 0.8)) == []
