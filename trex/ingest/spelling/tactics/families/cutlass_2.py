"""CUTLASS 2: ``cutlass_80_tensorop_f16_s16816gemm_relu_f16_256x128_32x3_tn_align8``.

Source: CUTLASS's documented kernel naming: operator class, types and instruction, tile, depth × stages, layouts,
alignment.
"""

from __future__ import annotations

import re

from trex.core.counted import counted
from trex.ingest.spelling.tactics.common import capability, vocabulary
from trex.ingest.spelling.tactics.reading import Family, Reading
from trex.ingest.spelling.tactics.style import (
    find_style,
    said_tile,
    say_type_beside,
    style_of,
    style_said,
    style_types,
)
from trex.ingest.spelling.tactics.vocabulary import fact

_VOCABULARY = vocabulary(
    {
        "optimized": fact("algorithm", "offsets of windows are counted on, not computed anew"),
        "analytic": fact("algorithm", "offsets of windows are computed anew for each element"),
        "unity_stride": fact("stride", "for strides of 1", stride=(1, 1)),
        "few_channels": fact("purpose", "for inputs of few channels"),
        "fixed_channels": fact("purpose", "for inputs whose channels make one load"),
        "grouped": fact("purpose", "for several groups"),
    },
    patterns=(
        (r"singlegroup", lambda m: fact("groups", "each block of threads works on one group of channels")),
        (r"(\d{2,3})", lambda m: fact("architecture", f"written for {capability(int(m[1]))}", sm=int(m[1]))),
    ),
)
_TILE = re.compile(r"\d{1,4}x\d{1,4}(?:x\d{1,4})?")
_STAGES = re.compile(r"(\d{1,4})x(\d{1,2})")
_SM_WORD = re.compile(r"\d{2,3}")


def _read(reading: Reading) -> None:
    words = reading.words
    reading.learn({"library": "cutlass"})
    style_at = find_style(words)
    if style_at >= 0:
        reading.learn(style_types(words, style_at))
    while reading.at < len(words):
        at, word = reading.at, reading.word
        style = style_of(word)
        if style:
            reading.say(style_said(style))
        elif "tile" not in reading.facts and _TILE.fullmatch(word):
            reading.say(said_tile(word))
            stages = _STAGES.fullmatch(reading.word)
            if stages:
                told = f"steps of {stages[1]} along k, through a pipeline of {counted(int(stages[2]), 'stage')}"
                reading.say(fact("stages", told, stages=int(stages[2]), depth=int(stages[1])))
        elif _SM_WORD.fullmatch(word) and at != 1:
            reading.say(None)
        elif not say_type_beside(reading, style_at):
            reading.read(_VOCABULARY)


FAMILY = Family("CUTLASS 2", 50, lambda words: words[0] == "cutlass", _read, _VOCABULARY)
