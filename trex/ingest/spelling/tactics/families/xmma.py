"""xmma, TensorRT's own convolutions and GEMMs: ``sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_…``.

Depthwise convolutions (``sm50_xmma_convolution_depthwiseHMMA_FP16NHWCx8_TR3_TS3_STRIDEH1_STRIDEW1``): types, layout,
window and stride were checked against the 17 layers of one real engine (MobileNetV2, TensorRT 10.4). ``HMMA`` is the
Tensor Core instruction for FP16; that these kernels use it is what the name says, NVIDIA has not published it.
"""

from __future__ import annotations

import re

from trex.core.data_type import DataType
from trex.ingest.spelling.tactics.common import VECTORS, vocabulary
from trex.ingest.spelling.tactics.types import read_typed_name, type_groups
from trex.ingest.spelling.tactics.vocabulary import VERBATIM, Meaning, extents, meaning
from trex.ingest.spelling.tactics.word_cursor import Family, WordCursor

_PLANES = {"nchw": "planar channels (NCHW)", "nhwc": "channels last (NHWC)"}


def _tile(match: re.Match[str]) -> Meaning:
    sides = extents(match[1])
    text = f"a thread block computes a tile of {match[1]}"
    return meaning(f"{text} (m × n × k)", tile=sides) if len(sides) == 3 else meaning(text)


def _two_layouts(match: re.Match[str]) -> str:
    return f"input with {_PLANES[match[1]]}, weights as {match[2].upper()}"


def _winograd_tile(match: re.Match[str]) -> Meaning:
    text = f"Winograd's algorithm computes {match[1]}×{match[2]} outputs at once"
    return meaning(text, winograd_tile=(int(match[1]), int(match[2])))


def _depthwise_data(match: re.Match[str]) -> Meaning:
    text = f"FP16 in and out, channels last in vectors of {match[1]} (NHWC{match[1]})"
    return meaning(text, input_type=DataType.FP16, output_type=DataType.FP16, evidence=VERBATIM)


_VOCABULARY = vocabulary(
    {
        "interleaved": "channels in vectors",
        "indexed": "addresses inputs through indices",
        "epifadd": "FP32 additions in the epilogue (FADD)",
        "simple": "for strides of 1 without padding",
        "packed_stride": "for contiguous tensors",
        "tiling": "tile by tile",
        "depthwisehmma": meaning(
            "each channel separately (depthwise), with Tensor Core instructions for FP16", matrix=True
        ),
    },
    patterns=(
        (r"tilesize(\d{1,4}x\d{1,4}x\d{1,4}(?:x\d{1,4})?)", _tile),
        (r"(nchw|nhwc)(kcrs|krsc)", _two_layouts),
        (r"wngd(\d)x(\d)", _winograd_tile),
        (r"gmmastage(\d{1,3})", r"up to \1 warp group matrix instructions in flight"),
        (r"fp16nhwcx(\d{1,2})", _depthwise_data),
    ),
    phrases=(
        ("nchw", 7, r"nchw_vect_c_(\d{1,3})kcrs_vect_c_(\d{1,3})", VECTORS + r", weights in vectors of \2"),
        ("nchw", 4, r"nchw_vect_c_(\d{1,3})", VECTORS),
        ("tr", 2, r"tr(\d)_ts(\d)", r"for windows of \1x\2"),
        ("strideh", 2, r"strideh(\d)_stridew(\d)", r"for strides of \1x\2"),
    ),
)


def _decode(reader: WordCursor) -> None:
    reader.set_fields({"library": "cublas" if "cublas" in reader.words else "xmma"})
    read_typed_name(reader, _VOCABULARY, type_groups, 3)
    if "depthwise" in reader.words:
        reader.fields.pop("tile", None)  # of pixels, not of a GEMM


FAMILY = Family("xmma", 30, lambda words: "xmma" in words, _decode)
