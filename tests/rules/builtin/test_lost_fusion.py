"""Fusions lost against the baseline."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.raw_records import layer
from tests.rules.baselines import conv, engine
from tests.rules.cases import finding, reports, work
from tests.rules.planting import Ground, Planter, against_baseline, slowed_layer
from trex.rules.finding import Severity

RULE = "lost-fusion"
FUSED = [conv("/a/Conv + /a/Sigmoid", "x", "y")]
SPLIT = [conv("/a/Conv", "x", "t"), layer("/a/Sigmoid", inputs=["t"], outputs=["y"])]


def test_several_kernels_for_one_are_reported_with_what_they_take_longer():
    found = finding(
        RULE, engine(SPLIT, {"/a/Conv": 1.0, "/a/Sigmoid": 0.5}), engine(FUSED, {"/a/Conv + /a/Sigmoid": 1.2})
    )
    assert found.layers == (0, 1) and "2 kernels, 1 in the baseline" in found.message
    assert found.savings == pytest.approx({0: 0.2, 1: 0.1})  # 1.5 − 1.2 in proportion to 1.0 and 0.5
    assert found.severity is Severity.WARNING


def test_without_times_it_stands_without_savings():
    found = finding(RULE, engine(SPLIT), engine(FUSED))
    assert found.savings == {} and found.severity is Severity.NOTE


def test_the_same_fusion_and_more_of_it_are_none():
    assert reports(RULE, engine(FUSED), engine(FUSED)) == []
    assert reports(RULE, engine(FUSED), engine(SPLIT)) == []
    assert reports(RULE, engine(SPLIT), engine(FUSED), layers=2) == []
    copy = layer("Reformatting CopyNode for Input Tensor 0 to /a/Conv + /a/Sigmoid", "Reformat", ["x"], ["t"])
    assert reports(RULE, engine([copy, conv("/a/Conv + /a/Sigmoid", "t", "y")]), engine(FUSED)) == []


def test_it_says_nothing_where_nothing_can_be_compared():
    assert reports(RULE, engine(SPLIT)) == []
    assert reports(RULE, engine(SPLIT), engine([conv("/other/Conv", "x", "y")])) == []  # DIFF001 says why


# ---- The defect that tests plant into engines, and its sound twin


def split(ground: Ground, baseline: Ground, place: int) -> None:
    layer = ground.layers[place]
    inner = replace(layer.outputs[0], name="inner901")
    operations = tuple(layer.name.split(" + "))
    first = replace(
        layer, outputs=(inner,), name_parts=replace(layer.name_parts, operations=operations[:1] or (layer.name,))
    )
    second = replace(work("split902", "PointWise", [inner], layer.outputs[0]), origins=layer.origins)
    second = replace(second, name_parts=replace(second.name_parts, operations=first.name_parts.operations))
    ground.layers[place : place + 1] = [first, second]
    ground.ms["split902"] = 0.5 * ground.ms[layer.name]
    ground.planted |= {layer.name, "split902"}


PLANTER = Planter(against_baseline(split), against_baseline(slowed_layer(1.003)))
