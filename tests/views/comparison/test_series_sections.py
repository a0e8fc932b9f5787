"""What is told of several engines side by side: sections, tables that add up, plain JSON, inert text."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from trex.export.performance_markdown import performance_markdown
from trex.export.performance_text import performance_text
from trex.views.comparison.reading import ComparisonReading, read_series
from trex.views.comparison.series_section import SECTIONS
from trex.views.performance.section import Detail

from tests.compare.predicted import measured, predicted
from tests.compare.profiled import chained, made
from tests.factories import conv, engine
from trex.compare.series import EngineSeries
from trex.export.comparison import FORMATS, ComparisonStyle
from trex.export.frame import json_text, plain_value
from trex.plan.engine_plan import EnginePlan

EXAMPLES = ("resnet18-fp16", "resnet18-int8", "resnet18-int8-residual")


def read(*plans: EnginePlan, explain: bool = False) -> ComparisonReading:
    return read_series(EngineSeries(plans[0], plans[1:]), Detail(5, explain))


@pytest.fixture(scope="module")
def batches() -> ComparisonReading:
    return read(*(made(f"resnet18-b{batch}") for batch in (1, 8, 32)), explain=True)


@pytest.fixture(scope="module")
def precisions() -> ComparisonReading:
    return read(*map(made, EXAMPLES))


def content(reading: ComparisonReading, name: str):
    return next(content for key, _, content in reading.sections if key == name)


def test_sections_in_their_order(precisions, batches):
    names = [name for name, _, _ in precisions.sections]
    assert names == ["verdict", "parity", "causes", "operations", "best-of-each"]
    assert [name for name, _, _ in batches.sections] == ["verdict", "parity", "scaling", "causes", "operations"]
    assert SECTIONS.broken == () and set(names) < set(SECTIONS)
    orders = [plug.value.order for plug in SECTIONS.values()]
    assert len(set(orders)) == len(orders)


def test_two_engines_are_told_as_a_pair_with_what_only_a_series_tells():
    found = read(*map(made, EXAMPLES[:2]))
    names = [name for name, _, _ in found.sections]
    assert names[0] == "verdict" and names[-2:] == ["operations", "best-of-each"] and "layers" in names
    assert found.news == () and found.as_dict()["new"] == "resnet18-int8"


def test_the_first_sentences_tell_the_story(precisions, batches):
    told = dict(precisions.headlines)
    assert told["Engines"].startswith(
        "A series over precision: FP16, INT8, INT8. Fastest: resnet18-int8-residual, 1.95"
    )
    assert "resnet18-int8 -0.1028 ms" in told["Causes"]
    told = dict(batches.headlines)
    assert "batch size: 1, 8, 32. Most items per second: resnet18-b32" in told["Engines"]
    assert told["Scaling"].startswith("From batch 1 to 32 the time grows with batch^0.")
    assert batches.statement.startswith("synthetic example data")


def test_causes_add_up_in_every_column(precisions):
    (table,) = content(precisions, "causes").tables
    *rows, total = table.rows
    for column in range(1, len(table.columns)):
        assert sum(row[column] for row in rows) == pytest.approx(total[column], abs=1e-6)


def test_what_the_layers_time_went_to_adds_up(precisions):
    table = content(precisions, "operations").tables[0]
    *rows, total = table.rows
    for column in range(1, len(table.columns)):
        assert sum(row[column] for row in rows) == pytest.approx(total[column], abs=1e-9)


def test_the_rules_are_told(precisions):
    text = performance_text(precisions)
    assert "in proportion to their roofline times" in text
    assert "need a reformat unless type and format match" in text


def test_scaling_has_a_plot(batches):
    ((section, plot),) = batches.plots
    assert section == "scaling"
    assert list(plot.x) == [1.0, 8.0, 32.0]
    assert all(len(values) == 3 for values in plot.series.values())
    table = content(batches, "scaling").tables[0]
    assert table.rows[0][0] == "(whole engine)" and table.rows[0][1] < table.rows[0][3]


def test_json_is_plain_and_holds_every_pair(precisions, batches):
    for reading in (precisions, batches):
        data = json.loads(json_text(plain_value(reading.as_dict())))
        assert data["schema"] == "trex.compare/1"
        assert data["new"] == list(reading.news) and len(data["comparisons"]) == 2
        assert {"verdict", "causes", "layers", "operations"} <= data["comparisons"][0]["sections"].keys()
    engines = data["sections"]["verdict"]["data"]["engines"]
    assert [each["batch"] for each in engines] == [1, 8, 32]
    assert engines[2]["speedup"] < 1.0 < engines[2]["speedup_per_item"]


@pytest.mark.parametrize("name", FORMATS.names)
def test_every_format_writes_several(name, precisions):
    assert FORMATS[name].value.render(precisions, ComparisonStyle())


def test_without_any_times_it_says_what_is_unknown():
    plan = EnginePlan(made(EXAMPLES[0]).engine)
    text = performance_text(read(plan, plan, plan))
    assert "is unknown" in text
    assert "0.0000" not in text


def test_nothing_at_all():
    nothing = EnginePlan(engine(), name="nothing")
    assert "nothing" in performance_text(read(nothing, nothing, nothing))


def test_engines_that_only_have_layer_times():
    text = performance_text(read(chained([0.1, 0.2]), chained([0.2, 0.2]), chained([0.1, 0.1])))
    assert "/c0/Conv" in text and "sum of layer times" in text


def test_names_of_engines_are_never_markup():
    evil = "<script>alert(1)</script>|`x`\x1b[31m"
    made = engine(replace(conv(evil, ["x"], ["y"]), tactic=evil, origins=(evil,), module=evil))
    plans = [EnginePlan(made, name=evil), EnginePlan(made, name=f"{evil}2"), chained([0.1])]
    found = read(*plans, explain=True)
    assert "<script" not in performance_markdown(found)
    assert "\x1b" not in performance_text(found) + performance_markdown(found)


def test_engines_of_different_models_say_so():
    found = read(made("resnet18-fp16"), made("transformer-fp16"), made("resnet18-int8"))
    assert "perhaps of another model than the base: transformer-fp16" in dict(found.headlines)["Engines"]
    assert "best-of-each" not in {name for name, _, _ in found.sections}


def test_predictions_are_told_by_their_error_bars():
    near = predicted(0.9, 0.72, 1.08, layers={"b": 0.8})
    found = content(read(predicted(1.0, 0.8, 1.2), near, predicted(0.5, 0.4, 0.6)), "verdict")
    assert "Fastest, predicted: engine (3), 2.00× the base (error bars 1.33× to 3.00×)." in (found.statements[0])
    assert "either may be faster" in found.statements[1] and "error bars" in found.statements[2]
    assert found.statements[3].startswith("Simulated samples don't show significance.")
    table = found.tables[1]
    rows = table.records()
    assert [row["verdict"] for row in rows] == ["no significant difference", "predicted faster"]
    assert (rows[1]["from"], rows[1]["to"], rows[1]["±"]) == (pytest.approx(4 / 3), pytest.approx(3.0), None)
    assert "±" not in [column.name for column in table.for_people().columns]
    told = found.data["engines"][2]
    assert (told["outcome"], told["is_real"], told["is_predicted"]) == ("predicted faster", None, True)


def test_predictions_per_item():
    found = content(
        read(predicted(1.0, 0.8, 1.2), *(predicted(b, 0.8 * b, 1.2 * b, batch=8 * b) for b in (2, 4))), "verdict"
    )
    assert "Most items per second, predicted: " in found.statements[0]
    assert "8.00× the base (error bars 5.33× to 12.00×)" in found.statements[0]
    assert "Per item predicted faster: 8.00× the items per second, error bars 5.33× to 12.00×" in found.statements[1]


def test_one_engine_that_was_measured_among_predictions_is_unlike_them():
    found = read(predicted(1.0, 0.8, 1.2), predicted(0.5, 0.4, 0.6), measured(0.7))
    told = content(found, "verdict").statements
    assert "Base is predicted, new is measured: new is 1.43× faster" in told[2]
    assert "Base is" not in told[1]
    assert "(origin of times)" in content(found, "parity").statements[0]
    assert any(note.code == "unlike-origins" for note in content(found, "verdict").notes)


def test_what_nobody_tells_is_not_alike(precisions):
    said = content(precisions, "parity").statements
    assert said[-1].startswith("Not recorded for all: ") and "driver" in said[-1]


def test_of_two_batches_the_verdict_is_per_item():
    """An eighth of the work in a third of the time is no faster engine."""
    one, eight = made("resnet18-b1"), made("resnet18-b8")
    said = content(read(eight, one), "verdict").statements
    assert said[0].startswith("Per item slower: 0.38× the items per second")
    assert said[1].startswith("New is 3.03× faster: ")
    assert content(read(one, eight), "verdict").statements[0].startswith("Per item faster: 2.64×")
    assert content(read(one, one), "verdict").statements[0].startswith("No difference")


def test_no_operation_is_fastest_in_the_smallest_batch(batches, precisions):
    for reading, told in ((batches, False), (precisions, True)):
        (table,) = (each for each in content(reading, "operations").tables if each.title == "Operations of the model")
        assert ("fastest in" in [column.name for column in table.columns]) == told
        assert {len(row) for row in table.rows} == {len(table.columns)}
