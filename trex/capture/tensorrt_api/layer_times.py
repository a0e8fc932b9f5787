"""IProfiler's calls, iteration by iteration → rows in the words of trtexec's exportProfile.

trtexec takes the first layer's name for the start of an iteration and then adds times up by their place in the list,
which a name that comes twice or a layer that runs sometimes puts out of order. Here the runs tell where an iteration
begins, and a layer is known by its name and by how many of that name came before it.
"""

from __future__ import annotations

import time
from array import array
from typing import Any

from trex.capture.tensorrt_api.arguments import Job
from trex.capture.tensorrt_api.fault import FAILED, Fault
from trex.capture.tensorrt_api.library import Library
from trex.capture.tensorrt_api.queries import DURATION_S, ITERATIONS, WARM_UP_MS, percentile
from trex.capture.tensorrt_api.runner import Runner


class LayerTimes:
    """samples: {(name, occurrence): milliseconds of each iteration it ran in}, in the order first seen."""

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
        """The count, then a row a layer; averages are over the iterations in which the layer ran."""
        total = sum(sum(values) for values in self.samples.values())
        records: list[dict[str, Any]] = [{"count": self.iterations}]
        for (name, _), values in self.samples.items():
            spent = sum(values)
            records.append(
                {
                    "name": name,
                    "timeMs": round(spent, 6),
                    "averageMs": round(spent / len(values), 9),
                    "medianMs": round(percentile(values, 50), 9),
                    "percentage": round(spent / total * 100, 6) if total else 0.0,
                }
            )
        return records

    def lines(self) -> list[str]:
        """The table of trtexec's log since 8.6."""
        records = self.records()[1:]
        lines = ["", "=== Profile (%d iterations ) ===" % self.iterations,
                 "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer"]  # fmt: skip
        row = "%11.2f %12.4f %12.4f %9.1f   %s"
        for told in records:
            if told["timeMs"]:
                name = " ".join(told["name"].split("\n"))
                lines.append(row % (told["timeMs"], told["averageMs"], told["medianMs"], told["percentage"], name))
        sums = [sum(told[key] for told in records) for key in ("timeMs", "averageMs", "medianMs", "percentage")]
        lines.append(row % (*sums, "Total"))
        return [*lines, ""]


def profile_layers(library: Library, runner: Runner, job: Job) -> LayerTimes:
    """Runs with a profiler attached, in a measurement of its own, since it slows inferences down."""
    context = runner.context
    profiler = layer_profiler(library)
    context.profiler = profiler
    context.enqueue_emits_profile = False  # told after each inference instead, which graphs need
    # Attached before the capture, or the graph would hold no measurement.
    if job.has("noCudaGraph"):
        runner.graph = None
        runner.enqueue()
        runner.finish()
    else:
        runner.capture()
    runner.finish()
    times = LayerTimes()
    begun, warm_up_s = time.perf_counter(), job.number("warmUp", WARM_UP_MS) / 1000
    while time.perf_counter() - begun < warm_up_s:
        _once(library, runner, profiler)
    begun, duration = time.perf_counter(), job.number("duration", DURATION_S)
    while times.iterations < max(1.0, job.number("iterations", ITERATIONS)) or time.perf_counter() - begun < duration:
        times.add(_once(library, runner, profiler))
    if times.varies:
        library.log.warning("the layers that ran differ from one iteration to the next; each is averaged over its own")
    return times


def _once(library: Library, runner: Runner, profiler: Any) -> list[tuple[str, float]]:
    """One inference and the calls it made."""
    profiler.calls.clear()
    runner.launch()
    runner.finish()
    if not runner.context.report_to_profiler() and not profiler.calls:
        raise Fault(f"TensorRT reports no times of layers: {library.log.reason}", "try --noCudaGraph", FAILED)
    return list(profiler.calls)


def layer_profiler(library: Library) -> Any:
    """The IProfiler that is handed to a context; it keeps the calls and nothing more: nothing may be raised there."""

    class LayerProfiler(library.trt.IProfiler):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            library.trt.IProfiler.__init__(self)
            self.calls: list[tuple[str, float]] = []

        def report_layer_time(self, layer_name: str, ms: float) -> None:
            self.calls.append((layer_name, ms))

    return LayerProfiler()
