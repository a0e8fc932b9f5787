"""Kernel (tactic) name → Tactic: data types, Tensor Cores, tiling, and the meaning of each part of the name.

Only what the name states is reported; the rest stays unknown. ``tactics/families`` has one file per family of names.
Sources of the grammars: CUTLASS's documented kernel naming, the names of PTX instructions, and names compared with
their layers in real engines.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

from trex.core.data_type import DataType
from trex.core.registry import Registry
from trex.core.tactic import NO_TACTIC, NamePart, Tactic
from trex.ingest.spelling.tactics.common import COMMON
from trex.ingest.spelling.tactics.types import only_type
from trex.ingest.spelling.tactics.word_cursor import Family, WordCursor

FAMILIES = Registry("trex.ingest.spelling.tactics.families", "FAMILY", kind=Family)

_FIRST_TENSOR_CORE_SM = 70
_LONGEST_NAME = 2000
_CACHED_NAMES = 1 << 17
"""More than layers of a large engine: with fewer, every look at its layers would decode all of them again."""
_DIGITS = re.compile(r"[0-9a-f]{16,64}")
_ANY_HASH = "0x0123456789abcdef0123456789abcdef"
_SYNTHETIC = "synthetic_"
_SYNTHETIC_PART = NamePart("synthetic", "made up for an example engine", "_")
_REQUIRED_FIELDS = ("input_type", "tile", "library", "sm", "kind")
"""A name of no family that states none of these fields is not the name of a kernel."""


def decode_tactic(name: str) -> Tactic:
    """What a kernel's name states; ``NO_TACTIC`` if it is empty or of no known family."""
    return _decode_name(name) if 0 < len(name) <= _LONGEST_NAME else NO_TACTIC


def without_hash(name: str) -> str:
    """The kernel's name with one hash instead of its own at the end: it states the same, and caches need it only once.

    Names without a hash are returned as they are.
    """
    start, mark, digits = name.rpartition("_0x")
    if not mark or len(name) > _LONGEST_NAME or not _DIGITS.fullmatch(digits):
        return name
    common_name = f"{start}_{_ANY_HASH}"
    parts = _decode_whole(common_name).parts
    return common_name if parts and parts[-1].text == _ANY_HASH else name


@lru_cache(maxsize=_CACHED_NAMES)
def _decode_name(name: str) -> Tactic:
    common_name = without_hash(name)
    tactic = _decode_whole(common_name)
    if common_name is name:
        return tactic
    last = tactic.parts[-1]._replace(text=name[name.rindex("0x") :])
    return replace(tactic, parts=(*tactic.parts[:-1], last))


@lru_cache(maxsize=_CACHED_NAMES)
def _decode_whole(name: str) -> Tactic:
    if name.startswith(_SYNTHETIC):
        tactic = _decode(name[len(_SYNTHETIC) :])
        return replace(tactic, parts=(_SYNTHETIC_PART, *tactic.parts)) if tactic.parts else NO_TACTIC
    return _decode(name)


def _decode(name: str) -> Tactic:
    reader = WordCursor(name)
    if not reader.words:
        return NO_TACTIC
    family = next(family for family in _families() if family.matches(reader.words))
    family.decode(reader)
    fields = reader.fields
    if "evidence" not in fields and family.infer_type:
        reader.set_fields(only_type(reader.words, matrix=bool(fields.get("matrix"))) or {})
    if family.title:
        fields["family"] = family.title
    if not fields.get("kind"):
        fields["kind"] = _kind(reader.words)
    fields["tensor_core"] = _tensor_core(fields)
    for working_field in ("math", "matrix", "scalar", "style_tensor_core"):
        fields.pop(working_field, None)
    depth = fields.pop("depth", None)
    tile = fields.get("tile")
    if tile and tile[2] is None and depth:
        fields["tile"] = (tile[0], tile[1], depth)
    if not family.title and fields["tensor_core"] is None and not any(map(fields.get, _REQUIRED_FIELDS)):
        return NO_TACTIC
    return Tactic(**fields, parts=tuple(reader.parts))


@cache
def _families() -> tuple[Family, ...]:
    """In the order in which they are tried. Entry points are not searched, which would delay the first name."""
    families: list[Family] = [FAMILIES.load(name).value for name in FAMILIES.names]
    return tuple(sorted(families, key=lambda family: family.order))


def _tensor_core(fields: dict[str, Any]) -> bool | None:
    if fields.get("scalar"):
        return False
    if fields.get("matrix"):
        return True
    if "style_tensor_core" in fields:
        return bool(fields["style_tensor_core"])
    # Tensor Cores multiply FP16, BF16, TF32, FP8, FP4, integers and FP64, but never plain FP32.
    if fields.get("math") is DataType.FP32 and not fields.get("tf32"):
        return False
    sm = fields.get("sm")
    return False if sm is not None and sm < _FIRST_TENSOR_CORE_SM else None


def _kind(words: list[str]) -> str:
    joined = "_" + "_".join(words)
    if "dgrad" in joined or "_deconv" in joined:
        return "deconvolution"
    if "fprop" in joined or "_conv" in joined or "cudnn" in joined or "wgrad" in joined:
        return "convolution"
    return "gemm" if "gemm" in joined or "gemv" in joined else ""


def part_meaning(word: str) -> str:
    """Meaning of a word that says the same in every kernel's name (``tensor16x8x16``); "" if it has none."""
    meaning = COMMON.word(word.lower()) if len(word) > 1 else None
    return meaning.words if meaning else ""
