"""cuBLAS's matrix-vector products: ``sm50_xmma_cublas_gemvx_f16f16_f32_f32_tn_n_int32_unit_n_…``."""

from __future__ import annotations

from trex.ingest.spelling.tactics.common import vocabulary
from trex.ingest.spelling.tactics.types import read_typed_name, type_groups
from trex.ingest.spelling.tactics.word_cursor import Family, WordCursor

_VOCABULARY = vocabulary(
    {
        "unit_n": "for one output column (n = 1)",
        "strided": "for batches with a fixed stride",
        "unit_stride": "for contiguous vectors",
        "smalln": "for few columns",
    },
    phrases=(
        (
            "launch",
            2,
            r"launch_param(\d{1,4}x\d{1,4}x\d{1,4})",
            r"launch parameters \1",
        ),
    ),
)


def _decode(reader: WordCursor) -> None:
    reader.set_fields({"library": "cublas", "kind": "gemm"})
    read_typed_name(reader, _VOCABULARY, type_groups, 3)


def _matches(words: list[str]) -> bool:
    return "xmma" in words and any(word.startswith(("gemv", "small")) for word in words) and words[2:3] == ["cublas"]


FAMILY = Family("gemv", 20, _matches, _decode)
