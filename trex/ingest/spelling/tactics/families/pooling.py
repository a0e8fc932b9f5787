"""Pooling: maxima and averages over windows (``sm50_xmma_pooling_max_nhwc_FP16FP32_WINDOWSIZE_3_…_2D``).

These kernels run on CUDA cores. Letters of the tiled kernels, as in NVIDIA's documentation of convolutions: P × Q
outputs, windows R × S, strides U × V. Checked against the layers of real engines.
"""

from __future__ import annotations

import re

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.ingest.spelling.tactics.common import TILED_OUTPUTS, VECTORS, vocabulary
from trex.ingest.spelling.tactics.types import TYPES
from trex.ingest.spelling.tactics.vocabulary import VERBATIM, Meaning, meaning
from trex.ingest.spelling.tactics.word_cursor import Family, WordCursor

_ENUM = {"khalf": DataType.FP16, "kfloat": DataType.FP32, "kint8": DataType.INT8, "kbf16": DataType.BF16}


def _data(match: re.Match[str]) -> Meaning:
    """``FP16FP32NHWC``: data type, accumulator type, layout."""
    data_type, accumulate, layout, vector = TYPES[match[1]], match[2], match[3], match[4]
    text = data_type.label
    if layout:
        text += f" as {layout.upper()}"
    if accumulate:
        text += f", accumulates in {accumulate.upper()}"
    if vector:
        text += f" in vectors of {vector} channels"
    return meaning(text, input_type=data_type, output_type=data_type, evidence=VERBATIM)


def _enum(data_type: DataType) -> Meaning:
    return meaning(data_type.label, input_type=data_type, output_type=data_type, evidence=VERBATIM)


_VOCABULARY = vocabulary(
    {
        "pooling": "pooling",
        "fw": "forward",
        "4d": "for tensors of four dimensions",
        "nd": "for tensors of any number of dimensions",
        "2d": "in two dimensions",
        "3d": "in three dimensions",
        "max": "maximum",
        "kmax": "maximum",
        "average": "average",
        "kaverage": "average",
        "tiled": "each thread block computes one tile of outputs",
        "coalescedc": "adjacent threads load adjacent channels",
        "chwpacked": "channels in vectors",
        "ncxhw2": "vectors of 2 channels (NC/2HW2)",
        "fastdiv": "divides by multiplying",
        "not_propagate_nan": "ignores NaN",
        "propagate_nan": "propagates NaN",
        "kgeneric_3d_pooling_mode": "for any 3-D pooling",
        **{word: _enum(data_type) for word, data_type in _ENUM.items()},
    },
    patterns=(
        (r"(fp16|fp32|fp64|bf16|int8|fp8)(fp32|fp16|int32)?(?:(n?d?hwc|ncd?hw)|ncxhw(\d{1,2}))?", _data),
        (r"calign(\d{1,3})", r"channels in multiples of \1"),
        (r"tunroll(\d{1,3})", lambda m: f"loops unrolled {counted(int(m[1]), 'time')}"),
        (r"tthreads(\d{1,4})", lambda m: f"thread blocks of {counted(int(m[1]), 'thread')}"),
    ),
    phrases=(
        ("windowsize", 2, r"windowsize_0", "for windows of any size"),
        ("windowsize", 2, r"windowsize_(\d{1,3})", r"for windows of \1 in each dimension"),
        ("kmax", 2, r"kmax_(\d{1,2})", r"maximum over windows of \1x\1"),
        ("kaverage", 2, r"kaverage_(\d{1,2})", r"average over windows of \1x\1"),
        ("nchw", 4, r"nchw_vect_c_(\d{1,3})", VECTORS),
        ("tp", 2, TILED_OUTPUTS, r"each thread block computes \1x\2 outputs"),
        (
            "tr",
            4,
            r"tr(\d{1,3})_ts(\d{1,3})_tu(\d{1,3})_tv(\d{1,3})",
            r"for windows of \1x\2 with strides of \3x\4",
        ),
    ),
)


def _decode(reader: WordCursor) -> None:
    words = reader.words
    reader.set_fields({"library": "xmma" if "xmma" in words else "", "kind": "pooling", "scalar": True})
    reader.read_all(_VOCABULARY)


FAMILY = Family("pooling", 10, lambda words: "pooling" in words, _decode, infer_type=False)
