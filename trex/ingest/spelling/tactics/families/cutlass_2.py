"""CUTLASS 2: ``cutlass_80_tensorop_f16_s16816gemm_relu_f16_256x128_32x3_tn_align8``.

Source: CUTLASS's documented kernel naming: operator class, types and instruction, tile, depth × stages, layouts,
alignment.
"""

from __future__ import annotations

import re

from trex.ingest.spelling.tactics.common import capability, depth_and_stages, vocabulary
from trex.ingest.spelling.tactics.style import find_style, read_style_type, style_meaning, style_of, style_types
from trex.ingest.spelling.tactics.vocabulary import meaning, tile_meaning
from trex.ingest.spelling.tactics.word_cursor import Family, WordCursor

_VOCABULARY = vocabulary(
    {
        "optimized": "increments window offsets instead of computing each",
        "analytic": "computes the window offset of each element",
        "unity_stride": "for strides of 1",
        "few_channels": "for inputs with few channels",
        "fixed_channels": "for inputs whose channels fit one load",
        "grouped": "for several groups",
    },
    patterns=(
        (r"singlegroup", "each thread block computes one group of channels"),
        (r"(\d{2,3})", lambda m: meaning(f"written for {capability(int(m[1]))}", sm=int(m[1]))),
    ),
)
_TILE = re.compile(r"\d{1,4}x\d{1,4}(?:x\d{1,4})?")
_STAGES = re.compile(r"(\d{1,4})x(\d{1,2})")
_SM_WORD = re.compile(r"\d{2,3}")


def _decode(reader: WordCursor) -> None:
    words = reader.words
    reader.set_fields({"library": "cutlass"})
    style_index = find_style(words)
    if style_index >= 0:
        reader.set_fields(style_types(words, style_index))
    while reader.index < len(words):
        index, word = reader.index, reader.word
        style = style_of(word)
        if style:
            reader.add(style_meaning(style))
        elif "tile" not in reader.fields and _TILE.fullmatch(word):
            reader.add(tile_meaning(word))
            if stages := _STAGES.fullmatch(reader.word):
                reader.add(depth_and_stages(stages))
        elif _SM_WORD.fullmatch(word) and index != 1:
            reader.add(None)
        elif not read_style_type(reader, style_index):
            reader.read(_VOCABULARY)


FAMILY = Family("CUTLASS 2", 50, lambda words: words[0] == "cutlass", _decode, _VOCABULARY)
