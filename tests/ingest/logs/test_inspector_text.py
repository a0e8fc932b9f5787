"""One-line inspector dumps: ambiguous names, values of all kinds, names-only engines, cut logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.ingest.logs.inspector_text import TEXT_BETWEEN, parse_inspector_text


def one(line: str) -> dict[str, Any]:
    layers, _, notes = parse_inspector_text([line])
    assert notes == []
    (layer,) = layers
    assert isinstance(layer, dict)
    return layer


def row(name: str = "c", rest: str = "", inputs: str = "[]", outputs: str = "[]") -> str:
    return f"Name: {name}, LayerType: kgen, Inputs: {inputs}, Outputs: {outputs}{rest}"


def test_constants_and_strides() -> None:
    """TensorRT for RTX 1.7."""
    tensor = "{ Name: w, Dimensions: [8,4], Strides: [4,1], StrideOrder: [1,0], Datatype: Half, Format: Row major }"
    layer = one(f"Name: g_myl0_1, LayerType: gemm, Inputs: [], Constants: [ {tensor}], Outputs: [ {tensor}]")
    expected = {"Name": "w", "Dimensions": [8, 4], "Strides": [4, 1], "StrideOrder": [1, 0], "Datatype": "Half"}
    assert layer["Constants"] == layer["Outputs"] == [expected | {"Format": "Row major"}]


def test_a_convolution() -> None:
    assert one(
        "Name: conv + relu, LayerType: CaskConvolution, Inputs: [ { Name: x, Location: Device, Dimensions: [1,-1], "
        "Format/Datatype: Half }], Outputs: [ { Name: y, Location: Device, Dimensions: [], Format/Datatype: Channel "
        "major FP16 format where channel % 8 == 0 }], ParameterType: Convolution, Kernel: [5,5], PaddingMode: "
        'kEXPLICIT_ROUND_DOWN, OutMaps: 32, Weights: {"Type": "Half", "Count": 800}, negativeInfinityPadding: 0, '
        "Alpha: 0.5, TacticName: , TacticValue: 0x98e92db98836b738, StreamId: 0, Metadata: [ONNX Layer: a]\x1e[ONNX L]"
    ) == {
        "Name": "conv + relu",
        "LayerType": "CaskConvolution",
        "Inputs": [{"Name": "x", "Location": "Device", "Dimensions": [1, -1], "Format/Datatype": "Half"}],
        "Outputs": [
            {
                "Name": "y",
                "Location": "Device",
                "Dimensions": [],
                "Format/Datatype": "Channel major FP16 format where channel % 8 == 0",
            }
        ],
        "ParameterType": "Convolution",
        "Kernel": [5, 5],
        "PaddingMode": "kEXPLICIT_ROUND_DOWN",
        "OutMaps": 32,
        "Weights": {"Type": "Half", "Count": 800},
        "negativeInfinityPadding": 0,
        "Alpha": 0.5,
        "TacticName": "",
        "TacticValue": "0x98e92db98836b738",
        "StreamId": 0,
        "Metadata": "[ONNX Layer: a]\x1e[ONNX L]",
    }


def test_several_tensors_without_location() -> None:
    layer = one(row(inputs="[ { Name: a, Dimensions: [1], Format/Datatype: Float }, { Name: b, Dimensions: [2,3], "
                    "Format/Datatype: Int64 }]"))  # fmt: skip
    assert layer["Inputs"] == [
        {"Name": "a", "Dimensions": [1], "Format/Datatype": "Float"},
        {"Name": "b", "Dimensions": [2, 3], "Format/Datatype": "Int64"},
    ]
    assert layer["Outputs"] == []


@pytest.mark.parametrize(
    "name",
    ["{ForeignNode[a, b: c...d]}", "PWN(a, b)", "a, Inputs: b", "node [profile 1]", "x }, y", "[a]\x1e{b}", "é,: "],
)
def test_names_with_the_marks_of_the_format(name: str) -> None:
    tensors = f"[ {{ Name: {name}, Location: Host, Dimensions: [1], Format/Datatype: Bool }}]"
    layer = one(row(name, ", StreamId: 1, Metadata: ", tensors, tensors))
    assert layer["Name"] == layer["Inputs"][0]["Name"] == layer["Outputs"][0]["Name"] == name
    assert (layer["StreamId"], layer["Metadata"]) == (1, "")


def test_values_that_look_like_keys_inside_quotes() -> None:
    operations = ["auto const v0 = pwgen::iMul(arg0, Key: 1);", 'a "q", Metadata: x]}', ""]
    layer = one(row(rest=f", NbOperations: 3, Operations: {json.dumps(operations)}, Literals: [], TacticName: t"))
    assert layer["Operations"] == operations
    assert (layer["NbOperations"], layer["Literals"], layer["TacticName"]) == (3, [], "t")


def test_unquoted_lists_are_lists_of_words() -> None:
    layer = one(row(rest=", InputArgs: [arg0, arg1], Scales: [0.5, 2], Odd: [a {, Next: 2"))
    assert (layer["InputArgs"], layer["Scales"]) == (["arg0", "arg1"], [0.5, 2])
    assert (layer["Odd"], layer["Next"]) == ("[a {", 2)


def test_strings_that_look_like_numbers_or_lists_stay_strings() -> None:
    layer = one(row(rest=", ParameterSubType: [0.000000,6.000000], PluginVersion: 1, TacticValue: 12, Metadata: 5"))
    assert (layer["ParameterSubType"], layer["PluginVersion"]) == ("[0.000000,6.000000]", "1")
    assert (layer["TacticValue"], layer["Metadata"]) == ("12", "5")


def test_metadata_is_the_rest_of_the_line() -> None:
    assert one(row(rest=", Metadata: [ONNX Layer: a, StreamId: 9]"))["Metadata"] == "[ONNX Layer: a, StreamId: 9]"


def test_11_x_tensor_keys() -> None:
    layer = one(row(inputs="[ { Name: x, Dimensions: [8], Datatype: Half, Format: Row major linear, Strides: [1] }]"))
    assert layer["Inputs"][0] == {
        "Name": "x",
        "Dimensions": [8],
        "Datatype": "Half",
        "Format": "Row major linear",
        "Strides": [1],
    }


def test_layers_header_blank_lines_and_bindings() -> None:
    text = ["Layers:", row("a"), "", row("b"), "", "Bindings:", "x", "y, z", ""]
    layers, bindings, notes = parse_inspector_text(text)
    assert [layer["Name"] for layer in layers if isinstance(layer, dict)] == ["a", "b"]
    assert (bindings, notes) == (["x", "y, z"], [])


def test_names_only_engine_gives_names_as_its_json_does() -> None:
    layers, bindings, _ = parse_inspector_text(["some header", "Layers:", "conv1", "relu: 2", "", "Bindings:", "x"])
    assert (layers, bindings) == (["conv1", "relu: 2"], ["x"])


def test_text_after_the_bindings_is_ignored() -> None:
    tensor = "[ { Name: y, Dimensions: [1], Format/Datatype: Float }]"
    text = ["Layers:", row(outputs=tensor), "", "Bindings:", "unused", "y", "Time: 3 ms", "done"]
    _, bindings, notes = parse_inspector_text(text)
    assert bindings == ["unused", "y"]
    assert not notes


def test_a_line_feed_in_a_name() -> None:
    layers, _, _ = parse_inspector_text(["Layers:", row("a"), *row("b\nc").split("\n"), row("d")])
    assert [layer["Name"] for layer in layers if isinstance(layer, dict)] == ["a", "b\nc", "d"]


@pytest.mark.parametrize("last", ["", ", Metadata: ", ", Metadata: [ONNX Layer: a]"])
def test_text_between_the_layers_is_in_no_layer(last: str) -> None:
    """As where a CI service cut the log. At the end it is what a script printed next."""
    first = row("a") + last
    alone, _, _ = parse_inspector_text(["Layers:", first])
    layers, _, notes = parse_inspector_text(["Layers:", first, "... truncated ...", row("b"), "done"], "x.log", 7)
    assert layers == [*alone, *parse_inspector_text([row("b")])[0]]
    assert [(note.code, note.severity, note.where) for note in notes] == [(TEXT_BETWEEN, "warning", "x.log:9")]
    cut = row("a") + ", Metadata: [ONNX Layer: a"
    ((layer, _), _, notes) = parse_inspector_text(["Layers:", cut, "b]", row("b")])
    assert isinstance(layer, dict) and layer["Metadata"] == "[ONNX Layer: a\nb]" and not notes


@pytest.mark.parametrize("keep", [30, 50, 75])
def test_a_truncated_row_is_kept_partly(keep: int) -> None:
    line = row("abc", inputs="[ { Name: a, Dimensions: [1], Format/Datatype: Float }]")[:keep]
    layers, _, notes = parse_inspector_text(["Layers:", row(), line], "x.log", 10)
    assert isinstance(layers[1], dict)
    assert layers[1]["Name"] == "abc"
    if keep > 30:
        assert [(note.code, note.where) for note in notes] == [("unreadable-inspector-row", "x.log:12")]


@pytest.mark.parametrize("rest", [", Inputs: x", ", Outputs: [1]", ", Name: b, LayerType: c"])
def test_interleaved_rows_are_kept_with_the_unread_text(rest: str) -> None:
    layers, _, notes = parse_inspector_text([f"Name: a, LayerType: b, Key: 1{rest}"])
    expected = {"Name": "a", "LayerType": "b", "Inputs": [], "Outputs": [], "Key": 1, "UnreadText": rest}
    assert layers == [expected]
    assert [note.code for note in notes] == ["unreadable-inspector-row"]


@given(st.lists(st.text(alphabet='Name: ,LayerTypIutOs[]{}"\\\x1e1.', max_size=80), max_size=5))
def test_any_lines_are_read(lines: list[str]) -> None:
    layers, _, _ = parse_inspector_text(["Name: a, LayerType: b, Inputs: [" + line for line in lines] + lines)
    assert len(layers) <= 2 * len(lines)


NASTY = [", A: [", "[", '"', '\\"', ", ", " }, { Name: ", ", Key: ", " }], X", ", Inputs: [", "{", ", A: []x", "[0,"]


@pytest.mark.parametrize("part", NASTY)
def test_very_long_lines_are_read(part: str) -> None:
    long = part * (300_000 // len(part))
    for line in (row("n", f", {long}"), row(long), row("n", inputs=f"[ {{ Name: {long}"), row(rest=f", A: [{long}]x")):
        parse_inspector_text([line])
    layers, _, _ = parse_inspector_text(["Layers:", row()] + ["more"] * 50_000)
    assert len(layers) == 1


def test_the_dump_equals_the_json_of_the_same_engine(shared_logs: Path) -> None:
    lines = (shared_logs / "trt10.16-trtexec-04.log").read_text().split("\n")
    dump = lines[next(index for index, line in enumerate(lines) if line.startswith("Name: ")) :]
    layers, bindings, notes = parse_inspector_text(line for line in dump if not line.startswith(("[0", "&")))
    expected = json.loads((shared_logs / "trt10.16-exportLayerInfo.graph.json").read_text())
    assert (layers, bindings) == (expected["Layers"], expected["Bindings"])
    assert notes == []


def test_a_python_log_as_a_whole(shared_logs: Path) -> None:
    text = (shared_logs / "trt10.16-engine-inspector-python.log").read_text()
    layers, bindings, notes = parse_inspector_text(text.split("\n"))
    assert (len(layers), bindings, notes) == (28, ["x", "y", "z"], [])
    names = [layer["Name"] for layer in layers if isinstance(layer, dict)]
    assert sum("[profile 1]" in name for name in names) == 8
    assert "node_linear [profile 1]_myl13_2" in names
