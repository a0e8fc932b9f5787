"""Kernels of no family: words with the same meaning in every family (``volta_hmma_implicit_gemm_fprop_…``)."""

from __future__ import annotations

from trex.ingest.spelling.tactics.common import COMMON
from trex.ingest.spelling.tactics.types import read_types, three_types
from trex.ingest.spelling.tactics.vocabulary import TILE, tile_meaning
from trex.ingest.spelling.tactics.word_cursor import Family, WordCursor


def _decode(reader: WordCursor) -> None:
    words = reader.words
    if any(word.startswith("cutlass") for word in words):
        reader.set_fields({"library": "cutlass"})
    elif "cudnn" in words:
        reader.set_fields({"library": "cudnn"})
    while reader.index < len(words):
        if read_types(reader, three_types, 1):
            continue
        if reader.index and "tile" not in reader.fields and TILE.fullmatch(reader.word):
            reader.add(tile_meaning(reader.word))
        else:
            reader.read(COMMON)


FAMILY = Family("", 1000, lambda words: True, _decode)
