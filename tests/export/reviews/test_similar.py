"""People read similar findings folded, programs read every finding."""

from __future__ import annotations

import json
import re

import pytest

from tests.synthetic.engines import synthetic_engine
from trex.export.review import FORMATS, ReviewStyle
from trex.perf.performance import Performance
from trex.rules.lint import lint
from trex.rules.lint_result import LintResult
from trex.rules.similar import fold_similar
from trex.views.review.reading import similar_text
from trex.views.review.tables import lint_content


@pytest.fixture(scope="module")
def result() -> LintResult:
    return lint(Performance(synthetic_engine("resnet18-int8")))


@pytest.mark.parametrize("name", ["text", "markdown"])
def test_people_read_folded_findings_or_all(result: LintResult, name: str) -> None:
    folded = FORMATS[name].value.render(result, ReviewStyle(top=100))
    every = FORMATS[name].value.render(result, ReviewStyle(top=100, shows_all=True))
    assert "… and 7 similar: " in folded and "--all" in folded and " similar" not in every
    assert len(folded) < 0.75 * len(every)
    short = FORMATS[name].value.render(result, ReviewStyle(top=1))
    assert "converts FP16 to INT8" in short and "… and 7 similar" in short


def test_a_line_for_similar_findings(result: LintResult) -> None:
    folded = next(finding for finding in fold_similar(result.findings) if len(finding.similar) == 7)
    assert re.fullmatch("… and 7 similar: .+, .+ and 5 more", similar_text(folded, 2))
    assert similar_text(folded) == "… and 7 similar" and similar_text(folded.similar[0], 2) == ""


def test_a_report_folds(result: LintResult) -> None:
    (table,) = [table for table in lint_content(result).tables if table.title.startswith("Findings")]
    assert "trex lint --all lists each" in table.title and len(table.rows) == len(fold_similar(result.findings))


@pytest.mark.parametrize("name", ["json", "sarif", "junit", "github", "csv"])
def test_programs_read_every_finding(result: LintResult, name: str) -> None:
    text = FORMATS[name].value.render(result, ReviewStyle())
    assert "… and" not in text
    if name == "json":
        assert len(json.loads(text)["findings"]) == len(result.findings)
    if name == "sarif":
        assert len(json.loads(text)["runs"][0]["results"]) == len(result.findings)
    if name == "github":
        assert len(re.findall(r"^::\w+ title=[A-Z]+\d{3} ", text, re.MULTILINE)) == len(result.findings)
