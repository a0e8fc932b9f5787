"""Other kernels than in the baseline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.rules.baselines import CUDNN, XMMA, timed
from tests.rules.cases import finding, reports
from tests.rules.planting import KERNEL, Ground, Planter, against_baseline, later

RULE = "other-kernel"
WITHOUT_CORES = "sm50_xmma_conv_fprop_fused_conv_act_fp16_NHWC"
LARGE, SMALL = XMMA.format("128x64"), XMMA.format("64x64")


def test_a_slower_tile_is_reported():
    found = finding(RULE, timed(1.0, 3.0, tactic=SMALL), timed(1.0, 2.0, tactic=LARGE))
    assert "tile 64×64" in found.message and found.layers == (1,)
    assert found.savings == pytest.approx({1: 1.0})


def test_lost_tensor_cores_are_reported_even_without_a_loss():
    found = finding(RULE, timed(1.0, 2.0, tactic=WITHOUT_CORES), timed(1.0, 2.0, tactic=LARGE))
    assert "lost the tensor cores" in found.message and found.savings == {}


def test_the_same_kernel_and_a_faster_one_are_none():
    assert reports(RULE, timed(1.0, 3.0, tactic=LARGE), timed(1.0, 2.0, tactic=LARGE)) == []
    assert reports(RULE, timed(1.0, 1.0, tactic=SMALL), timed(1.0, 2.0, tactic=LARGE)) == []
    assert reports(RULE, timed(1.0, 3.0, "FP32", CUDNN), timed(1.0, 2.0, tactic=LARGE)) == []  # the type changed


def test_it_says_nothing_of_names_that_are_unknown():
    assert reports(RULE, timed(1.0, 3.0, tactic="unheard_of_a"), timed(1.0, 2.0, tactic="unheard_of_b")) == []
    assert reports(RULE, timed(1.0, 3.0, tactic=SMALL)) == []


# ---- The defect that tests plant into engines, and its sound twin


def rekerneled(factor: float) -> Callable[[Ground, Ground, int], None]:
    def change(ground: Ground, baseline: Ground, place: int) -> None:
        baseline.layers[place] = replace(baseline.layers[place], tactic=KERNEL)
        layer = ground.layers[place]
        ground.layers[place] = replace(layer, tactic=KERNEL.replace("128x64x32", "64x32x32"))
        ground.ms[layer.name] = later(baseline.ms[layer.name], factor)
        if factor > 1.05:
            ground.planted.add(layer.name)

    return change


PLANTER = Planter(against_baseline(rekerneled(1.5)), against_baseline(rekerneled(0.98)))
