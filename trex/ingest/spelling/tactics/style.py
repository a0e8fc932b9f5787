"""Style: the word of a kernel's name that tells the accumulator, the instruction and the library (``s16816gemm``).

``[<out>_]<accumulate>[<instruction>]{cudnn,gemm,fprop,…}[_…_<in>]``: s single, h half, i integer, d double. cuDNN,
cuBLAS and CUTLASS 2 share it. Source: CUTLASS's documented kernel naming.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from trex.core.data_type import DataType
from trex.core.tactic import IMPLICIT_GEMM
from trex.ingest.spelling.tactics.reading import Reading
from trex.ingest.spelling.tactics.types import ACCUMULATORS, TYPES, label
from trex.ingest.spelling.tactics.vocabulary import Said, fact, times

_STYLE = re.compile(r"([shid])(\d{2,7}|\d{1,4}x\d{1,4}x\d{1,4})?(tf32)?(sp)?(cudnn|gemmex|gemm|gemv|fprop|dgrad|wgrad)")
INSTRUCTIONS = {
    "884": (8, 8, 4),
    "1684": (16, 8, 4),
    "1688": (16, 8, 8),
    "16816": (16, 8, 16),
    "8816": (8, 8, 16),
    "8832": (8, 8, 32),
    "16832": (16, 8, 32),
    "16864": (16, 8, 64),
    "161616": (16, 16, 16),
    "83216": (8, 32, 16),
    "32816": (32, 8, 16),
}
_WHAT = {
    "cudnn": "of cuDNN, a convolution",
    "gemm": "a matrix product",
    "gemmex": "a matrix product",
    "gemv": "a matrix times a vector",
    "fprop": "a convolution forwards",
    "dgrad": "the gradient by the data, which is what a deconvolution computes",
    "wgrad": "the gradient by the weights",
}
_UNKNOWN = DataType.UNKNOWN


class Style(NamedTuple):
    """instruction: of the matrix units as written, "" for the CUDA cores. what: ``cudnn``, ``gemm``, ``fprop``, …"""

    letter: str
    instruction: str
    tf32: bool
    sparse: bool
    what: str

    @property
    def mma(self) -> tuple[int, int, int] | None:
        if "x" in self.instruction:
            m, n, k = (int(each) for each in self.instruction.split("x"))
            return m, n, k
        return INSTRUCTIONS.get(self.instruction)


@lru_cache(maxsize=4096)
def style_of(word: str) -> Style | None:
    found = _STYLE.fullmatch(word) if len(word) <= 40 else None
    return Style(found[1], found[2] or "", bool(found[3]), bool(found[4]), found[5]) if found else None


def find_style(words: list[str]) -> int:
    """Place of the first word in this style, -1 without one."""
    return next((at for at, word in enumerate(words) if style_of(word)), -1)


def style_said(style: Style, library: str = "") -> Said:
    """What the word itself says. library: as in Tactic, "" where it only says cuDNN or nothing."""
    mma = style.mma
    told = f"Tensor Core instructions of {'×'.join(map(str, mma))}" if mma else ""
    if style.instruction and not mma:
        told = f"Tensor Core instructions {style.instruction}"
    words = [_WHAT[style.what] if not library or style.what == "cudnn" else f"{library}, {_WHAT[style.what]}"]
    words.append(f"accumulates in {ACCUMULATORS[style.letter].label}")
    if style.tf32:
        words.append("multiplies FP32 as TF32")
    if style.sparse:
        words.append("one operand 2:4 sparse")
    facts: dict[str, Any] = {"style_tensor_core": bool(style.instruction)}
    if mma:
        facts["mma"] = mma
    if style.sparse:
        facts["sparse"] = True
    if style.what in ("fprop", "dgrad", "wgrad"):
        facts["algorithm"] = IMPLICIT_GEMM
    return Said("style", ", ".join([*words, *([told] if told else [])]), facts)


def style_types(words: list[str], at: int) -> dict[str, Any]:
    """The types around the word of this style at a place: the output's before it, the operands' in the next two."""
    style = style_of(words[at])
    assert style is not None
    accumulate = ACCUMULATORS[style.letter]
    before = TYPES.get(words[at - 1]) if at else None
    behind = next((TYPES[word] for word in words[at + 1 : at + 3] if word in TYPES), None)
    named_tf32 = (at > 0 and words[at - 1] == "tf32") or "tf32" in words[at + 1 : at + 3]
    tf32 = style.tf32 or named_tf32
    if behind is None:
        # An integer kernel that names no input type could be INT8 or INT4.
        behind = _UNKNOWN if style.letter == "i" else DataType.FP32 if tf32 else accumulate
        if style.letter == "s" and style.instruction and not tf32:
            behind = before or _UNKNOWN
    return {
        "input_type": behind,
        "weights_type": behind,
        "accumulate_type": accumulate,
        "output_type": before or (_UNKNOWN if style.letter == "i" else accumulate),
        "tf32": tf32,
        "math": behind if style.instruction else accumulate,
        "evidence": "_".join(words[max(at - (before is not None), 0) : at + 2]),
    }


def say_type_beside(reading: Reading, style_at: int) -> bool:
    """Reads a word that names a type before or behind the style's; False when the next word is none."""
    word, at = reading.word, reading.at
    if word not in TYPES or not style_at - 1 <= at <= style_at + 2:
        return False
    reading.say(fact("type", f"{label(word)} {'out' if at < style_at else 'in'}"))
    return True


TILE = re.compile(r"\d{2,4}x\d{1,4}(?:x\d{1,4})?")


def said_tile(word: str) -> Said:
    """``128x64`` or ``128x64x32`` as the tile of one thread block."""
    sides = [int(each) for each in word.split("x")]
    tile = (sides[0], sides[1], sides[2] if len(sides) > 2 else None)
    return fact("tile", f"a tile of {times(word)}", tile=tile)
