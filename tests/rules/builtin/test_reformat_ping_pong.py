"""Layouts that change for one layer and back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.cases import analyzed, conv, copy, findings, half, unchecked, work
from tests.rules.planting import layout_detour, pair
from trex.core.tensor_format import UNKNOWN_FORMAT

NAME = "reformat-ping-pong"


def rows(name: str):
    return half(name, format="NCHW")


def last(name: str):
    return half(name, format="NHWC8")


def engine(kind: str = "PluginV2", ms: tuple[float, ...] = (1.0, 0.2, 0.1, 0.3, 1.0), back=last):
    return analyzed(
        conv("Conv_1", [last("x")], last("a")),
        copy("R1", last("a"), rows("b")),
        work("Norm_2", kind, [rows("b")], rows("c")),
        copy("R2", rows("c"), back("d")),
        conv("Conv_3", [back("d")], back("y")),
        ms=ms,
    )


def test_the_layer_that_forces_its_layout_is_named() -> None:
    (found,) = findings(NAME, engine())
    assert found.message.startswith("Norm_2 runs in NCHW between NHWC8 layers, which causes 2 reformats")
    assert found.layers == (2, 1, 3) and found.savings == pytest.approx({1: 0.2, 3: 0.3})
    assert "supportsFormatCombination" in found.fix[0]


def test_a_plugin_that_tensorrt_replaces_is_named() -> None:
    made = engine()
    layers = [replace(each, raw={**each.raw, "PluginType": "InstanceNormalization_TRT"}) for each in made.layers]
    (found,) = findings(NAME, analyzed(*layers, ms=made.times))
    assert "--nativeInstanceNorm" in found.fix[0] and "supportsFormatCombination" in found.fix[1]


def test_layers_between_and_several_detours_are_one_finding() -> None:
    layers = []
    for turn in range(2):
        layers += [
            conv(f"Conv_{turn}", [last(f"x{turn}")], last(f"a{turn}")),
            copy(f"R{turn}", last(f"a{turn}"), rows(f"b{turn}")),
            work(f"Norm_{turn}", "PluginV2", [rows(f"b{turn}")], rows(f"c{turn}")),
            work(f"Mul_{turn}", "Scale", [rows(f"c{turn}")], rows(f"d{turn}")),
            copy(f"S{turn}", rows(f"d{turn}"), last(f"x{turn + 1}")),
        ]
    (found,) = findings(NAME, analyzed(*layers))
    assert "Norm_0 and Norm_1 run in NCHW between NHWC8 layers, which causes 4 reformats" in found.message
    assert found.savings == {} and found.confidence == 0.5
    assert not findings(NAME, analyzed(*layers[:5]), layers=1)


def test_what_is_no_ping_pong() -> None:
    assert not findings(NAME, engine(back=rows))  # never comes back
    assert not findings(NAME, engine(ms=(1.0, 0.1, 5.0, 0.1, 1.0)))  # the layer between is worth it
    assert not findings(NAME, analyzed(conv("Conv_1", [last("x")], last("y"))))


def test_unknown_layouts() -> None:
    odd = replace(half("b"), format=UNKNOWN_FORMAT)
    (answer,) = unchecked(NAME, analyzed(copy("R1", last("x"), odd)))
    assert answer.layers == (0,)


# ---- The defect that tests plant into engines, and its sound twin


PLANTER = pair(layout_detour)
