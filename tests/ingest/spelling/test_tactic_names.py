from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.core.data_type import DataType
from trex.ingest.spelling.tactic_names import NO_TACTIC, Tactic, decode_tactic

# name, input, weights, accumulate, output ("?" unknown), tensor core, tf32, tile, library, sm, kind
TACTICS = [
    (
        "sm80_xmma_fprop_implicit_gemm_indexed_wo_smem_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize128x32x64_stage1_"
        "warpsize4x1x1_g1_tensor16x8x16_aligna8_alignc8",
        "FP16 FP16 FP16 FP16",
        True,
        False,
        (128, 32, 64),
        "xmma",
        80,
        "convolution",
    ),
    (
        "sm80_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x16_stage4_warpsize2x2x1_g1_"
        "tensor16x8x8_t1r3s3",
        "FP32 FP32 FP32 FP32",
        True,
        True,
        (128, 128, 16),
        "xmma",
        80,
        "convolution",
    ),
    (
        "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize32x32x8_stage3_warpsize1x2x1_g1_ffma_"
        "aligna4_alignc4",
        "FP32 FP32 FP32 FP32",
        False,
        False,
        (32, 32, 8),
        "xmma",
        80,
        "convolution",
    ),
    (
        "sm80_xmma_fprop_implicit_gemm_interleaved_i8f16_i8i32_f32_nchw_vect_c_32kcrs_vect_c_32_nchw_vect_c_32_"
        "tilesize128x64x64_stage6_warpsize2x2x1_g1_tensor16x8x32_t1r3s3",
        "INT8 INT8 INT32 FP16",
        True,
        False,
        (128, 64, 64),
        "xmma",
        80,
        "convolution",
    ),
    (
        "sm80_xmma_gemm_f16f16_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna2_alignc2",
        "FP16 ? FP32 FP16",
        False,
        False,
        (32, 32, 8),
        "xmma",
        80,
        "gemm",
    ),
    (
        "sm89_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize256x64x64_stage4_warpsize4x1x1_tensor16x8x32_execute_kernel"
        "__5x_cublas",
        "FP8 FP8 FP32 BF16",
        True,
        False,
        (256, 64, 64),
        "cublas",
        89,
        "gemm",
    ),
    (
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cgasize1x2x1_stage4_gmmastage2_"
        "warpgroupsize1x1x1_tensor64x128x16",
        "BF16 BF16 FP32 BF16",
        True,
        False,
        (128, 128, 64),
        "xmma",
        90,
        "gemm",
    ),
    ("sm90_xmma_gemm_wgmma_f16f16_f16f32_f32_tn", "FP16 FP16 FP32 FP16", True, False, None, "xmma", 90, "gemm"),
    ("sm100_xmma_gemm_utcmma_f16f16_f16f32_f32_tn", "FP16 FP16 FP32 FP16", True, False, None, "xmma", 100, "gemm"),
    (
        "sm70_xmma_fprop_conv1x1_i8f32_f32_f32_nchw_vect_c_4kcrs_vect_c_4_nchw_simt_small_batch_bias_relu",
        "INT8 ? FP32 FP32",
        False,
        False,
        None,
        "xmma",
        70,
        "convolution",
    ),
    (
        "sm70_xmma_gemm_as_conv1x1_f16f16_f16_f16_tn_n_simt_small_batch_bias_relu",
        "FP16 ? FP16 FP16",
        False,
        False,
        None,
        "xmma",
        70,
        "convolution",
    ),
    (
        "sm80_xmma_fprop_wngd_f32f32_f32_f32_nchwkcrs_nchw_tilesize8x16x16x8_warpsize8x1x1_wngd2x2",
        "FP32 ? FP32 FP32",
        False,
        False,
        None,
        "xmma",
        80,
        "convolution",
    ),
    (
        "sm50_xmma_cublas_gemvx_f16f16_f32_f32_tn_n_int32_unit_n_launch_param4x32x32_strided_unit_stride",
        "FP16 ? FP32 FP16",
        False,
        False,
        None,
        "cublas",
        50,
        "gemm",
    ),
    (
        "sm50_xmma_conv_fprop_fused_conv_act_fp32_NCHW_fp32_NCHW_KCRS_fp32_fp32_fp32_Accfloat_1_1_cC1_dC1_srcVec1_"
        "fltVec1_1_TP3_TQ4_C8_R5_S5_U1_V1",
        "FP32 ? FP32 FP32",
        False,
        False,
        None,
        "xmma",
        50,
        "convolution",
    ),
    (
        "sm72_xmma_fprop_implicit_gemm_interleaved_i8i8_i8i32_f32",
        "INT8 INT8 INT32 INT8",
        None,
        False,
        None,
        "xmma",
        72,
        "convolution",
    ),
    (
        "ampere_fp32_icudnn_int8x4_128x64_relu_medium_nn_v1",
        "INT8 INT8 INT32 FP32",
        False,
        False,
        (128, 64, None),
        "cudnn",
        80,
        "convolution",
    ),
    (
        "ampere_int8x4_icudnn_int8x4_128x32_relu_interior_c32_nn_v1",
        "INT8 INT8 INT32 INT8",
        False,
        False,
        (128, 32, None),
        "cudnn",
        80,
        "convolution",
    ),
    (
        "turing_fp16_i8816cudnn_int8_128x128_ldg16_relu_small_nt_v1",
        "INT8 INT8 INT32 FP16",
        True,
        False,
        (128, 128, None),
        "cudnn",
        75,
        "convolution",
    ),
    (
        "turing_fp16_s1688cudnn_fp16_128x64_ldg8_relu_f2f_exp_small_nhwc_tn_v1",
        "FP16 FP16 FP32 FP16",
        True,
        False,
        (128, 64, None),
        "cudnn",
        75,
        "convolution",
    ),
    (
        "volta_h884cudnn_256x64_ldg8_relu_exp_small_nhwc_tn_v1",
        "FP16 FP16 FP16 FP16",
        True,
        False,
        (256, 64, None),
        "cudnn",
        70,
        "convolution",
    ),
    (
        "ampere_h16816cudnn_128x64_sliced1x2_ldg8_relu_exp_stages_64x3_small_nhwc_tn_v1",
        "FP16 FP16 FP16 FP16",
        True,
        False,
        (128, 64, 64),
        "cudnn",
        80,
        "convolution",
    ),
    (
        "ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1",
        "FP32 FP32 FP32 FP32",
        False,
        False,
        (128, 128, None),
        "cudnn",
        80,
        "convolution",
    ),
    (
        "ampere_h16816gemm_128x64_ldg8_relu_stages_32x6_tn_v1",
        "FP16 FP16 FP16 FP16",
        True,
        False,
        (128, 64, 32),
        "cublas",
        80,
        "gemm",
    ),
    ("ampere_sgemm_128x32_sliced1x4_tn_v1", "FP32 FP32 FP32 FP32", False, False, (128, 32, None), "cublas", 80, "gemm"),
    ("ampere_s16816gemm_64x64_tn", "? ? FP32 FP32", True, False, (64, 64, None), "cublas", 80, "gemm"),
    ("ampere_igemm_128x128_nn", "? ? INT32 ?", False, False, (128, 128, None), "cublas", 80, "gemm"),
    (
        "trt_turing_cutlass_image_network_first_layer_hmma_fprop_f16f16f32_nhwc_nhwc_k64r7s7c4_stride2x2",
        "FP16 FP16 FP32 ?",
        True,
        False,
        None,
        "cutlass",
        75,
        "convolution",
    ),
    (
        "cutlass_80_tensorop_f16_s16816gemm_relu_f16_256x128_32x3_tn_align8",
        "FP16 FP16 FP32 FP16",
        True,
        False,
        (256, 128, 32),
        "cutlass",
        80,
        "gemm",
    ),
    (
        "cutlass_tensorop_h16816gemm_128x64_32x6_nn_align8",
        "FP16 FP16 FP16 FP16",
        True,
        False,
        (128, 64, 32),
        "cutlass",
        None,
        "gemm",
    ),
    (
        "cutlass_tensorop_s1688tf32gemm_128x64_16x6_nn_align4",
        "FP32 FP32 FP32 FP32",
        True,
        True,
        (128, 64, 16),
        "cutlass",
        None,
        "gemm",
    ),
    (
        "cutlass_80_simt_sgemm_128x64_8x5_nt_align1",
        "FP32 FP32 FP32 FP32",
        False,
        False,
        (128, 64, 8),
        "cutlass",
        80,
        "gemm",
    ),
    (
        "cutlass3x_sm90_tensorop_s64x256x16gemm_f16_f16_f32_f16_f16_128x256x64_2x1x1_0_tnn_align8_warpspecialized",
        "FP16 FP16 FP32 FP16",
        True,
        False,
        (128, 256, 64),
        "cutlass",
        90,
        "gemm",
    ),
    (
        "cutlass3x_sm100_tensorop_gemm_bf16_bf16_f32_void_bf16_256x256x64_2x2x1_0_ttn_align8_2sm",
        "BF16 BF16 FP32 BF16",
        True,
        False,
        (256, 256, 64),
        "cutlass",
        100,
        "gemm",
    ),
    (
        "cutlass3x_sm100_bstensorop_s256x128x64gemm_block_scaled_ue4m3xf4_ue4m3xf4_f32_bf16_bf16_256x128x256_0_tnt",
        "FP4 FP4 FP32 BF16",
        True,
        False,
        (256, 128, 256),
        "cutlass",
        100,
        "gemm",
    ),
    (
        "nvjet_sm90_tst_192x192_64x3_2x1_v_bz_coopB_NTN",
        "BF16 BF16 FP32 BF16",
        True,
        False,
        (192, 192, 64),
        "cublas",
        90,
        "gemm",
    ),
    (
        "sm50_xmma_pooling_max_nhwc_FP16FP32_WINDOWSIZE_3_NOT_PROPAGATE_NAN_2D",
        "FP16 ? ? FP16",
        False,
        False,
        None,
        "xmma",
        50,
        "pooling",
    ),
    (
        "sm50_xmma_pooling_tiled_FP32NCHW_kMAX_tP2_tQ16_tR2_tS2_tU2_tV2_tUnroll3_tThreads128",
        "FP32 ? ? FP32",
        False,
        False,
        None,
        "xmma",
        50,
        "pooling",
    ),
    (
        "sm50_xmma_pooling_tiled_FP16NCxHW2_kMAX_tP2_tQ16_tR2_tS2_tU2_tV2_tUnroll1_tThreads128",
        "FP16 ? ? FP16",
        False,
        False,
        None,
        "xmma",
        50,
        "pooling",
    ),
    (
        "sm50_xmma_pooling_nd_NDHWC_kMAX_kGENERIC_3D_POOLING_MODE_kHALF_3",
        "FP16 ? ? FP16",
        False,
        False,
        None,
        "xmma",
        50,
        "pooling",
    ),
    ("sm50_xmma_pooling_coalescedC_NHWC_kMAX_3_False", "? ? ? ?", False, False, None, "xmma", 50, "pooling"),
    ("fmha_v2_flash_attention_fp16_64_128_S_128_sm80_kernel_nl", "FP16 ? ? ?", None, False, None, "", 80, "attention"),
    ("_gemm_mha_v2_0x9e2c8d3f1a0b4c5d6e7f8091a2b3c4d5", "? ? ? ?", None, False, None, "", None, "attention"),
    (
        "volta_hmma_implicit_gemm_fprop_fp32_nhwc_128x128x64x1_1x3x3x0x1",
        "? ? ? ?",
        True,
        False,
        None,
        "",
        70,
        "convolution",
    ),
    ("__myl_MulSum_0xf51780477f7b66bae3896079c053d676", "? ? ? ?", None, False, None, "Myelin", None, "generated"),
]


@pytest.mark.parametrize(
    ("name", "types", "tensor_core", "tf32", "tile", "library", "sm", "kind"), TACTICS, ids=[t[0][:60] for t in TACTICS]
)
def test_decoding(
    name: str, types: str, tensor_core: bool | None, tf32: bool, tile: tuple, library: str, sm: int, kind: str
) -> None:
    tactic = decode_tactic(name)
    found = (tactic.input_type, tactic.weights_type, tactic.accumulate_type, tactic.output_type)
    assert " ".join(t.label if t.is_known else "?" for t in found) == types
    assert (tactic.tensor_core, tactic.tf32, tactic.tile) == (tensor_core, tf32, tile)
    assert (tactic.library, tactic.sm, tactic.kind) == (library, sm, kind)
    assert bool(tactic.evidence) == any(t.is_known for t in found)


@pytest.mark.parametrize("name", ["", "relu", "TensorRT", "x" * 200_000])
def test_names_of_no_family_state_nothing(name: str) -> None:
    tactic = decode_tactic(name)
    assert tactic == NO_TACTIC


def test_cutlass_tensorop_is_a_tensor_core_kernel_and_an_xmma_name_alone_is_not() -> None:
    assert decode_tactic("cutlass_tensorop_f16_s1688gemm_f16_128x128_nn_align8").tensor_core is True
    assert decode_tactic("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_ffma").tensor_core is False


@pytest.mark.slow
@given(st.one_of(st.text(), st.from_regex(r"([a-z0-9]{1,8}_){0,12}[a-z0-9x]{0,8}", fullmatch=True)))
def test_any_name_has_an_answer(name: str) -> None:
    assert isinstance(decode_tactic(name), Tactic)


_WORDS = (
    "sm80 xmma cutlass3x gemm f16 f16f16 f32 s16816gemm icudnn int8 nvjet tst pooling FP16FP32 fused fp32 accfloat "
    "128x128 tilesize1x2x3 hmma block scaled"
)


@given(st.lists(st.sampled_from(_WORDS.split()), max_size=9))
def test_any_order_of_familiar_words_has_an_answer(words: list[str]) -> None:
    assert isinstance(decode_tactic("_".join(words)), Tactic)


def test_long_names_are_decoded() -> None:
    for name in ("f16" * 600, "_1x" * 600, "_" * 1900, "tensor1x" * 200, "_128x" * 390):
        assert isinstance(decode_tactic(name), Tactic)


def test_the_real_kernels_agree_with_their_layers(shared_engines: Path) -> None:
    from trex.ingest.spelling.tensor_formats import parse_format

    told = 0
    for path in shared_engines.glob("*/*.graph.json"):
        for layer in json.loads(path.read_bytes())["Layers"]:
            tactic = decode_tactic(layer.get("TacticName", ""))
            inputs = [parse_format(t["Format/Datatype"])[0] for t in layer["Inputs"]]
            outputs = [parse_format(t["Format/Datatype"])[0] for t in layer["Outputs"]]
            if tactic.input_type.is_known:
                told += 1
                assert tactic.input_type in inputs, layer["TacticName"]
            if tactic.output_type.is_known:
                assert tactic.output_type in outputs, layer["TacticName"]
    assert told > 400


def test_every_kernel_of_the_logs_is_of_a_known_family(shared_logs: Path) -> None:
    names = set()
    for path in shared_logs.glob("*.log"):
        text = path.read_text(errors="replace")
        names.update(re.findall(r"(?:Set Tactic Name|Tactic Name|TacticName): ([^ ,\n]+)", text))
    assert len(names) > 300
    for name in names:
        tactic = decode_tactic(name)
        assert tactic.kind, name
        assert tactic.kind in ("pooling", "generated") or tactic.input_type is not DataType.UNKNOWN, name
        assert tactic.kind == "generated" or tactic.tensor_core is not None, name
