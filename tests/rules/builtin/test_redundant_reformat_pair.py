"""Reformats that repeat or cancel one another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.cases import analyzed, conv, copy, findings, half, int8, single, unchecked, work
from tests.rules.planting import Parts, like, pair
from trex.core.data_type import DataType
from trex.core.tensor import Tensor

NAME = "redundant-reformat-pair"


def rows(name: str):
    return half(name, format="NCHW")


def last(name: str):
    return half(name, format="NHWC8")


def test_one_that_undoes_the_other() -> None:
    engine = analyzed(
        conv("Conv_1", [rows("x")], rows("a")),
        copy("R1", rows("a"), last("b")),
        copy("R2", last("b"), rows("c")),
        conv("Conv_2", [rows("c")], rows("y")),
        ms=[1.0, 0.2, 0.3, 1.0],
    )
    (found,) = findings(NAME, engine)
    assert found.message.startswith("R2 undoes R1: FP16 NCHW → FP16 NHWC8 → FP16 NCHW")
    assert found.savings == pytest.approx({1: 0.2, 2: 0.3})


def test_one_that_undoes_what_others_read() -> None:
    engine = analyzed(
        copy("R1", rows("x"), last("b")),
        copy("R2", last("b"), rows("c")),
        conv("Conv_1", [last("b")], last("d")),
        conv("Conv_2", [rows("c")], rows("y")),
        ms=[0.2, 0.3, 1.0, 1.0],
    )
    (found,) = findings(NAME, engine)
    assert found.savings == pytest.approx({1: 0.3})


def test_two_steps_that_could_be_one() -> None:
    engine = analyzed(
        conv("Conv_1", [single("x")], single("a")),
        copy("R1", single("a"), half("b")),
        copy("QuantizeLinear_2", half("b"), int8("c"), "QDQ"),
        conv("Conv_3", [int8("c")], int8("y")),
        ms=[1.0, 0.3, 0.2, 1.0],
    )
    (found,) = findings(NAME, engine)
    # R1 moves 16384 + 8192 bytes, of which 8192 lie between; the second 8192 + 4096
    assert found.savings == pytest.approx({1: 0.3 * 8192 / 24576, 2: 0.2 * 8192 / 12288})


def test_the_same_done_twice() -> None:
    engine = analyzed(
        conv("Conv_1", [rows("x")], rows("a")),
        copy("R1", rows("a"), last("b")),
        copy("R2", rows("a"), last("c")),
        conv("Conv_2", [last("b")], last("d")),
        conv("Conv_3", [last("c")], last("y")),
        ms=[1.0, 0.3, 0.2, 1.0, 1.0],
    )
    (found,) = findings(NAME, engine)
    assert "both convert a to FP16 NHWC8" in found.message and found.savings == pytest.approx({2: 0.2})


def test_what_is_needed_is_no_finding() -> None:
    shared = analyzed(
        copy("R1", single("x"), half("b")),
        copy("Q2", half("b"), int8("c")),
        conv("Conv_3", [half("b")], half("y")),
    )
    slices = analyzed(copy("s_copy_1", rows("a"), last("b"), "SLICE"), copy("s_copy_2", rows("a"), last("c"), "SLICE"))
    assert not findings(NAME, shared) and not findings(NAME, slices)


def test_unknown_types() -> None:
    odd = replace(half("b"), data_type=DataType.UNKNOWN)
    (answer,) = unchecked(NAME, analyzed(copy("R1", rows("x"), odd)))
    assert answer.layers == (0,)


# ---- The defect that tests plant into engines, and its sound twin


def redundant(x: Tensor, bad: bool) -> Parts:
    rows = like(x, "b901", format_="NCHW")
    if bad:
        return [(copy("Reformat_901", x, rows), 0.03), (copy("Reformat_902", rows, like(x, "c902")), 0.03)]
    return [
        (copy("Reformat_901", x, rows), 0.03),
        (work("Softmax_902", "SoftMax", [rows], like(x, "c902", format_="NCHW")), 0.3),
        (copy("Reformat_903", like(x, "c902", format_="NCHW"), like(x, "d903")), 0.03),
    ]


PLANTER = pair(redundant)
