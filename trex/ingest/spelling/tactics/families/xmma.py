"""xmma: TensorRT's own convolutions and matrix products (``sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_…``)."""

from __future__ import annotations

import re

from trex.ingest.spelling.tactics.common import vocabulary
from trex.ingest.spelling.tactics.reading import Family, Reading
from trex.ingest.spelling.tactics.types import type_groups, types_said
from trex.ingest.spelling.tactics.vocabulary import Said, extents, fact, times

_PLANES = {"nchw": "planes of channels (NCHW)", "nhwc": "channels last (NHWC)"}


def _tile(match: re.Match[str]) -> Said:
    sides = extents(match[1])
    told = f"a block of threads computes a tile of {times(match[1])}"
    if len(sides) == 3:
        return fact("tile", f"{told} (m × n × k)", tile=sides)
    return fact("tile", told)


def _vectors(match: re.Match[str]) -> Said:
    vector, weights = match[1], match[2]
    told = f"input in vectors of {vector} channels (NC/{vector}HW{vector}), weights in vectors of {weights}"
    return fact("layouts", told, layouts=(f"nchw_vect_c_{vector}", f"kcrs_vect_c_{weights}"))


def _vector(match: re.Match[str]) -> Said:
    told = f"a tensor in vectors of {match[1]} channels (NC/{match[1]}HW{match[1]})"
    return fact("layouts", told, layouts=(match[0],))


def _both_layouts(match: re.Match[str]) -> Said:
    planes, weights = match[1], match[2]
    return fact("layouts", f"input with {_PLANES[planes]}, weights as {weights.upper()}", layouts=(planes, weights))


def _winograd_tile(match: re.Match[str]) -> Said:
    told = f"each tile of {match[1]}×{match[2]} results by Winograd's algorithm"
    return fact("winograd-tile", told, winograd_tile=(int(match[1]), int(match[2])))


_VOCABULARY = vocabulary(
    {
        "interleaved": fact("layouts", "channels lie in vectors, one after another"),
        "indexed": fact("memory", "finds its inputs through indices"),
        "epifadd": fact("epilogue", "additions of its epilogue are FP32 additions (FADD)"),
        "simple": fact("purpose", "for strides of 1 without padding"),
        "packed_stride": fact("memory", "for tensors without gaps"),
        "tiling": fact("algorithm", "tile by tile"),
    },
    patterns=(
        (r"tilesize(\d{1,4}x\d{1,4}x\d{1,4}(?:x\d{1,4})?)", _tile),
        (r"(nchw|nhwc)(kcrs|krsc)", _both_layouts),
        (r"wngd(\d)x(\d)", _winograd_tile),
        (
            r"gmmastage(\d{1,3})",
            lambda m: fact("stages", f"up to {m[1]} matrix instructions of a group of warps under way"),
        ),
    ),
    phrases=(
        ("nchw", 7, r"nchw_vect_c_(\d{1,3})kcrs_vect_c_(\d{1,3})", _vectors),
        ("nchw", 4, r"nchw_vect_c_(\d{1,3})", _vector),
    ),
)


def _read(reading: Reading) -> None:
    reading.learn({"library": "cublas" if "cublas" in reading.words else "xmma"})
    while reading.at < len(reading.words):
        types = None if "evidence" in reading.facts else type_groups(reading.words, reading.at)
        if types:
            reading.say(Said("types", types_said(types), types), 3)
        else:
            reading.read(_VOCABULARY)
    if "depthwise" in reading.words:
        reading.facts.pop("tile", None)  # of pixels, not of a matrix product


FAMILY = Family("xmma", 30, lambda words: "xmma" in words, _read, _VOCABULARY)
