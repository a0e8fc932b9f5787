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
from trex.ingest.spelling.tactics.common import WORDS, depth_and_stages
from trex.ingest.spelling.tactics.types import ACCUMULATORS, TYPES, label
from trex.ingest.spelling.tactics.vocabulary import Meaning, Vocabulary, meaning, tile_meaning
from trex.ingest.spelling.tactics.word_cursor import WordCursor

_STYLE = re.compile(r"([shid])(\d{2,7}|\d{1,4}x\d{1,4}x\d{1,4})?(tf32)?(sp)?(cudnn|gemmex|gemm|gemv|fprop|dgrad|wgrad)")
_INSTRUCTIONS = {
    "884": "8x8x4",
    "1684": "16x8x4",
    "1688": "16x8x8",
    "16816": "16x8x16",
    "8816": "8x8x16",
    "8832": "8x8x32",
    "16832": "16x8x32",
    "16864": "16x8x64",
    "161616": "16x16x16",
    "83216": "8x32x16",
    "32816": "32x8x16",
}
_OPERATIONS = {**WORDS, "cudnn": "convolution of cuDNN", "gemmex": "GEMM"}
_TILE = re.compile(r"\d{1,4}x\d{1,4}(?:x\d{1,4})?")
_STAGES = re.compile(r"(\d{1,4})x(\d{1,2})")
_UNKNOWN = DataType.UNKNOWN


class Style(NamedTuple):
    """instruction: of the Tensor Cores, verbatim; "" for CUDA cores. operation: ``cudnn``, ``gemm``, ``fprop``, …"""

    letter: str
    instruction: str
    tf32: bool
    sparse: bool
    operation: str


@lru_cache(maxsize=4096)
def style_of(word: str) -> Style | None:
    match = _STYLE.fullmatch(word) if len(word) <= 40 else None
    return Style(match[1], match[2] or "", bool(match[3]), bool(match[4]), match[5]) if match else None


def find_style(words: list[str]) -> int:
    """Index of the first style word, -1 without one."""
    return next((index for index, word in enumerate(words) if style_of(word)), -1)


def style_meaning(style: Style, library: str = "") -> Meaning:
    """library: for display, "" if the word only says cuDNN or nothing."""
    operation = str(_OPERATIONS[style.operation])
    texts = [operation if not library or style.operation == "cudnn" else f"{operation} of {library}"]
    texts.append(f"accumulates in {ACCUMULATORS[style.letter].label}")
    if style.tf32:
        texts.append("multiplies FP32 as TF32")
    if style.sparse:
        texts.append("one operand 2:4 sparse")
    fields: dict[str, Any] = {"style_tensor_core": bool(style.instruction)}
    if style.instruction:
        texts.append(f"Tensor Core instructions of {_INSTRUCTIONS.get(style.instruction, style.instruction)}")
    if style.sparse:
        fields["sparse"] = True
    if style.operation in ("fprop", "dgrad", "wgrad"):
        fields["algorithm"] = IMPLICIT_GEMM
    return meaning(", ".join(texts), **fields)


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


def read_styled_name(reader: WordCursor, vocabulary: Vocabulary, library: str = "") -> None:
    """Decodes all words: the types around the style word, the first tile and its depth × stages, then the vocabulary.

    library: of the style word, as in ``style_meaning``.
    """
    words = reader.words
    style_index = find_style(words)
    if style_index >= 0:
        reader.set_fields(style_types(words, style_index))
    while reader.index < len(words):
        index, word = reader.index, reader.word
        if style := style_of(word):
            reader.add(style_meaning(style, library))
        elif "tile" not in reader.fields and _TILE.fullmatch(word):
            reader.add(tile_meaning(word))
            if stages := _STAGES.fullmatch(reader.word):
                reader.add(depth_and_stages(stages))
        elif word in TYPES and style_index - 1 <= index <= style_index + 2:
            reader.add(f"{label(word)} {'out' if index < style_index else 'in'}")
        else:
            reader.read(vocabulary)
