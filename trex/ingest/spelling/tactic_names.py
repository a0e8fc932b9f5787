"""Name of a kernel (a tactic) → what it says: types, Tensor Cores, tiling, and its parts one by one.

Only what a name states is reported; everything else stays unknown. The families of names are in ``tactics/families``,
one family one file. Sources of the grammars: CUTLASS's documented kernel naming, the names of PTX instructions, and
names compared with their layers in real engines.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

from trex.core.data_type import DataType
from trex.core.registry import Registry
from trex.core.tactic import NO_TACTIC, Part, Tactic
from trex.ingest.spelling.tactics.reading import Family, Reading
from trex.ingest.spelling.tactics.style import TILE, said_tile, style_of, style_said
from trex.ingest.spelling.tactics.types import only_type
from trex.ingest.spelling.tactics.vocabulary import VARIANT

FAMILIES = Registry("trex.ingest.spelling.tactics.families", "FAMILY")

_FIRST_TENSOR_CORE_SM = 70
_LONGEST_NAME = 2000
_REMEMBERED = 16384
_MADE_UP = "synthetic_"
_ORIGIN = Part("synthetic", "origin", "made up for an example engine", "_")
_TELLING = ("input_type", "tile", "library", "sm", "kind")
"""Without one of these facts a name of no family is taken for no kernel's."""


def decode_tactic(name: str) -> Tactic:
    """What a kernel's name states; ``NO_TACTIC`` for an empty name or one of no known family."""
    return _decoded(name) if 0 < len(name) <= _LONGEST_NAME else NO_TACTIC


@lru_cache(maxsize=_REMEMBERED)
def _decoded(name: str) -> Tactic:
    if name.startswith(_MADE_UP):
        found = _read(name[len(_MADE_UP) :])
        return replace(found, parts=(_ORIGIN, *found.parts)) if found.parts else NO_TACTIC
    return _read(name)


def _read(name: str) -> Tactic:
    reading = Reading(name)
    if not reading.words:
        return NO_TACTIC
    family = next(family for family in _families() if family.fits(reading.words))
    family.read(reading)
    facts = reading.facts
    if "evidence" not in facts and family.names_types:
        reading.learn(only_type(reading.words, matrix=bool(facts.get("matrix"))) or {})
    if family.title:
        facts["family"] = family.title
    if not facts.get("kind"):
        facts["kind"] = _kind(reading.words)
    facts["tensor_core"] = _tensor_core(facts)
    for settled in ("math", "matrix", "scalar", "style_tensor_core"):
        facts.pop(settled, None)
    depth = facts.pop("depth", None)
    tile = facts.get("tile")
    if tile and tile[2] is None and depth:
        facts["tile"] = (tile[0], tile[1], depth)
    for listed in ("layouts", "epilogue"):
        if listed in facts:
            facts[listed] = tuple(facts[listed][:3]) if listed == "layouts" else tuple(dict.fromkeys(facts[listed]))
    if not family.title and facts["tensor_core"] is None and not any(facts.get(name) for name in _TELLING):
        return NO_TACTIC
    return Tactic(**facts, parts=tuple(reading.parts))


@cache
def _families() -> tuple[Family, ...]:
    """In the order in which they are asked; the registry's own folder only, so that no name waits for entry points."""
    found: list[Family] = [FAMILIES.load(name).value for name in FAMILIES.names]
    return tuple(sorted(found, key=lambda family: family.order))


def _tensor_core(facts: dict[str, Any]) -> bool | None:
    if facts.get("scalar"):
        return False
    if facts.get("matrix"):
        return True
    if "style_tensor_core" in facts:
        return bool(facts["style_tensor_core"])
    # Tensor Cores multiply FP16, BF16, TF32, FP8, FP4, integers and FP64, but never plain FP32.
    if facts.get("math") is DataType.FP32 and not facts.get("tf32"):
        return False
    sm = facts.get("sm")
    return False if sm is not None and sm < _FIRST_TENSOR_CORE_SM else None


def _kind(words: list[str]) -> str:
    joined = "_" + "_".join(words)
    if "dgrad" in joined or "_deconv" in joined:
        return "deconvolution"
    if "fprop" in joined or "_conv" in joined or "cudnn" in joined or "wgrad" in joined:
        return "convolution"
    return "gemm" if "gemm" in joined or "gemv" in joined else ""


def part_meaning(word: str) -> str:
    """What a word means wherever it stands in a kernel's name (``tensor16x8x16``); "" for what is no such word."""
    lowered = word.lower()
    if len(lowered) < 2 or lowered.isdecimal() or lowered != lowered.strip("_"):
        return ""
    if style := style_of(lowered):
        return style_said(style).words
    if TILE.fullmatch(lowered):
        return said_tile(lowered).words
    words = lowered.split("_")
    for family in _families():
        phrase = family.vocabulary.phrase(words, 0) if len(words) > 1 else None
        said = phrase[1] if phrase and phrase[0] == len(words) else family.vocabulary.word(lowered)
        if said and said.key != VARIANT:
            return said.words
    return ""


@dataclass(frozen=True, slots=True)
class DecodedShare:
    """How much of some kernels' names is explained. names: how many there are.

    characters: share of their characters, separators left out, that stand in explained parts. whole: share of the names
    with nothing unparsed. published: share of the characters of which more is known than that they tell variants apart.
    unparsed: (part, in how many names), the most frequent first. All shares 0 to 1, of no names 1.
    """

    names: int
    characters: float
    whole: float
    published: float
    unparsed: tuple[tuple[str, int], ...]

    @property
    def share(self) -> float:
        """The share that one means without further words: of the characters."""
        return self.characters


def decoded_share(names: Iterable[str]) -> DecodedShare:
    """How much the grammar explains of these names, each counted once; a name of no known family is unparsed whole."""
    distinct = dict.fromkeys(names)
    total = explained = published = whole = 0
    unparsed: dict[str, int] = {}
    for name in distinct:
        parts = decode_tactic(name).parts
        if not parts:
            total += len(name)
            unparsed[name] = 1
            continue
        total += sum(len(part.text) for part in parts)
        explained += sum(len(part.text) for part in parts if part.key)
        published += sum(len(part.text) for part in parts if part.key not in ("", VARIANT))
        missing = {part.text for part in parts if not part.key}
        whole += not missing
        for text in missing:
            unparsed[text] = unparsed.get(text, 0) + 1
    ranking = sorted(unparsed.items(), key=lambda each: (-each[1], each[0]))
    if not total:
        return DecodedShare(len(distinct), 1.0, 1.0, 1.0, ())
    return DecodedShare(len(distinct), explained / total, whole / len(distinct), published / total, tuple(ranking))
