"""Similar findings are folded into one for people; nothing is lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trex.core.configuration import LintSettings
from trex.engine_plan import load
from trex.perf.performance import Performance
from trex.rules.finding import Severity
from trex.rules.lint import lint
from trex.rules.lint_result import RankedFinding
from trex.rules.similar import fold_similar


def ranked(message: str, ms: float | None = 1.0, **more: Any) -> RankedFinding:
    given: dict[str, Any] = {
        "message": message, "layers": (0,), "code": "AA001", "rule": "a", "title": "t", "severity": Severity.NOTE,
        "savings_ms": ms, "savings_alone_ms": ms, "likely_savings_ms": ms, "share_pct": ms,
        "layer_names": (message.split()[0],),
    }  # fmt: skip
    return RankedFinding(**{**given, **more})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Conv_9 multiplies FP32", "/layer1.0/conv2/Conv multiplies FP32"),
        ("Conv_9 adds 'inputs' (3.4 % of time)", "Conv_9 adds 'onnx::Add_222' (0.1 % of time)"),
        ("a_1 converts between Conv_9 and Conv_12", "b_1 converts between Conv_2, Conv_3 and 4 more"),
        ("Conv_1 then", "Reformatting CopyNode for Output Tensor 0 to Conv_1 then"),
        ("{ForeignNode[a + b] runs} then", "Conv_2 then"),
        ("C = 3 is not a multiple of 4", "C = 144 is not a multiple of 32"),
    ],
)
def test_names_and_numbers_make_no_difference(one: str, other: str) -> None:
    (folded,) = fold_similar([ranked(one, 1.0), ranked(other, 3.0)])
    assert folded.message == one and folded.similar[0].message == other
    assert (folded.savings_ms, folded.savings_alone_ms, folded.likely_savings_ms, folded.share_pct) == (4.0,) * 4


@pytest.mark.parametrize(
    "other",
    [
        ranked("Conv_9 writes INT8"),
        ranked("Conv_9 reads FP16"),
        ranked("Conv_9 (Reformat) writes FP16"),
        ranked("Conv_9 writes FP16", severity=Severity.ERROR),
        ranked("Conv_9 writes FP16", rule="b"),
        ranked("Conv_9 writes FP16", None),
        ranked("Conv_9 writes FP16", is_first=True),
        ranked("Conv_9 writes FP16", fix=("pad it",)),
    ],
)
def test_words_types_severity_and_fix_do(other: RankedFinding) -> None:
    assert len(fold_similar([ranked("Conv_1 writes FP16"), other])) == 2


def test_order_is_by_sums_after_what_comes_first() -> None:
    findings = [ranked("clocks", None, is_first=True), ranked("x large", 3.0)]
    folded = fold_similar([*findings, *(ranked(f"l{n} small", 1.0) for n in range(5))])
    assert [finding.message for finding in folded] == ["clocks", "l0 small", "x large"]
    assert len(folded[1].similar) == 4


def test_nothing_is_lost(shared_engines: Path) -> None:
    findings = lint(Performance(load(shared_engines / "trt8.6-controlnet-slow-run")), LintSettings(select=("REF*",)))
    block = [replace(finding, message=f"Add_{n} runs in FP16") for n, finding in enumerate(findings.findings * 3)]
    for reported in (findings.findings, block):
        folded = fold_similar(reported)
        assert sum(1 + len(finding.similar) for finding in folded) == len(reported)
        total = sum(finding.savings_ms or 0.0 for finding in reported)
        assert sum(finding.savings_ms or 0.0 for finding in folded) == pytest.approx(total)


def test_what_is_likely_comes_first() -> None:
    bold = ranked("Conv_1 writes FP16", 4.0, likely_savings_ms=0.5)
    sure = ranked("Conv_2 reads INT8", 2.0, likely_savings_ms=1.8)
    assert [finding.message for finding in fold_similar([bold, sure])] == [sure.message, bold.message]


def test_a_rule_that_reports_layer_by_layer_is_read_once(shared_engines: Path) -> None:
    adds = lint(Performance(load(shared_engines / "trt8.4-mobilenetv2-qat")), LintSettings(select=("QDQ002",))).findings
    assert len(adds) == 10 and len(fold_similar(adds)) == 2  # in FP16 and in FP32
