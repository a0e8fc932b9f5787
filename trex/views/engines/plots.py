"""Plans → plots of several engines: time and layers by type and precision, latency and throughput."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from trex.core.counted import counted
from trex.core.layer import Layer
from trex.perf.batch import batch_size
from trex.perf.measures import Measure
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.views.charting import NOT_PROFILED
from trex.views.diagram.doubts import doubt_words, doubtful
from trex.views.engines.names import plan_names
from trex.views.palette import LAYER_COLORS, PRECISION_COLORS
from trex.views.plot import Axis, Bars, Empty

_ENGINES = Axis("engine")
_NO_TIME = Empty("no engine has per-query times", "write them with trtexec --exportTimes=FILE, or with trex process -p")
_NO_BATCH = Empty(
    "no engine has a known batch size",
    "it is the first dimension of all inputs, or comes from --shapes of the run if that is dynamic",
)


@dataclass(frozen=True)
class NamedEngine:
    """A plan with its name and performance."""

    name: str
    plan: EnginePlan

    @cached_property
    def performance(self) -> Performance:
        return Performance(self.plan)

    @property
    def batch(self) -> int | None:
        """Items of one inference, see ``batch_size``."""
        return batch_size(self.plan)


def overview(plans: Sequence[EnginePlan]) -> dict[str, Callable[[], Bars | Empty]]:
    """{title: function that makes the plot}, in menu order."""
    engines = [
        NamedEngine(doubtful(plan.provenance.titled(name), doubt_words(Performance(plan))), plan)
        for name, plan in zip(plan_names(plans), plans, strict=True)
    ]
    plots: dict[str, Callable[[], Bars | Empty]] = {}
    for words, key, colors in (("type", _type, LAYER_COLORS), ("precision", _precision, PRECISION_COLORS)):
        for unit in ("ms", "%"):
            plots[f"Latency per layer {words} ({unit})"] = partial(_times, engines, words, key, colors, unit)
        plots[f"Count per layer {words}"] = partial(_counts, engines, words, key, colors)
    plots["Latency"] = partial(_latency, engines)
    plots["Latency per item of the batch"] = partial(_latency, engines, per_item=True)
    plots["Throughput"] = partial(_throughput, engines)
    return plots


def _type(layer: Layer) -> str:
    return layer.type


def _precision(layer: Layer) -> str:
    return layer.precision


def _times(
    engines: Sequence[NamedEngine], words: str, key: Callable[[Layer], str], colors: Mapping[str, str], unit: str
) -> Bars | Empty:
    """Sums of the layers' average times, one bar per engine, stacked by key; shares are of the engine's own sum."""
    rows: dict[tuple[str, str], float] = {}
    unknown = 0
    for engine in engines:
        plan = engine.plan
        for layer, time in zip(plan.working_layers, plan.times, strict=True):
            if time is None or time.average_ms is None:
                unknown += 1
                continue
            group = (engine.name, key(layer))
            rows[group] = rows.get(group, 0.0) + time.average_ms
    totals: dict[str, float] = {}
    for (name, _), value in rows.items():
        totals[name] = totals.get(name, 0.0) + value
    if not any(totals.values()):
        return NOT_PROFILED
    if unit == "%":
        rows = {(name, part): 100.0 * value / totals[name] for (name, part), value in rows.items() if totals[name]}
    note = f"{counted(unknown, 'layer')} without a time" if unknown else ""
    axis = Axis("time of the layers" if unit == "ms" else "share of the layers' time", unit)
    return _stacked(f"Latency per layer {words} ({unit})", rows, axis, words, colors, note)


def _counts(
    engines: Sequence[NamedEngine], words: str, key: Callable[[Layer], str], colors: Mapping[str, str]
) -> Bars | Empty:
    rows: dict[tuple[str, str], float] = {}
    for engine in engines:
        for layer in engine.plan.working_layers:
            group = (engine.name, key(layer))
            rows[group] = rows.get(group, 0) + 1
    if not rows:
        return Empty("the engines have no layers", "trex doctor PATH shows what was read and what is missing")
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
    return Bars(names, list(rows.values()), _ENGINES, axis, keys, words, note=note, colors=colors, title=title)


def _latency(engines: Sequence[NamedEngine], *, per_item: bool = False) -> Bars | Empty:
    """Medians of one inference, or of one item of its batch, from per-query times or trtexec's summary; a mean, with a
    note, where there is no median.
    """
    names: list[str] = []
    values: list[float | None] = []
    keys: list[str] = []
    remarks: list[str] = []
    for engine in engines:
        measures = engine.performance.reconciliation.measures
        batch = engine.batch if per_item else 1
        if batch is None:
            remarks.append(f"the batch size of {engine.name} is unknown")
            continue
        pairs: list[tuple[str, Measure]] = [("GPU compute", measures.compute), ("latency", measures.latency)]
        known = [(label, measure.ms) for label, measure in pairs if measure.ms is not None]
        means = [label for label, measure in pairs if measure.ms is not None and measure.median_ms is None]
        remarks += [f"of {engine.name}, {' and '.join(means)} are means"] if means else []
        if not known:
            remarks.append(f"{engine.name} has no measured latency")
        for label, ms in known:
            names.append(f"{engine.name} (batch {batch})" if per_item else engine.name)
            values.append(ms / batch)
            keys.append(label)
    if not values:
        return _NO_BATCH if per_item and all(engine.batch is None for engine in engines) else _NO_TIME
    title, what = ("Latency per item of the batch", "an item") if per_item else ("Latency", "an inference")
    axis = Axis(f"median time of {what}", "ms")
    return Bars(names, values, _ENGINES, axis, keys, "time", kind="group", note="; ".join(remarks), title=title)


def _throughput(engines: Sequence[NamedEngine]) -> Bars | Empty:
    """Items per second: inferences per second times the batch; inferences if the batch is unknown, with a note."""
    names: list[str] = []
    values: list[float | None] = []
    remarks: list[str] = []
    for engine in engines:
        per_second = engine.performance.reconciliation.measures.throughput
        if per_second is None:
            remarks.append(f"{engine.name} has no known throughput")
            continue
        batch = engine.batch
        if batch is None:
            remarks.append(f"the batch size of {engine.name} is unknown: its bar counts inferences")
        names.append(f"{engine.name} (batch {batch or '?'})")
        values.append(per_second * (batch or 1))
    if not values:
        return Empty("no engine has a known throughput", "trex process -p, or a log of a trtexec run, contains it")
    return Bars(names, values, _ENGINES, Axis("items a second"), note="; ".join(remarks), title="Throughput")
