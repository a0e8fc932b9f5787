"""Lines of a performance summary whose figures are no times."""

from __future__ import annotations

import json

import pytest

from trex.core.metadata import LatencySummary, Metadata
from trex.ingest.logs.trtexec_log import read_log
from trex.ingest.metadata_json import read_metadata
from trex.ingest.spelling.latency_summaries import possible_summaries


@pytest.mark.parametrize("figure", [1e308, -1.0])
def test_one_impossible_figure_leaves_its_line_out(figure: float) -> None:
    good = LatencySummary(0.0, None, 1.0, 1.0, {99.0: 2.0})
    summaries = {"good": good, "mean": LatencySummary(0.0, 1.0, figure, 1.0), "percentile": LatencySummary(
        0.0, 1.0, 1.0, 1.0, {99.0: figure}
    )}  # fmt: skip
    kept, (note,) = possible_summaries(summaries, "m.log")
    assert kept == {"good": good} and "'mean', 'percentile'" in note.message and note.where == "m.log"
    assert possible_summaries(kept, "") == (kept, ())


@pytest.mark.parametrize("label", [150.0, -1.0, float("nan")])
def test_a_percentile_is_of_a_hundred(label: float) -> None:
    kept, (note,) = possible_summaries({"Latency": LatencySummary(0.0, 1.0, 1.0, 1.0, {label: 1.0})}, "m.log")
    assert not kept and note.code == "summary-impossible"


def of_a_log() -> Metadata:
    stamp = "[01/02/2030-03:04:05] [I] "
    lines = ["=== Performance summary ===", "Latency: min = 1 ms, max = 1 ms, mean = 1e308 ms, median = 1 ms"]
    return read_log("".join(f"{stamp}{line}\n" for line in lines).encode(), "m.log").runs[-1].metadata


def of_json() -> Metadata:
    return read_metadata(json.dumps({"performance_summary": {"Latency": [1.0, 1.0, 1e308, 1.0]}}).encode(), "m.json")


@pytest.mark.parametrize("metadata", [of_a_log(), of_json()])
def test_of_a_log_and_of_json(metadata: Metadata) -> None:
    assert not metadata.latency and "summary-impossible" in [note.code for note in metadata.notes]
