"""Operations of unknown length and the host's waiting."""

from __future__ import annotations

import pytest

from tests.factories import layer, t
from tests.rules.cases import findings, on_round_device, unchecked
from tests.rules.planting import Parts, pair
from trex.core.layer import Role
from trex.core.tensor import Tensor
from trex.rules.finding import Severity

RULE = "data-dependent-shapes"


def station(name="(Unnamed Layer* 3) [Train Station]"):
    return layer(name, "TrainStation", [], [], role=Role.TRAIN_STATION)


def test_non_zero_and_the_station_after_it():
    made = layer("/NonZero_3", "kgen", origins=("/NonZero_3",)), station(), layer("rest")
    (found,) = findings(RULE, on_round_device(*made, ms=[0.1, 0.2, 0.7]))
    assert found.layers == (0, 1) and found.savings == {0: pytest.approx(0.1), 1: pytest.approx(0.2)}
    assert "NonZero_3" in found.message and "Where" in found.fix[0]


def test_by_type():
    (found,) = findings(RULE, on_round_device(layer("a", "NMS"), ms=[0.1]))
    assert found.severity is None


def test_a_station_alone_is_a_note():
    (found,) = findings(RULE, on_round_device(station(), layer("rest")))
    assert found.severity is Severity.NOTE and not found.savings


def test_others_are_fine():
    assert not findings(RULE, on_round_device(layer("/Gather_1", "Gather", origins=("/Gather_1",)), ms=[0.1]))


def test_regions_are_unchecked():
    made = layer("{ForeignNode[a...b]}", "Myelin", origins=("/NonZero_3",))
    assert unchecked(RULE, on_round_device(made, ms=[0.1]))[0].layers == (0,) and not findings(
        RULE, on_round_device(made)
    )


# ---- The defect that tests plant into engines, and its sound twin


def by_data(x: Tensor, bad: bool) -> Parts:
    name = "/NonZero_901" if bad else "/Gather_901"
    return [(layer(name, "kgen" if bad else "Gather", [x], [t("n901", [None, 4], "INT64")], origins=(name,)), 0.05)]


PLANTER = pair(by_data)
