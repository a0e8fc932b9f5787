"""nvjet: cuBLAS's GEMMs for Hopper and later (``nvjet_sm90_tst_192x192_64x3_2x1_v_bz_coopB_NTN``).

The naming is not published: the letters of the types, tile, depth × stages and cluster were compared with the GEMMs
that run these kernels in profiles. The rest stays unparsed.
"""

from __future__ import annotations

import re
from typing import Any

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.ingest.spelling.tactics.common import cluster_words, depth_and_stages, vocabulary
from trex.ingest.spelling.tactics.vocabulary import Meaning, meaning, tile_meaning, times
from trex.ingest.spelling.tactics.word_cursor import Family, WordCursor

_TYPES = {
    "h": DataType.FP16,
    "t": DataType.BF16,
    "s": DataType.FP32,
    "q": DataType.FP8,
    "o": DataType.FP4,
}
_CODE = re.compile(r"([hts])s([hts])|([qo])([qo])([hts])s([htsq])")
_TILE = re.compile(r"\d{1,4}x\d{1,4}(?:x\d{1,4})?")
_STAGES = re.compile(r"(\d{1,4})x(\d{1,2})")
_CLUSTER = re.compile(r"(\dx\d)")
_VOCABULARY = vocabulary(
    {
        "mma": meaning("Tensor Core instructions of one warp", matrix=True),
        "2cta": "matrix instructions shared by two thread blocks",
        "coopa": "two warp groups share one tile",
        "coopb": "two warp groups share one tile",
        "tmaab": "loads both operands through the tensor memory accelerator (TMA)",
        "ovscale": "can scale the output",
    },
    patterns=(
        (
            r"([ab])vec(\d{1,3})(ue4m3|ue8m0)",
            lambda m: f"operand {m[1].upper()} with one scale ({m[3].upper()}) per {m[2]} values",
        ),
        (r"algo(\d{1,3})", r"algorithm \1"),
    ),
)


def _types(word: str) -> Meaning | None:
    """Two or three letters for the operands (and the addend), the accumulator, the output: all but ``s`` are types."""
    match = _CODE.fullmatch(word)
    if not match:
        return None
    operand, output = match[1] or match[3], match[2] or match[6]
    fields: dict[str, Any] = {
        "input_type": _TYPES[operand],
        "weights_type": _TYPES[match[1] or match[4]],
        "accumulate_type": DataType.FP32,
        "output_type": _TYPES[output],
        "tf32": operand == "s",
        "evidence": f"nvjet_{word}",
        "matrix": True,
    }
    text = f"{fields['input_type'].label} in, {fields['output_type'].label} out, accumulates in FP32"
    return Meaning(text + (", multiplies as TF32" if operand == "s" else ""), fields)


def _decode(reader: WordCursor) -> None:
    reader.set_fields({"library": "cublas", "kind": "gemm"})
    while reader.index < len(reader.words):
        word = reader.word
        types = _types(word) if 1 <= reader.index <= 2 else None
        if types:
            reader.add(types)
        elif "tile" not in reader.fields and _TILE.fullmatch(word):
            _read_tile(reader)
        else:
            reader.read(_VOCABULARY)


def _read_tile(reader: WordCursor) -> None:
    has_warp_tile = reader.words[reader.index - 1] == "mma"
    reader.add(tile_meaning(reader.word))
    if has_warp_tile and reader.word.isdecimal() and len(reader.word) <= 2:
        count = int(reader.word)
        reader.add(meaning(f"a pipeline of {counted(count, 'stage')}", stages=count))
        if _TILE.fullmatch(reader.word):
            reader.add(f"each warp computes a tile of {times(reader.word)}")
    elif stages := _STAGES.fullmatch(reader.word):
        reader.add(depth_and_stages(stages))
        if cluster := _CLUSTER.fullmatch(reader.word):
            reader.add(cluster_words(cluster))


FAMILY = Family("nvjet", 40, lambda words: words[0] == "nvjet", _decode)
