"""Nodes that stand for several layers: each layer is in the panel, in the table, in the search and in links."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.browser.looking import badges, settled
from tests.diagram_files import write_html
from tests.synthetic import make_transformer
from trex.engine_plan import load
from trex.export.diagram import Drawing
from trex.views.diagram.coloring import COLORINGS
from trex.views.diagram.scene import build_scene
from trex.views.diagram.style import DiagramStyle

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.xdist_group("browser")]


def drawing_of(style: DiagramStyle, folder: Path) -> tuple[Drawing, Path]:
    for name, content in make_transformer(300).items():
        (folder / name).write_bytes(content)
    drawing = Drawing(load(folder), style)
    return drawing, write_html(drawing.scene, drawing.graph, folder / "page.html", drawing.plan)


@pytest.fixture(scope="module")
def folded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Drawing, Path]:
    return drawing_of(DiagramStyle(fold=True), tmp_path_factory.mktemp("folded"))


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Drawing, Path]:
    return drawing_of(DiagramStyle(close_groups="layer/[0-9]$"), tmp_path_factory.mktemp("closed"))


def test_folded_blocks_keep_their_own_words(visit: Callable[..., Any], folded: Any) -> None:
    drawing, path = folded
    page = visit(path)
    assert badges(page) == [box.label.badge for box in drawing.scene.boxes]
    place, node = next((i, node) for i, node in enumerate(drawing.graph.layer_nodes) if node.folded)
    page.evaluate("i => trex.select(trex.model.boxOf[i])", place)
    panel = page.locator("#panel").inner_text()
    assert f"{node.folded.count} similar" in panel
    assert panel.count("tactic") == 1
    assert "next repetition" in page.locator("#legend").inner_text()


def test_the_panel_lists_all_layers_of_a_node(visit: Callable[..., Any], folded: Any) -> None:
    drawing, path = folded
    page = visit(path)
    place, node = next((i, node) for i, node in enumerate(drawing.graph.layer_nodes) if node.folded)
    page.evaluate("i => trex.select(trex.model.boxOf[i])", place)
    items = page.locator("#panel .bars.short li")
    assert items.count() == node.folded.count
    times = [each.average_ms for each in node.folded.times]
    for i in (0, 7, node.folded.count - 1):
        words = items.nth(i).inner_text()
        assert node.folded.layers[i].name in words and f"{times[i]:.4f} ms" in words
    spread = f"least {min(times):.4f}, median {median(times):.4f}, most {max(times):.4f} ms"
    assert spread in page.locator("#panel").inner_text()
    items.nth(7).locator("button").click()
    panel = page.locator("#panel")
    assert panel.locator("h2").inner_text() == node.folded.layers[7].name
    assert panel.locator("[aria-current]").inner_text().startswith(node.folded.layers[7].name)
    assert node.folded.layers[7].tactic in panel.inner_text()
    assert node.folded.layers[7].module in panel.inner_text()
    assert f"average {times[7]:.4f} ms" in panel.inner_text()


def test_the_table_has_a_row_for_every_layer(visit: Callable[..., Any], folded: Any) -> None:
    drawing, path = folded
    page = visit(path)
    names = [layer.name for layer in drawing.plan.working_layers]
    assert page.evaluate("trex.table.rows().map(i => trex.base.layers.name[i])") == names
    shown = page.evaluate("trex.table.rows().map(i => trex.base.layers.shown[i])")
    assert shown == [pytest.approx(each.average_ms, rel=1e-5) for each in drawing.plan.times]
    page.keyboard.press("t")
    assert page.locator("#rows").inner_text() == "300 layers"
    page.locator("#filter").fill("^157$")
    line = page.locator("#table .line").first
    assert names[157] in line.inner_text()
    line.click()
    assert page.locator("#panel h2").inner_text() == names[157]
    assert line.get_attribute("aria-selected") == "true"
    types = page.evaluate("trex.table.rows().map(i => trex.base.types[trex.base.layers.type[i]][0])")
    assert types == [drawing.plan.working_layers[157].type]


@pytest.mark.parametrize("kind", ["folded", "closed"])
def test_links_and_search_find_every_layer(
    kind: str, visit: Callable[..., Any], request: pytest.FixtureRequest
) -> None:
    drawing, path = request.getfixturevalue(kind)
    wanted = drawing.plan.working_layers[87]
    page = visit(path, "#layer=87")
    assert page.locator("#panel h2").inner_text() == wanted.name
    assert "layer=" in page.url
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type(f"^{wanted.name}$")
    assert page.locator("#hits").inner_text() == "1 hit"
    page.keyboard.press("Enter")
    assert page.locator("#panel h2").inner_text() == wanted.name
    page.locator("#graph").focus()
    page.keyboard.press(".")
    assert page.locator("#panel h2").inner_text() == drawing.plan.working_layers[88].name
    settled(page)


def test_the_legend_counts_layers_not_nodes(visit: Callable[..., Any], folded: Any) -> None:
    drawing, path = folded
    page = visit(path)
    page.locator("#mode").select_option("type")
    counts = page.evaluate("Object.fromEntries(trex.coloring.classes.map(k => [k.text, k.count]))")
    assert sum(counts.values()) == 300
    for name, count in counts.items():
        assert count == sum(layer.type == name for layer in drawing.plan.working_layers)


def test_the_legend_of_times_counts_boxes_as_the_picture_does(visit: Callable[..., Any], folded: Any) -> None:
    drawing, path = folded
    scene = build_scene(drawing.graph, drawing.plan, replace(drawing.scene.style, color_by="latency"))
    (said,) = [group for group in scene.legend if group.title == COLORINGS["latency"].value.title]
    page = visit(path)
    page.locator("#mode").select_option("latency")
    classes = page.evaluate("trex.coloring.classes.map(k => [k.text, k.count])")
    assert sum(count for _, count in classes) == len(drawing.graph.layer_nodes) < 300
    assert {f"{text} ({count})" for text, count in classes} == {
        entry.text for entry in said.entries if entry.text.endswith(")")
    }
    total = page.evaluate("trex.coloring.classes.reduce((sum, k) => sum + k.ms, 0)")
    assert total == pytest.approx(sum(each.average_ms for each in drawing.plan.times), rel=1e-4)
    button = page.locator("#legend button").first
    assert " box" in button.get_attribute("title") and "layer" not in button.get_attribute("title").split("\n")[0]


def test_groups_closed_before_the_page_was_made(visit: Callable[..., Any], closed: Any) -> None:
    drawing, path = closed
    page = visit(path)
    assert badges(page) == [box.label.badge for box in drawing.scene.boxes]
    place, node = next((i, node) for i, node in enumerate(drawing.graph.layer_nodes) if node.closed)
    page.evaluate("i => trex.select(trex.model.boxOf[i])", place)
    panel = page.locator("#panel")
    assert panel.locator("h2").inner_text() == node.closed.title
    assert f"{node.closed.count} layers" in panel.inner_text()
    assert panel.locator(".bars.short li").count() == node.closed.count
    types = page.evaluate("trex.table.rows().map(i => trex.base.types[trex.base.layers.type[i]][0])")
    assert types == [layer.type for layer in drawing.plan.working_layers]
    precisions = page.evaluate("trex.table.rows().map(i => trex.base.precisions[trex.base.layers.precision[i]][0])")
    assert precisions == [layer.precision for layer in drawing.plan.working_layers]
    panel.locator(".bars.short button").nth(1).click()
    assert panel.locator("h2").inner_text() == node.closed.layers[1].name
    assert "Attributes" not in panel.inner_text()
