"""The door to kernels' names."""

from __future__ import annotations

import dataclasses

import pytest

from trex.core.tactic import NO_TACTIC
from trex.engine_plan import load_all
from trex.plan.kernels import kernel_of

WINOGRAD = "sm80_xmma_fprop_wngd_f32f32_f32_f32_nchwkcrs_nchw_tilesize8x16x16x8_warpsize8x1x1_wngd2x2"


def test_a_layer_without_a_kernel_and_one_with(shared_engines) -> None:
    layers = [layer for plan in load_all(shared_engines) for layer in plan.engine.layers]
    without = [layer for layer in layers if not layer.tactic]
    assert without and all(kernel_of(layer) == NO_TACTIC for layer in without)
    assert any(kernel_of(layer) != NO_TACTIC for layer in layers)
    winograd = kernel_of(dataclasses.replace(layers[0], tactic=WINOGRAD))
    assert winograd.algorithm == "winograd"
    assert winograd.winograd_tile == (2, 2)
    # (2 + 3 − 1)² multiplications for 2² outputs of 3² products: 16 / 36
    assert winograd.multiplication_share((3, 3)) == pytest.approx(16 / 36)
    assert winograd.multiplication_share((3, 3, 3)) is winograd.multiplication_share((0, 3)) is None
    assert kernel_of(dataclasses.replace(layers[0], tactic="")).multiplication_share((3, 3)) == 1.0
