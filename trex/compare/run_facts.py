"""Performance → RunFacts: what the files tell of how a plan was measured, each fact with its weight in a comparison."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from trex.core.provenance import Provenance
from trex.core.shape import shape_text
from trex.perf.performance import Performance
from trex.perf.run_flags import RunFlags, run_flags
from trex.plan.engine_plan import EnginePlan

_LETTERS = re.compile(r"[^a-z0-9]")
_SAME_CLOCK = 0.01
_FEW_TIMES = 2.0


class Weight(Enum):
    """GRAVE: the times tell of the environment as much as of the engine. MINOR: it may move them a little. CHOICE: an
    option of the build, which may be the very thing that is compared. UNKNOWN: at least one side does not tell, which
    is not "alike".
    """

    GRAVE = "grave"
    MINOR = "minor"
    CHOICE = "choice"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Fact:
    """read: the value of one side, None when it does not tell. equal: of two known values."""

    what: str
    weight: Weight
    meaning: str
    read: Callable[[RunFacts], Any]
    words: Callable[[Any], str] = str
    equal: Callable[[Any, Any], bool] = lambda left, right: bool(left == right)
    is_essential: bool = False


class RunFacts:
    """One plan's facts about its run."""

    def __init__(self, performance: Performance) -> None:
        self.performance = performance
        self.plan: EnginePlan = performance.plan
        self.flags: RunFlags = run_flags(self.plan.metadata.inference_options)
        self.facts = self.plan.device_facts

    @property
    def telemetry_gpu(self) -> Mapping[str, object]:
        return {} if self.plan.telemetry is None else self.plan.telemetry.gpu

    @property
    def gpu(self) -> str | None:
        name = self.facts.name or self.telemetry_gpu.get("name")
        return name if isinstance(name, str) and name else None

    @property
    def driver(self) -> str | None:
        """From whatever section of the files calls something a driver version."""
        for section in (self.plan.device_properties, self.telemetry_gpu, self.plan.metadata.system_options):
            for key, value in section.items():
                if plain_key(key) in ("driver", "driverversion", "nvidiadriver") and value:
                    return str(value)
        return None

    @property
    def origin(self) -> Provenance | None:
        """None where nothing was measured, nor made up."""
        plan = self.plan
        was_measured = plan.provenance is not Provenance.MEASURED or plan.layer_times or plan.query_times
        return plan.provenance if was_measured else None

    @property
    def version(self) -> str | None:
        plan = self.plan
        return (
            plan.metadata.tensorrt_version or plan.build_metadata.tensorrt_version or plan.engine.tensorrt_version
        ) or None

    @property
    def running_clock(self) -> float | None:
        found = self.performance.samples.throttling
        return None if found is None else found.median_mhz

    @property
    def was_slowed(self) -> bool | None:
        found = self.performance.samples.throttling
        return None if found is None or not found.watched_s > 0.0 else found.was_slowed

    @property
    def shapes(self) -> str | None:
        """Shapes of the run as the files tell them, else those of the engine's inputs when these are fixed."""
        if self.flags.shapes:
            return ", ".join(sorted("x".join(re.findall("[0-9]+", each)) for each in self.flags.shapes.values()))
        told = []
        for binding in self.plan.engine.bindings:
            if binding.is_input:
                shape = None if binding.tensor is None else binding.tensor.shape
                if shape is None or None in shape:
                    return None
                told.append(_LETTERS.sub("x", shape_text(shape).lower()).strip("x"))
        return ", ".join(sorted(told)) or None

    @property
    def samples(self) -> int | None:
        main = self.performance.samples.main
        return None if main is None else main.count

    def option(self, *names: str) -> str | None:
        for key, value in self.plan.metadata.inference_options.items():
            if plain_key(key) in names and value not in (None, ""):
                return str(value)
        return None


def plain_key(key: object) -> str:
    return _LETTERS.sub("", str(key).lower())


def _near(left: float, right: float) -> bool:
    return math.isclose(left, right, rel_tol=_SAME_CLOCK)


def _not_twice(left: float, right: float) -> bool:
    low, high = sorted((left, right))
    return low > 0 and high / low < _FEW_TIMES


def _switch(value: bool) -> str:
    return "on" if value else "off"


def _version_words(version: str) -> str:
    return version.removeprefix("v")


FACTS: tuple[Fact, ...] = (
    Fact(
        "GPU",
        Weight.GRAVE,
        "times of different GPUs tell of the GPUs as much as of the engines",
        lambda side: side.gpu,
        is_essential=True,
    ),
    Fact(
        "SMs",
        Weight.GRAVE,
        "a part or a slice with another number of SMs computes at another rate",
        lambda side: side.facts.sm_count,
    ),
    Fact(
        "highest clock (GHz)",
        Weight.GRAVE,
        "times scale with the clock",
        lambda side: side.facts.compute_clock_ghz,
        "{:g}".format,
        _near,
    ),
    Fact(
        "memory clock (GHz)",
        Weight.GRAVE,
        "what is bound by memory scales with its clock",
        lambda side: side.facts.memory_clock_ghz,
        "{:g}".format,
        _near,
    ),
    Fact(
        "clock during the run (MHz)",
        Weight.GRAVE,
        "times scale with the clock that ran; lock it (trex process --lock-clocks)",
        lambda side: side.running_clock,
        "{:,.0f}".format,
        _near,
    ),
    Fact(
        "GPU held below its clocks",
        Weight.GRAVE,
        "one run was slowed by power or temperature",
        lambda side: side.was_slowed,
        lambda value: "yes" if value else "no",
    ),
    Fact("driver", Weight.MINOR, "another driver may launch and clock differently", lambda side: side.driver),
    Fact(
        "TensorRT",
        Weight.GRAVE,
        "another release has other kernels and fusions: right if the release is what is compared",
        lambda side: side.version,
        _version_words,
        lambda left, right: _version_words(left) == _version_words(right),
    ),
    Fact(
        "input shapes",
        Weight.GRAVE,
        "other shapes are other work",
        lambda side: side.shapes,
    ),
    Fact(
        "CUDA graph",
        Weight.GRAVE,
        "a graph launches once; without it every kernel is launched, which leaves gaps between them",
        lambda side: side.flags.cuda_graph,
        _switch,
    ),
    Fact(
        "inference streams",
        Weight.GRAVE,
        "inferences that run at once slow one another",
        lambda side: side.flags.streams,
    ),
    Fact(
        "data transfers",
        Weight.GRAVE,
        "one side's latency holds transfers, the other's does not; GPU compute can be compared",
        lambda side: side.flags.data_transfers,
        _switch,
    ),
    Fact(
        "spin wait",
        Weight.MINOR,
        "without it the host wakes up late, which latency and throughput may show",
        lambda side: side.flags.spin_wait,
        _switch,
    ),
    Fact(
        "separate profile run",
        Weight.MINOR,
        "in one run with the trace, the profiler slows both",
        lambda side: side.flags.separate_profiling,
        _switch,
    ),
    Fact(
        "multithreading",
        Weight.MINOR,
        "threads of the host compete",
        lambda side: side.flags.multithreading,
        _switch,
    ),
    Fact(
        "pauses (ms)",
        Weight.GRAVE,
        "a GPU that pauses cools down and may clock higher or lower",
        lambda side: (
            None
            if side.flags.sleep_ms is None and side.flags.idle_ms is None
            else (side.flags.sleep_ms or 0.0) + (side.flags.idle_ms or 0.0)
        ),
        "{:g}".format,
    ),
    Fact(
        "duration and warm-up",
        Weight.MINOR,
        "a shorter warm-up leaves slower inferences in the samples",
        lambda side: side.option("duration"),
    ),
    Fact(
        "inferences measured",
        Weight.MINOR,
        "the side with fewer samples limits what can be told",
        lambda side: side.samples,
        "{:,}".format,
        _not_twice,
    ),
    Fact(
        "iterations of the layer profile",
        Weight.MINOR,
        "averages of fewer iterations scatter more",
        lambda side: side.plan.layer_times.count if side.plan.layer_times is not None else None,
        "{:,}".format,
        _not_twice,
    ),
    Fact(
        "origin of the times",
        Weight.GRAVE,
        "not like with like: predicted times miss by their error bars, and made-up ones tell nothing of measured ones",
        lambda side: side.origin,
        lambda value: value.label or "measured on a GPU",
    ),
)
