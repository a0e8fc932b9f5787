"""A notebook exported as HTML: every graph in it is drawn, can be moved about in, and asks nobody for anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.looking import until
from tests.notebook_runs import NOTEBOOKS, executed
from trex.engine_plan import load_example
from trex.export.chart_cell import chart_html
from trex.export.plan_card import plan_card
from trex.views.table import milliseconds

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.xdist_group("browser")]

COLORS = """() => {
    const shown = document.getElementById("graph"), pencil = shown.getContext("2d"), seen = new Set();
    const data = pencil.getImageData(0, 0, shown.width, shown.height).data;
    const part = i => data[i] >> 5;
    for (let i = 0; i < data.length; i += 4) seen.add(part(i) * 64 + part(i + 1) * 8 + part(i + 2));
    return seen.size;
}"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    nbconvert = pytest.importorskip("nbconvert", reason="notebooks are exported by nbconvert")
    folder = tmp_path_factory.mktemp("notebook")
    (path,) = [path for path in NOTEBOOKS if path.stem == "engine_graph"]
    text, _ = nbconvert.HTMLExporter().from_notebook_node(executed(path, folder))
    (folder / "exported.html").write_text(text, encoding="utf-8")
    return folder / "exported.html"


@pytest.fixture
def notebook(browser: Any, exported: Path) -> Iterator[Any]:
    """The exported page; at the end, no graph in it may have complained or asked for anything."""
    context = browser.new_context(viewport={"width": 1200, "height": 800})
    # The exported page itself asks for MathJax and the like: it gets nothing.
    context.route(re.compile("^https?:"), lambda route: route.fulfill(body=""))
    page = context.new_page()
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.frame.parent_frame else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(exported.as_uri())
    yield page
    context.close()
    assert (asked, complaints) == ([], [])


def graph(page: Any, number: int = 0) -> Any:
    """One of the frames, brought into view and drawn."""
    element = page.locator("iframe").nth(number)
    element.scroll_into_view_if_needed()
    frame = element.element_handle().content_frame()
    until(frame, "typeof trex !== 'undefined' && trex.ready && trex.width > 100 && trex.view.zoom > 0")
    frame.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return frame


def test_every_graph_is_drawn(notebook: Any) -> None:
    count = notebook.locator("iframe").count()
    assert count >= 7
    for number in range(count):
        frame = graph(notebook, number)
        assert frame.evaluate(COLORS) > 5
        assert frame.evaluate("trex.view.zoom * trex.sheet.width") > 0.2 * frame.evaluate("trex.width")
        assert frame.locator("#legend").inner_text()


def test_a_layer_is_found_by_a_search_and_selected_by_a_click(notebook: Any) -> None:
    frame = graph(notebook)
    panel, name = frame.locator("#panel"), "/maxpool/MaxPool_myl0_9"
    frame.locator("#query").fill(f"^{name}$")
    assert "1 hit" in frame.locator("#hits").inner_text()
    frame.locator("#query").press("Enter")
    assert name in panel.inner_text()
    # What was found stands in the middle, and stays there when the panel goes.
    place = frame.locator("#graph").bounding_box()
    middle = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    frame.locator("#graph").press("Escape")
    assert panel.is_hidden()
    notebook.mouse.click(*middle)
    assert name in panel.inner_text()
    assert notebook.url.endswith("exported.html")


def test_colors_and_table_work_in_the_cell(notebook: Any) -> None:
    frame = graph(notebook)
    before = frame.locator("#legend").inner_text()
    frame.locator("#mode").select_option("precision")
    assert frame.locator("#legend").inner_text() != before
    frame.locator("#list").click()
    assert frame.locator("#table .line").first.is_visible()


def test_the_wheel_is_the_notebooks_until_the_graph_is_clicked(notebook: Any) -> None:
    frame = graph(notebook)
    place = notebook.locator("iframe").first.bounding_box()
    middle = place["x"] + place["width"] * 0.6, place["y"] + place["height"] / 2
    scrolled = "window.scrollY + [...document.querySelectorAll('*')].reduce((sum, e) => sum + e.scrollTop, 0)"
    zoom, top = frame.evaluate("trex.view.zoom"), notebook.evaluate(scrolled)
    notebook.mouse.move(*middle)
    notebook.mouse.wheel(0, 60)
    until(notebook, f"top => {scrolled} > top", top)
    notebook.wait_for_timeout(300)  # until it stops scrolling
    assert frame.evaluate("trex.view.zoom") == zoom
    notebook.mouse.click(middle[0], middle[1] - 60)
    top = notebook.evaluate(scrolled)
    notebook.mouse.wheel(0, -300)
    until(frame, "zoom => trex.view.zoom > zoom", zoom)
    assert notebook.evaluate(scrolled) == top


def test_a_frame_sees_nothing_of_the_notebook(notebook: Any) -> None:
    frame = graph(notebook)
    refused = "async what => { try { await WHAT; return false; } catch (error) { return true; } }"
    for what in ("parent.document.title", "localStorage.length", "document.cookie"):
        assert frame.evaluate(refused.replace("WHAT", what)), what


def test_the_plans_summary_is_shown_and_its_facts_open(notebook):
    cell = notebook.locator(".trex-cell").first
    total = milliseconds(load_example("resnet18-int8").total_runtime)
    assert f"Layer times add up to {total} ms" in cell.inner_text()
    cell.locator("summary", has_text="Details").click()
    assert "Sum of layer times" in cell.inner_text()


def test_charts_of_an_exported_notebook_are_drawn_offline(browser: Any) -> None:
    plan = load_example("resnet18-int8")
    figure = {"data": [{"type": "bar", "y": [1, 2]}], "layout": {"title": {"text": "Latency per layer"}}}
    cells = "".join((plan_card(plan), chart_html(figure, 1, with_library=True), chart_html(figure, 2, False)))
    context = browser.new_context(offline=True)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_content(f"<script>window.define = () => {{}}; define.amd = {{}};</script>{cells}")  # as with require.js
    until(page, "document.querySelectorAll('.js-plotly-plot .bars').length === 2")
    assert not asked
    context.close()
