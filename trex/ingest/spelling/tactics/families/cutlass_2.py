"""CUTLASS 2: ``cutlass_80_tensorop_f16_s16816gemm_relu_f16_256x128_32x3_tn_align8``.

Source: CUTLASS's documented kernel naming: operator class, types and instruction, tile, depth × stages, layouts,
alignment.
"""

from __future__ import annotations

import re

from trex.ingest.spelling.tactics.common import capability, vocabulary
from trex.ingest.spelling.tactics.style import read_styled_name
from trex.ingest.spelling.tactics.vocabulary import meaning
from trex.ingest.spelling.tactics.word_cursor import Family, WordCursor

_VOCABULARY = vocabulary(
    {
        "optimized": "increments window offsets instead of computing each",
        "analytic": "computes the window offset of each element",
        "unity_stride": "for strides of 1",
        "few_channels": "for inputs with few channels",
        "fixed_channels": "for inputs whose channels fit one load",
        "grouped": "for several groups",
        "singlegroup": "each thread block computes one group of channels",
    },
)
_SM = re.compile(r"\d{2,3}")


def _decode(reader: WordCursor) -> None:
    reader.set_fields({"library": "cutlass"})
    reader.read(_VOCABULARY)
    if _SM.fullmatch(reader.word):
        sm = int(reader.word)
        reader.add(meaning(f"written for {capability(sm)}", sm=sm))
    read_styled_name(reader, _VOCABULARY)


FAMILY = Family("CUTLASS 2", 50, lambda words: words[0] == "cutlass", _decode)
