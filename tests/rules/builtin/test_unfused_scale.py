"""Q/DQ that runs as Scale layers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.rules.inspections import conv, findings, half, inspect, int8, of_engine, unanswered, work
from trex.core.data_type import DataType

NAME = "unfused-scale"


def test_a_scale_that_quantizes() -> None:
    seen = inspect(
        work("QuantLinearNode__9", "Scale", [half("x")], int8("a")),
        conv("Conv_1", [int8("a")], int8("y")),
        ms=[0.2, 0.3],
    )
    (found,) = findings(NAME, seen)
    assert "QuantLinearNode__9 is Q/DQ that did not fuse: a Scale layer from FP16 to INT8, 0.2 ms" in found.message
    assert found.at_stake == {0: pytest.approx(0.2)}


def test_a_scale_named_after_q_that_keeps_its_type() -> None:
    (found,) = findings(NAME, inspect(work("QuantizeLinear_1", "Scale", [half("x")], half("y"))))
    assert found.at_stake == {}


def test_scales_of_floats_are_no_finding() -> None:
    assert not findings(NAME, inspect(work("Mul_1 + Add_2", "Scale", [half("x")], half("y"))))


def test_unknown_types() -> None:
    odd = replace(half("x"), data_type=DataType.UNKNOWN)
    (answer,) = unanswered(NAME, inspect(work("s", "Scale", [odd], replace(odd, name="y"))))
    assert answer.layers == (0,)


def test_group_normalization_is_none(shared_engines: Path) -> None:
    assert not findings(NAME, of_engine(shared_engines / "trt8.6-controlnet-a10"))
