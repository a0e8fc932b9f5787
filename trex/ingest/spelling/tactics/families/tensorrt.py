"""TensorRT's special-purpose kernels: ``trt_turing_cutlass_image_network_first_layer_hmma_fprop_f16f16f32_…``."""

from __future__ import annotations

from trex.ingest.spelling.tactics.common import vocabulary
from trex.ingest.spelling.tactics.types import read_typed_name, three_types
from trex.ingest.spelling.tactics.word_cursor import Family, WordCursor

_VOCABULARY = vocabulary(
    {
        "image_network_first_layer": "for the first layer of an image network",
        "pool": "fused with a pooling",
    },
    patterns=(
        (
            r"k(\d{1,4})r(\d{1,3})s(\d{1,3})c(\d{1,4})",
            r"for \1 output and \4 input channels, windows of \2×\3",
        ),
    ),
    phrases=(
        ("tile", 3, r"tile_rows_(\d{1,4})", r"tiles of \1 rows"),
        ("tile", 3, r"tile_cols_(\d{1,4})", r"tiles of \1 columns"),
    ),
)


def _decode(reader: WordCursor) -> None:
    is_cutlass = any(word.startswith("cutlass") for word in reader.words)
    reader.set_fields({"library": "cutlass" if is_cutlass else ""})
    read_typed_name(reader, _VOCABULARY, three_types, 1)


FAMILY = Family("TensorRT", 70, lambda words: "trt" in words[:2], _decode)
