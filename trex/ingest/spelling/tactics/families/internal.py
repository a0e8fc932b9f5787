"""TensorRT's kernels for one purpose: ``trt_turing_cutlass_image_network_first_layer_hmma_fprop_f16f16f32_…``."""

from __future__ import annotations

from trex.ingest.spelling.tactics.common import vocabulary
from trex.ingest.spelling.tactics.reading import Family, Reading
from trex.ingest.spelling.tactics.types import three_types, types_said
from trex.ingest.spelling.tactics.vocabulary import Said, fact

_VOCABULARY = vocabulary(
    {
        "image_network_first_layer": fact("purpose", "for the first layer of a network that reads images"),
        "pool": fact("operation", "a pooling as well"),
    },
    patterns=(
        (
            r"k(\d{1,4})r(\d{1,3})s(\d{1,3})c(\d{1,4})",
            lambda m: fact(
                "window",
                f"for {m[1]} output and {m[4]} input channels, windows of {m[2]}×{m[3]}",
                window=(int(m[2]), int(m[3])),
            ),
        ),
    ),
    phrases=(
        ("tile", 3, r"tile_rows_(\d{1,4})", lambda m: fact("tile", f"tiles of {m[1]} rows")),
        ("tile", 3, r"tile_cols_(\d{1,4})", lambda m: fact("tile", f"tiles of {m[1]} columns")),
    ),
)


def _read(reading: Reading) -> None:
    words = reading.words
    cutlass = any(word.startswith("cutlass") for word in words)
    reading.learn({"library": "cutlass" if cutlass else ""})
    while reading.at < len(words):
        types = None if "evidence" in reading.facts else three_types(reading.word)
        if types:
            reading.say(Said("types", types_said(types), types))
        else:
            reading.read(_VOCABULARY)


FAMILY = Family("TensorRT", 70, lambda words: "trt" in words[:2], _read, _VOCABULARY)
