"""LayerTimes and QueryTimes: measured times per layer and per query."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trex.core.frozen import frozen
from trex.core.note import Note

HOST_MS = "hostMs"
"""Key of a column of ``QueryTimes`` from Polygraphy: host time of an inference, neither its latency nor GPU compute."""
LONGEST_MS = 1e15
"""Larger numbers are damage (30 000 years), and their sums overflow doubles."""


def is_possible_throughput(per_second: float) -> bool:
    """Whether it, and the milliseconds of one query, are numbers to compute with."""
    return 1000.0 / LONGEST_MS <= per_second <= LONGEST_MS


@frozen
class LayerTime:
    """One record of a layer profile. Times in milliseconds; None if the file has no usable number.

    name: printable name, joined to the engine by (name, occurrence). samples_ms: per-iteration times, empty if the
    file has none. extra: fields of newer releases, verbatim.
    """

    name: str
    occurrence: int
    total_ms: float | None
    average_ms: float | None
    median_ms: float | None
    share_pct: float | None
    samples_ms: tuple[float, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict)

    @property
    def ms(self) -> float | None:
        """The layer's time: the median, which a few slow iterations leave as it is; else the average.

        A median of 0 of a layer with an average is of one that runs in fewer than half of the iterations, or was never
        computed: the average counts.
        """
        return self.median_ms or self.average_ms


@dataclass(frozen=True, slots=True)
class LayerTimes:
    """A layer profile: records in the order of the file. count: profiled iterations, None if unknown. marks: what the
    file says of its times: ``simulated``, ``built_on_cpu``.
    """

    records: tuple[LayerTime, ...]
    count: int | None = None
    source: str = ""
    notes: tuple[Note, ...] = ()
    marks: tuple[str, ...] = ()


MARKS = ("simulated", "built_on_cpu")
"""Keys of files, and sections of metadata, of times that nothing measured."""
MISSING_TIMES = "queries-without-a-time"
"""Code of the Note on queries without a usable time, as a problem: they may be the slow ones."""
CUT_OFF = "timing-truncated"
"""Code of the Note on a file that lacks its end."""


@dataclass(frozen=True, slots=True)
class QueryTimes:
    """Per-query times by column: ``columns["computeMs"]`` is an array of doubles in milliseconds.

    Keys are TensorRT's own (``startEnqMs … latencyMs``) and HOST_MS; all columns have the same length, NaN for a
    missing value.
    warm_up_rows: how many leading rows belong to the warm-up (trtexec 8.2 and 8.4 keep them), None if unknown.
    part_of: of how many measured queries these are some, None if they are all. unsteady_pct: {column: by how much the
    run drifted, in percent of the median}, of a baseline.
    """

    columns: Mapping[str, array[float]]
    warm_up_rows: int | None = None
    source: str = ""
    notes: tuple[Note, ...] = ()
    part_of: int | None = None
    unsteady_pct: Mapping[str, float] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    @property
    def is_part(self) -> bool:
        """Whether these are some queries of the run: not its slowest."""
        return self.part_of is not None

    @property
    def run_length(self) -> int:
        """Of the run that these are of, in queries."""
        return len(self) if self.part_of is None else self.part_of

    @property
    def marks(self) -> tuple[str, ...]:
        """As for LayerTimes."""
        return tuple(mark for mark in MARKS if mark in self.columns)

    @property
    def latency_ms(self) -> Sequence[float]:
        """GPU plus transfer latency of each query, ``latencyMs``; empty if the file lacks it."""
        return self.columns.get("latencyMs", array("d"))
