"""Myelin: kernels that TensorRT's graph compiler makes itself (``__myl_AddMaxrSubExpSum_0x…``)."""

from __future__ import annotations

import re

from trex.core.tactic import Part
from trex.ingest.spelling.layer_names import token_meaning
from trex.ingest.spelling.tactics.reading import Family, Reading
from trex.ingest.spelling.tactics.vocabulary import fact

_TOKEN = re.compile(r"[A-Z][a-z0-9]*|[a-z0-9]+|.")
_HASH = re.compile(r"0x[0-9a-f]{4,64}")
_BLOCK = re.compile(r"bb\d{1,6}")
_REGION = re.compile(r"myl\d{1,9}")
_MAKER = fact("library", "made by Myelin, TensorRT's graph compiler")


def _read(reading: Reading) -> None:
    reading.learn({"library": "Myelin", "kind": "generated"})
    reading.say(_MAKER if re.fullmatch(r"my(?:l|ln|e\d{0,9})", reading.word) else None)
    while reading.at < len(reading.words):
        word = reading.word
        numbered = reading.at + 1 < len(reading.words) and reading.words[reading.at + 1].isdecimal()
        if _HASH.fullmatch(word):
            reading.say(fact("identity", "the number that tells this kernel apart"))
        elif _BLOCK.fullmatch(word) and numbered:
            reading.say(fact("place", "its place in the program that Myelin compiled"), 2)
        elif _REGION.fullmatch(word):
            reading.say(fact("place", "the region that Myelin compiled"), 2 if numbered else 1)
        else:
            _say_operations(reading)


def _say_operations(reading: Reading) -> None:
    """A word of operations, one part each: ``AddMaxr`` is an addition, then a maximum along axes."""
    text, separator = reading.texts[reading.at], reading.separators[reading.at]
    reading.at += 1
    tokens = _TOKEN.findall(text)
    if "".join(tokens) != text:
        tokens = [text]  # with characters that no token has
    for place, token in enumerate(tokens):
        meaning = token_meaning(token)
        after = separator if place == len(tokens) - 1 else ""
        reading.parts.append(Part(token, "operation" if meaning else "", meaning, after))


def _fits(words: list[str]) -> bool:
    return words[0].startswith("my") and re.fullmatch(r"my(?:l|ln|e\d{0,9})", words[0]) is not None


FAMILY = Family("Myelin", 8, _fits, _read, names_types=False)
