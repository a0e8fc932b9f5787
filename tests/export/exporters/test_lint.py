"""Every format of a lint result over every engine and a hostile one: nothing from an engine is markup or a command."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
from trex.export.review import FORMATS, ReviewStyle, format_of, write_review

from tests import factories, sarif_structure
from tests.factories import layer, times
from tests.synthetic import CASES, Case
from trex.core.configuration import LintSettings, Suppression
from trex.core.errors import TrexError
from trex.core.registry import Plug
from trex.engine_plan import load
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.lint import lint
from trex.rules.lint_result import LintResult
from trex.rules.rule import RULES, Rule

READABLE = [case for case in CASES.values() if not case.expect.error]
EVIL = "\x1b[31m<script>alert(1)</script>\r\n::error title=x::y, =cmd|' /C'!A0 ]]> | `a` \ud800 %0A [l](http://x) ,:"


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> Iterator[LintResult]:
    """A result in which every text that can come from an engine is hostile, and everything happens."""

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
    monkeypatch.setitem(RULES.__dict__, "_found", (plugs, ()))
    whole = factories.engine(layer(EVIL), layer("b" * 5000), layer("hidden"))
    plan = EnginePlan(whole, name=EVIL)
    object.__setattr__(plan, "times", times(whole.layers, 1.0, 2.0, 3.0))
    settings = LintSettings(suppressions=(Suppression("AA001", "known " + EVIL, ("hidden",)),))
    yield lint(Performance(plan), settings)


def rendered(name: str, result: LintResult, **style: Any) -> str:
    text: str = FORMATS[name].value.render(result, ReviewStyle(**style))
    text.encode("utf-8")
    assert all(c.isprintable() or c == "\n" for c in text.replace("\r\n", "\n") if c != "\r" or name != "csv")
    return text


def test_no_format_is_broken_and_endings_are_unique() -> None:
    assert FORMATS.broken == ()
    assert set(FORMATS.names) == {"text", "json", "sarif", "junit", "github", "markdown", "csv"}
    suffixes = [suffix for plug in FORMATS.values() for suffix in plug.value.suffixes]
    assert len(set(suffixes)) == len(suffixes)


def test_the_ending_chooses_the_format(hostile: LintResult, tmp_path: Path) -> None:
    assert format_of("x.sarif.json").name == "sarif" and format_of("x.json").name == "json"
    assert "Findings" in write_review(hostile, tmp_path / "x.md").read_text("utf-8")
    with pytest.raises(TrexError, match="no format of findings"):
        write_review(hostile, tmp_path / "x.xyz")


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_every_format_takes_every_engine(case: Case, tmp_path: Path) -> None:
    missing = [package for package in case.needs if importlib.util.find_spec(package) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    result = lint(Performance(load(case.write(tmp_path))))
    for name in FORMATS.names:
        text = rendered(name, result)
        if name == "sarif":
            sarif_structure.check(json.loads(text))
        elif name == "json":
            assert json.loads(text)["schema"] == "trex.lint/1"
        elif name == "junit":
            ElementTree.fromstring(text)


def test_json_holds_everything(hostile: LintResult) -> None:
    found = json.loads(rendered("json", hostile))
    assert found["schema"] == "trex.lint/1" and found["total_ms"] == 6.0 and found["savings_ms"] == 3.0
    second, first = found["findings"]
    assert first["severity"] == "error" and first["savings_ms"] is None and first["layers"] == []
    assert second["savings_ms"] == 3.0 and second["savings_pct"] == 50.0 and second["confidence"] == 0.5
    assert [each["index"] for each in second["layers"]] == [0, 1]
    assert second["evidence"][1] == {"what": "n", "value": None, "unit": "ms"}
    assert [each["suppressed"].startswith("known") for each in found["suppressed"]] == [True]
    assert found["unchecked"][0]["layers"] == 1 and found["failed_rules"][0]["code"] == "BB001"
    assert [each["code"] for each in found["rules"]] == ["AA001", "BB001", "CC001"]


def test_sarif_has_the_standards_structure(hostile: LintResult) -> None:
    document = json.loads(rendered("sarif", hostile))
    sarif_structure.check(document)
    (run,) = document["runs"]
    assert [each["level"] for each in run["results"]] == ["warning", "error", "note"]
    assert [bool(each.get("suppressions")) for each in run["results"]] == [False, False, True]
    assert len(run["results"][0]["locations"][0]["logicalLocations"]) == 2
    assert not run["invocations"][0]["executionSuccessful"]
    assert [each["level"] for each in run["invocations"][0]["toolExecutionNotifications"]] == ["error", "note"]
    assert "\\[l\\]" in run["results"][0]["message"]["text"]  # no link in the message


def test_sarif_fingerprints_do_not_depend_on_numbers(hostile: LintResult) -> None:
    def prints(result: LintResult) -> list[str]:
        results = json.loads(rendered("sarif", result))["runs"][0]["results"]
        return [each["partialFingerprints"]["ruleAndLayers/v1"] for each in results]

    assert prints(hostile) == prints(hostile) and len(set(prints(hostile))) == 3


def test_junit_counts_what_it_holds(hostile: LintResult) -> None:
    for fail_on, failures in ((Severity.ERROR, 1), (Severity.WARNING, 2)):
        suite = ElementTree.fromstring(rendered("junit", hostile, fail_on=fail_on))[0]
        cases = list(suite)
        kinds = [child.tag for case in cases for child in case]
        assert int(suite.get("tests", "")) == len(cases) == 6
        assert int(suite.get("failures", "")) == kinds.count("failure") == failures
        assert int(suite.get("errors", "")) == kinds.count("error") == 1
        assert int(suite.get("skipped", "")) == kinds.count("skipped") == 2
    assert [case.get("classname") for case in cases][-1] == "trex.quiet" and not list(cases[-1])


def test_annotations_are_one_line_each_and_no_commands_of_the_engine(hostile: LintResult) -> None:
    lines = rendered("github", hostile).splitlines()
    assert len(lines) == 3  # two findings and the failed rule; suppressed ones are left out
    for line, command in zip(lines, ("warning", "error", "warning"), strict=True):
        found = re.fullmatch(rf"::{command} title=([^:,\n]*)::(.*)", line)
        assert found
        assert not re.search(r"%(?!25|0A|0D|3A|2C)", found[1] + found[2])


def test_markdown_has_no_markup_of_the_engine(hostile: LintResult) -> None:
    text = rendered("markdown", hostile, explain=True, show_suppressed=True)
    assert "<script" not in text and "[l](http" not in text
    assert "## Rules that failed" in text and "## Can't check" in text and "## Suppressed" in text


def test_csv_has_no_formula(hostile: LintResult) -> None:
    rows = list(csv.DictReader(io.StringIO(rendered("csv", hostile, show_suppressed=True))))
    assert len(rows) == 3 and rows[2]["message"].startswith("'=HIDDEN")
    assert rows[1]["savings_ms"] == "" and float(rows[0]["savings_ms"]) == 3.0
    assert len(list(csv.DictReader(io.StringIO(rendered("csv", hostile))))) == 2


def test_text_reads_top_down(hostile: LintResult) -> None:
    text = rendered("text", hostile, explain=True, show_suppressed=True)
    wanted = ["at most 3.0000 of 6.0000 ms (50.0 %)", "the rule fails (BB001) failed", "Savings of 1 %",
              "3.0000 ms  50.0 %", "layers", "evidence", "    fix", "    check", "    read", "    savings", "    why",
              "Savings unknown", "Suppressed", "Can't check", "trex explain AA001"]  # fmt: skip
    positions = [text.find(words) for words in wanted]
    assert -1 not in positions and positions == sorted(positions)
    short = rendered("text", hostile, top=1)
    assert "1 more (--top N shows N in full)" in short
    assert "HIDDEN" not in short


def test_the_same_fix_is_shown_once() -> None:
    text = rendered("text", lint(Performance(load("example:resnet18-int8"))))
    sources = [line for line in text.splitlines() if line.strip().startswith("read ")]
    assert len(sources) == len(set(sources))
