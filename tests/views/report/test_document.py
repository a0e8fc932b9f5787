"""The report: every chart is in one section, numbers behind charts are in JSON, layers have every column."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.simulated_engine import write_built_on_cpu
from tests.simulated_examples import load_simulated
from tests.synthetic.engines import synthetic_engine
from trex.engine_plan import EnginePlan, load
from trex.export.document import render_document
from trex.views.chart import CHARTS, GROUPS, charts_of
from trex.views.completeness import METADATA, PROFILE, TIMES
from trex.views.document import Document, SceneBlock, TableBlock
from trex.views.plot import Empty, Plot
from trex.views.report.document import PARTS, report_document
from trex.views.report.layer_table import SHOWN


@pytest.fixture(scope="module")
def report() -> Document:
    return report_document(synthetic_engine("resnet18-int8"))


def test_every_chart_is_in_exactly_one_section(report: Document) -> None:
    of_builds = {chart.name for chart in charts_of("build")}  # shown with a verbose log
    assert sorted(block.name for part in report.sections for block in part.plots) == sorted(set(CHARTS) - of_builds)
    assert {chart.group for chart in CHARTS.values()} <= set(GROUPS)
    assert {group for part in PARTS for group in part.charts} == set(GROUPS)


def test_charts_about_nothing_are_left_out(tmp_path: Path) -> None:
    names = {part.name for part in report_document(load_simulated("transformer-fp16")).sections}
    assert "convolutions" not in names and {"gemms", "time"} <= names
    predicted = report_document(load(write_built_on_cpu(tmp_path)))
    assert not list(predicted.section("time").plots) and "reformats" not in {part.name for part in predicted.sections}


def test_charts_explain_themselves_and_graph_and_layers_are_there(report: Document) -> None:
    for block in (block for part in report.sections for block in part.plots):
        assert isinstance(block.make(), Plot | Empty) and block.explanation, block.name
    kinds = {name: [type(block) for block in report.section(name).blocks] for name in ("graph", "layers")}
    assert kinds == {"graph": [SceneBlock], "layers": [TableBlock]}


def test_json_contains_the_numbers_behind_every_chart(report: Document) -> None:
    sections = json.loads(render_document(report, "json"))["sections"]
    frame = report.source.frame
    bars = sections["performance"]["plots"]["latency-per-layer-ms"]
    assert bars["kind"] == "bars" and len(bars["values"]) == len(frame)
    assert bars["value_axis"] == {"title": "average time", "unit": "ms", "log": False}
    rows = sections["layers"]["tables"]["layers"]["rows"]
    assert [row["Name"] for row in rows] == frame["Name"].tolist()
    assert [row["latency.avg_time"] for row in rows] == frame["latency.avg_time"].tolist()
    assert {"perf.bound", "perf.headroom_ms", "Inputs", "Outputs"} <= rows[0].keys()


def test_the_first_columns_of_the_layers_are_the_most_useful(report: Document) -> None:
    (block,) = report.section("layers").blocks
    assert isinstance(block, TableBlock) and block.shown == SHOWN
    table = block.make()
    assert [column.heading for column in table.columns[:3]] == ["#", "Layer", "Time (ms)"]
    assert not [column.name for column in table.columns if set("._") & set(column.name)]
    kinds = {column.identifier: column.kind for column in table.columns}
    assert (kinds["latency.avg_time"], kinds["perf.headroom_ms"], kinds["weights_size"]) == ("ms", "ms", "bytes")
    assert all(column.meaning for column in table.columns)


def test_without_a_profile_it_says_what_writes_one() -> None:
    plan = EnginePlan([{"Name": "a", "LayerType": "Convolution", "Inputs": [], "Outputs": []}])
    document = report_document(plan)
    plots = {block.name: block.make() for part in document.sections for block in part.plots}
    assert document.section("summary").statements[0] == "Not measured, 1 layer"
    certainty = document.section("certainty")
    assert [fact.value for fact in certainty.facts if fact.label == "Missing"] == [[PROFILE, TIMES, METADATA]]
    assert certainty.commands[0].startswith("trtexec ") and "--exportProfile" in certainty.commands[0]
    for name in ("latency-per-layer-ms", "latency-treemap", "roofline"):
        plot = plots[name]
        assert isinstance(plot, Empty) and "profile" in f"{plot.reason} {plot.hint}", name


def test_the_answer_comes_first(report: Document) -> None:
    """How fast, why and where time goes above all tabs; what to do and how sure that is on the first tab."""
    above = [part.name for part in report.sections if not part.tab]
    first = [part.name for part in report.sections if part.tab == report.sections[1].tab]
    assert above == ["summary"] and first == ["todo", "certainty", "slowest"]
    words = " ".join(report.section("summary").statements)
    assert "ms" in words and "Bound by: " in words
    (shares,) = report.section("summary").tables
    (layers,) = report.section("layers").blocks
    assert shares.selects == "type" and isinstance(layers, TableBlock) and layers.sort == "latency.avg_time"
    assert {"Times", "Missing"} <= {fact.label for fact in report.section("certainty").facts}
    predicted = report_document(load_simulated("transformer-fp16")).section("certainty")
    assert "predicted, not measured" in predicted.facts[0].text and predicted.commands[0].startswith("trex process ")


def test_nothing_but_what_a_simulation_lacks_is_empty_in_an_example() -> None:
    sections = report_document(load_simulated("resnet18-int8")).sections
    plots = {block.name: block.make() for part in sections for block in part.plots}
    assert len([name for name, plot in plots.items() if isinstance(plot, Empty)]) <= 3
