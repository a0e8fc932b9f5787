"""Pooling: maxima and means over windows (``sm50_xmma_pooling_max_nhwc_FP16FP32_WINDOWSIZE_3_NOT_PROPAGATE_NAN_2D``).

They compute on the CUDA cores. Letters of the tiled kernels: P × Q outputs, windows R × S, strides U × V, as in
NVIDIA's documents about convolutions; compared with the layers of real engines.
"""

from __future__ import annotations

import re

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.ingest.spelling.tactics.common import vocabulary
from trex.ingest.spelling.tactics.reading import Family, Reading
from trex.ingest.spelling.tactics.vocabulary import Said, fact

_TYPES = {
    "fp16": DataType.FP16,
    "fp32": DataType.FP32,
    "fp64": DataType.FP64,
    "bf16": DataType.BF16,
    "int8": DataType.INT8,
    "fp8": DataType.FP8,
}
_ENUM = {"khalf": DataType.FP16, "kfloat": DataType.FP32, "kint8": DataType.INT8, "kbf16": DataType.BF16}
_ACCUMULATED = {"fp32": "FP32", "fp16": "FP16", "int32": "INT32"}


def _data(match: re.Match[str]) -> Said:
    """``FP16FP32NHWC``: the data's type, the accumulator's, the layout."""
    found = _TYPES[match[1]]
    told, layouts = found.label, {}
    if match[3]:
        told += f" as {match[3].upper()}"
        layouts = {"layouts": (match[3],)}
    if match[2]:
        told += f", accumulates in {_ACCUMULATED[match[2]]}"
    if match[4]:
        told += f" in vectors of {match[4]} channels"
    return fact("types", told, input_type=found, output_type=found, written="", **layouts)


def _enum(word: str, found: DataType) -> Said:
    return fact("types", found.label, input_type=found, output_type=found, written="")


def _tiled_window(match: re.Match[str]) -> Said:
    r, s, u, v = (int(each) for each in match.groups())
    told = f"for windows of {r}×{s} with strides of {u}×{v}"
    return fact("window", told, window=(r, s), stride=(u, v))


def _window(match: re.Match[str], what: str) -> Said:
    side = int(match[1])
    return fact("window", f"takes the {what} of windows of {side}×{side}", window=(side, side))


def _vector(match: re.Match[str]) -> Said:
    told = f"a tensor in vectors of {match[1]} channels (NC/{match[1]}HW{match[1]})"
    return fact("layouts", told, layouts=(match[0],))


_VOCABULARY = vocabulary(
    {
        "pooling": fact("operation", "a pooling"),
        "fw": fact("operation", "forwards"),
        "4d": fact("purpose", "for tensors of four dimensions"),
        "nd": fact("purpose", "for tensors of any number of dimensions"),
        "2d": fact("purpose", "in two dimensions"),
        "3d": fact("purpose", "in three dimensions"),
        "max": fact("operation", "takes the maximum"),
        "kmax": fact("operation", "takes the maximum"),
        "average": fact("operation", "takes the mean"),
        "kaverage": fact("operation", "takes the mean"),
        "tiled": fact("schedule", "each block of threads computes one tile of results"),
        "coalescedc": fact("memory", "neighboring threads read neighboring channels"),
        "chwpacked": fact("layouts", "channels in vectors"),
        "ncxhw2": fact("layouts", "a tensor in vectors of 2 channels (NC/2HW2)", layouts=("ncxhw2",)),
        "fastdiv": fact("arithmetic", "divides by multiplying"),
        "not_propagate_nan": fact("arithmetic", "a NaN among numbers is passed over"),
        "propagate_nan": fact("arithmetic", "a NaN among numbers makes the result NaN"),
        "kgeneric_3d_pooling_mode": fact("purpose", "for any pooling in three dimensions"),
        **{word: _enum(word, found) for word, found in _ENUM.items()},
    },
    patterns=(
        (r"(fp16|fp32|fp64|bf16|int8|fp8)(fp32|fp16|int32)?(?:(n?d?hwc|ncd?hw)|ncxhw(\d{1,2}))?", _data),
        (r"calign(\d{1,3})", lambda m: fact("alignment", f"channels in multiples of {m[1]}")),
        (r"tunroll(\d{1,3})", lambda m: fact("schedule", f"loops unrolled {counted(int(m[1]), 'time')}")),
        (r"tthreads(\d{1,4})", lambda m: fact("schedule", f"blocks of {counted(int(m[1]), 'thread')}")),
    ),
    phrases=(
        ("windowsize", 2, r"windowsize_(\d{1,3})", lambda m: fact("window", _size(int(m[1])), side=int(m[1]))),
        ("kmax", 2, r"kmax_(\d{1,2})", lambda m: _window(m, "maximum")),
        ("kaverage", 2, r"kaverage_(\d{1,2})", lambda m: _window(m, "mean")),
        ("nchw", 4, r"nchw_vect_c_(\d{1,3})", _vector),
    ),
)


def _size(side: int) -> str:
    return f"for windows of {side} in each dimension" if side else "for windows of any size"


_TILED = re.compile(r"tr(\d{1,3})_ts(\d{1,3})_tu(\d{1,3})_tv(\d{1,3})")
_TILE = re.compile(r"tp(\d{1,3})_tq(\d{1,3})")


def _read(reading: Reading) -> None:
    words = reading.words
    reading.learn({"library": "xmma" if "xmma" in words else "", "kind": "pooling", "scalar": True})
    while reading.at < len(words):
        at = reading.at
        tile = _TILE.fullmatch("_".join(words[at : at + 2]))
        tiled = _TILED.fullmatch("_".join(words[at : at + 4])) if not tile and words[at].startswith("tr") else None
        if tile:
            reading.say(fact("tile", f"each block of threads computes {tile[1]}×{tile[2]} results"), 2)
        elif tiled:
            reading.say(_tiled_window(tiled), 4)
        else:
            reading.read(_VOCABULARY)
            if "written" in reading.facts:
                del reading.facts["written"]
                reading.learn({"evidence": reading.texts[at]})
    side = reading.facts.pop("side", 0)
    dimensions = 3 if "3d" in words else 2 if "2d" in words else 0
    if side and dimensions:
        reading.learn({"window": (side,) * dimensions})


FAMILY = Family("pooling", 10, lambda words: "pooling" in words, _read, _VOCABULARY, names_types=False)
