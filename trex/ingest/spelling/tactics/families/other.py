"""Other kernels: of no family, but with words that mean the same everywhere (``volta_hmma_implicit_gemm_fprop_…``)."""

from __future__ import annotations

from trex.ingest.spelling.tactics.common import COMMON
from trex.ingest.spelling.tactics.reading import Family, Reading
from trex.ingest.spelling.tactics.style import TILE, said_tile
from trex.ingest.spelling.tactics.types import three_types, types_said
from trex.ingest.spelling.tactics.vocabulary import Said


def _read(reading: Reading) -> None:
    words = reading.words
    if any(word.startswith("cutlass") for word in words):
        reading.learn({"library": "cutlass"})
    elif "cudnn" in words:
        reading.learn({"library": "cudnn"})
    while reading.at < len(words):
        word = reading.word
        types = None if "evidence" in reading.facts else three_types(word)
        if types:
            reading.say(Said("types", types_said(types), types))
        elif reading.at and "tile" not in reading.facts and TILE.fullmatch(word):
            reading.say(said_tile(word))
        else:
            reading.read(COMMON)


FAMILY = Family("", 1000, lambda words: True, _read, COMMON)
