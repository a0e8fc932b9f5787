"""The offline page: valid, small, the same every time, and deaf to whatever the names in an engine say."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from tests.diagram_files import write_html
from tests.export.test_svg import NAMES
from tests.export.test_viewer_columns import unshared
from tests.factories import drawn_plan, engine, layer, t, time
from tests.synthetic import make_cnn, make_transformer
from tests.synthetic.engines import synthetic_engine
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.export.diagram import Drawing, render_diagram
from trex.export.html import render_html
from trex.graph.build import build_graph
from trex.views.diagram.scene import build_scene
from trex.views.diagram.style import DiagramStyle

NAMESPACES = {"http://www.w3.org/2000/svg"}
FIXED_BYTES, BYTES_A_LAYER = 400_000, 400


class Page(HTMLParser):
    """Tags, attributes and the text of scripts, as a browser would find them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.title = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "input"):
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        if self.open and self.open[-1] == "title":
            self.title += data


def plan_of(*layers, inputs=("x",), outputs=("y",), name="small"):
    whole = engine(*layers, inputs=inputs, outputs=outputs)
    times = tuple(time(item.name, 0.1 * (i + 1)) for i, item in enumerate(whole.layers))
    return drawn_plan(whole, times, name)


def page_of(plan) -> str:
    graph = build_graph(plan)
    return render_html(build_scene(graph, plan), graph, plan)


def data_of(text: str) -> dict:
    return json.loads(Page(text).scripts[0])


@pytest.fixture(scope="module")
def page() -> str:
    return page_of(synthetic_engine("resnet18-int8"))


def test_the_page_is_valid_and_whole(page):
    found = Page(page)
    assert page.startswith("<!DOCTYPE html>\n")
    assert not found.open
    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert len(found.scripts) == 2
    assert "{{" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert set(re.findall(r'byId\("(\w+)"\)', found.scripts[1])) <= set(ids)


def test_every_control_has_a_name(page):
    found = Page(page)
    labeled = {attributes["for"] for tag, attributes in found.tags if tag == "label"}
    for tag, attributes in found.tags:
        if tag in ("input", "select", "aside", "nav") or attributes.get("role") in ("grid", "toolbar"):
            assert attributes.get("aria-label") or attributes.get("id") in labeled, attributes
        if tag == "button":
            assert attributes.get("title") or attributes.get("aria-label"), attributes


def test_the_page_may_fetch_nothing_and_names_no_address(page):
    (policy,) = (a["content"] or "" for tag, a in Page(page).tags if a.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy
    assert not re.search(r"connect-src|https?:|\*|unsafe-eval", policy)
    assert set(re.findall(r"https?://[^\"'\s<>]*", page)) <= NAMESPACES
    assert not re.search(r"@import|url\(\s*[\"']?(?!#)|\bfetch\(|XMLHttpRequest|WebSocket|import\(", page)
    assert not any(key in attributes for tag, attributes in Page(page).tags for key in ("src", "href", "action"))
    assert not any(key.startswith("on") for _, attributes in Page(page).tags for key in attributes)
    assert "innerHTML" not in page and "eval(" not in page and "document.write" not in page


@pytest.mark.parametrize(
    "name", [*NAMES, "{{script}} {{data}}", "\u2028\u2029", "</SCRIPT ><img src=x onerror=alert(1)>"]
)
def test_any_name_stays_data(name):
    odd = layer(name, name, [t(name)], [t(f"{name}'s"), "y"], tactic=name, origins=[name], module=name, Odd=name)
    text = page_of(plan_of(odd, inputs=[name], name=name))
    found = Page(text)
    assert len(found.scripts) == 2
    assert {tag for tag, _ in found.tags} == {tag for tag, _ in Page(page_of(plan_of(layer("a")))).tags}
    assert not re.search("[<>&\u2028\u2029]", found.scripts[0])
    data = json.loads(found.scripts[0])
    readable = name.encode("utf-8", "replace").decode().replace("?", "") if "\ud83d" in name else name
    assert unshared(data["layers"]["name"])[0].replace("\ufffd", "") == readable.replace("\u202e", "")
    assert "\u202e" not in text
    text.encode("utf-8")


def test_the_facts_are_there():
    odd = layer("conv_7", "Convolution", tactic="sm80_kernel", origins=["/a/Conv"], module="/a", stream=3, Groups=32)
    data = data_of(page_of(plan_of(odd, name="Net")))
    strings = unshared(data["strings"])
    assert {"sm80_kernel", "/a/Conv", "/a", "Groups", "32", "FP16 1x8x4x4 NCHW"} <= set(strings)
    assert data["title"] == "Net" and data["layers"]["stream"] == [3] and data["totalMs"] == pytest.approx(0.1)
    assert data["layers"]["average"] == [pytest.approx(0.1)]
    assert not data["statement"]


def test_attributes_that_are_left_out_are_counted():
    data = data_of(page_of(plan_of(layer("conv", **{f"Attribute{i}": i for i in range(80)}))))
    assert data["attributes"]["count"] == [61]
    assert "20 more" in unshared(data["strings"])


def test_unknown_is_null_not_zero():
    plan = plan_of(layer("a"))
    plan.times = (None,)
    data = data_of(page_of(plan))
    assert data["layers"]["average"] == [None] and data["totalMs"] is None


def test_synthetic_data_says_so(page):
    assert "synthetic" in data_of(page)["statement"]
    assert "made by a script, not measured" in page


def test_what_is_unpacked_is_what_the_scene_holds():
    plan = synthetic_engine("resnet18-int8")
    graph = build_graph(plan)
    scene = build_scene(graph, plan)
    data = data_of(render_html(scene, graph, plan))
    x = [sum(data["boxes"]["x"][: i + 1]) for i in range(len(scene.boxes))]
    assert x == [round(box.x) for box in scene.boxes]
    assert unshared(data["layers"]["name"]) == [layer.name for layer in plan.working_layers]
    assert len(data["wires"]["target"]) == len(scene.wires)
    counts = data["boxes"]["lines"]["count"]
    assert counts == [len(box.label.lines) for box in scene.boxes]


def test_the_same_engine_gives_the_same_page(page):
    assert page_of(synthetic_engine("resnet18-int8")) == page
    drawing = Drawing(synthetic_engine("resnet18-int8"), DiagramStyle(group_by="none"))
    assert data_of(render_diagram(drawing, "html").decode())["boxes"] == data_of(page)["boxes"]


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (make_cnn, 1000),
        (make_transformer, 1000),
        pytest.param(make_transformer, 5000, marks=pytest.mark.slow),
        pytest.param(make_cnn, 5000, marks=pytest.mark.slow),
    ],
)
def test_the_page_stays_small(make, count, tmp_path):
    for name, content in make(count).items():
        (tmp_path / name).write_bytes(content)
    plan = load(tmp_path)
    size = len(page_of(plan).encode())
    assert size < FIXED_BYTES + BYTES_A_LAYER * len(plan.working_layers)
    assert size < 120_000 + BYTES_A_LAYER * len(plan.working_layers)


def test_an_empty_engine_is_a_page_too():
    data = data_of(page_of(plan_of(inputs=(), outputs=())))
    assert data["layers"]["name"]["rest"] == [] and data["boxes"]["x"] == []


def test_the_file_is_written_whole(tmp_path):
    plan = plan_of(layer("a \ud800"))
    graph = build_graph(plan)
    path = write_html(build_scene(graph, plan), graph, tmp_path / "page.html")
    assert path.read_text(encoding="utf-8").endswith("</html>\n")
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(TrexError, match="folder"):
        write_html(build_scene(graph, plan), graph, tmp_path / "missing" / "page.html")


def test_real_engines(shared_engines):
    for folder in sorted(each for each in shared_engines.iterdir() if each.is_dir()):
        plan = load(folder)
        text = page_of(plan)
        assert unshared(data_of(text)["layers"]["name"]) == [layer.name for layer in plan.working_layers]
        assert len(text.encode()) < FIXED_BYTES + BYTES_A_LAYER * len(plan.working_layers)
