"""A layer's own words → those that TensorRT alone can have written, which a redacted engine keeps.

Types, kernels, formats and attributes of a plugin may be anyone's words, so only known ones are kept.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from trex.ingest.spelling.tactic_names import decode_tactic
from trex.views.glossary import explain_layer_type


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# TensorRT's enumerators in layer records: activations, padding, pooling, scale, slice, resize, origins, directions.
_ENUMERATORS = _words(
    "NONE RELU SIGMOID TANH LEAKY_RELU ELU SELU SOFTSIGN SOFTPLUS CLIP HARD_SIGMOID SCALED_TANH THRESHOLDED_RELU "
    "GELU_ERF GELU_TANH CLIPPED_RELU GENERIC SWISH SILU kEXPLICIT_ROUND_DOWN kEXPLICIT_ROUND_UP kSAME_UPPER "
    "kSAME_LOWER kCAFFE_ROUND_DOWN kCAFFE_ROUND_UP MAX AVERAGE MAX_AVERAGE_BLEND UNIFORM CHANNEL ELEMENTWISE FILL "
    "CLAMP REFLECT WRAP STRICT_BOUNDS NEAREST LINEAR CUBIC REFORMAT QDQ SLICE CAST UNIDIRECTION BIDIRECTION "
    "FORWARD REVERSE"
)
_ENUMERATED = _words(
    "Origin Activation PaddingMode ConvPaddingMode PoolingType PoolingPoolingType PoolingPaddingMode "
    "ConvActivation Mode ResizeMode Direction"
)
# Attributes whose values are numbers, and what such values are made of.
_NUMERIC_KEYS = _words(
    "Alpha AverageCountExcludesPadding Axes Axis Beta Bias BiasAsActInputIdx BlendFactor ChannelAxis Constants "
    "ConvBias ConvDilation ConvGroups ConvHasSparseWeights ConvKernel ConvOutMaps ConvPostPadding ConvPrePadding "
    "ConvStride ConvWeights ConvXAsActInputIdx ConvolutionTacticIndex Count CublasConvolutionTacticIndex Dilation "
    "Dimensions EventId FirstTranspose FutureKey Groups HasBias HasDynamicBias HasDynamicFilter HasLog HasReLU "
    "HasResidual HasSparseWeights Kernel Literals NbInputArgs NbLiterals NbOperations NbOutputVars NbParams "
    "NbPointWiseExpressionInputArgs NbPointWiseExpressionLiterals NbPointWiseExpressionOperations "
    "NbPointWiseExpressionOutputVars NbPointWiseExpressionParams OutMaps Params PointWiseExpressionParams "
    "PoolingAverageCountExcludesPadding PoolingBlendFactor PoolingPostPadding PoolingPrePadding PoolingStride "
    "PoolingWindowSize PostPadding Power PrePadding ResAsActInputIdx Reshape Scale SecondTranspose Shift Size "
    "Start StreamId Stride Type Weights WindowSize ZeroIsPlaceholder dimensions negativeInfinityPadding weights"
)
_TYPES = _words("Half Float Int8 Int32 Int64 Int4 UInt8 Bool BFloat16 FP8 FP4 E8M0")
FORMAT_WORDS = _words(
    "a b channel major row linear format where wide vectorized with spatial dimensions two four eight sixteen "
    "thirty and n due to dynamic shapes dla hwc chw planar tiled col float half bool bfloat fp int uint e m "
    "klinear fp4 fp8 fp16 fp32 int4 int8 int32 int64 uint8 bf16 bfloat16 tf32 half2 kchw kchw2 kchw4 kchw16 "
    "kchw32 khwc khwc8 kdhwc8 kcdhw32 kdla_linear kdla_hwc4 khwc16 kdhwc"
)
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_TACTIC_VALUE = re.compile(r"-?(?:0x)?[0-9a-fA-F]{1,20}")
# Pieces of kernels' names that are in real engines and whose meaning is not published.
KERNEL_PIECE = re.compile(
    r"\d*|aACCESS|exp|xregs|linkable|vect?|c|cC1|dC1|False|True|window\d+(?:x\d+)*s\d+|tile(?:size)?\d+(?:x\d+)*"
    r"|0x[0-9a-f]+|v\d+"
)
TENSORRT_WORDS = _ENUMERATORS | _TYPES | _ENUMERATED | _NUMERIC_KEYS
"""Every word that TensorRT's records of layers use apart from types, formats and kernels."""
_UNKNOWN = "x"
_POINTWISE = re.compile(r"auto const var\d+ = pwgen::i(\w+)\((?:(?:literal|arg|var)\d+(?:, )?){0,9999}\);")
_POINTWISE_OPERATIONS = _words(
    "Abs Acos Acosh Add And Asin Asinh Atan Atanh Cast Ceil Clamp Clip Cos Cosh Div Elu Equal Erf Exp Floor Gelu "
    "Greater HardSigmoid Identity Less Log Max Min Mul Neg Not Or Plus Pow Prod Recip Relu Round Rsqrt Select "
    "Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Sub Swish Tan Tanh Where Xor"
)


@lru_cache(maxsize=4096)
def is_known_type(name: str) -> bool:
    """Whether this is a layer type of TensorRT's, not a plugin's."""
    return explain_layer_type(name) is not None


@lru_cache(maxsize=4096)
def kept_tactic(name: str) -> str:
    """The kernel's name with ``x`` for each piece that no grammar of kernels' names knows; "" without a known one."""
    parts = decode_tactic(name).parts
    if not any(part.words for part in parts):
        return ""
    pieces = (part.text if part.words or KERNEL_PIECE.fullmatch(part.text) else _UNKNOWN for part in parts)
    return "".join(piece + part.separator for piece, part in zip(pieces, parts, strict=True))


def kept_tokens(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The operations in a generated kernel's name, ``x`` for unknown ones."""
    return tuple(kept_tactic(f"__myl_{token}").removeprefix("__myl_") or _UNKNOWN for token in tokens)


def kept_format(text: str) -> str:
    """The words of a tensor's format; "" if one is not TensorRT's."""
    return text if all(word.lower() in FORMAT_WORDS for word in _WORD.findall(text)) else ""


def kept_attribute(key: str, value: Any) -> Any:
    """The value of a layer's attribute; None for what may be anyone's words."""
    if key in _ENUMERATED:
        return value if isinstance(value, str) and value in _ENUMERATORS else None
    if key == "Operations" and isinstance(value, list):
        return [item for item in value if _is_pointwise(item)]
    if key == "TacticValue":
        return value if isinstance(value, int) or _TACTIC_VALUE.fullmatch(str(value)) else None
    return value if key in _NUMERIC_KEYS and _is_numeric(value) else None


def _is_pointwise(item: Any) -> bool:
    match = _POINTWISE.fullmatch(item) if isinstance(item, str) else None
    return match is not None and match[1] in _POINTWISE_OPERATIONS


def _is_numeric(value: Any) -> bool:
    """True for numbers and what holds nothing else: weights' types and counts, windows, strides."""
    if isinstance(value, dict):
        return all(
            key in _NUMERIC_KEYS and (isinstance(item, str) and item in _TYPES if key == "Type" else _is_numeric(item))
            for key, item in value.items()
        )
    if isinstance(value, list | tuple):
        return all(map(_is_numeric, value))
    return isinstance(value, int | float)
