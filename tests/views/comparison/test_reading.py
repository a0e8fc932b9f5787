"""What is told of two engines: every section, JSON that is plain, text that is inert."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from trex.export.performance_markdown import performance_markdown
from trex.export.performance_text import performance_text
from trex.views.comparison.reading import read_comparison
from trex.views.comparison.section import SECTIONS, Section
from trex.views.performance.section import Content, Detail

from tests.compare.predicted import measured, predicted
from tests.factories import conv, engine
from trex.compare.plan_diff import PlanDiff
from trex.engine_plan import load_example
from trex.export.comparison import FORMATS, ComparisonStyle
from trex.export.frame import json_text, plain_value
from trex.plan.engine_plan import EnginePlan
from trex.views.comparison import section as sections

FIRST, SECOND = "resnet18-int8", "resnet18-int8-residual"


def reading(left: EnginePlan, right: EnginePlan, explain: bool = False):
    return read_comparison(PlanDiff(left, right), Detail(5, explain))


def test_sections_in_their_order():
    found = reading(load_example(FIRST), load_example(SECOND))
    expected = ["verdict", "parity", "causes", "inventory", "layers", "operations"]
    assert [name for name, _, _ in found.sections] == expected
    assert set(SECTIONS) == {name for name, _, _ in found.sections}
    assert found.statement


def test_the_table_of_causes_adds_up():
    found = reading(load_example(FIRST), load_example(SECOND))
    causes = next(content for name, _, content in found.sections if name == "causes")
    *steps, total = causes.tables[0].rows
    assert sum(row[4] for row in steps) == pytest.approx(total[4]) == pytest.approx(total[3] - total[2])
    assert sum(step["difference_ms"] for step in causes.data["steps"]) == pytest.approx(causes.data["difference_ms"])


def test_json_is_plain():
    found = reading(load_example(FIRST), load_example(SECOND), explain=True)
    data = json.loads(json_text(plain_value(found.as_dict())))
    assert data["schema"] == "trex.compare/1"
    assert data["sections"]["verdict"]["data"]["computeMs"]["speedup"] > 1.0


def test_what_was_predicted_is_told_by_its_error_bars():
    found = reading(load_example(FIRST), load_example(SECOND), explain=True)
    verdict = next(content for name, _, content in found.sections if name == "verdict")
    assert (
        verdict.statements[0].startswith("New is predicted 1.85× faster: ")
        and "(-46.0 %, error bars" in verdict.statements[0]
    )
    assert verdict.statements[1].startswith("Simulated samples don't show significance.")
    labels = [fact.label for fact in verdict.facts]
    assert labels[1:] == ["its error bars", "base expected between", "new expected between"]
    (medians,) = verdict.tables
    rows = medians.for_people().records()
    assert set(rows[0]) == {"quantity", "base", "new", "change", "speed-up", "from", "to", "verdict"}
    assert rows[0]["verdict"] == "predicted faster" and rows[2]["verdict"] == "unknown"
    data = json.loads(json_text(plain_value(verdict.data["computeMs"])))
    assert data["is_real"] is None and data["p"] is None and data["outcome"] == "predicted faster"
    assert data["speedup_low"] < data["speedup"] < data["speedup_high"]
    assert data["prediction"]["base"] == data["prediction"]["new"] == "simulated"
    assert data["prediction"]["is_like_with_like"] is True and len(data["prediction"]["base_between_ms"]) == 2
    assert [figure for figure, _ in verdict.derivations] == ["error bars of the speed-up"]


def test_what_was_measured_is_told_by_its_samples():
    found = reading(measured(1.0), measured(0.5, seed=2))
    verdict = next(content for name, _, content in found.sections if name == "verdict")
    assert verdict.data["computeMs"]["prediction"] is None and verdict.data["computeMs"]["is_real"] is True
    assert {"±"} == {each.name for each in verdict.tables[0].for_people().columns} & {"±", "from", "to"}


def test_measured_against_predicted_is_said_in_verdict_parity_and_notes():
    found = reading(measured(1.0), predicted(0.5, 0.4, 0.6))
    told = {name: content for name, _, content in found.sections}
    mixed = "Base is measured, new is predicted"
    assert told["verdict"].statements[0].startswith(f"{mixed}: new is 2.00× faster, ")
    assert told["parity"].statements[:2] == (
        f"{mixed}.",
        "Settings differ: origin of times (3 of 5 match). This affects the times.",
    )
    assert any(note.code == "unlike-origins" for note in told["layers"].notes)
    assert "base measured between" in [fact.label for fact in told["verdict"].facts]


def test_without_any_times_it_says_what_is_unknown():
    plan = EnginePlan(load_example(FIRST).engine)
    text = performance_text(reading(plan, plan))
    assert "Can't tell" in text
    assert "0.0000" not in text


def test_names_of_engines_are_never_markup():
    evil = "<script>alert(1)</script>|`x`\x1b[31m"
    made = engine(replace(conv(evil, ["x"], ["y"]), tactic=evil))
    plan = EnginePlan(made, name=evil)
    found = reading(plan, EnginePlan(engine(conv("b", ["x"], ["z"])), name="b"), explain=True)
    assert "<script" not in performance_markdown(found)
    assert "\x1b" not in performance_text(found) + performance_markdown(found)


def test_a_section_that_fails_leaves_the_others(monkeypatch):
    from trex.core.errors import TrexError

    def fail(*_: object) -> Content:
        raise TrexError("the data do not allow it", "measure again")

    content = sections._made(Section("Weather", 1, fail), PlanDiff(load_example(FIRST), load_example(SECOND)), Detail())
    assert content is not None and "weather: cannot be told" in content.notes[0].message


def test_engines_of_one_name_are_told_apart():
    found = reading(load_example(FIRST), load_example(FIRST))
    assert (found.left, found.right) == (f"{FIRST}/{FIRST}", f"{FIRST}/{FIRST} (2)")
    assert found.title == f"{found.left} → {found.right}"
    page = FORMATS.chosen("html").value.render(found, ComparisonStyle())
    assert isinstance(page, bytes) and found.right in page.decode()


def test_other_models_are_told_at_the_head():
    found = reading(load_example(FIRST), load_example("transformer-fp16"))
    told = dict(found.headlines)["Layers"]
    assert told.endswith(" %. The engines may be of different models.")
    assert "different" not in dict(reading(load_example(FIRST), load_example(SECOND)).headlines)["Layers"]


def test_the_cause_is_read_in_a_narrow_terminal():
    found = reading(load_example(FIRST), load_example(SECOND))
    lines = performance_text(found, 80).splitlines()
    head = lines.index("Layer groups by difference")
    rows = lines[head + 4 : head + 9]
    causes = {row[5] for name, _, each in found.sections if name == "layers" for row in each.tables[0].rows}
    words = {cause.split()[0] for cause in causes}
    assert all(any(word in row for word in words) for row in rows), rows
