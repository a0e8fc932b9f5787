"""Flags of a drawing come from the style and the selections, classic spellings included."""

from __future__ import annotations

import dataclasses
import re

import pytest

from trex.cli.diagram_options import Selecting, selection_of, style_of
from trex.core.options import option_fields
from trex.views.diagram.style import DiagramStyle

EXAMPLE = "example:resnet18-int8"


def layers_in(svg: str) -> int:
    found = re.search(r"(\d+)( of \d+)? layers?", svg)
    assert found
    return int(found[1])


def test_every_choice_of_the_style_is_a_flag(trex):
    told = trex("draw", "--help").out
    for group in (Selecting, DiagramStyle):
        for field in option_fields(group):
            assert field.flag in told
            if field.is_switch and field.default:
                assert f"--no-{field.flag.removeprefix('--')}" in told


@pytest.mark.parametrize(
    "arguments,count",
    [
        ((), 35),
        (("--beam", "5,1"), 3),
        (("-b", "layer4.1.conv2.weight,0"), 1),
        (("--hottest", "3"), 3),
        (("-q", "layer1.1", "--query-in", "name"), None),
        (("--module", "/layer1"), None),
        (("--between", "5,9"), None),
        (("--hottest", "2", "--neighbours"), None),
        (("--fold",), 35),
    ],
)
def test_selections(trex, arguments, count):
    said = trex("draw", EXAMPLE, "-o", "-", *arguments)
    assert said.code == 0, said.err
    shown = layers_in(said.out)
    assert shown == count if count else 0 < shown < 35


@pytest.mark.parametrize(
    "arguments,word",
    [
        (("--beam", "conv,2"), "names contain 'conv'"),
        (("--beam", "5"), "no layer and radius"),
        (("--query", "("), "regular expression"),
        (("--query", "nothing like this"), "no layer"),
        (("--module", "/layer9"), "no module"),
        (("--stream", "99"), "stream"),
        (("--tensor", "nowhere"), "no tensor"),
        (("--between", "5"), "names one layer"),
        (("--neighbours",), "--hottest"),
    ],
)
def test_mistakes_are_told_with_a_next_step(trex, tmp_path, arguments, word):
    said = trex("draw", EXAMPLE, "-o", tmp_path / "x.svg", *arguments)
    assert said.code == 2
    assert word in said.err and "try: " in said.err
    assert not list(tmp_path.iterdir())


def test_classic_flags(trex):
    plain = trex("draw", EXAMPLE, "-o", "-").out
    for flag in ("-dr", "--display_regions", "-no_ln", "--no_layer_names", "--no-display-layer-names"):
        said = trex("draw", EXAMPLE, "-o", "-", flag)
        assert said.code == 0 and said.out != plain
    for flag in ("-dc", "--display_constant", "-dm", "--display_metadata", "-drn", "--display_region_names"):
        assert trex("draw", EXAMPLE, "-o", "-", flag).code == 0


def test_colours_by_choice(trex):
    said = trex("draw", EXAMPLE, "-o", "-", "--color-by", "latency")
    assert "Layers by time" in said.out and "ms and more" in said.out
    assert trex("draw", EXAMPLE, "-o", "-", "--color-by", "mood").code == 2


def test_options_become_style_and_selection():
    from trex.cli.commands.draw import COMMAND

    options = COMMAND.options(path="x", no_layer_names=True, highlight_layers=["a"], beam="a,b,2", fold=True)
    style = style_of(options)
    assert (style.display_layer_names, style.highlight_layers, style.fold) == (False, ("a",), True)
    assert selection_of(options).beam == ("a,b", 2)
    assert not selection_of(dataclasses.replace(options, beam="")).asks


def test_two_names_with_commas_in_them():
    from tests.factories import layer
    from tests.graph.test_select import graph_of, names
    from trex.graph.select import Selection, select

    graph = graph_of(layer("a,1", outputs=["v"]), layer("b,2", inputs=["v"], outputs=["w"]), layer("c", inputs=["w"]))
    assert names(select(graph, Selection(between="a,1,b,2"))) == ["a,1", "b,2"]
