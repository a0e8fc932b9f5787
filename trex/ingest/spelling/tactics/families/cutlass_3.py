"""CUTLASS 3: ``cutlass3x_sm90_tensorop_s64x256x16gemm_f16_f16_f32_f16_f16_128x256x64_2x1x1_0_tnn_align8_…``.

Source: CUTLASS's documented kernel naming: instruction, types of A, B, accumulator, C and D, tile, cluster, stages (0:
as many as fit), layouts, alignment, schedules.
"""

from __future__ import annotations

import re
from typing import Any

from trex.core.data_type import DataType
from trex.ingest.spelling.tactics.common import said_cluster, said_operands, said_stages, vocabulary
from trex.ingest.spelling.tactics.reading import Family, Reading
from trex.ingest.spelling.tactics.style import find_style, said_tile, style_of, style_said
from trex.ingest.spelling.tactics.types import ACCUMULATORS, TYPES, label
from trex.ingest.spelling.tactics.vocabulary import Said, fact

_VOCABULARY = vocabulary(
    {
        "tf32gemm": fact("operation", "a matrix product of FP32 values, multiplied as TF32", tf32=True),
        "1sm": fact("schedule", "matrix instructions of one multiprocessor"),
        "2sm": fact("schedule", "matrix instructions shared by two multiprocessors"),
        "epi_tma": fact("epilogue", "results are stored by the tensor memory accelerator (TMA)"),
        "epi_nosmem": fact("epilogue", "results are stored without shared memory"),
        "nosmem": fact("epilogue", "results are stored without shared memory"),
        "tma": fact("memory", "data moved by the tensor memory accelerator (TMA)"),
        "fp8_fastaccum": fact("arithmetic", "FP8 products added up in the Tensor Cores alone"),
        "stream_k": fact("split-k", "blocks share the tiles' sums evenly (stream-K)", split_k=True),
        "block_scaled": fact("types", "operands with a scale for each block of values"),
    },
    patterns=(
        (r"vs(\d{1,3})", lambda m: fact("types", f"one scale for {m[1]} values")),
        (r"[tn]{3}", said_operands),
    ),
)
_PRODUCTS = ("gemm", "spgemm", "tf32gemm")
_ROLES = ("operand A", "operand B", "accumulates in", "operand C", "data out")
_TILE = re.compile(r"\d{1,4}x\d{1,4}x\d{1,4}")
_CLUSTER = re.compile(r"(\d{1,3}x\d{1,3}x\d{1,3})")
_STAGES = re.compile(r"(\d{1,3})")
_UNKNOWN = DataType.UNKNOWN


def _read(reading: Reading) -> None:
    words = reading.words
    reading.learn({"library": "cutlass"})
    at = find_style(words)
    style = style_of(words[at]) if at >= 0 else None
    if at < 0:
        at = next((place for place, word in enumerate(words) if word in _PRODUCTS), -1)
    while reading.at < len(words):
        word = reading.word
        if reading.at == at and style:
            reading.say(style_said(style))
        elif reading.at == at + 1 and at >= 0 and "evidence" not in reading.facts:
            _say_types(reading, at, ACCUMULATORS[style.letter] if style else _UNKNOWN, bool(style and style.tf32))
        elif "tile" not in reading.facts and _TILE.fullmatch(word):
            _say_tile(reading)
        else:
            reading.read(_VOCABULARY)


def _say_types(reading: Reading, at: int, accumulates: DataType, tf32: bool) -> None:
    words = reading.words
    listed: list[DataType] = []
    facts: dict[str, Any] = {
        "tf32": tf32 or words[at] == "tf32gemm" or "tf32" in words[at + 1 : at + 3],
        "evidence": "_".join(words[at : at + 6]),
    }
    if words[at + 1 : at + 3] == ["block", "scaled"]:
        reading.read(_VOCABULARY)
    while reading.at < len(words) and len(listed) < len(_ROLES):
        word = reading.word
        # A block-scaled operand is written ``scalexdata``.
        scale, _, data = word.rpartition("x")
        type_word = word if word in TYPES else data
        role = _ROLES[len(listed)]
        if type_word in TYPES:
            listed.append(TYPES[type_word])
            scaled = f", scales {label(scale)}" if type_word is data and scale in TYPES else ""
            reading.say(Said("type", f"{role} {label(type_word)}{scaled}"))
        elif word == "void" and len(listed) == 3:
            listed.append(_UNKNOWN)
            reading.say(Said("type", "no operand C"))
        else:
            break
    listed += [_UNKNOWN] * (5 - len(listed))
    facts |= {"input_type": listed[0], "weights_type": listed[1], "output_type": listed[4]}
    reading.learn({**facts, "accumulate_type": listed[2] if listed[2].is_known else accumulates})


def _say_tile(reading: Reading) -> None:
    reading.say(said_tile(reading.word))
    if cluster := _CLUSTER.fullmatch(reading.word):
        reading.say(said_cluster(cluster))
    if stages := _STAGES.fullmatch(reading.word):
        reading.say(said_stages(stages))


FAMILY = Family("CUTLASS 3", 40, lambda words: "cutlass3x" in words, _read, _VOCABULARY)
