"""Names of xmma, its vectors and poolings, each with every fact worked out by hand."""

from __future__ import annotations

from tests.ingest.spelling.tactics.rows import row

CONV = {"kind": "convolution", "family": "xmma", "library": "xmma"}
IMPLICIT = {**CONV, "algorithm": "implicit gemm"}
GEMM = {"kind": "gemm", "family": "xmma", "library": "xmma"}
POOL = {"kind": "pooling", "family": "pooling", "library": "xmma", "sm": 50, "tensor_core": False}

XMMA = [
    row(
        "sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize128x128x32_stage4_warpsize2x2x1_g1_"
        "tensor16x8x16_simple_t1r1s1",
        "FP16 FP16 FP16 FP16",
        IMPLICIT,
        {"sm": 80, "tile": (128, 128, 32), "stages": 4},
        tensor_core=True,
    ),
    row(
        "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize64x64x64_stage4_warpsize2x1x2_g1_"
        "tensor16x8x16_t1r3s3_aACCESS",
        "FP16 FP16 FP32 FP16",
        IMPLICIT,
        {"sm": 80, "tile": (64, 64, 64), "stages": 4},
        tensor_core=True,
    ),
    row(
        "sm80_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nchwkrsc_nchw_tilesize128x64x16_stage2_warpsize2x2x1_g1_"
        "tensor16x8x8_simple_t1r1s1_aligna4_alignc4",
        "FP32 FP32 FP32 FP32",
        IMPLICIT,
        {"sm": 80, "tile": (128, 64, 16), "stages": 2, "tf32": True},
        tensor_core=True,
    ),
    row(
        "sm70_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize64x64x8_stage1_warpsize1x4x1_g1_ffma_"
        "t1r5s5_aligna4_alignc4",
        "FP32 FP32 FP32 FP32",
        IMPLICIT,
        {"sm": 70, "tile": (64, 64, 8), "stages": 1},
        tensor_core=False,
    ),
    row(
        "sm80_xmma_fprop_implicit_gemm_indexed_wo_smem_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize128x32x64_stage1_"
        "warpsize4x1x1_g1_tensor16x8x16_aligna2_alignc8",
        "FP16 FP16 FP16 FP16",
        IMPLICIT,
        {"sm": 80, "tile": (128, 32, 64), "stages": 1},
        tensor_core=True,
    ),
    row(
        "sm80_xmma_fprop_implicit_gemm_interleaved_i8f16_i8i32_f32_nchw_vect_c_32kcrs_vect_c_32_nchw_vect_c_32_"
        "tilesize128x64x64_stage6_warpsize2x2x1_g1_tensor16x8x32_t1r3s3_epifadd",
        "INT8 INT8 INT32 FP16",
        IMPLICIT,
        {"sm": 80, "tile": (128, 64, 64), "stages": 6},
        tensor_core=True,
    ),
    row(
        "sm80_xmma_fprop_implicit_gemm_interleaved_i8f32_i8i32_f32_nchw_vect_c_32kcrs_vect_c_32_nchw_tilesize64x32x64_"
        "stage6_warpsize2x1x1_g1_tensor16x8x32_t1r1s1_alignc4_nchw",
        "INT8 INT8 INT32 FP32",
        IMPLICIT,
        {"sm": 80, "tile": (64, 32, 64), "stages": 6},
        tensor_core=True,
    ),
    row(
        "sm75_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize64x128x32_stage1_warpsize2x2x1_g4_"
        "tensor16x8x8_t3r3s3",
        "FP16 FP16 FP16 FP16",
        IMPLICIT,
        {"sm": 75, "tile": (64, 128, 32), "stages": 1},
        tensor_core=True,
    ),
    row(
        "sm80_xmma_fprop_implicit_gemm_indexed_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize32x32x8_stage3_warpsize1x2x1_g1_"
        "ffma_aligna4_alignc4_beta0_packed_stride",
        "FP32 FP32 FP32 FP32",
        IMPLICIT,
        {"sm": 80, "tile": (32, 32, 8), "stages": 3},
        tensor_core=False,
    ),
    row(
        "sm80_xmma_dgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x64x32_stage4_warpsize2x2x1_g1_"
        "tensor16x8x16",
        "FP16 FP16 FP32 FP16",
        IMPLICIT,
        {"sm": 80, "tile": (128, 64, 32), "stages": 4},
        kind="deconvolution",
        tensor_core=True,
    ),
    row(
        "sm90_xmma_dgrad_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x64x32_warpgroupsize1x1x1_g1_execute_"
        "segment_k_on_kernel__5x_cudnn",
        "FP32 FP32 FP32 FP32",
        IMPLICIT,
        {"sm": 90, "tile": (128, 64, 32), "tf32": True},
        kind="deconvolution",
        split_k=True,
        tensor_core=True,
    ),
    row(
        "sm80_xmma_fprop_wngd_f32f32_f32_f32_nchwkcrs_nchw_tilesize8x16x16x8_warpsize8x1x1_wngd2x2",
        "FP32 ? FP32 FP32",
        {"kind": "convolution", "family": "xmma", "library": "xmma", "sm": 80},
        algorithm="winograd",
        winograd_tile=(2, 2),
        tensor_core=False,
    ),
    row(
        "sm70_xmma_fprop_conv1x1_i8f32_f32_f32_nchw_vect_c_4kcrs_vect_c_4_nchw_simt_small_batch_bias_relu",
        "INT8 ? FP32 FP32",
        {"kind": "convolution", "family": "xmma", "library": "xmma", "sm": 70},
        tensor_core=False,
    ),
    row(
        "sm70_xmma_gemm_as_conv1x1_f16f16_f16_f16_tn_n_simt_small_batch_bias_relu",
        "FP16 ? FP16 FP16",
        {"kind": "convolution", "family": "xmma", "library": "xmma", "sm": 70},
        tensor_core=False,
    ),
    row(
        "sm80_xmma_fprop_direct_group_f16f16_f16f32_f32_nhwckrsc_nhwc_t1r3s3",
        "FP16 FP16 FP32 FP16",
        {"kind": "convolution", "family": "xmma", "library": "xmma", "sm": 80, "algorithm": "direct"},
    ),
    row(
        "sm80_xmma_depthwise_convolution_fprop_f16f16_f32f32_f32_nhwckrsc_nhwc_tilesize1x8x8_stage2_warpsize4x1x1_g64_"
        "execute_kernel__5x_cudnn",
        "FP16 ? FP32 FP16",
        {"kind": "convolution", "family": "xmma", "library": "xmma", "sm": 80, "stages": 2},
        tensor_core=False,
    ),
    row(
        "sm86_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize32x32x64_stage6_warpsize2x2x1_tensor16x8x8",
        "FP32 FP32 FP32 FP32",
        GEMM,
        {"sm": 86, "tile": (32, 32, 64), "stages": 6, "tf32": True},
        tensor_core=True,
    ),
    row(
        "sm80_xmma_gemm_f16f16_f32f32_f32_nn_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna2_alignc2",
        "FP16 ? FP32 FP16",
        GEMM,
        {"sm": 80, "tile": (32, 32, 8), "stages": 3},
        tensor_core=False,
    ),
    row(
        "sm80_xmma_sparse_gemm_f16f16_f16f32_f32_tt_t_tilesize128x128x64_stage3_warpsize2x2x1_sptensor16x8x32_execute_"
        "kernel_5x_cusparselt",
        "FP16 FP16 FP32 FP16",
        GEMM,
        {"sm": 80, "tile": (128, 128, 64), "stages": 3, "sparse": True},
        tensor_core=True,
    ),
    row(
        "sm89_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize64x128x64_stage4_warpsize2x2x1_tensor16x8x32_bias_f16_execute_"
        "kernel__5x_cublas",
        "FP8 FP8 FP32 BF16",
        GEMM,
        {"sm": 89, "tile": (64, 128, 64), "stages": 4},
        library="cublas",
        tensor_core=True,
    ),
    row(
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cgasize1x2x1_stage4_gmmastage2_"
        "warpgroupsize2x1x1_tensor64x128x16",
        "BF16 BF16 FP32 BF16",
        GEMM,
        {"sm": 90, "tile": (128, 128, 64), "stages": 4},
        tensor_core=True,
    ),
    row(
        "sm100_xmma_gemm_utcmma_f16f16_f16f32_f32_tn",
        "FP16 FP16 FP32 FP16",
        GEMM,
        sm=100,
        tensor_core=True,
    ),
    row(
        "sm120_xmma_gemm_i8i32_i8i32_i32_tn_n_tilesize128x64x64_stage3_warpsize2x2x1_tensor16x8x32_execute_split_k_kernel"
        "_trt",
        "INT8 INT8 INT32 INT32",
        GEMM,
        {"sm": 120, "tile": (128, 64, 64), "stages": 3},
        split_k=True,
        tensor_core=True,
    ),
    row(
        "sm50_xmma_cublas_gemvx_f16f16_f32_f32_tn_n_int32_unit_n_launch_param4x32x32_strided_unit_stride",
        "FP16 ? FP32 FP16",
        {"kind": "gemm", "family": "gemv", "library": "cublas", "sm": 50},
        tensor_core=False,
    ),
    row(
        "sm50_xmma_conv_fprop_fused_conv_act_fp32_NCHW_fp32_NCHW_KCRS_fp32_fp32_fp32_Accfloat_1_1_cC1_dC1_srcVec2_"
        "fltVec1_1_TP6_TQ8_C8_R3_S5_U1_V2",
        "FP32 ? FP32 FP32",
        {"kind": "convolution", "family": "fused convolution", "library": "xmma", "sm": 50, "algorithm": "direct"},
        tensor_core=False,
    ),
    row(
        "sm50_xmma_convolution_depthwiseHMMA_FP16NHWCx8_TR3_TS5_STRIDEH1_STRIDEW2",
        "FP16 ? ? FP16",
        {"kind": "convolution", "family": "xmma", "library": "xmma", "sm": 50},
        tensor_core=True,
    ),
    row("sm72_xmma_fprop_implicit_gemm_interleaved_i8i8_i8i32_f32", "INT8 INT8 INT32 INT8", IMPLICIT, sm=72),
]
POOLING = [
    row(
        "sm50_xmma_pooling_coalescedC_NHWC_kMAX_3_False",
        "? ? ? ?",
        POOL,
    ),
    row(
        "sm50_xmma_pooling_CHWPacked_NCxHW2_kMAX",
        "? ? ? ?",
        POOL,
    ),
    row(
        "sm50_xmma_pooling_fw_4d_FP16FP32NHWC_Average_FastDiv_CAlign8",
        "FP16 ? ? FP16",
        POOL,
    ),
    row(
        "sm50_xmma_pooling_fw_4d_FP32FP32NCHW_Max",
        "FP32 ? ? FP32",
        POOL,
    ),
    row(
        "sm50_xmma_pooling_max_nhwc_FP16FP32_WINDOWSIZE_3_NOT_PROPAGATE_NAN_2D",
        "FP16 ? ? FP16",
        POOL,
    ),
    row(
        "sm50_xmma_pooling_max_nhwc_FP32FP32_WINDOWSIZE_2_PROPAGATE_NAN_3D",
        "FP32 ? ? FP32",
        POOL,
    ),
    row(
        "sm50_xmma_pooling_max_nhwc_FP16FP32_WINDOWSIZE_0_NOT_PROPAGATE_NAN_3D",
        "FP16 ? ? FP16",
        POOL,
    ),
    row(
        "sm50_xmma_pooling_tiled_FP16NCxHW2_kMAX_tP2_tQ32_tR2_tS3_tU2_tV1_tUnroll4_tThreads256",
        "FP16 ? ? FP16",
        POOL,
    ),
    row(
        "sm50_xmma_pooling_nd_NCDHW_kMAX_kGENERIC_3D_POOLING_MODE_kFLOAT_0",
        "FP32 ? ? FP32",
        POOL,
    ),
]
