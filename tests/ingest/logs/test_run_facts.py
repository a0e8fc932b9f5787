"""What a run tells of itself → Metadata and Notes."""

from __future__ import annotations

import pytest

from trex.core.metadata import LatencySummary
from trex.ingest.logs.banner import Banner
from trex.ingest.logs.log_lines import LogLine
from trex.ingest.logs.run_facts import RunFacts


def facts(**medians_ms: float) -> RunFacts:
    names = {
        "compute": "GPU Compute Time",
        "enqueue": "Enqueue Time",
        "inputs": "H2D Latency",
        "outputs": "D2H Latency",
    }
    found = RunFacts("x.log", 1)
    for key, median in medians_ms.items():
        found.latency[names[key]] = LatencySummary(0.0, 9.0, 1.0, median)
    return found


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
def test_what_bounds_the_throughput_is_seen_in_the_figures(medians_ms: dict[str, float], codes: list[str]) -> None:
    notes = facts(**medians_ms).metadata().notes
    assert [note.code for note in notes] == codes
    assert all(note.hint and note.where == "x.log:1" for note in notes)


def test_what_trtexec_warned_of_is_not_said_twice() -> None:
    found = facts(compute=1.0, enqueue=2.0)
    found.warnings.add(LogLine(7, "", "W", False, "* Throughput may be bound by Enqueue Time", True))
    (note,) = found.metadata().notes
    assert note.where == "x.log:7"


def test_a_run_whose_beginning_was_cut() -> None:
    found = facts()
    found.banner, found.outcome = Banner("PASSED", "10.16.0", "trtexec"), "PASSED"
    assert [note.code for note in found.metadata().notes] == ["run-without-beginning"]
    found.banner = Banner("RUNNING", "10.16.0", "trtexec")
    assert not found.metadata().notes


def test_an_empty_run() -> None:
    assert RunFacts("x.log", 1).is_empty
    assert not facts(compute=1.0).metadata().notes
