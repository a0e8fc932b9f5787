"""gemv: cuBLAS's products of a matrix and a vector (``sm50_xmma_cublas_gemvx_f16f16_f32_f32_tn_n_int32_unit_n_…``)."""

from __future__ import annotations

from trex.ingest.spelling.tactics.common import vocabulary
from trex.ingest.spelling.tactics.reading import Family, Reading
from trex.ingest.spelling.tactics.types import type_groups, types_said
from trex.ingest.spelling.tactics.vocabulary import Said, fact, times

_VOCABULARY = vocabulary(
    {
        "unit_n": fact("purpose", "for products with one column (n = 1)"),
        "strided": fact("memory", "for batches at a fixed distance"),
        "unit_stride": fact("memory", "for vectors without gaps"),
        "smalln": fact("purpose", "for few columns"),
    },
    phrases=(
        (
            "launch",
            2,
            r"launch_param(\d{1,4}x\d{1,4}x\d{1,4})",
            lambda m: fact("launch", f"launched with the parameters {times(m[1])}"),
        ),
    ),
)


def _read(reading: Reading) -> None:
    reading.learn({"library": "cublas", "kind": "gemm"})
    while reading.at < len(reading.words):
        types = None if "evidence" in reading.facts else type_groups(reading.words, reading.at)
        if types:
            reading.say(Said("types", types_said(types), types), 3)
        else:
            reading.read(_VOCABULARY)


def _fits(words: list[str]) -> bool:
    return "xmma" in words and any(word.startswith(("gemv", "small")) for word in words) and words[2:3] == ["cublas"]


FAMILY = Family("gemv", 20, _fits, _read, _VOCABULARY)
