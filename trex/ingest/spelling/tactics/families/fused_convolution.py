"""Fused direct convolutions on CUDA cores: ``sm50_xmma_conv_fprop_fused_conv_act_fp32_NCHW_…_R5_S5_U1_V1``.

Letters as in NVIDIA's documentation of convolutions: a tile has P × Q outputs, windows R × S, strides U × V. Checked
against the layers of real engines.
"""

from __future__ import annotations

from trex.core.data_type import DataType
from trex.core.tactic import DIRECT
from trex.ingest.spelling.tactics.common import vocabulary
from trex.ingest.spelling.tactics.types import TYPES
from trex.ingest.spelling.tactics.vocabulary import meaning
from trex.ingest.spelling.tactics.word_cursor import Family, WordCursor

_VOCABULARY = vocabulary(
    {
        "fused_conv_act": meaning("epilogue", "applies the activation", algorithm=DIRECT),
        "fused": meaning("epilogue", "fused with other operations"),
    },
    patterns=(
        (r"srcvec(\d{1,2})", lambda m: meaning("memory", f"loads {m[1]} inputs at a time")),
        (r"fltvec(\d{1,2})", lambda m: meaning("memory", f"loads {m[1]} weights at a time")),
    ),
)
_ACCUMULATORS = {"accfloat": DataType.FP32, "acchalf": DataType.FP16}


def _decode(reader: WordCursor) -> None:
    words = reader.words
    types = [word for word in words if word in ("fp32", "fp16")]
    reader.set_fields({"library": "xmma"})
    if len(types) >= 2:
        accumulate = next((_ACCUMULATORS[word] for word in words if word in _ACCUMULATORS), DataType.UNKNOWN)
        fields = {"input_type": TYPES[types[0]], "output_type": TYPES[types[1]], "accumulate_type": accumulate}
        reader.set_fields({**fields, "math": accumulate, "evidence": "_".join(types)})
    while reader.index < len(words):
        window = _numbers(words, reader.index, "rsuv")
        tile = _numbers(words, reader.index, ("tp", "tq"))
        depth = _numbers(words, reader.index, "c")
        if window:
            r, s, u, v = window
            text = f"for windows of {r}×{s} with strides of {u}×{v}"
            reader.add(meaning("window", text, window=(r, s), stride=(u, v)), 4)
        elif tile:
            reader.add(meaning("tile", f"each thread block computes {tile[0]}×{tile[1]} outputs"), 2)
        elif depth:
            reader.add(meaning("tile", f"steps of {depth[0]} input channels"))
        else:
            reader.read(_VOCABULARY)


def _numbers(words: list[str], start: int, letters: str | tuple[str, ...]) -> list[int]:
    """The numbers after the letters of consecutive words (``R5_S5``: 5, 5); [] for other words."""
    numbers = []
    for index, letter in enumerate(letters, start):
        word = words[index] if index < len(words) else ""
        number = word[len(letter) :]
        if not word.startswith(letter) or not number.isdecimal() or len(number) > 3:
            return []
        numbers.append(int(number))
    return numbers


def _matches(words: list[str]) -> bool:
    return "xmma" in words and "fused" in words and "conv" in words


FAMILY = Family("fused convolution", 20, _matches, _decode, _VOCABULARY, infer_type=False)
