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
        {"sm": 80, "tile": (128, 64, None), "tensor_core": False},
    ),
    row(
        "ampere_h16816cudnn_128x64_sliced1x2_ldg8_relu_exp_stages_64x3_small_nhwc_tn_v1",
        "FP16 FP16 FP16 FP16",
        CUDNN,
        {"sm": 80, "tile": (128, 64, 64), "stages": 3},
        tensor_core=True,
    ),
    row(
        "ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1",
        "FP32 FP32 FP32 FP32",
        CUDNN,
        {"sm": 80, "tile": (128, 128, None), "algorithm": "winograd", "tensor_core": False},
    ),
    row(
        "volta_fp32_i8816cudnn_int8_256x64_ldg16_relu_singleBuffer_interior_nt_v1",
        "INT8 INT8 INT32 FP32",
        CUDNN,
        {"sm": 70, "tile": (256, 64, None), "tensor_core": True},
    ),
    row(
        "volta_int8x4_icudnn_int8x4_128x32_relu_xregs_medium_c32_nn_v1",
        "INT8 INT8 INT32 INT8",
        CUDNN,
        {"sm": 70, "tile": (128, 32, None), "tensor_core": False},
    ),
    row(
        "volta_h884cudnn_256x64_ldg8_relu_exp_small_nhwc_tn_v1",
        "FP16 FP16 FP16 FP16",
        CUDNN,
        {"sm": 70, "tile": (256, 64, None), "tensor_core": True},
    ),
    row(
        "trt_turing_h1688cudnn_256x128_ldg8_relu_exp_small_nhwc_tn_v1",
        "FP16 FP16 FP16 FP16",
        CUDNN,
        {"sm": 75, "tile": (256, 128, None), "tensor_core": True},
    ),
    row(
        "turing_fp16_s1688cudnn_fp16_128x64_ldg8_relu_f2f_exp_small_nhwc_tn_v1",
        "FP16 FP16 FP32 FP16",
        CUDNN,
        {"sm": 75, "tile": (128, 64, None), "tensor_core": True},
    ),
    row(
        "maxwell_scudnn_128x32_sliced1x4_ldg4_relu_exp_interior_nhwc_tn_v1",
        "FP32 FP32 FP32 FP32",
        CUDNN,
        {"sm": 50, "tile": (128, 32, None), "tensor_core": False},
    ),
    row(
        "ampere_fp16_s16816gemm_fp16_64x64_sliced1x2_ldg8_relu_f2f_stages_64x6_tn_v1",
        "FP16 FP16 FP32 FP16",
        CUBLAS,
        {"sm": 80, "tile": (64, 64, 64), "stages": 6},
        tensor_core=True,
    ),
    row(
        "ampere_s16816gemm_64x64_tn",
        "? ? FP32 FP32",
        CUBLAS,
        {"sm": 80, "tile": (64, 64, None), "tensor_core": True},
    ),
    row(
        "ampere_igemm_128x128_nn",
        "? ? INT32 ?",
        CUBLAS,
        {"sm": 80, "tile": (128, 128, None), "tensor_core": False},
    ),
    row(
        "ampere_fp16_s16816gemm_fp16_256x128_ldg8_f2f_gelu_nn_v1",
        "FP16 FP16 FP32 FP16",
        CUBLAS,
        {"sm": 80, "tile": (256, 128, None), "tensor_core": True},
    ),
    row(
        "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn",
        "BF16 BF16 FP32 BF16",
        CUBLAS,
        {"sm": 80, "tile": (128, 64, 64), "stages": 4, "tensor_core": True},
    ),
    row(
        "ampere_h16816gemm_128x128_ldg8_stages_32x5_nn_v1",
        "FP16 FP16 FP16 FP16",
        CUBLAS,
        {"sm": 80, "tile": (128, 128, 32), "stages": 5, "tensor_core": True},
    ),
    row(
        "ampere_sgemm_32x32_sliced1x4_relu_nn_v1",
        "FP32 FP32 FP32 FP32",
        CUBLAS,
        {"sm": 80, "tile": (32, 32, None), "tensor_core": False},
    ),
    row(
        "ampere_fp16_sgemm_fp16_64x32_sliced1x4_tn_v1",
        "FP16 FP16 FP32 FP16",
        CUBLAS,
        {"sm": 80, "tile": (64, 32, None), "tensor_core": False},
    ),
    row(
        "volta_sgemm_128x32_relu_nn_v1",
        "FP32 FP32 FP32 FP32",
        CUBLAS,
        {"sm": 70, "tile": (128, 32, None), "tensor_core": False},
    ),
]
CUTLASS = [
    row(
        "cutlass_80_tensorop_f16_s16816gemm_relu_f16_256x128_32x3_tn_align8",
        "FP16 FP16 FP32 FP16",
        CUTLASS2,
        {"sm": 80, "tile": (256, 128, 32), "stages": 3, "kind": "gemm"},
        tensor_core=True,
    ),
    row(
        "cutlass_tensorop_s1688tf32gemm_128x64_16x6_nn_align4",
        "FP32 FP32 FP32 FP32",
        CUTLASS2,
        {"tile": (128, 64, 16), "stages": 6, "tf32": True, "kind": "gemm"},
        tensor_core=True,
    ),
    row(
        "cutlass_80_wmma_tensorop_f16_s161616gemm_f16_16x16_128x2_tn_align8",
        "FP16 FP16 FP32 FP16",
        CUTLASS2,
        {"sm": 80, "tile": (16, 16, 128), "stages": 2, "kind": "gemm"},
        tensor_core=True,
    ),
    row(
        "cutlass_tensorop_s16832spgemm_bf16_64x128_64x6_tn_align8",
        "BF16 BF16 FP32 FP32",
        CUTLASS2,
        {"tile": (64, 128, 64), "stages": 6, "sparse": True, "kind": "gemm"},
        tensor_core=True,
    ),
    row(
        "cutlass_tensorop_s4_i16864gemm_s4_128x128_256x4_tn_align32",
        "INT4 INT4 INT32 INT4",
        CUTLASS2,
        {"tile": (128, 128, 256), "stages": 4, "kind": "gemm"},
        tensor_core=True,
    ),
    row(
        "cutlass_tensorop_s1688fprop_optimized_tf32_64x64_16x10_nhwc_align4",
        "FP32 FP32 FP32 FP32",
        CUTLASS2,
        {"tile": (64, 64, 16), "stages": 10, "tf32": True, "algorithm": "implicit gemm"},
        kind="convolution",
        tensor_core=True,
    ),
    row(
        "cutlass_80_simt_sgemm_128x64_8x5_nt_align1",
        "FP32 FP32 FP32 FP32",
        CUTLASS2,
        {"sm": 80, "tile": (128, 64, 8), "stages": 5, "kind": "gemm", "tensor_core": False},
    ),
    row(
        "cutlass3x_sm90_tensorop_s64x256x16gemm_f16_f16_f32_f16_f16_128x256x64_2x1x1_0_tnn_align8_warpspecialized_"
        "cooperative_epi_tma",
        "FP16 FP16 FP32 FP16",
        CUTLASS3,
        {"sm": 90, "tile": (128, 256, 64)},
        tensor_core=True,
    ),
    row(
        "cutlass3x_sm90_tensorop_i64x128x32gemm_s8_s8_s32_s8_s8_128x128x128_2x1x1_4_tnn_align16_warpspecialized_pingpong",
        "INT8 INT8 INT32 INT8",
        CUTLASS3,
        {"sm": 90, "tile": (128, 128, 128), "stages": 4},
        tensor_core=True,
    ),
    row(
        "cutlass3x_sm100_tensorop_gemm_bf16_bf16_f32_void_bf16_256x256x64_0x0x1_0_ttn_align8_2sm",
        "BF16 BF16 FP32 BF16",
        CUTLASS3,
        {"sm": 100, "tile": (256, 256, 64), "tensor_core": True},
    ),
    row(
        "cutlass3x_sm100_bstensorop_s256x192x64gemm_block_scaled_ue4m3xf4_ue4m3xf4_f32_f16_f16_256x192x256_2x1x1_0_tnn_"
        "align32_o_vs16_2sm_bias_f16_relu",
        "FP4 FP4 FP32 FP16",
        CUTLASS3,
        {"sm": 100, "tile": (256, 192, 256)},
        tensor_core=True,
    ),
    row(
        "cutlass3x_sm100_sptensorop_spgemm_e4m3_e4m3_f32_f16_f16_128x64x128_1x1x1_0_tnn_align32_1sm",
        "FP8 FP8 FP32 FP16",
        CUTLASS3,
        {"sm": 100, "tile": (128, 64, 128), "sparse": True},
        tensor_core=True,
    ),
    row(
        "trt_turing_cutlass_image_network_first_layer_hmma_fprop_f16f16f32_nhwc_nhwc_k64r7s7c4_stride2x2",
        "FP16 FP16 FP32 ?",
        {"kind": "convolution", "family": "TensorRT", "library": "cutlass", "sm": 75},
        tensor_core=True,
    ),
]
OTHERS = [
    row(
        "nvjet_sm90_tst_192x192_64x3_2x1_v_bz_coopB_NTN",
        "BF16 BF16 FP32 BF16",
        NVJET,
        {"sm": 90, "tile": (192, 192, 64), "stages": 3},
    ),
    row(
        "nvjet_hsh_256x128_64x4_1x2_h_bz_coopA_NTT",
        "FP16 FP16 FP32 FP16",
        NVJET,
        {"tile": (256, 128, 64), "stages": 4},
    ),
    row(
        "nvjet_sm103_tst_64x8_64x16_4x1_v_bz_splitK_TNT",
        "BF16 BF16 FP32 BF16",
        NVJET,
        {"sm": 103, "tile": (64, 8, 64), "stages": 16},
        split_k=True,
    ),
    row(
        "nvjet_sm90_qqtst_128x128_128x6_1x2_h_bz_ovscale_bias_TNT",
        "FP8 FP8 FP32 BF16",
        NVJET,
        {"sm": 90, "tile": (128, 128, 128), "stages": 6},
    ),
    row(
        "nvjet_sm100_oohsh_128x256_256x5_2x2_2cta_h_bz_Avec16UE4M3_Bvec16UE4M3_TNT",
        "FP4 FP4 FP32 FP16",
        NVJET,
        {"sm": 100, "tile": (128, 256, 256), "stages": 5},
    ),
    row(
        "nvjet_sm121_tst_mma_128x128x64_3_64x32x64_tmaAB_splitK_TNNN",
        "BF16 BF16 FP32 BF16",
        NVJET,
        {"sm": 121, "tile": (128, 128, 64), "stages": 3, "split_k": True},
    ),
    row(
        "fmha_v2_flash_attention_fp16_64_128_S_128_sm80_kernel_nl",
        "FP16 ? ? ?",
        ATTENTION,
        sm=80,
    ),
    row(
        "fmha_v2_flash_attention_fp16_64_32_S_qkv_64_causal_sm86_kernel_nl",
        "FP16 ? ? ?",
        ATTENTION,
        {"sm": 86},
    ),
    row(
        "fmha_v2_flash_attention_e4m3_fp32_64_64_S_q_k_v_192x128_output_bf16_sm120_kernel_nl_tiled",
        "FP8 ? FP32 BF16",
        ATTENTION,
        {"sm": 120},
    ),
    row(
        "fmha_v2_fp16_384_64_sm75_kernel",
        "FP16 ? ? ?",
        ATTENTION,
        sm=75,
    ),
    row(
        "fmha_v2_il_int8_384_32_sm120",
        "INT8 ? ? ?",
        ATTENTION,
        sm=120,
    ),
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
        {"kind": "convolution", "sm": 70, "algorithm": "implicit gemm", "tensor_core": True},
    ),
    row("ampere_int32_unknown_kernel", "? ? ? ?", sm=80),
]
