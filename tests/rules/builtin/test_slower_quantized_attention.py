"""Attention that eight bits made slower."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from tests import factories
from tests.factories import t
from tests.raw_records import layer, tensor
from tests.rules.cases import finding, plan_of, reports
from tests.rules.planting import Ground, Parts, Plant, Planter
from trex.core.tensor import Tensor

RULE = "slower-quantized-attention"
KERNELS = {
    "Int8": "fmha_v2_flash_attention_int8_64_32_S_64_sm80",
    "Half": "fmha_v2_flash_attention_fp16_64_32_S_64_sm80",
}


def attention(type_: str, ms: float):
    shape = (8, 12, 128, 64)
    inputs = [tensor(name, shape, type_) for name in "qkv"]
    records = [layer("/attn/Softmax", "kgen", inputs, [tensor("y", shape, type_)], TacticName=KERNELS[type_])]
    return plan_of(records, {"/attn/Softmax": ms})


def test_a_slower_block_in_eight_bits_is_reported():
    found = finding(RULE, attention("Int8", 0.8), attention("Half", 0.2))
    assert found.savings == pytest.approx({0: 0.6})
    assert "in INT8" in found.message and "in FP16" in found.message


def test_a_faster_one_and_one_of_the_same_type_are_none():
    assert reports(RULE, attention("Int8", 0.1), attention("Half", 0.2)) == []
    assert reports(RULE, attention("Half", 0.8), attention("Half", 0.2)) == []
    assert reports(RULE, attention("Int8", 0.8), attention("Int8", 0.2)) == []


def test_it_says_nothing_without_a_baseline():
    assert reports(RULE, attention("Int8", 0.8)) == []


# ---- The defect that tests plant into engines, and its sound twin


def eight_bit_attention(factor: float) -> Plant:
    def made(type_: str) -> Callable[[Tensor], Parts]:
        shape = (8, 12, 128, 64)
        kernel = f"fmha_v2_flash_attention_{'int8' if type_ == 'INT8' else 'fp16'}_64_32_S_64_sm80"
        inputs = [t(name, shape, type_) for name in ("q901", "k901", "v901")]

        def make(x: Tensor) -> Parts:
            return [
                (factories.layer("split900", "kgen", [x], inputs), 0.01),
                (factories.layer("/attn901", "kgen", inputs, [t("m901", shape, type_)], tactic=kernel), 0.2),
            ]

        return make

    def plant(ground: Ground) -> None:
        seed = ground.random.random()
        base = replace(
            ground, layers=list(ground.layers), ms=dict(ground.ms), outputs=list(ground.outputs), planted=set()
        )
        base.random, ground.random = Random(seed), Random(seed)
        base.insert(made("FP16"))
        ground.insert(made("INT8"), False)
        ground.ms["/attn901"] = base.ms["/attn901"] * factor
        ground.baseline = base
        if factor > 1.05:
            ground.planted.add("/attn901")

    return plant


PLANTER = Planter(eight_bit_attention(3.0), eight_bit_attention(0.5))
