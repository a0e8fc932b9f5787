"""Layers: one function per kind of step, with the parameters the inspector reports for it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from tests.synthetic.description import BITS, CONSTANT, NOOP, SHAPE, SYNC, TRAIN_STATION, Region, Step, hex_digits

TYPE_WORDS = {
    "FP64": "Double", "FP32": "Float", "FP16": "Half", "BF16": "BFloat16", "FP8": "FP8", "FP4": "FP4", "E8M0": "E8M0",
    "INT64": "Int64", "INT32": "Int32", "INT16": "Int16", "INT8": "Int8", "INT4": "Int4", "UINT8": "UInt8",
    "BOOL": "Bool",
}  # fmt: skip
SHORT = {"FP32": "f32", "FP16": "f16", "BF16": "bf16", "INT8": "i8", "FP8": "e4m3", "FP4": "e2m1", "INT4": "i4"}
LAYOUT_WORDS = {
    "linear": "nchw", "hwc": "nhwc", "hwc4": "nhwc", "hwc8": "nhwc", "hwc16": "nhwc", "chw2": "nchw_vect_c_2",
    "chw4": "nchw_vect_c_4", "chw16": "nchw_vect_c_16", "chw32": "nchw_vect_c_32", "dhwc8": "ndhwc",
    "cdhw32": "ncdhw_vect_c_32",
}  # fmt: skip


def convolution(
    name: str,
    source: Region,
    output: Region,
    kernel: Sequence[int],
    *,
    stride: int = 1,
    groups: int = 1,
    relu: bool = False,
    residual: Region | None = None,
    weights: str = "",
    origins: tuple[str, ...] = (),
    layer_type: str = "CaskConvolution",
    transposed: bool = False,
    padding: Sequence[int] | None = None,
) -> Step:
    """A convolution (or, ``transposed``, a deconvolution) in any number of spatial dimensions.

    weights: label of the weights' type, by default that of the source. Operations: two per multiply-add.
    """
    weights = weights or source.type
    space = len(kernel)
    pads = list(padding) if padding is not None else [k // 2 for k in kernel]
    channels_in, channels_out = source.dims[1], output.dims[1]
    count = channels_in * channels_out // groups * prod(kernel)
    bias_type = "FP32" if weights in ("INT8", "FP8") else weights
    parameters: dict[str, Any] = {
        "ParameterType": "Deconvolution" if transposed else "Convolution",
        "Kernel": list(kernel),
        "PaddingMode": "kEXPLICIT_ROUND_DOWN",
        "PrePadding": pads,
        "PostPadding": pads,
        "Stride": [stride] * space,
        "Dilation": [1] * space,
        "OutMaps": channels_out,
        "Groups": groups,
        "Weights": {"Type": TYPE_WORDS[weights], "Count": count},
        "Bias": {"Type": TYPE_WORDS[bias_type], "Count": channels_out},
        "HasBias": 1,
        "HasReLU": int(relu),
        "HasSparseWeights": 0,
        "Activation": "RELU" if relu else "NONE",
    }
    positions = source if transposed else output
    elements = positions.elements or 0
    operations = 2.0 * elements // positions.dims[1] * count
    return Step(
        name,
        layer_type,
        (source, residual) if residual is not None else (source,),
        (output,),
        parameters=parameters,
        tactic=_convolution_kernel(source, output, weights, kernel, stride, transposed),
        origins=origins,
        compute=weights,
        operations=operations,
        weight_bytes=count * BITS[weights] // 8 + channels_out * BITS[bias_type] // 8,
    )


def _convolution_kernel(
    source: Region, output: Region, weights: str, kernel: Sequence[int], stride: int, transposed: bool
) -> str:
    accumulate = "i8i32_f32" if weights == "INT8" else f"{SHORT.get(weights, 'f32')}f32_f32"
    rows = 256 if (source.elements or 0) > 1 << 21 else 128 if (source.elements or 0) > 1 << 18 else 64
    columns = min(128, max(32, output.dims[1] // 2 // 32 * 32))
    window = "x".join(map(str, kernel))
    return (
        f"synthetic_sm80_xmma_{'dgrad' if transposed else 'fprop'}_implicit_gemm_"
        f"{SHORT.get(source.type, 'f32')}{SHORT.get(output.type, 'f32')}_{accumulate}_{LAYOUT_WORDS[source.layout]}_"
        f"{LAYOUT_WORDS[output.layout]}_tilesize{rows}x{columns}x64_stage4_g1_tensor16x8x32_window{window}s{stride}"
    )


def gemm_convolution(name: str, source: Region, output: Region, origins: tuple[str, ...] = ()) -> Step:
    """A fully connected layer that TensorRT runs as a 1×1 convolution, of every so many pixels if it writes fewer."""
    stride, kind = source.dims[-1] // output.dims[-1], "CaskGemmConvolution"
    return convolution(name, source, output, (1, 1), stride=stride, origins=origins, layer_type=kind, padding=(0, 0))


def pooling(
    name: str,
    source: Region,
    output: Region,
    window: Sequence[int],
    *,
    kind: str = "MAX",
    stride: int = 2,
    padding: int = 1,
    origins: tuple[str, ...] = (),
    layer_type: str = "CaskPooling",
) -> Step:
    space = len(window)
    parameters = {
        "ParameterType": "Pooling",
        "PoolingType": kind,
        "WindowSize": list(window),
        "PaddingMode": "kEXPLICIT_ROUND_DOWN",
        "PrePadding": [padding] * space,
        "PostPadding": [padding] * space,
        "Stride": [stride] * space,
        "BlendFactor": 0,
        "AverageCountExcludesPadding": 1,
    }
    tactic = f"synthetic_sm50_xmma_pooling_{LAYOUT_WORDS[source.layout].upper()}_k{kind}_{window[0]}"
    return Step(
        name,
        layer_type,
        (source,),
        (output,),
        parameters=parameters,
        tactic=tactic,
        origins=origins,
        compute=source.type,
        operations=float((output.elements or 0) * prod(window)),
    )


def convolution_and_pooling(
    name: str, source: Region, output: Region, between: tuple[int, ...], origins: tuple[str, ...] = ()
) -> Step:
    """A 7×7 convolution, ReLU and 3×3 max pooling in one kernel; ``between``: the shape the pooling reads."""
    count = source.dims[1] * output.dims[1] * 49
    parameters: dict[str, Any] = {
        "ParameterType": "ConvActPool",
        "ConvolutionKernel": [7, 7],
        "ConvolutionPaddingMode": "kEXPLICIT_ROUND_DOWN",
        "ConvolutionPrePadding": [3, 3],
        "ConvolutionPostPadding": [3, 3],
        "ConvolutionStride": [2, 2],
        "ConvolutionDilation": [1, 1],
        "ConvolutionOutMaps": output.dims[1],
        "ConvolutionGroups": 1,
        "ConvolutionWeights": {"Type": TYPE_WORDS[source.type], "Count": count},
        "ConvolutionBias": {"Type": "Float", "Count": output.dims[1]},
        "ConvolutionHasSparseWeights": 0,
        "ConvolutionActivation": "RELU",
        "ConvolutionHasBias": 1,
        "ConvolutionHasReLU": 1,
        "PoolingPoolingType": "MAX",
        "PoolingWindowSize": [3, 3],
        "PoolingPaddingMode": "kEXPLICIT_ROUND_DOWN",
        "PoolingPrePadding": [1, 1],
        "PoolingPostPadding": [1, 1],
        "PoolingStride": [2, 2],
        "PoolingBlendFactor": 0,
        "PoolingAverageCountExcludesPadding": 1,
    }
    return Step(
        name,
        "CaskConvActPool",
        (source,),
        (output,),
        parameters=parameters,
        tactic="synthetic_sm80_fused_first_layer_convactpool_i8i8_i8i32_f32_nchw_vect_c_4_nchw_vect_c_32_window7x7s2",
        origins=origins,
        compute=source.type,
        operations=2.0 * prod(between) // between[1] * count,
        weight_bytes=count * BITS[source.type] // 8 + 4 * output.dims[1],
    )


def reformat(
    name: str, source: Region, output: Region, origin: str = "REFORMAT", origins: tuple[str, ...] = ()
) -> Step:
    """A copy into another layout or type; origin ``QDQ``: a quantize or dequantize that became a copy."""
    return Step(
        name,
        "Reformat",
        (source,),
        (output,),
        parameters={"ParameterType": "Reformat", "Origin": origin},
        origins=origins,
    )


def no_op(name: str, source: Region, output: Region, origins: tuple[str, ...] = ()) -> Step:
    return Step(name, "NoOp", (source,), (output,), NOOP, origins=origins)


def constant(name: str, output: Region) -> Step:
    parameters = {
        "ParameterType": "Constant",
        "weights": {"Type": TYPE_WORDS[output.type], "Count": output.elements},
        "dimensions": list(output.dims),
    }
    return Step(name, "Constant", (), (output,), CONSTANT, parameters, weight_bytes=output.stored_bytes or 0)


def pointwise(
    name: str, inputs: Sequence[Region], output: Region, operations: Sequence[str], origins: tuple[str, ...] = ()
) -> Step:
    """A pointwise expression: ``operations`` are pwgen function names applied in a chain."""
    lines = [f"auto const var0 = pwgen::{operations[0]}({', '.join(f'arg{i}' for i in range(len(inputs)))});"]
    lines += [f"auto const var{i} = pwgen::{op}(var{i - 1});" for i, op in enumerate(operations) if i]
    parameters = {
        "ParameterType": "PointWise",
        "ParameterSubType": "PointWiseExpression",
        "NbInputArgs": len(inputs),
        "InputArgs": [f"arg{i}" for i in range(len(inputs))],
        "NbOutputVars": 1,
        "OutputVars": [f"var{len(operations) - 1}"],
        "NbParams": 0,
        "Params": [],
        "NbLiterals": 0,
        "Literals": [],
        "NbOperations": len(operations),
        "Operations": lines,
    }
    return Step(
        name,
        "PointWiseV2",
        tuple(inputs),
        (output,),
        parameters=parameters,
        origins=origins,
        compute=output.type,
        operations=float((output.elements or 0) * len(operations)),
    )


def plugin(name: str, inputs: Sequence[Region], outputs: Sequence[Region], kind: str) -> Step:
    return Step(
        name,
        "PluginV2",
        tuple(inputs),
        tuple(outputs),
        parameters={"PluginType": kind, "PluginVersion": "1"},
        origins=(name,),
    )


def generated(
    name: str,
    tokens: str,
    inputs: Sequence[Region],
    outputs: Sequence[Region],
    *,
    origins: tuple[str, ...] = (),
    stream: int = 0,
    operations: float | None = None,
    compute: str | None = None,
) -> Step:
    """A kernel that Myelin generated; ``tokens``: the operations its name lists (``MeanSubMul``)."""
    shapes = ";".join("x".join(map(str, r.dims)) for r in (*inputs, *outputs))
    elements = sum(r.elements or 0 for r in outputs)
    return Step(
        name,
        "kgen",
        tuple(inputs),
        tuple(outputs),
        tactic=f"synthetic_{tokens}_0x{hex_digits(tokens + shapes, 32)}",
        stream=stream,
        origins=origins,
        separator="\x1f",
        compute=outputs[0].type if compute is None and outputs else (compute or ""),
        operations=float(elements * 8) if operations is None else operations,
        myelin=True,
    )


def matrix_multiply(
    name: str,
    source: Region,
    weights: Region,
    output: Region,
    *,
    bias: Region | None = None,
    origins: tuple[str, ...] = (),
    stream: int = 0,
) -> Step:
    """A Myelin ``gemm``: its weights come in as a tensor that no layer writes."""
    depth = source.dims[-1]
    short = SHORT.get(source.type, "f32")
    tile = (
        "256x128x32"
        if (output.elements or 0) > 1 << 21
        else "128x128x32"
        if (output.elements or 0) > 1 << 18
        else "64x64x64"
    )
    return Step(
        name,
        "gemm",
        (source, weights, bias) if bias is not None else (source, weights),
        (output,),
        tactic=f"synthetic_sm80_xmma_gemm_{short}{short}_{short}f32_f32_tn_n_tilesize{tile}_stage4_tensor16x8x16",
        stream=stream,
        origins=origins,
        separator="\x1f",
        compute=source.type,
        operations=2.0 * (output.elements or 0) * depth,
        myelin=True,
    )


def shape_call(name: str, milliseconds: float = 0.0) -> Step:
    return Step(name, "shape_call", (), (), SHAPE, tactic="", myelin=True, milliseconds=milliseconds)


def signal(name: str, stream: int, kind: str = "signal") -> Step:
    """A synchronization between streams: ``signal``, ``wait`` or ``signal_and_wait``."""
    return Step(name, kind, (), (), SYNC, tactic="", stream=stream, myelin=True, milliseconds=0.0)


def train_station(name: str, inputs: Sequence[Region] = (), milliseconds: float = 0.0) -> Step:
    return Step(name, "TrainStation", tuple(inputs), (), TRAIN_STATION, milliseconds=milliseconds)
