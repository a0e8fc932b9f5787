"""Banners of trtexec and the versions in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.ingest.logs.banner import Banner, parse_banner, version_text


@pytest.mark.parametrize(
    ("number", "text"),
    [(7201, "7.2.1"), (8203, "8.2.3"), (8601, "8.6.1"), (9300, "9.3.0"), (101600, "10.16.0"), (110102, "11.1.2")],
)
def test_version_numbers(number: int, text: str) -> None:
    assert version_text(number) == text


def test_other_numbers_are_no_version() -> None:
    assert version_text(12) == ""


def test_banners() -> None:
    assert parse_banner("&&&& RUNNING TensorRT.trtexec [TensorRT v101600] [b72] # trtexec --onnx=a.onnx") == Banner(
        "RUNNING", "10.16.0", "trtexec --onnx=a.onnx"
    )
    assert parse_banner("&&&& PASSED TensorRT.trtexec # trtexec --int8") == Banner("PASSED", "", "trtexec --int8")
    assert parse_banner("&&&& TASK_BEGIN [iter=0] BuildRoute = 'x'") is None


@given(st.text(alphabet="&RUNIG Tensor.[]v0123b#:<-=%()msinax,", max_size=80))
def test_any_text_is_a_banner_or_none(text: str) -> None:
    parse_banner("&&&& " + text)
