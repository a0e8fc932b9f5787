"""Hands other than a mouse's: keys and focus, fingers, readers of the screen, and paper."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.looking import middle_of, selected, settled, until
from tests.diagram_files import write_html
from tests.simulated_examples import load_simulated
from trex.compare.plan_diff import PlanDiff
from trex.export.diagram import Drawing
from trex.export.document import write_document
from trex.views.compare.document import comparison_document
from trex.views.diagram.style import DiagramStyle
from trex.views.report.document import report_document

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def drawing() -> Drawing:
    return Drawing(load_simulated("resnet18-int8"), DiagramStyle(group_by="module"))


@pytest.fixture(scope="module")
def grouped(drawing: Drawing, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_html(drawing.scene, drawing.graph, tmp_path_factory.mktemp("access") / "page.html", drawing.plan)


def focused(page: Any) -> str:
    name: str = page.evaluate("document.activeElement.id || document.activeElement.className || 'body'")
    return name


def test_tab_goes_through_the_page_in_the_order_of_reading(visit: Callable[..., Any], grouped: Any) -> None:
    page = visit(grouped)
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.append(focused(page))
        if seen[-1] == "graph":
            break
    wanted = ["query", "previous", "next", "out", "in", "fit", "fold", "list", "save", "theme", "keys"]
    assert seen[: len(wanted) + 4] == [*wanted, "closeAll", "openLevel", "openAll", "mode"]
    assert seen[-1] == "graph"
    ring = page.evaluate("getComputedStyle(document.getElementById('graph')).outlineStyle")
    assert ring == "solid"


def test_keys_go_from_layer_to_layer(visit: Callable[..., Any], grouped: Any, drawing: Any) -> None:
    page = visit(grouped)
    page.keyboard.press(".")
    assert selected(page) == drawing.plan.working_layers[0].name
    page.keyboard.press(".")
    page.keyboard.press(".")
    assert selected(page) == drawing.plan.working_layers[2].name
    page.keyboard.press(",")
    assert selected(page) == drawing.plan.working_layers[1].name
    assert page.locator("#said").inner_text() == f"selected {drawing.plan.working_layers[1].name}"
    page.keyboard.press("Escape")
    page.keyboard.press(",")
    assert selected(page) == drawing.plan.working_layers[-1].name


def test_arrows_scroll_the_panel_when_it_has_the_focus(visit: Callable[..., Any], grouped: Any) -> None:
    page = visit(grouped)
    page.evaluate("trex.select(8)")
    settled(page)
    page.locator("#panel #copy").focus()
    before = page.evaluate("trex.view.y")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("trex.view.y") == before
    page.locator("#graph").focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("trex.view.y") != before


def test_enter_on_a_button_is_the_button(visit: Callable[..., Any], grouped: Any) -> None:
    page = visit(grouped)
    page.evaluate("trex.select(5)")
    page.locator("#openAll").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("trex.groups.closed.size") == 0
    page.locator("#list").focus()
    page.keyboard.press("Enter")
    assert page.locator("#drawer").is_visible() and page.evaluate("trex.groups.closed.size") == 0


def test_everything_that_can_be_used_has_a_name_and_a_role(visit: Callable[..., Any], grouped: Any) -> None:
    page = visit(grouped)
    page.keyboard.press("t")
    page.keyboard.press("?")
    page.evaluate("trex.select(8)")
    nameless = page.evaluate("""() => [...document.querySelectorAll("button, input, select, canvas, [role=grid]")]
        .filter(each => !(each.getAttribute("aria-label") || each.textContent.trim() || each.labels?.length))
        .map(each => each.outerHTML.slice(0, 100))""")
    assert nameless == []
    assert page.locator("[role=row]").count() > 5
    small = page.evaluate("""() => [...document.querySelectorAll("header button, nav > div button, .row button")]
        .filter(each => each.checkVisibility() && each.getBoundingClientRect().height < 24).length""")
    assert small == 0


def test_pages_keep_the_rules_of_accessibility(visit: Callable[..., Any], grouped: Any, tmp_path: Path) -> None:
    """axe-core finds nothing in a graph, a report and a comparison, light and dark."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="pip install axe-playwright-python").Axe()

    def check(page: Any, where: str) -> None:
        settled(page)
        violations = axe.run(page).response["violations"]
        assert not [f"{each['id']}: {node['target']}" for each in violations for node in each["nodes"]], where

    graph = visit(grouped)
    graph.keyboard.press("t")
    base = load_simulated("resnet18-int8")
    report = visit(write_document(report_document(base), tmp_path / "report.html"))
    comparison = comparison_document(PlanDiff(base, load_simulated("resnet18-int8-residual")))
    pair = visit(write_document(comparison, tmp_path / "comparison.html"))
    pair.evaluate("trex.hub.select(1)")
    for theme, tabs in (("light", ("overview", "findings", "layers")), ("dark", ("overview", "time"))):
        check(graph, f"{theme} graph")
        check(pair, f"{theme} comparison")
        for name in tabs:
            report.evaluate("name => trex.tabs.choose(name)", name)
            report.evaluate(f"trex.hub.select({base.working_layers[2].index if name == 'layers' else -1})")
            check(report, f"{theme} {name}")
        for page in (graph, report, pair):
            page.locator("#theme").click()


def test_nothing_moves_by_itself(grouped: Any) -> None:
    text = grouped.read_text(encoding="utf-8")
    style = text[text.index("<style>") : text.index("</style>")]
    assert not re.search(r"transition|animation|@keyframes|scroll-behavior", style)


class Fingers:
    """Touches, as the browser's protocol sends them."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.wire = page.context.new_cdp_session(page)

    def touch(self, kind: str, *points: tuple[float, float]) -> None:
        self.wire.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]},
        )
        settled(self.page)


def test_two_fingers_zoom_one_drags_a_tap_selects(visit: Callable[..., Any], grouped: Any, drawing: Any) -> None:
    page = visit(grouped, has_touch=True)
    fingers = Fingers(page)
    zoom = page.evaluate("trex.view.zoom")
    fingers.touch("touchStart", (600, 400), (700, 400))
    for apart in (60, 80, 110, 150):
        fingers.touch("touchMove", (650 - apart, 400), (650 + apart, 400))
    fingers.touch("touchEnd")
    assert page.evaluate("trex.view.zoom") == pytest.approx(3 * zoom, rel=0.1)
    assert page.evaluate("trex.selected") == -1
    x, y = page.evaluate("[trex.view.x, trex.view.y]")
    fingers.touch("touchStart", (600, 400))
    for step in (10, 25, 40):
        fingers.touch("touchMove", (600 + step, 400 + step))
    fingers.touch("touchEnd")
    assert page.evaluate("[trex.view.x, trex.view.y]") == [pytest.approx(x + 40, abs=16), pytest.approx(y + 40, abs=16)]
    assert page.evaluate("trex.selected") == -1
    # On a phone the graph has most of the screen, and the legend is there.
    page.set_viewport_size({"width": 390, "height": 844})
    until(page, "trex.width === 390 && trex.height > 600")
    assert page.locator("#legend").is_visible() and page.evaluate("document.body.scrollWidth") == 390
    page.evaluate("trex.bring(9)")
    page.touchscreen.tap(*middle_of(page, 9))
    until(page, "trex.selected === 9")


def test_a_tap_closes_a_group(visit: Callable[..., Any], grouped: Any) -> None:
    page = visit(grouped, has_touch=True)
    settled(page)
    stage = page.locator("#graph").bounding_box()
    spot = page.evaluate("trex.titles[0]")
    page.touchscreen.tap(stage["x"] + spot["x"] + 8, stage["y"] + spot["y"] + spot["h"] / 2)
    until(page, "trex.groups.closed.size === 1")


def test_paper_shows_the_view_and_no_controls(
    visit: Callable[..., Any], grouped: Any, drawing: Any, tmp_path: Path
) -> None:
    page = visit(grouped, "#closed=0,2", color_scheme="dark")
    page.evaluate("window.addEventListener('afterprint', () => { window.printed = true; })")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    paper = page.locator("#paper")
    assert paper.is_visible() and page.locator("h1").is_visible()
    for hidden in ("#search", ".tools", "nav", "#panel", "#graph", "#drawer"):
        assert page.locator(hidden).first.is_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert ("layer1" in paper.text_content() and "+ layer2" in paper.text_content()) or "layer2" in paper.text_content()
    place = paper.bounding_box()
    assert place["width"] > 1000 and place["height"] > 600
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert paper.count() == 0 and page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.pdf(path=tmp_path / "page.pdf", prefer_css_page_size=True)
    content = (tmp_path / "page.pdf").read_bytes()
    assert content.startswith(b"%PDF") and content.count(b"/Type /Page\n") <= 1


def test_on_a_narrow_screen_the_graph_keeps_the_width(visit: Callable[..., Any], grouped: Any) -> None:
    page = visit(grouped, has_touch=True)
    page.set_viewport_size({"width": 420, "height": 800})
    page.evaluate("trex.select(8)")
    settled(page)
    stage, panel = page.locator("#graph").bounding_box(), page.locator("#panel").bounding_box()
    assert stage["width"] > 400 and stage["height"] > 200
    assert panel["y"] >= stage["y"] + stage["height"] - 1 and panel["width"] > 400
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    assert page.locator("#mode").is_visible() and page.locator("#closeAll").is_visible()
