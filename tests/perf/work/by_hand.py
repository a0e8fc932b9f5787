"""Layers of real engines with their work, written out by hand from the engine's own shapes; nothing from our code.

Every figure is an arithmetic expression over the extents in the engine's file: batch·channels·height·width,
kernels and bytes per value (FP32 4, FP16 2, INT8 1). ``bound`` is worked out from the published peaks of the device,
in microseconds in the comment at its end; None where caches decide. The peaks (dense, 10¹² a second):

- A100 80GB PCIe: 312 FP16, 156 TF32, 624 INT8 on the tensor cores, 19.5 FP32 on the CUDA cores; 1935 GB/s; L2 40 MB
- RTX 3090: 142 FP16 summed in FP16, 35.6 TF32 and FP32; 936 GB/s; L2 6 MB
- RTX 3060 Laptop at 1.425 GHz: 43.8 FP16 summed in FP16, 10.9 FP32; 336 GB/s; L2 3 MB
- TITAN RTX: 672 GB/s; A10: 31.2 FP32, 600 GB/s

A kernel that takes less than 2 µs by all of these is bound by its launch.
"""

from __future__ import annotations

from dataclasses import dataclass

A100 = "NVIDIA A100 80GB PCIe"
RTX_3090 = "NVIDIA GeForce RTX 3090"
RTX_3060 = "NVIDIA GeForce RTX 3060 Laptop GPU"
TITAN = "NVIDIA TITAN RTX"
A10 = "NVIDIA A10"


@dataclass(frozen=True)
class Row:
    """engine: folder of real engines. index: in ``plan.working_layers``. name: how the layer's name begins. read holds
    stored weights. other: operations other than MACs. None: unknown.
    """

    engine: str
    index: int
    name: str
    kind: str
    macs: int | None
    other: int | None
    read: int | None
    written: int | None
    bound: str | None = None
    device: str = ""


FP32, FP16, QAT = "trt8.4-resnet18-a100-fp32", "trt8.4-resnet18-a100-fp16", "trt8.4-resnet18-a100-qat"
QGAP = "trt8.4-resnet18-a100-qat-residual-qgap"
R50, R50_FP32, R50_QAT = (f"trt8.2-resnet50-rtx3090-{kind}" for kind in ("fp16", "fp32", "qat"))
MOBILE, MOBILE_RES = "trt8.4-mobilenetv2-qat", "trt8.4-mobilenetv2-qat-residuals"
ALEX, ALEX_FP16, R18_FP16 = "trt10.1-alexnet-onnx", "trt10.4-alexnet-fp16-rtx3060", "trt10.4-resnet18-fp16-rtx3060"
CONTROL = "trt8.6-controlnet-a10"

# fmt: off
ROWS = (
    # ---- ResNet-18, batch 32, FP32 on A100. Bias is FP32: 4 bytes a channel; ReLU and bias: 2 operations a value.
    Row(FP32, 0, "Conv_0 + Relu_1", "convolution",
        32*112*112 * 64 * (3*7*7),                      # each of 32·112·112 positions: 64 filters over 3·7·7 values
        32*64*112*112 * 2,
        32*3*224*224*4 + 64*3*7*7*4 + 64*4, 32*64*112*112*4,
        "CUDA cores", A100),                            # FP32 without tensor cores: 7.55e9/19.5e12 = 387, bytes 63
    Row(FP32, 1, "MaxPool_2", "pooling",
        0, 32*64*56*56 * (3*3 - 1),                     # the maximum of 9 takes 8 comparisons
        32*64*112*112*4, 32*64*56*56*4,
        "memory", A100),                                # 128e6/1935e9 = 66, comparisons 2.6
    Row(FP32, 2, "Reformatting CopyNode for Output Tensor 0 to MaxPool_2", "reformat",
        0, 0, 32*64*56*56*4, 32*64*56*56*4, "memory", A100),  # what is written alone 13, through the L2 7
    Row(FP32, 3, "Conv_3 + Relu_4", "convolution",
        32*56*56 * 64 * (64*3*3), 32*64*56*56 * 2,
        32*64*56*56*4 + 64*64*3*3*4 + 64*4, 32*64*56*56*4,
        "tensor cores", A100),                          # TF32: 7.40e9/156e12 = 47, bytes 27
    Row(FP32, 4, "Conv_5 + Add_6 + Relu_7", "convolution",
        32*56*56 * 64 * (64*3*3), 32*64*56*56 * 3,      # bias, residual, ReLU
        2 * 32*64*56*56*4 + 64*64*3*3*4 + 64*4, 32*64*56*56*4,
        "tensor cores", A100),                          # 47, bytes 40
    Row(FP32, 23, "Gemm_48", "convolution",
        32 * 1000 * 512, 32*1000,                       # bias, no activation
        32*512*4 + 512*1000*4 + 1000*4, 32*1000*4,      # NHWC4: 512 and 1000 are multiples of 4
        "launch", A100),                                # bytes 1.2, TF32 0.2
    # ---- the same in FP16
    Row(FP16, 0, "Reformatting CopyNode for Input Tensor 0 to Conv_0 + Relu_1", "reformat",
        0, 0, 32*3*224*224*4, 32*4*224*224*2,           # NHWC4: three channels padded to four
        "memory", A100),                                # 32.1e6/1935e9 = 17
    Row(FP16, 1, "Conv_0 + Relu_1", "convolution",
        32*112*112 * 64 * (3*7*7), 32*64*112*112 * 2,   # the padding channel is read, but is no work
        32*4*224*224*2 + 64*3*7*7*2 + 64*2, 32*64*112*112*2,
        "memory", A100),                                # 64e6 bytes 33 (27 when the input is in the L2), products 24
    Row(FP16, 2, "MaxPool_2", "pooling",
        0, 32*64*56*56 * 8, 32*64*112*112*2, 32*64*56*56*2,
        "memory", A100),                                # 33
    Row(FP16, 3, "Conv_3 + Relu_4", "convolution",
        32*56*56 * 64 * (64*3*3), 32*64*56*56 * 2,
        32*64*56*56*2 + 64*64*9*2 + 64*2, 32*64*56*56*2,
        "tensor cores", A100),                          # 7.40e9/312e12 = 24, bytes 13
    Row(FP16, 4, "Conv_5 + Add_6 + Relu_7", "convolution",
        32*56*56 * 64 * (64*3*3), 32*64*56*56 * 3,
        2 * 32*64*56*56*2 + 64*64*9*2 + 64*2, 32*64*56*56*2,
        "tensor cores", A100),                          # 24, bytes 20
    Row(FP16, 7, "Conv_13 + Relu_14", "convolution",
        32*28*28 * 128 * (64*3*3), 32*128*28*28 * 2,    # stride 2, but 3×3 windows overlap: all of the input is read
        32*64*56*56*2 + 128*64*9*2 + 128*2, 32*128*28*28*2,
        "tensor cores", A100),                          # 3.70e9/312e12 = 11.9, bytes 10.0
    Row(FP16, 8, "Conv_15", "convolution",
        32*28*28 * 128 * (128*3*3), 32*128*28*28,       # bias only
        32*128*28*28*2 + 128*128*9*2 + 128*2, 32*128*28*28*2,
        "tensor cores", A100),                          # 24, bytes 6.8
    Row(FP16, 22, "GlobalAveragePool_46", "pooling",
        0, 32*512 * 49,                                 # 48 additions and a division
        32*512*7*7*2, 32*512*2, "launch", A100),        # 0.85
    Row(FP16, 23, "Gemm_48", "convolution",
        32 * 1000 * 512, 32*1000, 32*512*2 + 512*1000*2 + 1000*2, 32*1000*2, "launch", A100),
    Row(FP16, 24, "Reformatting CopyNode for Output Tensor 0 to reshape_after_Gemm", "reformat",
        0, 0, 32*1000*2, 32*1000*4, "launch", A100),
    # ---- the same with INT8 (QAT); the biases stay FP32
    Row(QAT, 0, "QuantizeLinear_2", "reformat",
        0, 32*3*224*224 * 2,                            # multiplication and rounding
        32*3*224*224*4, 32*4*224*224*1,                 # NC/4HW4: padded to four channels
        "memory", A100),                                # 25.7e6/1935e9 = 13
    Row(QAT, 1, "conv1.weight + QuantizeLinear_7 + Conv_9", "convolution",
        32*112*112 * 64 * (3*7*7), 32*64*112*112 * 2,
        32*4*224*224*1 + 64*3*7*7*1 + 64*4, 32*64*112*112*4),  # writes FP32; DP4A on CUDA cores: no published peak here
    Row(QAT, 4, "QuantizeLinear_15", "reformat",
        0, 32*64*56*56 * 2, 32*64*56*56*2, 32*64*56*56*1),     # 19 MB: the L2 may serve all of it
    Row(QAT, 8, "layer1.1.conv1.weight + QuantizeLinear_45 + Conv_47", "convolution",
        32*56*56 * 64 * (64*3*3), 32*64*56*56 * 2,
        32*64*56*56*1 + 64*64*9*1 + 64*4, 32*64*56*56*1,
        "tensor cores", A100),                          # 7.40e9/624e12 = 11.9, bytes 6.7
    Row(QGAP, 1, "conv1.weight + QuantizeLinear_7 + Conv_9 + MaxPool_12", "convolution-and-pooling",
        32*112*112 * 64 * (3*7*7),                      # 112·112 before the pooling, never written
        32*64*112*112 * 2 + 32*64*56*56 * 8,            # bias and ReLU there, 8 comparisons behind it
        32*3*224*224*1 + 64*3*7*7*1 + 64*4, 32*64*56*56*1,
        "tensor cores", A100),                          # 7.55e9/624e12 = 12.1, bytes 5.8
    Row(QGAP, 3, "layer1.0.conv2.weight + QuantizeLinear_32 + Conv_34 + Add_42", "convolution",
        32*56*56 * 64 * (64*3*3), 32*64*56*56 * 3,
        2 * 32*64*56*56*1 + 64*64*9*1 + 64*4, 32*64*56*56*1,
        "tensor cores", A100),                          # 11.9, bytes 10.0
    Row(QGAP, 7, "layer2.0.downsample.0.weight", "convolution",
        32*28*28 * 128 * 64, 32*128*28*28,
        32*64*28*28*1 + 128*64*1 + 128*4,               # 1×1 with stride 2 reads every second value of every second row
        32*128*28*28*1),
    Row(QGAP, 22, "fc.weight + QuantizeLinear_309 + Gemm_311", "convolution",
        32 * 1000 * 512, 32*1000, 32*512*1 + 512*1000*1 + 1000*4, 32*1000*4, "launch", A100),
    # ---- ResNet-50 (v1: stride in the first 1×1 convolution), batch 32, on RTX 3090
    Row(R50, 0, "resnet50/conv1_conv/Conv2D__6", "movement",
        0, 0, 32*224*224*3*4, 32*3*224*224*4, "memory", RTX_3090),        # NHWC to NCHW: 38.5e6/936e9 = 41
    Row(R50, 3, "resnet50/pool1_pad/Pad", "slice",
        0, 0, 32*64*112*112*2, 32*64*114*114*2,         # the margin is written, but not read
        "memory", RTX_3090),                            # 112
    Row(R50, 4, "resnet50/pool1_pool/MaxPool", "pooling",
        0, 32*64*56*56 * 8, 32*64*114*114*2, 32*64*56*56*2, "memory", RTX_3090),
    Row(R50, 5, "resnet50/conv2_block1_1_conv/Conv2D", "convolution",
        32*56*56 * 64 * 64, 32*64*56*56 * 2,
        32*64*56*56*2 + 64*64*2 + 64*2, 32*64*56*56*2,
        "memory", RTX_3090),                            # 25.7e6/936e9 = 27, products 5.8
    Row(R50, 16, "resnet50/conv3_block1_2_conv/Conv2D", "convolution",
        32*28*28 * 128 * (128*3*3), 32*128*28*28 * 2,
        32*128*28*28*2 + 128*128*9*2 + 128*2, 32*128*28*28*2,
        "tensor cores", RTX_3090),                      # 7.40e9/142e12 = 52, bytes 14
    Row(R50, 18, "resnet50/conv3_block1_0_conv/Conv2D", "convolution",
        32*28*28 * 512 * 256, 32*512*28*28 * 3,         # projection, added to the branch
        32*256*28*28*2 + 32*512*28*28*2 + 512*256*2 + 512*2, 32*512*28*28*2,  # a quarter of 56·56 is read
        "memory", RTX_3090),                            # 64e6/936e9 = 69, products 46
    Row(R50, 58, "resnet50/predictions/MatMul", "convolution",
        32 * 1000 * 2048, 32*1000, 32*2048*2 + 2048*1000*2 + 1000*2, 32*1000*2,
        "memory", RTX_3090),                            # weights 4.4, products 0.9
    Row(R50, 60, "resnet50/predictions/Softmax", "softmax",
        0, 32*1000 * 5,                                 # maximum, subtraction, exponential, sum, division
        32*1000*4, 32*1000*4, "launch", RTX_3090),
    Row(R50_FP32, 70, "resnet50/predictions/MatMul", "convolution",
        32 * 1000 * 2048, 32*1000, 32*2048*4 + 2048*1000*4 + 1000*4, 32*1000*4,
        "memory", RTX_3090),                            # weights 8.8, products 3.7
    Row(R50_QAT, 0, "resnet50/conv1_pad/Pad", "slice",
        0, 0, 32*224*224*3*4, 32*230*230*3*4, "memory", RTX_3090),        # 42
    Row(R50_QAT, 5, "resnet50/pool1_pool/MaxPool", "pooling",
        0, 32*64*56*56 * 8, 32*64*114*114*1, 32*64*56*56*1, "memory", RTX_3090),
    # ---- MobileNet-v2, batch 1, INT8 in vectors of 32 channels, on TITAN RTX
    Row(MOBILE, 1, "features.0.0.weight", "convolution",
        112*112 * 32 * (3*3*3), 32*112*112 * 3,         # bias and a ReLU clipped on both sides
        4*224*224*1 + 32*3*3*3*1 + 32*4, 32*112*112*1),  # 603 kB: 0.9; DP4A; no peak is published
    Row(MOBILE, 2, "features.1.conv.0.0.weight", "convolution",
        112*112 * 32 * (1*3*3),                         # depthwise: each channel meets its own 3·3 values only
        32*112*112 * 3, 32*112*112*1 + 32*9*1 + 32*4, 32*112*112*1, "launch", TITAN),
    Row(MOBILE, 3, "features.1.conv.1.weight", "convolution",
        112*112 * 16 * 32, 16*112*112,
        32*112*112*1 + 16*32*1 + 16*4, 32*112*112*1,    # 16 channels are stored as 32
        "launch", TITAN),
    Row(MOBILE, 5, "features.2.conv.1.0.weight", "convolution",
        56*56 * 96 * (1*3*3), 96*56*56 * 3,
        96*112*112*1 + 96*9*1 + 96*4, 96*56*56*1),      # 1.5 MB: 2.2 from memory, less from the L2
    Row(MOBILE_RES, 9, "features.3.conv.2.weight", "convolution",
        56*56 * 24 * 144, 24*56*56 * 2,                 # bias, residual
        160*56*56*1 + 32*56*56*1 + 24*144*1 + 24*4,     # 144 channels are stored as 160, 24 as 32
        32*56*56*1, "launch", TITAN),
    Row(MOBILE_RES, 56, "classifier.1.weight", "convolution",
        1000 * 1280, 1000, 1280*1 + 1280*1000*1 + 1000*4, 1000*4, "launch", TITAN),
    # ---- AlexNet, batch 1
    Row(ALEX, 1, "/features/features.0/Conv", "convolution",
        55*55 * 64 * (3*11*11), 64*55*55 * 2, 3*224*224*4 + 64*3*11*11*4 + 64*4, 64*55*55*4),
    Row(ALEX, 12, "/classifier/classifier.6/Gemm", "convolution",
        1000 * 4096, 1000, 4096*4 + 4096*1000*4 + 1000*4, 1000*4),
    Row(ALEX_FP16, 1, "/features/features.0/Conv", "convolution",
        55*55 * 64 * (3*11*11), 64*55*55 * 2, 4*224*224*2 + 64*3*11*11*2 + 64*2, 64*55*55*2,
        "tensor cores", RTX_3060),                      # 0.141e9/43.8e12 = 3.2, bytes 2.5 at most
    Row(ALEX_FP16, 9, "dummy_shape_call", "no-work", 0, 0, 0, 0),
    Row(ALEX_FP16, 10, "__myl_Res", "generated-kernel", 0, 0, 256*6*6*2, 9216*2, "launch", RTX_3060),
    Row(ALEX_FP16, 11, "/classifier/classifier_1/Gemm", "gemm",
        4096 * 9216, 4096 * 2,                          # bias, and the ReLU that its ONNX nodes name
        9216*2 + 9216*4096*2 + 4096*2 + 2*4,            # and two FP32 scalars, alpha and beta
        4096*2, "memory", RTX_3060),                    # 75.5e6/336e9 = 225
    Row(ALEX_FP16, 13, "/classifier/classifier_6/Gemm", "gemm",
        1000 * 4096, 1000, 4096*2 + 4096*1000*2 + 1000*2 + 2*4, 1000*2, "memory", RTX_3060),  # 24
    # ---- ResNet-18, batch 1, FP16 on RTX 3060 Laptop
    Row(R18_FP16, 3, "/layer1/layer1.0/conv1/Conv", "convolution",
        56*56 * 64 * (64*3*3), 64*56*56 * 2, 64*56*56*2 + 64*64*9*2 + 64*2, 64*56*56*2,
        "tensor cores", RTX_3060),                      # 0.231e9/43.8e12 = 5.3, bytes 2.6
    Row(R18_FP16, 9, "/layer2/layer2.0/downsample/downsample.0/Conv", "convolution",
        28*28 * 128 * 64, 128*28*28 * 3,
        64*28*28*2 + 128*28*28*2 + 128*64*2 + 128*2, 128*28*28*2,         # a quarter of 56·56, and the branch
        "launch", RTX_3060),                            # 0.52 MB: 1.5
    Row(R18_FP16, 24, "__myl_MulSumAdd", "generated-kernel",
        1000 * 512, 1000,                               # a product of matrix and vector as Mul and Sum, then the bias
        512*2 + 512*1000*2 + 1000*2, 1000*2, "memory", RTX_3060),         # 1.03e6/336e9 = 3.1
    # ---- control network of a diffusion model, FP32 on A10
    Row(CONTROL, 0, "Cast_68", "reformat", 0, 0, 4, 4, "launch", A10),
    Row(CONTROL, 1, "Mul_70", "elementwise", 0, 160, 4 + 160*4, 160*4, "launch", A10),
    Row(CONTROL, 8, "PWN(PWN(Sigmoid_82), Mul_83)", "pointwise",
        0, 16*256*384 * 5,                              # negation, exponential, addition, reciprocal, multiplication
        16*256*384*4, 16*256*384*4),                    # 6.3 MB each: as large as the L2
    Row(CONTROL, 18, "Conv_96", "convolution",
        32*48 * 256 * (96*3*3), 256*32*48, 96*64*96*4 + 256*96*9*4 + 256*4, 256*32*48*4,
        "CUDA cores", A10),                             # 0.679e9/31.2e12 = 22, bytes 8
    Row(CONTROL, 20, "Conv_99", "convolution",          # a Winograd kernel: its work is that of the direct convolution
        32*48 * 320 * (256*3*3), 320*32*48, 256*32*48*4 + 320*256*9*4 + 320*4, 320*32*48*4),
    Row(CONTROL, 22, "InstanceNormalization_109", "plugin", None, None, 32*15360*4, 32*15360*4),
    Row(CONTROL, 23, "onnx::Mul_4392", "scale",
        0, 320*32*48 * 2,                               # scale and shift
        320*32*48*4 + 2*320*4, 320*32*48*4),
    Row(CONTROL, 28, "Gemm_77", "convolution",
        1280 * 1280, 1280, 1280*4 + 1280*1280*4 + 1280*4, 1280*4, "memory", A10),  # 6.6e6/600e9 = 11
    Row(CONTROL, 40, "{ForeignNode[Reshape_152", "region", None, None, None, 320*32*48*4, "unknown", A10),
)
# fmt: on

R18, R18_INT8, DEIT = "resnet18-fp16", "resnet18-int8-residual", "transformer-fp16"

# fmt: off
EXAMPLES = (  # of the engines that come with the package; DeiT-small: batch 8, 14·14 + 2 = 198 tokens, 6 heads of 64
    Row(R18, 1, "/conv1/Conv", "convolution",
        32*112*112 * 64 * (3*7*7), 32*64*112*112 * 2,
        32*4*224*224*2 + 64*3*7*7*2 + 64*2, 32*64*112*112*2),
    Row(R18, 2, "/maxpool/MaxPool", "pooling", 0, 32*64*56*56 * 8, 32*64*112*112*2, 32*64*56*56*2),
    Row(R18_INT8, 0, "/conv1/_input_quantizer", "reformat", 0, 32*3*224*224 * 2, 32*3*224*224*4, 32*4*224*224),
    Row(R18_INT8, 1, "conv1.weight", "convolution-and-pooling",
        32*112*112 * 64 * (3*7*7), 32*64*112*112 * 2 + 32*64*56*56 * 8,
        32*4*224*224 + 64*3*7*7 + 64*4, 32*64*56*56),
    Row(R18_INT8, 3, "layer1.0.conv2.weight", "convolution",
        32*56*56 * 64 * (64*3*3), 32*64*56*56 * 3, 2 * 32*64*56*56 + 64*64*9 + 64*4, 32*64*56*56),
    Row(DEIT, 1, "/patch_embed/proj/Conv", "convolution",
        8*14*14 * 384 * (3*16*16), 8*384*14*14, 8*4*224*224*2 + 384*3*16*16*2 + 384*2, 8*384*14*14*2),
    Row(DEIT, 5, "__myl_MeanSubMulMeanAddSqrtDivMulMulAdd", "generated-kernel",
        0, 8*198*384 * 10, 8*198*384*2 + 2 * 384*2, 8*198*384*2),
    Row(DEIT, 6, "/blocks/blocks.0/attn/qkv/MatMul", "gemm",
        8*198 * (3*384) * 384, 0, 8*198*384*2 + 384*3*384*2, 8*198*3*384*2),
    Row(DEIT, 8, "_gemm_mha_v2", "attention",
        2 * 8*6 * 198*198*64, 5 * 8*6 * 198*198, 3 * 8*198*384*2, 8*198*384*2),
    Row(DEIT, 13, "__myl_AddDivErfAddMulMul", "generated-kernel",
        0, 8*198*1536 * 6, 8*198*1536*2 + 1536*2, 8*198*1536*2),
    Row(DEIT, 14, "/blocks/blocks.0/mlp/fc2/MatMul", "gemm",
        8*198 * 384 * 1536, 8*198*384,                  # the residual is added
        8*198*1536*2 + 8*198*384*2 + 1536*384*2, 8*198*384*2),
)
# fmt: on
