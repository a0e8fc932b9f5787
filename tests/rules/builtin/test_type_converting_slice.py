"""Slices that convert the type."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.inspections import conv, findings, half, inspect, int8, unanswered, work
from trex.core.data_type import DataType

NAME = "type-converting-slice"


def test_a_slice_that_quantizes() -> None:
    seen = inspect(
        conv("Conv_1", [half("x")], half("a")),
        work("Slice_2", "Slice", [half("a")], int8("b")),
        conv("Conv_3", [int8("b")], int8("y")),
        ms=[0.5, 0.3, 0.2],
    )
    (found,) = findings(NAME, seen)
    assert "Slice_2 converts FP16 to INT8 while it slices, between Conv_1 and Conv_3: 0.3 ms" in found.message
    # 8192 bytes read and 4096 written: in INT8 4096 are saved of 12288
    assert found.at_stake == pytest.approx({1: 0.1})
    assert "so that Conv_1 writes INT8" in found.advice[0]


def test_slices_of_one_type_are_no_finding() -> None:
    assert not findings(NAME, inspect(work("Slice_1", "Slice", [half("x")], half("y"))))
    assert not findings(NAME, inspect(work("Slice_1", "Slice", [], half("y"))))


def test_unknown_types_and_times() -> None:
    odd = replace(half("y"), data_type=DataType.UNKNOWN)
    (answer,) = unanswered(NAME, inspect(work("Slice_1", "Slice", [half("x")], odd)))
    assert answer.layers == (0,)
    (found,) = findings(NAME, inspect(work("Slice_1", "Slice", [half("x")], int8("y"))))
    assert found.at_stake == {}
