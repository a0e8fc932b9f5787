"""The offline page in a browser: what a person sees and does, and that nothing leaves or enters it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import pytest

from tests.browser.looking import pixels, place_of, selected, settled, until
from tests.diagram_files import write_diagram, write_html
from tests.factories import drawn_plan, engine, layer, t, time
from tests.synthetic import make_transformer
from tests.synthetic.engines import synthetic_engine
from trex.engine_plan import load
from trex.graph.build import build_graph
from trex.views.diagram.scene import build_scene
from trex.views.diagram.style import DiagramStyle

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.xdist_group("browser")]

EXAMPLE = "resnet18-int8"
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "</script><script>window.ran=1</script>",
    "<img src=x onerror=window.ran=1>",
    "javascript:window.ran=1",
    "\"'><svg onload=window.ran=1>",
    "{{script}}",
    "a\x1eb\u2028c\u202ed\ufeff",
    "emoji 🙂🙂 名前",
    "emoji 🙂🙂 名刺",
    "x" * 40_000,
    "0",
    "",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def example(folder: Path) -> Path:
    return write_diagram(synthetic_engine(EXAMPLE), folder / "example.html", DiagramStyle(group_by="none"))


def test_it_opens_and_draws(visit: Callable[..., Any], example: Any) -> None:
    page = visit(example)
    assert page.title() == EXAMPLE
    assert page.locator("h1").inner_text() == EXAMPLE
    assert "35 layers" in page.locator("#facts").inner_text()
    assert page.locator("#synthetic").is_visible()
    assert page.locator("#legend").is_visible() and "Convolution" in page.locator("#legend").inner_text()
    assert sum(count > 200 for count in pixels(page)) > 3
    page.keyboard.press("f")
    settled(page)
    assert page.evaluate("trex.drawn") == page.evaluate("trex.model.boxes.n")


def test_the_facts_of_a_layer_on_click(visit: Callable[..., Any], example: Any) -> None:
    plan = synthetic_engine(EXAMPLE)
    page = visit(example)
    wanted = next(layer for layer in plan.working_layers if layer.type == "Pooling")
    page.mouse.click(*place_of(page, wanted.name))
    assert selected(page) == wanted.name
    panel = page.locator("#panel").inner_text()
    assert wanted.name in panel and "Pooling" in panel and wanted.precision in panel
    assert wanted.inputs[0].name in panel and wanted.outputs[0].name in panel
    assert wanted.tactic in panel and " of 35" in panel
    assert "layer=" in page.url
    page.locator("#panel .link").first.click()
    assert selected(page) not in ("", wanted.name)
    page.keyboard.press("Escape")
    assert selected(page) == "" and page.locator("#panel").is_hidden() and "layer=" not in page.url


def test_every_layer_says_its_name_type_and_lines(visit: Callable[..., Any], example: Any) -> None:
    plan = synthetic_engine(EXAMPLE)
    scene = build_scene(build_graph(plan), plan)
    page = visit(example)
    every = "Array.from({length: trex.model.boxes.n}, (_, i) => WHAT)"
    words = "[trex.model.boxes.kind[i], trex.model.boxes.lines(i).map(line => line[1])]"
    shown = page.evaluate(every.replace("WHAT", words))
    assert shown == [[box.label.kind, [text for _, text in box.label.lines]] for box in scene.boxes]
    badges = page.evaluate(every.replace("WHAT", "trex.badge(i)"))
    assert badges == [box.label.badge for box in scene.boxes]


def test_search_by_regular_expression(visit: Callable[..., Any], example: Any) -> None:
    plan = synthetic_engine(EXAMPLE)
    page = visit(example)
    page.keyboard.press("/")
    page.keyboard.type("^reformat")
    wanted = [each.name for each in plan.working_layers if each.name.startswith("Reformat") or each.type == "Reformat"]
    assert page.locator("#hits").inner_text() == f"{len(wanted)} hits"
    page.keyboard.press("Enter")
    assert selected(page) == wanted[0]
    page.locator("#graph").focus()
    page.keyboard.press("n")
    assert selected(page) == wanted[1]
    page.keyboard.press("p")
    page.keyboard.press("p")
    assert selected(page) == wanted[-1]
    assert page.locator("#hits").inner_text() == f"{len(wanted)} / {len(wanted)}"
    page.locator("#query").fill("nothing like this")
    assert page.locator("#hits").inner_text() == "no hit"


def test_an_invalid_expression_is_told(visit: Callable[..., Any], example: Any) -> None:
    page = visit(example)
    page.locator("#query").fill("conv(")
    assert "Invalid regular expression" in page.locator("#hits").inner_text()
    assert page.locator("#query").get_attribute("aria-invalid") == "true"
    page.locator("#query").fill("conv")
    assert page.locator("#query").get_attribute("aria-invalid") is None
    assert "hits" in page.locator("#hits").inner_text()


def test_an_expression_that_takes_forever_is_stopped(visit: Callable[..., Any], folder: Path) -> None:
    written = folder / "forever.json"
    written.write_text(json.dumps({"Layers": ["conv_before", "a" * 5_000 + "!", "conv_after"]}))
    page = visit(write_diagram(load(written), folder / "forever.html"))
    page.locator("#query").fill("(a+)+$")
    until(page, "document.getElementById('hits').value.includes('takes too long')")
    page.locator("#query").fill("conv.*[er]$")
    page.locator("#query").press("Enter")
    until(page, "document.getElementById('hits').value === '1 / 2'")
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    page.locator("#filter").fill("(a+)+$")
    until(page, "document.getElementById('rows').value.includes('takes too long')")
    page.locator("#filter").fill("conv_b.*")
    until(page, "document.getElementById('rows').value === '1 of 3 layers'")


def test_deep_links(visit: Callable[..., Any], example: Any) -> None:
    plan = synthetic_engine(EXAMPLE)
    wanted = plan.working_layers[7]
    assert selected(visit(example, f"#layer={quote(wanted.name)}")) == wanted.name
    page = visit(example, f"#layer={wanted.index}")
    assert selected(page) == wanted.name
    page.evaluate("name => { location.hash = '#layer=' + encodeURIComponent(name); }", plan.working_layers[9].name)
    until(page, "name => trex.model.layers.name[trex.selectedLayer()] === name", plan.working_layers[9].name)
    assert selected(visit(example, "#layer=nobody")) == ""


def test_colors_change_the_picture_and_the_legend(visit: Callable[..., Any], example: Any) -> None:
    page = visit(example)
    assert page.locator("#mode option").all_inner_texts() == [
        "Bound",
        "Findings",
        "Time",
        "Module",
        "Precision",
        "Stream",
        "Type",
    ]
    seen = {}
    for mode in ("type", "precision", "latency", "module"):
        page.locator("#mode").select_option(mode)
        seen[mode] = (tuple(pixels(page)), page.locator("#legend").inner_text())
    assert len({picture for picture, _ in seen.values()}) == 4
    assert "INT8" in seen["precision"][1] and " ms" in seen["latency"][1] and "/layer" in seen["module"][1]


def test_a_legend_entry_leaves_only_its_layers(visit: Callable[..., Any], example: Any) -> None:
    page = visit(example)
    before = pixels(page)
    page.locator("#legend button", has_text="Pooling").click()
    assert pixels(page) != before
    assert page.locator("#rows").inner_text() == "" or "2 of 35" in page.locator("#rows").text_content()
    page.keyboard.press("Escape")
    assert pixels(page) == before


def test_dark_and_light(visit: Callable[..., Any], example: Any) -> None:
    light, dark = visit(example, color_scheme="light"), visit(example, color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert light.evaluate(ground) != dark.evaluate(ground)
    assert pixels(light) != pixels(dark)
    dark.locator("#theme").click()
    assert light.evaluate(ground) == dark.evaluate(ground)
    assert pixels(light) == pixels(dark)
    light.emulate_media(color_scheme="dark")
    until(light, "document.documentElement.dataset.theme === 'dark'")


def test_table_sorts_filters_and_selects_with_the_graph(visit: Callable[..., Any], example: Any) -> None:
    plan = synthetic_engine(EXAMPLE)
    page = visit(example)
    page.keyboard.press("t")
    lines = page.locator("#table .line")
    assert plan.working_layers[0].name in lines.first.inner_text()
    page.locator("#table .head button", has_text="ms").click()
    slowest = max(zip(plan.working_layers, plan.times), key=lambda pair: (pair[1] and pair[1].average_ms) or 0.0)[0]
    assert slowest.name in lines.first.inner_text()
    assert page.locator("#table [aria-sort=descending]").inner_text().startswith("ms")
    lines.first.click()
    assert selected(page) == slowest.name
    page.keyboard.press("Escape")
    page.mouse.click(*place_of(page, plan.working_layers[20].name))
    marked = page.locator("#table .line[aria-selected=true]")
    assert plan.working_layers[20].name in marked.inner_text() and marked.is_visible()
    page.locator("#filter").fill("^pooling$")
    assert page.locator("#rows").inner_text() == "2 of 35 layers"
    # Where the table was scrolled, its rows follow with the browser's next frame.
    until(page, "document.querySelectorAll('#table .line').length === 2")


def test_keyboard_and_wheel_move_the_view(visit: Callable[..., Any], example: Any) -> None:
    page = visit(example)
    view = "JSON.stringify(trex.view)"
    page.keyboard.press("f")
    start = page.evaluate(view)
    zoom = page.evaluate("trex.view.zoom")
    page.keyboard.press("+")
    assert page.evaluate("trex.view.zoom") > zoom
    page.keyboard.press("-")
    page.keyboard.press("-")
    assert page.evaluate("trex.view.zoom") < zoom
    x = page.evaluate("trex.view.x")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("trex.view.x") > x
    page.mouse.move(700, 400)
    page.mouse.wheel(0, -600)
    until(page, "zoom => trex.view.zoom > zoom", zoom)
    page.mouse.down()
    x = page.evaluate("trex.view.x")
    page.mouse.move(760, 400)
    assert page.evaluate("trex.view.x") == pytest.approx(x + 60)
    page.mouse.up()
    assert selected(page) == ""
    page.keyboard.press("f")
    assert page.evaluate(view) == start
    page.keyboard.press("c")
    assert page.evaluate("trex.sheet.columns.length") == 1
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()


def test_the_overview_leads_there(visit: Callable[..., Any], example: Any) -> None:
    page = visit(example)
    for _ in range(8):
        page.keyboard.press("+")
    before = page.evaluate("trex.view.y")
    page.locator("#map").click(position={"x": 60, "y": 110})
    assert page.evaluate("trex.view.y") < before


def test_the_visible_part_is_saved_as_svg(visit: Callable[..., Any], example: Any, tmp_path: Path) -> None:
    page = visit(example)
    with page.expect_download() as waiting:
        page.locator("#save").click()
    waiting.value.save_as(tmp_path / "part.svg")
    root = ElementTree.parse(tmp_path / "part.svg").getroot()
    assert root.tag == f"{SVG}svg"
    assert "/maxpool/MaxPool" in [element.text for element in root.iter(f"{SVG}title")]
    whole = len(list(root.iter()))
    page.evaluate("trex.bring(3)")
    for _ in range(6):
        page.keyboard.press("+")
    assert len(list(ElementTree.fromstring(page.evaluate("trex.svg()")).iter())) < whole


def test_names_are_never_code(visit: Callable[..., Any], folder: Path) -> None:
    layers = [
        layer(name, name, [t(f"t{i}")], [t(f"t{i + 1}")], tactic=name, origins=[name], module=f"/{name}", Odd=name)
        for i, name in enumerate(HOSTILE)
    ]
    whole = engine(*layers, inputs=["t0"], outputs=[f"t{len(HOSTILE)}"])
    times = tuple(time(each.name, 0.1) for each in whole.layers)
    plan = drawn_plan(whole, times, HOSTILE[0])
    graph = build_graph(plan)
    page = visit(write_html(build_scene(graph, plan), graph, folder / "hostile.html", plan))
    assert page.evaluate("trex.base.layers.name.slice(6, 8)") == HOSTILE[6:8]
    page.keyboard.press("t")
    for i in range(len(HOSTILE)):
        page.evaluate("i => { trex.select(trex.model.boxOf[i]); trex.bring(trex.model.boxOf[i]); }", i)
        settled(page)
        ElementTree.fromstring(page.evaluate("trex.svg()"))
    for mode in ("precision", "latency", "module", "type"):
        page.locator("#mode").select_option(mode)
    page.mouse.move(*place_of(page, HOSTILE[1]))
    assert HOSTILE[0] == page.title()
    assert page.evaluate("window.ran") is None
    # Digits in a link are a number, also where another layer is called so.
    page.evaluate("trex.selectRow(3)")
    page.evaluate("location.hash = '#layer=0'")
    until(page, "trex.selectedLayer() === 0")
    assert page.locator("script").count() == 2
    assert page.locator("img, main svg, iframe, object, embed").count() == 0


def test_an_empty_engine(visit: Callable[..., Any], folder: Path) -> None:
    plan = drawn_plan(engine(), (), "empty")
    graph = build_graph(plan)
    page = visit(write_html(build_scene(graph, plan), graph, folder / "empty.html", plan))
    assert page.locator("#nothing").is_visible()
    for key in ("f", "c", "t", "+", "n", "d", "Escape"):
        page.keyboard.press(key)


def test_a_large_engine_is_looked_at_in_parts(visit: Callable[..., Any], folder: Path, tmp_path: Path) -> None:
    for name, content in make_transformer(3000).items():
        (tmp_path / name).write_bytes(content)
    page = visit(write_diagram(load(tmp_path), folder / "large.html"))
    assert page.evaluate("trex.sheet.columns.length") > 5
    page.evaluate("trex.bring(1500)")
    settled(page)
    assert 0 < page.evaluate("trex.drawn") < 200
    page.keyboard.press("t")
    assert 0 < page.locator("#table .line").count() < 60
    assert page.locator("#table").get_attribute("aria-rowcount") == "3001"
