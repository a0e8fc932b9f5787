"""Records, times and options → a rule's answers: ``answers("unsteady_times", plan_of([…], trace={…}))``."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from trex.core.metadata import LatencySummary, Metadata
from trex.core.note import Note
from trex.core.telemetry import COLUMNS, Stage, Telemetry
from trex.core.timings import LayerTime, LayerTimes, QueryTimes
from trex.ingest.graph_json import engine_from_records
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Finding
from trex.rules.rule import Rule


def plan_of(
    records: Sequence[dict[str, Any]],
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
    """times: {layer: milliseconds}. trace: columns of queries. latency: {line of trtexec's summary: milliseconds}.
    device: facts in trtexec's words.
    """
    engine = engine_from_records(list(records))
    if bindings is not None:
        from dataclasses import replace

        engine = replace(engine, bindings=tuple(bindings))
    rows = None
    if times is not None:
        seen: dict[str, int] = {}
        made = []
        for name, ms in times.items():
            made.append(LayerTime(name, seen.get(name, 0), ms * (iterations or 1), ms, ms, None))
            seen[name] = seen.get(name, 0) + 1
        rows = LayerTimes(tuple(made), iterations)
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


def inspected(plan: EnginePlan, baseline: EnginePlan | None = None) -> Inspected:
    return Inspected(Performance(plan), baseline)


def rule_of(name: str) -> Rule:
    rule = import_module(f"trex.rules.builtin.{name}").RULE
    assert isinstance(rule, Rule)
    return rule


def answers(
    name: str, plan: EnginePlan, baseline: EnginePlan | None = None, **limits: float
) -> list[Finding | CannotTell]:
    """Everything that a rule says of a plan, with its own limits unless given."""
    rule = rule_of(name)
    known = {key: limit.default for key, limit in rule.limits.items()}
    assert set(limits) <= set(known)
    return list(rule.check(inspected(plan, baseline), known | limits))


def finding(name: str, plan: EnginePlan, baseline: EnginePlan | None = None, **limits: float) -> Finding:
    """The one thing that a rule says, a finding."""
    (found,) = answers(name, plan, baseline, **limits)
    assert isinstance(found, Finding), found
    return found


def untold(name: str, plan: EnginePlan, baseline: EnginePlan | None = None, **limits: float) -> CannotTell:
    """The one thing that a rule says: that it cannot tell."""
    (found,) = answers(name, plan, baseline, **limits)
    assert isinstance(found, CannotTell), found
    return found


def watched(clock_mhz: Sequence[float], reasons: Sequence[tuple[str, ...]], interval_s: float = 0.1) -> Telemetry:
    """Telemetry of a stage ``profile``: the SM clock and what held it, sample by sample, of a busy GPU."""
    count = len(clock_mhz)
    columns = {name: array("d", [50.0] * count) for name in COLUMNS}
    columns["sm_clock_mhz"] = array("d", clock_mhz)
    columns["gpu_utilization_pct"] = array("d", [99.0] * count)
    time_s = array("d", [interval_s * place for place in range(count)])
    return Telemetry(time_s, columns, tuple(reasons), (Stage("profile", 0.0, None),))
