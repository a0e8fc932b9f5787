"""Layers in a wider type than in the baseline."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import t
from tests.raw_records import layer, tensor
from tests.rules.baselines import engine, pair, timed
from tests.rules.cases import finding, reports
from tests.rules.planting import Ground, Planter, against_baseline, slowed_layer
from trex.rules.finding import Severity

RULE = "raised-precision"


def test_a_layer_that_became_wider_is_reported_with_what_it_takes_longer():
    found = finding(RULE, timed(1.0, 3.0, "FP32"), timed(1.0, 2.0))
    assert "/b/Conv computes in FP32, in the baseline in FP16" in found.message
    assert found.savings == pytest.approx({1: 1.0})
    assert found.severity is Severity.WARNING
    assert finding(RULE, timed(1.0, 2.0, "FP32"), timed(1.0, 2.0)).severity is Severity.NOTE


def test_equal_and_narrower_types_are_none():
    assert reports(RULE, timed(1.0, 3.0), timed(1.0, 2.0)) == []
    assert reports(RULE, timed(1.0, 3.0), timed(1.0, 2.0, "FP32")) == []
    assert reports(RULE, timed(1.0, 3.0, "FP32")) == []


def test_unknown_types_are_none():
    unheard = [tensor("t", written="unheard of")], [tensor("y", written="unheard of")]
    odd = engine([pair()[0], layer("/b/Conv", "Convolution", *unheard)])
    assert reports(RULE, timed(1.0, 3.0, "FP32"), odd) == []


# ---- The defect that tests plant into engines, and its sound twin


def widened(ground: Ground, baseline: Ground, place: int) -> None:
    layer = ground.layers[place]
    wide = replace(layer.compute, data_type=t("z", type="FP32").data_type, confidence=0.9)
    ground.layers[place] = replace(layer, compute=wide)
    ground.ms[layer.name] *= 2.0
    ground.planted.add(layer.name)


PLANTER = Planter(against_baseline(widened), against_baseline(slowed_layer(1.5)))
