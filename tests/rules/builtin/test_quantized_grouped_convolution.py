"""Grouped and depthwise convolutions in INT8 or FP8."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from tests.factories import t
from tests.perf.round_device import round_device
from tests.rules.cases import analyzed, conv, copy, findings, half, int8, unchecked, work
from tests.rules.planting import Parts, int8_like, pair, quantized
from trex.core.tensor import Tensor
from trex.perf.performance import Performance
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Severity

NAME = "quantized-grouped-convolution"


def test_grouped_and_depthwise_are_distinguished() -> None:
    engine = analyzed(
        conv("Conv_1", [int8("x")], int8("a"), groups=4),
        conv("Conv_2", [int8("a")], int8("b"), groups=64),
        conv("Conv_3", [t("c", (1, 64, 8, 8), "FP8")], int8("y"), groups=64),
        ms=[1.0, 0.5, 0.5],
    )
    grouped, depthwise, fp8 = findings(NAME, engine)
    assert grouped.message.startswith("1 grouped convolution runs in INT8") and "50.0 %" in grouped.message
    assert depthwise.message.startswith("1 depthwise") and fp8.confidence == 0.8
    assert grouped.savings == {}  # no device, so nobody knows how fast FP16 could be


def test_savings_is_bounded_by_the_memory() -> None:
    engine = analyzed(conv("Conv_1", [int8("x", (32, 64, 64, 64))], int8("y", (32, 64, 64, 64)), groups=4), ms=[1.0])
    device = round_device()
    engine = AnalyzedEngine(Performance(engine.plan, device))
    (found,) = findings(NAME, engine)
    least = 2 * float(engine.performance.roofline.memory_ms[0])
    assert 0 < least < 1.0
    assert found.savings == {0: pytest.approx(1.0 - least)}


def test_depthwise_convolutions_have_no_savings_unless_they_are_padded() -> None:
    """Memory bounds them in either type; only a build in FP16 shows which is faster."""
    made = analyzed(conv("Conv_1", [int8("x", (32, 64, 64, 64))], int8("y", (32, 64, 64, 64)), groups=64), ms=[1.0])
    (found,) = findings(NAME, AnalyzedEngine(Performance(made.plan, round_device())))
    assert found.savings == {} and found.formula == "" and found.severity is Severity.NOTE


def test_one_group_and_floats_are_no_finding() -> None:
    assert not findings(NAME, analyzed(conv("Conv_1", [int8("x")], int8("y"))))
    assert not findings(NAME, analyzed(conv("Conv_1", [half("x")], half("y"), groups=64)))


def test_a_convolution_in_many_parts() -> None:
    parts = [conv("Conv_1", [int8("x", (1, 16, 8, 8))], int8(f"o{part}", (1, 16, 8, 8))) for part in range(4)]
    found = findings(NAME, analyzed(*parts, ms=[0.25] * 4))
    assert [each.message.split(",")[0] for each in found] == ["Conv_1 became 4 convolutions"]
    assert sum(found[0].savings.values()) == pytest.approx(0.75)
    assert not findings(NAME, analyzed(*parts[:2]))


def test_parts_may_read_slices_of_one_tensor() -> None:
    slices = [copy(f"slice_{part}", int8("x"), int8(f"s{part}")) for part in range(3)]
    parts = [conv("Conv_1", [int8(f"s{part}")], int8(f"o{part}")) for part in range(3)]
    assert len(findings(NAME, analyzed(*slices, *parts))) == 1


def test_convolutions_that_only_share_a_name_are_no_parts() -> None:
    names = "xabcy"
    chain = [conv("Conv", [int8(reads)], int8(writes)) for reads, writes in pairwise(names)]
    assert not findings(NAME, analyzed(*chain, ms=[0.1] * 4))
    others = [conv("Conv", [int8(f"x{number}")], int8(f"y{number}")) for number in range(3)]
    assert not findings(NAME, analyzed(*others, inputs=("x0", "x1", "x2")))


def test_operations_in_the_same_parts_are_one_finding() -> None:
    name = " + ".join(f"/a{number}/Conv" for number in range(100))
    parts = [conv(name, [int8("x")], int8(f"o{part}")) for part in range(3)]
    (found,) = findings(NAME, analyzed(*parts, ms=[0.1] * 3))
    assert "98 more became 3 convolutions" in found.message and len(found.message) < 200
    assert found.fix[0].endswith("98 more in FP16: remove the Q/DQ before them")


def test_unknown_groups() -> None:
    made = conv("Conv_1", [int8("x")], int8("y"))
    raw = {key: value for key, value in made.raw.items() if key != "Groups"}
    (answer,) = unchecked(NAME, analyzed(replace(made, raw=raw)))
    assert answer.layers == (0,)


def test_padding_of_a_depthwise_convolution_is_told() -> None:
    padded = work("Conv_1", "correlation", [int8("x", (1, 256, 8, 8))], int8("y", (1, 64, 8, 8)))
    padded = replace(padded, raw={**padded.raw, "Constants": [{"Dimensions": [64, 4, 3, 3]}]})
    (found,) = findings(NAME, analyzed(padded, ms=[1.0]))
    assert found.message.startswith("1 depthwise convolution runs in INT8")
    assert found.message.endswith("; 3 of 4 channels that they read are padding") and found.confidence == 0.8


# ---- The defect that tests plant into engines, and its sound twin


def grouped(x: Tensor, bad: bool) -> Parts:
    return quantized(
        x, lambda q: [(conv("Conv_902", [q], int8_like(x, "a902"), kernel=(3, 3), groups=4 if bad else 1), 0.1)]
    )


PLANTER = pair(grouped)
