"""File name → the engine it belongs to and what it suggests: the only place that knows how people name files."""

from __future__ import annotations

import re
from pathlib import PurePath

# Words that say what a file is about, with the slot of ``EngineFiles`` they suggest; content decides.
_KIND_WORDS = {
    word: slot
    for slot, words in {
        "graph": "graph layer layers layerinfo exportlayerinfo inspector",
        "profile": "profile profiling exportprofile latency latencies",
        "timing": "timing timings times exporttimes exporttiming",
        "build_log": "build builder",
        "": "info cfg metadata meta device monitor log trtexec verbose out output export cache"
        " json txt tea gz gzip zst zstd results outputs",
    }.items()
    for word in words.split()
}
# Suffixes that are part of an engine's name, and say nothing of the kind of a file about it.
_ENGINE_SUFFIXES = frozenset({"engine", "plan", "trt", "onnx"})
_SEPARATOR = re.compile(r"[._\-\s]+")
_LAST_WORD_BACKWARDS = re.compile(r"([^._\-\s]+)[._\-\s]*")

Words = tuple[str, ...]


def suggested_slots(name: str) -> frozenset[str]:
    """Slots of ``EngineFiles`` that a file's name suggests: ``x-exportLayerInfo.json`` → graph."""
    return frozenset(filter(None, (_KIND_WORDS.get(word) for word in _words(name))))


def engine_words(name: str) -> Words:
    """The words of a file name that distinguish engines: what is left without the words for kinds of files.

    ``resnet-qat.onnx.engine.profile.metadata.json`` → (resnet, qat); ``layer_info.json`` → ().
    """
    return tuple(word for word in _words(name) if word not in _KIND_WORDS and word not in _ENGINE_SUFFIXES)


def stem_of(path: str) -> str:
    """The name of an engine: its file's name without the words for the kind of the file.

    ``dir/resnet.onnx.engine.graph.json`` → ``resnet.onnx.engine``; ``dir/graph.json`` → ``dir``.
    """
    file = PurePath(path.rpartition("!")[2] if ".tea!" in path else path)
    stem = stripped(file.name)
    if stem and engine_words(stem):
        return stem
    return file.parent.name or stem or file.name


def stripped(name: str) -> str:
    """A file name without the last words, as long as they say what kind of file it is."""
    while (match := _LAST_WORD_BACKWARDS.match(name[::-1])) and match[1][::-1].lower() in _KIND_WORDS:
        name = name[: len(name) - match.end()]
    return name


def _words(name: str) -> list[str]:
    return [word for word in _SEPARATOR.split(name.lower()) if word]
