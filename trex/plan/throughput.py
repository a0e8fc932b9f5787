"""Metadata of a run → its queries per second by trtexec's summary."""

from __future__ import annotations

from trex.core.metadata import Metadata
from trex.core.timings import is_possible_throughput
from trex.ingest.spelling.written_number import written_number

_KEY, _BATCH = "Throughput", "Batch"
_LARGEST = 1e9


def queries_per_s(metadata: Metadata) -> float | None:
    """The summary's throughput over the items that it counts for a query; None if unknown, or no possible rate."""
    stated = written_number(metadata.performance.get(_KEY))
    return stated / items_of_query(metadata) if stated is not None and is_possible_throughput(stated) else None


def items_of_query(metadata: Metadata) -> int:
    """The batch of ``--batch``, which trtexec up to 9 prints as a number and counts in its throughput; else 1.

    Throughput = batch · queries / wall time. Source: ``printPerformanceReport`` and ``printEpilog`` in
    samples/common/sampleReporting.cpp of TensorRT 8.2 and 8.6.
    """
    batch = written_number(metadata.inference_options.get(_BATCH)) or 1.0
    return int(batch) if 1.0 <= batch <= _LARGEST else 1
