"""Monitor files survive a round trip; damage is a Note."""

from __future__ import annotations

import json
import math
import shutil
from array import array
from pathlib import Path
from typing import Any

import pytest

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.telemetry import COLUMNS, Stage, Telemetry
from trex.examples import folder
from trex.ingest.artifacts import read_artifacts
from trex.ingest.files import find_engines
from trex.ingest.finding.file_kind import Kind, recognize
from trex.ingest.monitor_json import monitor_document, read_monitor

NAME = "resnet18-int8"


def sample() -> Telemetry:
    return Telemetry(
        time_s=array("d", [0.0, 1.0]),
        columns={name: array("d", [number, math.nan]) for number, name in enumerate(COLUMNS)},
        reasons=(("software-power-cap", "gpu-idle"), None),
        stages=(Stage("build", 0.0, 0.5), Stage("profile", 0.5)),
        started="2026-01-02T03:04:05.678+00:00",
        monotonic_s=12.5,
        interval_s=1.0,
        gpu={"index": 0, "name": "GPU", "uuid": None},
        notes=(Note("reading-not-available", "power could not be read", "", "", "info"),),
    )


def written(**changed: Any) -> bytes:
    return json.dumps({**monitor_document(sample()), **changed}, allow_nan=False).encode()


def test_what_was_written_is_read() -> None:
    read = read_monitor(written())
    assert monitor_document(read) == monitor_document(sample())
    assert read.reasons == sample().reasons and read.stages == sample().stages
    assert math.isnan(read.columns["power_w"][1])


def test_it_is_recognized_whole_and_torn() -> None:
    long = {"time_s": list(range(30_000))}
    assert recognize(written(), "x.monitor.json") is Kind.MONITOR
    assert recognize(written(samples=long), "x.json") is Kind.MONITOR


def test_samples_without_a_time_are_left_out() -> None:
    read = read_monitor(written(samples={"time_s": [0, None, 2], "power_w": [5, 6, 7], "throttle_reasons": [[], []]}))
    assert list(read.time_s) == [0, 2] and list(read.columns["power_w"]) == [5, 7]
    assert read.reasons == ((), None)
    assert "monitor-time-missing" in [note.code for note in read.notes]


def test_a_newer_schema_is_read_with_a_note() -> None:
    samples = {"time_s": [0, 1], "fan_pct": [30, "x"], "throttle_reasons": [["new-reason", 3], "x"]}
    read = read_monitor(written(schema="trex.monitor/2", samples=samples, stages=[1, {"name": "b"}], gpu=3, notes=[{}]))
    assert read.columns["fan_pct"][0] == 30 and math.isnan(read.columns["fan_pct"][1])
    assert read.reasons == (("new-reason",), None) and read.stages == () and read.gpu == {}
    assert [note.code for note in read.notes] == ["monitor-of-another-schema"]


def test_nothing_in_it_steers_a_terminal() -> None:
    notes = [{"code": "a\x01b", "message": "m\x1b[31m", "hint": "h\x07"}, {"code": ["a"], "message": "m"}]
    read = read_monitor(written(notes=notes, gpu={"name": "GPU", "index": [1], "uuid": True}))
    assert [(note.code, note.message, note.hint) for note in read.notes] == [
        ("monitor", "m\\x1b[31m", "h\\x07"),
        ("monitor", "m", ""),
    ]
    assert read.gpu == {"name": "GPU", "index": None, "uuid": None}


@pytest.mark.parametrize("document", [[], {}, {"samples": 1}, {"samples": {}}, 3])
def test_other_files_are_refused(document: Any) -> None:
    with pytest.raises(TrexError, match="telemetry"):
        read_monitor(json.dumps(document).encode(), "x.json")


def test_it_is_found_next_to_its_engine(tmp_path: Path) -> None:
    for file in folder(NAME).iterdir():
        shutil.copy(file, tmp_path)
    path = tmp_path / f"{NAME}.monitor.json"
    path.write_bytes(written())
    (files,) = find_engines(tmp_path)
    assert files.monitor == str(path) and not files.others
    artifacts = read_artifacts(files)
    assert artifacts.telemetry is not None and artifacts.telemetry.source == str(path)
    path.write_bytes(written(samples=None))
    artifacts = read_artifacts(find_engines(tmp_path / f"{NAME}.graph.json")[0])
    assert artifacts.telemetry is None
    assert "monitor-not-read" in [note.code for note in artifacts.notes]


def test_columns_of_no_readings_take_no_memory() -> None:
    """Of strangers: each would be as long as the times."""
    samples = {"time_s": [0, 1, 2, 3], "sm_clock_mhz": [], "mine": [1, 2], **{f"c{number}": [] for number in range(9)}}
    telemetry = read_monitor(json.dumps({"schema": "trex.monitor/1", "samples": samples}).encode(), "a")
    assert telemetry.columns.keys() == {"sm_clock_mhz", "mine"}
    assert [note.message for note in telemetry.notes] == [
        "9 columns of readings for less than half of the samples left out"
    ]
