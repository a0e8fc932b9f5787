"""Grouped and depthwise convolutions in INT8 or FP8."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.perf.round_device import round_device
from tests.rules.inspections import conv, findings, half, inspect, int8, of_engine, t, unanswered
from trex.perf.performance import Performance
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import Severity

NAME = "quantized-grouped-convolution"


def test_grouped_and_depthwise_are_told_apart() -> None:
    seen = inspect(
        conv("Conv_1", [int8("x")], int8("a"), groups=4),
        conv("Conv_2", [int8("a")], int8("b"), groups=64),
        conv("Conv_3", [t("c", (1, 64, 8, 8), "FP8")], int8("y"), groups=64),
        ms=[1.0, 0.5, 0.5],
    )
    grouped, depthwise, fp8 = findings(NAME, seen)
    assert grouped.message.startswith("1 grouped convolution runs in INT8") and "50.0 %" in grouped.message
    assert depthwise.message.startswith("1 depthwise") and fp8.confidence == 0.8
    assert grouped.at_stake == {}  # no device, so nobody knows how fast FP16 could be


def test_what_is_at_stake_is_bounded_by_the_memory() -> None:
    seen = inspect(conv("Conv_1", [int8("x", (32, 64, 64, 64))], int8("y", (32, 64, 64, 64)), groups=4), ms=[1.0])
    device = round_device()
    seen = Inspected(Performance(seen.plan, device))
    (found,) = findings(NAME, seen)
    least = 2 * float(seen.performance.roofline.memory_ms[0])
    assert 0 < least < 1.0
    assert found.at_stake == {0: pytest.approx(1.0 - least)}


def test_one_group_and_floats_are_no_finding() -> None:
    assert not findings(NAME, inspect(conv("Conv_1", [int8("x")], int8("y"))))
    assert not findings(NAME, inspect(conv("Conv_1", [half("x")], half("y"), groups=64)))


def test_a_convolution_in_many_parts() -> None:
    parts = [conv("Conv_1", [int8("x", (1, 16, 8, 8))], int8(f"o{part}", (1, 16, 8, 8))) for part in range(4)]
    found = findings(NAME, inspect(*parts, ms=[0.25] * 4))
    assert [each.message.split(",")[0] for each in found] == ["Conv_1 became 4 convolutions"]
    assert found[0].at_stake_ms == pytest.approx(0.75)
    assert not findings(NAME, inspect(*parts[:2]))


def test_groups_that_are_not_told() -> None:
    made = conv("Conv_1", [int8("x")], int8("y"))
    raw = {key: value for key, value in made.raw.items() if key != "Groups"}
    (answer,) = unanswered(NAME, inspect(replace(made, raw=raw)))
    assert answer.layers == (0,)


def test_mobilenet(shared_engines: Path) -> None:
    (found,) = findings(NAME, of_engine(shared_engines / "trt8.4-mobilenetv2-qat"))
    assert len(found.layers) == 17 and found.severity is Severity.NOTE
