"""Pointwise: element-by-element operations for which TensorRT writes a kernel itself (``generatedNativePointwise``)."""

from __future__ import annotations

from trex.ingest.spelling.tactics.reading import Family, Reading
from trex.ingest.spelling.tactics.vocabulary import fact


def _read(reading: Reading) -> None:
    told = "element-by-element operations, in a kernel that TensorRT wrote for them"
    reading.say(fact("operation", told, kind="pointwise", scalar=True))
    while reading.at < len(reading.words):
        reading.say(None)


FAMILY = Family("pointwise", 9, lambda words: words[0] == "generatednativepointwise", _read, names_types=False)
