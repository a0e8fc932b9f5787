"""Style word of a kernel name (``s16816gemm``): accumulator, instruction and library.

``[<out>_]<accumulate>[<instruction>]{cudnn,gemm,fprop,…}[_…_<in>]``: s single, h half, i integer, d double. cuDNN,
cuBLAS and CUTLASS 2 use it. Source: CUTLASS's documented kernel naming.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from trex.core.data_type import DataType
from trex.core.tactic import IMPLICIT_GEMM
from trex.ingest.spelling.tactics.types import ACCUMULATORS, TYPES, label
from trex.ingest.spelling.tactics.vocabulary import Meaning, meaning
from trex.ingest.spelling.tactics.word_cursor import WordCursor

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
_OPERATIONS = {
    "cudnn": "convolution of cuDNN",
    "gemm": "GEMM",
    "gemmex": "GEMM",
    "gemv": "matrix-vector product (GEMV)",
    "fprop": "forward convolution",
    "dgrad": "data gradient, the operation of a deconvolution",
    "wgrad": "weight gradient",
}
_UNKNOWN = DataType.UNKNOWN


class Style(NamedTuple):
    """instruction: of the Tensor Cores, verbatim; "" for CUDA cores. operation: ``cudnn``, ``gemm``, ``fprop``, …"""

    letter: str
    instruction: str
    tf32: bool
    sparse: bool
    operation: str

    @property
    def mma(self) -> tuple[int, int, int] | None:
        if "x" in self.instruction:
            m, n, k = (int(number) for number in self.instruction.split("x"))
            return m, n, k
        return INSTRUCTIONS.get(self.instruction)


@lru_cache(maxsize=4096)
def style_of(word: str) -> Style | None:
    match = _STYLE.fullmatch(word) if len(word) <= 40 else None
    return Style(match[1], match[2] or "", bool(match[3]), bool(match[4]), match[5]) if match else None


def find_style(words: list[str]) -> int:
    """Index of the first style word, -1 without one."""
    return next((index for index, word in enumerate(words) if style_of(word)), -1)


def style_meaning(style: Style, library: str = "") -> Meaning:
    """library: for display, "" if the word only says cuDNN or nothing."""
    operation = _OPERATIONS[style.operation]
    texts = [operation if not library or style.operation == "cudnn" else f"{operation} of {library}"]
    texts.append(f"accumulates in {ACCUMULATORS[style.letter].label}")
    if style.tf32:
        texts.append("multiplies FP32 as TF32")
    if style.sparse:
        texts.append("one operand 2:4 sparse")
    fields: dict[str, Any] = {"style_tensor_core": bool(style.instruction)}
    mma = style.mma
    if mma:
        texts.append(f"Tensor Core instructions of {'×'.join(map(str, mma))}")
    elif style.instruction:
        texts.append(f"Tensor Core instructions {style.instruction}")
    if style.sparse:
        fields["sparse"] = True
    if style.operation in ("fprop", "dgrad", "wgrad"):
        fields["algorithm"] = IMPLICIT_GEMM
    return Meaning(", ".join(texts), fields)


def style_types(words: list[str], index: int) -> dict[str, Any]:
    """Types around the style word at ``index``: the output type before it, the operand type in the next two words."""
    style = style_of(words[index])
    assert style is not None
    accumulate = ACCUMULATORS[style.letter]
    before = TYPES.get(words[index - 1]) if index else None
    after = next((TYPES[word] for word in words[index + 1 : index + 3] if word in TYPES), None)
    named_tf32 = (index > 0 and words[index - 1] == "tf32") or "tf32" in words[index + 1 : index + 3]
    tf32 = style.tf32 or named_tf32
    if after is None:
        # An integer kernel without an input type may be INT8 or INT4.
        after = _UNKNOWN if style.letter == "i" else DataType.FP32 if tf32 else accumulate
        if style.letter == "s" and style.instruction and not tf32:
            after = before or _UNKNOWN
    return {
        "input_type": after,
        "weights_type": after,
        "accumulate_type": accumulate,
        "output_type": before or (_UNKNOWN if style.letter == "i" else accumulate),
        "tf32": tf32,
        "math": after if style.instruction else accumulate,
        "evidence": "_".join(words[max(index - (before is not None), 0) : index + 2]),
    }


def read_style_type(reader: WordCursor, style_index: int) -> bool:
    """Consumes a type word near the style word; False if the next word is none."""
    word, index = reader.word, reader.index
    if word not in TYPES or not style_index - 1 <= index <= style_index + 2:
        return False
    reader.add(meaning(f"{label(word)} {'out' if index < style_index else 'in'}"))
    return True
