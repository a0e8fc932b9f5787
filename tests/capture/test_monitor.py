"""The monitor samples in time, names stages, keeps within bounds, and ends."""

from __future__ import annotations

import json
import math
import sys
import threading
from pathlib import Path

import pytest

from tests.mocks.nvml import NOT_SUPPORTED, Nvml
from tests.waiting import wait_until
from trex.capture import monitor as module
from trex.capture.monitor import GPUMonitor, reason_names
from trex.core.errors import TrexError
from trex.ingest.monitor_json import SCHEMA, read_monitor


def names() -> list[str]:
    return [thread.name for thread in threading.enumerate()]


def test_a_run_is_sampled_and_written(nvml: Nvml, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx.engine.monitor.json"
    with GPUMonitor(True, sampling_interval=0.01, output=path) as monitor:
        with monitor.stage("build"):
            wait_until(lambda: len(monitor.telemetry) > 2)
        count = len(monitor.telemetry)
        wait_until(lambda: len(monitor.telemetry) > count)  # the sample that began in the stage is complete
        nvml.reasons = 0x4 | 0x40
        with monitor.stage("profile"):
            before = len(monitor.telemetry)
            wait_until(lambda: len(monitor.telemetry) > before + 2)
    assert "trex-gpu-monitor" not in names() and not nvml.is_open
    read = read_monitor(path.read_bytes(), str(path))
    assert len(read) == len(monitor.telemetry)
    assert list(read.time_s) == sorted(read.time_s)
    first = {name: column[0] for name, column in read.columns.items()}
    assert first == {
        "temperature_c": 41,
        "power_w": 61.5,
        "sm_clock_mhz": 1410,
        "memory_clock_mhz": 1512,
        "gpu_utilization_pct": 97,
        "memory_utilization_pct": 40,
        "memory_used_mib": 1024,
    }
    assert read.gpu == {"index": 0, "name": "NVIDIA A100 80GB PCIe", "uuid": nvml.uuids[0]}
    assert [stage.name for stage in read.stages] == ["build", "profile"]
    assert not read.slowdowns("build") and read.slowdowns("profile")
    assert read.slowdowns()[0].reasons == ("software-power-cap", "hardware-thermal-slowdown")
    assert not read.notes and read.started.endswith("+00:00")
    assert json.loads(path.read_text())["schema"] == SCHEMA
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_short_run_has_its_first_and_last_sample(nvml: Nvml) -> None:
    with GPUMonitor(True, sampling_interval=1000) as monitor:
        nvml.temperature_c = 55
    assert list(monitor.telemetry.columns["temperature_c"]) == [41, 55]


def test_disabled_it_does_nothing(nvml: Nvml, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    with GPUMonitor(False, output=tmp_path / "m.json") as monitor, monitor.stage("build"):
        pass
    assert not monitor.notes and not list(tmp_path.iterdir())


def test_an_absent_package_is_one_note(nvml: Nvml, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    with GPUMonitor(True, output=tmp_path / "m.json") as monitor, monitor.stage("build"):
        pass
    (note,) = monitor.notes
    assert note.code == "monitor-not-available" and "[gpu]" in note.hint
    assert not list(tmp_path.iterdir())


def test_a_reading_that_fails_is_null_and_noted_once(nvml: Nvml, monkeypatch: pytest.MonkeyPatch) -> None:
    nvml.failing |= {"nvmlDeviceGetPowerUsage": NOT_SUPPORTED, "nvmlDeviceGetName": NOT_SUPPORTED}
    monkeypatch.delattr(Nvml, "nvmlDeviceGetCurrentClocksThrottleReasons")
    with GPUMonitor(True, sampling_interval=0.01) as monitor:
        wait_until(lambda: len(monitor.telemetry) > 3)
    telemetry = monitor.telemetry
    assert all(map(math.isnan, telemetry.columns["power_w"]))
    assert set(telemetry.reasons) == {None} and telemetry.columns["temperature_c"][0] == 41
    assert [note.message for note in telemetry.notes] == [
        "name could not be read (Not Supported)",
        "power could not be read (Not Supported); null in the samples",
        "reasons could not be read (this nvidia-ml-py is too old); null in the samples",
    ]
    assert telemetry.gpu["name"] is None


def test_reasons_go_by_two_names(nvml: Nvml, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Nvml, "nvmlDeviceGetCurrentClocksThrottleReasons")
    monkeypatch.setattr(Nvml, "nvmlDeviceGetCurrentClocksEventReasons", lambda self, handle: 0x20, raising=False)
    with GPUMonitor(True) as monitor:
        pass
    assert set(monitor.telemetry.reasons) == {("software-thermal-slowdown",)}


def test_an_exception_in_the_block_keeps_the_file(nvml: Nvml, tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    with pytest.raises(ZeroDivisionError), GPUMonitor(True, output=path) as monitor, monitor.stage("build"):
        raise ZeroDivisionError
    stage = read_monitor(path.read_bytes()).stage("build")
    assert stage is not None and stage.end_s is not None


def test_a_folder_that_takes_no_file(nvml: Nvml, tmp_path: Path) -> None:
    with GPUMonitor(True, output=tmp_path / "no" / "m.json") as monitor:
        pass
    (note,) = monitor.notes
    assert note.code == "monitor-not-written" and "cannot be written" in note.message
    with pytest.raises(TrexError, match="cannot be written"):
        monitor.save(tmp_path)


def test_a_driver_that_hangs_does_not_hang_us(nvml: Nvml, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_JOIN_TIME_LIMIT_S", 0.05)
    asked, answer = threading.Event(), threading.Event()

    def hang(_: Nvml, handle: object) -> int:
        asked.set()
        return int(answer.wait(60))

    with GPUMonitor(True, sampling_interval=0.01) as monitor:
        monkeypatch.setattr(Nvml, "nvmlDeviceGetPowerUsage", hang)
        assert asked.wait(60)
    answer.set()
    assert [note.code for note in monitor.notes] == ["monitor-does-not-end"]
    wait_until(lambda: "trex-gpu-monitor" not in names())


@pytest.mark.parametrize("interval", [0, -1, 0.001, float("nan"), float("inf")])
def test_intervals_that_are_none(interval: float) -> None:
    with pytest.raises(TrexError, match="sampling interval"):
        GPUMonitor(True, sampling_interval=interval)


@pytest.mark.parametrize(
    ("mask", "words"),
    [
        (0, ()),
        (0x1, ("gpu-idle",)),
        (0x24, ("software-power-cap", "software-thermal-slowdown")),
        (0x8800, ("reason-0x800", "reason-0x8000")),
    ],
)
def test_bits_become_words(mask: int, words: tuple[str, ...]) -> None:
    assert reason_names(mask) == words


def test_the_bits_are_the_bindings() -> None:
    real = pytest.importorskip("pynvml")
    bits = {
        getattr(real, name)
        for name in dir(real)
        if name.startswith("nvmlClocksThrottleReason") and not name.endswith(("All", "None"))
    }
    assert len(bits) > 0 and bits <= set(module._REASONS)  # older bindings lack the newest
