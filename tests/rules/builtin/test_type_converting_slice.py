"""Slices that convert the type."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.cases import analyzed, conv, findings, half, int8, unchecked, work
from tests.rules.planting import KERNEL, Parts, int8_like, like, pair
from trex.core.data_type import DataType
from trex.core.tensor import Tensor

NAME = "type-converting-slice"


def test_a_slice_that_quantizes() -> None:
    engine = analyzed(
        conv("Conv_1", [half("x")], half("a")),
        work("Slice_2", "Slice", [half("a")], int8("b")),
        conv("Conv_3", [int8("b")], int8("y")),
        ms=[0.5, 0.3, 0.2],
    )
    (found,) = findings(NAME, engine)
    assert "Slice_2 converts FP16 to INT8 while it slices, between Conv_1 and Conv_3: 0.3 ms" in found.message
    # 8192 bytes read and 4096 written: in INT8 4096 are saved of 12288
    assert found.savings == pytest.approx({1: 0.1})
    assert "so that Conv_1 writes INT8" in found.fix[0]


def test_slices_of_one_type_are_no_finding() -> None:
    assert not findings(NAME, analyzed(work("Slice_1", "Slice", [half("x")], half("y"))))
    assert not findings(NAME, analyzed(work("Slice_1", "Slice", [], half("y"))))


def test_unknown_types_and_times() -> None:
    odd = replace(half("y"), data_type=DataType.UNKNOWN)
    (answer,) = unchecked(NAME, analyzed(work("Slice_1", "Slice", [half("x")], odd)))
    assert answer.layers == (0,)
    (found,) = findings(NAME, analyzed(work("Slice_1", "Slice", [half("x")], int8("y"))))
    assert found.savings == {}


# ---- The defect that tests plant into engines, and its sound twin


def slice_of_type(x: Tensor, bad: bool) -> Parts:
    there = int8_like(x, "b901") if bad else like(x, "b901")
    return [
        (work("Slice_901", "Slice", [x], there), 0.04),
        (conv("Conv_902", [there], like(x, "c902"), tactic="" if bad else KERNEL), 0.05),
    ]


PLANTER = pair(slice_of_type)
