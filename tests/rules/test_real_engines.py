"""How many findings of each rule the real engines have, and what the messages of some say."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from trex.core.configuration import LintSettings
from trex.engine_plan import load
from trex.perf.performance import Performance
from trex.rules.lint import lint
from trex.rules.lint_result import LintResult

# The published story: a quantized ResNet18, then with quantized residuals, then with a quantized global pooling.
QAT, RESIDUAL, QGAP = (f"trt8.4-resnet18-a100-qat{change}" for change in ("", "-residual", "-residual-qgap"))
MOBILENET, MOBILENET_RESIDUALS = "trt8.4-mobilenetv2-qat", "trt8.4-mobilenetv2-qat-residuals"
CONTROLNET, SLOW_CONTROLNET = "trt8.6-controlnet-a10", "trt8.6-controlnet-slow-run"
COUNTS = {
    QAT: {"QDQ001": 1, "QDQ008": 2, "REF003": 1},
    RESIDUAL: {"QDQ002": 1, "QDQ008": 1, "REF003": 1},
    QGAP: {"REF003": 1},
    MOBILENET: {"LAUN004": 1, "QDQ001": 1, "QDQ006": 1, "QDQ008": 1},
    MOBILENET_RESIDUALS: {"QDQ006": 1, "QDQ008": 1},
    CONTROLNET: {"FUSE001": 1, "MOVE001": 1, "OPAQ001": 1, "PLUG001": 1, "PREC004": 1, "REF001": 1},
    "trt8.4-resnet18-a100-fp32": {"MEAS001": 1, "PREC004": 1},
    "trt8.4-resnet18-a100-fp16": {"REF003": 1},
}
SILENT = (
    "ATTN001", "BUILD001", "BUILD002", "BUILD005", "BUILD006", "CONV001", "CONV003", "INFO001", "LAUN001", "LAUN002",
    "LAUN003", "MEAS002", "MEM001", "NORM001", "PREC001", "PREC002", "QDQ004", "QDQ007", "QDQ009", "REF005",
    "ROOF001", "SHAPE001", "SHAPE003", "SHAPE004", "SPARSE001",
)  # fmt: skip
"""Rules that find nothing in these engines. Rules that are in neither table are not checked here."""
ADDS = "Add_36, Add_61, Add_97, Add_122, Add_158, Add_183, Add_219 and Add_244"


@cache
def result_of(folder: Path) -> LintResult:
    return lint(Performance(load(folder)))


@pytest.mark.parametrize("name", COUNTS)
def test_findings_of_each_rule(shared_engines: Path, name: str) -> None:
    checked = {*SILENT, *(code for counts in COUNTS.values() for code in counts)}
    codes = [finding.code for finding in result_of(shared_engines / name).findings]
    assert Counter(code for code in codes if code in checked) == COUNTS[name]


@pytest.mark.parametrize(
    ("name", "code", "words", "layers"),
    [
        (QAT, "QDQ001", f"11 quantized layers write FP16 because of residual adds: {ADDS}", 11),
        (RESIDUAL, "QDQ002", "although its residual is quantized: DequantizeLinear_291 converts it back", 2),
        (RESIDUAL, "QDQ008", "GlobalAveragePool_294 runs in FP32 between quantized layers: Conv_284 writes floats", 3),
        (QGAP, "REF003", "quantizes FP32 NCHW to INT8 NCHW: 0.0952 ms (14.2 % of time)", 1),
        (SLOW_CONTROLNET, "REF005", "79 reformats (58 Reformat, 21 MyelinReformat) take 0.931 ms (7.2 % of time)", 79),
        (CONTROLNET, "MOVE001", "is split by 10 copies instead of a view", 10),
        (CONTROLNET, "REF001", "run in NHWC4 between NCHW layers, which causes 28 reformats: 0.136 ms", 43),
        (MOBILENET, "QDQ006", "17 depthwise convolutions run in INT8", 17),
    ],
)
def test_messages(shared_engines: Path, name: str, code: str, words: str, layers: int) -> None:
    findings = [finding for finding in result_of(shared_engines / name).findings if finding.code == code]
    assert layers in [len(finding.layers) for finding in findings if words in finding.message]


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        (QAT, "QDQ009", "10 kernels only convert types: 0.208 ms (19.0 % of time)"),
        (QAT, "PREC002", "MaxPool_12"),
        (QAT, "REF005", "12 reformats take 0.279 ms (25.4 % of time)"),
        (QAT, "QDQ002", "Add_36 runs in FP16"),
        (RESIDUAL, "REF005", "3 reformats take 0.116 ms (15.8 % of time)"),
        (RESIDUAL, "ROOF001", "Conv_284 (Convolution) takes 0.0696 ms"),
        ("trt8.4-resnet18-a100-fp32", "CONV001", "Conv_0 multiplies FP32 without tensor cores"),
    ],
)
def test_general_findings_that_others_explain(shared_engines: Path, name: str, code: str, words: str) -> None:
    """The rule finds it; next to the findings that say why, it is left out."""
    alone = lint(Performance(load(shared_engines / name)), LintSettings(select=(code,)))
    assert any(words in finding.message for finding in alone.findings)
    assert code not in [finding.code for finding in result_of(shared_engines / name).findings]
