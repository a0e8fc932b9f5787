"""EnginePlan → Document: what the engine is, where its time goes and its slowest layers, on one screen."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from trex.builder.ties import engine_reproducible_words
from trex.core.counted import counted
from trex.core.layer import Layer, Role
from trex.core.note import Note
from trex.core.shape import shape_text
from trex.core.tensor import Tensor
from trex.core.timings import HOST_MS
from trex.perf.batch import batch_size
from trex.perf.expected import NOTED_SHARE, expected_ms, unjudged_shares, unjudged_words
from trex.perf.latencies import GPU_COMPUTE, LATENCY, latencies_of
from trex.perf.memory.reported import Reported, reported_of
from trex.perf.performance import Performance
from trex.perf.samples.plan_samples import columns_of
from trex.plan.engine_plan import EnginePlan
from trex.plan.gaps import do_queries_overlap, inference_streams
from trex.plan.layer_statistics import known_sum, of_layers
from trex.plan.memory import Bytes, activation_bytes, weights_bytes
from trex.plan.throughput import queries_per_s
from trex.plan.time_units import USUAL_OVERHEAD_MS
from trex.rules.lint_result import LintResult
from trex.views.document import Detail, Document, Fact, Facts, Section, Text, folder_of
from trex.views.lint import diagnosis_text, top_findings
from trex.views.perf.sections.time import SECTION as TIME
from trex.views.table import Table, TableColumn, byte_size, milliseconds

SORT_KEYS = ("count", "latency", "id")
SLOWEST = 5
_MAX_TYPES = 8
_MAX_BINDINGS = 8
_LAYERS = (
    TableColumn("layers", "count"),
    TableColumn("timed", "count", if_known=True, meaning="layers with a time, where some have none"),
)


def _times(plan: EnginePlan) -> tuple[TableColumn, TableColumn]:
    """The columns of time and its share; the heading is the statistic of the plan's layer times."""
    meaning = f"sum of the {plan.statistic} times of the layers"
    return (
        TableColumn(plan.statistic, "ms", "ms", if_known=True, meaning=meaning, identifier="time_ms"),
        TableColumn("time", "pct", "%", if_known=True, meaning="share of the sum of all layer times"),
    )


def summary_document(plan: EnginePlan, top: int = SLOWEST, lint: LintResult | None = None) -> Document:
    """The facts on one line, time by type, the ``top`` slowest layers (no such table for 0); details are folded.

    lint: of the plan, for its top findings.
    """
    return Document(
        command="summary",
        title=plan.name,
        subtitle=", ".join(_identity(plan)),
        statement=plan.statement,
        sections=tuple(section for section in _sections(plan, top, lint) if section.blocks),
        notes=sorted_notes((Performance(plan) if lint is None else lint.performance).notes),
        folder=folder_of(plan.engine.source),
        source=plan,
    )


def sorted_notes(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Each note once, problems first."""
    order = {"problem": 0, "warning": 1, "info": 2}
    return tuple(sorted(dict.fromkeys(notes), key=lambda note: order[note.severity]))


def _sections(plan: EnginePlan, top: int, lint: LintResult | None) -> Iterator[Section]:
    yield Section(
        "headline", "", (Text((_headline(plan, bool(diagnosis_text(lint))),)), *_unjudged(plan), *diagnosis_text(lint))
    )
    if plan.working_layers:
        yield Section("types", "", (_types(plan).first(_MAX_TYPES), *_overhead(plan)))
    elif plan.query_times is not None:
        times = TIME.make(Performance(plan), Detail())
        yield replace(times, name="time") if times is not None else Section("time")
    if plan.is_profiled and top > 0:
        yield Section("slowest", "", (_slowest_layers(plan).first(top),))
    if lint is not None and lint.findings:
        yield Section("findings", "", (top_findings(lint),))
    if words := engine_reproducible_words(plan):
        yield Section("reproducible", "", (Text((f"Reproducible? {words}",)),))
    yield Section("details", "Details", _details(plan), is_folded=True)


def _details(plan: EnginePlan) -> tuple[Facts | Table, ...]:
    facts = Facts(tuple(engine_facts(plan)))
    if not plan.working_layers:
        return (facts,)
    rows = tuple(_totals(plan, lambda layer: layer.precision))
    return (
        facts,
        Table("Layers by precision", (TableColumn("precision"), *_LAYERS, *_times(plan)), rows, "precisions"),
    )


def _identity(plan: EnginePlan) -> Iterator[str]:
    """What identifies this engine: TensorRT, GPU, precisions, batch."""
    if plan.engine.tensorrt_version:
        yield f"TensorRT {plan.engine.tensorrt_version}"
    elif plan.is_for_rtx:
        yield "TensorRT for RTX"
    name = _device_name(plan)
    if name:
        yield name
    precision = plan.builder_cfg.get("Precision")
    if precision:
        yield str(precision).replace("+", " + ")
    batch = batch_size(plan)
    if batch is not None:
        yield f"batch {batch}"
    if plan.profile_words:
        yield plan.profile_words
    if streams := _shared_by(plan):
        yield streams


def _shared_by(plan: EnginePlan) -> str:
    """On what queries ran that shared the GPU, and took longer than alone; "" on one inference stream."""
    streams = inference_streams(plan.metadata)
    if streams > 1:
        return f"{streams:.6g} inference streams"
    return "several inference streams" if do_queries_overlap(plan.query_times) else ""


def _headline(plan: EnginePlan, is_explained: bool) -> str:
    """Latency, throughput and size in one sentence. is_explained: a diagnosis follows, which names the way to times."""
    parts = []
    partial = ""
    gpu = latencies_of(plan).get(GPU_COMPUTE)
    ends = expected_ms(plan)
    if ends is not None:
        parts.append("GPU compute {} to {} ms (predicted, not measured)".format(*map(milliseconds, ends)))
    elif gpu is not None and gpu.median_ms is not None:
        p99 = gpu.percentiles.get(99.0)
        tail = f" (p99 {milliseconds(p99)})" if p99 is not None else ""
        tail = " (predicted, not measured)" if plan.provenance.has_predicted_times else tail
        parts.append(f"GPU compute {milliseconds(gpu.median_ms)} ms{tail}")
    elif plan.is_profiled:
        partial = of_layers(plan.layer_ms)
        averages = f" by their medians, {milliseconds(mean)} ms on average" if (mean := _disturbed_ms(plan)) else ""
        parts.append(f"layer times add up to {milliseconds(plan.layers_ms)} ms{averages}{partial}")
    elif not (is_explained and plan.working_layers):
        parts.append(f"not measured ({_way_to_times(plan)}: trex doctor PATH prints the command)")
    throughput = queries_per_s(plan.metadata)
    if throughput is not None and not plan.provenance.has_predicted_times:
        parts.append(f"{throughput:,.5g} queries/s")
    if not partial:
        parts.append(counted(len(plan.working_layers), "layer") if plan.engine.layers else "no layers reported")
    sentence = ", ".join(parts)
    return sentence[0].upper() + sentence[1:]


def _disturbed_ms(plan: EnginePlan) -> float | None:
    """The sum of the layers' averages, if it is far above the sum of their medians; the page's table has averages."""
    from trex.rules.diagnosis_facts import DISTURBED

    averages = known_sum([None if time is None else time.average_ms for time in plan.times])
    return averages if plan.statistic == "median" and averages > DISTURBED * plan.layers_ms else None


def _unjudged(plan: EnginePlan) -> Iterator[Text]:
    """What the error bar of a prediction is wide for."""
    shares = unjudged_shares(plan)
    if sum(shares.values()) >= NOTED_SHARE:
        yield Text((f"{unjudged_words(shares)}.",))


def _way_to_times(plan: EnginePlan) -> str:
    return "times can be predicted" if plan.is_for_rtx else "add a layer profile"


def _overhead(plan: EnginePlan) -> Iterator[Text]:
    """How far layer times exceed the measured inference."""
    gpu = latencies_of(plan).get(GPU_COMPUTE)
    median = gpu.median_ms if gpu is not None else None
    if not plan.is_profiled or not median or math.isnan(plan.layers_ms):
        return
    ratio = plan.layers_ms / median
    streams = len({layer.stream for layer in plan.working_layers} - {None})
    timed = sum(time is not None for time in plan.layer_ms)
    is_usual = plan.layers_ms - median <= timed * USUAL_OVERHEAD_MS
    reason = "profiling overhead" if is_usual else "more than profiling costs"
    reason = f"layers of {streams} streams overlap" if streams > 1 else reason
    is_stated = ratio > 1.05 and (streams > 1 or not plan.provenance.has_predicted_times)
    if ratio < 1 and (shared_by := _shared_by(plan)):
        is_stated, reason = True, f"queries on {shared_by} share the GPU"
    why = f" ({reason})" if is_stated else ""
    total = milliseconds(plan.layers_ms)
    yield Text(
        (f"Layer times add up to {total} ms{of_layers(plan.layer_ms)}, {ratio:.2f}× GPU compute{why}.",),
        "hint" if ratio <= 1.05 and not why else "",
    )


def _types(plan: EnginePlan) -> Table:
    """Layers and time by type, each with the precisions it runs in."""
    precisions: dict[str, dict[str, float]] = {}
    for layer, time_ms in zip(plan.working_layers, plan.layer_ms):
        times = precisions.setdefault(layer.type, {})
        times[layer.precision] = times.get(layer.precision, 0.0) + (time_ms or 0.0)
    rows = tuple(
        (name, _known(precisions[name]), count, timed, time_ms, share, share)
        for name, count, timed, time_ms, share in _totals(plan, lambda layer: layer.type)
    )
    columns = (
        TableColumn("type"),
        TableColumn("precision", if_known=True),
        *_LAYERS,
        *_times(plan),
        TableColumn("share", "bar"),
    )
    title = "Where time goes" if plan.is_profiled else "Layers by type"
    return Table(title, columns, rows, "types", is_headed=True, selects="type")


def _known(precisions: Mapping[str, float]) -> str | None:
    """Precisions with the most time first, unknown ones left out."""
    names = sorted(precisions, key=lambda name: -precisions[name])
    return ", ".join(name for name in names if name and name != "Unknown") or None


def tactics_table(plan: EnginePlan, sort_key: str = "count", group: bool = True) -> Table:
    """Tactics with their share of the time: one row per tactic, or per layer when ``group`` is false.

    sort_key: ``count`` (layers that use the tactic) or ``latency``, largest first, or ``id`` (order of first use).
    """
    if group:
        rows: list[tuple[Any, ...]] = list(_totals(plan, _tactic, by_time=False))
        if sort_key != "id":
            rows.sort(key=lambda row: -(row[1] if sort_key == "count" else row[3] or 0.0))
        return Table("Tactics", (TableColumn("tactic", "name"), *_LAYERS, *_times(plan)), tuple(rows), "tactics")
    rows = [
        (layer.index, _tactic(layer), layer.name, time_ms, _share(time_ms, plan.layers_ms))
        for layer, time_ms in zip(plan.working_layers, plan.layer_ms)
    ]
    if sort_key == "latency":
        rows.sort(key=lambda row: -(row[3] or 0.0))
    elif sort_key == "count":
        uses = Counter(row[1] for row in rows)
        rows.sort(key=lambda row: (-uses[row[1]], row[1]))
    columns = (TableColumn("#", "count"), TableColumn("tactic", "name"), TableColumn("layer", "name"), *_times(plan))
    return Table("Tactics by layer", columns, tuple(rows), "tactics_by_layer")


def _slowest_layers(plan: EnginePlan) -> Table:
    rows: list[tuple[Any, ...]] = [
        (layer.index, layer.name, layer.type, _precisions(layer), time_ms, _share(time_ms, plan.layers_ms))
        for layer, time_ms in zip(plan.working_layers, plan.layer_ms)
        if time_ms is not None
    ]
    rows.sort(key=lambda row: -row[4])
    columns = (
        TableColumn("#", "count", meaning="position in execution order"),
        TableColumn("layer", "name", readable=24, links="layer=#"),
        TableColumn("type"),
        TableColumn("precision", if_known=True, meaning="computes in → writes, where they differ"),
        *_times(plan),
    )
    return Table("Slowest layers", columns, tuple(rows), "slowest_layers", more="trex layers")


def _precisions(layer: Layer) -> str | None:
    """The type a layer computes in, and the one it writes where it differs."""
    written = layer.outputs[0].precision if layer.outputs else ""
    known = [name for name in (layer.precision, written) if name and name != "Unknown"]
    return "→".join(dict.fromkeys(known)) or None


def _totals(
    plan: EnginePlan, key: Callable[[Layer], str], by_time: bool = True
) -> Iterator[tuple[str, int, int | None, float | None, float | None]]:
    """(group, layers, those with a time, milliseconds, share of the sum in percent), the largest first, or in the order
    of first use. Those with a time are None where all have one or none has.
    """
    counts: Counter[str] = Counter()
    timed: Counter[str] = Counter()
    times: dict[str, float] = {}
    for layer, time_ms in zip(plan.working_layers, plan.layer_ms):
        counts[key(layer)] += 1
        if time_ms is not None:
            timed[key(layer)] += 1
            times[key(layer)] = times.get(key(layer), 0.0) + time_ms
    groups = sorted(counts, key=lambda group: (-times.get(group, 0.0), -counts[group])) if by_time else list(counts)
    is_partial = bool(times) and timed != counts
    for group in groups:
        yield (
            group,
            counts[group],
            timed[group] if is_partial else None,
            times.get(group),
            _share(times.get(group), plan.layers_ms),
        )


def _tactic(layer: Layer) -> str:
    return layer.tactic or "TensorRT"


def engine_facts(plan: EnginePlan) -> Iterator[Fact]:
    """Every short fact of an engine: TensorRT, GPU, inputs and outputs, times, sizes, the build."""
    version = plan.engine.tensorrt_version
    if version:
        yield Fact("TensorRT", version, version)
    device = _device_name(plan)
    if device:
        yield Fact("Device", device, device)
    inputs, outputs = plan.binding_tensors()
    for label, tensors in (("Inputs", inputs), ("Outputs", outputs)):
        yield Fact(label, _bindings_text(tensors), [_binding(tensor) for tensor in tensors])
    if plan.profile is not None:
        yield Fact("Optimization profile", f"{plan.profile} of {len(plan.whole_engine.profiles)}", plan.profile)
    yield Fact("Layers", _layers_text(plan), len(plan.working_layers))
    if not plan.is_profiled:
        yield Fact("Layer times", "not measured: trex doctor PATH prints the command")
    yield from _time_facts(plan)
    reported = reported_of(plan) or Reported()
    yield _size_fact("Weights", weights_bytes(plan.engine), plan.engine.verbosity, reported.weights_bytes)
    yield _size_fact("Activations", activation_bytes(plan.engine), plan.engine.verbosity, reported.shared_bytes)
    precision = plan.builder_cfg.get("Precision")
    if precision:
        yield Fact("Build precision", str(precision), str(precision))
    yield from _build_facts(plan.build_metadata.milestones)


def _device_name(plan: EnginePlan) -> str:
    properties = plan.device_properties
    return str(next((properties[key] for key in ("Selected Device", "Name") if key in properties), ""))


def _build_facts(milestones: Mapping[str, float]) -> Iterator[Fact]:
    """Build time, engine size and memory from the log of the build."""
    known = {name: value for name, value in milestones.items() if 0 < value < math.inf}
    builder = known.get("engine_generation_s")
    seconds = known.get("engine_built_s", builder)
    if seconds is not None:
        parts = {"model import": known.get("model_parsed_s"), "builder": builder}
        spent = [f"{name} {part:,.4g} s" for name, part in parts.items() if part is not None and part != seconds]
        yield Fact("Build time", f"{seconds:,.4g} s" + (f" ({', '.join(spent)})" if spent else ""), seconds)
    size = known.get("engine_size_mib", known.get("loaded_engine_mib"))
    if size is not None:
        yield Fact("Engine size", f"{size:,.4g} MiB", size)
    peak = known.get("peak_gpu_mib")
    if peak is not None:
        yield Fact("Peak build memory", f"{peak:,.6g} MiB of the GPU", peak)


def _time_facts(plan: EnginePlan) -> Iterator[Fact]:
    if plan.is_profiled:
        yield Fact("Sum of layer times", f"{milliseconds(plan.layers_ms)} ms{of_layers(plan.layer_ms)}", plan.layers_ms)
    gpu = latencies_of(plan).get(GPU_COMPUTE)
    if gpu is not None and gpu.median_ms is not None:
        how = "predicted" if plan.provenance.has_predicted_times else "median"
        yield Fact("GPU compute time", f"{milliseconds(gpu.median_ms)} ms {how}", gpu.median_ms)
    ends = expected_ms(plan)
    if ends is not None:
        low, high = map(milliseconds, ends)
        yield Fact("Error bar", f"{low} to {high} ms GPU compute; from validation on real engines", list(ends))
        if unjudged := unjudged_shares(plan):
            yield Fact("Not judged", unjudged_words(unjudged), unjudged)
    latency = latencies_of(plan).get(LATENCY)
    if latency is not None and latency.median_ms is not None:
        compute = gpu.median_ms if gpu is not None else None
        if compute is None or latency.median_ms > compute * 1.005:
            yield Fact("Latency", f"{milliseconds(latency.median_ms)} ms median, transfers included", latency.median_ms)
    yield from _polygraphy_facts(plan)
    throughput = queries_per_s(plan.metadata)
    if throughput is not None:
        yield Fact("Throughput", f"{throughput:,.1f} queries/s", throughput)
    if plan.join is not None and not plan.provenance.has_predicted_times:
        profiled = sum(time is not None for time in plan.times)
        yield Fact("Profiled", f"{profiled} of {counted(len(plan.working_layers), 'layer')}", profiled)


def _polygraphy_facts(plan: EnginePlan) -> Iterator[Fact]:
    """The median of Polygraphy's saved results, else the average in its log."""
    milestones = {**plan.build_metadata.milestones, **plan.metadata.milestones}
    time, kind, runs = milestones.get("polygraphy_average_ms"), "average", milestones.get("polygraphy_iterations")
    column = columns_of(plan.query_times).get(HOST_MS) if plan.query_times is not None else None
    if column is not None and column.count:
        time, kind, runs = column.median_ms, "median", column.count
    if time is not None and 0 < time < math.inf:
        counts = "" if runs is None else f" of {counted(int(runs), 'iteration')}"
        text = f"{milliseconds(time)} ms on the host, copies included: {kind}{counts} by Polygraphy"
        yield Fact("Inference time", text, time)


_ROLE_NAMES = {
    Role.NOOP: ("no-op folded", "no-ops folded"),
    Role.CONSTANT: ("constant", "constants"),
    Role.SYNC: ("signal or wait", "signals and waits"),
    Role.SHAPE: ("host step", "host steps"),
    Role.TRAIN_STATION: ("train station", "train stations"),
}


def _layers_text(plan: EnginePlan) -> str:
    """How many layers, and how many of other roles were left out."""
    if not plan.engine.layers:
        return "not reported"
    shown = {layer.index for layer in plan.working_layers}
    others = Counter(layer.role for layer in plan.engine.layers if layer.index not in shown)
    words = ", ".join(counted(count, *_ROLE_NAMES.get(role, (role.value,))) for role, count in others.items())
    return f"{len(plan.working_layers):,}" + (f" ({words})" if words else "")


def _size_fact(label: str, size: Bytes, verbosity: str, reported: int | None) -> Fact:
    """The size by the layers and, if they do not contain all of it, the log's own figure.

    The log's activations share memory, so they are fewer bytes than all of them together.
    """
    is_listed = verbosity == "detailed" or (label != "Weights" and size.known > 0)
    value = {"bytes": size.known, "unknown": size.unknown_count} if is_listed else {}
    if is_listed and not size.unknown_count:
        return Fact(label, byte_size(size.known), value)
    unknown = f"{counted(size.unknown_count, 'tensor')} of unknown size"
    text = f"{byte_size(size.known)} + {unknown}" if size.known else unknown
    if reported is not None:
        shared = "" if label == "Weights" else ", shared"
        by_log = f"{byte_size(reported)} by TensorRT's log{shared}"
        return Fact(label, f"{by_log} ({text})" if is_listed else by_log, {**value, "reported_bytes": reported})
    return Fact(label, text if is_listed else "not reported", value or None)


def _bindings_text(tensors: Sequence[Tensor]) -> str:
    """One binding per line, at most eight."""
    lines = [_binding_text(tensor) for tensor in tensors[:_MAX_BINDINGS]]
    if len(tensors) > _MAX_BINDINGS:
        lines.append(f"and {len(tensors) - _MAX_BINDINGS} more (--json lists all)")
    return "\n".join(lines) or "not reported"


def _binding_text(tensor: Tensor) -> str:
    layout = f" {tensor.format.label}" if tensor.format.is_known else ""
    return f"{tensor.name} {shape_text(tensor.shape)} {tensor.precision}{layout}"


def _binding(tensor: Tensor) -> dict[str, Any]:
    shape = None if tensor.shape is None else list(tensor.shape)
    return {"name": tensor.name, "shape": shape, "precision": tensor.precision, "format": tensor.format.label}


def _share(part: float | None, whole: float) -> float | None:
    return None if part is None or math.isnan(whole) or whole <= 0 else 100 * part / whole
