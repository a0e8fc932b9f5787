"""Kernel names taken apart: all parts, in order, and nothing claimed that is not known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.engine_plan import load_all
from trex.views.tactic_words import UNKNOWN, explain_tactic

CONVOLUTION = (
    "sm80_xmma_fprop_implicit_gemm_interleaved_i8f16_i8i32_f32_nchw_vect_c_32kcrs_vect_c_32_nchw_vect_c_32_"
    "tilesize128x64x64_stage6_warpsize2x2x1_g1_tensor16x8x32_t1r3s3_epifadd"
)


def parts_of(name: str) -> dict[str, str]:
    result = explain_tactic(name)
    assert result is not None
    return dict(result[1])


def test_a_convolution() -> None:
    summary, _ = explain_tactic(CONVOLUTION) or ("", [])
    assert summary.startswith("a convolution kernel of xmma")
    assert "data in INT8, weights INT8, accumulates in INT32, data out FP16, on Tensor Cores" in summary
    parts = parts_of(CONVOLUTION)
    assert parts["sm80"] == "written for compute capability 8.0"
    assert parts["i8f16_i8i32_f32"].startswith("INT8 in, FP16 out")
    assert parts["nchw_vect_c_32"].endswith("(NC/32HW32)")
    assert parts["t1r3s3"] == "for windows of 3×3"
    assert parts["interleaved"] == "channels in vectors"


@pytest.mark.parametrize(
    ("name", "part", "meaning"),
    [
        ("turing_fp16_s1688cudnn_fp16_128x128_ldg8_v1", "s1688cudnn", "Tensor Core instructions of 16×8×8"),
        ("sm100_xmma_gemm_f32f32_f32f32_f32_tn_n_stage1", "sm100", "compute capability 10.0"),
        ("sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_stage1", "f32f32_tf32f32_f32", "multiplies as TF32"),
        ("sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_stage1", "stage1", "a pipeline of 1 stage"),
        ("sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_stage1", "tn", "first operand transposed, second not"),
        ("sm80_xmma_fprop_f32f32_f32f32_f32_t3r3s3", "t3r3s3", "3 deep"),
    ],
)
def test_parts(name: str, part: str, meaning: str) -> None:
    assert meaning in parts_of(name)[part]


@pytest.mark.parametrize(
    "name", ["", "conv1", "node_gemm_12", "fp16", "a b_xmma_c", "__myl_Mul_0x12", "cudnn", "x" * 5000]
)
def test_other_words_are_no_kernels(name: str) -> None:
    assert explain_tactic(name) is None


def test_a_kernel_that_tensorrt_wrote() -> None:
    summary, parts = explain_tactic("generatedNativePointwise") or ("", [])
    assert summary == "a pointwise kernel, on the CUDA cores"
    assert parts[0][1].startswith("elementwise operations")


def test_attention_is_an_attention_kernel() -> None:
    summary, parts = explain_tactic("fmha_v2_flash_attention_fp16_64_128_S_qkv_64_sm80_kernel_nl") or ("", [])
    assert summary == "an attention kernel, data in FP16"
    assert ("64", "heads of 64") in parts


def test_what_nobody_published_is_not_known() -> None:
    parts = parts_of("ampere_h16816cudnn_128x64_ldg8_relu_exp_small_nhwc_tn_v1")
    assert parts["exp"] == UNKNOWN
    assert "not published" in parts["small"]
    assert parts["relu"] == "can apply ReLU"


@given(st.text("abcdefxmvst_0123456789", max_size=60))
def test_every_part_is_there_once_and_in_order(text: str) -> None:
    result = explain_tactic(f"sm80_xmma_{text}")
    if result is not None:
        assert "_".join(part for part, _ in result[1]).replace("_", "") == f"sm80xmma{text}".replace("_", "")


def test_real_kernels(shared_engines) -> None:
    names = {layer.tactic for plan in load_all(shared_engines) for layer in plan.engine.layers if layer.tactic}
    texts = [result for name in names if not name.startswith("__my") and (result := explain_tactic(name))]
    known = sum(meaning != UNKNOWN for _, parts in texts for _, meaning in parts)
    assert len(texts) > 0.9 * sum(not name.startswith("__my") for name in names)
    assert known > 0.95 * sum(len(parts) for _, parts in texts)


def test_a_kernel_that_is_chosen_later_is_explained() -> None:
    summary, parts = explain_tactic("__myelin_CASK_STUB") or ("", [])
    assert summary == "no kernel yet" and "chosen on the target GPU" in parts[0][1]
