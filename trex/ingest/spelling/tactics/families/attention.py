"""Fused attention: ``fmha_v2_flash_attention_fp16_64_128_S_qkv_128_sm80_kernel_nl``, ``_gemm_mha_v2_0x…`` and others.

Numbers of ``fmha_v2``: with flash attention the tile of queries × keys, ``S`` for any length, the head size; without,
the longest sequence and the head size. Source: the kernels' names compared with the shapes they are published for.
"""

from __future__ import annotations

import re
from typing import Any

from trex.ingest.spelling.tactics.common import vocabulary
from trex.ingest.spelling.tactics.reading import Family, Reading
from trex.ingest.spelling.tactics.types import TYPES
from trex.ingest.spelling.tactics.vocabulary import Said, fact, times

_SIGNS = ("mha", "fmhca", "flash_attention", "flashattention", "flash_fwd", "multihead_attention")
_NUMBER = re.compile(r"\d{1,5}")
_HEAD = re.compile(r"(\d{1,4})(x\d{1,4})?")
_LAYOUTS = {
    "qkv": "queries, keys and values in one tensor",
    "q_kv": "keys and values in one tensor",
    "q_k_v": "queries, keys and values apart",
    "q_paged_kv": "keys and values in pages",
}
_VOCABULARY = vocabulary(
    {
        "fmha": fact("operation", "fused multi-head attention"),
        "mha": fact("operation", "multi-head attention"),
        "gemm_mha": fact("operation", "multi-head attention, its two matrix products and the softmax in one kernel"),
        "gemv_mha": fact("operation", "multi-head attention of one query"),
        "fmhca": fact("operation", "fused multi-head cross-attention"),
        "fused_multihead_attention": fact("operation", "fused multi-head attention"),
        "flash_attention": fact("algorithm", "tile by tile, the scores are never written out (flash attention)"),
        "flashattention": fact("algorithm", "tile by tile, the scores are never written out (flash attention)"),
        "flash_fwd": fact("algorithm", "tile by tile, the scores are never written out (flash attention), forwards"),
        "causal": fact("mask", "each query sees only the keys before it"),
        "custom_mask": fact("mask", "with a mask of one's own"),
        "sliding_or_chunked_causal": fact("mask", "each query sees only some of the keys before it"),
        "alibi": fact("mask", "scores fall with the distance (ALiBi)"),
        "softcapping": fact("arithmetic", "scores are limited smoothly"),
        "ldgsts": fact("memory", "copies to shared memory without passing registers"),
        "tma_ws": fact("memory", "loaded by the tensor memory accelerator (TMA), some warps load and others compute"),
        "il": fact("layouts", "channels interleaved in vectors of 32"),
        "nl": fact("schedule", "a block for each tile of queries, no loop over them"),
        "tiled": fact("schedule", "tile by tile"),
    },
    patterns=(
        (r"s(\d{2,5})", lambda m: fact("sequence", f"for sequences of up to {m[1]}")),
        (r"d(\d{1,4})", lambda m: fact("head-size", f"heads of {m[1]}", head_size=int(m[1]))),
    ),
    phrases=(("output", 2, r"output_(fp16|bf16|fp32|e4m3)", lambda m: fact("type", f"{m[1].upper()} out")),),
)


def _read(reading: Reading) -> None:
    words = reading.words
    reading.learn({"kind": "attention"})
    if words[0].startswith(("mye", "myl")):
        reading.learn({"library": "Myelin"})
    reading.learn(_types(words))
    flash = "flash" in words
    while reading.at < len(words):
        word = reading.word
        if word == "s":
            _say_layout(reading)
        elif _NUMBER.fullmatch(word) and _NUMBER.fullmatch(_following(reading)):
            _say_numbers(reading, flash=flash)
        elif re.fullmatch(r"mye\d{1,9}", word):
            reading.say(fact("library", "made by Myelin, TensorRT's graph compiler"))
        else:
            reading.read(_VOCABULARY)


def _types(words: list[str]) -> dict[str, Any]:
    """``fp16``, or ``fp16_fp32`` with the accumulator, and ``output_bf16`` where the result is of another type."""
    at = next((place for place, word in enumerate(words) if word in TYPES and word != "int32"), -1)
    if at < 0:
        return {}
    facts: dict[str, Any] = {"input_type": TYPES[words[at]], "evidence": words[at]}
    if at + 1 < len(words) and words[at + 1] in TYPES:
        facts |= {"accumulate_type": TYPES[words[at + 1]], "evidence": f"{words[at]}_{words[at + 1]}"}
    if "output" in words[at:-1] and (written := TYPES.get(words[words.index("output", at) + 1])):
        facts["output_type"] = written
    return facts


def _following(reading: Reading) -> str:
    return reading.words[reading.at + 1] if reading.at + 1 < len(reading.words) else ""


def _say_numbers(reading: Reading, *, flash: bool) -> None:
    first, second = reading.word, _following(reading)
    if flash:
        reading.say(fact("tile", f"tiles of {first} queries × {second} keys"), 2)
    else:
        told = f"for sequences of up to {first}, heads of {second}"
        reading.say(fact("head-size", told, head_size=int(second)), 2)


def _say_layout(reading: Reading) -> None:
    """``S_qkv_128``: any sequence length, how queries, keys and values lie, the size of a head."""
    reading.say(Said("sequence", "for sequences of any length"))
    for written, told in _LAYOUTS.items():
        count = written.count("_") + 1
        if "_".join(reading.words[reading.at : reading.at + count]) == written:
            reading.say(fact("layouts", told, layouts=(written,)), count)
            break
    head = _HEAD.fullmatch(reading.word)
    if head:
        told = f"heads of {head[1]}" if not head[2] else f"heads of {times(head[0])} (queries and keys × values)"
        reading.say(fact("head-size", told, head_size=int(head[1])))


def _fits(words: list[str]) -> bool:
    joined = "_".join(words)
    return any(sign in joined for sign in _SIGNS)


FAMILY = Family("attention", 5, _fits, _read, _VOCABULARY, names_types=False)
