"""Rate: a ceiling of a device, with where it comes from and how sure it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

CERTAINTIES = {
    "measured": "on this very device",
    "reported": "by the engine's own files or the driver",
    "datasheet": "a document of NVIDIA's, and the derived peaks agree with it",
    "page": "a public page of others",
    "derived": "inferred from what is known of like parts",
    "unverified": "written down without a document at hand",
}
"""How sure a figure is: word → what it means, from the surest."""


@dataclass(frozen=True, slots=True)
class Rate:
    """per_second: operations (a multiply-add is two) or bytes. source: in words, for people.

    certainty: one of ``CERTAINTIES``.
    """

    per_second: float
    source: str
    certainty: str


def least_certain(certainties: Iterable[str]) -> str:
    """The least sure of several; a word that is no certainty is less sure than all."""
    order = list(CERTAINTIES)
    return max(certainties, key=lambda word: order.index(word) if word in CERTAINTIES else len(order))
