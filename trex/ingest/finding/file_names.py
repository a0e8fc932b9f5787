"""File name → which engine it belongs to, and what it hints at: the only place that knows how people name artifacts."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import PurePath


class Hint(Enum):
    """What a word in a file's name suggests; content decides."""

    GRAPH = "graph"
    PROFILE = "profile"
    TIMING = "timing"
    BUILD = "build"
    OTHER = "other"

    __hash__ = object.__hash__


_COMPRESSED = frozenset({"gz", "zst", "zstd", "gzip"})
# Suffixes that belong to the name of an engine rather than to the kind of a file about it.
_ENGINE_SUFFIXES = frozenset({"engine", "plan", "trt", "onnx"})
_WORDS = {
    "graph": Hint.GRAPH,
    "layer": Hint.GRAPH,
    "layers": Hint.GRAPH,
    "layerinfo": Hint.GRAPH,
    "exportlayerinfo": Hint.GRAPH,
    "inspector": Hint.GRAPH,
    "info": Hint.OTHER,
    "profile": Hint.PROFILE,
    "profiling": Hint.PROFILE,
    "exportprofile": Hint.PROFILE,
    "latency": Hint.PROFILE,
    "latencies": Hint.PROFILE,
    "timing": Hint.TIMING,
    "timings": Hint.TIMING,
    "times": Hint.TIMING,
    "exporttimes": Hint.TIMING,
    "exporttiming": Hint.TIMING,
    "build": Hint.BUILD,
    "builder": Hint.BUILD,
    "cfg": Hint.OTHER,
    "metadata": Hint.OTHER,
    "meta": Hint.OTHER,
    "device": Hint.OTHER,
    "monitor": Hint.OTHER,
    "log": Hint.OTHER,
    "trtexec": Hint.OTHER,
    "verbose": Hint.OTHER,
    "output": Hint.OTHER,
    "export": Hint.OTHER,
    "json": Hint.OTHER,
    "txt": Hint.OTHER,
    "tea": Hint.OTHER,
    "cache": Hint.OTHER,
}
_SEPARATOR = re.compile(r"[._\-\s]+")
_LAST_WORD = re.compile(r"[._\-\s]*([^._\-\s]+)\Z")


def words_of(name: str) -> tuple[str, ...]:
    """The words of a file name in lower case: ``x-exportLayerInfo.json`` → x, exportlayerinfo, json."""
    return tuple(word for word in _SEPARATOR.split(name.lower()) if word)


def hints_of(name: str) -> frozenset[Hint]:
    """What the words of a file name suggest."""
    return frozenset(_WORDS[word] for word in words_of(name) if word in _WORDS)


def engine_key(name: str) -> tuple[str, ...]:
    """The words of a file name that tell engines apart: what is left without the words for kinds of files.

    ``resnet-qat.onnx.engine.profile.metadata.json`` → (resnet, qat); ``layer_info.json`` → ().
    """
    known = _WORDS.keys() | _ENGINE_SUFFIXES | _COMPRESSED
    return tuple(word for word in words_of(name) if word not in known)


def stem_of(path: str) -> str:
    """The name an engine goes by: the file's name without what tells the kind of the file.

    ``dir/resnet.onnx.engine.graph.json`` → ``resnet.onnx.engine``; ``dir/graph.json`` → ``dir``.
    """
    file = PurePath(path.rpartition("!")[2] if ".tea!" in path else path)
    stem = stripped(file.name)
    if stem and engine_key(stem):
        return stem
    return file.parent.name or stem or file.name


def stripped(name: str) -> str:
    """A file name without its last words, as long as they tell the kind of the file."""
    while match := _LAST_WORD.search(name):
        if match[1].lower() not in _WORDS and match[1].lower() not in _COMPRESSED:
            break
        name = name[: match.start()]
    return name


def common_length(first: str, second: str) -> int:
    """How many leading characters two names share."""
    for index, (a, b) in enumerate(zip(first, second)):
        if a != b:
            return index
    return min(len(first), len(second))
