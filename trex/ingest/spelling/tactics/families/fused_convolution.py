"""Fused convolution: direct convolutions on the CUDA cores (``sm50_xmma_conv_fprop_fused_conv_act_fp32_NCHW_…``).

Letters: P × Q outputs of a tile, windows R × S, strides U × V, as in NVIDIA's documents about convolutions; compared
with the layers of real engines.
"""

from __future__ import annotations

from trex.core.data_type import DataType
from trex.core.tactic import DIRECT
from trex.ingest.spelling.tactics.common import vocabulary
from trex.ingest.spelling.tactics.reading import Family, Reading
from trex.ingest.spelling.tactics.types import TYPES
from trex.ingest.spelling.tactics.vocabulary import fact

_VOCABULARY = vocabulary(
    {
        "fused_conv_act": fact("epilogue", "the activation is applied as well", algorithm=DIRECT),
        "fused": fact("epilogue", "more is computed with it"),
    },
    patterns=(
        (r"srcvec(\d{1,2})", lambda m: fact("memory", f"reads inputs {m[1]} at a time")),
        (r"fltvec(\d{1,2})", lambda m: fact("memory", f"reads weights {m[1]} at a time")),
    ),
)
_ACCUMULATORS = {"accfloat": DataType.FP32, "acchalf": DataType.FP16}


def _read(reading: Reading) -> None:
    words = reading.words
    named = [word for word in words if word in ("fp32", "fp16")]
    told = [_ACCUMULATORS[word] for word in words if word in _ACCUMULATORS]
    reading.learn({"library": "xmma"})
    if len(named) >= 2:
        accumulate = told[0] if told else DataType.UNKNOWN
        types = {"input_type": TYPES[named[0]], "output_type": TYPES[named[1]], "accumulate_type": accumulate}
        reading.learn({**types, "math": accumulate, "evidence": "_".join(named)})
    while reading.at < len(words):
        window = _numbers(words, reading.at, "rsuv")
        tile = _numbers(words, reading.at, ("tp", "tq"))
        depth = _numbers(words, reading.at, "c")
        if window:
            r, s, u, v = window
            told_window = f"for windows of {r}×{s} with strides of {u}×{v}"
            reading.say(fact("window", told_window, window=(r, s), stride=(u, v)), 4)
        elif tile:
            reading.say(fact("tile", f"each block of threads computes {tile[0]}×{tile[1]} results"), 2)
        elif depth:
            reading.say(fact("tile", f"steps of {depth[0]} input channels"))
        else:
            reading.read(_VOCABULARY)


def _numbers(words: list[str], at: int, letters: str | tuple[str, ...]) -> list[int]:
    """The numbers behind letters in a row of words (``R5_S5``: 5, 5); none when the words are others."""
    found = []
    for place, letter in enumerate(letters, at):
        word = words[place] if place < len(words) else ""
        number = word[len(letter) :]
        if not word.startswith(letter) or not number.isdecimal() or len(number) > 3:
            return []
        found.append(int(number))
    return found


def _fits(words: list[str]) -> bool:
    return "xmma" in words and "fused" in words and "conv" in words


FAMILY = Family("fused convolution", 20, _fits, _read, _VOCABULARY, names_types=False)
