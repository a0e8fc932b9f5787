"""Findings in every format, of a hostile result in which everything happens: complete, and no text is a command."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

from tests import factories, sarif_structure
from tests.factories import layer, times
from tests.simulated_examples import load_simulated
from tests.synthetic.engines import synthetic_engine
from trex.core.configuration import LintSettings, Suppression
from trex.core.note import Note
from trex.core.registry import Plug
from trex.export.document import RenderStyle, format_names, render_document
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.lint import lint
from trex.rules.lint_result import LintResult
from trex.rules.rule import RULES, Rule
from trex.rules.similar import fold_similar
from trex.views.lint import lint_document

EVIL = "\x1b[31m<script>alert(1)</script>\r\n::error title=x::y, =cmd|' /C'!A0 ]]> | `a` \ud800 %0A [l](http://x) ,:"
ADDS = LintSettings(select=("QDQ002",))
"""One finding per residual add."""
SUPPRESSION = Suppression("AA001", "known " + EVIL, ("hidden",))


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch) -> EnginePlan:
    """An engine of which every text is hostile, and rules that find, fail, and find nothing."""

    def finds(engine: Any, limits: Any) -> Iterator[Finding | Unchecked]:
        yield Finding("first " + EVIL, severity=Severity.ERROR)
        yield Finding(
            EVIL, (0, 1), engine.savings([0, 1]), "formula " + EVIL,
            (Evidence(EVIL, EVIL), Evidence("n", float("nan"), "ms")),
            (EVIL, "second"), ("a guide", EVIL), "check " + EVIL, 0.5, tensors=(EVIL,),
        )  # fmt: skip
        yield Finding("=HIDDEN()" + EVIL, (2,), engine.savings([2]), severity=Severity.NOTE)
        yield Unchecked(EVIL, EVIL, (0,))

    def fails(engine: Any, limits: Any) -> Iterator[Finding]:
        raise ValueError(EVIL)
        yield

    module = ModuleType("a")
    module.__doc__ = "Title.\n\nWhat it finds: a thing.\nWhy it matters: it does."
    plugs = {
        "finds": Plug("finds", module, Rule("AA001", "a title", Severity.WARNING, finds)),
        "fails": Plug("fails", module, Rule("BB001", "another", Severity.WARNING, fails)),
        "quiet": Plug("quiet", module, Rule("CC001", "nothing", Severity.NOTE, lambda engine, limits: ())),
    }
    monkeypatch.setitem(RULES.__dict__, "_loaded", (plugs, ()))
    whole = factories.engine(layer(EVIL), layer("b" * 5000), layer("hidden"))
    plan = EnginePlan(whole, name=EVIL)
    object.__setattr__(plan, "times", times(whole.layers, 1.0, 2.0, 3.0))
    return plan


@pytest.fixture
def hostile(plan: EnginePlan) -> LintResult:
    return lint(Performance(plan), LintSettings(suppressions=(SUPPRESSION,)))


def rendered(format: str, result: LintResult, style: RenderStyle | None = None, **options: Any) -> str:
    return render_document(lint_document(result, **options), format, style).decode("utf-8")


@pytest.mark.parametrize("name", [name for name in format_names("lint") if name not in ("xlsx", "parquet", "html")])
def test_no_format_has_control_characters(hostile: LintResult, name: str) -> None:
    text = rendered(name, hostile, explain=True, shows_suppressed=True)
    assert all(character.isprintable() or character == "\n" for character in text)


def test_json_contains_everything(hostile: LintResult) -> None:
    data = json.loads(rendered("json", hostile))
    section = data["sections"]["findings"]
    assert section["data"]["total_ms"] == 6.0 and section["data"]["savings_ms"] == 3.0
    second, first = section["findings"]
    assert first["severity"] == "error" and first["savings_ms"] is None and first["layers"] == []
    assert second["savings_ms"] == 3.0 and second["savings_pct"] == 50.0 and second["confidence"] == 0.5
    assert [item["index"] for item in second["layers"]] == [0, 1]
    assert second["evidence"][1] == {"what": "n", "value": None, "unit": "ms"}
    (suppressed,) = data["sections"]["suppressed"]["data"]["suppressed"]
    assert suppressed["suppressed"].startswith("known")
    assert data["sections"]["unchecked"]["data"]["unchecked"][0]["layers"] == 1
    assert [note["code"] for note in data["notes"]] == ["rule-failed"] and "BB001" in data["notes"][0]["message"]
    assert [rule["code"] for rule in section["data"]["rules"]] == ["AA001", "BB001", "CC001"]


def test_sarif_has_the_structure_of_the_standard(hostile: LintResult) -> None:
    document = json.loads(rendered("sarif", hostile))
    sarif_structure.check(document)
    (run,) = document["runs"]
    assert [result["level"] for result in run["results"]] == ["warning", "error", "note"]
    assert [bool(result.get("suppressions")) for result in run["results"]] == [False, False, True]
    assert len(run["results"][0]["locations"][0]["logicalLocations"]) == 2
    assert not run["invocations"][0]["executionSuccessful"]
    notifications = run["invocations"][0]["toolExecutionNotifications"]
    assert [notification["level"] for notification in notifications] == ["error", "note"]
    assert "\\[l\\]" in run["results"][0]["message"]["text"], "no link in the message"
    fingerprints = [result["partialFingerprints"]["ruleAndLayers/v1"] for result in run["results"]]
    assert len(set(fingerprints)) == 3


@pytest.mark.parametrize("name", ["sarif", "junit", "github"])
def test_problems_of_the_files_and_the_profile_are_in_every_format(name: str) -> None:
    layers = [replace(layer("a"), profile=number) for number in (0, 1)]
    problem = Note("truncated", "the file is cut off", severity="problem")
    plan = EnginePlan(factories.engine(*layers), profile_id=1, notes=(problem, problem, Note("x", "no more")))
    text = rendered(name, lint(Performance(plan)))
    assert text.count("the file is cut off") == 1 and "no more" not in text
    words = '"profile": 1' if name == "sarif" else "optimization profile 1 of 2"
    assert words in text


def test_sarif_fingerprints_do_not_depend_on_numbers(plan: EnginePlan) -> None:
    def fingerprints(result: LintResult) -> set[str]:
        results = json.loads(rendered("sarif", result))["runs"][0]["results"]
        return {result["partialFingerprints"]["ruleAndLayers/v1"] for result in results}

    before = fingerprints(lint(Performance(plan)))
    object.__setattr__(plan, "times", times(plan.working_layers, 5.0, 1.0, 2.0))
    assert fingerprints(lint(Performance(plan))) == before


def test_junit_counts_its_cases(plan: EnginePlan) -> None:
    for fail_on, failures in (("", 1), ("warning", 2)):
        settings = LintSettings(fail_on=fail_on, suppressions=(SUPPRESSION,))
        suite = ElementTree.fromstring(rendered("junit", lint(Performance(plan), settings)))[0]
        cases = list(suite)
        kinds = [child.tag for case in cases for child in case]
        assert int(suite.get("tests", "")) == len(cases) == 6
        assert int(suite.get("failures", "")) == kinds.count("failure") == failures
        assert int(suite.get("errors", "")) == kinds.count("error") == 1
        assert int(suite.get("skipped", "")) == kinds.count("skipped") == 2
        assert cases[-1].get("classname") == "trex.quiet" and not list(cases[-1])


def test_annotations_are_one_line_each_and_no_commands_of_the_engine(hostile: LintResult) -> None:
    lines = rendered("github", hostile).splitlines()
    assert len(lines) == 3, "two findings and the failed rule; suppressed ones are left out"
    for line, command in zip(lines, ("warning", "error", "warning"), strict=True):
        match = re.fullmatch(rf"::{command} title=([^:,\n]*)::(.*)", line)
        assert match
        assert not re.search(r"%(?!25|0A|0D|3A|2C)", match[1] + match[2])


def test_markdown_and_pages_have_no_markup_of_the_engine(hostile: LintResult) -> None:
    text = rendered("markdown", hostile, explain=True, shows_suppressed=True)
    assert "<script" not in text and "[l](http" not in text
    assert "the rule fails" in text and "Can't check</summary>" in text and "## Suppressed" in text
    (cell,) = json.loads(rendered("notebook", hostile, explain=True))["cells"]
    for page in (rendered("html", hostile, explain=True), cell["outputs"][0]["data"]["text/html"]):
        assert "<script>alert" not in page and "&lt;script&gt;alert" in page


def test_csv_has_no_formula_and_unknown_is_not_zero(hostile: LintResult) -> None:
    rows = list(csv.DictReader(io.StringIO(rendered("csv", hostile))))
    assert len(rows) == 2 and rows[1]["savings_ms"] == "" and float(rows[0]["savings_ms"]) == 3.0
    assert json.loads(rows[0]["layer.index"]) == [0, 1]
    hidden = list(csv.DictReader(io.StringIO(rendered("csv", hostile, RenderStyle(fields=("suppressed",))))))
    assert [row["finding"][:9] for row in hidden] == ["'=HIDDEN("]


def test_without_findings_csv_has_its_head_and_json_an_empty_list(plan: EnginePlan) -> None:
    result = lint(Performance(plan), LintSettings(select=("CC001",)))
    assert rendered("csv", result).startswith("code,rule,severity,") and rendered("csv", result).count("\n") == 1
    assert json.loads(rendered("json", result))["sections"]["findings"]["findings"] == []
    assert "no findings (1 rule)" in rendered("text", result)


def test_text_reads_top_down(hostile: LintResult) -> None:
    text = rendered("text", hostile, explain=True, shows_suppressed=True)
    wanted = ["2 findings (1 error), likely savings 1.50 of 6.00 ms", "1  ", "save ~1.50 ms (≤ 3.00)  AA001",
              "   Why ", "   Fix ", "   Or ", "   Check ", "   Layers ", "   Data ", "   Saves ", "   Sure   50%",
              "2  first", "Can't check", "Suppressed", "the rule fails (BB001) failed"]  # fmt: skip
    positions = [text.find(words) for words in wanted]
    assert -1 not in positions and positions == sorted(positions)
    short = rendered("text", hostile, top=1)
    assert "1 more finding: --all" in short and "HIDDEN" not in rendered("text", hostile, RenderStyle(verbose=False))


# -------------------------------------------------------------------------------------------------------- similar ones


@pytest.fixture(scope="module")
def result() -> LintResult:
    return lint(Performance(synthetic_engine("resnet18-int8")), ADDS)


@pytest.mark.parametrize("name", ["text", "markdown", "notebook", "html"])
def test_people_read_similar_findings_folded_or_all(name: str) -> None:
    result = lint(Performance(load_simulated("resnet18-int8")), ADDS)
    folded, every = rendered(name, result), rendered(name, result, top=100, shows_all=True)
    assert " similar: " in folded and " similar: " not in every
    assert every.count("pytorch-quantization: residual") == 1, "each fix once"


@pytest.mark.parametrize("name", ["text", "markdown", "notebook", "html"])
def test_people_read_how_many_findings_are_minor(plan: EnginePlan, name: str) -> None:
    """A note without savings, and savings below one percent of the time."""

    def finds(engine: Any, limits: Any) -> Iterator[Finding]:
        yield Finding("large one", (0,), engine.savings([0]))
        yield Finding("small one", (1,), engine.savings([1], 0.001))
        yield Finding("expected one", (1,), severity=Severity.NOTE)
        yield Finding("unpriced one", (1,))

    plug = Plug("finds", ModuleType("a"), Rule("AA001", "a title", Severity.WARNING, finds))
    RULES.__dict__["_loaded"][0].update({"finds": plug})
    result = lint(Performance(plan), LintSettings(select=("AA001",)))
    shown, every = rendered(name, result), rendered(name, result, shows_all=True)
    for words, is_major in (("large", True), ("small", False), ("expected", False), ("unpriced", True)):
        assert f"{words} one" in every
        assert (f"{words} one" in shown) is is_major or name != "text"  # the other formats have a folded table
    assert "2 minor" in shown and "2 minor" not in every


def test_a_workbook_has_one_readable_row_per_finding(result: LintResult) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is absent: pip install openpyxl")
    pytest.importorskip("xlsxwriter", reason="xlsxwriter is absent: pip install xlsxwriter")
    book = openpyxl.load_workbook(io.BytesIO(render_document(lint_document(result), "xlsx")))
    rows = [row for row in book["Summary"].iter_rows(values_only=True) if row[0] and re.fullmatch(r"[A-Z]+\d+", row[0])]
    assert len(rows) == len(result.findings)
    assert not any(isinstance(cell, str) and cell.startswith(("[", "{")) for row in rows for cell in row)


@pytest.mark.parametrize("name", ["json", "sarif", "junit", "github", "csv"])
def test_programs_read_every_finding(result: LintResult, name: str) -> None:
    text = rendered(name, result)
    assert len(fold_similar(result.findings)) < len(result.findings) and " similar: " not in text
    pattern = {"json": '"how_to_check"', "sarif": '"ruleId"', "github": r"(?m)^::\w+ title=[A-Z]+\d{3} ",
               "junit": r'name="[A-Z]+\d+ [^"]', "csv": r"(?m)^[A-Z]+\d{3},"}[name]  # fmt: skip
    assert len(re.findall(pattern, text)) == len(result.findings)


def test_a_limit_says_how_many_findings_are_left_out(result: LintResult) -> None:
    data = json.loads(rendered("json", result, RenderStyle(limit=2)))
    assert len(data["sections"]["findings"]["findings"]) == 2
    assert data["left_out"]["sections.findings.findings"] == len(result.findings) - 2
    assert f"{len(result.findings) - 2} left out by --limit" in rendered("text", result, RenderStyle(limit=2))
