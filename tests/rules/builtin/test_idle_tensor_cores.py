"""Products without tensor cores: what counts as one, what it could save, and when nobody can tell."""

from __future__ import annotations

import pytest

from tests.factories import conv, gemm, layer, t
from tests.perf.round_device import round_device
from tests.rules.cases import SIMT_HALF, SINGLE, TENSOR_HALF, analyzed, findings, on_round_device, unchecked
from tests.rules.cases import conv as named_conv
from tests.rules.planting import KERNEL, Parts, like, pair
from trex.core.tensor import Tensor

RULE = "idle-tensor-cores"


def half_convolution(tactic: str = SIMT_HALF, **more):
    return conv(
        "conv", [t("x", [8, 64, 56, 56], "FP16", "NHWC8")], [t("y", [8, 64, 56, 56], "FP16", "NHWC8")], (3, 3),
        tactic=tactic, **more
    )  # fmt: skip


def test_half_precision_on_cuda_cores():
    # macs = 8·56·56 · 64 · 64·9 = 924,844,032; 2·macs / 10¹⁴ = 0.018497 ms on the tensor cores. Bytes: two tensors of
    # 3,211,264 and weights of 73,728 are below the L2's 4 MiB each: the memory moves what the cache cannot hold, the
    # L2 all 6,496,256 at 2·10¹² a second = 0.003248 ms. So 0.5 − max(0.0185, memory) ms are at stake.
    engine = on_round_device(half_convolution(), ms=[0.5])
    (found,) = findings(RULE, engine)
    memory = float(engine.performance.roofline.memory_ms[0])
    assert sum(found.savings.values()) == pytest.approx(0.5 - max(2 * 924_844_032 / 1e14 * 1e3, memory))
    assert found.layers == (0,) and "CUDA cores" in found.message and "multiples of 8" in found.fix[0]


def test_single_precision_counts_as_tf32_where_there_is_tf32():
    single = conv("conv", [t("x", [8, 64, 56, 56], "FP32")], [t("y", [8, 64, 56, 56], "FP32")], (3, 3), tactic=SINGLE)
    (found,) = findings(RULE, on_round_device(single, ms=[0.5], device=round_device(compute_capability=(8, 0))))
    assert "TF32" in " ".join(found.fix)
    assert not findings(RULE, on_round_device(single, ms=[0.5], device=round_device(compute_capability=(7, 5))))
    # Without a device, the highest architecture that a kernel was written for: this one is for 8.0.
    assert len(findings(RULE, analyzed(single))) == 1


def test_xmma_kernels_for_single_precision_are_none_of_tensor_cores():
    kernel = (
        "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize128x128x8_stage3_warpsize2x2x1_g1_ffma"
    )
    single = conv("conv", [t("x", [8, 64, 56, 56], "FP32")], [t("y", [8, 64, 56, 56], "FP32")], tactic=kernel)
    assert len(findings(RULE, analyzed(single))) == 1


def test_tensor_core_kernels_are_fine():
    assert not findings(RULE, on_round_device(half_convolution(TENSOR_HALF), ms=[0.5]))
    cutlass = "cutlass_tensorop_f16_s16816gemm_f16_128x128_32x3_tn_align8"
    assert not findings(RULE, on_round_device(half_convolution(cutlass), ms=[0.5]))


DEPTHWISE = {"Kernel": [3, 3], "Groups": 64, "OutMaps": 64}


@pytest.mark.parametrize(
    ("type", "tactic", "more"),
    [
        ("INT8", "", {"subtype": "CudaDepthwiseConvolution"} | DEPTHWISE),
        ("FP16", "sm50_xmma_convolution_depthwiseHMMA_FP16NHWCx8_TR3_TS3_STRIDEH1_STRIDEW1", DEPTHWISE),
        ("FP16", SIMT_HALF, DEPTHWISE),
        ("FP16", SIMT_HALF, DEPTHWISE | {"Groups": 16}),  # four channels each
    ],
)
def test_depthwise_convolutions_are_bound_by_memory(type, tactic, more):
    source, output = t("x", [8, 64, 56, 56], type, "NC/32HW32"), t("y", [8, 64, 56, 56], type, "NC/32HW32")
    made = layer("dw", "Convolution", [source], [output], tactic=tactic, **more)
    assert not findings(RULE, on_round_device(made, ms=[0.01]))
    assert not unchecked(RULE, on_round_device(made, ms=[0.01]))


def test_groups_of_enough_channels_count():
    assert len(findings(RULE, on_round_device(half_convolution(Groups=4), ms=[0.5]))) == 1  # of 16 channels each


def test_the_channels_of_an_image_in_bytes_are_no_finding():
    """Tensor cores take 32 INT8 channels at once: three would be padded tenfold."""
    first = conv(
        "conv", [t("x", [8, 3, 56, 56], "INT8")], [t("y", [8, 64, 56, 56], "INT8")],
        tactic="volta_int8x4_icudnn_int8x4_128x32_relu_small_nn_v1",
    )  # fmt: skip
    assert not findings(RULE, on_round_device(first, ms=[0.5]))


def test_gemms_with_a_vector_are_bound_by_memory():
    made = gemm("fc", t("x", [1, 2048]), t("w", [2048, 1000]), t("y", [1, 1000]))
    assert not findings(RULE, on_round_device(made, ms=[0.02]))


def test_a_device_without_units_for_the_type():
    no_int8 = round_device()  # knows no rate of BF16 on tensor cores
    made = conv(
        "conv",
        [t("x", [8, 64, 8, 8], "BF16")],
        [t("y", [8, 64, 8, 8], "BF16")],
        tactic=SIMT_HALF.replace("f16f16", "bf16bf16"),
    )
    assert not findings(RULE, on_round_device(made, ms=[0.5], device=no_int8))


def test_an_unnamed_kernel_are_unchecked():
    engine = on_round_device(half_convolution(""), ms=[0.5])
    assert not findings(RULE, engine)
    (answer,) = unchecked(RULE, engine)
    assert answer.layers == (0,)
    assert not unchecked(RULE, on_round_device(half_convolution(TENSOR_HALF), ms=[0.5]))


def test_without_a_profile_the_finding_stands_without_savings():
    (found,) = findings(RULE, on_round_device(half_convolution()))
    assert not found.savings and not found.formula


def test_without_a_device_it_has_no_savings():
    (found,) = findings(RULE, analyzed(half_convolution(), ms=[0.5]))
    assert not found.savings


def test_of_three_channels_four_are_multiplied():
    # macs = 8·56·56 · 64 · 3·9 = 43,352,064, of which kernels for tensor cores compute 4/3: 2 · 57,802,752 / 10¹⁴
    # = 0.00116 ms, below the launch's 0.002; with 1,000 times the batch 1.156 ms.
    made = conv("conv", [t("x", [8000, 3, 56, 56])], [t("y", [8000, 64, 56, 56])], (3, 3), tactic=SIMT_HALF)
    engine = on_round_device(made, ms=[50.0])
    memory = float(engine.performance.roofline.memory_ms[0])
    (found,) = findings(RULE, engine)
    assert memory > 1.156 and sum(found.savings.values()) == pytest.approx(50.0 - memory)
    engine = on_round_device(made, ms=[50.0], device=round_device(bandwidth_gb_per_s=1e7, l2_gb_per_s=1e7))
    (found,) = findings(RULE, engine)
    assert sum(found.savings.values()) == pytest.approx(50.0 - 2 * 57_802_752_000 / 1e14 * 1e3)


# ---- The defect that tests plant into engines, and its sound twin


SIMT = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x64x32_stage5_g1_simt_sgemm"


def cores(x: Tensor, bad: bool) -> Parts:
    return [(named_conv("Conv_901", [x], like(x, "b901"), kernel=(3, 3), tactic=SIMT if bad else KERNEL), 0.4)]


PLANTER = pair(cores)
