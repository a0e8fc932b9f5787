"""Settings on top of settings."""

from __future__ import annotations

import pytest

from trex.core.configuration import CompareConfiguration, Limit, LintSettings


def test_more_settings_select_instead_and_ignore_and_limit_as_well() -> None:
    first = LintSettings(("A",), ("B",), {"A": {"x": 1.0, "y": 2.0}}, "note")
    more = LintSettings(("C",), ("D",), {"A": {"x": 3.0}, "E": {"z": 4.0}}, "error")
    assert first.with_more(more) == LintSettings(
        ("C",), ("B", "D"), {"A": {"x": 3.0, "y": 2.0}, "E": {"z": 4.0}}, "error"
    )
    assert first.with_more(LintSettings()) == first


@pytest.mark.parametrize(
    ("engine", "is_limited"),
    [
        ("net-int8", True),
        ("Net-INT8.onnx.engine", True),
        ("net-int8.plan", True),
        ("net-int8-residual.onnx.engine", False),
        ("net-fp32.trt", False),
    ],
)
def test_limits_of_an_engine_fit_its_name_with_its_files_endings_or_without(engine: str, is_limited: bool) -> None:
    limit = Limit("latency", "+3%")
    for glob in ("*-int8", f"{engine.upper()}" if is_limited else "*-int8"):
        limits = CompareConfiguration(engines=((glob, {"latency": limit}),)).limits_for(engine)
        assert limits == (limit,) * is_limited
