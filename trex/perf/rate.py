"""Rate: a ceiling of a device, with its source and certainty."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

CERTAINTIES = {
    "measured": "on this device",
    "reported": "by the engine's own files or the driver",
    "datasheet": "an NVIDIA document, and the derived peaks agree with it",
    "page": "a public page by others",
    "derived": "inferred from similar parts",
    "unverified": "without a document to check it against",
}
"""Certainty of a figure: word → meaning, from the most certain."""


@dataclass(frozen=True, slots=True)
class Rate:
    """per_second: operations (a MAC is two) or bytes. source: in words, for people.

    certainty: one of ``CERTAINTIES``.
    """

    per_second: float
    source: str
    certainty: str


def least_certain(certainties: Iterable[str]) -> str:
    """The least certain of several; an unknown word is less certain than all."""
    order = list(CERTAINTIES)
    return max(certainties, key=lambda word: order.index(word) if word in CERTAINTIES else len(order))
