"""The recorded settings of a run (GPU, clocks, shapes, trtexec options), and how much each one matters."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from trex.core.provenance import Provenance
from trex.core.shape import shape_text
from trex.perf.expected import predicted_by
from trex.perf.known_devices import is_same_gpu
from trex.perf.measures import Measures
from trex.perf.performance import Performance
from trex.perf.run_flags import RunFlags, run_flags
from trex.plan.engine_plan import EnginePlan
from trex.plan.gaps import queries_at_once

_LETTERS = re.compile(r"[^a-z0-9]")
_ALL_WEIGHTS = re.compile(r"100(?:\.0*)?%")
_CLOCK_TOLERANCE = 0.01
_LARGE_FACTOR = 2.0
_ALONE = (0.9, 1.1)
"""GPU compute in the wall time of a run of one stream: at most 1.00 on 18 real engines. Less may be of several streams
that wait, and more is.
"""
_OTHER_STREAMS = 1.5
_NO_TRANSFERS, _TRANSFERS = 1.00001, 1.001
"""Latency over GPU compute. Without transfers it is the same time, to the six digits of a baseline."""

GPU, SMS, SHAPES, PREDICTED_BY = "GPU", "SMs", "input shapes", "simulator"
STREAMS, TRANSFERS, WEIGHT_BUDGET = "inference streams", "data transfers", "weight streaming budget"
SEVERAL_STREAMS = -1
"""Of a run whose queries overlap, by streams of unknown number; -N: by about N."""
QUERIES_AT_ONCE = "Queries at the same time"
"""What a baseline says in the place of the queries' points in time, among the options of the run; 0 if they vary."""
CUDA_GRAPH, OPTIMIZATION_PROFILE = "CUDA graph", "optimization profile"
MEASURED_AS = (TRANSFERS, STREAMS, CUDA_GRAPH, OPTIMIZATION_PROFILE, WEIGHT_BUDGET)
"""Settings of a run that make its times another quantity: they are no options of the build."""
LONG_WORDS = re.compile("[a-z]{5,}")
"""By which an axis of a sweep, as ``infStreams``, names a setting."""


class SettingSeverity(Enum):
    """CRITICAL: the times depend on the setting as much as on the engine. MINOR: it may change them slightly. BUILD: a
    build option, which may be what is compared. UNKNOWN: not recorded for both engines, which is not "equal".
    """

    CRITICAL = "critical"
    MINOR = "minor"
    BUILD = "build option"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class RunSetting:
    """meaning: how a difference affects the times. read: the value of one run, None if it is not recorded. words: the
    value as text. equal: compares two known values. is_essential: without it, runs can't be called comparable.
    """

    name: str
    severity: SettingSeverity
    meaning: str
    read: Callable[[RunSettings], Any]
    words: Callable[[Any], str] = str
    equal: Callable[[Any, Any], bool] = lambda left, right: bool(left == right)
    is_essential: bool = False


class RunSettings:
    """The settings of one run, read from all files of the engine."""

    def __init__(self, performance: Performance) -> None:
        self.performance = performance
        self.plan: EnginePlan = performance.plan
        self.flags: RunFlags = run_flags(self.plan.metadata.inference_options)
        self.device = self.plan.device_facts

    @property
    def telemetry_gpu(self) -> Mapping[str, object]:
        return {} if self.plan.telemetry is None else self.plan.telemetry.gpu

    @property
    def gpu(self) -> str | None:
        name = self.device.name or self.telemetry_gpu.get("name")
        return name if isinstance(name, str) and name else None

    @property
    def driver(self) -> str | None:
        for section in (self.plan.device_properties, self.telemetry_gpu, self.plan.metadata.system_options):
            for key, value in section.items():
                if plain_key(key) in ("driver", "driverversion", "nvidiadriver") and value:
                    return str(value)
        return None

    @property
    def provenance(self) -> Provenance | None:
        """None for a plan without any times: of layers, of queries or in trtexec's summary."""
        plan = self.plan
        times = plan.layer_times or plan.query_times or plan.metadata.latency or plan.metadata.performance
        return plan.provenance if times or plan.provenance is not Provenance.MEASURED else None

    @property
    def version(self) -> str | None:
        plan = self.plan
        return (
            plan.metadata.tensorrt_version or plan.build_metadata.tensorrt_version or plan.engine.tensorrt_version
        ) or None

    @property
    def measured_mhz(self) -> float | None:
        throttling = self.performance.samples.throttling
        return None if throttling is None else throttling.median_mhz

    @property
    def was_throttled(self) -> bool | None:
        throttling = self.performance.samples.throttling
        return None if throttling is None or not throttling.is_known else throttling.was_slowed

    @property
    def shapes(self) -> Mapping[str, str] | None:
        """{input: shape} of the run, else of the engine if its shapes are fixed."""
        if self.flags.shapes:
            return {name: "x".join(re.findall("[0-9]+", shape)) for name, shape in self.flags.shapes.items()}
        shapes = {}
        for binding in self.plan.engine.bindings:
            if binding.is_input:
                shape = None if binding.tensor is None else binding.tensor.shape
                if shape is None or None in shape:
                    return None
                shapes[binding.name] = _LETTERS.sub("x", shape_text(shape).lower()).strip("x")
        return shapes or None

    @property
    def optimization_profile(self) -> str | None:
        """As trtexec 9.0 and later print it; else that of the layers, if the engine has several."""
        index = self.plan.metadata.inference_options.get("Optimization Profile Index", self.plan.profile)
        return None if index is None else str(index).strip()

    @property
    def weight_budget(self) -> str | None:
        """What stays on the GPU of an engine that may stream its weights; ``off`` if all do, as in any other engine."""
        if self.plan.builder_cfg.get("Weight Streaming") == "Disabled":
            return "off"
        budget = self.plan.metadata.inference_options.get("Weight Streaming Budget")
        if budget is None:
            return None
        text = str(budget).strip()
        return "off" if text in ("Disabled", "-2") or _ALL_WEIGHTS.fullmatch(text) else text

    @property
    def streams(self) -> int | None:
        """As trtexec reports them; else by the queries, or GPU compute and throughput: negative if several."""
        if self.flags.streams:
            return self.flags.streams
        options, busy = self.plan.metadata.inference_options, self._measures.busy
        at_once = options.get(QUERIES_AT_ONCE, queries_at_once(self.plan.query_times))
        if not isinstance(at_once, int):
            at_once = None if busy is None or busy < _ALONE[0] else 1 if busy <= _ALONE[1] else 0
        return None if at_once is None else 1 if at_once == 1 else min(-int(at_once), SEVERAL_STREAMS)

    @property
    def data_transfers(self) -> bool | None:
        """By the times, if they were measured; else as trtexec reports."""
        to, back = self._measures.h2d.ms, self._measures.d2h.ms
        latency, compute = self._measures.latency.ms, self._measures.compute.ms
        if self.plan.provenance.has_predicted_times:
            return self.flags.data_transfers
        if to is not None and back is not None and math.isfinite(to + back):
            return to > 0.0 or back > 0.0
        if latency and compute and not _NO_TRANSFERS < latency / compute < _TRANSFERS:
            return latency / compute >= _TRANSFERS
        return self.flags.data_transfers

    @property
    def _measures(self) -> Measures:
        return self.performance.reconciliation.measures

    @property
    def pauses_ms(self) -> float | None:
        sleep, idle = self.flags.sleep_ms, self.flags.idle_ms
        return None if sleep is None and idle is None else (sleep or 0.0) + (idle or 0.0)

    @property
    def sample_count(self) -> int | None:
        main = self.performance.samples.main
        return None if main is None else main.count

    @property
    def profile_iterations(self) -> int | None:
        return None if self.plan.layer_times is None else self.plan.layer_times.count

    @property
    def duration(self) -> str | None:
        for key, value in self.plan.metadata.inference_options.items():
            if plain_key(key) == "duration" and value not in (None, ""):
                return str(value)
        return None


def plain_key(key: object) -> str:
    """``maxbatchsize`` for ``Max Batch-Size``."""
    return _LETTERS.sub("", str(key).lower())


def plain_version(version: str) -> str:
    return version.removeprefix("v")


def _shape_words(shapes: Mapping[str, str]) -> str:
    """The names, too, where there are several: two inputs may have each other's shape."""
    if len(shapes) == 1:
        return next(iter(shapes.values()))
    return ", ".join(f"{name} {shape}" for name, shape in sorted(shapes.items()))


def _same_shapes(left: Mapping[str, str], right: Mapping[str, str]) -> bool:
    """By name; engines that name their inputs otherwise, by the shapes alone."""
    return left == right if left.keys() == right.keys() else sorted(left.values()) == sorted(right.values())


def _similar_clock(left: float, right: float) -> bool:
    return math.isclose(left, right, rel_tol=_CLOCK_TOLERANCE)


def _stream_words(streams: int) -> str:
    return "several" if streams == SEVERAL_STREAMS else f"about {-streams}" if streams < 0 else str(streams)


def same_streams(left: int, right: int) -> bool:
    """What queries show may be fewer than were asked for."""
    if SEVERAL_STREAMS in (left, right):
        return 1 not in (left, right)
    low, high = sorted((abs(left), abs(right)))
    return low == high or (left * right < 0 and low > 1 and high < _OTHER_STREAMS * low)


def _similar_count(left: float, right: float) -> bool:
    low, high = sorted((left, right))
    return low > 0 and high / low < _LARGE_FACTOR


def _switch(value: bool) -> str:
    return "on" if value else "off"


_CRITICAL, _MINOR = SettingSeverity.CRITICAL, SettingSeverity.MINOR
SETTINGS: tuple[RunSetting, ...] = (
    RunSetting(GPU, _CRITICAL, "times depend on the GPU as much as on the engine", lambda run: run.gpu,
               equal=is_same_gpu, is_essential=True),
    RunSetting(SMS, _CRITICAL, "a GPU with another number of SMs (part or MIG slice) has another compute rate",
               lambda run: run.device.sm_count),
    RunSetting("max clock (GHz)", _CRITICAL, "times scale with the clock",
               lambda run: run.device.compute_clock_ghz, "{:g}".format, _similar_clock),
    RunSetting("memory clock (GHz)", _CRITICAL, "memory-bound layers scale with the memory clock",
               lambda run: run.device.memory_clock_ghz, "{:g}".format, _similar_clock),
    RunSetting("measured clock (MHz)", _CRITICAL,
               "times scale with the clock; lock it: trex process --lock-clocks",
               lambda run: run.measured_mhz, "{:,.0f}".format, _similar_clock),
    RunSetting("throttled", _CRITICAL, "power or temperature slowed one run down", lambda run: run.was_throttled,
               lambda value: "yes" if value else "no"),
    RunSetting("driver", _MINOR, "another driver may launch and clock differently", lambda run: run.driver),
    RunSetting("TensorRT", _CRITICAL, "another release has other kernels and fusions; fine if you compare releases",
               lambda run: run.version, plain_version,
               lambda left, right: plain_version(left) == plain_version(right)),
    RunSetting(OPTIMIZATION_PROFILE, _CRITICAL, "another profile has other kernels",
               lambda run: run.optimization_profile),
    RunSetting(SHAPES, _CRITICAL, "other shapes are other work", lambda run: run.shapes, _shape_words, _same_shapes),
    RunSetting(CUDA_GRAPH, _CRITICAL, "a CUDA graph launches once; without it, launches leave gaps between kernels",
               lambda run: run.flags.cuda_graph, _switch),
    RunSetting(STREAMS, _CRITICAL, "concurrent inferences slow each other down",
               lambda run: run.streams, _stream_words, same_streams),
    RunSetting(TRANSFERS, _CRITICAL, "only one latency contains transfers; compare GPU compute instead",
               lambda run: run.data_transfers, _switch),
    RunSetting(WEIGHT_BUDGET, _CRITICAL, "weights beyond the budget are copied from the host in every inference",
               lambda run: run.weight_budget),
    RunSetting("spin wait", _MINOR, "without it the host wakes up late, which affects latency and throughput",
               lambda run: run.flags.spin_wait, _switch),
    RunSetting("separate profile run", _MINOR, "otherwise the profiler slows the per-query times down",
               lambda run: run.flags.separate_profiling, _switch),
    RunSetting("multithreading", _MINOR, "host threads compete", lambda run: run.flags.multithreading, _switch),
    RunSetting("pauses (ms)", _CRITICAL, "a GPU that pauses cools down and may clock differently",
               lambda run: run.pauses_ms, "{:g}".format),
    RunSetting("duration", _MINOR, "a shorter warm-up leaves slow inferences in the samples",
               lambda run: run.duration),
    RunSetting("measured inferences", _MINOR, "the run with fewer samples limits the confidence",
               lambda run: run.sample_count, "{:,}".format, _similar_count),
    RunSetting("profile iterations", _MINOR, "averages of fewer iterations scatter more",
               lambda run: run.profile_iterations, "{:,}".format, _similar_count),
    RunSetting("origin of times", _CRITICAL,
               "predicted times deviate within their error bars; synthetic times are not comparable to measured ones",
               lambda run: run.provenance, lambda value: value.label or "measured on a GPU"),
    RunSetting(PREDICTED_BY, _CRITICAL, "another version of the simulator predicts other times: predict both with one",
               lambda run: predicted_by(run.plan)),
)  # fmt: skip
