"""Arithmetic: the types in which a kernel multiplies and adds, on which units; Rate: a ceiling of a device."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from trex.core.data_type import DataType


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """data_type: of the multiplied operands (FP32 also for TF32). accumulate: UNKNOWN if unknown.

    tensor_core: on the tensor cores, else on the CUDA cores. tf32: FP32 data multiplied as TF32. sparse: with 2:4
    structured sparsity, which doubles the rate of the tensor cores since compute capability 8.0.
    """

    data_type: DataType
    accumulate: DataType = DataType.UNKNOWN
    tensor_core: bool = True
    tf32: bool = False
    sparse: bool = False


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
