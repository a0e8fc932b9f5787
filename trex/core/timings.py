"""LayerTimes and QueryTimes: what was measured, per layer and per inference."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trex.core.frozen import frozen
from trex.core.note import Note

LONGEST_MS = 1e15
"""No measurement lasts thirty thousand years: a larger number is damage, and sums of such numbers leave the doubles."""


@frozen
class LayerTime:
    """One record of a layer profile. Times in milliseconds; None when the file has no usable number.

    name: printable name, joined to the engine on (name, occurrence). samples_ms: per-iteration times when the file
    carries them, else empty. extra: fields a newer TensorRT added, verbatim.
    """

    name: str
    occurrence: int
    total_ms: float | None
    average_ms: float | None
    median_ms: float | None
    share_pct: float | None
    samples_ms: tuple[float, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LayerTimes:
    """A layer profile: records in the file's order, and how many iterations were profiled (None when not said)."""

    records: tuple[LayerTime, ...]
    count: int | None = None
    source: str = ""
    notes: tuple[Note, ...] = ()

    @property
    def total_average_ms(self) -> float:
        """Sum of the average times that are known."""
        return sum(r.average_ms for r in self.records if r.average_ms is not None)


@dataclass(frozen=True, slots=True)
class QueryTimes:
    """One row per inference, column-wise: ``columns["computeMs"]`` is an array of doubles in milliseconds.

    Keys are TensorRT's own (``startEnqMs … latencyMs``); all columns have the same length; NaN where a row lacks it.
    warm_up_rows: how many leading rows belong to the warm-up (trtexec 8.2 and 8.4 keep them), None when unknown.
    """

    columns: Mapping[str, array[float]]
    warm_up_rows: int | None = None
    source: str = ""
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    @property
    def latency_ms(self) -> Sequence[float]:
        """GPU plus transfer latency of each query, ``latencyMs``; empty when the file lacks it."""
        return self.columns.get("latencyMs", array("d"))
