"""Channels and what they are padded to, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import conv, gemm, layer, t
from tests.rules.cases import SINGLE, TENSOR_HALF, findings, on_round_device, unchecked
from tests.rules.cases import conv as named_conv
from tests.rules.planting import KERNEL, Parts, like, pair
from trex.core.tensor import Tensor
from trex.rules.finding import Severity

RULE = "unaligned-channels"


def convolution(channels, maps, type="FP16", format="NHWC", tactic=TENSOR_HALF, **more):
    shapes = [8, channels, 14, 14], [8, maps, 14, 14]
    return conv(
        "conv", [t("x", shapes[0], type, format)], [t("y", shapes[1], type, format)], (3, 3), tactic=tactic, **more
    )


def test_half_precision_takes_multiples_of_eight():
    # 60 → 64 and 100 → 104: 1 − 60·100 / (64·104) = 0.0986 of 0.5 ms.
    (found,) = findings(RULE, on_round_device(convolution(60, 100), ms=[0.5]))
    assert found.savings == {0: pytest.approx(0.5 * (1 - 6000 / 6656))}
    assert "C = 60 is not a multiple of 8 and K = 100 is not a multiple of 8" in found.message
    assert found.fix[0].startswith("set C to 64 (or down to 56)")
    assert not findings(RULE, on_round_device(convolution(64, 104), ms=[0.5]))


def test_bytes_take_multiples_of_sixteen_and_their_formats_of_thirty_two():
    # NC/32HW32 stores 48 channels as 64: a multiple of 16, but a quarter of what is loaded is padding.
    (found,) = findings(RULE, on_round_device(convolution(48, 64, "INT8", "NC/32HW32", ""), ms=[0.5]))
    assert found.savings == {0: pytest.approx(0.5 * 0.25)} and "multiple of 32" in found.message
    (found,) = findings(RULE, on_round_device(convolution(24, 64, "INT8", "NHWC", ""), ms=[0.5]))
    assert found.savings == {0: pytest.approx(0.5 * 0.25)} and "multiple of 16" in found.message  # 24 → 32
    assert not findings(RULE, on_round_device(convolution(48, 64, "INT8", "NHWC", ""), ms=[0.5]))


def test_the_first_convolution_is_a_note():
    (found,) = findings(RULE, on_round_device(convolution(3, 64, "FP16", "NHWC4"), ms=[0.5]))
    assert found.severity is Severity.NOTE and found.savings == {0: pytest.approx(0.5 * 0.25)}  # 3 of 4
    assert "inputIOFormats" in found.fix[0]


def test_cuda_cores_in_single_precision_need_no_alignment():
    assert not findings(RULE, on_round_device(convolution(60, 100, "FP32", tactic=SINGLE), ms=[0.5]))


def test_of_groups_only_the_padding_of_the_format_counts():
    assert not findings(RULE, on_round_device(convolution(60, 60, groups=60), ms=[0.5]))
    (found,) = findings(RULE, on_round_device(convolution(144, 144, "INT8", "NC/32HW32", "", groups=144), ms=[0.5]))
    assert found.savings == {0: pytest.approx(0.5 * (1 - 144 / 160))}


def test_matrix_gemms():
    # K = 100 → 104, N = 1000 is a multiple of 8.
    made = gemm("fc", t("x", [64, 100]), t("w", [100, 1000]), t("y", [64, 1000]))
    (found,) = findings(RULE, on_round_device(made, ms=[0.5]))
    assert found.savings == {0: pytest.approx(0.5 * 4 / 104)}
    assert not findings(
        RULE, on_round_device(gemm("fc", t("x", [64, 96]), t("w", [96, 64]), t("y", [64, 64])), ms=[0.5])
    )


def test_little_padding_may_be_left_out():
    assert not findings(RULE, on_round_device(convolution(60, 100), ms=[0.5]), padding=10)


def test_unknown_channels_are_unchecked():
    (answer,) = unchecked(RULE, on_round_device(convolution(None, 64), ms=[0.5]))
    assert answer.layers == (0,)


def test_without_a_profile_it_has_no_savings():
    (found,) = findings(RULE, on_round_device(convolution(60, 64)))
    assert not found.savings and not found.formula


def test_a_little_padding_is_a_note():
    (found,) = findings(RULE, on_round_device(convolution(1000, 1001), ms=[0.5]))  # 1001 → 1008
    assert found.severity is Severity.NOTE


def test_tensorrt_for_rtx_pads_the_first_channels_itself():
    first = convolution(4, 64, "INT8", "NHWC", "__myelin_CASK_STUB")
    assert not findings(RULE, on_round_device(first, ms=[0.5]))


def test_positions_of_a_convolution_that_became_a_gemm_are_no_channels():
    shapes = {"first": (320, 960), "second": (960, 50)}
    for stored, expected in ((shapes["first"], 0), (shapes["second"], 1)):
        product = layer("p", "gemm", [t("x", (960, 49 + (expected > 0)))], [t("y", (320, 49 + (expected > 0)))])
        product = replace(product, raw={**product.raw, "Constants": [{"Dimensions": list(stored)}]})
        if expected:
            product = replace(product, inputs=(t("x", (320, 960)),))
        assert len(findings(RULE, on_round_device(product, ms=[0.5]))) == expected


# ---- The defect that tests plant into engines, and its sound twin


def channels(x: Tensor, bad: bool) -> Parts:
    shape = x.shape or ()
    inner = t("b901", (shape[0], 60 if bad else 64, *shape[2:]), "FP16", "NHWC" if bad else "NHWC8")
    return [
        (named_conv("Conv_901", [x], inner, kernel=(3, 3), tactic=KERNEL), 0.1),
        (named_conv("Conv_902", [inner], like(x, "c902"), kernel=(3, 3), tactic=KERNEL), 0.1),
    ]


PLANTER = pair(channels)
