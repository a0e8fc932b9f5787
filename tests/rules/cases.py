"""Engines for the tests of rules, and what a rule reports: ``findings("RULE", analyzed(conv(…), copy(…)))``."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from tests import factories
from tests.factories import t
from tests.perf.round_device import round_device
from trex.core.layer import Layer
from trex.core.metadata import LatencySummary, Metadata
from trex.core.note import Note
from trex.core.telemetry import COLUMNS, Stage, Telemetry
from trex.core.tensor import Tensor
from trex.core.timings import LayerTime, LayerTimes, QueryTimes
from trex.engine_plan import load
from trex.ingest.graph_json import engine_from_records
from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Finding, Unchecked
from trex.rules.rule import RULES

SHAPE = (1, 64, 8, 8)
TENSOR_HALF = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x64x32_stage5_g1_tensor16x8x16"
SIMT_HALF = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x64x32_stage5_g1_simt_sgemm"
SINGLE = "ampere_scudnn_128x64_relu_xregs_large_nn_v1"
GEMM_HALF = "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32_stage4_warpsize2x2x1_tensor16x8x16"

# ---- Tensors and layers


def int8(name: str, shape: Sequence[int] = SHAPE, format: str = "NC/32HW32") -> Tensor:
    return t(name, shape, "INT8", format)


def half(name: str, shape: Sequence[int] = SHAPE, format: str = "NC/32HW32") -> Tensor:
    return t(name, shape, "FP16", format)


def single(name: str, shape: Sequence[int] = SHAPE, format: str = "NCHW") -> Tensor:
    return t(name, shape, "FP32", format)


def named(layer: Layer, *operations: str) -> Layer:
    """The layer with these operators, as a fused layer's name contains them."""
    return replace(layer, name_parts=replace(layer.name_parts, operations=operations))


def tokened(layer: Layer, *tokens: str) -> Layer:
    """The layer with these Myelin tokens, as a generated kernel's name contains them."""
    return replace(layer, name_parts=replace(layer.name_parts, tokens=tokens))


def conv(name: str, inputs: Sequence[Tensor], output: Tensor, **keys: Any) -> Layer:
    """A convolution with the operators of its name: ``Conv_1 + Add_2``."""
    layer = factories.conv(name, inputs, [output], **{"precision": inputs[0].precision} | keys)
    return named(layer, *name.split(" + "))


def copy(name: str, source: Tensor, output: Tensor, origin: str = "REFORMAT") -> Layer:
    return named(factories.layer(name, "Reformat", [source], [output], Origin=origin), name)


def work(name: str, type: str, inputs: Sequence[Tensor], output: Tensor, **keys: Any) -> Layer:
    return named(factories.layer(name, type, inputs, [output], **keys), *name.split(" + "))


# ---- Engines


def analyzed(
    *layers: Layer,
    ms: Sequence[float | None] = (),
    device: Device | None = None,
    inputs: Sequence[str] = ("x",),
    outputs: Sequence[str] = ("y",),
    tokens: Mapping[str, tuple[str, ...]] | None = None,
    **build_options: Any,
) -> AnalyzedEngine:
    """The engine of these layers in this order, with their times if given. tokens: {layer's name: Myelin tokens}."""
    of_layer = tokens or {}
    layers = tuple(tokened(layer, *of_layer[layer.name]) if layer.name in of_layer else layer for layer in layers)
    engine = factories.engine(*layers, inputs=inputs, outputs=outputs)
    times = None
    if ms:
        records = [
            factories.time(layer.name, average, occurrence=layer.occurrence)
            for layer, average in zip(engine.layers, ms, strict=True)
        ]
        times = LayerTimes(tuple(records))
    options = {key.rstrip("_"): value for key, value in build_options.items()}
    plan = EnginePlan(engine, times, build_metadata=Metadata(build_options=options))
    return AnalyzedEngine(Performance(plan, device))


def on_round_device(*layers: Layer, device: Device | None = None, **keys: Any) -> AnalyzedEngine:
    """``analyzed`` on a device with round figures."""
    return analyzed(*layers, device=device or round_device(), **keys)


def of_engine(name: str | Path) -> AnalyzedEngine:
    """A real or example engine."""
    return AnalyzedEngine(Performance(load(name)))


def plan_of(
    records: Sequence[dict[str, Any] | str],
    times: Mapping[str, float] | None = None,
    *,
    bindings: Sequence[Any] | None = None,
    trace: Mapping[str, Sequence[float]] | None = None,
    iterations: int | None = 100,
    build: Mapping[str, Any] | None = None,
    run: Mapping[str, Any] | None = None,
    device: Mapping[str, Any] | None = None,
    latency: Mapping[str, float] | None = None,
    memory: Mapping[str, int] | None = None,
    milestones: Mapping[str, float] | None = None,
    telemetry: Telemetry | None = None,
    notes: Sequence[Note] = (),
) -> EnginePlan:
    """A plan from raw records or from names alone. times: {layer: milliseconds}. trace: columns of per-query times.
    latency: {line of trtexec's summary: milliseconds}. device: facts in trtexec's words.
    """
    engine = engine_from_records(list(records))
    if bindings is not None:
        engine = replace(engine, bindings=tuple(bindings))
    rows = None
    if times is not None:
        rows = LayerTimes(
            tuple(LayerTime(name, 0, ms * (iterations or 1), ms, ms, None) for name, ms in times.items()), iterations
        )
    queries = None
    if trace is not None:
        queries = QueryTimes({key: array("d", values) for key, values in trace.items()})
    summary = {key: LatencySummary(ms, ms, ms, ms) for key, ms in (latency or {}).items()}
    return EnginePlan(
        engine,
        rows,
        queries,
        Metadata(
            inference_options=run or {}, device=device or {}, latency=summary, memory=memory or {}, notes=tuple(notes)
        ),
        Metadata(build_options=build or {}, milestones=milestones or {}),
        telemetry=telemetry,
    )


def monitored(
    clock_mhz: Sequence[float], reasons: Sequence[tuple[str, ...] | None], interval_s: float = 0.1
) -> Telemetry:
    """Telemetry of a stage ``profile``: the SM clock and its throttling reasons, sample by sample, of a busy GPU."""
    count = len(clock_mhz)
    columns = {name: array("d", [50.0] * count) for name in COLUMNS}
    columns["sm_clock_mhz"] = array("d", clock_mhz)
    columns["gpu_utilization_pct"] = array("d", [99.0] * count)
    time_s = array("d", [interval_s * index for index in range(count)])
    return Telemetry(time_s, columns, tuple(reasons), (Stage("profile", 0.0, None),))


# ---- What a rule reports

Subject: TypeAlias = "AnalyzedEngine | EnginePlan"


def reports(rule: str, engine: Subject, **limits: float) -> list[Finding | Unchecked]:
    """Everything that a rule reports, with its own limits unless given."""
    plug = RULES.chosen(rule).value
    own = {name: limit.default for name, limit in plug.limits.items()}
    assert set(limits) <= set(own)
    if isinstance(engine, EnginePlan):
        engine = AnalyzedEngine(Performance(engine))
    return list(plug.check(engine, own | limits))


def findings(rule: str, engine: Subject, **limits: float) -> list[Finding]:
    return [report for report in reports(rule, engine, **limits) if isinstance(report, Finding)]


def unchecked(rule: str, engine: Subject, **limits: float) -> list[Unchecked]:
    return [report for report in reports(rule, engine, **limits) if isinstance(report, Unchecked)]


def finding(rule: str, engine: Subject, **limits: float) -> Finding:
    """The only report, a finding."""
    (report,) = reports(rule, engine, **limits)
    assert isinstance(report, Finding), report
    return report


def only_unchecked(rule: str, engine: Subject, **limits: float) -> Unchecked:
    """The only report, that the rule can't check the engine."""
    (report,) = reports(rule, engine, **limits)
    assert isinstance(report, Unchecked), report
    return report
