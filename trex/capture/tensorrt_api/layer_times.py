"""Calls of IProfiler, iteration by iteration → rows as in trtexec's exportProfile.

trtexec takes the first layer's name for the start of an iteration and adds up times by position, which fails for names
that occur twice and for layers that run only sometimes. Here each run is one iteration, and a layer is identified by
its name and its occurrence.
"""

from __future__ import annotations

import time
from array import array
from typing import Any

from trex.capture.tensorrt_api.arguments import CollectorOptions
from trex.capture.tensorrt_api.errors import FAILED, CollectorError
from trex.capture.tensorrt_api.library import Library
from trex.capture.tensorrt_api.queries import DURATION_S, ITERATIONS, WARM_UP_MS, percentile
from trex.capture.tensorrt_api.runner import Runner


class LayerSamples:
    """samples: {(name, occurrence): milliseconds of each iteration in which it ran}, in the order of first calls."""

    def __init__(self) -> None:
        self.samples: dict[tuple[str, int], Any] = {}
        self.iterations = 0
        self.varies = False

    def add(self, calls: list[tuple[str, float]]) -> None:
        """One iteration."""
        seen: dict[str, int] = {}
        keys = []
        for name, milliseconds in calls:
            key = (name, seen.get(name, 0))
            seen[name] = key[1] + 1
            keys.append(key)
            self.samples.setdefault(key, array("d")).append(milliseconds)
        if self.iterations and keys != list(self.samples):
            self.varies = True
        self.iterations += 1

    def records(self) -> list[dict[str, Any]]:
        """The count, then one row per layer; averages are over the iterations in which the layer ran."""
        total = sum(sum(values) for values in self.samples.values())
        records: list[dict[str, Any]] = [{"count": self.iterations}]
        for (name, _), values in self.samples.items():
            total_ms = sum(values)
            records.append(
                {
                    "name": name,
                    "timeMs": round(total_ms, 6),
                    "averageMs": round(total_ms / len(values), 9),
                    "medianMs": round(percentile(values, 50), 9),
                    "percentage": round(total_ms / total * 100, 6) if total else 0.0,
                }
            )
        return records


def profile_layers(library: Library, runner: Runner, options: CollectorOptions) -> LayerSamples:
    """Runs with a profiler, which slows inferences down, in a measurement of its own."""
    context = runner.context
    profiler = layer_profiler(library)
    context.profiler = profiler
    context.enqueue_emits_profile = False  # reported after each inference instead, as graphs require
    # Attached before the capture, or the graph would not be measured.
    if options.has("noCudaGraph"):
        runner.run_plain()
    else:
        runner.capture()
    runner.finish()
    times = LayerSamples()
    start, warm_up_s = time.perf_counter(), options.number("warmUp", WARM_UP_MS) / 1000
    while time.perf_counter() - start < warm_up_s:
        _run_once(library, runner, profiler)
    start, duration = time.perf_counter(), options.number("duration", DURATION_S)
    while (
        times.iterations < max(1.0, options.number("iterations", ITERATIONS)) or time.perf_counter() - start < duration
    ):
        times.add(_run_once(library, runner, profiler))
    if times.varies:
        library.log.warning("the layers that run differ between iterations; each is averaged over its own iterations")
    return times


def _run_once(library: Library, runner: Runner, profiler: Any) -> list[tuple[str, float]]:
    """The profiler's calls of one inference."""
    profiler.calls.clear()
    runner.launch()
    runner.finish()
    if not runner.context.report_to_profiler() and not profiler.calls:
        raise CollectorError(f"TensorRT reports no layer times: {library.reason}", "try --noCudaGraph", FAILED)
    return list(profiler.calls)


def layer_profiler(library: Library) -> Any:
    """An IProfiler that records its calls."""

    class LayerProfiler(library.trt.IProfiler):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            library.trt.IProfiler.__init__(self)
            self.calls: list[tuple[str, float]] = []

        def report_layer_time(self, layer_name: str, ms: float) -> None:
            self.calls.append((layer_name, ms))

    return LayerProfiler()
