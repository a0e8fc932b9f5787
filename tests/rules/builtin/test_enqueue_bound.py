"""Hosts that enqueue more slowly than the GPU computes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.raw_records import chain
from tests.rules.cases import finding, only_unchecked, plan_of, reports
from tests.rules.planting import Planter, in_proportion, whole
from trex.core.note import Note

RULE = "enqueue-bound"


def run(enqueue_ms: float, compute_ms: float, **run: str):
    latency = {"Enqueue Time": enqueue_ms, "GPU Compute Time": compute_ms}
    return plan_of(chain("a", "b"), {"a": 0.5, "b": 0.004}, latency=latency, run=run)


def test_a_slow_host_is_reported_with_what_it_takes():
    found = finding(RULE, run(0.9, 1.0, **{"CUDA Graph": "Disabled"}))
    values = {each.what: each.value for each in found.evidence}
    assert values["enqueue / GPU compute"] == pytest.approx(0.9)
    assert values["enqueue minus the sum of layers"] == pytest.approx(0.396)  # 0.9 − 0.504
    assert values["layers shorter than 10 µs"] == 1
    assert "--useCudaGraph" in found.fix[0]
    assert not found.savings  # gaps are no layer's time


def test_a_host_slower_than_the_gpu_comes_first():
    slow, almost = finding(RULE, run(1.5, 1.0)), finding(RULE, run(0.9, 1.0))
    assert (slow.is_first, slow.about_ms) == (True, pytest.approx(0.5))
    assert (almost.is_first, almost.about_ms) == (False, 0.0)


def test_with_a_cuda_graph_another_fix_comes_first():
    assert "a CUDA graph is in use" in finding(RULE, run(0.9, 1.0, **{"CUDA Graph": "Enabled"})).fix[0]


def test_a_graph_that_could_not_be_captured_is_not_in_use():
    found = finding(RULE, run(0.9, 1.0, **{"CUDA Graph": "Enabled", "CUDA Graph Capture": "Failed"}))
    assert {each.what: each.value for each in found.evidence}["CUDA graph"] == "no"
    assert "could not capture" in found.fix[0]


def test_a_host_that_keeps_up_is_none():
    assert reports(RULE, run(0.8, 1.0)) == []
    assert reports(RULE, run(0.1, 1.0)) == []
    assert len(reports(RULE, run(0.5, 1.0), share=40)) == 1


def test_a_host_thread_of_several_streams_has_the_time_of_one():
    latency = {"Enqueue Time": 0.29, "GPU Compute Time": 1.0}
    options = {"Inference Streams": "4", "CUDA Graph": "Disabled"}
    plan = plan_of(chain("a"), {"a": 0.5}, latency=latency, run=options)
    plan.metadata = replace(plan.metadata, performance={"Throughput": 3333.3})
    found = finding(RULE, plan)
    assert "97 % of the time in which 4 streams finish an inference (0.3 ms)" in found.message and not found.is_first
    assert "--threads" in "".join(found.fix)


def test_trtexecs_own_warning_counts_where_no_time_is_reported():
    plan = plan_of(chain("a"), notes=[Note("enqueue-bound", "Throughput may be bound by Enqueue Time")])
    assert "bound by Enqueue Time" in finding(RULE, plan).message


def test_it_is_unchecked_without_the_enqueue_time():
    assert "--exportTimes" in only_unchecked(RULE, plan_of(chain("a"), {"a": 1.0})).hint
    assert reports(RULE, plan_of(chain("a"))) == []


def test_it_is_unchecked_where_the_files_contradict_the_enqueue_time():
    notes = [
        Note("enqueue-bound", "Throughput may be bound by Enqueue Time"),
        Note("enqueue-contradicts", "1.5 ms and 0.002 ms", severity="problem"),
    ]
    latency = {"Enqueue Time": 1.5, "GPU Compute Time": 1.0}
    plan = plan_of(chain("a"), {"a": 1.0}, latency=latency, notes=notes)
    assert "contradict" in only_unchecked(RULE, plan).reason


# ---- The defect that tests plant into engines, and its sound twin


PLANTER = Planter(whole(in_proportion("Enqueue Time", 1.1)), whole(in_proportion("Enqueue Time", 0.6)))
