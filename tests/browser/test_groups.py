"""Groups that open and close in the page: what vanishes, what stands for it, and that all else follows."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import pytest

from tests.browser.looking import faults, middle_of, pixels, selected, settled, shown, until
from tests.diagram_files import write_diagram, write_html
from tests.factories import drawn_plan, engine, layer, time
from tests.synthetic import CASES, make_transformer
from tests.synthetic.engines import synthetic_engine
from tests.test_every_engine import opened
from trex.engine_plan import load
from trex.export.diagram import Drawing
from trex.graph.build import build_graph
from trex.graph.groups import grouped as grouped_by
from trex.views.diagram.scene import Scene, build_scene
from trex.views.diagram.style import DiagramStyle

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.xdist_group("browser")]

EXAMPLE = "resnet18-int8"
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "</script><script>window.ran=1</script>",
    "<img src=x onerror=window.ran=1>",
    "\u202egnihton si siht\u202c and \u0645\u0631\u062d\u0628\u0627",
    "emoji 🙂🙂🙂 名前 \x1e\x00",
    "y" * 40_000,
    "",
]


@pytest.fixture(scope="module")
def drawing() -> Drawing:
    return Drawing(synthetic_engine(EXAMPLE), DiagramStyle(group_by="module"))


@pytest.fixture(scope="module")
def grouped(drawing: Drawing, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_html(drawing.scene, drawing.graph, tmp_path_factory.mktemp("groups") / "grouped.html", drawing.plan)


def branches(titles: list[str], lengths: tuple[int, ...] = (5, 3, 5)) -> tuple[Scene, Any, Any]:
    """Chains side by side between one layer and another, each in a frame; the frames get the titles."""
    layers = [layer("start", outputs=["s"])]
    for b, length in enumerate(lengths):
        for k in range(length):
            source = "s" if k == 0 else f"b{b}_{k - 1}"
            kind = "Convolution" if k % 2 else "PointWise"
            layers.append(layer(f"branch{b}/{k}", kind, [source], [f"b{b}_{k}"], module=f"/branch{b}"))
    layers.append(layer("end", inputs=[f"b{b}_{length - 1}" for b, length in enumerate(lengths)], outputs=["y"]))
    whole = engine(*layers, inputs=["x"], outputs=["y"])
    times = tuple(time(item.name, 0.1 * (i + 1)) for i, item in enumerate(whole.layers))
    plan = drawn_plan(whole, times, "branches")
    return titled(plan, titles)


def titled(plan: Any, titles: list[str]) -> tuple[Scene, Any, Any]:
    """Scene, graph and plan, the modules' frames called as told."""
    graph = grouped_by(build_graph(plan), "module")
    scene = build_scene(graph, plan)
    frames = [replace(frame, title=title) for frame, title in zip(scene.frames, titles)]
    return replace(scene, frames=(*frames, *scene.frames[len(frames) :])), graph, plan


def title_of(page: Any, frame: int) -> tuple[float, float]:
    """Where the title of an open frame is on the screen."""
    settled(page)
    stage = page.locator("#graph").bounding_box()
    spot = page.evaluate("frame => trex.titles.find(spot => spot.frame === frame)", frame)
    return stage["x"] + spot["x"] + 6, stage["y"] + spot["y"] + spot["h"] / 2


def frame_called(scene: Scene, title: str) -> int:
    return next(i for i, frame in enumerate(scene.frames) if frame.title == title)


def members(scene: Scene, frame: int) -> list[int]:
    """The boxes in a frame and in those within it."""
    inside = {frame}
    for i, each in enumerate(scene.frames):
        if each.parent in inside:
            inside.add(i)
    return [i for i, box in enumerate(scene.boxes) if box.frame in inside]


def test_frames_are_drawn_with_titles_and_sums(visit: Callable[..., Any], grouped: Any, drawing: Any) -> None:
    page = visit(grouped)
    scene, plan = drawing.scene, drawing.plan
    assert page.evaluate("trex.groups.n") == len(scene.frames) > 5
    assert page.locator("#groups").is_visible()
    titles = page.evaluate("[...new Set(trex.titles.map(spot => trex.base.frames.title[spot.frame]))]")
    assert {"layer1", "layer4", "fc"} <= set(titles)
    for frame in range(len(scene.frames)):
        nodes = [scene.boxes[box].node for box in members(scene, frame)]
        known = [plan.times[node].average_ms for node in nodes if node < len(plan.working_layers)]
        assert page.evaluate(f"trex.groups.count[{frame}]") == len(known)
        assert page.evaluate(f"trex.groups.ms({frame})") == pytest.approx(sum(known), rel=1e-4)


def test_a_click_on_the_title_closes_and_the_sign_opens_again(
    visit: Callable[..., Any], grouped: Any, drawing: Any
) -> None:
    page = visit(grouped)
    scene = drawing.scene
    frame, n = frame_called(scene, "layer2"), len(scene.boxes)
    before, view, height = pixels(page), page.evaluate("JSON.stringify(trex.view)"), page.evaluate("trex.sheet.height")
    page.mouse.click(*title_of(page, frame))
    assert sorted(shown(page)) == sorted({*range(n), n + frame} - set(members(scene, frame)))
    assert faults(page) == []
    assert page.evaluate("trex.model.data.height") < scene.height - 300
    assert pixels(page) != before
    page.evaluate("box => trex.bring(box)", n + frame)
    page.mouse.click(*middle_of(page, n + frame, (0.04, 0.2)))
    assert page.evaluate("trex.model === trex.base") and shown(page) == list(range(n))
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    assert pixels(page) == before
    assert (page.evaluate("JSON.stringify(trex.view)"), page.evaluate("trex.sheet.height")) == (view, height)


def test_a_double_click_opens(visit: Callable[..., Any], grouped: Any, drawing: Any) -> None:
    page = visit(grouped)
    box = len(drawing.scene.boxes) + frame_called(drawing.scene, "layer3")
    page.keyboard.press("g")
    page.evaluate("box => trex.bring(box)", box)
    page.mouse.dblclick(*middle_of(page, box, (0.5, 0.6)))
    assert box not in shown(page)


@pytest.fixture(scope="module")
def transformer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_diagram(synthetic_engine("transformer-fp16"), tmp_path_factory.mktemp("shape") / "transformer.html")


def test_the_first_screen_shows_the_shape(visit: Callable[..., Any], transformer: Any) -> None:
    page = visit(transformer, "")
    assert page.evaluate("trex.view.zoom") >= 0.72 and faults(page) == []
    frames = "[...trex.model.frames.shown, ...trex.model.frames.closed]"
    assert "blocks ×12" in page.evaluate(f"{frames}.map(frame => trex.base.frames.title[frame])")
    # All of it is in view, without any link in the address.
    assert page.evaluate("trex.drawn === trex.model.boxes.shown.length && trex.isFit()") and "#" not in page.url
    assert "hottest path: " in page.locator("#legend").inner_text()
    path = page.evaluate("trex.hotPath().boxes")
    assert path and set(path) <= set(shown(page))
    saved = page.evaluate("trex.svg()")
    assert "hottest path: " in saved and "blocks ×12" in saved
    # A window of another size shows all of it again.
    page.set_viewport_size({"width": 1500, "height": 1000})
    until(page, "trex.width > 1200")
    assert page.evaluate("trex.isFit()")
    # From far away, titles lose the steps that they share, never their first letters.
    page.evaluate("trex.openAll(); trex.fit()")
    settled(page)
    drawn = page.evaluate("trex.titles.map(spot => spot.title)")
    assert len(drawn) > 3 and not [title for title in drawn if title.startswith("…")]


def test_words_stay_in_their_boxes_in_a_wider_font(visit: Callable[..., Any], transformer: Any) -> None:
    page = visit(transformer)
    words = page.evaluate("""() => {
        const g = trex.context, fill = g.fillText.bind(g), measure = g.measureText.bind(g), found = [];
        g.measureText = text => ({width: 1.5 * measure(text).width});
        g.fillText = (text, x, y, most) => {
            found.push([text, Math.min(most ?? Infinity, 1.5 * measure(text).width)]);
            fill(text, x, y, most);
        };
        trex.bring(20);
        trex.redraw();
        return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(found))));
    }""")
    words_of = "trex.model.boxes.lines(box).map(line => line[1])"
    lines = page.evaluate(f"trex.model.boxes.shown.map(box => [trex.model.boxes.w[box], {words_of}])")
    widest: dict[str, float] = {}
    for width, texts in lines:
        for text in texts:
            widest[text] = max(widest.get(text, 0.0), width - 16)
    drawn = [(text, width) for text, width in words if text in widest]
    assert len(drawn) > 5
    assert all(width <= widest[text] for text, width in drawn)


def test_keys_and_buttons(visit: Callable[..., Any], grouped: Any, drawing: Any) -> None:
    page = visit(grouped)
    frames = drawing.scene.frames
    n, outermost = len(drawing.scene.boxes), [i for i, frame in enumerate(drawing.scene.frames) if frame.parent is None]

    def groups_shown() -> list[int]:
        return [box - n for box in shown(page) if box >= n]

    page.keyboard.press("g")
    assert sorted(groups_shown()) == outermost
    page.keyboard.press("o")
    second = [i for i, frame in enumerate(frames) if frame.parent is not None and frames[frame.parent].parent is None]
    assert sorted(groups_shown()) == second
    assert faults(page) == []
    page.keyboard.press("a")
    assert groups_shown() == []
    page.locator("#closeAll").click()
    assert sorted(groups_shown()) == outermost
    page.locator("#openLevel").click()
    assert sorted(groups_shown()) == second
    page.locator("#openAll").click()
    assert groups_shown() == []
    page.locator("#graph").focus()
    page.evaluate("trex.select(5)")
    page.keyboard.press("Enter")
    assert 5 not in shown(page) and page.evaluate("trex.selected") == 5
    page.keyboard.press("Enter")
    assert 5 in shown(page)
    page.keyboard.press("?")
    assert "close all groups" in page.locator("#help").inner_text()


def test_the_facts_of_a_group(visit: Callable[..., Any], grouped: Any, drawing: Any) -> None:
    page = visit(grouped)
    scene, plan = drawing.scene, drawing.plan
    frame = frame_called(scene, "layer1")
    page.keyboard.press("g")
    page.evaluate("box => trex.bring(box)", len(scene.boxes) + frame)
    top = page.evaluate("box => trex.view.y + trex.model.boxes.y[box] * trex.view.zoom", len(scene.boxes) + frame)
    page.mouse.click(*middle_of(page, len(scene.boxes) + frame, (0.5, 0.6)))
    assert len(scene.boxes) + frame not in shown(page)
    opened = "f => trex.view.y + (trex.model.frames.y[f] + trex.sheet.columnAt(trex.model.frames.y[f]).dy - 40)"
    assert page.evaluate(f"{opened} * trex.view.zoom", frame) == pytest.approx(top, abs=2)
    assert page.evaluate("trex.selected") == len(scene.boxes) + frame
    panel = page.locator("#panel")
    nodes = [scene.boxes[box].node for box in members(scene, frame)]
    text = panel.inner_text()
    assert f"{len(nodes)} layers" in text and "layer1/0" in text and "Convolution" in text
    assert f"{sum(plan.times[node].average_ms for node in nodes):.4f} ms" in text
    assert all(plan.working_layers[node].name in text for node in nodes)
    first_in = plan.working_layers[min(nodes)].inputs[0].name
    assert first_in in text
    assert panel.locator("#toggle").get_attribute("aria-expanded") == "true"
    panel.locator("#toggle").click()
    assert len(scene.boxes) + frame in shown(page)
    panel.locator(".bars .link", has_text=plan.working_layers[nodes[1]].name).first.click()
    assert selected(page) == plan.working_layers[nodes[1]].name
    assert "In the group" in panel.inner_text() or "IN THE GROUP" in panel.inner_text()


def test_a_link_into_a_closed_group_opens_it(visit: Callable[..., Any], grouped: Any, drawing: Any) -> None:
    plan, scene = drawing.plan, drawing.scene
    wanted = next(layer for layer in plan.working_layers if layer.name.startswith("layer3.1.conv1"))
    page = visit(grouped, f"#layer={quote(wanted.name, safe='')}&closed=all")
    assert selected(page) == wanted.name
    n = len(scene.boxes)
    closed = {scene.frames[box - n].title for box in shown(page) if box >= n}
    assert {"layer1", "layer2", "layer4"} <= closed and "layer3" not in closed
    assert faults(page) == []
    assert "closed=" in page.url and "layer=" in page.url
    again = visit(grouped, page.url[page.url.index("#") :])
    assert again.evaluate("JSON.stringify([...trex.groups.closed].sort())") == page.evaluate(
        "JSON.stringify([...trex.groups.closed].sort())"
    )
    page.keyboard.press("a")
    page.keyboard.press("Escape")
    until(page, "location.hash === '#closed=none'")


def test_groups_are_kept_in_the_address(visit: Callable[..., Any], grouped: Any, drawing: Any) -> None:
    page = visit(grouped, "#closed=depth1")
    depth = page.evaluate("Array.from(trex.groups.depth)")
    assert set(page.evaluate("[...trex.groups.closed]")) == {i for i, each in enumerate(depth) if each >= 1}
    page.evaluate("trex.toggle(0)")
    link = page.url[page.url.index("#closed=") :]
    assert set(visit(grouped, link).evaluate("[...trex.groups.closed]")) == set(
        page.evaluate("[...trex.groups.closed]")
    )
    for odd in ("#closed=", "#closed=999999", "#closed=5-1,-", "#closed=0-99999999", "#closed=depth99", "#closed=x"):
        assert visit(grouped, odd).evaluate("trex.ready")


def test_search_and_table_open_what_they_find(visit: Callable[..., Any], grouped: Any, drawing: Any) -> None:
    plan = drawing.plan
    page = visit(grouped)
    page.keyboard.press("g")
    page.keyboard.press("/")
    page.keyboard.type("layer4.1.conv2")
    assert page.evaluate("[...trex.hitBoxes()]")[0] >= len(drawing.scene.boxes)
    page.keyboard.press("Enter")
    found = selected(page)
    assert "layer4.1.conv2" in found
    assert page.evaluate("trex.model.standIn[trex.selected] === trex.selected")
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("t")
    page.locator("#table .line", has_text=plan.working_layers[3].name).first.click()
    assert selected(page) == plan.working_layers[3].name
    assert page.evaluate("trex.model.standIn[trex.selected] === trex.selected")
    page.locator("#graph").focus()
    page.keyboard.press("g")
    page.keyboard.press(".")
    assert selected(page) == plan.working_layers[4].name and faults(page) == []


def test_colors_of_closed_groups(visit: Callable[..., Any], grouped: Any) -> None:
    page = visit(grouped)
    page.keyboard.press("g")
    seen = {}
    for mode in ("type", "precision", "latency", "module"):
        page.locator("#mode").select_option(mode)
        seen[mode] = tuple(pixels(page))
    assert len(set(seen.values())) == 4
    page.locator("#mode").select_option("type")
    before = pixels(page)
    page.locator("#legend button", has_text="Pooling").click()
    assert pixels(page) != before
    page.keyboard.press("Escape")
    assert pixels(page) == before


def test_dark_and_light_with_groups(visit: Callable[..., Any], grouped: Any) -> None:
    light, dark = (
        visit(grouped, "#closed=0-3", color_scheme="light"),
        visit(grouped, "#closed=0-3", color_scheme="dark"),
    )
    assert pixels(light) != pixels(dark)
    dark.locator("#theme").click()
    assert pixels(light) == pixels(dark)


def test_the_visible_part_is_saved_as_it_is_shown(visit: Callable[..., Any], grouped: Any, drawing: Any) -> None:
    page = visit(grouped)
    frame = frame_called(drawing.scene, "layer2")
    page.evaluate("frame => trex.toggle(frame)", frame)
    root = ElementTree.fromstring(page.evaluate("trex.svg()"))
    titles = [element.text or "" for element in root.iter(f"{SVG}title")]
    groups = [element for element in root.iter(f"{SVG}g") if element.get("class") == "group"]
    assert len(groups) == 1 and (groups[0].findtext(f"{SVG}title") or "").startswith("layer2\n")
    assert "layer1" in titles and "layer2/0" not in titles
    names = {drawing.plan.working_layers[drawing.scene.boxes[box].node].name for box in members(drawing.scene, frame)}
    assert not names & set(titles) and len(titles) > 20


def test_tips_of_titles_and_groups(visit: Callable[..., Any], grouped: Any, drawing: Any) -> None:
    page = visit(grouped)
    page.mouse.move(*title_of(page, frame_called(drawing.scene, "layer1")))
    tip = page.locator("#hover")
    assert "layer1" in tip.inner_text() and " ms" in tip.inner_text() and "click closes" in tip.inner_text()
    page.keyboard.press("g")
    box = len(drawing.scene.boxes) + frame_called(drawing.scene, "layer1")
    page.mouse.move(*middle_of(page, box, (0.5, 0.7)))
    assert "6 layers" in tip.inner_text() or "layers" in tip.inner_text()
    assert "opens it" in tip.inner_text()


def test_what_is_looked_at_stays(visit: Callable[..., Any], grouped: Any, drawing: Any) -> None:
    page = visit(grouped)
    for _ in range(6):
        page.keyboard.press("+")
    frame = frame_called(drawing.scene, "layer2")
    page.evaluate("frame => trex.bring(trex.base.boxes.n + frame)", frame)
    page.mouse.click(*title_of(page, frame))
    x, y = middle_of(page, len(drawing.scene.boxes) + frame)
    stage = page.locator("#graph").bounding_box()
    assert stage["x"] < x < stage["x"] + stage["width"] and stage["y"] < y < stage["y"] + stage["height"]


def test_any_state_is_in_order(visit: Callable[..., Any], tmp_path: Path, grouped: Any) -> None:
    for name, content in make_transformer(300).items():
        (tmp_path / name).write_bytes(content)
    drawing = Drawing(load(tmp_path), DiagramStyle(group_by="module"))
    large = write_html(drawing.scene, drawing.graph, tmp_path / "large.html", drawing.plan)
    chance = random.Random(7)
    for path in (grouped, large):
        page = visit(path)
        count = page.evaluate("trex.groups.n")
        assert faults(page) == []
        for size in (1, 2, count // 8, count // 3):
            some = chance.sample(range(count), max(1, size))
            page.evaluate("""some => {
                trex.groups.closed.clear();
                for (const frame of some.slice(1)) trex.groups.closed.add(frame);
                trex.toggle(some[0]);
            }""", some)  # fmt: skip
            assert faults(page) == [], some


@pytest.mark.parametrize("name", sorted(name for name, case in CASES.items() if not case.expect.error))
def test_groups_of_every_engine(name: Any, visit: Callable[..., Any], tmp_path: Path) -> None:
    plan = opened(CASES[name], tmp_path)
    for by in ("module", "block", "region"):
        drawing = Drawing(plan, DiagramStyle(group_by=by))
        if drawing.scene.frames:
            page = visit(write_html(drawing.scene, drawing.graph, tmp_path / f"{by}.html", plan))
            for key in ("", "g", "o", "a"):
                if key:
                    page.keyboard.press(key)
                assert faults(page) == [], key


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 2), (0, 1, 2)])
def test_groups_side_by_side(visit: Callable[..., Any], tmp_path: Path, closed: tuple[Any, ...]) -> None:
    scene, graph, plan = branches(["left", "middle", "right"])
    page = visit(write_html(scene, graph, tmp_path / "branches.html", plan))
    height = page.evaluate("trex.model.data.height")
    path = page.evaluate("trex.hotPath().ms")
    page.evaluate("closed => closed.forEach(frame => trex.toggle(frame))", list(closed))
    assert faults(page) == []
    # Branches side by side are never added up, however groups stand.
    assert page.evaluate("trex.hotPath().ms") == path
    assert page.evaluate("trex.hotPath().boxes.length - trex.hotPath().onIt.size") == 1
    taken = height - page.evaluate("trex.model.data.height")
    # Only what no open branch beside it needs is taken away.
    assert taken > {(0, 2): 150, (0, 1, 2): 300}.get(closed, -20)
    page.evaluate("trex.closeAll(); trex.fit()")
    # Closed groups lie next to one another, however far apart they were.
    assert page.evaluate("trex.sheet.width") < 3 * 250 + 4 * 40


def test_a_group_of_data_and_layers_without_times(visit: Callable[..., Any], tmp_path: Path) -> None:
    *_, plan = branches(["one"], lengths=(3, 2))
    untimed = [item.type == "Convolution" or "branch0" in item.name for item in plan.working_layers]
    plan.times = tuple(None if is_untimed else each for is_untimed, each in zip(untimed, plan.times))
    scene, graph, _ = titled(plan, ["one"])
    page = visit(write_html(scene, graph, tmp_path / "untimed.html", plan))
    page.keyboard.press("g")
    assert page.evaluate("trex.groups.ms(0)") is None
    page.evaluate("trex.select(trex.base.boxes.n)")
    panel = page.locator("#panel").inner_text()
    assert "not measured" in panel and "3 layers" in panel
    legend = "[...document.querySelectorAll('#legend button')].map(b => `${b.textContent} ${b.title.split('\\n')[0]}`)"
    assert page.evaluate(legend) == [
        "PointWise5 · 100% PointWise: 5 layers, 1.3000 ms, 2 without a time",
        "Convolution2 · – Convolution: 2 layers, without a time",
    ]
    page.evaluate("trex.select(trex.base.boxes.n + 1)")
    types = page.locator("#panel .bars").first.locator("li .count").all_inner_texts()
    assert types == ["1 · 0.5000 ms · 100.0%", "1 · –"]
    page.evaluate("trex.selectRow(0)")
    assert "place 3 of 3" in page.locator("#panel").inner_text()
    page.evaluate("trex.select(trex.base.boxes.n)")
    assert page.evaluate("trex.badge(trex.base.boxes.n)") == ""


@pytest.mark.parametrize("name", HOSTILE, ids=["script", "img", "right-to-left", "emoji", "long", "empty"])
def test_hostile_titles_are_only_text(visit: Callable[..., Any], tmp_path: Path, name: Any) -> None:
    scene, graph, plan = branches([name, f"{name}/inner"])
    page = visit(write_html(scene, graph, tmp_path / "hostile.html", plan))
    page.mouse.move(*title_of(page, 0))
    page.evaluate("trex.toggle(0)")
    page.evaluate("trex.select(trex.base.boxes.n); trex.bring(trex.base.boxes.n)")
    page.mouse.move(*middle_of(page, page.evaluate("trex.base.boxes.n"), (0.5, 0.7)))
    assert page.locator("#hover").is_visible() and len(page.locator("#hover").inner_text()) < 500
    for _ in range(2):
        root = ElementTree.fromstring(page.evaluate("trex.svg()"))
        assert len(list(root.iter())) > 10
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert page.locator("#paper").count() == 1
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        page.evaluate("trex.select(trex.base.boxes.n + 1); trex.openAll()")
    assert page.evaluate("window.ran") is None
    assert page.locator("script").count() == 2
    assert page.locator("img, main svg, iframe, object, embed").count() == 0
    if name.isprintable():
        assert page.evaluate("trex.base.frames.title[0]") == name


def test_without_groups_the_page_has_none(visit: Callable[..., Any], tmp_path: Path) -> None:
    plan = synthetic_engine(EXAMPLE)
    graph = build_graph(plan)
    page = visit(write_html(build_scene(graph, plan), graph, tmp_path / "plain.html", plan))
    assert page.locator("#groups").is_hidden()
    before = pixels(page)
    for key in ("g", "o", "a", "Enter"):
        page.keyboard.press(key)
    assert pixels(page) == before and json.loads(page.evaluate("JSON.stringify(trex.titles)")) == []
    page.keyboard.press("?")
    assert "groups" not in page.locator("#help").inner_text()
