"""Pooling: maxima and averages over windows (``sm50_xmma_pooling_max_nhwc_FP16FP32_WINDOWSIZE_3_…_2D``).

These kernels run on CUDA cores. Letters of the tiled kernels, as in NVIDIA's documentation of convolutions: P × Q
outputs, windows R × S, strides U × V. Checked against the layers of real engines.
"""

from __future__ import annotations

import re

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.ingest.spelling.tactics.common import vector_layout, vocabulary
from trex.ingest.spelling.tactics.vocabulary import VERBATIM, Meaning, meaning
from trex.ingest.spelling.tactics.word_cursor import Family, WordCursor

_TYPES = {
    "fp16": DataType.FP16,
    "fp32": DataType.FP32,
    "fp64": DataType.FP64,
    "bf16": DataType.BF16,
    "int8": DataType.INT8,
    "fp8": DataType.FP8,
}
_ENUM = {"khalf": DataType.FP16, "kfloat": DataType.FP32, "kint8": DataType.INT8, "kbf16": DataType.BF16}
_MAX = meaning("operation", "maximum")
_AVERAGE = meaning("operation", "average")


def _data(match: re.Match[str]) -> Meaning:
    """``FP16FP32NHWC``: data type, accumulator type, layout."""
    data_type, accumulate, layout, vector = _TYPES[match[1]], match[2], match[3], match[4]
    text, layouts = data_type.label, {}
    if layout:
        text += f" as {layout.upper()}"
        layouts = {"layouts": (layout,)}
    if accumulate:
        text += f", accumulates in {accumulate.upper()}"
    if vector:
        text += f" in vectors of {vector} channels"
    return meaning("types", text, input_type=data_type, output_type=data_type, evidence=VERBATIM, **layouts)


def _enum(data_type: DataType) -> Meaning:
    return meaning("types", data_type.label, input_type=data_type, output_type=data_type, evidence=VERBATIM)


def _tiled_window(match: re.Match[str]) -> Meaning:
    r, s, u, v = map(int, match.groups())
    text = f"for windows of {r}×{s} with strides of {u}×{v}"
    return meaning("window", text, window=(r, s), stride=(u, v))


def _window(match: re.Match[str], operation: str) -> Meaning:
    side = int(match[1])
    return meaning("window", f"{operation} over windows of {side}×{side}", window=(side, side))


def _window_size(match: re.Match[str]) -> Meaning:
    side = int(match[1])
    text = f"for windows of {side} in each dimension" if side else "for windows of any size"
    return meaning("window", text, side=side)


_VOCABULARY = vocabulary(
    {
        "pooling": meaning("operation", "pooling"),
        "fw": meaning("operation", "forward"),
        "4d": meaning("purpose", "for tensors of four dimensions"),
        "nd": meaning("purpose", "for tensors of any number of dimensions"),
        "2d": meaning("purpose", "in two dimensions"),
        "3d": meaning("purpose", "in three dimensions"),
        "max": _MAX,
        "kmax": _MAX,
        "average": _AVERAGE,
        "kaverage": _AVERAGE,
        "tiled": meaning("schedule", "each thread block computes one tile of outputs"),
        "coalescedc": meaning("memory", "adjacent threads load adjacent channels"),
        "chwpacked": meaning("layouts", "channels in vectors"),
        "ncxhw2": meaning("layouts", "vectors of 2 channels (NC/2HW2)", layouts=("ncxhw2",)),
        "fastdiv": meaning("arithmetic", "divides by multiplying"),
        "not_propagate_nan": meaning("arithmetic", "ignores NaN"),
        "propagate_nan": meaning("arithmetic", "propagates NaN"),
        "kgeneric_3d_pooling_mode": meaning("purpose", "for any 3-D pooling"),
        **{word: _enum(data_type) for word, data_type in _ENUM.items()},
    },
    patterns=(
        (r"(fp16|fp32|fp64|bf16|int8|fp8)(fp32|fp16|int32)?(?:(n?d?hwc|ncd?hw)|ncxhw(\d{1,2}))?", _data),
        (r"calign(\d{1,3})", lambda m: meaning("alignment", f"channels in multiples of {m[1]}")),
        (r"tunroll(\d{1,3})", lambda m: meaning("schedule", f"loops unrolled {counted(int(m[1]), 'time')}")),
        (r"tthreads(\d{1,4})", lambda m: meaning("schedule", f"thread blocks of {counted(int(m[1]), 'thread')}")),
    ),
    phrases=(
        ("windowsize", 2, r"windowsize_(\d{1,3})", _window_size),
        ("kmax", 2, r"kmax_(\d{1,2})", lambda m: _window(m, "maximum")),
        ("kaverage", 2, r"kaverage_(\d{1,2})", lambda m: _window(m, "average")),
        ("nchw", 4, r"nchw_vect_c_(\d{1,3})", vector_layout),
    ),
)


_TILED = re.compile(r"tr(\d{1,3})_ts(\d{1,3})_tu(\d{1,3})_tv(\d{1,3})")
_TILE = re.compile(r"tp(\d{1,3})_tq(\d{1,3})")


def _decode(reader: WordCursor) -> None:
    words = reader.words
    reader.set_fields({"library": "xmma" if "xmma" in words else "", "kind": "pooling", "scalar": True})
    while reader.index < len(words):
        index = reader.index
        tile = _TILE.fullmatch("_".join(words[index : index + 2]))
        tiled = _TILED.fullmatch("_".join(words[index : index + 4])) if words[index].startswith("tr") else None
        if tile:
            reader.add(meaning("tile", f"each thread block computes {tile[1]}×{tile[2]} outputs"), 2)
        elif tiled:
            reader.add(_tiled_window(tiled), 4)
        else:
            reader.read(_VOCABULARY)
    side = reader.fields.pop("side", 0)
    dimensions = 3 if "3d" in words else 2 if "2d" in words else 0
    if side and dimensions:
        reader.set_fields({"window": (side,) * dimensions})


FAMILY = Family("pooling", 10, lambda words: "pooling" in words, _decode, _VOCABULARY, infer_type=False)
