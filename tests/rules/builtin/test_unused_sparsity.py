"""Sparse weights and the kernels that ran."""

from __future__ import annotations

import pytest

from tests.factories import conv, t
from tests.perf.round_device import round_device
from tests.rules.inspections import inspect
from tests.rules.judged import TENSOR_HALF, findings, judged, unanswered
from trex.rules.finding import Severity

RULE = "unused-sparsity"
SPARSE = "sm80_xmma_fprop_sparse_conv_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_stage3_g1_sptensor16x8x32"


def convolution(channels=512, tactic=TENSOR_HALF, sparse=1, **more):
    shape = [8, channels, 14, 14]
    return conv("conv", [t("x", shape)], [t("y", shape)], (3, 3), tactic=tactic, HasSparseWeights=sparse, **more)


def test_a_large_convolution_on_a_dense_kernel():
    (found,) = findings(RULE, judged(convolution(), ms=[0.5]))
    assert found.at_stake == {0: pytest.approx(0.25)} and found.severity is None


def test_small_ones_are_named_without_a_price():
    (found,) = findings(RULE, judged(convolution(64), ms=[0.5]))
    assert not found.at_stake and found.severity is Severity.NOTE and "less than 256" in found.message
    (found,) = findings(RULE, judged(convolution(512, groups=2), ms=[0.5]))
    assert "grouped" in found.message
    (found,) = findings(RULE, judged(convolution(), ms=[0.5], device=round_device(compute_capability=(7, 5))))
    assert "no sparse matrix units" in found.message


def test_sparse_kernels_and_dense_weights_are_fine():
    assert not findings(RULE, judged(convolution(tactic=SPARSE), ms=[0.5]))
    assert not findings(RULE, judged(convolution(sparse=0), ms=[0.5]))


def test_sparsity_enabled_without_sparse_weights():
    (found,) = findings(RULE, inspect(convolution(sparse=0), Sparsity="Enabled"))
    assert "no layer has 2:4 sparse weights" in found.message
    assert not findings(RULE, inspect(convolution(sparse=0), Sparsity="Disabled"))


def test_a_kernel_without_a_name_cannot_be_told():
    (answer,) = unanswered(RULE, judged(convolution(tactic=""), ms=[0.5]))
    assert answer.layers == (0,)
