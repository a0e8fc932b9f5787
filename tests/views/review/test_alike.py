"""Findings of one kind are told as one to people, and each by itself to programs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.synthetic.engines import synthetic_engine
from trex.engine_plan import load
from trex.export.review import FORMATS, ReviewStyle
from trex.perf.performance import Performance
from trex.rules.finding import Severity
from trex.rules.lint import review
from trex.views.review.alike import alike_text, together
from trex.views.review.reading import ReviewReading, Told, read_review
from trex.views.review.tables import review_content


def told(message: str, ms: float | None = 1.0, **more: Any) -> Told:
    given: dict[str, Any] = {
        "code": "AA001", "rule": "a", "title": "t", "severity": Severity.NOTE, "message": message, "counted_ms": ms,
        "by_itself_ms": ms, "share_pct": ms, "layers": (message.split()[0],), "indexes": (0,), "tensors": (),
        "evidence": (), "advice": (), "documentation": (), "proof": "", "formula": "", "confidence": 1.0,
    }  # fmt: skip
    return Told(**{**given, **more})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Conv_9 multiplies FP32", "/layer1.0/conv2/Conv multiplies FP32"),
        ("Conv_9 adds 'inputs' (3.4 % of the time)", "Conv_9 adds 'onnx::Add_222' (0.1 % of the time)"),
        ("a_1 converts between Conv_9 and Conv_12", "b_1 converts between Conv_2, Conv_3 and 4 more"),
        ("Conv_1 then", "Reformatting CopyNode for Output Tensor 0 to Conv_1 then"),
        ("{ForeignNode[a + b] runs} then", "Conv_2 then"),
        ("C = 3 is no multiple of 4", "C = 144 is no multiple of 32"),
    ],
)
def test_names_and_numbers_make_no_kind(one: str, other: str) -> None:
    (kind,) = together([told(one, 1.0), told(other, 3.0)])
    assert kind.message == one and kind.alike[0].message == other
    assert (kind.counted_ms, kind.by_itself_ms, kind.share_pct) == (4.0, 4.0, 4.0)


@pytest.mark.parametrize(
    "other",
    [
        told("Conv_9 writes INT8"),
        told("Conv_9 reads FP16"),
        told("Conv_9 (Reformat) writes FP16"),
        told("Conv_9 writes FP16", severity=Severity.ERROR),
        told("Conv_9 writes FP16", rule="b"),
        told("Conv_9 writes FP16", None),
        told("Conv_9 writes FP16", is_first=True),
        told("Conv_9 writes FP16", advice=("pad it",)),
    ],
)
def test_words_types_severity_and_advice_do(other: Told) -> None:
    assert len(together([told("Conv_1 writes FP16"), other])) == 2


def test_kinds_stand_by_their_sums_and_what_limits_first() -> None:
    found = together(
        [told("clocks", None, is_first=True), told("x dear", 3.0), *(told(f"l{n} cheap", 1.0) for n in range(5))]
    )
    assert [each.message for each in found] == ["clocks", "l0 cheap", "x dear"]
    assert alike_text(found[1], 2) == "… and 4 alike: l1, l2 and 2 more"
    assert alike_text(found[1]) == "… and 4 alike" and alike_text(found[2], 2) == ""


@pytest.fixture(scope="module")
def reading() -> ReviewReading:
    return read_review(review(Performance(synthetic_engine("resnet18-int8"))))


def test_nothing_is_lost(reading: ReviewReading) -> None:
    found = together(reading.findings)
    assert sum(1 + len(each.alike) for each in found) == len(reading.findings) and len(found) < 25
    whole = sum(each.counted_ms or 0.0 for each in reading.findings)
    assert sum(each.counted_ms or 0.0 for each in found) == pytest.approx(whole)


@pytest.mark.parametrize("name", ["text", "markdown"])
def test_people_read_kinds_or_all(reading: ReviewReading, name: str) -> None:
    folded = FORMATS[name].value.render(reading, ReviewStyle(top=100))
    every = FORMATS[name].value.render(reading, ReviewStyle(top=100, shows_all=True))
    assert "… and 7 alike: " in folded and "--all" in folded and " alike" not in every
    assert len(folded) < 0.75 * len(every)
    short = FORMATS[name].value.render(reading, ReviewStyle(top=1))
    assert "converts FP16 to INT8" in short and "… and 7 alike" in short


def test_a_report_holds_kinds(reading: ReviewReading) -> None:
    (table,) = [each for each in review_content(reading).tables if each.title.startswith("Findings")]
    assert "trex lint --all lists each" in table.title and len(table.rows) == len(together(reading.findings))


@pytest.mark.parametrize("name", ["json", "sarif", "junit", "github", "csv"])
def test_programs_read_every_finding(reading: ReviewReading, name: str) -> None:
    text = FORMATS[name].value.render(reading, ReviewStyle())
    assert " alike" not in text
    if name == "json":
        assert len(json.loads(text)["findings"]) == len(reading.findings)
    if name == "sarif":
        assert len(json.loads(text)["runs"][0]["results"]) == len(reading.findings)
    if name == "github":
        assert len(re.findall(r"^::\w+ title=[A-Z]+\d{3} ", text, re.MULTILINE)) == len(reading.findings)


def test_the_real_engines_of_many_findings(shared_engines: Path) -> None:
    for name, findings, kinds in (("trt8.6-controlnet-a10", 37, 12), ("trt8.4-mobilenetv2-qat", 80, 24)):
        found = read_review(review(Performance(load(shared_engines / name)))).findings
        assert len(found) >= findings and len(together(found)) <= kinds
