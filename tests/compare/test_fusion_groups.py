"""Fusion groups: which layers come from one engine together, and that they add up to the layer times."""

from __future__ import annotations

import math

import pytest

from tests.compare.profiled import chained, kernel, profiled, reformat
from trex.compare.fusion_groups import FusionGroups, fusion_groups
from trex.compare.series import EngineSeries
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan


def total(units: FusionGroups, engine: int) -> float:
    own = [ms[engine] or 0.0 for ms in units.ms]
    return math.fsum(
        [*own, *(each.ms for links in units.crossings.values() for each in links if each.engine == engine)]
    )


def test_matched_layers_are_one_group():
    units = fusion_groups(EngineSeries(chained([0.1, 0.2]), [chained([0.3, 0.4], "INT8")]))
    assert units.group_of == [[0, 1], [0, 1]]
    assert units.ms == [[0.1, 0.3], [0.2, 0.4]]
    assert list(units.crossings) == [(0, 1)]


def test_fused_layers_are_one_group():
    apart = [kernel(["/c/Conv"], "x0", "x1"), kernel(["/c/Relu"], "x1", "y", macs=False)]
    fused = [kernel(["/c/Conv", "/c/Relu"], "x0", "y")]
    units = fusion_groups(EngineSeries(profiled(apart, [0.4, 0.1]), [profiled(fused, [0.45])]))
    assert units.ms == [[0.5, 0.45]]


def test_a_layer_of_one_engine_joins_the_previous_group():
    more = [kernel(["/a/Conv"], "x0", "x1"), kernel(["/b/Foo"], "x1", "x2", macs=False), kernel(["/c/Conv"], "x2", "y")]
    less = [kernel(["/a/Conv"], "x0", "x1"), kernel(["/c/Conv"], "x1", "y")]
    units = fusion_groups(EngineSeries(profiled(more, [0.1, 0.2, 0.3]), [profiled(less, [0.1, 0.3])]))
    assert units.group_of[0] == [0, 0, 1]
    assert units.ms == [[pytest.approx(0.3), 0.1], [0.3, 0.3]]


def test_readers_share_a_reformat():
    layers = [
        kernel(["/a/Conv"], "x0", "x1"),
        reformat("/b/Conv", "x1", "x2"),
        kernel(["/b/Conv"], "x2", "x3"),
        kernel(["/c/Conv"], "x2", "x4"),
    ]
    plan = profiled(layers, [0.1, 0.06, 0.2, 0.3])
    units = fusion_groups(EngineSeries(plan, [plan]))
    assert units.group_of[0] == [0, -1, 1, 2]
    assert {ends: [each.ms for each in links] for ends, links in units.crossings.items()} == {
        (0, 1): [0.03, 0.03],  # one in each engine
        (0, 2): [0.03, 0.03],
    }
    assert total(units, 0) == pytest.approx(0.66)


def test_reformats_at_inputs_and_outputs():
    layers = [reformat("/a/Conv", "x0", "x1"), kernel(["/a/Conv"], "x1", "x2"), reformat("y", "x2", "y")]
    plan = profiled(layers, [0.1, 0.5, 0.2])
    units = fusion_groups(EngineSeries(plan, [plan]))
    assert units.ms == [[pytest.approx(0.8)] * 2]


def test_chains_of_reformats():
    layers = [
        kernel(["/a/Conv"], "x0", "x1"),
        reformat("/b/Conv", "x1", "x2"),
        reformat("/b/Conv", "x2", "x3"),
        kernel(["/b/Conv"], "x3", "y"),
    ]
    plan = profiled(layers, [0.1, 0.2, 0.3, 0.4])
    units = fusion_groups(EngineSeries(plan, [plan]))
    assert [each.ms for each in units.crossings[0, 1]] == [pytest.approx(0.5)] * 2


def test_an_untimed_layer_is_unknown():
    layers = [kernel(["/a/Conv"], "x0", "x1")]
    units = fusion_groups(EngineSeries(profiled(layers, [0.1]), [profiled(layers, [None])]))
    assert units.ms == [[0.1, None]]


def test_real_engines_add_up(shared_engines):
    for names in (
        [f"trt8.4-resnet18-a100-{name}" for name in ("fp32", "fp16", "qat", "qat-residual", "qat-residual-qgap")],
        [f"trt8.2-resnet50-rtx3090-{name}" for name in ("fp32", "fp16", "qat")],
        ["trt8.4-mobilenetv2-qat", "trt8.4-mobilenetv2-qat-residuals"],
    ):
        plans = [load_plan(EnginePlan, str(shared_engines / name)) for name in names]
        series = EngineSeries(plans[0], plans[1:])
        units = fusion_groups(series)
        assert len(units.ms) > 10
        for place, charges in enumerate(series.operation_times):
            assert total(units, place) == pytest.approx(charges.layers_ms, rel=1e-9), names[place]
