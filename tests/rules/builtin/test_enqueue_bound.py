"""Hosts that enqueue more slowly than the GPU computes."""

from __future__ import annotations

import pytest

from tests.raw_records import chain
from tests.rules.making import answers, finding, plan_of, untold
from trex.core.note import Note

RULE = "enqueue_bound"


def run(enqueue_ms: float, compute_ms: float, **run: str):
    latency = {"Enqueue Time": enqueue_ms, "GPU Compute Time": compute_ms}
    return plan_of(chain("a", "b"), {"a": 0.5, "b": 0.004}, latency=latency, run=run)


def test_a_slow_host_is_told_with_what_it_takes():
    found = finding(RULE, run(0.9, 1.0, **{"CUDA Graph": "Disabled"}))
    values = {each.what: each.value for each in found.evidence}
    assert values["enqueue / GPU compute"] == pytest.approx(0.9)
    assert values["enqueue beyond the layers' sum"] == pytest.approx(0.396)  # 0.9 − 0.504
    assert values["layers shorter than 10 µs"] == 1
    assert "--useCudaGraph" in found.advice[0]
    assert not found.at_stake  # gaps are no layer's time


def test_with_a_cuda_graph_another_advice_comes_first():
    assert "a CUDA graph is used" in finding(RULE, run(0.9, 1.0, **{"CUDA Graph": "Enabled"})).advice[0]


def test_a_host_that_keeps_up_is_none():
    assert answers(RULE, run(0.8, 1.0)) == []
    assert answers(RULE, run(0.1, 1.0)) == []
    assert len(answers(RULE, run(0.5, 1.0), share=40)) == 1


def test_trtexecs_own_warning_counts_where_no_time_is_told():
    plan = plan_of(chain("a"), notes=[Note("enqueue-bound", "Throughput may be bound by Enqueue Time")])
    assert "bound by Enqueue Time" in finding(RULE, plan).message


def test_it_cannot_be_told_without_the_enqueue_time():
    assert "--exportTimes" in untold(RULE, plan_of(chain("a"), {"a": 1.0})).hint
    assert answers(RULE, plan_of(chain("a"))) == []
