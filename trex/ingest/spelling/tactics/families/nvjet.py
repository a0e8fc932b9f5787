"""nvjet: cuBLAS's matrix products for Hopper and later (``nvjet_sm90_tst_192x192_64x3_2x1_v_bz_coopB_NTN``).

Nobody has published their grammar: the letters of the types, tile, depth × stages and cluster were compared with the
products that profiles show them for. What could not be compared stays unparsed.
"""

from __future__ import annotations

import re
from typing import Any

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.ingest.spelling.tactics.common import said_operands, vocabulary
from trex.ingest.spelling.tactics.reading import Family, Reading
from trex.ingest.spelling.tactics.style import said_tile
from trex.ingest.spelling.tactics.vocabulary import Said, fact, times

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
_CLUSTER = re.compile(r"(\d)x(\d)")
_VOCABULARY = vocabulary(
    {
        "mma": fact("units", "Tensor Core instructions of one warp", matrix=True),
        "2cta": fact("schedule", "matrix instructions shared by two thread blocks"),
        "coopa": fact("schedule", "two groups of warps share one tile"),
        "coopb": fact("schedule", "two groups of warps share one tile"),
        "tmaab": fact("memory", "both operands are loaded by the tensor memory accelerator (TMA)"),
        "ovscale": fact("epilogue", "able to scale its result"),
    },
    patterns=(
        (
            r"([ab])vec(\d{1,3})(ue4m3|ue8m0)",
            lambda m: fact("types", f"operand {m[1].upper()} with one scale ({m[3].upper()}) for {m[2]} values"),
        ),
        (r"algo(\d{1,3})", lambda m: fact("version", f"algorithm {m[1]}")),
        (r"[tn]{3}", said_operands),
    ),
)


def _types(word: str) -> Said | None:
    """Two or three letters for the operands (and the addend), the accumulator, the result: all but ``s`` are types."""
    found = _CODE.fullmatch(word)
    if not found:
        return None
    operand, result = found[1] or found[3], found[2] or found[6]
    weights = found[1] or found[4]
    facts: dict[str, Any] = {
        "input_type": _TYPES[operand],
        "weights_type": _TYPES[weights],
        "accumulate_type": DataType.FP32,
        "output_type": _TYPES[result],
        "tf32": operand == "s",
        "evidence": f"nvjet_{word}",
        "matrix": True,
    }
    told = f"{facts['input_type'].label} in, {facts['output_type'].label} out, accumulates in FP32"
    return Said("types", told + (", multiplies as TF32" if operand == "s" else ""), facts)


def _read(reading: Reading) -> None:
    words = reading.words
    reading.learn({"library": "cublas", "kind": "gemm"})
    while reading.at < len(words):
        word = reading.word
        types = _types(word) if 1 <= reading.at <= 2 else None
        if types:
            reading.say(types)
        elif "tile" not in reading.facts and _TILE.fullmatch(word):
            _say_tile(reading)
        else:
            reading.read(_VOCABULARY)


def _say_tile(reading: Reading) -> None:
    warps = reading.words[reading.at - 1] == "mma"
    reading.say(said_tile(reading.word))
    if warps and reading.word.isdecimal() and len(reading.word) <= 2:
        count = int(reading.word)
        reading.say(fact("stages", f"a pipeline of {counted(count, 'stage')}", stages=count))
        if _TILE.fullmatch(reading.word):
            reading.say(fact("warp-tile", f"each warp computes a tile of {times(reading.word)}"))
        return
    if stages := _STAGES.fullmatch(reading.word):
        told = f"steps of {stages[1]} along k, through a pipeline of {counted(int(stages[2]), 'stage')}"
        reading.say(fact("stages", told, stages=int(stages[2]), depth=int(stages[1])))
        if cluster := _CLUSTER.fullmatch(reading.word):
            x, y = int(cluster[1]), int(cluster[2])
            told = f"clusters of {x}×{y} thread blocks" if x * y > 1 else "thread blocks work alone"
            reading.say(fact("cluster", told, cluster=(x, y, 1)))


FAMILY = Family("nvjet", 40, lambda words: words[0] == "nvjet", _read, _VOCABULARY)
