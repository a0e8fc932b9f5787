"""Every format of a review over every engine and over a hostile one: nothing from an engine is markup or a command."""

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

from tests import sarif_structure
from tests.factories import engine, layer, times
from tests.synthetic import CASES, Case
from trex.core.configuration import Suppression
from trex.core.errors import TrexError
from trex.core.registry import Plug
from trex.engine_plan import load
from trex.export.review import FORMATS, ReviewStyle, format_of, write_review
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.review import Choice, review
from trex.rules.rule import RULES, Rule
from trex.views.review.reading import ReviewReading, read_review

READABLE = [case for case in CASES.values() if not case.expect.error]
EVIL = "\x1b[31m<script>alert(1)</script>\r\n::error title=x::y, =cmd|' /C'!A0 ]]> | `a` \ud800 %0A [l](http://x) ,:"


def read(case_plan: Any) -> ReviewReading:
    return read_review(review(Performance(case_plan)))


@pytest.fixture
def hostile(monkeypatch: pytest.MonkeyPatch) -> Iterator[ReviewReading]:
    """A reading in which every text that can come from an engine is hostile, and everything happens."""

    def finds(seen: Any, limits: Any) -> Iterator[Finding | CannotTell]:
        yield Finding("first " + EVIL, severity=Severity.ERROR)
        yield Finding(
            EVIL, (0, 1), seen.stake([0, 1]), "formula " + EVIL,
            (Evidence(EVIL, EVIL), Evidence("n", float("nan"), "ms")),
            (EVIL, "second"), ("a guide", EVIL), "proof " + EVIL, 0.5, tensors=(EVIL,),
        )  # fmt: skip
        yield Finding("=HIDDEN()" + EVIL, (2,), seen.stake([2]), severity=Severity.NOTE)
        yield CannotTell(EVIL, EVIL, (0,))

    def fails(seen: Any, limits: Any) -> Iterator[Finding]:
        raise ValueError(EVIL)
        yield

    module = ModuleType("a")
    module.__doc__ = "Title.\n\nWhat it finds: a thing.\nWhy it matters: it does."
    plugs = {
        "finds": Plug("finds", module, Rule("AA001", "a title", Severity.WARNING, finds)),
        "fails": Plug("fails", module, Rule("BB001", "another", Severity.WARNING, fails)),
        "quiet": Plug("quiet", module, Rule("CC001", "nothing", Severity.NOTE, lambda seen, limits: ())),
    }
    monkeypatch.setitem(RULES.__dict__, "_loaded", (plugs, ()))
    whole = engine(layer(EVIL), layer("b" * 5000), layer("hidden"))
    plan = EnginePlan(whole, name=EVIL)
    object.__setattr__(plan, "times", times(whole.layers, 1.0, 2.0, 3.0))
    choice = Choice(suppressions=(Suppression("AA001", "known " + EVIL, ("hidden",)),))
    yield read_review(review(Performance(plan), choice))


def rendered(name: str, reading: ReviewReading, **style: Any) -> str:
    text: str = FORMATS[name].value.render(reading, ReviewStyle(**style))
    text.encode("utf-8")
    assert all(c.isprintable() or c == "\n" for c in text.replace("\r\n", "\n") if c != "\r" or name != "csv")
    return text


def test_no_format_is_broken_and_endings_are_unique() -> None:
    assert FORMATS.broken == ()
    assert set(FORMATS.names) == {"text", "json", "sarif", "junit", "github", "markdown", "csv"}
    suffixes = [suffix for plug in FORMATS.values() for suffix in plug.value.suffixes]
    assert len(set(suffixes)) == len(suffixes)


def test_the_ending_chooses_the_format(hostile: ReviewReading, tmp_path: Path) -> None:
    assert format_of("x.sarif.json").name == "sarif" and format_of("x.json").name == "json"
    assert "Findings" in write_review(hostile, tmp_path / "x.md").read_text("utf-8")
    with pytest.raises(TrexError, match="no kind of review"):
        write_review(hostile, tmp_path / "x.xyz")


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_every_format_takes_every_engine(case: Case, tmp_path: Path) -> None:
    missing = [package for package in case.needs if importlib.util.find_spec(package) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    reading = read(load(case.write(tmp_path)))
    for name in FORMATS.names:
        text = rendered(name, reading)
        if name == "sarif":
            sarif_structure.check(json.loads(text))
        elif name == "json":
            assert json.loads(text)["schema"] == "trex.lint/1"
        elif name == "junit":
            ElementTree.fromstring(text)


def test_json_holds_everything(hostile: ReviewReading) -> None:
    found = json.loads(rendered("json", hostile))
    assert found["schema"] == "trex.lint/1" and found["total_ms"] == 6.0 and found["at_stake_ms"] == 3.0
    second, first = found["findings"]
    assert first["severity"] == "error" and first["counted_ms"] is None and first["layers"] == []
    assert second["counted_ms"] == 3.0 and second["time_pct"] == 50.0 and second["confidence"] == 0.5
    assert [each["index"] for each in second["layers"]] == [0, 1]
    assert second["evidence"][1] == {"what": "n", "value": None, "unit": "ms"}
    assert [each["suppressed"].startswith("known") for each in found["suppressed"]] == [True]
    assert found["cannot_tell"][0]["layers"] == 1 and found["failed_rules"][0]["code"] == "BB001"
    assert [each["code"] for each in found["rules"]] == ["AA001", "BB001", "CC001"]


def test_sarif_has_the_standards_structure(hostile: ReviewReading) -> None:
    document = json.loads(rendered("sarif", hostile))
    sarif_structure.check(document)
    (run,) = document["runs"]
    assert [each["level"] for each in run["results"]] == ["warning", "error", "note"]
    assert [bool(each.get("suppressions")) for each in run["results"]] == [False, False, True]
    assert len(run["results"][0]["locations"][0]["logicalLocations"]) == 2
    assert not run["invocations"][0]["executionSuccessful"]
    assert [each["level"] for each in run["invocations"][0]["toolExecutionNotifications"]] == ["error", "note"]
    assert "\\[l\\]" in run["results"][0]["message"]["text"]  # no link in the message


def test_sarif_fingerprints_do_not_depend_on_numbers(hostile: ReviewReading) -> None:
    def prints(reading: ReviewReading) -> list[str]:
        results = json.loads(rendered("sarif", reading))["runs"][0]["results"]
        return [each["partialFingerprints"]["ruleAndLayers/v1"] for each in results]

    assert prints(hostile) == prints(hostile) and len(set(prints(hostile))) == 3


def test_junit_counts_what_it_holds(hostile: ReviewReading) -> None:
    for fail_on, failures in ((Severity.ERROR, 1), (Severity.WARNING, 2)):
        suite = ElementTree.fromstring(rendered("junit", hostile, fail_on=fail_on))[0]
        cases = list(suite)
        kinds = [child.tag for case in cases for child in case]
        assert int(suite.get("tests", "")) == len(cases) == 6
        assert int(suite.get("failures", "")) == kinds.count("failure") == failures
        assert int(suite.get("errors", "")) == kinds.count("error") == 1
        assert int(suite.get("skipped", "")) == kinds.count("skipped") == 2
    assert [case.get("classname") for case in cases][-1] == "trex.quiet" and not list(cases[-1])


def test_annotations_are_one_line_each_and_no_commands_of_the_engine(hostile: ReviewReading) -> None:
    lines = rendered("github", hostile).splitlines()
    assert len(lines) == 3  # two findings and the failed rule; what is suppressed is not told
    for line, command in zip(lines, ("warning", "error", "warning"), strict=True):
        found = re.fullmatch(rf"::{command} title=([^:,\n]*)::(.*)", line)
        assert found
        assert not re.search(r"%(?!25|0A|0D|3A|2C)", found[1] + found[2])


def test_markdown_has_no_markup_of_the_engine(hostile: ReviewReading) -> None:
    text = rendered("markdown", hostile, explain=True, show_suppressed=True)
    assert "<script" not in text and "[l](http" not in text
    assert "## Rules that failed" in text and "## Cannot tell" in text and "## Suppressed" in text


def test_csv_has_no_formula(hostile: ReviewReading) -> None:
    rows = list(csv.DictReader(io.StringIO(rendered("csv", hostile, show_suppressed=True))))
    assert len(rows) == 3 and rows[2]["message"].startswith("'=HIDDEN")
    assert rows[1]["counted_ms"] == "" and float(rows[0]["counted_ms"]) == 3.0
    assert len(list(csv.DictReader(io.StringIO(rendered("csv", hostile))))) == 2


def test_text_reads_top_down(hostile: ReviewReading) -> None:
    text = rendered("text", hostile, explain=True, show_suppressed=True)
    wanted = ["At stake: at most 3.0000 of 6.0000 ms (50.0 %)", "the rule fails (BB001) failed", "Costs 1 %",
              "3.0000 ms  50.0 %", "layers", "evidence", "try", "proof", "read", "at stake", "why", "Without a price",
              "Suppressed", "Cannot tell", "trex explain AA001"]  # fmt: skip
    places = [text.find(words) for words in wanted]
    assert -1 not in places and places == sorted(places)
    short = rendered("text", hostile, top=1)
    assert "1 more (--top N shows N in full)" in short
    assert "HIDDEN" not in short


def test_the_same_advice_is_told_once() -> None:
    reading = read(load("example:resnet18-int8"))
    text = rendered("text", reading)
    advice = [line for line in text.splitlines() if line.strip().startswith("read ")]
    assert len(advice) == len(set(advice))
