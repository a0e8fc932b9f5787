"""Data types in kernel names: single words, groups of words, and the meanings of both."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from trex.core.data_type import DataType
from trex.ingest.spelling.data_types import data_type_of
from trex.ingest.spelling.tactics.vocabulary import Meaning, Vocabulary
from trex.ingest.spelling.tactics.word_cursor import WordCursor

_WORDS = "f64 f32 tf32 f16 bf16 e4m3 e5m2 ue4m3 f8 e2m1 f4 i64 i32 s32 i8 s8 u8 i4 s4 fp64 fp32 fp16 fp8 int8 int32"
TYPES = {word: data_type_of(word) for word in _WORDS.split()} | dict.fromkeys(("int8x4", "int8x32"), DataType.INT8)
LABELS = {"tf32": "TF32", "e4m3": "FP8 (E4M3)", "e5m2": "FP8 (E5M2)", "ue4m3": "FP8 (E4M3)", "e2m1": "FP4 (E2M1)"}
ACCUMULATORS = {"s": DataType.FP32, "h": DataType.FP16, "i": DataType.INT32, "d": DataType.FP64}

_UNKNOWN = DataType.UNKNOWN
_ONE_TYPE = "(tf32|bf16|f64|f32|f16|e4m3|e5m2|e2m1|i32|i8|u8|i4)"
_GROUP = re.compile(_ONE_TYPE + _ONE_TYPE + "?")
_TRIPLE = re.compile(_ONE_TYPE * 3)
_LONGEST_GROUP = 8
_FIRST_LETTERS = frozenset("tbfeiu")


FindTypes = Callable[[list[str], int], "dict[str, Any] | None"]


def label(word: str) -> str:
    """Display name of a type word."""
    if word in LABELS:
        return LABELS[word]
    vector = word.rpartition("x")[2] if word.startswith("int8x") else ""
    return TYPES[word].label + (f" in vectors of {vector}" if vector else "")


def type_groups(words: list[str], index: int) -> dict[str, Any] | None:
    """Fields in xmma's ``<in><out>_<math><accumulate>_<epilogue>``; a single type in the middle is both.

    ``math`` is the type of the multiplication, which is no field of Tactic. None if the words are no such groups.
    """
    word = words[index]
    if word[0] not in _FIRST_LETTERS or len(word) > _LONGEST_GROUP or index + 3 > len(words):
        return None
    first = _GROUP.fullmatch(word)
    if not first or not first[2]:
        return None
    second, third = _GROUP.fullmatch(words[index + 1]), _GROUP.fullmatch(words[index + 2])
    if not second or not third or third[2]:
        return None
    math, data = second[1], TYPES[first[1]]
    # The math type is also the weights' type if it equals the activations' type; FP32 math on FP16 data says nothing.
    weights = TYPES[math] if second[2] and (TYPES[math] is data or (TYPES[math].bits or 64) <= 8) else _UNKNOWN
    return {
        "input_type": data,
        "output_type": TYPES[first[2]],
        "weights_type": weights,
        "accumulate_type": TYPES[second[2] or math],
        "tf32": math == "tf32",
        "math": TYPES[math],
        "evidence": "_".join(words[index : index + 3]),
    }


def three_types(words: list[str], index: int) -> dict[str, Any] | None:
    """Fields in ``f16f16f32``: both operands and the accumulator."""
    word = words[index]
    triple = _TRIPLE.fullmatch(word) if len(word) <= 12 else None
    if not triple:
        return None
    return {
        "input_type": TYPES[triple[1]],
        "weights_type": TYPES[triple[2]],
        "accumulate_type": TYPES[triple[3]],
        "evidence": word,
    }


def read_types(reader: WordCursor, find_types: FindTypes, count: int) -> bool:
    """Consumes ``count`` words if they are the first group of types; False otherwise."""
    fields = None if "evidence" in reader.fields else find_types(reader.words, reader.index)
    if fields is None:
        return False
    reader.add(Meaning(_types_text(fields), fields), count)
    return True


def read_typed_name(reader: WordCursor, vocabulary: Vocabulary, find_types: FindTypes, count: int) -> None:
    """Decodes all words: the first group of ``count`` words that state types, the others by the vocabulary."""
    while reader.index < len(reader.words):
        if not read_types(reader, find_types, count):
            reader.read(vocabulary)


def _types_text(fields: dict[str, Any]) -> str:
    weights = fields.get("weights_type", _UNKNOWN)
    math = "TF32" if fields.get("tf32") else weights.label if weights.is_known else ""
    accumulate = fields.get("accumulate_type", _UNKNOWN)
    texts = [f"{fields['input_type'].label} in"]
    if fields.get("output_type", _UNKNOWN).is_known:
        texts.append(f"{fields['output_type'].label} out")
    if math:
        texts.append(f"multiplies as {math}")
    if accumulate.is_known:
        texts.append(f"accumulates in {accumulate.label}")
    return ", ".join(texts)


def only_type(words: list[str], *, matrix: bool) -> dict[str, Any] | None:
    """The input type, if the name contains exactly one type.

    matrix: whether the kernel is known to use Tensor Cores. They do not multiply FP32, so FP32 is then the accumulator.
    """
    types = {TYPES[word] for word in words if word in TYPES and word != "int32"}
    if len(types) != 1:
        return None
    data_type = types.pop()
    if data_type is DataType.FP32 and matrix:
        return None
    return {"input_type": data_type, "evidence": next(word for word in words if TYPES.get(word) is data_type)}
