"""The report as one page: charts, graph and table select one another; nothing is asked from anywhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.browser.looking import until
from tests.synthetic.engines import synthetic_engine
from trex.engine_plan import EnginePlan
from trex.export.document import write_document
from trex.views.redaction import redacted
from trex.views.report.document import report_document

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def plan() -> EnginePlan:
    return synthetic_engine("resnet18-int8")


@pytest.fixture(scope="module")
def report(plan: EnginePlan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("plotly", reason="plotly is absent: pip install plotly")
    return write_document(report_document(plan), tmp_path_factory.mktemp("report") / "report.html")


def opened(visit: Any, path: Path, **context: Any) -> Any:
    return visit(path, **context)


def drawn(page: Any, chart: str) -> None:
    """Opens the section of a chart, scrolls to it and waits until it is there."""
    folded = page.locator(f"section.folded:has(#chart-{chart}) > details:not([open]) > summary")
    if folded.count():
        folded.click()
    page.locator(f"#chart-{chart}").scroll_into_view_if_needed()
    until(page, f"document.querySelector('#chart-{chart} .plot').data !== undefined")


def graph_frame(page: Any) -> Any:
    page.locator("#graphs").scroll_into_view_if_needed()
    until(page, "trex.graph.isReady")
    return next(frame for frame in page.frames if frame is not page.main_frame)


def selected(page: Any) -> int:
    index: int = page.evaluate("trex.hub.layer")
    return index


def test_every_part_is_named_and_reached_by_its_link(visit: Callable[..., Any], report: Any) -> None:
    page = opened(visit, report)
    links = page.locator("nav a").all_inner_texts()
    assert links[0] == "Summary" and {"Graph", "Performance", "Memory", "Layers"} <= set(links)
    for link in page.locator("nav a").all():
        assert page.locator(f"section{link.get_attribute('href')}").count() == 1
    assert "synthetic" in page.locator("header .badge").inner_text()


def test_charts_are_drawn_when_they_come_near(visit: Callable[..., Any], report: Any) -> None:
    page = opened(visit, report)
    assert page.evaluate("trex.charts.drawn.size") < page.evaluate("trex.charts.boxes.length")
    drawn(page, "reformat-origins")
    assert page.locator("#chart-reformat-origins svg").count() > 0


def test_the_page_is_short_until_its_sections_are_opened(visit: Callable[..., Any], report: Any) -> None:
    page = opened(visit, report)
    for width, height, most in ((1440, 900, 6.0), (390, 844, 8.0)):
        page.set_viewport_size({"width": width, "height": height})
        screens = page.evaluate("document.documentElement.scrollHeight") / height
        assert screens <= most, f"{screens:.1f} screens of {width} × {height}"
        if width < 800:  # what a finding saves is readable without scrolling sideways
            findings = page.locator("#summary .wide").first
            assert findings.evaluate("box => box.scrollWidth <= box.clientWidth + 1")
    page.locator("nav a", has_text="Roofline").click()
    page.locator("#roofline > details[open]").wait_for()


def test_a_row_selects_bar_panel_and_graph(visit: Callable[..., Any], report: Any, plan: EnginePlan) -> None:
    page = opened(visit, report)
    drawn(page, "latency-per-layer-ms")
    frame = graph_frame(page)
    page.locator("#layers").scroll_into_view_if_needed()
    line = page.locator("#table .line").nth(2)
    name = line.locator("span").nth(1).inner_text()
    line.click()
    assert selected(page) == int(line.get_attribute("data-layer"))
    assert page.locator("#panel h2").inner_text() == name
    assert frame.evaluate("trex.base.layers.name[trex.selectedLayer()]") == name
    shown = page.evaluate(
        "document.querySelector('#chart-latency-per-layer-ms .plot').data"
        ".flatMap(trace => trace.customdata.filter((_, at) => trace.marker.opacity[at] === 1))"
    )
    assert shown == [selected(page)]


def test_a_bar_selects_the_row(visit: Callable[..., Any], report: Any) -> None:
    page = opened(visit, report)
    drawn(page, "latency-per-layer-ms")
    bar = page.locator("#chart-latency-per-layer-ms .point path").nth(1)
    bar.click(force=True)
    until(page, "trex.hub.layer >= 0")
    index = selected(page)
    assert page.locator("#panel dd").first.inner_text() != ""
    page.locator("#layers").scroll_into_view_if_needed()
    page.wait_for_selector("#table .line[aria-selected=true]")
    assert page.locator("#table .line[aria-selected=true]").get_attribute("data-layer") == str(index)


def test_the_graph_selects_the_row(visit: Callable[..., Any], report: Any) -> None:
    page = opened(visit, report)
    frame = graph_frame(page)
    frame.evaluate("trex.selectRow(4)")
    until(page, "trex.hub.layer >= 0")
    assert page.evaluate("trex.hub.layer") == frame.evaluate("trex.base.layers.index[4]")


def test_the_table_sorts_and_filters(visit: Callable[..., Any], report: Any, plan: EnginePlan) -> None:
    page = opened(visit, report)
    page.locator("#layers").scroll_into_view_if_needed()
    page.get_by_role("columnheader", name=re.compile("latency.avg_time")).get_by_role("button").click()
    times = page.evaluate("trex.layers.rows().map(row => trex.model.by('latency.avg_time').read(row))")
    assert times == sorted(times, reverse=True) and len(times) == len(plan.working_layers)
    page.fill("#filter", "COPYNODE reformatting")
    wanted = int(plan.df["Name"].str.contains("Reformatting CopyNode").sum())
    assert page.locator("#rows").inner_text() == f"{wanted} of {len(plan.working_layers)} layers"
    page.fill("#filter", "latency.avg_time > 0.05")
    wanted = int((plan.df["latency.avg_time"] > 0.05).sum())
    assert page.locator("#rows").inner_text().startswith(f"{wanted} of")
    page.fill("#filter", "nothing.there > 1")
    assert page.locator("#rows").inner_text() == "no column is called nothing.there"
    page.fill("#filter", "type>3")
    assert "is text" in page.locator("#rows").inner_text()
    page.fill("#filter", "latency.avg_time=slow")
    assert "is a number" in page.locator("#rows").inner_text()
    page.fill("#filter", "type=Convolution")
    wanted = sum(layer.type == "Convolution" for layer in plan.working_layers)
    assert page.locator("#rows").inner_text().startswith(f"{wanted} of")


def test_the_address_names_the_selected_layer(visit: Callable[..., Any], report: Any, plan: EnginePlan) -> None:
    first, other = plan.working_layers[1], plan.working_layers[4]
    page = visit(report, f"#layer={quote(first.name, safe='')}")
    assert selected(page) == first.index and page.locator("#panel h2").inner_text() == first.name
    page.evaluate(f"trex.hub.select({other.index})")
    page.go_back()
    until(page, f"trex.hub.layer === {first.index}")
    page.locator("#columns").click()  # the panel covers no button
    page.keyboard.press("Escape")
    until(page, "trex.hub.layer === -1")
    for hostile in ("%", "__proto__", "constructor", "99999"):
        page.evaluate("hash => { location.hash = hash; }", f"#layer={hostile}")
    assert selected(page) == -1


def test_only_rows_in_sight_exist(visit: Callable[..., Any], report: Any, plan: EnginePlan) -> None:
    page = opened(visit, report)
    page.locator("#layers").scroll_into_view_if_needed()
    assert 0 < page.locator("#table .line").count() <= 40


def test_keys_walk_the_page(visit: Callable[..., Any], report: Any) -> None:
    page = opened(visit, report)
    page.keyboard.press("d")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.keyboard.press("?")
    assert page.locator("#glossary").is_visible()
    assert "latency.avg_time" in page.locator("#glossary").inner_text()
    assert page.evaluate("document.getElementById('glossary').scrollTop") == 0
    page.keyboard.press("Escape")
    page.locator("#glossary").wait_for(state="hidden")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "filter"


def test_charts_and_graph_follow_the_theme(visit: Callable[..., Any], report: Any) -> None:
    page = opened(visit, report, color_scheme="dark")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    drawn(page, "latency-per-layer-ms")
    frame = graph_frame(page)
    assert frame.evaluate("document.documentElement.dataset.theme") == "dark"
    page.locator("#theme").click()
    until(page, "document.querySelector('#chart-latency-per-layer-ms .plot').layout.font.color === '#1d2530'")
    assert frame.evaluate("document.documentElement.dataset.theme") == "light"


def test_print_leaves_out_what_paper_cannot_do(visit: Callable[..., Any], report: Any) -> None:
    page = opened(visit, report)
    page.emulate_media(media="print")
    for hidden in ("nav", "header .tools", ".graph", ".browse"):
        assert not page.locator(hidden).first.is_visible(), hidden
    assert page.locator("#summary").is_visible()


def test_paper_has_every_chart_and_its_legend(visit: Callable[..., Any], report: Any) -> None:
    page = opened(visit, report)
    drawn(page, "latency-per-layer-ms")
    drawn(page, "convolution-latency-by-macs")
    page.evaluate("""() => {
        trex.charts.drawAll = async () => { window.steps = ["drawn"]; };
        window.print = () => window.steps.push("printed");
    }""")
    page.keyboard.press("Control+p")
    until(page, "window.steps?.join() === 'drawn,printed'")
    assert page.locator("section.folded > details:not([open])").count() == 0
    page.emulate_media(media="print")
    page.evaluate("trex.charts.toPaper()")
    chart = page.locator("#chart-latency-per-layer-ms .plot")
    assert page.evaluate("document.querySelector('#chart-latency-per-layer-ms .plot').layout.width") == 330
    assert chart.locator(".legendsymbols path").first.is_visible()
    page.emulate_media(media="screen")
    page.evaluate("trex.charts.toWindow()")
    assert page.evaluate("document.querySelector('#chart-latency-per-layer-ms .plot').layout.width") is None


def test_the_license_of_the_charts_is_in_the_page(visit: Callable[..., Any], report: Any) -> None:
    page = opened(visit, report)
    page.locator("footer summary").click()
    words = page.locator("footer pre").inner_text()
    assert "plotly.js" in words and "Copyright" in words and "Permission is hereby granted" in words


def test_every_control_has_a_name(visit: Callable[..., Any], report: Any) -> None:
    page = opened(visit, report)
    unnamed = page.evaluate(
        "[...document.querySelectorAll('button, input, [role=img], [role=grid], iframe')].filter(each => "
        "!(each.getAttribute('aria-label') || each.textContent.trim() || each.title || each.closest('label'))).length"
    )
    assert unnamed == 0


def test_names_are_text_wherever_they_are_shown(visit: Callable[..., Any], tmp_path: Path) -> None:
    hostile = "<img src=x onerror=alert(1)></script><script>throw 1</script>"
    plan = EnginePlan(
        [
            {"Name": hostile, "LayerType": "Convolution", "Inputs": [], "Outputs": []},
            {"Name": "=cmd()", "LayerType": hostile, "Inputs": [], "Outputs": []},
        ],
        name=hostile,
    )
    page = opened(visit, write_document(report_document(plan), tmp_path / "hostile.html"))
    page.locator("#layers").scroll_into_view_if_needed()
    page.locator("#table .line").first.click()
    assert page.locator("#panel h2").inner_text() == hostile
    assert page.locator("img").count() == 0


def test_a_redacted_page_holds_no_name(visit, plan, tmp_path):
    page = opened(visit, write_document(report_document(redacted(plan)), tmp_path / "redacted.html"))
    page.locator("#layers").scroll_into_view_if_needed()
    assert page.locator("#table .line span").nth(1).inner_text().startswith("layer ")
    everything = page.evaluate(
        "Promise.all(['figures', 'table-0', 'scene-0-0'].map(async name => {"
        "const packed = atob(document.getElementById('data-' + name).textContent);"
        "const bytes = Uint8Array.from(packed, each => each.charCodeAt(0));"
        "return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();}))"
    )
    text = page.content() + "".join(everything)
    for layer in plan.working_layers:
        assert layer.name not in text or len(layer.name) < 8
