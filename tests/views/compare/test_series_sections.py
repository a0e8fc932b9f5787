"""Several engines side by side: sections, tables that add up, plain JSON."""

from __future__ import annotations

import json

import pytest

from tests.compare.predicted import measured, predicted
from tests.compare.profiled import chained, made
from tests.factories import engine, layer, t
from trex.compare.plan_diff import PlanDiff
from trex.compare.series import EngineSeries
from trex.export.document import render_document
from trex.plan.engine_plan import EnginePlan
from trex.views.compare.document import SERIES_SECTIONS, series_document
from trex.views.document import Detail, Document, Section
from trex.views.plot import Lines

EXAMPLES = ("resnet18-fp16", "resnet18-int8", "resnet18-int8-residual")


def read(*plans: EnginePlan, explain: bool = False) -> Document:
    return series_document(EngineSeries(plans[0], plans[1:]), Detail(5, explain))


def text_of(document: Document) -> str:
    return render_document(document, "text").decode()


@pytest.fixture(scope="module")
def batches() -> Document:
    return read(*(made(f"resnet18-b{batch}") for batch in (1, 8, 32)), explain=True)


@pytest.fixture(scope="module")
def precisions() -> Document:
    return read(*map(made, EXAMPLES))


def content(document: Document, name: str) -> Section:
    (section,) = (section for section in document.sections if section.name == name)
    return section


def firsts(document: Document) -> dict[str, str]:
    return {section.title: section.statements[0] for section in document.sections if section.statements}


def test_sections_in_their_order(precisions, batches):
    names = [section.name for section in precisions.sections]
    assert names == ["verdict", "parity", "causes", "operations", "best-of-each", "side-by-side", "matched-layers"]
    names = [section.name for section in batches.sections]
    assert names == ["verdict", "parity", "scaling", "causes", "operations", "side-by-side", "matched-layers"]
    assert set(names[:5]) < set(SERIES_SECTIONS)


def test_two_engines_are_a_pair_with_what_only_a_series_has():
    document = read(*map(made, EXAMPLES[:2]))
    names = [section.name for section in document.sections]
    assert names[0] == "verdict" and names[-1] == "best-of-each" and "layers" in names
    assert document.title == "resnet18-fp16 → resnet18-int8"


def test_the_first_sentences_tell_the_story(precisions, batches):
    words = firsts(precisions)
    assert words["Engines"].startswith(
        "A series over precision: FP16, INT8, INT8. Fastest: resnet18-int8-residual, 1.95"
    )
    assert "resnet18-int8 −0.1028 ms" in words["Why"]
    words = firsts(batches)
    assert "batch size: 1, 8, 32. Most items per second: resnet18-b32" in words["Engines"]
    assert words["Scaling"].startswith("From batch 1 to 32 the time grows with batch^0.")
    assert batches.statement.startswith("synthetic example data")


def test_causes_add_up_in_every_column(precisions):
    (table,) = content(precisions, "causes").tables
    *rows, total = table.for_programs().rows
    assert len(table.columns) == 5 and len(total) == 3, "each engine's column has bars"
    for column in range(1, len(total)):
        assert sum(row[column] for row in rows) == pytest.approx(total[column], abs=1e-6)


def test_what_the_layers_time_went_to_adds_up(precisions):
    table = content(precisions, "operations").tables[0]
    *rows, total = table.rows
    for column in range(1, len(table.columns)):
        assert sum(row[column] for row in rows) == pytest.approx(total[column], abs=1e-9)


def test_the_rules_are_in_the_details(precisions):
    text = text_of(precisions)
    assert "in proportion to their roofline times" in text
    assert "neighbors from different engines need a reformat unless type and format match" in text


def test_scaling_has_a_plot(batches):
    (block,) = content(batches, "scaling").plots
    plot = block.make()
    assert isinstance(plot, Lines) and list(plot.x) == [1.0, 8.0, 32.0]
    assert all(len(values) == 3 for values in plot.series.values())
    table = content(batches, "scaling").tables[0]
    assert table.rows[0][0] == "(whole engine)" and table.rows[0][1] < table.rows[0][3]


def test_json_is_plain(batches):
    data = json.loads(render_document(batches, "json"))
    assert data["schema"] == "trex.compare/1" and data["title"].endswith("→ resnet18-b8, resnet18-b32")
    tables = data["sections"]["verdict"]["tables"]
    assert [row["batch"] for row in tables["engines"]["rows"]] == [1, 8, 32]
    row = tables["against_the_base"]["rows"][1]
    assert row["speed_up"] < 1.0 < row["speed_up_per_item"]


def test_without_any_times_it_says_what_is_unknown():
    plan = EnginePlan(made(EXAMPLES[0]).engine)
    text = text_of(read(plan, plan, plan))
    assert "is unknown" in text
    assert "0.0000" not in text


def test_nothing_at_all():
    nothing = EnginePlan(engine(), name="nothing")
    assert "nothing" in text_of(read(nothing, nothing, nothing))


def test_engines_that_only_have_layer_times():
    text = text_of(read(chained([0.1, 0.2]), chained([0.2, 0.2]), chained([0.1, 0.1])))
    assert "/c0/Conv" in text and "sum of layer times" in text


def test_engines_of_different_models_are_neither_ranked_nor_explained():
    result = read(made("resnet18-fp16"), made("transformer-fp16"), made("resnet18-int8"))
    words = firsts(result)["Engines"]
    assert "perhaps of another model than the base: transformer-fp16" in words
    assert "Most items per second: resnet18-int8, " in words and words.endswith("; 1 engine can't be judged.")
    assert [row["verdict"] for row in content(result, "verdict").tables[1].records()] == ["unknown", "faster"]
    causes = content(result, "causes")
    assert "transformer" not in causes.statements[0] and "Different models: " in causes.statements[-1]
    assert [column.name for column in causes.tables[0].columns] == ["cause", "resnet18-int8", "change"]
    operations = content(result, "operations")
    assert operations.statements[-1].startswith("transformer-fp16 is left out. Different models: only ")
    assert "transformer-fp16" not in [column.name for table in operations.tables for column in table.columns]
    assert not [row for row in operations.tables[1].rows if "attn" in row[0]]
    assert "best-of-each" not in {section.name for section in result.sections}


def test_of_engines_of_other_models_alone_nothing_is_ranked(monkeypatch):
    monkeypatch.setattr(PlanDiff, "withheld", "Different models: only 4 % of the layers match.")
    result = read(predicted(1.0, 0.9, 1.1), predicted(0.5, 0.4, 0.6), predicted(2.0, 1.9, 2.1))
    assert "astest" not in firsts(result)["Engines"] and "None" not in firsts(result)["Engines"]
    assert all("No causes follow." in words for words in content(result, "causes").statements)
    assert "operations" not in {section.name for section in result.sections}


def test_an_engine_without_times_is_named_where_another_is_of_another_model(monkeypatch):
    other, base = predicted(0.5, 0.4, 0.6), predicted(1.0, 0.9, 1.1)
    withheld = property(lambda pair: "Different models." if pair.right is other else "")
    monkeypatch.setattr(PlanDiff, "withheld", withheld)
    (unknown, different) = content(read(base, EnginePlan(base.engine, name="untimed"), other), "causes").statements
    assert unknown.startswith("untimed: ") and "No causes follow." in different


def test_engines_without_an_outcome_are_counted():
    fast, slow = predicted(1.0, 0.99, 1.01), predicted(1.2, 1.19, 1.21)
    unknown = EnginePlan(fast.engine, name="untimed")
    first = content(read(fast, slow, unknown), "verdict").statements[0]
    assert first.endswith(" None that can be judged is significantly faster than the base; 1 engine can't be judged.")
    first = content(read(slow, fast, unknown), "verdict").statements[0]
    assert "1.20× the base" in first and first.endswith("; 1 engine can't be judged.")


def test_predictions_are_told_by_their_error_bars():
    near = predicted(0.9, 0.72, 1.08, layers={"b": 0.8})
    result = content(read(predicted(1.0, 0.8, 1.2), near, predicted(0.5, 0.4, 0.6)), "verdict")
    assert "Fastest, predicted: engine (3), 2.00× the base (error bars 1.33× to 3.00×)." in (result.statements[0])
    assert "either may be faster" in result.statements[1] and "error bars" in result.statements[2]
    assert result.statements[3].startswith("Predicted samples don't show significance.")
    table = result.tables[1]
    rows = table.records()
    assert [row["verdict"] for row in rows] == ["no significant difference", "predicted faster"]
    assert (rows[1]["from"], rows[1]["to"], rows[1]["±"]) == (pytest.approx(4 / 3), pytest.approx(3.0), None)
    assert "±" not in [column.name for column in table.for_people().columns]


def test_predictions_per_item():
    result = content(
        read(predicted(1.0, 0.8, 1.2), *(predicted(b, 0.8 * b, 1.2 * b, batch=8 * b) for b in (2, 4))), "verdict"
    )
    assert "Most items per second, predicted: " in result.statements[0]
    assert "8.00× the base (error bars 5.33× to 12.00×)" in result.statements[0]
    assert "Per item predicted faster: 8.00× the items per second, error bars 5.33× to 12.00×" in result.statements[1]


def test_one_engine_that_was_measured_among_predictions_is_unlike_them():
    result = read(predicted(1.0, 0.8, 1.2), predicted(0.5, 0.4, 0.6), measured(0.7))
    text = content(result, "verdict").statements
    assert "Base is predicted, new is measured: new is 1.43× faster" in text[2]
    assert "Base is" not in text[1]
    assert "(origin of times)" in content(result, "parity").statements[0]
    assert any(note.code == "unlike-origins" for note in content(result, "verdict").notes)


def test_what_nobody_tells_is_not_alike(precisions):
    text = content(precisions, "parity").statements
    assert text[-1].startswith("Not recorded for all: ") and "driver" in text[-1]


def test_of_two_batches_the_verdict_is_per_item():
    """An eighth of the work in a third of the time is no faster engine."""
    one, eight = made("resnet18-b1"), made("resnet18-b8")
    text = content(read(eight, one), "verdict").statements
    assert text[0].startswith("Per item slower within these two runs: 0.38× the items per second")
    assert text[1].startswith("New is 3.03× faster within these two runs: ")
    assert content(read(one, eight), "verdict").statements[0].startswith("Per item faster within these two runs: 2.64×")
    assert content(read(one, one), "verdict").statements[0].startswith("No difference")


def test_less_work_in_less_time_is_not_the_fastest():
    base = predicted(4.0, 3.9, 4.1, batch=32)
    one = predicted(1.0, 0.9, 1.1, gpu="NVIDIA T4")
    first = content(read(base, one, predicted(2.0, 1.9, 2.1, batch=8)), "verdict").statements[0]
    assert first.startswith("3 engines that differ in batch size and GPU. None is significantly faster")
    first = content(read(one, base, one), "verdict").statements[0]
    assert "Most items per second, predicted: engine (2), 8.00× the base" in first


def test_what_a_curve_and_times_per_item_are_of():
    result = read(predicted(1.0, samples=0), predicted(2.0, samples=0, batch=8), predicted(4.0, batch=32))
    assert "Times per item are of the sum of layer times" in content(result, "verdict").statements[-1]
    assert "the sum of layer times grows" in content(result, "scaling").statements[0]
    unprofiled = predicted(1.0, samples=0)
    result = read(EnginePlan(unprofiled.engine), predicted(2.0, batch=8), predicted(4.0, batch=32))
    assert content(result, "scaling").tables[0].rows[0][1:6] == (None, 2.0, 4.0, pytest.approx(0.5), None)


def test_rates_of_an_unknown_batch_are_queries():
    known = made("resnet18-b8")
    two = engine(layer("a", inputs=[t("x", [8, 3]), t("m", [1, 77])], outputs=["y"]), inputs=["x", "m"])
    unknown = EnginePlan(two, query_times=known.query_times, metadata=known.metadata)
    rows = content(read(known, known, unknown), "verdict").tables[0].records()
    rate = rows[0]["queries"]
    assert rate and [row["queries"] for row in rows] == [rate] * 3
    assert [row["throughput"] for row in rows] == [8 * rate, 8 * rate, None]
