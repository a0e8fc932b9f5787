"""Statistics of query times as trtexec prints them, against the summaries that it printed of the same runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.simulated_examples import load_simulated
from trex.engine_plan import load
from trex.perf.latencies import latencies_of


def test_query_times_have_the_figures_of_trtexecs_summary(shared_engines) -> None:
    compared = 0
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        plan = load(folder)
        printed = plan.metadata.latency.get("GPU Compute Time")
        if printed is None or plan.query_times is None:
            continue
        plan.metadata = replace(plan.metadata, latency={})
        own = latencies_of(plan)["GPU Compute Time"]
        assert own.median_ms == pytest.approx(printed.median_ms, rel=2e-3), folder.name
        for label, ms in printed.percentiles.items():
            assert own.percentiles.get(label, ms) == pytest.approx(ms, rel=2e-3), folder.name
        compared += 1
    assert compared >= 5


def test_a_printed_summary_stays() -> None:
    plan = load_simulated("resnet18-fp16")
    assert latencies_of(plan) == plan.metadata.latency
