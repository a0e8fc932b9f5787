"""Rate: a ceiling of a device, with where it comes from and how sure it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

CERTAINTIES = ("measured", "reported", "datasheet", "page", "derived", "memory")
"""From the surest. measured: on this very device. reported: the engine's own files tell it. datasheet: a document of
NVIDIA's, and the derived peaks agree with it. page: a public page of others. derived: inferred from what is known of
like parts. memory: written down without a document at hand."""


@dataclass(frozen=True, slots=True)
class Rate:
    """per_second: operations (a multiply-add is two) or bytes. source: in words, for people.

    certainty: one of ``CERTAINTIES``.
    """

    per_second: float
    source: str
    certainty: str


def least_certain(certainties: Iterable[str]) -> str:
    """The least sure of several; ``memory`` for words that are none."""
    return max(certainties, key=lambda word: CERTAINTIES.index(word) if word in CERTAINTIES else len(CERTAINTIES))
