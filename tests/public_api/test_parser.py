"""The classic readers, on small files and on real ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trex import parser
from trex.core.errors import TrexError


def tensor(name: str) -> dict[str, object]:
    return {"Name": name, "Dimensions": [1, 8], "Format/Datatype": "Half"}


LAYERS = [
    {
        "Name": "a\u001eb",
        "LayerType": "CaskDeconvolutionV2",
        "ParameterType": "Convolution",
        "Inputs": [tensor("x")],
        "Outputs": [tensor("t")],
    },
    {"Name": "w", "LayerType": "wait", "Inputs": [], "Outputs": []},
    {"Name": "s", "LayerType": "signal", "Inputs": [], "Outputs": []},
    {"Name": "k", "LayerType": "kgen", "Inputs": [tensor("t")], "Outputs": [tensor("u")]},
    {"Name": "k", "LayerType": "kgen", "Inputs": [tensor("u")], "Outputs": [tensor("y")]},
]


def written(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    return written(tmp_path, "m.graph.json", {"Layers": LAYERS, "Bindings": ["x", "y"]})


def test_read_json_of_text_and_binary_files(graph: Path) -> None:
    with graph.open(encoding="utf-8") as text, graph.open("rb") as binary:
        assert parser.read_json(text) == parser.read_json(binary) == {"Layers": LAYERS, "Bindings": ["x", "y"]}


def test_bad_json_names_the_file_and_the_place(tmp_path: Path) -> None:
    path = tmp_path / "bad.graph.json"
    path.write_text("no json at all\n<html>", encoding="utf-8")
    with path.open(encoding="utf-8") as file, pytest.raises(TrexError, match=r"bad\.graph\.json"):
        parser.read_json(file)


def test_read_graph_file_is_verbatim(graph: Path) -> None:
    assert parser.read_graph_file(str(graph)) == (LAYERS, ["x", "y"])


def test_import_graph_file_is_clean(graph: Path) -> None:
    layers, bindings = parser.import_graph_file(graph)
    assert [layer["Name"] for layer in layers] == ["a+b", "k", "k_2"]
    assert layers[0]["ParameterType"] == "Deconvolution"
    assert bindings == ["x", "y"]


def test_import_graph_file_of_one_profile(tmp_path: Path) -> None:
    def layer(name: str) -> dict[str, object]:
        return {"Name": name, "LayerType": "Scale", "Inputs": [tensor("x")], "Outputs": [tensor(f"y of {name}")]}

    names = ["a", *(f"a [profile {number}]" for number in range(1, 12))]
    path = written(tmp_path, "p.json", {"Layers": [layer(name) for name in names], "Bindings": ["x"]})
    assert [each["Name"] for each in parser.import_graph_file(path)[0]] == ["a"]
    assert len(parser.import_graph_file(path, profile_id=11)[0]) == 1
    with pytest.raises(TrexError, match="profile 12"):
        parser.import_graph_file(path, profile_id=12)


def test_read_profiling_file_leaves_the_count_out(tmp_path: Path) -> None:
    record = {"name": "a", "timeMs": 2.0, "averageMs": 0.2, "percentage": 100.0}
    path = written(tmp_path, "m.profile.json", [{"count": 10}, record])
    assert parser.read_profiling_file(path) == [record]


def test_read_timing_file(tmp_path: Path) -> None:
    path = written(
        tmp_path, "m.timing.json", [{"latencyMs": 0.5, "computeMs": 0.4}, {"latencyMs": 0.75, "computeMs": 1}]
    )
    assert parser.read_timing_file(path) == [0.5, 0.75]


def test_metadata(tmp_path: Path) -> None:
    content = {
        "model_options": {"Model": "m.onnx"},
        "build_options": {"Precision": "FP16"},
        "device_information": {"Selected Device": "A100"},
        "performance_summary": {"Throughput": 100.0},
    }
    path = written(tmp_path, "m.metadata.json", content)
    assert parser.get_device_properties(path)["Selected Device"] == "A100"
    assert parser.get_performance_summary(path) == {"Throughput": 100.0}
    assert parser.get_builder_config(path) == {"Model": "m.onnx", "Precision": "FP16"}
    assert parser.read_perf_metadata_file(path, "build_options") == {"Precision": "FP16"}
    assert parser.read_perf_metadata_file(path, "no such section") == {}
    assert parser.read_metadata_file(path) == content


def test_missing_metadata_is_empty(tmp_path: Path) -> None:
    for get in (parser.get_device_properties, parser.get_performance_summary, parser.get_builder_config):
        assert get(tmp_path / "absent.json") == get(None) == {}
    with pytest.raises(TrexError, match=r"absent\.json"):
        parser.read_perf_metadata_file(tmp_path / "absent.json", "model_options")


def test_a_list_of_devices(tmp_path: Path) -> None:
    path = written(tmp_path, "d.json", [{"name": "first"}, {"name": "second"}])
    assert parser.read_metadata_file(path, device=1) == {"name": "second"}
    with pytest.raises(TrexError, match="no device 2"):
        parser.read_metadata_file(path, device=2)


def test_real_engines(shared_engines: Path) -> None:
    for file in sorted(shared_engines.glob("*/*.graph.json")):
        layers, bindings = parser.import_graph_file(file)
        names = [layer["Name"] for layer in layers]
        assert len(set(names)) == len(names) > 10
        assert len(bindings) >= 2
    for file in sorted(shared_engines.glob("*/*.profile.json")):
        records = parser.read_profiling_file(file)
        assert sum(record["percentage"] for record in records) == pytest.approx(100, abs=1)
