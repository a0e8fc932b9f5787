"""The document of two engines: every section, JSON that is plain, addresses that distinguish both."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.compare.predicted import measured, predicted
from tests.engines import READABLE
from tests.simulated_examples import load_simulated
from trex.compare.condition import conditions_of
from trex.compare.gate import judge
from trex.compare.plan_diff import PlanDiff
from trex.core.note import Note
from trex.export.document import render_document
from trex.export.frame import json_text, plain_value
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan
from trex.views.compare.document import SECTIONS, comparison_document, first_sentences, on_one_screen
from trex.views.document import Detail, Document, SceneBlock

FIRST, SECOND = "resnet18-int8", "resnet18-int8-residual"


def read(left: EnginePlan, right: EnginePlan, explain: bool = False) -> Document:
    return comparison_document(PlanDiff(left, right), Detail(5, explain))


@pytest.fixture(scope="module")
def document() -> Document:
    return read(load_simulated(FIRST), load_simulated(SECOND), explain=True)


def test_sections_in_their_order(document):
    expected = ["verdict", "significance", "parity", "causes", "inventory", "layers", "operations"]
    assert [section.name for section in document.sections] == [*expected, "side-by-side", "matched-layers"]
    assert set(SECTIONS) == set(expected) and document.statement
    open_sections = [section.name for section in document.sections if not section.is_folded]
    assert open_sections == ["verdict", "causes", "layers"]


def test_the_table_of_causes_adds_up(document):
    causes = document.section("causes")
    *steps, total = causes.tables[0].rows
    assert sum(row[1] for row in steps) == pytest.approx(total[1])
    assert [row[4] for row in steps] == [row[1] for row in steps] and total[4] is None
    assert causes.data["difference_ms"] == pytest.approx(total[1])


def test_json_is_plain(document):
    data = json.loads(render_document(document, "json"))
    assert data["schema"] == "trex.compare/1"
    assert data["sections"]["verdict"]["data"]["computeMs"]["speedup"] > 1.0


def test_what_was_predicted_has_error_bars(document):
    verdict = document.section("verdict")
    assert "New is predicted 1.85× faster: " in verdict.statements[0] and "−46.0 %" in verdict.statements[0]
    significance = document.section("significance")
    labels = [fact.label for fact in significance.facts]
    assert labels[1:] == ["error bars", "base expected between", "new expected between"]
    (medians,) = significance.tables
    rows = medians.for_people().records()
    assert set(rows[0]) == {"quantity", "base", "new", "change", "speed-up", "from", "to", "verdict"}
    assert rows[0]["verdict"] == "predicted faster" and rows[2]["verdict"] == "unknown"
    data = json.loads(json_text(plain_value(verdict.data["computeMs"])))
    assert data["is_real"] is None and data["p"] is None and data["outcome"] == "predicted faster"
    assert data["speedup_low"] < data["speedup"] < data["speedup_high"]
    assert data["prediction"]["base"] == data["prediction"]["new"] == "simulated"
    assert data["prediction"]["is_like_with_like"] is True and len(data["prediction"]["base_between_ms"]) == 2


def test_what_was_measured_has_samples():
    document = read(measured(1.0), measured(0.5, seed=2))
    verdict = document.section("verdict")
    assert verdict.statements[1].startswith("p99 1.") and verdict.statements[1].endswith(" %).")
    assert verdict.data["computeMs"]["prediction"] is None and verdict.data["computeMs"]["is_real"] is True
    assert {"±"} == {column.name for column in document.section("significance").tables[0].for_people().columns} & {
        "±",
        "from",
        "to",
    }


def test_measured_against_predicted_is_in_verdict_parity_and_notes():
    document = read(measured(1.0), predicted(0.5, 0.4, 0.6))
    unlike = "Base is measured, new is predicted"
    assert document.section("verdict").statements[0].startswith(f"{unlike}: new is 2.00× faster")
    assert unlike in document.section("parity").statements[0]
    assert any(note.code == "unlike-origins" for note in document.section("layers").notes)
    assert "base measured between" in [fact.label for fact in document.section("significance").facts]


def test_without_any_times_it_says_what_is_unknown():
    plan = EnginePlan(load_simulated(FIRST).engine)
    text = render_document(read(plan, plan), "text").decode()
    assert "is unknown" in text and "0.0000" not in text


def test_engines_of_one_name_are_distinguished():
    document = read(load_simulated(FIRST), load_simulated(FIRST))
    assert document.title == f"{FIRST}/{FIRST} → {FIRST}/{FIRST} (2)"
    (block,) = document.section("side-by-side").blocks
    assert isinstance(block, SceneBlock)
    assert [view.scene.title for view in block.make()] == [f"Base: {FIRST}/{FIRST}", f"New: {FIRST}/{FIRST} (2)"]


def test_addresses_keep_the_folder_of_their_engine():
    plans = []
    for folder in ("/home/me/before", "/home/me/after"):
        plan = load_simulated(FIRST)
        engine = replace(plan.engine, source=f"{folder}/x.graph.json")
        plans.append(EnginePlan(engine, notes=(Note("n", "a fact", "", f"{folder}/x.profile.json", "problem"),)))
    document = read(plans[0], plans[1])
    where = {note.where for section in document.sections for note in section.notes}
    assert {"before/x.graph.json", "after/x.graph.json"} <= where and not any("/home" in text for text in where)


def test_other_models_are_mentioned_at_the_head(document):
    other = read(load_simulated(FIRST), load_simulated("transformer-fp16"))
    assert dict(first_sentences(other))["Verdict"] == "Different models: only 0 % of the layers match."
    assert not {"Why", "Largest changes", "Operations"} & {part.title for part in other.sections}
    assert "different" not in dict(first_sentences(document))["Largest changes"]


def test_the_cause_is_read_in_a_narrow_terminal(document):
    from trex.export.document import RenderStyle
    from trex.export.documents.text import render

    lines = render(document, RenderStyle(width=80)).splitlines()
    head = lines.index("Largest changes")
    rows = lines[head + 3 : head + 8]
    causes = {row[4] for row in document.section("layers").tables[0].rows}
    assert all(any(row.endswith(cause) for cause in causes) for row in rows), rows


def test_one_screen_has_the_answer_and_names_the_rest():
    comparison = PlanDiff(measured(1.0), measured(0.5, seed=2))
    judged = judge(comparison, conditions_of(["latency>+3%"]))
    document = comparison_document(comparison, Detail(5), judged)
    assert [section.name for section in document.sections][:2] == ["verdict", "gate"]
    names = [section.name for section in on_one_screen(document).sections]
    assert names == ["verdict", "causes", "layers", "more", "gate"]
    text = render_document(on_one_screen(document), "text").decode()
    assert len(text.splitlines()) < 35 and "Also: significance, settings" in text
    markdown = render_document(document, "markdown").decode()
    assert markdown.index("## Gate") < markdown.index("## Why")


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_a_short_document_names_the_sections_that_it_leaves_out(case, tmp_path):
    plan = load_plan(EnginePlan, case.write(tmp_path))
    comparison = PlanDiff(plan, plan)
    full, short = (comparison_document(comparison, Detail(is_short=is_short)) for is_short in (False, True))
    assert [part.name for part in full.sections] == [part.name for part in short.sections]
    assert render_document(on_one_screen(full), "text") == render_document(on_one_screen(short), "text")
