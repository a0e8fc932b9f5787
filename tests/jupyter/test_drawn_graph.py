"""What a cell shows of a graph: the page in a frame of its own, escaped, without IPython."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.factories import engine, layer, t
from tests.simulated_examples import load_simulated
from trex.core.errors import TrexError
from trex.export import dot_pictures
from trex.export.html import render_html
from trex.jupyter.drawn_graph import MOST_FOR_SVG, draw_plan
from trex.plan.engine_plan import EnginePlan

HOSTILE = [
    "</iframe><script>window.ran=1</script>",
    "' onload='window.ran=1",
    '" onload="ran()',
    "&#39;&amp;<b>",
    "a\x1eb",
]


class Tags(HTMLParser):
    """The elements of a cell, and the attributes of its frame as a browser reads them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.frame: dict[str, str | None] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "iframe":
            self.frame = dict(attrs)


def chain(names):
    layers = [layer(name, name, [t(f"t{i}")], [t(f"t{i + 1}")]) for i, name in enumerate(names)]
    return EnginePlan(engine(*layers, inputs=["t0"], outputs=[f"t{len(layers)}"], name=names[0]))


def shown(drawn) -> str:
    """The cell's HTML."""
    html = drawn._repr_html_()
    assert html is not None
    return html


def test_colors_by_change_are_against_a_baseline():
    base, plan = load_simulated("resnet18-int8"), load_simulated("resnet18-int8-residual")
    with pytest.raises(TrexError, match="another engine"):
        draw_plan(plan, 400, {"color_by": "change"})
    page = shown(draw_plan(plan, 400, {"color_by": "change"}, base))
    assert "Layers by change" in page and "unchanged (" in page


def test_the_cell_holds_the_page():
    plan = load_simulated("resnet18-int8")
    drawn = draw_plan(plan, 480, {})
    cell = Tags(shown(drawn))
    assert cell.tags == ["div", "p", "iframe"]
    view = drawn.drawing.view
    assert cell.frame["srcdoc"] == render_html(view.scene, view.graph, plan)
    assert cell.frame["sandbox"] == "allow-scripts allow-downloads"
    assert "src" not in cell.frame and "height:480px" in shown(drawn)
    assert cell.frame["title"] == "Graph of resnet18-int8: 35 layers"


@pytest.mark.parametrize("name", HOSTILE)
def test_names_stay_inside_the_frames_attribute(name):
    plan = chain([name, *HOSTILE])
    drawn = draw_plan(plan, 480, {})
    cell = Tags(shown(drawn))
    assert cell.tags == ["div", "p", "iframe"]
    assert set(cell.frame) == {"title", "sandbox", "allow", "style", "srcdoc"}
    assert cell.frame["srcdoc"] == render_html(drawn.drawing.scene, drawn.drawing.graph, plan)


def test_options_and_selections():
    plan = load_simulated("resnet18-int8")
    part = draw_plan(plan, 480, {"query": "layer1", "color_by": "precision", "highlight_layers": "x"})
    assert part.drawing.style.color_by == "precision" and part.drawing.style.highlight_layers == ("x",)
    assert 0 < len(part.drawing.graph.layer_nodes) < 35
    assert " of 35 layers" in repr(part)
    assert len(draw_plan(plan, 480, {"hottest": 2}).drawing.graph.layer_nodes) == 2
    assert len(draw_plan(plan, 480, {"beam": ("layer4.1.conv2.weight", 0)}).drawing.graph.layer_nodes) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [({"query": "nothing like this"}, "no layer"), ({"module": "/x"}, "no module"), ({"color": "x"}, "no option")],
)
def test_mistakes_are_told_when_drawing_not_when_shown(options, said):
    with pytest.raises(TrexError, match=said):
        draw_plan(load_simulated("resnet18-int8"), 480, options)


@pytest.mark.parametrize("height", [0, -5, 100, "640", 640.0, None, True])
def test_heights_that_are_none(height):
    with pytest.raises(TrexError, match="height") as caught:
        draw_plan(load_simulated("resnet18-int8"), height, {})
    assert "height=800" in caught.value.hint


def test_what_is_no_plan_and_what_has_no_layers():
    with pytest.raises(TrexError, match="a plan can be drawn, not str") as caught:
        draw_plan("x.json", 480, {})
    assert "trex.load" in caught.value.hint
    with pytest.raises(TrexError, match="nothing to draw"):
        draw_plan(EnginePlan(engine()), 480, {})


def test_small_graphs_are_also_an_svg():
    drawn = draw_plan(load_simulated("resnet18-int8"), 480, {})
    svg = drawn._repr_svg_()
    assert svg is not None and svg.startswith("<svg")
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    large = draw_plan(chain([f"a{i}" for i in range(MOST_FOR_SVG)]), 480, {})
    assert large._repr_svg_() is None and large._repr_html_() is not None


def test_the_engine_dot_is_shown_as_graphvizs_picture():
    if not dot_pictures.has_graphviz():
        pytest.skip("Graphviz is absent")
    drawn = draw_plan(chain(["a", "b"]), 480, {"engine": "dot"})
    assert drawn._repr_html_() is None
    assert ElementTree.fromstring(drawn._repr_svg_() or "").tag.endswith("svg")


@pytest.mark.parametrize("ending", ["html", "svg", "dot"])
def test_it_can_be_saved(ending, tmp_path):
    drawn = draw_plan(load_simulated("resnet18-int8"), 480, {"hottest": 3})
    path = drawn.save(tmp_path / f"x.{ending}")
    assert path == str(tmp_path / f"x.{ending}") and Path(path).stat().st_size > 1000
    with pytest.raises(TrexError, match="'gif'"):
        drawn.save(tmp_path / "x.gif")


def test_the_saved_page_is_the_page_of_the_cell(tmp_path):
    drawn = draw_plan(load_simulated("resnet18-int8"), 480, {"fold": True})
    page = Path(drawn.save(tmp_path / "x.html")).read_text(encoding="utf-8")
    assert Tags(shown(drawn)).frame["srcdoc"] == page


def test_no_notebook_is_needed():
    program = (
        "import sys, trex; g = trex.draw(trex.load_example('resnet18-fp16')); html = g._repr_html_(); "
        "print(len(html), repr(g)); assert not {'IPython', 'ipywidgets', 'pandas'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.match(r"\d{5,} <Graph of resnet18-fp16: \d+ layers; ", done.stdout)
