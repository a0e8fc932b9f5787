"""Keywords of a call → style and selection, checked."""

from __future__ import annotations

import numpy as np
import pytest

from trex.core.errors import TrexError
from trex.graph.select import Selection
from trex.views.diagram.keywords import KEYWORDS, parameters, style_and_selection
from trex.views.diagram.style import DiagramStyle


def test_no_keywords_are_the_defaults():
    assert style_and_selection({}) == (DiagramStyle(), Selection())
    assert style_and_selection(dict.fromkeys(KEYWORDS)) == (DiagramStyle(), Selection())
    assert style_and_selection(KEYWORDS) == (DiagramStyle(), Selection())
    assert {parameter.name: parameter.default for parameter in parameters()} == KEYWORDS


def test_keywords_are_fields_of_both():
    style, selection = style_and_selection(
        {
            "color_by": "precision",
            "display_regions": np.True_,
            "most_nodes": np.int64(200),
            "query": "conv",
            "hottest": 3,
            "neighbors": True,
            "module": "/layer1",
            "stream": 0,
            "tensor": "x",
        }
    )
    assert style == DiagramStyle(color_by="precision", display_regions=True, most_nodes=200)
    assert type(style.most_nodes) is int and style.display_regions is True
    assert selection == Selection(query="conv", hottest=3, neighbors=True, module="/layer1", stream=0, tensor="x")


@pytest.mark.parametrize(
    ("value", "beam"),
    [("conv1,2", "conv1,2"), (("conv1", 2), ("conv1", 2)), ([7, np.int64(1)], ("7", 1))],
)
def test_beams(value, beam):
    assert style_and_selection({"beam": value})[1].beam == beam


@pytest.mark.parametrize(("value", "between"), [("a,b", "a,b"), (("a", "b"), ("a", "b")), ([3, 9], (3, 9))])
def test_between(value, between):
    assert style_and_selection({"between": value})[1].between == between


@pytest.mark.parametrize(
    ("value", "names"), [("conv1", ("conv1",)), (["a", "b"], ("a", "b")), (np.array(["a"]), ("a",)), ((), ())]
)
def test_names_to_highlight(value, names):
    style, _ = style_and_selection({"highlight_layers": value})
    assert style.highlight_layers == names
    assert all(type(name) is str for name in style.highlight_layers)


@pytest.mark.parametrize(
    ("keywords", "text", "hint"),
    [
        ({"color_bye": "type"}, "'color_bye' is no option", "did you mean color_by"),
        ({"display_matadata": True}, "'display_matadata'", "display_metadata"),
        ({"zzz": 1}, "'zzz'", "one of color_by"),
        ({"color_by": "typ"}, "'typ' is not a color_by", "precision"),
        ({"engine": "neato"}, "'neato' is not a engine", "dot"),
        ({"latency_type": "mean"}, "latency_type", "avg_time"),
        ({"fold": "yes"}, "fold takes True or False, not 'yes'", "fold=True"),
        ({"fold": 1}, "fold takes True or False", "fold=True"),
        ({"hottest": "3"}, "hottest takes a whole number", "hottest=3"),
        ({"hottest": True}, "hottest takes a whole number", "hottest=3"),
        ({"hottest": 2.0}, "hottest takes a whole number", "hottest=3"),
        ({"hottest": -2}, "hottest takes a whole number from 0 up", "hottest=3"),
        ({"stream": -7}, "stream takes a whole number from 0 up", "stream=3"),
        ({"query": 3}, "query takes a text, not 3", "query="),
        ({"neighbors": True}, "neighbors goes with hottest", "hottest 5"),
        ({"beam": ("conv1",)}, "beam takes a layer and a radius", "('conv1', 2)"),
        ({"beam": 3}, "beam takes a layer and a radius", "('conv1', 2)"),
        ({"beam": ("conv1", -1)}, "a layer and a radius", "('conv1', 2)"),
        ({"beam": ("conv1", 1.5)}, "a layer and a radius", "('conv1', 2)"),
        ({"between": 3}, "between takes two layers", "'fc'"),
        ({"highlight_layers": 3}, "names of layers", "'conv1'"),
        ({"highlight_layers": [3]}, "names of layers", "'conv1'"),
    ],
)
def test_mistakes_are_told_with_a_next_step(keywords, text, hint):
    with pytest.raises(TrexError, match=text.replace("(", r"\(")) as caught:
        style_and_selection(keywords)
    assert hint in caught.value.hint
