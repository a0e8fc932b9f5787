"""Copies of slices and concatenations."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.inspections import conv, copy, findings, half, inspect, of_engine, unanswered, work

NAME = "copied-by-slice-or-concat"


def test_copies_of_one_tensor_are_one_finding() -> None:
    seen = inspect(
        conv("Gemm_1 || Gemm_2", [half("x")], half("a")),
        copy("reshape_after_Gemm_1_copy_input", half("a"), half("b"), "SLICE"),
        copy("reshape_after_Gemm_2_copy_input", half("a"), half("c"), "SLICE"),
        ms=[0.7, 0.1, 0.2],
    )
    (found,) = findings(NAME, seen)
    assert (
        "a is taken apart by 2 copies instead of a view (Gemm_1 || Gemm_2): 0.3 ms (30.0 % of the time)"
        in found.message
    )
    assert found.at_stake == pytest.approx({1: 0.1, 2: 0.2}) and found.layers == (1, 2)


def test_concatenations_by_name_and_plugins() -> None:
    seen = inspect(
        copy("/neck/Concat_3 copy", half("a"), half("b")),
        work("NMS_1", "PluginV2", [half("b")], half("y")),
        ms=[0.1, 0.9],
    )
    (found,) = findings(NAME, seen)
    assert "b is put together by 1 copy instead of a view (NMS_1): 0.1 ms" in found.message
    assert "into the plugin" in found.advice[0] and found.at_stake == pytest.approx({0: 0.1})
    assert not findings(NAME, seen, share=50.0)


def test_plain_reformats_are_no_finding() -> None:
    assert not findings(NAME, inspect(copy("Reformatting CopyNode for Input Tensor 0 to Conv_1", half("x"), half("a"))))


def test_without_times_they_are_told_without_a_price() -> None:
    seen = inspect(copy("s_copy_input", half("a"), half("b"), "SLICE"))
    (found,), (answer,) = findings(NAME, seen), unanswered(NAME, seen)
    assert found.at_stake == {} and answer.layers == (0,)


def test_the_control_network(shared_engines: Path) -> None:
    (found,) = findings(NAME, of_engine(shared_engines / "trt8.6-controlnet-a10"))
    assert len(found.layers) == 10 and "taken apart by 10 copies" in found.message
