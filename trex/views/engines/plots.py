"""Plans → plots of several engines: time and layers by type and precision, latency and throughput."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from trex.core.counted import counted
from trex.core.layer import Layer
from trex.perf.measures import Measure
from trex.perf.performance import Performance
from trex.perf.run_flags import run_flags
from trex.plan.engine_plan import EnginePlan
from trex.views.charting import NOT_PROFILED
from trex.views.engines.names import plan_names
from trex.views.palette import LAYER_COLORS, PRECISION_COLORS
from trex.views.plot import Axis, Bars, Empty

_ENGINES = Axis("engine")
_NO_TIME = Empty(
    "no engine tells how long an inference takes", "trtexec --exportTimes=FILE, or trex process -p, writes it"
)
_NO_BATCH = Empty(
    "no engine tells its batch size",
    "the first dimension of its first input, or --shapes of the run when it is dynamic",
)


@dataclass(frozen=True)
class Engine:
    """A plan with its name among the others and its readings."""

    name: str
    plan: EnginePlan

    @cached_property
    def performance(self) -> Performance:
        return Performance(self.plan)

    @property
    def batch(self) -> int | None:
        """Items of one inference, see ``batch_size``."""
        return batch_size(self.plan)


def batch_size(plan: EnginePlan) -> int | None:
    """The first dimension of the first input: as the run had it, where the engine leaves it open; None when unknown."""
    inputs, _ = plan.get_bindings()
    if not inputs:
        return None
    shape = inputs[0].shape
    if shape and shape[0] is not None:
        return shape[0] if shape[0] > 0 else None
    shapes = run_flags(plan.metadata.inference_options).shapes or {}
    first = shapes.get(inputs[0].name, "").split("x")[0]
    return int(first) if first.isdigit() and int(first) > 0 else None


def overview(plans: Sequence[EnginePlan]) -> dict[str, Callable[[], Bars | Empty]]:
    """{title: what makes the plot}, in the order in which they are offered."""
    engines = [Engine(name, plan) for name, plan in zip(plan_names(plans), plans, strict=True)]
    made: dict[str, Callable[[], Bars | Empty]] = {}
    for words, key, colors in (("type", _type, LAYER_COLORS), ("precision", _precision, PRECISION_COLORS)):
        for unit in ("ms", "%"):
            made[f"Latency per layer {words} ({unit})"] = _made(_times, engines, words, key, colors, unit)
        made[f"Count per layer {words}"] = _made(_counts, engines, words, key, colors)
    made["Latency"] = lambda: _latency(engines)
    made["Latency per item of the batch"] = lambda: _latency(engines, per_item=True)
    made["Throughput"] = lambda: _throughput(engines)
    return made


def _made(make: Callable[..., Bars | Empty], *words: object) -> Callable[[], Bars | Empty]:
    return lambda: make(*words)


def _type(layer: Layer) -> str:
    return layer.type


def _precision(layer: Layer) -> str:
    return layer.precision


def _times(
    engines: Sequence[Engine], words: str, key: Callable[[Layer], str], colors: Mapping[str, str], unit: str
) -> Bars | Empty:
    """Sums of the layers' average times, one bar per engine piled up by key; shares are of the engine's own sum."""
    rows: dict[tuple[str, str], float] = {}
    unknown = 0
    for engine in engines:
        plan = engine.plan
        for layer, time in zip(plan.layers, plan.times, strict=True):
            if time is None or time.average_ms is None:
                unknown += 1
                continue
            seat = (engine.name, key(layer))
            rows[seat] = rows.get(seat, 0.0) + time.average_ms
    totals: dict[str, float] = {}
    for (name, _), value in rows.items():
        totals[name] = totals.get(name, 0.0) + value
    if not any(totals.values()):
        return NOT_PROFILED
    if unit == "%":
        rows = {(name, each): 100.0 * value / totals[name] for (name, each), value in rows.items() if totals[name]}
    note = f"{counted(unknown, 'layer')} without a time" if unknown else ""
    axis = Axis("time of the layers" if unit == "ms" else "share of the layers' time", unit)
    return _stacked(f"Latency per layer {words} ({unit})", rows, axis, words, colors, note)


def _counts(
    engines: Sequence[Engine], words: str, key: Callable[[Layer], str], colors: Mapping[str, str]
) -> Bars | Empty:
    rows: dict[tuple[str, str], float] = {}
    for engine in engines:
        for layer in engine.plan.layers:
            seat = (engine.name, key(layer))
            rows[seat] = rows.get(seat, 0) + 1
    if not rows:
        return Empty("the engines have no layers", "trex doctor PATH tells what was read and what is missing")
    return _stacked(f"Count per layer {words}", rows, Axis("layers"), words, colors)


def _stacked(
    title: str,
    rows: Mapping[tuple[str, str], float],
    axis: Axis,
    words: str,
    colors: Mapping[str, str],
    note: str = "",
) -> Bars:
    names = [name for name, _ in rows]
    keys = [key for _, key in rows]
    return Bars(title, names, list(rows.values()), _ENGINES, axis, keys, words, note=note, colors=colors)


def _latency(engines: Sequence[Engine], *, per_item: bool = False) -> Bars | Empty:
    """Medians of one inference, or of one item of its batch, as the trace or trtexec's summary tells them."""
    names: list[str] = []
    values: list[float | None] = []
    keys: list[str] = []
    said: list[str] = []
    for engine in engines:
        measures = engine.performance.reconciliation.measures
        batch = engine.batch if per_item else 1
        if batch is None:
            said.append(f"the batch size of {engine.name} is unknown")
            continue
        told: list[tuple[str, Measure]] = [("GPU compute", measures.compute), ("latency", measures.latency)]
        known = [(label, each.ms) for label, each in told if each.ms is not None]
        if not known:
            said.append(f"{engine.name} has no measured latency")
        for label, ms in known:
            names.append(f"{engine.name} (batch {batch})" if per_item else engine.name)
            values.append(ms / batch)
            keys.append(label)
    if not values:
        return _NO_BATCH if per_item and all(engine.batch is None for engine in engines) else _NO_TIME
    title, what = ("Latency per item of the batch", "an item") if per_item else ("Latency", "an inference")
    axis = Axis(f"median time of {what}", "ms")
    return Bars(title, names, values, _ENGINES, axis, keys, "time", kind="group", note="; ".join(said))


def _throughput(engines: Sequence[Engine]) -> Bars | Empty:
    """Items per second: inferences per second times the batch; of unknown batches inferences, which the note says."""
    names: list[str] = []
    values: list[float | None] = []
    said: list[str] = []
    for engine in engines:
        per_second = engine.performance.reconciliation.measures.throughput
        if per_second is None:
            said.append(f"{engine.name} tells no throughput")
            continue
        batch = engine.batch
        if batch is None:
            said.append(f"the batch size of {engine.name} is unknown: its bar counts inferences")
        names.append(f"{engine.name} (batch {batch or '?'})")
        values.append(per_second * (batch or 1))
    if not values:
        return Empty("no engine tells its throughput", "trex process -p, or a log of trtexec's run, tells it")
    return Bars("Throughput", names, values, _ENGINES, Axis("items a second"), note="; ".join(said))
