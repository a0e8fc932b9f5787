"""The formats dot, onnx, png and pdf: by the ending of a file, from the same drawing as all others."""

from __future__ import annotations

import pytest

from tests.dot_parser import parse_dot
from trex.core.errors import TrexError
from trex.engine_plan import load_example
from trex.export import dot_pictures
from trex.export.diagram import FORMATS, write_diagram
from trex.views.diagram.style import DiagramStyle


def test_dot(tmp_path):
    plan = load_example("resnet18-int8")
    style = DiagramStyle(color_by="latency", display_regions=True)
    for name in ("x.dot", "x.gv"):
        text = write_diagram(plan, tmp_path / name, style).read_text(encoding="utf-8")
        dot = parse_dot(text)
        assert len(dot.nodes) > 2 * len(plan.layers) - 5
        assert "synthetic" in dot.defaults["graph"]["label"]


def test_onnx(tmp_path):
    onnx = pytest.importorskip("onnx")
    plan = load_example("resnet18-int8")
    model = onnx.load(write_diagram(plan, tmp_path / "x.onnx"))
    assert len(model.graph.node) == len(plan.layers)
    assert not FORMATS["onnx"].value.is_text


@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_pictures_are_graphvizs(ending, tmp_path, monkeypatch):
    plan = load_example("resnet18-int8")
    if dot_pictures.has_graphviz():
        start = {"png": b"\x89PNG", "pdf": b"%PDF"}[ending]
        assert write_diagram(plan, tmp_path / f"x.{ending}").read_bytes().startswith(start)
    monkeypatch.setattr(dot_pictures.shutil, "which", lambda name: None)
    monkeypatch.setattr(dot_pictures.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(TrexError, match="Graphviz") as caught:
        write_diagram(plan, tmp_path / f"y.{ending}")
    assert "[graphviz]" in caught.value.hint
