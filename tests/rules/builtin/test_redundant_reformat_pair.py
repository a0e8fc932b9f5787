"""Reformats that repeat or cancel one another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.rules.inspections import conv, copy, findings, half, inspect, int8, of_engine, single, unanswered
from trex.core.data_type import DataType

NAME = "redundant-reformat-pair"


def rows(name: str):
    return half(name, format="NCHW")


def last(name: str):
    return half(name, format="NHWC8")


def test_one_that_takes_back_the_other() -> None:
    seen = inspect(
        conv("Conv_1", [rows("x")], rows("a")),
        copy("R1", rows("a"), last("b")),
        copy("R2", last("b"), rows("c")),
        conv("Conv_2", [rows("c")], rows("y")),
        ms=[1.0, 0.2, 0.3, 1.0],
    )
    (found,) = findings(NAME, seen)
    assert found.message.startswith("R2 takes back what R1 did: FP16 NCHW → FP16 NHWC8 → FP16 NCHW")
    assert found.at_stake == pytest.approx({1: 0.2, 2: 0.3})


def test_one_that_takes_back_what_others_read_is_needless_alone() -> None:
    seen = inspect(
        copy("R1", rows("x"), last("b")),
        copy("R2", last("b"), rows("c")),
        conv("Conv_1", [last("b")], last("d")),
        conv("Conv_2", [rows("c")], rows("y")),
        ms=[0.2, 0.3, 1.0, 1.0],
    )
    (found,) = findings(NAME, seen)
    assert found.at_stake == pytest.approx({1: 0.3})


def test_two_steps_that_could_be_one() -> None:
    seen = inspect(
        conv("Conv_1", [single("x")], single("a")),
        copy("R1", single("a"), half("b")),
        copy("QuantizeLinear_2", half("b"), int8("c"), "QDQ"),
        conv("Conv_3", [int8("c")], int8("y")),
        ms=[1.0, 0.3, 0.2, 1.0],
    )
    (found,) = findings(NAME, seen)
    # R1 moves 16384 + 8192 bytes, of which 8192 lie between; the second 8192 + 4096
    assert found.at_stake == pytest.approx({1: 0.3 * 8192 / 24576, 2: 0.2 * 8192 / 12288})


def test_the_same_made_twice() -> None:
    seen = inspect(
        conv("Conv_1", [rows("x")], rows("a")),
        copy("R1", rows("a"), last("b")),
        copy("R2", rows("a"), last("c")),
        conv("Conv_2", [last("b")], last("d")),
        conv("Conv_3", [last("c")], last("y")),
        ms=[1.0, 0.3, 0.2, 1.0, 1.0],
    )
    (found,) = findings(NAME, seen)
    assert "make the same of one tensor, a" in found.message and found.at_stake == pytest.approx({2: 0.2})


def test_what_is_needed_is_no_finding() -> None:
    shared = inspect(
        copy("R1", single("x"), half("b")),
        copy("Q2", half("b"), int8("c")),
        conv("Conv_3", [half("b")], half("y")),
    )
    slices = inspect(copy("s_copy_1", rows("a"), last("b"), "SLICE"), copy("s_copy_2", rows("a"), last("c"), "SLICE"))
    assert not findings(NAME, shared) and not findings(NAME, slices)


def test_unknown_types() -> None:
    odd = replace(half("b"), data_type=DataType.UNKNOWN)
    (answer,) = unanswered(NAME, inspect(copy("R1", rows("x"), odd)))
    assert answer.layers == (0,)


def test_the_pooling_of_the_published_story(shared_engines: Path) -> None:
    for name in ("qat", "qat-residual", "qat-residual-qgap"):
        assert not findings(NAME, of_engine(shared_engines / f"trt8.4-resnet18-a100-{name}"))
