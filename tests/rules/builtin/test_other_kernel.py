"""Other kernels than in the baseline."""

from __future__ import annotations

import pytest

from tests.rules.baselines import CUDNN, XMMA, timed
from tests.rules.making import answers, finding

RULE = "other_kernel"
WITHOUT_CORES = "sm50_xmma_conv_fprop_fused_conv_act_fp16_NHWC"
LARGE, SMALL = XMMA.format("128x64"), XMMA.format("64x64")


def test_a_slower_tile_is_told():
    found = finding(RULE, timed(1.0, 3.0, tactic=SMALL), timed(1.0, 2.0, tactic=LARGE))
    assert "tile 64×64" in found.message and found.layers == (1,)
    assert found.at_stake == pytest.approx({1: 1.0})


def test_lost_tensor_cores_are_told_even_without_a_loss():
    found = finding(RULE, timed(1.0, 2.0, tactic=WITHOUT_CORES), timed(1.0, 2.0, tactic=LARGE))
    assert "lost the tensor cores" in found.message and found.at_stake == {}


def test_the_same_kernel_and_a_faster_one_are_none():
    assert answers(RULE, timed(1.0, 3.0, tactic=LARGE), timed(1.0, 2.0, tactic=LARGE)) == []
    assert answers(RULE, timed(1.0, 1.0, tactic=SMALL), timed(1.0, 2.0, tactic=LARGE)) == []
    assert answers(RULE, timed(1.0, 3.0, "FP32", CUDNN), timed(1.0, 2.0, tactic=LARGE)) == []  # the type changed


def test_it_says_nothing_of_names_that_nobody_knows():
    assert answers(RULE, timed(1.0, 3.0, tactic="unheard_of_a"), timed(1.0, 2.0, tactic="unheard_of_b")) == []
    assert answers(RULE, timed(1.0, 3.0, tactic=SMALL)) == []
