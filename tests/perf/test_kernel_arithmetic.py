"""What a kernel's name, or its silence, says of its products."""

from __future__ import annotations

import pytest

from tests.factories import LABELS, layer
from trex.core.tactic import WINOGRAD, Tactic
from trex.perf.arithmetic import Arithmetic
from trex.perf.kernel_arithmetic import KernelArithmetic, _of_tactic, kernel_arithmetic_of

FP16, FP32, INT8, INT32, UNKNOWN = (LABELS[label] for label in ("FP16", "FP32", "INT8", "INT32", "Unknown"))


def of(precision=UNKNOWN, window=(), **facts) -> KernelArithmetic:
    return _of_tactic(Tactic(**facts), precision, window)


@pytest.mark.parametrize(
    "tactic, expected",
    [
        (
            "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x64x32_stage5_g1_tensor16x8x16",
            Arithmetic(FP16, FP32),
        ),
        (
            "sm80_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x64x16_stage4_g1_tensor16x8x8",
            Arithmetic(FP32, FP32, tf32=True),
        ),
        ("ampere_scudnn_128x64_relu_xregs_large_nn_v1", Arithmetic(FP32, FP32, tensor_core=False)),
        # FP16 data, FP32 products and sums: there is no faster instruction on the CUDA cores.
        (
            "sm50_xmma_cublas_gemvx_f16f16_f32_f32_tn_n_int32_unit_n_launch_param4x32x32_strided_unit_stride",
            Arithmetic(FP32, FP32, tensor_core=False),
        ),
        # INT8 data multiplied as FP32.
        (
            "sm70_xmma_fprop_conv1x1_i8f32_f32_f32_nchw_vect_c_4kcrs_vect_c_4_nchw_tilesize8x32x32_simt",
            Arithmetic(FP32, FP32, tensor_core=False),
        ),
    ],
)
def test_names_decide(tactic, expected):
    result = kernel_arithmetic_of(layer("a", tactic=tactic, precision="INT8"))
    assert result.candidates == (expected,) and not result.is_assumed


def test_sparse_products():
    (result,) = of(input_type=FP16, accumulate_type=FP32, tensor_core=True, sparse=True).candidates
    assert result == Arithmetic(FP16, FP32, sparse=True)


def test_silence_leaves_the_layers_precision_and_the_fastest_units():
    result = of(FP16)
    assert result.is_assumed and result.candidates == (Arithmetic(FP16), Arithmetic(FP16, tensor_core=False))
    assert result.fastest[0] == Arithmetic(FP16, FP16)
    assert of(FP32).candidates[0] == Arithmetic(FP32, tf32=True)
    assert of().candidates == ()


def test_known_sums_are_not_made_faster():
    assert of(input_type=FP16, accumulate_type=FP32, tensor_core=True).fastest == (Arithmetic(FP16, FP32),)
    assert of(input_type=INT8, accumulate_type=INT32, tensor_core=True).fastest == (Arithmetic(INT8, INT32),)


def test_winograd():
    result = of(input_type=FP32, tensor_core=False, algorithm=WINOGRAD, window=(3, 3))
    assert (result.share, result.least_share) == (16 / 36, 1 / 4) and "F(2×2, 3×3) assumed" in result.words
    result = of(input_type=FP32, tensor_core=False, algorithm=WINOGRAD, winograd_tile=(4, 4), window=(3, 3))
    assert result.share == result.least_share == pytest.approx(1 / 4)


def test_odd_windows_do_no_harm():
    for window in (None, "3x3", [3, None], [True, 3], [[3], 3]):
        item = layer("a", tactic="ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1", Kernel=window)
        assert kernel_arithmetic_of(item).share == pytest.approx(16 / 36)
