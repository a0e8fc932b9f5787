"""Names of cuDNN, cuBLAS, CUTLASS, attention and others, each with every fact worked out by hand."""

from __future__ import annotations

from tests.ingest.spelling.tactics.rows import row

CUDNN = {"kind": "convolution", "family": "cuDNN and cuBLAS", "library": "cudnn"}
CUBLAS = {"kind": "gemm", "family": "cuDNN and cuBLAS", "library": "cublas"}
CUTLASS2 = {"family": "CUTLASS 2", "library": "cutlass"}
CUTLASS3 = {"family": "CUTLASS 3", "library": "cutlass", "kind": "gemm"}
NVJET = {"family": "nvjet", "library": "cublas", "kind": "gemm", "tensor_core": True}
ATTENTION = {"family": "attention", "kind": "attention"}
MYELIN = {"family": "Myelin", "library": "Myelin", "kind": "generated"}

STYLED = [
    row(
        "ampere_fp32_icudnn_int8x4_128x64_relu_medium_nn_v1",
        "INT8 INT8 INT32 FP32",
        CUDNN,
        {"sm": 80, "tile": (128, 64, None), "layouts": ("n", "n"), "epilogue": ("relu",), "tensor_core": False},
    ),
    row(
        "ampere_h16816cudnn_128x64_sliced1x2_ldg8_relu_exp_stages_64x3_small_nhwc_tn_v1",
        "FP16 FP16 FP16 FP16",
        CUDNN,
        {"sm": 80, "tile": (128, 64, 64), "stages": 3, "sliced_k": 2, "mma": (16, 8, 16), "epilogue": ("relu",)},
        layouts=("nhwc", "t", "n"),
        tensor_core=True,
    ),
    row(
        "ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1",
        "FP32 FP32 FP32 FP32",
        CUDNN,
        {"sm": 80, "tile": (128, 128, None), "algorithm": "winograd", "epilogue": ("relu",), "tensor_core": False},
        layouts=("n", "t"),
    ),
    row(
        "volta_fp32_i8816cudnn_int8_256x64_ldg16_relu_singleBuffer_interior_nt_v1",
        "INT8 INT8 INT32 FP32",
        CUDNN,
        {"sm": 70, "tile": (256, 64, None), "mma": (8, 8, 16), "epilogue": ("relu",), "tensor_core": True},
        layouts=("n", "t"),
    ),
    row(
        "volta_int8x4_icudnn_int8x4_128x32_relu_xregs_medium_c32_nn_v1",
        "INT8 INT8 INT32 INT8",
        CUDNN,
        {"sm": 70, "tile": (128, 32, None), "epilogue": ("relu",), "tensor_core": False, "layouts": ("n", "n")},
    ),
    row(
        "volta_h884cudnn_256x64_ldg8_relu_exp_small_nhwc_tn_v1",
        "FP16 FP16 FP16 FP16",
        CUDNN,
        {"sm": 70, "tile": (256, 64, None), "mma": (8, 8, 4), "epilogue": ("relu",), "tensor_core": True},
        layouts=("nhwc", "t", "n"),
    ),
    row(
        "trt_turing_h1688cudnn_256x128_ldg8_relu_exp_small_nhwc_tn_v1",
        "FP16 FP16 FP16 FP16",
        CUDNN,
        {"sm": 75, "tile": (256, 128, None), "mma": (16, 8, 8), "epilogue": ("relu",), "tensor_core": True},
        layouts=("nhwc", "t", "n"),
    ),
    row(
        "turing_fp16_s1688cudnn_fp16_128x64_ldg8_relu_f2f_exp_small_nhwc_tn_v1",
        "FP16 FP16 FP32 FP16",
        CUDNN,
        {"sm": 75, "tile": (128, 64, None), "mma": (16, 8, 8), "epilogue": ("relu",), "tensor_core": True},
        layouts=("nhwc", "t", "n"),
    ),
    row(
        "maxwell_scudnn_128x32_sliced1x4_ldg4_relu_exp_interior_nhwc_tn_v1",
        "FP32 FP32 FP32 FP32",
        CUDNN,
        {"sm": 50, "tile": (128, 32, None), "sliced_k": 4, "epilogue": ("relu",), "tensor_core": False},
        layouts=("nhwc", "t", "n"),
    ),
    row(
        "ampere_fp16_s16816gemm_fp16_64x64_sliced1x2_ldg8_relu_f2f_stages_64x6_tn_v1",
        "FP16 FP16 FP32 FP16",
        CUBLAS,
        {"sm": 80, "tile": (64, 64, 64), "stages": 6, "sliced_k": 2, "mma": (16, 8, 16), "epilogue": ("relu",)},
        layouts=("t", "n"),
        tensor_core=True,
    ),
    row(
        "ampere_s16816gemm_64x64_tn",
        "? ? FP32 FP32",
        CUBLAS,
        {"sm": 80, "tile": (64, 64, None), "mma": (16, 8, 16), "layouts": ("t", "n"), "tensor_core": True},
    ),
    row(
        "ampere_igemm_128x128_nn",
        "? ? INT32 ?",
        CUBLAS,
        {"sm": 80, "tile": (128, 128, None), "layouts": ("n", "n"), "tensor_core": False},
    ),
    row(
        "ampere_fp16_s16816gemm_fp16_256x128_ldg8_f2f_gelu_nn_v1",
        "FP16 FP16 FP32 FP16",
        CUBLAS,
        {"sm": 80, "tile": (256, 128, None), "mma": (16, 8, 16), "epilogue": ("gelu",), "tensor_core": True},
        layouts=("n", "n"),
    ),
    row(
        "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn",
        "BF16 BF16 FP32 BF16",
        CUBLAS,
        {"sm": 80, "tile": (128, 64, 64), "stages": 4, "mma": (16, 8, 16), "layouts": ("t", "n"), "tensor_core": True},
    ),
    row(
        "ampere_h16816gemm_128x128_ldg8_stages_32x5_nn_v1",
        "FP16 FP16 FP16 FP16",
        CUBLAS,
        {"sm": 80, "tile": (128, 128, 32), "stages": 5, "mma": (16, 8, 16), "layouts": ("n", "n"), "tensor_core": True},
    ),
    row(
        "ampere_sgemm_32x32_sliced1x4_relu_nn_v1",
        "FP32 FP32 FP32 FP32",
        CUBLAS,
        {"sm": 80, "tile": (32, 32, None), "sliced_k": 4, "epilogue": ("relu",), "tensor_core": False},
        layouts=("n", "n"),
    ),
    row(
        "ampere_fp16_sgemm_fp16_64x32_sliced1x4_tn_v1",
        "FP16 FP16 FP32 FP16",
        CUBLAS,
        {"sm": 80, "tile": (64, 32, None), "sliced_k": 4, "layouts": ("t", "n"), "tensor_core": False},
    ),
    row(
        "volta_sgemm_128x32_relu_nn_v1",
        "FP32 FP32 FP32 FP32",
        CUBLAS,
        {"sm": 70, "tile": (128, 32, None), "epilogue": ("relu",), "layouts": ("n", "n"), "tensor_core": False},
    ),
]
CUTLASS = [
    row(
        "cutlass_80_tensorop_f16_s16816gemm_relu_f16_256x128_32x3_tn_align8",
        "FP16 FP16 FP32 FP16",
        CUTLASS2,
        {"sm": 80, "tile": (256, 128, 32), "stages": 3, "mma": (16, 8, 16), "epilogue": ("relu",), "kind": "gemm"},
        layouts=("t", "n"),
        alignment=(8, 8, 8),
        tensor_core=True,
    ),
    row(
        "cutlass_tensorop_s1688tf32gemm_128x64_16x6_nn_align4",
        "FP32 FP32 FP32 FP32",
        CUTLASS2,
        {"tile": (128, 64, 16), "stages": 6, "mma": (16, 8, 8), "tf32": True, "kind": "gemm", "layouts": ("n", "n")},
        alignment=(4, 4, 4),
        tensor_core=True,
    ),
    row(
        "cutlass_80_wmma_tensorop_f16_s161616gemm_f16_16x16_128x2_tn_align8",
        "FP16 FP16 FP32 FP16",
        CUTLASS2,
        {"sm": 80, "tile": (16, 16, 128), "stages": 2, "mma": (16, 16, 16), "kind": "gemm", "layouts": ("t", "n")},
        alignment=(8, 8, 8),
        tensor_core=True,
    ),
    row(
        "cutlass_tensorop_s16832spgemm_bf16_64x128_64x6_tn_align8",
        "BF16 BF16 FP32 FP32",
        CUTLASS2,
        {"tile": (64, 128, 64), "stages": 6, "mma": (16, 8, 32), "sparse": True, "kind": "gemm", "layouts": ("t", "n")},
        alignment=(8, 8, 8),
        tensor_core=True,
    ),
    row(
        "cutlass_tensorop_s4_i16864gemm_s4_128x128_256x4_tn_align32",
        "INT4 INT4 INT32 INT4",
        CUTLASS2,
        {"tile": (128, 128, 256), "stages": 4, "mma": (16, 8, 64), "kind": "gemm", "layouts": ("t", "n")},
        alignment=(32, 32, 32),
        tensor_core=True,
    ),
    row(
        "cutlass_tensorop_s1688fprop_optimized_tf32_64x64_16x10_nhwc_align4",
        "FP32 FP32 FP32 FP32",
        CUTLASS2,
        {"tile": (64, 64, 16), "stages": 10, "mma": (16, 8, 8), "tf32": True, "algorithm": "implicit gemm"},
        kind="convolution",
        layouts=("nhwc",),
        alignment=(4, 4, 4),
        tensor_core=True,
    ),
    row(
        "cutlass_80_simt_sgemm_128x64_8x5_nt_align1",
        "FP32 FP32 FP32 FP32",
        CUTLASS2,
        {"sm": 80, "tile": (128, 64, 8), "stages": 5, "kind": "gemm", "layouts": ("n", "t"), "tensor_core": False},
        alignment=(1, 1, 1),
    ),
    row(
        "cutlass3x_sm90_tensorop_s64x256x16gemm_f16_f16_f32_f16_f16_128x256x64_2x1x1_0_tnn_align8_warpspecialized_"
        "cooperative_epi_tma",
        "FP16 FP16 FP32 FP16",
        CUTLASS3,
        {"sm": 90, "tile": (128, 256, 64), "mma": (64, 256, 16), "cluster": (2, 1, 1), "alignment": (8, 8, 8)},
        layouts=("t", "n", "n"),
        tensor_core=True,
    ),
    row(
        "cutlass3x_sm90_tensorop_i64x128x32gemm_s8_s8_s32_s8_s8_128x128x128_2x1x1_4_tnn_align16_warpspecialized_pingpong",
        "INT8 INT8 INT32 INT8",
        CUTLASS3,
        {"sm": 90, "tile": (128, 128, 128), "mma": (64, 128, 32), "cluster": (2, 1, 1), "stages": 4},
        alignment=(16, 16, 16),
        layouts=("t", "n", "n"),
        tensor_core=True,
    ),
    row(
        "cutlass3x_sm100_tensorop_gemm_bf16_bf16_f32_void_bf16_256x256x64_0x0x1_0_ttn_align8_2sm",
        "BF16 BF16 FP32 BF16",
        CUTLASS3,
        {"sm": 100, "tile": (256, 256, 64), "alignment": (8, 8, 8), "layouts": ("t", "t", "n"), "tensor_core": True},
    ),
    row(
        "cutlass3x_sm100_bstensorop_s256x192x64gemm_block_scaled_ue4m3xf4_ue4m3xf4_f32_f16_f16_256x192x256_2x1x1_0_tnn_"
        "align32_o_vs16_2sm_bias_f16_relu",
        "FP4 FP4 FP32 FP16",
        CUTLASS3,
        {"sm": 100, "tile": (256, 192, 256), "mma": (256, 192, 64), "cluster": (2, 1, 1), "alignment": (32, 32, 32)},
        layouts=("t", "n", "n"),
        epilogue=("bias", "relu"),
        tensor_core=True,
    ),
    row(
        "cutlass3x_sm100_sptensorop_spgemm_e4m3_e4m3_f32_f16_f16_128x64x128_1x1x1_0_tnn_align32_1sm",
        "FP8 FP8 FP32 FP16",
        CUTLASS3,
        {"sm": 100, "tile": (128, 64, 128), "cluster": (1, 1, 1), "alignment": (32, 32, 32), "sparse": True},
        layouts=("t", "n", "n"),
        tensor_core=True,
    ),
    row(
        "trt_turing_cutlass_image_network_first_layer_hmma_fprop_f16f16f32_nhwc_nhwc_k64r7s7c4_stride2x2",
        "FP16 FP16 FP32 ?",
        {"kind": "convolution", "family": "TensorRT", "library": "cutlass", "sm": 75, "window": (7, 7)},
        stride=(2, 2),
        layouts=("nhwc", "nhwc"),
        tensor_core=True,
    ),
]
OTHERS = [
    row(
        "nvjet_sm90_tst_192x192_64x3_2x1_v_bz_coopB_NTN",
        "BF16 BF16 FP32 BF16",
        NVJET,
        {"sm": 90, "tile": (192, 192, 64), "stages": 3, "cluster": (2, 1, 1), "layouts": ("n", "t", "n")},
    ),
    row(
        "nvjet_hsh_256x128_64x4_1x2_h_bz_coopA_NTT",
        "FP16 FP16 FP32 FP16",
        NVJET,
        {"tile": (256, 128, 64), "stages": 4, "cluster": (1, 2, 1), "layouts": ("n", "t", "t")},
    ),
    row(
        "nvjet_sm103_tst_64x8_64x16_4x1_v_bz_splitK_TNT",
        "BF16 BF16 FP32 BF16",
        NVJET,
        {"sm": 103, "tile": (64, 8, 64), "stages": 16, "cluster": (4, 1, 1), "layouts": ("t", "n", "t")},
        split_k=True,
    ),
    row(
        "nvjet_sm90_qqtst_128x128_128x6_1x2_h_bz_ovscale_bias_TNT",
        "FP8 FP8 FP32 BF16",
        NVJET,
        {"sm": 90, "tile": (128, 128, 128), "stages": 6, "cluster": (1, 2, 1), "layouts": ("t", "n", "t")},
        epilogue=("bias",),
    ),
    row(
        "nvjet_sm100_oohsh_128x256_256x5_2x2_2cta_h_bz_Avec16UE4M3_Bvec16UE4M3_TNT",
        "FP4 FP4 FP32 FP16",
        NVJET,
        {"sm": 100, "tile": (128, 256, 256), "stages": 5, "cluster": (2, 2, 1), "layouts": ("t", "n", "t")},
    ),
    row(
        "nvjet_sm121_tst_mma_128x128x64_3_64x32x64_tmaAB_splitK_TNNN",
        "BF16 BF16 FP32 BF16",
        NVJET,
        {"sm": 121, "tile": (128, 128, 64), "stages": 3, "split_k": True},
    ),
    row("fmha_v2_flash_attention_fp16_64_128_S_128_sm80_kernel_nl", "FP16 ? ? ?", ATTENTION, sm=80, head_size=128),
    row(
        "fmha_v2_flash_attention_fp16_64_32_S_qkv_64_causal_sm86_kernel_nl",
        "FP16 ? ? ?",
        ATTENTION,
        {"sm": 86, "head_size": 64, "layouts": ("qkv",)},
    ),
    row(
        "fmha_v2_flash_attention_e4m3_fp32_64_64_S_q_k_v_192x128_output_bf16_sm120_kernel_nl_tiled",
        "FP8 ? FP32 BF16",
        ATTENTION,
        {"sm": 120, "head_size": 192, "layouts": ("q_k_v",)},
    ),
    row("fmha_v2_fp16_384_64_sm75_kernel", "FP16 ? ? ?", ATTENTION, sm=75, head_size=64),
    row("fmha_v2_il_int8_384_32_sm120", "INT8 ? ? ?", ATTENTION, sm=120, head_size=32),
    row("_gemm_mha_v2_0x9e2c8d3f1a0b4c5d6e7f8091a2b3c4d5", "? ? ? ?", ATTENTION),
    row("__mye8037_gemm_mha_v2", "? ? ? ?", ATTENTION, library="Myelin"),
    row("__myl_AddMaxrSubExpSum_0x574acd01f7517732d5f2fd1c9042a089", "? ? ? ?", MYELIN),
    row("__myelin_CASK_STUB", "? ? ? ?", family="Myelin", library="Myelin"),
    row("__myl_bb1_2_TraSliMovSli", "? ? ? ?", MYELIN),
    row("generatedNativePointwise", "? ? ? ?", {"kind": "pointwise", "family": "pointwise"}, tensor_core=False),
    row(
        "sm80_trt_conv_act_pool_v3_tile_rows_8_tile_cols_120_execute_kernel_trt",
        "? ? ? ?",
        {"kind": "convolution", "family": "TensorRT", "sm": 80},
    ),
    row(
        "volta_hmma_implicit_gemm_fprop_fp32_nhwc_128x128x64x1_1x3x3x0x1",
        "? ? ? ?",
        {"kind": "convolution", "sm": 70, "algorithm": "implicit gemm", "layouts": ("nhwc",), "tensor_core": True},
    ),
    row("ampere_int32_unknown_kernel", "? ? ? ?", sm=80),
]
