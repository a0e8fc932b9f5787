"""Slow layers on the round device: 500 GB/s of memory, 2000 of the L2."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import layer, t
from tests.rules.cases import (
    TENSOR_HALF,
    analyzed,
    conv,
    copy,
    findings,
    on_round_device,
    round_device,
    unchecked,
)
from tests.rules.planting import Parts, pair
from trex.core.data_type import DataType
from trex.core.format_timing import FormatTiming
from trex.core.layer import Role
from trex.core.tensor import Tensor
from trex.perf.performance import Performance
from trex.rules.analyzed_engine import AnalyzedEngine

RULE = "slow-operation"
REST = layer("{ForeignNode[a...b]}", "Myelin", ["y"], ["z"])


def top_k(name: str = "TopK_7"):
    # 16 MiB in FP16 read: 33.5 MB / 5·10¹¹ = 0.067 ms of memory, if all of it comes from there.
    return layer(name, "TopK", [t("x", [16, 1024, 1024])], [t("y", [16, 1024, 10])], origins=(name,))


def softmax(name: str):
    return layer(name, "SoftMax", [t("x", [16, 1024, 1024])], [t("y", [16, 1024, 1024])], origins=(name,))


def test_far_below_the_roofline():
    engine = on_round_device(top_k(), REST, ms=[2.0, 1.0])
    roofline = engine.performance.roofline
    (found,) = findings(RULE, engine)
    assert found.layers == (0,) and "candidates" in found.fix[0]
    assert sum(found.savings.values()) == pytest.approx(float(roofline.headroom_ms[0]))
    assert roofline.achieved_share[0] < 0.2 and sum(found.savings.values()) < 2.0


def test_near_the_roofline_or_short():
    assert not findings(RULE, on_round_device(top_k(), REST, ms=[0.1, 1.0]))  # 0.067 of 0.1 ms
    assert not findings(RULE, on_round_device(top_k(), REST, ms=[2.0, 100.0]))  # two percent of the time


def test_a_layer_that_a_loop_repeats():
    jump = layer("j", "cjmp", inputs=["y"], outputs=[], role=Role.SHAPE)
    engine = on_round_device(top_k(), REST, jump, ms=[2.0, 1.0, 0.001])
    assert not findings(RULE, engine) and "how often each layer ran" in unchecked(RULE, engine)[0].reason


def test_what_the_roofline_cannot_judge():
    """Kernels of a few microseconds, reformats (of which REF rules say more) and convolutions of an image."""
    short = layer("TopK_7", "TopK", [t("x", [4, 1024])], [t("y", [4, 10])], origins=("TopK_7",))
    assert not findings(RULE, on_round_device(short, ms=[0.015]))
    assert findings(RULE, on_round_device(short, ms=[0.025]))
    reformat = copy("Reformat_1", t("x", [16, 1024, 1024], "FP32"), t("y", [16, 1024, 1024]))
    assert not findings(RULE, on_round_device(reformat, REST, ms=[5.0, 1.0]))
    for channels, expected in ((3, 0), (64, 1)):
        shapes = [8, channels, 224, 224], [8, 64, 112, 112]
        first = conv("Conv_1", [t("x", shapes[0])], t("y", shapes[1]), kernel=(7, 7), tactic=TENSOR_HALF)
        assert len(findings(RULE, on_round_device(first, REST, ms=[50.0, 1.0]))) == expected


def test_steps_are_of_the_release():
    made = layer("Softplus_1", "PointWise", [t("x", [16, 1024, 1024])], [t("y", [16, 1024, 1024])])
    (found,) = findings(RULE, on_round_device(made, REST, ms=[5.0, 1.0]))
    assert not any("builderOptimizationLevel" in step for step in found.fix)  # it came with 8.6


@pytest.mark.parametrize(("type_", "is_wide"), [("FP32", True), ("FP16", False), ("BF16", False), ("INT8", False)])
def test_fp16_is_no_advice_where_the_layer_has_it(type_: str, is_wide: bool):
    made = layer("Softplus_1", "PointWise", [t("x", [16, 1024, 1024], type_)], [t("y", [16, 1024, 1024], type_)])
    (found,) = findings(RULE, on_round_device(made, REST, ms=[5.0, 1.0]))
    assert ("FP16" in found.fix[0]) is is_wide and "at another batch" in found.fix[0]


def test_without_times_or_a_device():
    assert "times" in unchecked(RULE, on_round_device(top_k()))[0].reason
    assert "GPU" in unchecked(RULE, analyzed(top_k(), ms=[2.0]))[0].reason


def test_work_that_is_unknown():
    region = layer("{ForeignNode[a...b]}", "Myelin", [t("x", [16, 1024])], [t("y", [16, 10])])
    assert not findings(RULE, on_round_device(region, ms=[2.0]))


# ---- The defect that tests plant into engines, and its sound twin


def odd(x: Tensor, bad: bool) -> Parts:
    large = t("k901", [16, 1024, 1024])
    made = layer("TopK_902", "TopK", [large], [t("k902", [16, 1024, 10])], origins=("TopK_902",))
    return [(layer("Reshape_901", "Shuffle", [x], [large]), 0.001), (made, 20.0 if bad else 0.02)]


PLANTER = pair(odd)


@pytest.mark.parametrize(
    ("name", "fastest_ms", "expected_ms"), [("Softmax_1", 1.95, None), ("Softmax_1", 0.5, 1.5), ("TopK_7", 1.95, 1.9)]
)
def test_what_the_builder_timed_bounds_what_a_tactic_saves(name, fastest_ms, expected_ms):
    """Only a rewrite helps where the builder timed no faster tactic in any type or layout."""
    slow = top_k() if name == "TopK_7" else softmax(name)
    plan = on_round_device(slow, REST, ms=[2.0, 1.0]).plan
    timings = (FormatTiming(name, (DataType.FP32,), (DataType.FP32,), 1, fastest_ms),)
    plan.build_metadata = replace(plan.build_metadata, format_timings=timings)
    hits = findings(RULE, AnalyzedEngine(Performance(plan, round_device())))
    savings = [sum(hit.savings.values()) for hit in hits]
    assert savings == ([] if expected_ms is None else [pytest.approx(expected_ms, rel=0.05)])
    assert all("fastest tactic the builder timed" in {item.what for item in hit.evidence} for hit in hits)
