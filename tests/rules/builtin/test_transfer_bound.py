"""Copies between host and device beside computing."""

from __future__ import annotations

import pytest

from tests.raw_records import chain
from tests.rules.cases import finding, only_unchecked, plan_of, reports
from tests.rules.planting import Planter, in_proportion, whole
from trex.core.note import Note
from trex.perf.performance import Performance
from trex.rules.lint import lint

RULE = "transfer-bound"


def run(h2d_ms: float, d2h_ms: float, compute_ms: float, **run: str):
    latency = {"H2D Latency": h2d_ms, "D2H Latency": d2h_ms, "GPU Compute Time": compute_ms}
    return plan_of(chain("a"), {"a": compute_ms}, latency=latency, run=run)


def test_copies_that_take_long_are_reported():
    found = finding(RULE, run(0.25, 0.5, 1.0))
    assert "75 % of GPU compute" in found.message
    assert found.severity is None  # a warning, which no view leaves out


def test_copies_that_take_longer_than_computing_come_first():
    found = finding(RULE, run(2.19, 1.0, 1.0))
    assert "319 % of GPU compute" in found.message and found.is_first and found.about_ms == pytest.approx(3.19)
    assert not finding(RULE, run(0.4, 0.5, 1.0)).is_first


def test_it_is_unchecked_where_the_summary_contradicts_the_copies():
    latency = {"H2D Latency": 4.5, "D2H Latency": 0.1, "GPU Compute Time": 1.0}
    notes = [Note("transfers-contradict", "a median of 4.5 ms and a maximum of 0.2 ms", severity="problem")]
    plan = plan_of(chain("a"), {"a": 1.0}, latency=latency, notes=notes)
    assert "contradicts" in only_unchecked(RULE, plan).reason
    measures = Performance(plan).reconciliation.measures
    assert measures.h2d.ms is measures.d2h.ms is None


def test_the_rate_is_bytes_over_time():
    from trex.core.tensor import Binding
    from trex.plan.engine_plan import EnginePlan

    plain: EnginePlan = run(0.0008, 0.0002, 0.001)
    tensors = {t.name: t for layer in plain.working_layers for t in (*layer.inputs, *layer.outputs)}
    bindings = [Binding("x", True, tensors["x"]), Binding("y", False, tensors["y"])]
    latency = {"H2D Latency": 0.0008, "D2H Latency": 0.0002, "GPU Compute Time": 0.001}
    found = finding(RULE, plan_of(chain("a"), {"a": 0.001}, latency=latency, bindings=bindings))
    values = {each.what: each.value for each in found.evidence}
    assert values["inputs and outputs"] == 512  # 2 × 1×8×4×4 FP16
    assert values["rate"] == pytest.approx(0.51)  # 512 B / 1 µs
    assert set(found.tensors) == {"x", "y"}


def test_of_one_direction_only_that_one_is_known():
    from trex.core.tensor import Binding

    latency = {"H2D Latency": 1.5, "GPU Compute Time": 1.0}
    plain = plan_of(chain("a"))
    bindings = [Binding(tensor.name, None, tensor) for layer in plain.working_layers for tensor in layer.inputs]
    found = finding(RULE, plan_of(chain("a"), {"a": 1.0}, latency=latency, bindings=bindings))
    assert found.message.startswith("Copies to the GPU take 1.5 ms")
    values = {each.what: each.value for each in found.evidence}
    assert values["inputs and outputs"] == 256 and values["device to host"] is values["rate"] is None
    result = lint(Performance(plan_of(chain("a"), {"a": 1.0}, latency=latency)))
    assert result.diagnosis is not None and "copies to the GPU take 1.5 ms" in result.diagnosis.text
    short = plan_of(chain("a"), {"a": 1.0}, latency={"D2H Latency": 0.1, "GPU Compute Time": 1.0})
    assert "copies to the GPU" in only_unchecked(RULE, short).reason


def test_short_copies_are_none():
    assert reports(RULE, run(0.1, 0.1, 1.0)) == []
    assert reports(RULE, plan_of(chain("a"))) == []


def test_trtexecs_own_warning_counts_where_no_time_is_reported():
    plan = plan_of(chain("a"), notes=[Note("host-to-device-bound", "Throughput may be bound by host-to-device")])
    assert "host-to-device" in finding(RULE, plan).message


def test_it_is_unchecked_of_a_run_without_transfers():
    assert "had no copies" in only_unchecked(RULE, run(0.0, 0.0, 1.0)).reason
    assert "had no copies" in only_unchecked(RULE, run(0.5, 0.5, 1.0, **{"Data transfers": "Disabled"})).reason
    assert "no file contains" in only_unchecked(RULE, plan_of(chain("a"), {"a": 1.0})).reason


# ---- The defect that tests plant into engines, and its sound twin


PLANTER = Planter(whole(in_proportion("H2D Latency", 0.8)), whole(in_proportion("H2D Latency", 0.2)))
