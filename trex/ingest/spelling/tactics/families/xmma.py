"""xmma, TensorRT's own convolutions and GEMMs: ``sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_…``.

Depthwise convolutions (``sm50_xmma_convolution_depthwiseHMMA_FP16NHWCx8_TR3_TS3_STRIDEH1_STRIDEW1``): types, layout,
window and stride were checked against the 17 layers of one real engine (MobileNetV2, TensorRT 10.4). ``HMMA`` is the
Tensor Core instruction for FP16; that these kernels use it is what the name says, NVIDIA has not published it.
"""

from __future__ import annotations

import re

from trex.core.data_type import DataType
from trex.ingest.spelling.tactics.common import vector_layout, vocabulary
from trex.ingest.spelling.tactics.types import read_typed_name, type_groups
from trex.ingest.spelling.tactics.vocabulary import VERBATIM, Meaning, extents, meaning, times
from trex.ingest.spelling.tactics.word_cursor import Family, WordCursor

_PLANES = {"nchw": "planar channels (NCHW)", "nhwc": "channels last (NHWC)"}


def _tile(match: re.Match[str]) -> Meaning:
    sides = extents(match[1])
    text = f"a thread block computes a tile of {times(match[1])}"
    if len(sides) == 3:
        return meaning("tile", f"{text} (m × n × k)", tile=sides)
    return meaning("tile", text)


def _two_vectors(match: re.Match[str]) -> Meaning:
    vector, weights = match[1], match[2]
    text = f"input in vectors of {vector} channels (NC/{vector}HW{vector}), weights in vectors of {weights}"
    return meaning("layouts", text, layouts=(f"nchw_vect_c_{vector}", f"kcrs_vect_c_{weights}"))


def _two_layouts(match: re.Match[str]) -> Meaning:
    planes, weights = match[1], match[2]
    return meaning("layouts", f"input with {_PLANES[planes]}, weights as {weights.upper()}", layouts=(planes, weights))


def _winograd_tile(match: re.Match[str]) -> Meaning:
    text = f"Winograd's algorithm computes {match[1]}×{match[2]} outputs at once"
    return meaning("winograd-tile", text, winograd_tile=(int(match[1]), int(match[2])))


def _depthwise_data(match: re.Match[str]) -> Meaning:
    text = f"FP16 in and out, channels last in vectors of {match[1]} (NHWC{match[1]})"
    types = {"input_type": DataType.FP16, "output_type": DataType.FP16, "evidence": VERBATIM}
    return meaning("types", text, layouts=("nhwc",), **types)


def _depthwise_window(match: re.Match[str]) -> Meaning:
    r, s = int(match[1]), int(match[2])
    return meaning("window", f"for windows of {r}×{s}", window=(r, s))


def _depthwise_stride(match: re.Match[str]) -> Meaning:
    stride = int(match[1]), int(match[2])
    return meaning("stride", f"for strides of {stride[0]}×{stride[1]}", stride=stride)


_VOCABULARY = vocabulary(
    {
        "interleaved": meaning("layouts", "channels in vectors"),
        "indexed": meaning("memory", "addresses inputs through indices"),
        "epifadd": meaning("epilogue", "FP32 additions in the epilogue (FADD)"),
        "simple": meaning("purpose", "for strides of 1 without padding"),
        "packed_stride": meaning("memory", "for contiguous tensors"),
        "tiling": meaning("algorithm", "tile by tile"),
        "depthwisehmma": meaning(
            "operation", "each channel separately (depthwise), with Tensor Core instructions for FP16", matrix=True
        ),
    },
    patterns=(
        (r"tilesize(\d{1,4}x\d{1,4}x\d{1,4}(?:x\d{1,4})?)", _tile),
        (r"(nchw|nhwc)(kcrs|krsc)", _two_layouts),
        (r"wngd(\d)x(\d)", _winograd_tile),
        (r"gmmastage(\d{1,3})", lambda m: meaning("stages", f"up to {m[1]} warp group matrix instructions in flight")),
        (r"fp16nhwcx(\d{1,2})", _depthwise_data),
    ),
    phrases=(
        ("nchw", 7, r"nchw_vect_c_(\d{1,3})kcrs_vect_c_(\d{1,3})", _two_vectors),
        ("nchw", 4, r"nchw_vect_c_(\d{1,3})", vector_layout),
        *((f"tr{r}", 2, r"tr(\d)_ts(\d)", _depthwise_window) for r in range(1, 10)),
        *((f"strideh{h}", 2, r"strideh(\d)_stridew(\d)", _depthwise_stride) for h in range(1, 10)),
    ),
)


def _decode(reader: WordCursor) -> None:
    reader.set_fields({"library": "cublas" if "cublas" in reader.words else "xmma"})
    read_typed_name(reader, _VOCABULARY, type_groups, 3)
    if "depthwise" in reader.words:
        reader.fields.pop("tile", None)  # of pixels, not of a GEMM


FAMILY = Family("xmma", 30, lambda words: "xmma" in words, _decode, _VOCABULARY)
