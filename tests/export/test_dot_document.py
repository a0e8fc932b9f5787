"""DotDocument: saves and renders as graphviz's graphs do, with the same text, and needs no Graphviz for SVG."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.dot_parser import parse_dot
from tests.factories import engine, layer
from trex.core.errors import TrexError
from trex.export import dot_document, dot_pictures
from trex.export.dot_document import DotDocument, write_picture
from trex.export.plan_dot import plan_dot
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.style import DiagramStyle


def small():
    return EnginePlan(engine(layer("a <b>"), inputs=["x"], outputs=["y"], name='the "net"'))


@pytest.fixture
def no_graphviz(monkeypatch):
    """Neither the program, nor pygraphviz, nor the package graphviz."""
    monkeypatch.setattr(dot_pictures.shutil, "which", lambda name: None)
    monkeypatch.setattr(dot_pictures.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "graphviz", None)


def test_the_text_is_the_same_with_and_without_the_package(monkeypatch):
    pytest.importorskip("graphviz")
    theirs = plan_dot(small())
    monkeypatch.setitem(sys.modules, "graphviz", None)
    ours = plan_dot(small())
    assert isinstance(ours, DotDocument)
    assert parse_dot(ours.source).nodes == parse_dot(theirs.source).nodes
    assert ours.body == theirs.body


def test_render_and_save(no_graphviz, tmp_path):
    dot = plan_dot(small())
    path = dot.render(outfile=tmp_path / "x.svg")
    assert path == str(tmp_path / "x.svg")
    assert ElementTree.parse(path).getroot().tag.endswith("svg")
    assert (tmp_path / "x.gv").read_text(encoding="utf-8") == dot.source == str(dot)
    assert dot.render(tmp_path / "z", format="svg", cleanup=True) == str(tmp_path / "z.svg")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["x.gv", "x.svg", "z.svg"]
    assert Path(dot.save("saved.gv", tmp_path)).read_text(encoding="utf-8") == dot.source
    assert dot.pipe("svg", encoding="utf-8").startswith("<?xml")
    assert "image/svg+xml" in dot._repr_mimebundle_()
    assert "\n".join(dot) + "\n" == dot.source


def test_more_may_be_added(no_graphviz):
    dot = plan_dot(small())
    dot.node("mine: 1", "label", color="red")
    dot.edge("n0", "mine: 1")
    dot.attr("node", shape="oval")
    dot.attr(rankdir="LR")
    found = parse_dot(dot.source)
    assert found.nodes["mine: 1"] == {"label": "label", "color": "red"}
    assert ("n0", "mine: 1", {}) in found.edges
    assert found.defaults["graph"] == {"rankdir": "LR"}


@pytest.mark.parametrize("format", ["png", "pdf"])
def test_other_pictures_are_ours_where_graphviz_is_absent(no_graphviz, tmp_path, format):
    pytest.importorskip("typst", reason="the extra picture is not installed")
    path = write_picture(plan_dot(small()), tmp_path / f"x.{format}", format)
    assert path.read_bytes()[:4] in (b"\x89PNG", b"%PDF")


@pytest.mark.parametrize("format", ["png", "pdf"])
def test_other_pictures_name_the_extra(no_graphviz, tmp_path, format, monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(TrexError, match="typst") as caught:
        write_picture(plan_dot(small()), tmp_path / f"x.{format}", format)
    assert "[picture]" in caught.value.hint
    assert not list(tmp_path.iterdir())


def test_no_format(tmp_path):
    with pytest.raises(TrexError, match="no picture format"):
        write_picture(plan_dot(small()), tmp_path / "x", "../x")


def test_large_graphs_are_drawn_by_our_own_layout(monkeypatch):
    monkeypatch.setattr(dot_document, "has_graphviz", lambda: True)
    monkeypatch.setattr(dot_document, "picture_of", lambda *_: b"<svg/>")
    monkeypatch.setattr(dot_document, "MOST_FOR_GRAPHVIZ", 3)
    assert plan_dot(small()).picture is not None
    assert dot_document.picture_bytes(plan_dot(small()), "svg") == b"<svg/>"
    monkeypatch.setattr(dot_document, "MOST_FOR_GRAPHVIZ", 2)
    assert b"viewBox" in dot_document.picture_bytes(plan_dot(small()), "svg")


def test_a_failure_of_graphviz_does_not_lose_the_svg(monkeypatch):
    def fails(*_):
        raise TrexError("no")

    monkeypatch.setattr(dot_document, "has_graphviz", lambda: True)
    monkeypatch.setattr(dot_document, "picture_of", fails)
    assert b"viewBox" in dot_document.picture_bytes(plan_dot(small()), "svg")
    with pytest.raises(TrexError):
        dot_document.picture_bytes(plan_dot(small()), "ps")


def test_synthetic_data_says_so():
    plan = small()
    assert ("synthetic" in parse_dot(plan_dot(plan).source).defaults["graph"]["label"]) == plan.is_synthetic


def test_forking_regions_are_nodes_when_asked_for():
    plan = EnginePlan(
        engine(
            layer("a"), layer("b", inputs=["y"], outputs=["z"]), layer("c", inputs=["y"], outputs=["w"]),
            inputs=["x"], outputs=["z", "w"],
        )
    )  # fmt: skip
    plain, forking = plan_dot(plan), plan_dot(plan, DiagramStyle(display_forking_regions=True))
    assert len(parse_dot(forking.source).nodes) == len(parse_dot(plain.source).nodes) + 1
