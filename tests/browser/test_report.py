"""The report as one page: charts, graph and table select one another; nothing is asked from anywhere."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.browser.looking import until
from tests.simulated_examples import load_simulated
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
    """Opens the tab of a chart, scrolls to it and waits until it is there."""
    page.evaluate("chart => { location.hash = `chart=${chart}`; }", chart)
    until(page, f"document.querySelector('#chart-{chart} .plot').data !== undefined")


def graph_frame(page: Any) -> Any:
    tab(page, "graph")
    until(page, "trex.graph.isReady")
    return next(frame for frame in page.frames if frame is not page.main_frame)


def tab(page: Any, name: str) -> None:
    page.locator(f"#tab-{name}").click()


def hash_of(page: Any) -> str:
    words: str = page.evaluate("location.hash")
    return words


def selected(page: Any) -> int:
    index: int = page.evaluate("trex.hub.layer")
    return index


def test_the_first_screen_has_the_answer(visit: Callable[..., Any], report: Any, tmp_path: Path) -> None:
    page = opened(visit, report)
    assert "synthetic" in page.locator("header .badge").inner_text()
    page.set_viewport_size({"width": 1440, "height": 900})
    for part in ("#summary", "#todo", "#certainty", "#graph"):
        box = page.locator(part).bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 900, part
    assert page.locator("#table .line").first.is_visible()
    page.click("#larger")
    assert page.locator("#graph .view").first.bounding_box()["height"] > 600
    page.click("#larger")
    assert re.search(r"\d ms", page.locator("#summary .statement").first.inner_text())
    large = write_document(report_document(load_simulated("transformer-fp16")), tmp_path / "large.html")
    long = visit(large)  # 124 layers, predicted: the command that measures them can be copied
    assert long.locator("#certainty .command").inner_text().startswith("trex process ")
    assert long.locator("#certainty .copy").is_visible()
    for each in (page, long):
        for width, height, most in ((1440, 900, 2.0), (390, 844, 4.0)):
            each.set_viewport_size({"width": width, "height": height})
            screens = each.evaluate("document.documentElement.scrollHeight") / height
            assert screens <= most, f"{screens:.1f} screens of {width} × {height}"
        assert each.evaluate("document.documentElement.scrollWidth") <= 390
    findings = page.locator("#todo .wide")
    # No number of a finding is out of sight, however long the path of a layer.
    findings.evaluate("box => { box.querySelector('td').append('/input_blocks.1'.repeat(9)); }")
    for width in (390, 1024, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert findings.evaluate("box => box.scrollWidth <= box.clientWidth + 1"), width


def test_tabs_follow_keys_and_the_address(visit: Callable[..., Any], report: Any) -> None:
    page = opened(visit, report)
    names = page.evaluate("trex.tabs.names")
    assert names == ["overview", "findings", "graph", "layers", "time", "roofline", "memory", "build", "about"]
    page.locator("#tab-overview").focus()
    page.keyboard.press("ArrowRight")
    assert hash_of(page) == "#tab=findings" and page.evaluate("document.activeElement.id") == "tab-findings"
    assert page.locator("#findings").is_visible() and page.locator("#todo").is_hidden()
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    assert hash_of(page) == "" and page.evaluate("document.activeElement.id") == "tab-overview"
    page.keyboard.press("ArrowLeft")
    assert page.locator("[role=tab][tabindex='0']").inner_text() == "About" and page.locator("#details").is_visible()
    page.go_back()
    until(page, "trex.tabs.current() === 'overview'")
    page.keyboard.press("j")
    assert hash_of(page) == "#tab=findings"
    # What the browser's own search finds opens its tab.
    page.evaluate("document.getElementById('panel-memory').dispatchEvent(new Event('beforematch'))")
    assert page.evaluate("trex.tabs.current()") == "memory"
    assert page.evaluate("trex.charts.drawn.size < trex.charts.boxes.length")  # charts come when they are near
    page.evaluate("location.hash = 'roofline'")  # as in older links: the address of a section
    until(page, "trex.tabs.current() === 'roofline'")
    assert visit(report, "#reformats").evaluate("trex.tabs.current()") == "time"
    page = visit(report, "#tab=layers&filter=type=Pooling")
    assert page.evaluate("trex.tabs.current()") == "layers" and page.locator("#filter").input_value() == "type=Pooling"


def test_a_part_of_the_bar_selects_its_layers(visit: Callable[..., Any], report: Any, plan: EnginePlan) -> None:
    page = opened(visit, report)
    frame = graph_frame(page)
    wanted = [layer.index for layer in plan.working_layers if layer.type == "Pooling"]
    part = page.locator('.stack [data-filter="type=Pooling"]')
    part.click()
    assert hash_of(page) == "#tab=graph&filter=type=Pooling"
    assert page.locator(".keys [aria-pressed=true]").inner_text().startswith("Pooling")
    assert page.evaluate("trex.layers.rows().map(trex.model.layerOf).sort((a, b) => a - b)") == wanted
    until(frame, "count => trex.matched.length === count", len(wanted))
    part.click()
    until(frame, "trex.matched.length === 0")
    assert hash_of(page) == "#tab=graph" and page.locator(".keys [aria-pressed=true]").count() == 0
    page.locator(".keys button", has_text="Reformat").focus()
    page.keyboard.press("Enter")
    drawn(page, "latency-per-layer-ms")
    page.evaluate("location.hash = 'tab=time&filter=type=Reformat'")
    faded = """document.querySelector('#chart-latency-per-layer-ms .plot').data
        .flatMap(trace => trace.customdata.filter((_, at) => trace.marker.opacity[at] === 1)).length"""
    until(page, f"{faded} === {sum(layer.type == 'Reformat' for layer in plan.working_layers)}")
    page.keyboard.press("Escape")
    until(page, "trex.layers.rows().length === trex.model.count")
    assert hash_of(page) == "#tab=time"


def test_links_lead_to_layers_findings_and_charts(visit: Callable[..., Any], report: Any, plan: EnginePlan) -> None:
    first, other = plan.working_layers[1], plan.working_layers[4]
    page = visit(report, f"#layer={quote(first.name, safe='')}")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
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
    link = page.locator("#todo a").first
    code = link.get_attribute("href").removeprefix("#finding=")
    link.click()
    until(page, "trex.tabs.current() === 'findings' && trex.hub.marked.size > 0")
    assert page.evaluate("document.activeElement.id") == f"finding-{code}"
    page.keyboard.press("c")
    assert page.evaluate("navigator.clipboard.readText()").endswith(f"#finding={code}")
    page.evaluate("location.hash = 'chart=reformat-origins'")
    until(page, "trex.tabs.current() === 'time' && document.activeElement.id === 'chart-reformat-origins'")
    until(page, "document.querySelector('#chart-reformat-origins svg') !== null")
    page.mouse.move(5, 5)
    page.keyboard.press("c")
    assert page.evaluate("navigator.clipboard.readText()").endswith("#chart=reformat-origins")


def test_paper_has_every_chart_whoever_prints(visit: Callable[..., Any], report: Any, tmp_path: Path) -> None:
    pdfium = pytest.importorskip("pypdfium2", reason="pypdfium2 is absent: pip install pypdfium2")
    page = visit(report, "#tab=about", color_scheme="dark")
    # A browser that prints as soon as the page is loaded finds all that charts are drawn from.
    assert page.evaluate("performance.getEntriesByType('navigation')[0].loadEventStart > trex.charts.readyAfter")
    assert page.evaluate("trex.charts.boxes.length > 40 && trex.charts.drawn.size === 0")
    page.evaluate("""() => addEventListener("beforeprint", () => {
        const {boxes} = trex.charts, panels = [...document.querySelectorAll("[role=tabpanel]")];
        window.onPaper = {
            theme: trex.theme, hidden: panels.filter(panel => panel.hidden).length,
            blank: boxes.filter(box => !box.querySelector(".main-svg")).map(box => box.dataset.chart),
        };
    })""")
    page.pdf(path=tmp_path / "report.pdf")
    assert page.evaluate("window.onPaper") == {"theme": "light", "hidden": 0, "blank": []}
    assert page.evaluate("trex.theme") == "dark" and page.locator("#memory").is_hidden()
    paper = pdfium.PdfDocument(tmp_path / "report.pdf")
    texts = [sheet.get_textpage().get_text_range() for sheet in paper]
    paper.close()
    assert 4 <= len(texts) <= 12 and "What to do" in texts[0] and "Slowest layers" in texts[0]
    assert any("layers in execution order" in words for words in texts)  # the axis of a chart
    page.emulate_media(media="print")
    for hidden in (".tabs", "header .tools", ".graph", ".browse", ".copy"):
        assert not page.locator(hidden).first.is_visible(), hidden
    assert page.locator("#summary").is_visible() and page.locator("#slowest").is_visible()
    page.set_viewport_size({"width": 600, "height": 900})  # a small sheet
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("document.documentElement.scrollWidth") <= 600  # wider, and a browser shrinks all of it


def test_a_row_selects_bar_panel_and_graph(visit: Callable[..., Any], report: Any, plan: EnginePlan) -> None:
    page = opened(visit, report)
    drawn(page, "latency-per-layer-ms")
    frame = graph_frame(page)
    tab(page, "layers")
    assert 0 < page.locator("#table .line").count() <= 40  # those in sight
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
    tab(page, "layers")
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
    heading = page.get_by_role("columnheader", name="Time (ms) ↓").get_by_role("button")
    assert heading.get_attribute("title").startswith("latency.avg_time: ")
    times = page.evaluate("trex.layers.rows().map(row => trex.model.by('latency.avg_time').read(row))")
    assert times == sorted(times, reverse=True) and len(times) == len(plan.working_layers)
    page.fill("#filter", "COPYNODE reformatting")
    wanted = int(plan.df["Name"].str.contains("Reformatting CopyNode").sum())
    assert page.locator("#rows").inner_text() == f"{wanted} of {len(plan.working_layers)} layers"
    page.fill("#filter", "latency.avg_time > 0.05")
    wanted = int((plan.df["latency.avg_time"] > 0.05).sum())
    assert page.locator("#rows").inner_text().startswith(f"{wanted} of")
    page.fill("#filter", "time > 0.05")
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


def test_the_license_of_the_charts_is_in_the_page(visit: Callable[..., Any], report: Any) -> None:
    page = opened(visit, report)
    page.locator("footer summary").click()
    words = page.locator("footer pre").inner_text()
    assert "plotly.js" in words and "Copyright" in words and "Permission is hereby granted" in words


def test_names_are_text_wherever_they_are_shown(visit: Callable[..., Any], tmp_path: Path) -> None:
    hostile = "<img src=x onerror=alert(1)></script><script>throw 1</script>"
    odd = ["Conv", "conv", "Pool\u200fing\x1b", "x x ", "A=B", "2"]
    plan = EnginePlan(
        [
            {"Name": hostile, "LayerType": "Convolution", "Inputs": [], "Outputs": []},
            {"Name": "=cmd()", "LayerType": hostile, "Inputs": [], "Outputs": []},
            *({"Name": kind, "LayerType": kind, "Inputs": [], "Outputs": []} for kind in odd),
        ],
        name=hostile,
    )
    page = opened(visit, write_document(report_document(plan), tmp_path / "hostile.html"))
    page.locator("#table .line").first.click()
    assert page.locator("#panel h2").inner_text() == hostile
    assert page.locator("img").count() == 0
    # Each part of the bar selects the layers of its type, whatever that is called.
    parts = page.locator(".keys [data-filter]")
    for part in parts.all():
        part.evaluate("part => part.click()")
        (count,) = map(int, re.findall(r"(\d+) layer", part.inner_text()))
        assert page.evaluate("trex.layers.rows().length") == count, part.inner_text()
        assert part.get_attribute("aria-pressed") == "true"
    assert parts.count() == 2 + len(odd)
    # Digits in an address are the number of a layer, also where another layer is called so.
    page.evaluate("trex.hub.select(7)")
    assert hash_of(page).endswith("layer=7")
    page.evaluate("location.hash = 'layer=2'")
    until(page, "trex.hub.layer === 2")


def test_a_redacted_page_holds_no_name(visit, plan, tmp_path):
    page = opened(visit, write_document(report_document(redacted(plan)), tmp_path / "redacted.html"))
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


def test_the_csv_of_the_page_has_bytes_in_full_and_says_what_is_predicted(
    visit: Callable[..., Any], tmp_path: Path
) -> None:
    plan = load_simulated("resnet18-int8")
    page = opened(visit, write_document(report_document(plan), tmp_path / "report.html"))
    tab(page, "layers")
    with page.expect_download() as waiting:
        page.locator("#csv").click()
    rows = list(csv.DictReader(waiting.value.path().read_text().splitlines()))
    sizes = sorted(int(row["total_io_size_bytes"]) for row in rows)
    assert sizes == sorted(plan.df["total_io_size_bytes"].astype(int))
    assert {row["provenance"] for row in rows} == {"simulated"}
