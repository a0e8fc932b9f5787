"""The command ``trex draw``."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tests.diagram_files import READERS
from tests.simulated_examples import SIMULATED
from tests.synthetic.artifacts import make_cnn

EXAMPLE = str(SIMULATED / "resnet18-int8")


def test_colors_by_change_need_a_baseline(trex, tmp_path):
    said = trex("draw", str(SIMULATED / "resnet18-int8-residual"), "--color-by", "change", "-o", tmp_path / "x.svg")
    assert said.code == 2 and "--baseline" in said.err
    engines = (str(SIMULATED / "resnet18-int8-residual"), "--baseline", str(SIMULATED / "resnet18-int8"))
    assert trex("draw", *engines, "--color-by", "change", "-o", tmp_path / "x.svg").code == 0
    assert "Layers by change" in (tmp_path / "x.svg").read_text("utf-8")


def test_the_picture_goes_into_the_current_folder(trex, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = trex("draw", EXAMPLE)
    assert (said.code, said.out) == (0, "resnet18-int8.svg\n")
    assert ElementTree.parse(tmp_path / "resnet18-int8.svg").getroot().tag.endswith("svg")


def test_the_classic_output_format(trex, tmp_path):
    file = tmp_path / "net.svg"
    assert trex("draw", EXAMPLE, "-of", "svg", "-o", file).code == 0
    assert trex("draw", EXAMPLE, "--output_format", "SVG", "--output", file).code == 0


def test_a_grouping_that_finds_no_group_is_told(trex, tmp_path):
    file = tmp_path / "net.svg"
    said = trex("draw", EXAMPLE, "--group-by", "region", "-o", file)
    assert (said.code, said.out) == (0, f"{file}\n")
    assert "[warning] --group-by region finds no group of layers" in said.err
    assert "no region groups to frame" in file.read_text("utf-8")
    assert not trex("draw", EXAMPLE, "--group-by", "module", "-o", file).err


@pytest.mark.parametrize(
    "arguments", [("-of", "gif"), ("--output-format", "nothing"), ("-o", "x.gif"), ("-o", "x.GIF")]
)
def test_formats_that_are_not_there_are_refused(trex, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    said = trex("draw", EXAMPLE, *arguments)
    assert said.code == 2
    assert "svg" in said.err.lower()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["x.jpeg", "x"])
def test_an_ending_that_promises_something_else(trex, tmp_path, name):
    said = trex("draw", EXAMPLE, "-o", tmp_path / name)
    assert said.code == 2
    assert ".svg" in said.err


def test_the_ending_decides_on_the_format(trex, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert trex("draw", EXAMPLE, "-o", "net.html").code == 0
    assert trex("draw", EXAMPLE, "-of", "html").out == "resnet18-int8.html\n"
    page = (tmp_path / "net.html").read_bytes()
    assert page.startswith(b"<!DOCTYPE html>")
    assert (tmp_path / "resnet18-int8.html").read_bytes() == page


def test_an_option_counts_more_than_the_ending(trex, tmp_path):
    file = tmp_path / "x.json"
    assert trex("draw", EXAMPLE, "-of", "model-explorer", "-o", file).code == 0
    assert '"incomingEdges"' in file.read_text("utf-8")


@pytest.mark.parametrize("name", ["graphml", "json", "model-explorer", "node-data"])
def test_the_graph_as_data(trex, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    said = trex("draw", EXAMPLE, "-of", name)
    ending = f".{name}.json" if "-" in name else f".{name}"
    assert (said.code, said.out) == (0, f"resnet18-int8{ending}\n")
    written = READERS[name]((tmp_path / f"resnet18-int8{ending}").read_bytes())
    assert len(written.nodes) >= 35
    part = trex("draw", EXAMPLE, "-of", name, "-o", "-", "--hottest", "3", "--fold", "--expand-layer-details")
    assert 3 <= len(READERS[name](part.out.encode()).nodes) < 20


def test_standard_output(trex):
    said = trex("draw", EXAMPLE, "--output", "-")
    assert ElementTree.fromstring(said.out.encode()).tag.endswith("svg")
    assert trex("draw", EXAMPLE, "-of", "html", "--output", "-").out.startswith("<!DOCTYPE html>")


def test_a_folder_that_is_not_there(trex, tmp_path):
    said = trex("draw", EXAMPLE, "-o", tmp_path / "none" / "x.svg")
    assert said.code == 2
    assert "mkdir -p" in said.err


def test_what_tells_no_layers_cannot_be_drawn(trex, tmp_path):
    log = tmp_path / "run.log"
    log.write_text(
        "&&&& RUNNING TensorRT.trtexec [TensorRT v100400] # trtexec --loadEngine=a.plan\n"
        "[01/02/2030-03:04:05] [I] === Device Information ===\n"
        "[01/02/2030-03:04:05] [I] Selected Device: NVIDIA A30\n"
        "[01/02/2030-03:04:05] [I] TensorRT version: 10.4.0\n"
        "&&&& PASSED TensorRT.trtexec [TensorRT v100400] # trtexec --loadEngine=a.plan\n"
    )
    said = trex("draw", log, "-o", tmp_path / "x.svg")
    assert said.code == 2
    assert "nothing to draw" in said.err and "trex doctor" in said.err


def test_problems_of_the_data_are_told(trex, tmp_path):
    graph = tmp_path / "net.graph.json"
    graph.write_text('{"Layers": ["conv1", "relu1"], "Bindings": []}')
    said = trex("draw", graph, "-o", tmp_path / "x.svg")
    assert said.code == 0
    assert "names-only-engine" in said.err


def test_a_picture_of_many_boxes_says_what_is_easier_to_look_at(trex, tmp_path):
    graph = tmp_path / "long.graph.json"
    graph.write_bytes(next(data for name, data in make_cnn(200).items() if name.endswith(".graph.json")))
    assert "large-picture" in trex("draw", graph, "-o", tmp_path / "x.svg").err
    for other in ("x.html", "x.json"):
        assert "large-picture" not in trex("draw", graph, "-o", tmp_path / other).err
    assert "large-picture" not in trex("draw", graph, "--hottest", "9", "-o", tmp_path / "y.svg").err


def test_colors_by_findings_obey_the_settings_of_the_folder(trex, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert trex("draw", EXAMPLE, "--color-by", "findings", "-o", "a.svg").code == 0
    assert "no finding (3" not in (tmp_path / "a.svg").read_text("utf-8")
    (tmp_path / "trex.toml").write_text('[lint]\nignore = ["*"]\n', encoding="utf-8")
    assert trex("draw", EXAMPLE, "--color-by", "findings", "-o", "a.svg").code == 0
    assert "settings of trex.toml" in (tmp_path / "a.svg").read_text("utf-8")
    (tmp_path / "other.toml").write_text("[lint\n", encoding="utf-8")
    said = trex("draw", EXAMPLE, "--color-by", "findings", "--config", "other.toml", "-o", "a.svg")
    assert said.code == 2 and "other.toml:1" in said.err
    assert trex("draw", EXAMPLE, "--config", "other.toml", "-o", "a.svg").code == 0, "colors by type need none"


def test_a_name_that_the_engine_chooses_replaces_no_file_of_the_user(trex, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    logo = tmp_path / "resnet18-int8.svg"
    logo.write_text("<svg>my logo</svg>")
    refused = trex("draw", "example:resnet18-int8")
    assert refused.code == 2 and logo.read_text() == "<svg>my logo</svg>" and "-o" in refused.err
    logo.unlink()
    for _ in range(2):  # its own picture is drawn again
        assert trex("draw", "example:resnet18-int8").code == 0
    logo.rename(page := logo.with_suffix(".dot"))
    refused = trex("draw", "example:resnet18-int8", "-f", "dot")
    assert refused.code == 2 and f"{page.name} exists\n" in refused.err, "nothing is said about what it is"
