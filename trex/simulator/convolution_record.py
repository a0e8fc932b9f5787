"""Convolutions and poolings → LayerRecord, with their fused operations; fully connected layers that run as 1×1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

from trex.core.data_type import DataType
from trex.core.operator import Operator
from trex.simulator.draft import BuildStep, NetworkDraft, StepKind
from trex.simulator.layer_record import LayerRecord, kernel_name, short_type, type_word
from trex.simulator.operator_attributes import integer
from trex.simulator.window import Window, window_of

_QUANTIZED = frozenset((DataType.INT8, DataType.FP8))


def convolution_record(step: BuildStep, draft: NetworkDraft) -> LayerRecord:
    is_transposed = step.kind is StepKind.DECONVOLUTION
    window = window_of(step.main, draft) if step.kind is not StepKind.MATRIX_MULTIPLY else Window()
    window = _padded(window, step.facts.get("padding", ()))
    parallel = _parallel_weights(step, draft)
    weights = _weights_shape(step.main, draft)
    channels = weights[1 if is_transposed else 0] if weights else None
    groups = integer(step.main, "group", 1)
    pooling = step.facts.get("pooling")
    keys: dict[str, Any] = {
        "Kernel": list(window.kernel) or [1, 1],
        "PaddingMode": "kEXPLICIT_ROUND_DOWN",
        "PrePadding": list(window.before) or [0, 0],
        "PostPadding": list(window.after) or [0, 0],
        "Stride": list(window.stride) or [1, 1],
        "Dilation": list(window.dilation) or [1, 1],
        "OutMaps": (channels or 0) * (groups if is_transposed else 1) + sum(shape[0] for shape in parallel),
        "Groups": groups,
        "Weights": {"Type": type_word(step.precision), "Count": sum(map(prod, filter(None, (weights, *parallel))))},
    }
    has_bias = bool(step.facts.get("bias")) or _has_bias(step)
    bias_type = DataType.FP32 if step.precision in _QUANTIZED else step.precision
    keys["Bias"] = {"Type": type_word(bias_type), "Count": keys["OutMaps"] if has_bias else 0}
    activation = str(step.facts.get("activation", "NONE"))
    more = {
        "HasBias": int(has_bias),
        "HasReLU": int(activation == "RELU"),
        "HasSparseWeights": 0,
    }
    if draft.target.release.major >= 10:
        more["HasResidual"] = int(len(step.inputs) > 1)
    keys |= {**more, "Activation": activation}
    if pooling is not None:
        prefixed = {f"Conv{key}": value for key, value in keys.items()}
        prefixed |= {f"Pooling{key}": value for key, value in pooling_parameters(pooling, draft).items()}
        parameters = {"ParameterType": "ConvActPool", "ConvParameterType": "Convolution", **prefixed}
        parameters["PoolingParameterType"] = "Pooling"
        return LayerRecord("ConvActPool", parameters, _kernel(step, draft, "convactpool"))
    is_depthwise = groups > 1 and groups == channels and len(weights) > 1 and weights[1] == 1
    if is_transposed:
        return LayerRecord(
            "CaskDeconvolutionV2", {"ParameterType": "Deconvolution", **keys}, _kernel(step, draft, "xmma_dgrad")
        )
    parameters = {"ParameterType": "Convolution", **keys}
    if is_depthwise:
        return LayerRecord("CudaDepthwiseConvolution", parameters, kernel_name(step, draft, "depthwise_convolution"))
    return LayerRecord("CaskConvolution", parameters, _kernel(step, draft, "xmma_fprop_implicit_gemm"))


def _padded(window: Window, pads: Sequence[int]) -> Window:
    """The window with the fused padding of a Pad: all beginnings, then all ends."""
    half = len(pads) // 2
    before = tuple(one + more for one, more in zip(window.before, pads[2:half], strict=False))
    after = tuple(one + more for one, more in zip(window.after, pads[half + 2 :], strict=False))
    return replace(window, before=before, after=after) if pads else window


def _kernel(step: BuildStep, draft: NetworkDraft, words: str) -> str:
    inner = short_type(step.precision)
    accumulator = "i32" if step.precision is DataType.INT8 else "f32"
    return kernel_name(step, draft, f"{words}_{inner}{accumulator}")


def _parallel_weights(step: BuildStep, draft: NetworkDraft) -> list[tuple[int, ...]]:
    """Shapes of the weights of convolutions that run in parallel with the main one."""
    if not step.facts.get("is_horizontal"):
        return []
    others = [operator for operator in step.operators if operator.type == "Conv" and operator is not step.main]
    return [shape for operator in others if (shape := _weights_shape(operator, draft))]


def _weights_shape(operator: Operator | None, draft: NetworkDraft) -> tuple[int, ...]:
    if operator is None or len(operator.inputs) < 2:
        return ()
    value = draft.model.value(operator.inputs[1])
    if value is None or value.shape is None or None in value.shape or len(value.shape) < 2:
        return ()
    shape = tuple(int(size) for size in value.shape if size is not None)
    if operator.type in ("Gemm", "MatMul") and len(shape) == 2:  # rows of outputs, as in a convolution
        is_transposed_b = operator.type == "Gemm" and bool(operator.attributes.get("transB", 0))
        return shape if is_transposed_b else shape[::-1]
    return shape


def _has_bias(step: BuildStep) -> bool:
    return step.main is not None and len(step.main.inputs) > 2 and bool(step.main.inputs[2])


def pooling_parameters(operator: Operator | None, draft: NetworkDraft) -> dict[str, Any]:
    window = window_of(operator, draft)
    is_average = operator is not None and "Average" in operator.type
    return {
        "PoolingType": "AVERAGE" if is_average else "MAX",
        "WindowSize": list(window.kernel),
        "PaddingMode": "kEXPLICIT_ROUND_UP" if integer(operator, "ceil_mode", 0) else "kEXPLICIT_ROUND_DOWN",
        "PrePadding": list(window.before),
        "PostPadding": list(window.after),
        "Stride": list(window.stride),
    }


def pooling_record(step: BuildStep, draft: NetworkDraft) -> LayerRecord:
    parameters = {"ParameterType": "Pooling", **pooling_parameters(step.main, draft)}
    word = "pooling_average" if parameters["PoolingType"] == "AVERAGE" else "pooling_max"
    return LayerRecord("CaskPooling", parameters, kernel_name(step, draft, word))
