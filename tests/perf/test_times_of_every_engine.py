"""Statistics and reconciliation of every engine: nothing raises, and trtexec's own printed figures come out."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.engines import READABLE
from tests.synthetic import Case
from trex.perf.performance import Performance
from trex.perf.samples.plan_samples import COLUMNS, Samples, columns_of
from trex.perf.verdict import LEVELS
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan

PRINTED = {
    "Latency": "latencyMs",
    "GPU Compute Time": "computeMs",
    "H2D Latency": "h2dMs",
    "D2H Latency": "d2hMs",
}


def check(plan: EnginePlan) -> Samples:
    """What must hold of any plan."""
    performance = Performance(plan)
    samples, result = performance.samples, performance.reconciliation
    for key, column in samples.columns.items():
        assert key in COLUMNS and column.label == COLUMNS[key]
        assert bool(column.reason) is (column.count == 0) is math.isnan(column.median_ms)
        values = list(column.percentiles.values())
        assert values == sorted(values)
        for part in (column.warm_up.samples, column.trend.p, column.levels.changes, column.detectable.median_pct):
            assert part is None or part >= 0
        assert column.trend.reason if column.trend.p is None else True
        assert column.detectable.reason if column.detectable.median_pct is None else True
    assert result.verdict.level in LEVELS
    timed = plan.is_profiled and any(time is not None and time.average_ms is not None for time in plan.times)
    assert (result.measures.layers.ms is not None) is timed
    for difference in result.differences:
        assert difference.ratio is None or difference.ratio > 0
        assert difference.sentence.endswith(".")
    return samples


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_generated(case: Case, tmp_path: Path):
    check(load_plan(EnginePlan, case.write(tmp_path)))


def plans(shared_engines: Path) -> list[tuple[str, EnginePlan]]:
    folders = sorted(folder for folder in shared_engines.iterdir() if folder.is_dir())
    return [(folder.name, load_plan(EnginePlan, folder)) for folder in folders]


def test_real(shared_engines: Path):
    for _, plan in plans(shared_engines):
        check(plan)


def test_trtexec_s_own_figures(shared_engines: Path):
    """min, max, median and every percentile as printed; the mean to the six digits of the trace's samples."""
    compared = 0
    for name, plan in plans(shared_engines):
        if plan.query_times is None:
            continue
        labels = {label for summary in plan.metadata.latency.values() for label in summary.percentiles}
        columns = columns_of(plan.query_times, tuple(labels))
        for printed, key in PRINTED.items():
            summary, column = plan.metadata.latency[printed], columns[key]
            if not column.count:  # no transfers: zero in every sample and every figure
                assert column.reason == "every sample is 0 ms" and summary.maximum_ms == 0.0
                continue
            spread = column.spread
            assert (spread.minimum_ms, spread.maximum_ms) == (summary.minimum_ms, summary.maximum_ms), name
            assert spread.median_ms == pytest.approx(summary.median_ms, rel=1e-6), name
            assert spread.mean_ms == pytest.approx(summary.mean_ms, rel=5e-5), name
            for label, value in summary.percentiles.items():
                assert column.percentiles[label] == value, (name, label)
            compared += 1
    assert compared == 2 * 13


# From the files, apart from this package: sums of averageMs over the profile; median computeMs behind the warm-up.
EXPECTED = {
    "trt8.4-resnet18-a100-fp32": (2.1238, 1.9907, "fine", 2.0),
    "trt8.4-resnet18-a100-qat-residual": (0.7311, 0.5458, "fine", 1.0),
    "trt8.4-mobilenetv2-qat": (0.4704, 0.3512, "fine", 1.0),
    "trt10.4-resnet18-fp16-rtx3060": (0.3635, 0.2769, "fine", 1.0),
    "trt8.6-controlnet-a10": (8.9730, None, "layers only", None),
    "trt10.1-resnet18-torchtrt": (None, None, "nothing", None),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_reconciliation_of_real_engines(name: str, shared_engines: Path):
    layers, compute, level, smallest = EXPECTED[name]
    result = Performance(load_plan(EnginePlan, shared_engines / name)).reconciliation
    assert result.measures.layers.mean_ms == (None if layers is None else pytest.approx(layers, abs=6e-5))
    assert result.measures.compute.median_ms == (None if compute is None else pytest.approx(compute, abs=6e-5))
    assert (result.verdict.level, result.verdict.smallest_pct) == (level, smallest)
    if compute is not None:
        # one inference after the other, launched as a graph: the GPU is busy, the host far ahead
        assert result.measures.busy == pytest.approx(1.0, abs=0.02) and result.is_enqueue_bound is False
        overhead = result.overhead_per_layer_ms
        assert overhead is not None and 0.001 < overhead < 0.008


def test_what_only_samples_show(shared_engines: Path):
    """Both MobileNets were disturbed every 2.1 ms, every 6th and every 8th inference: the machine, not the engines."""
    periods = {}
    for name in ("trt8.4-mobilenetv2-qat", "trt8.4-mobilenetv2-qat-residuals"):
        compute = Performance(load_plan(EnginePlan, shared_engines / name)).samples.compute
        assert compute is not None and compute.spikes.period is not None and compute.spikes.in_bursts
        periods[compute.spikes.period] = compute.spikes.period * compute.median_ms
    assert list(periods) == [6, 8] and list(periods.values()) == pytest.approx([2.1, 2.07], abs=0.02)
