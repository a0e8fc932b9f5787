"""Plugins and the reformats beside them."""

from __future__ import annotations

import pytest

from tests.factories import conv, layer, t
from tests.rules.cases import findings, on_round_device, unchecked
from tests.rules.planting import layout_detour, pair
from trex.rules.finding import Severity

RULE = "slowing-plugin"
SHAPE = [1, 64, 8, 8]


def between(*, linear=True, reformats=True, plugin="PluginV2"):
    inner = "NCHW" if linear else "NHWC8"
    a, b, c, d = (
        t(name, SHAPE, "FP16", layout) for name, layout in (("a", "NHWC8"), ("b", inner), ("c", inner), ("d", "NHWC8"))
    )
    layers = [conv("conv1", ["x"], [a])]
    if reformats:
        layers += [layer("r1", "Reformat", [a], [b]), layer("norm", plugin, [b], [c], PluginType="Norm_TRT")]
        layers += [layer("r2", "Reformat", [c], [d]), conv("conv2", [d], ["y"])]
    else:
        layers += [layer("norm", plugin, [a], [d]), conv("conv2", [d], ["y"])]
    return layers


def test_reformats_on_both_sides():
    (found,) = findings(RULE, on_round_device(*between(), ms=[0.5, 0.1, 0.3, 0.2, 0.5]))
    assert found.savings == {1: pytest.approx(0.1), 3: pytest.approx(0.2)}
    assert found.layers == (2, 1, 3) and "all tensors are linear" in found.message and "kHWC8" in found.fix[0]


def test_plugins_of_one_sort_are_one_finding():
    layers = [
        layer(
            f"InstanceNormalization_{n}", "PluginV2", [f"t{n}"], [f"t{n + 1}"], origins=(f"InstanceNormalization_{n}",)
        )
        for n in range(3)
    ]
    (found,) = findings(RULE, on_round_device(*layers, ms=[0.1] * 3))
    assert "3 plugin layers (instancenormalization)" in found.message and "nativeInstanceNorm" in found.fix[0]
    assert found.severity is Severity.NOTE and not found.savings


def test_small_plugins_in_their_neighbors_format_are_fine():
    assert not findings(RULE, on_round_device(*between(linear=False, reformats=False), ms=[0.5, 0.01, 0.5]))
    assert not findings(RULE, on_round_device(*between(linear=False, reformats=False)))
    assert not findings(RULE, on_round_device(conv("conv", ["x"], ["y"]), ms=[1.0]))


def test_without_a_profile_the_reformats_stand():
    (found,) = findings(RULE, on_round_device(*between()))
    assert not found.savings and not found.formula


def test_plugins_without_tensors_are_unchecked():
    assert unchecked(RULE, on_round_device(layer("norm", "PluginV2", [], []), ms=[0.5]))[0].layers == (0,)


# ---- The defect that tests plant into engines, and its sound twin


PLANTER = pair(layout_detour)
