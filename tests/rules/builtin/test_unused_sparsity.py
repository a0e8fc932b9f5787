"""Sparse weights and the kernels that ran."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import conv, t
from tests.perf.round_device import round_device
from tests.raw_records import chain
from tests.rules.cases import (
    TENSOR_HALF,
    analyzed,
    finding,
    findings,
    on_round_device,
    only_unchecked,
    plan_of,
    reports,
    unchecked,
    work,
)
from tests.rules.cases import conv as named_conv
from tests.rules.planting import KERNEL, Parts, pair
from trex.core.tensor import Tensor
from trex.rules.finding import Severity

RULE = "unused-sparsity"
SPARSE = "sm80_xmma_fprop_sparse_conv_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_stage3_g1_sptensor16x8x32"


def convolution(channels=512, tactic=TENSOR_HALF, sparse=1, **more):
    shape = [8, channels, 14, 14]
    return conv("conv", [t("x", shape)], [t("y", shape)], (3, 3), tactic=tactic, HasSparseWeights=sparse, **more)


def test_a_large_convolution_on_a_dense_kernel():
    (found,) = findings(RULE, on_round_device(convolution(), ms=[0.5]))
    assert found.savings == {0: pytest.approx(0.25)} and found.severity is None


def test_what_the_build_did_already_is_no_fix():
    for sparsity, is_named in (("Disabled", True), ("Enabled", False), ("", True)):
        (found,) = findings(RULE, analyzed(convolution(), Sparsity=sparsity))
        assert any("--sparsity=enable" in fix for fix in found.fix) is is_named
        assert "--builderOptimizationLevel=5" in found.fix[0] and "  " not in found.fix[0]


def test_small_ones_are_named_without_savings():
    (found,) = findings(RULE, on_round_device(convolution(64), ms=[0.5]))
    assert not found.savings and found.severity is Severity.NOTE and "less than 256" in found.message
    (found,) = findings(RULE, on_round_device(convolution(512, groups=2), ms=[0.5]))
    assert "grouped" in found.message
    (found,) = findings(RULE, on_round_device(convolution(), ms=[0.5], device=round_device(compute_capability=(7, 5))))
    assert "no sparse tensor cores" in found.message


def test_sparse_kernels_and_dense_weights_are_fine():
    assert not findings(RULE, on_round_device(convolution(tactic=SPARSE), ms=[0.5]))
    assert not findings(RULE, on_round_device(convolution(sparse=0), ms=[0.5]))


def test_sparsity_enabled_without_sparse_weights():
    (found,) = findings(RULE, analyzed(convolution(sparse=0), Sparsity="Enabled"))
    assert "no layer has 2:4 sparse weights" in found.message
    assert not findings(RULE, analyzed(convolution(sparse=0), Sparsity="Disabled"))


def test_a_kernel_without_a_name_are_unchecked():
    (answer,) = unchecked(RULE, on_round_device(convolution(tactic=""), ms=[0.5]))
    assert answer.layers == (0,)


def logged(**milestones: float):
    return plan_of(chain("a"), milestones=milestones)


def test_eligible_layers_without_sparse_kernels_are_counted():
    found = finding(RULE, logged(sparsity_eligible_layers=20, sparsity_picked_layers=0))
    assert [each.value for each in found.evidence] == [20, 0] and found.severity is None  # a warning
    assert finding(RULE, logged(sparsity_eligible_layers=20, sparsity_picked_layers=1)).severity is Severity.NOTE
    assert reports(RULE, logged(sparsity_eligible_layers=20, sparsity_picked_layers=10)) == []
    assert reports(RULE, logged(sparsity_eligible_layers=0, sparsity_picked_layers=0)) == []
    assert len(reports(RULE, logged(sparsity_eligible_layers=20, sparsity_picked_layers=10), share=60.0)) == 1


def test_it_is_unchecked_without_the_end_of_the_log():
    assert "ends before" in only_unchecked(RULE, logged(sparsity_eligible_layers=20)).reason


# ---- The defect that tests plant into engines, and its sound twin


def sparse(x: Tensor, bad: bool) -> Parts:
    wide = t("b901", (8, 512, 14, 14), "FP16", "NHWC8")
    after = named_conv(
        "Conv_902", [wide], replace(wide, name="c902"), kernel=(3, 3), tactic=KERNEL, HasSparseWeights=int(bad)
    )
    return [(work("Reshape_901", "Shuffle", [x], wide), 0.01), (after, 0.1)]


PLANTER = pair(sparse)
