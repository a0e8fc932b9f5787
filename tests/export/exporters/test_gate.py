"""JUnit and GitHub: the results of the gate, the verdict without one, and which commands can write them."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from tests.simulated_examples import load_simulated
from trex.compare.condition import Condition
from trex.compare.gate import GateResult, GateStatus
from trex.compare.plan_diff import PlanDiff
from trex.compare.series import EngineSeries
from trex.core.errors import TrexError
from trex.export.document import render_document
from trex.views.compare.document import comparison_document, series_document
from trex.views.document import Document
from trex.views.summary import summary_document

EVIL = "\x1b[31m<b>\r\n::error title=x::y, ]]> %0A ,:"


@pytest.fixture(scope="module")
def document() -> Document:
    """One result of each kind, all hostile."""
    condition = Condition(EVIL, "layer", EVIL, 1.0, True)
    judged = tuple(GateResult(condition, status, EVIL, EVIL) for status in GateStatus)
    comparison = PlanDiff(load_simulated("resnet18-int8"), load_simulated("resnet18-int8-residual"))
    return comparison_document(comparison, judged=judged)


def test_results_are_cases(document: Document) -> None:
    suite = ElementTree.fromstring(render_document(document, "junit"))[0]
    counts = {key: suite.get(key) for key in ("tests", "failures", "errors")}
    assert counts == {"tests": "4", "failures": "1", "errors": "1"}


def test_results_are_annotations(document: Document) -> None:
    lines = render_document(document, "github").decode().splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::notice", "::notice", "::error", "::warning"]


def test_without_a_gate_there_is_the_verdict() -> None:
    comparison = PlanDiff(load_simulated("resnet18-fp16"), load_simulated("resnet18-int8"))
    document = comparison_document(comparison)
    (case,) = ElementTree.fromstring(render_document(document, "junit"))[0]
    assert case.get("name") == "verdict" and comparison.verdict in (case[0].text or "")
    assert comparison.verdict in render_document(document, "github").decode().replace("%25", "%")


def test_of_a_series_the_sentences_about_all_engines_are_written() -> None:
    base, *others = (load_simulated(f"resnet18-{name}") for name in ("fp16", "int8", "int8-residual"))
    document = series_document(EngineSeries(base, others))
    words = render_document(document, "github").decode()
    assert words.count("\n") == 1 and "Fastest, predicted: resnet18-int8-residual" in words
    assert "resnet18-int8: Verdict" not in (
        ElementTree.fromstring(render_document(document, "junit"))[0][0][0].text or ""
    )


@pytest.mark.parametrize("name", ["junit", "github", "trace"])
def test_other_commands_say_which_can(name: str) -> None:
    document = summary_document(load_simulated("resnet18-int8"))
    with pytest.raises(TrexError, match=f"trex summary does not write {name}") as caught:
        render_document(replace(document, notes=()), name)
    assert "can; here: " in str(caught.value.hint)
