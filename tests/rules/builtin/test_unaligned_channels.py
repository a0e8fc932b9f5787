"""Channels and what they are padded to, worked out by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

import pytest

from tests.factories import conv, gemm, layer, t
from tests.perf.round_device import round_device
from tests.rules import cases
from tests.rules.cases import SIMT_HALF, SINGLE, TENSOR_HALF, copy, findings, unchecked, work
from tests.rules.cases import conv as named_conv
from tests.rules.planting import KERNEL, Parts, like, pair
from trex.core.tensor import Tensor

RULE = "unaligned-channels"


def analyzed(*layers, ms=(), **keys):
    """The layer under test and a GEMM after it: the last one's channels are given."""
    reader = gemm("next", layers[-1].outputs[0], t("w9", [64, 64]), t("z9", [64, 64]))
    return cases.analyzed(*layers, reader, ms=[*ms, 0.1] if ms else (), outputs=["z9"], **keys)


on_round_device = partial(analyzed, device=round_device())


def convolution(channels, maps, type="FP16", format="NHWC", tactic=TENSOR_HALF, batch=8, **more):
    shapes = [batch, channels, 14, 14], [batch, maps, 14, 14]
    return conv(
        "conv", [t("x", shapes[0], type, format)], [t("y", shapes[1], type, format)], (3, 3), tactic=tactic, **more
    )


def test_half_precision_takes_multiples_of_eight():
    # 60 → 64 and 100 → 104: 1 − 60·100 / (64·104) = 0.0986 of 0.5 ms.
    (found,) = findings(RULE, analyzed(convolution(60, 100), ms=[0.5]))
    assert found.savings == {0: pytest.approx(0.5 * (1 - 6000 / 6656))}
    assert "padded to multiples of 8: C = 60 → 64, K = 100 → 104; 10 % of its work" in found.message
    assert found.fix == ("choose multiples of 8 in the model: C = 56 / 64, K = 96 / 104",)
    assert not findings(RULE, analyzed(convolution(64, 104), ms=[0.5]))


def test_bytes_take_multiples_of_sixteen_and_their_formats_of_thirty_two():
    # NC/32HW32 stores 48 channels as 64: a multiple of 16, but a quarter of what is loaded is padding.
    (found,) = findings(RULE, analyzed(convolution(48, 64, "INT8", "NC/32HW32", ""), ms=[0.5]))
    assert found.savings == {0: pytest.approx(0.5 * 0.25)} and "multiples of 32" in found.message
    (found,) = findings(RULE, analyzed(convolution(24, 64, "INT8", "NHWC", ""), ms=[0.5]))
    assert found.savings == {0: pytest.approx(0.5 * 0.25)} and "multiples of 16" in found.message  # 24 → 32
    assert not findings(RULE, analyzed(convolution(48, 64, "INT8", "NHWC", ""), ms=[0.5]))


def test_savings_end_where_something_else_bounds_the_layer():
    # 2 · 8·14·14 · 60 · 100·9 MACs / 10¹⁴ = 0.0017 ms: below the launch with the padding, too; nothing is saved.
    assert not findings(RULE, on_round_device(convolution(60, 100), ms=[0.5]))
    # 1000 times the batch: 1.693 ms of MACs, 1.879 with the padding; the memory takes 1.003 ms for its bytes.
    large = convolution(60, 100, batch=8000)
    engine = on_round_device(large, ms=[4.0])
    assert float(engine.performance.roofline.memory_ms[0]) < 1.693
    (found,) = findings(RULE, engine)
    assert found.savings == {0: pytest.approx(4.0 * (1 - 6000 / 6656))}
    slow = round_device(bandwidth_gb_per_s=10.0)
    assert not findings(RULE, analyzed(large, ms=[90.0], device=slow))


@pytest.mark.parametrize("first", [1, 3, 4])
@pytest.mark.parametrize(
    ("type", "format"), [("INT8", "NCHW"), ("INT8", "NC/32HW32"), ("FP16", "NHWC8"), ("FP32", "NHWC4")]
)
def test_the_channels_of_an_image_are_given(first: int, type: str, format: str):
    assert not findings(RULE, analyzed(convolution(first, 64, type, format), ms=[0.5]))


@pytest.mark.parametrize(("type", "format", "maps"), [("FP16", "NHWC8", 4), ("INT8", "NC/32HW32", 16)])
def test_below_one_multiple_no_smaller_count_computes_less(type: str, format: str, maps: int):
    """Nobody reads 'set K to 32 (or down to 32)' for 16 channels, nor 'down to 8' for 4."""
    assert not findings(RULE, analyzed(convolution(64, maps, type, format), ms=[0.5]))


@pytest.mark.parametrize("tactic", [SINGLE, SIMT_HALF])
def test_cuda_cores_pad_nothing(tactic: str):
    for type in ("FP32", "FP16", "INT8"):
        assert not findings(RULE, analyzed(convolution(60, 1000, type, tactic=tactic), ms=[0.5]))


def test_groups_are_bound_by_memory():
    assert not findings(RULE, analyzed(convolution(60, 60, groups=60), ms=[0.5]))
    assert not findings(RULE, analyzed(convolution(144, 144, "INT8", "NC/32HW32", "", groups=144), ms=[0.5]))


def test_the_classes_of_a_classifier_are_given():
    classifier = convolution(64, 21)
    assert len(findings(RULE, analyzed(classifier))) == 1
    assert not findings(RULE, cases.analyzed(classifier))
    softmax = work("Softmax_1", "SoftMax", [classifier.outputs[0]], t("z", [8, 21, 14, 14], "FP16"))
    cast = copy("Cast_2", softmax.outputs[0], t("z9", [8, 21, 14, 14], "FP32"))
    assert not findings(RULE, cases.analyzed(classifier, softmax, cast, outputs=["z9"]))


def test_matrix_gemms():
    # K = 90 → 96, N = 1000 is a multiple of 8.
    made = gemm("fc", t("x", [64, 90]), t("w", [90, 1000]), t("z", [64, 1000]))
    (found,) = findings(RULE, analyzed(made, ms=[0.5]))
    assert found.savings == {0: pytest.approx(0.5 * 6 / 96)}
    assert not findings(RULE, analyzed(gemm("fc", t("x", [64, 96]), t("w", [96, 64]), t("z", [64, 64])), ms=[0.5]))


def test_little_padding_is_left_out():
    assert not findings(RULE, analyzed(convolution(1000, 1001), ms=[0.5]))  # 1001 → 1008
    assert len(findings(RULE, analyzed(convolution(1000, 1001), ms=[0.5]), padding=0)) == 1
    assert not findings(RULE, analyzed(convolution(60, 100), ms=[0.5]), padding=10)


def test_similar_layers_read_the_same():
    """Of the words between names and numbers; else each layer would be a finding of its own."""
    made = [findings(RULE, analyzed(convolution(*sizes), ms=[0.5]))[0] for sizes in ((60, 100), (60, 64), (100, 44))]
    assert len({re.sub(r"[^a-z]+", " ", found.message).replace(" and ", " ") for found in made}) == 1
    assert len({re.sub(r"[^a-z]+", " ", found.fix[0]).replace(" and ", " ") for found in made}) == 1


def test_unknown_channels_are_unchecked():
    (answer,) = unchecked(RULE, on_round_device(convolution(None, 64), ms=[0.5]))
    assert answer.layers[0] == 0


def test_without_a_profile_it_has_no_savings():
    (found,) = findings(RULE, analyzed(convolution(60, 64)))
    assert not found.savings and not found.formula


def test_positions_of_a_convolution_that_became_a_gemm_are_no_channels():
    shapes = {"first": (320, 960), "second": (960, 50)}
    for stored, expected in ((shapes["first"], 0), (shapes["second"], 1)):
        product = layer("p", "gemm", [t("x", (960, 49 + (expected > 0)))], [t("y", (320, 49 + (expected > 0)))])
        product = replace(product, raw={**product.raw, "Constants": [{"Dimensions": list(stored)}]})
        if expected:
            product = replace(product, inputs=(t("x", (320, 960)),))
        assert len(findings(RULE, analyzed(product, ms=[0.5]))) == expected


# ---- The defect that tests plant into engines, and its sound twin


def channels(x: Tensor, bad: bool) -> Parts:
    shape = x.shape or ()
    inner = t("b901", (shape[0], 60 if bad else 64, *shape[2:]), "FP16", "NHWC" if bad else "NHWC8")
    return [
        (named_conv("Conv_901", [x], inner, kernel=(3, 3), tactic=KERNEL), 0.1),
        (named_conv("Conv_902", [inner], like(x, "c902"), kernel=(3, 3), tactic=KERNEL), 0.1),
    ]


PLANTER = pair(channels)
