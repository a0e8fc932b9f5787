"""CUTLASS 3: ``cutlass3x_sm90_tensorop_s64x256x16gemm_f16_f16_f32_f16_f16_128x256x64_2x1x1_0_tnn_align8_…``.

Source: CUTLASS's documented kernel naming: instruction, types of A, B, accumulator, C and D, tile, cluster, stages (0:
as many as fit), layouts, alignment, schedules.
"""

from __future__ import annotations

import re
from typing import Any

from trex.core.data_type import DataType
from trex.ingest.spelling.tactics.common import cluster_words, pipeline, vocabulary
from trex.ingest.spelling.tactics.style import find_style, style_meaning, style_of
from trex.ingest.spelling.tactics.types import ACCUMULATORS, TYPES, label
from trex.ingest.spelling.tactics.vocabulary import meaning, tile_meaning
from trex.ingest.spelling.tactics.word_cursor import Family, WordCursor

_VOCABULARY = vocabulary(
    {
        "tf32gemm": meaning("GEMM of FP32 values, multiplied as TF32", tf32=True),
        "1sm": "matrix instructions of one SM",
        "2sm": "matrix instructions shared by two SMs",
        "epi_tma": "stores the output through the tensor memory accelerator (TMA)",
        "epi_nosmem": "stores the output without shared memory",
        "nosmem": "stores the output without shared memory",
        "tma": "moves data through the tensor memory accelerator (TMA)",
        "fp8_fastaccum": "accumulates FP8 products in the Tensor Cores only",
        "stream_k": meaning("thread blocks share the sums evenly (stream-K)", split_k=True),
        "block_scaled": "block-scaled operands",
    },
    patterns=((r"vs(\d{1,3})", r"one scale per \1 values"),),
)
_OPERATIONS = ("gemm", "spgemm", "tf32gemm")
_ROLES = ("operand A", "operand B", "accumulates in", "operand C", "data out")
_TILE = re.compile(r"\d{1,4}x\d{1,4}x\d{1,4}")
_CLUSTER = re.compile(r"(\d{1,3}x\d{1,3}x\d{1,3})")
_STAGES = re.compile(r"(\d{1,3})")
_UNKNOWN = DataType.UNKNOWN


def _decode(reader: WordCursor) -> None:
    words = reader.words
    reader.set_fields({"library": "cutlass"})
    operation = find_style(words)
    style = style_of(words[operation]) if operation >= 0 else None
    if operation < 0:
        operation = next((index for index, word in enumerate(words) if word in _OPERATIONS), -1)
    while reader.index < len(words):
        if reader.index == operation and style:
            reader.add(style_meaning(style))
        elif reader.index == operation + 1 and operation >= 0 and "evidence" not in reader.fields:
            accumulate = ACCUMULATORS[style.letter] if style else _UNKNOWN
            _read_types(reader, operation, accumulate, tf32=bool(style and style.tf32))
        elif "tile" not in reader.fields and _TILE.fullmatch(reader.word):
            _read_tile(reader)
        else:
            reader.read(_VOCABULARY)


def _read_types(reader: WordCursor, operation: int, accumulate: DataType, *, tf32: bool) -> None:
    words = reader.words
    listed: list[DataType] = []
    fields: dict[str, Any] = {
        "tf32": tf32 or words[operation] == "tf32gemm" or "tf32" in words[operation + 1 : operation + 3],
        "evidence": "_".join(words[operation : operation + 6]),
    }
    if words[operation + 1 : operation + 3] == ["block", "scaled"]:
        reader.read(_VOCABULARY)
    while reader.index < len(words) and len(listed) < len(_ROLES):
        word = reader.word
        # A block-scaled operand is written ``scalexdata``.
        scale, _, data = word.rpartition("x")
        type_word = word if word in TYPES else data
        role = _ROLES[len(listed)]
        if type_word in TYPES:
            listed.append(TYPES[type_word])
            scaled = f", scales {label(scale)}" if type_word is data and scale in TYPES else ""
            reader.add(f"{role} {label(type_word)}{scaled}")
        elif word == "void" and len(listed) == 3:
            listed.append(_UNKNOWN)
            reader.add("no operand C")
        else:
            break
    listed += [_UNKNOWN] * (5 - len(listed))
    fields |= {"input_type": listed[0], "weights_type": listed[1], "output_type": listed[4]}
    reader.set_fields({**fields, "accumulate_type": listed[2] if listed[2].is_known else accumulate})


def _read_tile(reader: WordCursor) -> None:
    reader.add(tile_meaning(reader.word))
    if cluster := _CLUSTER.fullmatch(reader.word):
        reader.add(cluster_words(cluster))
    if stages := _STAGES.fullmatch(reader.word):
        reader.add(pipeline(stages))


FAMILY = Family("CUTLASS 3", 40, lambda words: "cutlass3x" in words, _decode)
