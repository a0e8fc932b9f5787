"""GPUMonitor: a thread that samples what a GPU does while something runs on it."""

from __future__ import annotations

import json
import math
import os
import threading
import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timezone
from pathlib import Path
from types import TracebackType
from typing import Any

from trex.capture.nvml import Gpu, open_gpu, text_of
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.telemetry import COLUMNS, Stage, Telemetry
from trex.core.whole_file import write_whole

MIN_INTERVAL_S = 0.01

_JOIN_TIME_LIMIT_S = 5.0
# NVML's bits (nvmlClocksEventReasons…); others are reported by number.
_REASONS = {
    0x1: "gpu-idle",
    0x2: "application-clocks",
    0x4: "software-power-cap",
    0x8: "hardware-slowdown",
    0x10: "sync-boost",
    0x20: "software-thermal-slowdown",
    0x40: "hardware-thermal-slowdown",
    0x80: "power-brake-slowdown",
    0x100: "display-clocks",
    0x200: "board-limit",
    0x400: "reliability",
}
_UNKNOWN = -1


class GPUMonitor:
    """Samples temperature, power, clocks, throttle reasons, utilization and memory inside ``with``.

    enabled: False does nothing. gpu_id: CUDA's number of the GPU. sampling_interval: seconds, 0.01 at least.
    output: file (``….monitor.json``) to write at the end, also after an exception.

    Without a driver, nvidia-ml-py or space for the file it does not fail: ``notes`` says so. A value that the GPU does
    not report is NaN, and noted once. Raises TrexError for an impossible interval. Tested with a mock, tried on an
    H100.
    """

    def __init__(
        self,
        enabled: bool,
        gpu_id: int = 0,
        sampling_interval: float = 1.0,
        output: str | os.PathLike[str] | None = None,
    ) -> None:
        if not MIN_INTERVAL_S <= sampling_interval < 1e6:
            raise TrexError(
                f"a sampling interval of {sampling_interval:g} s is not possible",
                f"give seconds from {MIN_INTERVAL_S:g} up",
            )
        self.enabled = enabled
        self.gpu_id = gpu_id
        self.sampling_interval = sampling_interval
        self.output = output
        self._notes: dict[str, Note] = {}
        self._stages: list[Stage] = []
        self._times = array("d")
        self._columns = {name: array("d") for name in COLUMNS}
        self._masks = array("q")
        self._lock = threading.Lock()
        self._opened = ExitStack()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._gpu: Gpu | None = None
        self._described: dict[str, object] = {}
        self._started = ""
        self._zero_s = 0.0

    def __enter__(self) -> GPUMonitor:
        if self.enabled:
            self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()
        if self.output is not None and self._gpu is not None:
            try:
                self.save(self.output)
            except TrexError as write_error:  # the run itself succeeded
                self._note("monitor-not-written", f"telemetry was not saved: {write_error.message}", write_error.hint)

    @property
    def notes(self) -> tuple[Note, ...]:
        return tuple(self._notes.values())

    @property
    def telemetry(self) -> Telemetry:
        """The samples until now."""
        with self._lock:
            times, masks = self._times[:], self._masks[:]
            columns = {name: column[:] for name, column in self._columns.items()}
        return Telemetry(
            time_s=times,
            columns=columns,
            reasons=tuple(None if mask == _UNKNOWN else reason_names(mask) for mask in masks),
            stages=tuple(self._stages),
            started=self._started,
            monotonic_s=self._zero_s if self._started else None,
            interval_s=self.sampling_interval,
            gpu=dict(self._described),
            notes=self.notes,
        )

    def start(self) -> None:
        """Opens the GPU, takes the first sample and begins the thread."""
        try:
            self._gpu = self._opened.enter_context(open_gpu(self.gpu_id, purpose="watching the GPU"))
        except TrexError as error:
            self._note("monitor-not-available", f"{error.message}; this run has no telemetry", error.hint)
            return
        for note in self._gpu.notes:
            self._notes[note.code] = note
        self._described = self._description(self._gpu)
        self._zero_s = time.monotonic()
        self._started = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        self._ended.clear()
        self._sample()
        self._thread = threading.Thread(target=self._run, name="trex-gpu-monitor", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Takes the last sample and ends the thread; a second call does nothing."""
        thread, self._thread = self._thread, None
        if thread is None:
            return
        self._ended.set()
        thread.join(_JOIN_TIME_LIMIT_S)
        if thread.is_alive():
            self._note("monitor-does-not-end", "the driver does not answer; the last samples are missing", "")
            return  # NVML stays open: the thread still uses it
        self._opened.close()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Records start and end of what runs inside ``with``."""
        index = len(self._stages)
        self._stages.append(Stage(name, self._now_s()))
        try:
            yield
        finally:
            self._stages[index] = Stage(name, self._stages[index].start_s, self._now_s())

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the samples, schema ``trex.monitor/1``, and returns the path."""
        from trex.ingest.monitor_json import monitor_document

        text = json.dumps(monitor_document(self.telemetry), ensure_ascii=False, allow_nan=False)
        return write_whole(path, text.encode("utf-8", "replace"))

    def _now_s(self) -> float:
        return time.monotonic() - self._zero_s if self._started else 0.0

    def _run(self) -> None:
        tick = 1
        while not self._ended.wait(max(0.0, tick * self.sampling_interval - self._now_s())):
            self._sample()
            # A sample that takes longer than the interval skips ticks.
            tick = max(tick + 1, math.ceil(self._now_s() / self.sampling_interval))
        self._sample()

    def _sample(self) -> None:
        gpu = self._gpu
        if gpu is None:
            return
        time_s = self._now_s()
        values: dict[str, float] = {}
        for sensor in (_temperature, _power, _sm_clock, _memory_clock, _utilization, _memory):
            self._read(sensor, gpu, values)
        reasons: dict[str, float] = {}
        self._read(_reasons, gpu, reasons)
        with self._lock:
            self._times.append(time_s)
            for name, column in self._columns.items():
                column.append(values.get(name, math.nan))
            self._masks.append(int(reasons.get("throttle_reasons", _UNKNOWN)))

    def _read(self, sensor: Callable[[Gpu], dict[str, float]], gpu: Gpu, values: dict[str, float]) -> None:
        try:
            values.update(sensor(gpu))
        except (gpu.nvml.NVMLError, AttributeError) as error:  # an old package lacks new functions
            name = sensor.__name__.strip("_").replace("_", " ")
            reason = "this nvidia-ml-py is too old" if isinstance(error, AttributeError) else str(error)
            self._note(
                "reading-not-available", f"{name} could not be read ({reason}); null in the samples", "", key=name
            )

    def _note(self, code: str, message: str, hint: str, key: str = "") -> None:
        if (key or code) not in self._notes:
            self._notes[key or code] = Note(code, message, hint)

    def _description(self, gpu: Gpu) -> dict[str, object]:
        described: dict[str, object] = {"index": gpu.index, "name": None, "uuid": None}
        for key, function in (("name", "nvmlDeviceGetName"), ("uuid", "nvmlDeviceGetUUID")):
            try:
                described[key] = text_of(getattr(gpu.nvml, function)(gpu.handle))
            except gpu.nvml.NVMLError as error:
                self._note("reading-not-available", f"{key} could not be read ({error})", "", key=key)
        return described


def reason_names(mask: int) -> tuple[str, ...]:
    """Names of NVML's throttle bits; () without throttling."""
    bits = (1 << index for index in range(mask.bit_length()))
    return tuple(_REASONS.get(bit, f"reason-{bit:#x}") for bit in bits if mask & bit)


def _temperature(gpu: Gpu) -> dict[str, float]:
    nvml: Any = gpu.nvml
    return {"temperature_c": nvml.nvmlDeviceGetTemperature(gpu.handle, nvml.NVML_TEMPERATURE_GPU)}


def _power(gpu: Gpu) -> dict[str, float]:
    return {"power_w": gpu.nvml.nvmlDeviceGetPowerUsage(gpu.handle) / 1000}


def _sm_clock(gpu: Gpu) -> dict[str, float]:
    return {"sm_clock_mhz": gpu.nvml.nvmlDeviceGetClockInfo(gpu.handle, gpu.nvml.NVML_CLOCK_SM)}


def _memory_clock(gpu: Gpu) -> dict[str, float]:
    return {"memory_clock_mhz": gpu.nvml.nvmlDeviceGetClockInfo(gpu.handle, gpu.nvml.NVML_CLOCK_MEM)}


def _utilization(gpu: Gpu) -> dict[str, float]:
    rates = gpu.nvml.nvmlDeviceGetUtilizationRates(gpu.handle)
    return {"gpu_utilization_pct": rates.gpu, "memory_utilization_pct": rates.memory}


def _memory(gpu: Gpu) -> dict[str, float]:
    return {"memory_used_mib": gpu.nvml.nvmlDeviceGetMemoryInfo(gpu.handle).used / 2**20}


def _reasons(gpu: Gpu) -> dict[str, float]:
    # The older name first: drivers before 535 know no other, but a package may drop it.
    nvml: Any = gpu.nvml
    older = getattr(nvml, "nvmlDeviceGetCurrentClocksThrottleReasons", None)
    return {"throttle_reasons": (older or nvml.nvmlDeviceGetCurrentClocksEventReasons)(gpu.handle)}
