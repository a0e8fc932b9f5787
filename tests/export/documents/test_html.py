"""The page: what it packs for its scripts, what it says without plotly, and how small it is without charts."""

from __future__ import annotations

import base64
import gzip
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.factories import engine
from tests.simulated_examples import load_simulated
from trex.compare.plan_diff import PlanDiff
from trex.compare.series import EngineSeries
from trex.engine_plan import load_example
from trex.export import offline_page
from trex.export.document import render_document
from trex.plan.engine_plan import EnginePlan
from trex.views.compare.document import comparison_document, series_document
from trex.views.document import Document, PlotBlock, Section, TableBlock, Text
from trex.views.plot import Empty
from trex.views.report.document import report_document
from trex.views.summary import summary_document
from trex.views.table import Table, TableColumn


def page_of(document: Document) -> str:
    return render_document(document, "html").decode("utf-8")


def unpacked(page: str, name: str) -> Any:
    packed = re.search(f'id="{name}">([^<]*)</script>', page)
    assert packed
    text = gzip.decompress(base64.b64decode(packed[1])).decode("utf-8")
    return text if text.startswith("<!") else json.loads(text)


def links(page: str) -> dict[str, str]:
    return dict(re.findall(r'<li><a href="#([^"]*)">([^<]*)</a>', page))


@pytest.fixture
def without_plotly(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    offline_page.packed_plotly.cache_clear()
    yield
    offline_page.packed_plotly.cache_clear()


def test_a_report_has_tabs_and_packs_graph_and_layers() -> None:
    plan = load_simulated("resnet18-int8")
    page = page_of(report_document(plan))
    tabs = re.findall(
        r'role="tab" id="tab-(\w+)" aria-controls="panel-\1" aria-selected="(\w+)" tabindex="(-?\d)"', page
    )
    assert tabs[0] == ("overview", "true", "0") and {state[1:] for state in tabs[1:]} == {("false", "-1")}
    panels = re.findall(r'role="tabpanel" id="panel-(\w+)" aria-labelledby="tab-\1"( hidden)?', page)
    assert [name for name, _ in panels] == [name for name, *_ in tabs]
    assert [name for name, hidden in panels if not hidden] == ["overview", "graph", "layers"]
    assert page.index('id="summary"') < page.index('id="panel-overview"') and not links(page)
    parts = {part: float(share) for share, part in re.findall(r'flex-grow:([\d.]+)[^>]*data-filter="([^"]*)"', page)}
    assert sum(parts.values()) == pytest.approx(100, abs=0.1) and "type=Convolution" in parts
    assert page.count('aria-pressed="false" data-filter="') == len(parts)
    linked, there = (set(re.findall(pattern, page)) for pattern in ('"#finding=([^"]*)"', 'id="finding-([^"]*)"'))
    assert linked <= there
    assert re.search(r'<a href="#layer=\d+">', page) and re.search(r'<li id="finding-\w+" [^>]*data-layers="\d', page)
    table = unpacked(page, "data-table-0")
    assert {len(column.get("numbers", column.get("indexes", ()))) for column in table["columns"]} == {
        len(plan.working_layers)
    }
    assert table["noun"] == "layers" and table["columns"][0]["name"] == "layer.index"
    assert unpacked(page, "data-scene-0-0").startswith("<!DOCTYPE html>") and "data-scene-0-1" not in page
    assert "latency-per-layer-ms" in unpacked(page, "data-figures")


def test_a_rule_with_two_findings_has_two_addresses() -> None:
    page = page_of(report_document(load_example("resnet18-int8")))
    for code in ("QDQ001", "QDQ001-2"):
        assert f'"#finding={code}"' in page and f'id="finding-{code}"' in page


def test_a_comparison_knows_which_layers_match() -> None:
    comparison = PlanDiff(load_simulated("resnet18-int8"), load_simulated("resnet18-int8-residual"))
    page = page_of(comparison_document(comparison))
    matches = unpacked(page, "data-matches-0")
    assert len(matches) == len(comparison.changes)
    for side, plan in enumerate((comparison.left, comparison.right)):
        assert sorted(index for match in matches for index in match[side]) == [
            layer.index for layer in plan.working_layers
        ]
        data = re.search(r'id="data">(.*?)</script>', unpacked(page, f"data-scene-0-{side}"), re.DOTALL)
        assert data and json.loads(data[1])["colorBy"] == "change"
    table = unpacked(page, "data-table-0")
    assert {len(column.get("numbers", column.get("indexes"))) for column in table["columns"]} == {len(matches)}
    assert page.index('id="verdict"') < page.index('id="causes"') < page.index('id="graphs"')


def test_several_engines_are_chosen_by_a_menu() -> None:
    base, *others = (load_simulated(f"resnet18-{name}") for name in ("fp16", "int8", "int8-residual"))
    series = EngineSeries(base, others)
    page = page_of(series_document(series))
    options = re.findall(r"<option value=\"\d\">([^<]*)</option>", page)
    assert options == ["resnet18-fp16 → resnet18-int8", "resnet18-fp16 → resnet18-int8-residual"]
    assert len(unpacked(page, "data-matches-1")) == len(series.comparisons[1].changes)
    assert len(unpacked(page, "data-table-1")["columns"]) == len(unpacked(page, "data-table-0")["columns"])


def test_without_changes_there_is_no_graph() -> None:
    nothing = EnginePlan(engine())
    page = page_of(comparison_document(PlanDiff(nothing, nothing)))
    assert 'id="graphs"' not in page and 'id="verdict"' in page


@pytest.mark.parametrize("name", ["report", "compare"])
def test_without_plotly_the_page_names_the_extra_and_shows_the_rest(name: str, without_plotly: None) -> None:
    plan = load_simulated("resnet18-int8")
    page = page_of(report_document(plan) if name == "report" else comparison_document(PlanDiff(plan, plan)))
    assert page.count("[report]") == 1 and "<figure" not in page and "unsafe-eval" not in page
    assert "data-scene-0-0" in page and "data-table-0" in page and len(page) < 700_000


def test_a_document_without_charts_is_a_small_page() -> None:
    page = page_of(summary_document(load_simulated("resnet18-int8")))
    assert len(page) < 36_000 and "unsafe-eval" not in page and "<nav" not in page
    assert "makeCharts" not in page.partition("makeTheme(app);")[0] and "Metrics" not in page


def test_folded_sections_are_opened_by_a_click_and_tables_to_browse_stand_open() -> None:
    table = Table("t", (TableColumn("name"),), (("a",),))
    sections = (
        Section("first", "First", (Text(("The answer.",)),)),
        Section("more", "More", (Text(("Details.",)),), is_folded=True),
        Section("rows", "Rows", (TableBlock("t", "All", lambda: table),), is_folded=True),
    )
    page = page_of(Document("x", "title", sections=sections))
    assert page.count("<details>") == 1 and '<section id="more" class="folded"' in page
    assert '<section id="section-rows" class="screen"' in page, "the id of an element that scripts look for is taken"


def test_bars_are_drawn_by_their_sign() -> None:
    columns = (TableColumn("cause"), TableColumn("change", "bar"))
    signed = Table("signed", columns, (("a", -2.0), ("b", 1.0), ("c", None), ("d", 0.0)))
    plain = Table("plain", columns, (("a", 4.0), ("b", 1.0)))
    page = page_of(Document("x", "title", sections=(Section("s", "S", (signed, plain)),)))
    bars = re.findall(r'<td class="bar">(?:<div class="(\w*)" style="width:([\d.]+)%"></div>)?</td>', page)
    assert bars == [("less", "100.00"), ("more", "50.00"), ("", ""), ("", ""), ("", "100.00"), ("", "25.00")]


def test_an_empty_chart_says_why() -> None:
    block = PlotBlock("c", "A chart", lambda: Empty("no layer has a time", "profile it"), "What it shows.")
    page = page_of(Document("x", "title", sections=(Section("s", "S", (block,)),)))
    assert "no layer has a time<br>profile it" in page and "data-plotly" not in page
    other = PlotBlock("d", "Another", lambda: Empty("no sizes"), "What it shows.")
    many = tuple(replace(block, name=f"c{number}", title=f"Chart {number}") for number in range(5))
    page = page_of(Document("x", "title", sections=(Section("s", "S", (*many, other)),)))
    assert page.count("<figure") == 2 and page.count("no layer has a time") == 1, "charts that lack the same are one"
    assert all(f'<span id="chart-c{number}">Chart {number}</span>' in page for number in range(5))
