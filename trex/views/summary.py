"""EnginePlan → Summary: the facts a person wants first, as data."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trex.core.counted import counted
from trex.core.layer import Layer, Role
from trex.core.note import Note
from trex.core.shape import shape_text
from trex.core.tensor import Tensor
from trex.perf.expected import expected_ms
from trex.plan.engine_plan import EnginePlan
from trex.plan.memory import Bytes, activation_bytes, weights_bytes
from trex.views.table import Table, TableColumn, byte_size, milliseconds

SCHEMA = "trex.summary/1"
SORT_KEYS = ("count", "latency", "id")
_MAX_BINDINGS = 8


@dataclass(frozen=True, slots=True)
class Fact:
    """What it is, its value in words (one line each), and the bare value for machines."""

    label: str
    text: str
    value: Any = None


@dataclass(frozen=True, slots=True)
class Summary:
    """title: the engine's name. statement: what must be said first (that nothing was measured), or empty.

    folder: where the engine's files are, for shorter addresses.
    """

    title: str
    statement: str
    facts: tuple[Fact, ...]
    tables: tuple[Table, ...]
    caveats: tuple[Note, ...]
    folder: str = ""

    def with_table(self, table: Table) -> Summary:
        """The summary with one more table."""
        return replace(self, tables=(*self.tables, table))

    def as_dict(self) -> dict[str, Any]:
        """The summary as JSON-ready data, with a versioned schema."""
        return {
            "schema": SCHEMA,
            "engine": self.title,
            "statement": self.statement,
            "facts": {
                _key(fact.label): _json(fact.value if fact.value is not None else fact.text) for fact in self.facts
            },
            "tables": {
                _key(table.title): [{_key(name): value for name, value in row.items()} for row in table.records()]
                for table in self.tables
            },
            "caveats": [
                {"code": n.code, "severity": n.severity, "message": n.message, "hint": n.hint, "where": n.where}
                for n in self.caveats
            ],
        }


def summarize(plan: EnginePlan, top: int = 10) -> Summary:
    """Facts, the ``top`` slowest layers (no such table for 0), time by type and by precision, and every caveat."""
    tables = [_top_layers(plan, top)] if plan.is_profiled and top > 0 else []
    if plan.layers:
        tables.append(_grouped(plan, "Layers by type", "type", lambda layer: layer.type))
        tables.append(_grouped(plan, "Layers by precision", "precision", lambda layer: layer.precision))
    order = {"problem": 0, "warning": 1, "info": 2}
    return Summary(
        title=plan.name,
        statement=plan.provenance.statement,
        facts=tuple(_facts(plan)),
        tables=tuple(tables),
        caveats=tuple(sorted(dict.fromkeys(plan.notes), key=lambda note: order[note.severity])),
        folder=os.path.dirname(plan.engine.source.partition("!")[0]),  # noqa: PTH120 (an address)
    )


def tactics_table(plan: EnginePlan, sort_key: str = "count", group: bool = True) -> Table:
    """Tactics with their share of the time: one row per tactic, or per layer when ``group`` is false.

    sort_key: ``count`` (of layers that use the tactic) or ``latency``, largest first, or ``id`` (order of first use).
    """
    if not group:
        rows: list[tuple[Any, ...]] = [
            (layer.index, layer.tactic or "TensorRT", layer.name, _ms(time), _share(_ms(time), plan.total_runtime))
            for layer, time in zip(plan.layers, plan.times)
        ]
        if sort_key == "latency":
            rows.sort(key=lambda row: -(row[3] or 0.0))
        elif sort_key == "count":
            uses = Counter(row[1] for row in rows)
            rows.sort(key=lambda row: (-uses[row[1]], row[1]))
        columns = (
            TableColumn("#", "count"),
            TableColumn("tactic"),
            TableColumn("layer"),
            TableColumn("average ms", "ms", if_known=True),
            TableColumn("time %", "pct", if_known=True),
        )
        return Table("Tactics by layer", columns, tuple(rows))
    table = _grouped(plan, "Tactics", "tactic", lambda layer: layer.tactic or "TensorRT", ordered=False)
    rows = list(table.rows)
    if sort_key == "count":
        rows.sort(key=lambda row: -row[1])
    elif sort_key == "latency":
        rows.sort(key=lambda row: -(row[2] or 0.0))
    return Table(table.title, table.columns, tuple(rows))


def _facts(plan: EnginePlan) -> Iterable[Fact]:
    version = plan.engine.tensorrt_version
    if version:
        yield Fact("TensorRT", version, version)
    device = plan.device_properties
    name = next((device[key] for key in ("Selected Device", "Name") if key in device), None)
    if name:
        yield Fact("Device", str(name), str(name))
    inputs, outputs = plan.get_bindings()
    for label, tensors in (("Inputs", inputs), ("Outputs", outputs)):
        yield Fact(label, _bindings_text(tensors), [_binding(t) for t in tensors])
    if len(plan.whole_engine.profiles) > 1:
        shown = plan.engine.profiles[0]
        yield Fact("Optimization profile", f"{shown} of {len(plan.whole_engine.profiles)}", shown)
    yield Fact("Layers", _layers_text(plan), len(plan.layers))
    if not plan.is_profiled:
        yield Fact("Layer times", "not measured; trex doctor PATH tells the command")
    yield from _time_facts(plan)
    yield _size_fact("Weights", weights_bytes(plan.engine), plan.engine.verbosity)
    yield _size_fact("Activations", activation_bytes(plan.engine), plan.engine.verbosity)
    precision = plan.builder_cfg.get("Precision")
    if precision:
        yield Fact("Build precision", str(precision), str(precision))
    yield from _build_facts(plan.build_metadata.milestones)


def _build_facts(milestones: Mapping[str, float]) -> Iterable[Fact]:
    """What the log of a build tells of it: trtexec's time for all, else the builder's own."""
    told = {name: value for name, value in milestones.items() if 0 < value < math.inf}
    generated = told.get("engine_generation_s")
    seconds = told.get("engine_built_s", generated)
    if seconds is not None:
        parts = {"reading the model": told.get("model_parsed_s"), "the builder": generated}
        among = [f"{name} {part:,.4g} s" for name, part in parts.items() if part is not None and part != seconds]
        yield Fact("Build time", f"{seconds:,.4g} s" + (f": {', '.join(among)}" if among else ""), seconds)
    size = told.get("engine_size_mib", told.get("loaded_engine_mib"))
    if size is not None:
        yield Fact("Engine size", f"{size:,.4g} MiB", size)
    peak = told.get("peak_gpu_mib")
    if peak is not None:
        yield Fact("Peak memory", f"{peak:,.6g} MiB of the GPU during the build", peak)


def _time_facts(plan: EnginePlan) -> Iterable[Fact]:
    if plan.is_profiled:
        yield Fact("Sum of layer times", f"{milliseconds(plan.total_runtime)} ms", plan.total_runtime)
    gpu = plan.metadata.latency.get("GPU Compute Time")
    if gpu is not None and gpu.median_ms is not None:
        text = f"{milliseconds(gpu.median_ms)} ms median"
        if gpu.median_ms > 0 and not math.isnan(plan.total_runtime):
            text += f"; the layers sum to {plan.total_runtime / gpu.median_ms:.2f} × that"
        yield Fact("GPU compute time", text, gpu.median_ms)
    yield from _expected(plan)
    latency = plan.metadata.latency.get("Latency")
    if latency is not None and latency.median_ms is not None:
        known = gpu.median_ms if gpu is not None else None
        if known is None or latency.median_ms > known * 1.005:
            yield Fact("Latency", f"{milliseconds(latency.median_ms)} ms median, transfers included", latency.median_ms)
    throughput = plan.performance_summary.get("Throughput")
    if isinstance(throughput, int | float):
        yield Fact("Throughput", f"{throughput:,.1f} queries/s", throughput)
    join = plan.join
    if join is not None:
        profiled = sum(time is not None for time in plan.times)
        yield Fact("Profiled", f"{profiled} of {counted(len(plan.layers), 'layer')}", profiled)


def _expected(plan: EnginePlan) -> Iterable[Fact]:
    """Of a predicted engine: between which times it is expected."""
    ends = expected_ms(plan)
    if ends is not None:
        low, high = map(milliseconds, ends)
        text = f"GPU compute {low} to {high} ms; so far predictions missed real engines"
        yield Fact("Expected between", text, list(ends))


def _layers_text(plan: EnginePlan) -> str:
    if not plan.all_layers:
        return "not reported"
    shown = {layer.index for layer in plan.layers}
    rest: dict[str, int] = {}
    for layer in plan.all_layers:
        if layer.index not in shown:
            rest[layer.role.value] = rest.get(layer.role.value, 0) + 1
    words = {
        Role.NOOP.value: "NoOp folded",
        Role.CONSTANT.value: "constant",
        Role.SYNC.value: "signal or wait",
        Role.SHAPE.value: "shape call",
        Role.TRAIN_STATION.value: "train station",
    }
    beside = ", ".join(f"{count} {words.get(role, role)}" for role, count in rest.items())
    return f"{len(plan.layers):,}" + (f" (beside {beside})" if beside else "")


def _top_layers(plan: EnginePlan, top: int) -> Table:
    rows: list[tuple[Any, ...]] = [
        (layer.index, layer.name, layer.type, layer.precision, _ms(time), _share(_ms(time), plan.total_runtime))
        for layer, time in zip(plan.layers, plan.times)
        if _ms(time) is not None
    ]
    rows.sort(key=lambda row: -row[4])
    columns = (
        TableColumn("#", "count"),
        TableColumn("layer"),
        TableColumn("type"),
        TableColumn("precision"),
        TableColumn("average ms", "ms"),
        TableColumn("time %", "pct"),
    )
    return Table("Slowest layers", columns, tuple(rows[:top]))


def _grouped(plan: EnginePlan, title: str, label: str, key: Callable[[Layer], Hashable], ordered: bool = True) -> Table:
    counts: dict[Hashable, int] = {}
    times: dict[Hashable, float] = {}
    for layer, time in zip(plan.layers, plan.times):
        group = key(layer)
        counts[group] = counts.get(group, 0) + 1
        average = _ms(time)
        if average is not None:
            times[group] = times.get(group, 0.0) + average
    rows: list[tuple[Any, ...]] = [
        (group, count, times.get(group), _share(times.get(group), plan.total_runtime))
        for group, count in counts.items()
    ]
    if ordered:
        rows.sort(key=lambda row: (-(row[2] or 0.0), -row[1]))
    columns = (
        TableColumn(label),
        TableColumn("layers", "count"),
        TableColumn("average ms", "ms", if_known=True),
        TableColumn("time %", "pct", if_known=True),
    )
    return Table(title, columns, tuple(rows))


def _size_fact(label: str, size: Bytes, verbosity: str) -> Fact:
    if verbosity != "detailed" and (label == "Weights" or not size.known):
        return Fact(label, "not reported")
    told = {"bytes": size.known, "unknown": size.unknown_count}
    if size.unknown_count and not size.known:
        return Fact(label, f"{counted(size.unknown_count, 'tensor')} of unknown size", told)
    unknown = f" + {counted(size.unknown_count, 'tensor')} of unknown size" if size.unknown_count else ""
    return Fact(label, byte_size(size.known) + unknown, told)


def _bindings_text(tensors: Sequence[Tensor]) -> str:
    """One a line, as many as one may want to read."""
    lines = [_binding_text(tensor) for tensor in tensors[:_MAX_BINDINGS]]
    if len(tensors) > _MAX_BINDINGS:
        lines.append(f"and {len(tensors) - _MAX_BINDINGS} more (--json lists them all)")
    return "\n".join(lines) or "not reported"


def _binding_text(tensor: Tensor) -> str:
    layout = f" {tensor.format.label}" if tensor.format.is_known else ""
    return f"{tensor.name} {shape_text(tensor.shape)} {tensor.precision}{layout}"


def _binding(tensor: Tensor) -> dict[str, Any]:
    shape = None if tensor.shape is None else list(tensor.shape)
    return {"name": tensor.name, "shape": shape, "precision": tensor.precision, "format": tensor.format.label}


def _ms(time: Any) -> float | None:
    return None if time is None else time.average_ms


def _share(part: float | None, whole: float) -> float | None:
    return None if part is None or math.isnan(whole) or whole <= 0 else 100 * part / whole


def _key(label: str) -> str:
    return label.lower().replace("#", "index").replace("%", "pct").replace(" ", "_")


def _json(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
