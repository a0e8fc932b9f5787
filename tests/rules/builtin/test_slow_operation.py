"""Slow layers on the round device: 500 GB/s of memory, 2000 of the L2."""

from __future__ import annotations

import pytest

from tests.factories import layer, t
from tests.rules.cases import analyzed, findings, on_round_device, unchecked
from tests.rules.planting import Parts, pair
from trex.core.tensor import Tensor

RULE = "slow-operation"
REST = layer("{ForeignNode[a...b]}", "Myelin", ["y"], ["z"])


def top_k(name: str = "TopK_7"):
    # 16 MiB in FP16 read: 33.5 MB / 5·10¹¹ = 0.067 ms of memory, if all of it comes from there.
    return layer(name, "TopK", [t("x", [16, 1024, 1024])], [t("y", [16, 1024, 10])], origins=(name,))


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
