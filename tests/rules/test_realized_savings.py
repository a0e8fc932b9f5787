"""Builds before and after a fix: likely savings compared with what GPU compute fell by."""

from __future__ import annotations

from pathlib import Path

import pytest

from trex.engine_plan import load
from trex.perf.performance import Performance
from trex.rules.lint import lint
from trex.rules.lint_result import LintResult

A100 = "trt8.4-resnet18-a100"
MOBILENET = "trt8.4-mobilenetv2-qat"
PAIRS = [
    (f"{A100}-qat", f"{A100}-qat-residual", ("QDQ001", "QDQ002", "QDQ008", "QDQ009"), "GlobalAveragePool"),
    (f"{A100}-qat-residual", f"{A100}-qat-residual-qgap", ("QDQ001", "QDQ002", "QDQ008"), ""),
    (f"{A100}-qat", f"{A100}-qat-residual-qgap", ("QDQ001", "QDQ002", "QDQ008", "QDQ009"), ""),
    (MOBILENET, f"{MOBILENET}-residuals", ("QDQ001", "QDQ002", "QDQ009"), "GlobalAveragePool"),
    (f"{A100}-fp32", f"{A100}-fp16", ("PREC004",), ""),
    ("trt8.2-resnet50-rtx3090-fp32", "trt8.2-resnet50-rtx3090-fp16", ("PREC004",), ""),
]
"""Before, after, rules whose findings were fixed, a word of messages that were not."""


def result_of(folder: Path) -> LintResult:
    return lint(Performance(load(folder)))


@pytest.mark.parametrize(("before", "after", "codes", "left"), PAIRS)
def test_likely_savings_are_about_those_realized(
    shared_engines: Path, before: str, after: str, codes: tuple[str, ...], left: str
) -> None:
    old, new = result_of(shared_engines / before), result_of(shared_engines / after)
    assert old.total_kind == new.total_kind == "GPU compute" and old.total_ms and new.total_ms
    realized = old.total_ms - new.total_ms
    fixed = [each for each in old.findings if each.code in codes and not (left and left in each.message)]
    likely = sum(each.likely_savings_ms or 0.0 for each in fixed)
    assert 0.7 * realized <= likely <= 1.4 * realized
    assert 0.9 * realized <= sum(each.savings_ms or 0.0 for each in fixed) <= 1.5 * realized
