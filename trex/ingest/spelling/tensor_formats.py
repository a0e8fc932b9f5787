"""TensorRT's description of a tensor → data type and memory layout.

A grammar, not a dictionary of sentences: TensorRT composes them, so new combinations (another vector width, another
type, an enumeration suffix) are understood as well.
Sources of the layouts: TensorRT's TensorFormat enumeration and the sentences of its engine inspector.
"""

from __future__ import annotations

import re
from functools import lru_cache

from trex.core.data_type import DataType
from trex.core.tensor_format import UNKNOWN_FORMAT, TensorFormat
from trex.ingest.spelling.data_types import data_type_of

UNKNOWN_LAYOUT_LABEL = "Unknown layout"
"""Label of a tensor whose type is known without its layout, as in newer inspector output."""

_LONGEST_TEXT = 400
_WIDEST_VECTOR = 4096

_NUMBERS = {"two": 2, "four": 4, "eight": 8, "sixteen": 16, "thirty-two": 32, "thirty two": 32, "sixty-four": 64}

_VECTORIZED = re.compile(r"((?:(?:thirty|sixty)[ -])?(?<![a-z])[a-z]+|\d{1,6})[ -]wide[ -]channel[ -]vectori[sz]ed")
_MODULUS = re.compile(r"\b(?:channels?|c) ?% ?(\d{1,6}) ?== ?0\b")
_EXACT_CHANNELS = re.compile(r"\b(?:channels?|c) ?== ?(\d{1,6})\b")
_COLUMN_STRIDE = re.compile(r"\bcolumn stride ?%")
_ENUM_SUFFIX = re.compile(r"\( ?k?([a-z]\w{0,30}) ?\)")
_WORD = re.compile(r"[a-z0-9_]+")
_LAYOUT_WORD = re.compile(r"n?c(?:/(\d{1,4}))?(d?)hw(\d{0,4})|n?(d?)hwc(\d{0,4})")
# English words that are also type names; in a sentence they are not types.
_NOT_A_TYPE = frozenset(("long", "short", "single", "char", "byte", "int", "double"))


def parse_format(text: object) -> tuple[DataType, TensorFormat]:
    """Type and layout in a ``Format/Datatype`` text; either may be unknown.

    Accepts the long sentences (``Channel major FP16 format where channel % 8 == 0``), the types of newer inspectors
    (``Half``, without a layout), trtexec's ``fp16:chw32``, the enumeration (``kHWC8``) and this module's labels
    (``FP16 NHWC8``). Row-major layouts are labeled NCHW at any rank, as in TREx. ``text`` keeps the text verbatim.
    """
    if not isinstance(text, str):
        return DataType.UNKNOWN, UNKNOWN_FORMAT
    return _parse(text) if len(text) <= _LONGEST_TEXT else _parse.__wrapped__(text)


def parse_split(datatype: object, format: object) -> tuple[DataType, TensorFormat]:
    """Type and layout in the two fields of TensorRT 11; ``datatype`` wins over the type in ``format``."""
    data_type = data_type_of(datatype)
    format_type, layout = parse_format(format)
    if not data_type.is_known:
        data_type = format_type if format_type.is_known else parse_format(datatype)[0]
    if not layout.is_known and data_type.is_known:
        layout = _unknown_layout(layout.text)
    return data_type, layout


@lru_cache(maxsize=4096)
def _parse(text: str) -> tuple[DataType, TensorFormat]:
    bare = data_type_of(text)
    if bare.is_known and "(" not in text:
        return bare, _unknown_layout(text)
    words = " ".join(text[:_LONGEST_TEXT].lower().split()).rstrip(". ")
    if words.startswith(("n/a", "unknown")):
        return DataType.UNKNOWN, _unknown(text)
    suffix = _ENUM_SUFFIX.search(words)
    sentence = words[: suffix.start()] + words[suffix.end() :] if suffix else words
    data_type = _type_in(sentence)
    layout = _sentence_layout(sentence, text)
    if layout is None and suffix:
        layout = _named_layout(suffix[1], text)
    if layout is None:
        layout = _listed_layout(sentence, text)
    if layout is None:
        layout = _unknown_layout(text) if data_type.is_known else _unknown(text)
    return data_type, layout


def _type_in(sentence: str) -> DataType:
    """The last type word of a sentence: TensorRT writes the type after the layout."""
    for word in reversed(_WORD.findall(sentence)):
        if word not in _NOT_A_TYPE:
            data_type = data_type_of(word)
            if data_type.is_known:
                return data_type
    return DataType.UNKNOWN


def _sentence_layout(sentence: str, text: str) -> TensorFormat | None:
    spatial = 3 if "3 spatial dim" in sentence or "three spatial dim" in sentence else 2
    vectorized = _VECTORIZED.search(sentence)
    if vectorized:
        width = int(vectorized[1]) if vectorized[1].isdecimal() else _NUMBERS.get(vectorized[1])
        return _layout("vectorized", width, spatial, text) if width else None
    if "channel major" in sentence:
        exact = _EXACT_CHANNELS.search(sentence)
        channels = exact or _MODULUS.search(sentence)
        width = int(channels[1]) if channels else 1
        dla = exact is not None or _COLUMN_STRIDE.search(sentence) is not None
        return _layout("channels-last", width, spatial, text, dla=dla)
    if "row major" in sentence:
        return _layout("linear", 1, spatial, text, dla=_COLUMN_STRIDE.search(sentence) is not None)
    return None


def _listed_layout(words: str, text: str) -> TensorFormat | None:
    """Layout in a name (``kCHW32``), a label (``FP16 NHWC8``) or trtexec's spelling (``fp16:chw32``)."""
    parts = words.rpartition(":")[2].split()
    dla = "dla" in parts
    layouts = [layout for part in parts if (layout := _named_layout(part, text, dla)) is not None]
    return layouts[0] if len(layouts) == 1 else None


def _named_layout(name: str, text: str, dla: bool = False) -> TensorFormat | None:
    """Layout of a name in the enumeration, in trtexec's spelling or in a label."""
    name = name.rpartition(".")[2]
    if name.startswith("k"):
        name = name[1:]
    if name.startswith("dla_"):
        dla, name = True, name[4:]
    if name == "linear":
        return _layout("linear", 1, 2, text, dla=dla)
    match = _LAYOUT_WORD.fullmatch(name)
    if not match:
        return None
    outer, planar_depth, inner, last_depth, width = match.groups()
    if last_depth is None:
        if outer and outer != inner:
            return None
        layout = "vectorized" if inner else "linear"
        return _layout(layout, int(inner or 1), 3 if planar_depth else 2, text, dla=dla)
    return _layout("channels-last", int(width or 1), 3 if last_depth else 2, text, dla=dla)


def _layout(layout: str, width: int, spatial: int, text: str, dla: bool = False) -> TensorFormat | None:
    """A TensorFormat with its label; None for an impossible vector width."""
    if not 1 <= width <= _WIDEST_VECTOR:
        return None
    depth = "D" if spatial == 3 else ""
    if layout == "vectorized" and width > 1:
        label = f"NC/{width}{depth}HW{width}"
    elif layout == "channels-last":
        label = f"N{depth}HWC{width if width > 1 else ''}"
    else:
        label = f"NC{depth}HW"
    if dla:
        # The DLA also pads rows, by an amount that the text does not state: the size is a lower bound.
        return TensorFormat(f"DLA {label}", "dla", width, -1 - spatial, spatial, text)
    return TensorFormat(label, layout, width, -1 - spatial, spatial, text)


def _unknown_layout(text: str) -> TensorFormat:
    return TensorFormat(UNKNOWN_LAYOUT_LABEL, "unknown", 1, None, 2, text)


def _unknown(text: str) -> TensorFormat:
    return TensorFormat(UNKNOWN_FORMAT.label, "unknown", 1, None, 2, text)
