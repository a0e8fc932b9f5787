"""Options and warnings of a run → Metadata and Notes."""

from __future__ import annotations

import pytest

from trex.core.metadata import LatencySummary
from trex.ingest.logs.banner import Banner
from trex.ingest.logs.log_lines import LogLine
from trex.ingest.logs.run_metadata import RunMetadata


def facts(**medians_ms: float) -> RunMetadata:
    names = {
        "compute": "GPU Compute Time",
        "enqueue": "Enqueue Time",
        "inputs": "H2D Latency",
        "outputs": "D2H Latency",
    }
    metadata = RunMetadata("x.log", 1)
    for key, median in medians_ms.items():
        metadata.latency[names[key]] = LatencySummary(0.0, 9.0, 1.0, median)
    return metadata


@pytest.mark.parametrize(
    ("medians_ms", "codes"),
    [
        ({"compute": 1.0, "enqueue": 0.79, "inputs": 0.9, "outputs": 0.9}, []),
        ({"compute": 1.0, "enqueue": 0.81}, ["enqueue-bound"]),
        ({"compute": 1.0, "inputs": 1.1, "outputs": 1.2}, ["host-to-device-bound", "device-to-host-bound"]),
        ({"enqueue": 3.0, "inputs": 3.0}, []),
        ({"compute": 0.0, "enqueue": 3.0}, []),
    ],
)
def test_the_bound_of_the_throughput_follows_from_the_medians(medians_ms: dict[str, float], codes: list[str]) -> None:
    notes = facts(**medians_ms).metadata().notes
    assert [note.code for note in notes] == codes
    assert all(note.hint and note.where == "x.log:1" for note in notes)


def test_warnings_of_trtexec_are_not_repeated() -> None:
    times = facts(compute=1.0, enqueue=2.0)
    times.warnings.add(LogLine(7, "", "W", False, "* Throughput may be bound by Enqueue Time", True))
    (note,) = times.metadata().notes
    assert note.where == "x.log:7"


def test_a_run_without_its_beginning() -> None:
    times = facts()
    times.banner, times.outcome = Banner("PASSED", "10.16.0", "trtexec"), "PASSED"
    assert [note.code for note in times.metadata().notes] == ["run-without-beginning"]
    times.banner = Banner("RUNNING", "10.16.0", "trtexec")
    assert not times.metadata().notes


def test_an_empty_run() -> None:
    assert RunMetadata("x.log", 1).is_empty
    assert not facts(compute=1.0).metadata().notes
