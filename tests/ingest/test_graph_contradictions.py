"""Graphs whose layers are repeated, lost, or of two exports."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.raw_records import chain, codes, convolution, layer, tensor
from trex.core.engine import Engine
from trex.core.tensor import Binding
from trex.ingest.graph_contradictions import graph_contradictions
from trex.ingest.graph_json import engine_from_documents


def read(layers: Any) -> Engine:
    return engine_from_documents([{"Layers": layers, "Bindings": ["x", "y"]}])


def noted(layers: Any) -> list[str]:
    found = {"layers-repeated", "layers-unconnected", "tensor-contradicts", "layer-contradicts"}
    return [code for code in codes(read(layers)) if code in found]


@pytest.mark.parametrize(
    ("layers", "count"),
    [
        (chain("a", "b") * 2, 2),
        ([*chain("a", "b"), *chain("a", "b")[:1]], 1),
        (["a", "b"] * 2, 2),
        (["a", "b", "c", "a"], 0),
        (["a [profile 0]", "a [profile 1]"], 0),
        ([layer("a", inputs=["x"], outputs=["t"]), layer("a", inputs=["t"], outputs=["y"])], 0),
    ],
    ids=["list", "layer", "names", "a name", "profiles", "other tensors"],
)
def test_layers_that_the_file_repeats_are_noted(layers: list, count: int) -> None:
    """A list of layers that is in a file twice doubles sizes and counts; no real graph has equal layers."""
    notes = [note for note in read(layers).notes if note.code == "layers-repeated"]
    assert [int(note.message.split()[0]) for note in notes] == [count] * bool(count)


@pytest.mark.parametrize(
    ("lost", "is_noted"),
    [((), False), *(((name,), True) for name in (*"abcd", "Inputs", "Outputs"))],
    ids=str,
)
def test_layers_that_a_file_has_lost_leave_others_unconnected(lost: tuple[str, ...], is_noted: bool) -> None:
    """A layer, or the inputs or outputs of a convolution."""
    layers = [
        layer("a", inputs=["x"], outputs=["s"]),
        convolution("b", "s", "t"),
        layer("c", inputs=["s", "t"], outputs=["u"]),
        layer("d", inputs=["u"], outputs=["y"]),
    ]
    layers[1] |= {key: [] for key in lost if key in layers[1]}
    engine = read([record for record in layers if record["Name"] not in lost])
    assert ("layers-unconnected" in codes(engine)) is is_noted


@pytest.mark.parametrize("lists_constants", [False, True])
def test_inputs_of_myelin_layers_are_weights_only_where_constants_are_not_listed(lists_constants: bool) -> None:
    constants = {"Constants": [tensor("w", [8, 8])]} if lists_constants else {}
    layers = [layer("a", kind="gemm", inputs=["x", "t"], outputs=["y"], **constants)]
    assert ("layers-unconnected" in noted(layers)) is lists_constants


def test_an_output_that_no_layer_writes() -> None:
    """An input that no layer reads is one that the network does not use, or a shape for the host."""
    layers = read([layer("a", inputs=["x"], outputs=["t"]), layer("b", inputs=["t"], outputs=["x"])]).layers
    (note,) = graph_contradictions(layers, [Binding("x", True, None), Binding("y", False, None)], "")
    assert note.message.startswith("1 output is written by no layer, first 'y': the file lacks layers")
    assert not list(graph_contradictions(layers, [Binding("x", True, None), Binding("y", True, None)], ""))
    assert not list(graph_contradictions(layers, [Binding("x", True, None), Binding("y", None, None)], ""))


@pytest.mark.parametrize(
    "layers",
    [
        [layer("a", inputs=["x"], outputs=["y"]), {"Name": "b"}, layer("c", inputs=["t"], outputs=["y"])],
        [layer("a", "ShapeHostToDevice", inputs=["s"], outputs=["t"]), layer("b", inputs=["x", "t"], outputs=["y"])],
        [layer("a", inputs=["x"], outputs=["y"]), layer("b[DevicetoShapeHostCopy]", inputs=["y"], outputs=["s"])],
        [layer("a", inputs=["x", tensor("s", [4], Location="Host")], outputs=["y"])],
        [layer("a", "Constant", [], ["w"]), layer("b [profile 1]", inputs=["x [profile 1]", "w"], outputs=["y"])],
        [layer("a", "memset", [], ["n"], Constants=[]), layer("b", "kgen", ["x"], ["y"], Constants=[])],
    ],
    ids=["a name", "to the device", "to the host", "on the host", "profiles", "a value that a builder left"],
)
def test_what_the_host_or_another_profile_writes_is_not_lost(layers: list[Any]) -> None:
    assert "layers-unconnected" not in noted(layers)


def test_every_layer_that_a_real_graph_loses_is_noted(shared_engines: Path) -> None:
    """But for Myelin's dummies without tensors, and 2 of 385 last layers, as a graph may not say which bindings are
    outputs.
    """
    count = 0
    for path in sorted(shared_engines.glob("*/*graph.json")):
        document = json.loads(path.read_bytes())
        layers = document["Layers"]
        assert "layers-unconnected" not in codes(engine_from_documents([document]))
        for position in range(0, len(layers), max(1, len(layers) // 20)):
            left = {**document, "Layers": layers[:position] + layers[position + 1 :]}
            if layers[position].get("Outputs"):
                assert "layers-unconnected" in codes(engine_from_documents([left])), (path, position)
                count += 1
    assert count > 100


def pair(*shapes: list[int], kind: str = "Half", writers: int = 1) -> list[Any]:
    """a writes t in the first shape; the others are those in which layers read it."""
    written = tensor("t", shapes[0])
    readers = [
        layer(f"b{index}", inputs=[tensor("t", shape, kind)], outputs=["y"]) for index, shape in enumerate(shapes[1:])
    ]
    return [*(layer(f"a{index}", inputs=["x"], outputs=[written]) for index in range(writers)), *readers]


@pytest.mark.parametrize(
    ("layers", "is_noted"),
    [
        (pair([32, 8, 4, 4], [32, 8, 4, 4]), False),
        (pair([32, 8, 4, 4], [8, 8, 4, 4]), True),  # where two exports meet
        (pair([32, 8, 4, 4], [32, 8, 4, 4], [8, 8, 4, 4]), True),
        (pair([8, 8, 4, 4], [32, 8, 4, 4]), True),
        (pair([32, 8, 4, 4], [32, 8, 4, 4], kind="Float"), True),
        (pair([2, 8, 4, 4], [1, 8, 4, 4], [1, 8, 4, 4]), False),  # both parts of a batch
        (pair([1, 8, 4, 4], [2, 8, 4, 4], writers=2), False),  # parts that are joined
        (pair([32, 8, 4, 4], [32, 2, 4, 4]), False),  # a slice
        (pair([32, 8], [1, 8]), False),  # a row
        (pair([64, 20, 20], [32, 20, 20], [64, 20, 20]), False),  # channels of an implicit batch
        (pair([32, 8, 4, 4], [32, 8, 4, 4], kind="Float", writers=2), False),  # layers of one name
        (
            [
                layer("a", inputs=["x"], outputs=[{**tensor("t", [1, 8, 8, 8]), "Name": None}]),
                layer("b", inputs=[{**tensor("t", [1, 8, 4, 4], "Float"), "Name": None}], outputs=["y"]),
            ],
            False,
        ),
        (pair([32, 8, 4, 4], [32, 128]), False),
        (pair([32, 8, 4, 4], [-1, 8, 4, 4]), False),
    ],
)
def test_tensors_that_are_read_otherwise_than_written(layers: list[Any], is_noted: bool) -> None:
    assert ("tensor-contradicts" in noted(layers)) is is_noted


@pytest.mark.parametrize(
    ("keys", "is_noted"),
    [
        ({}, False),
        ({"Weights": {"Type": "Half", "Count": 5760}}, True),
        ({"Kernel": [1, 3]}, True),
        ({"OutMaps": 16}, True),
        ({"Groups": 8}, True),
        ({"Groups": 8, "Weights": {"Type": "Half", "Count": 72}}, False),
        ({"Weights": {"Type": "Half", "Count": 0}}, False),
        ({"Kernel": "?"}, False),
        ({"Outputs": [tensor("y", [4, 8, 16, 16])]}, True),  # the input has a batch of 1
        ({"Outputs": [tensor("y", [1, 8, 9, 4])]}, True),
        ({"Stride": [2, 2]}, True),
        ({"Stride": [2, 2], "Outputs": [tensor("y", [1, 8, 2, 2])]}, False),
        ({"Stride": [2, 2], "PaddingMode": "kSAME_UPPER"}, False),
        ({"Stride": [2, 2], "LayerType": "CaskDeconvolutionV2"}, False),
        ({"Stride": [0, 0]}, False),
        ({"Stride": [2]}, False),
        ({"Dilation": [2, 2]}, True),
        ({"PrePadding": [-1, 1]}, False),
        ({"Outputs": [tensor("y", [1, 8, 4, 4, 4])]}, True),  # a line twice
        ({"Outputs": [tensor("y", [1, 8, -1, 4])]}, False),
        ({"Outputs": [tensor("y", [1, 9, 4, 4])]}, True),
        ({"Outputs": [tensor("y", [1, 4, 4, 4]), tensor("z", [1, 4, 4, 4])]}, False),
        ({"Inputs": [tensor("r", [1, 8, 2, 2]), tensor("x")], "Stride": [2, 2]}, True),
        ({"Inputs": [tensor("r", [1, 8, 4, 4]), tensor("x", [1, 8, 8, 8])], "Stride": [2, 2]}, False),
        ({"Inputs": [tensor("x"), tensor("r")], "Outputs": [tensor("y", [2, 8, 4, 4])]}, True),
    ],
)
def test_convolutions_that_do_not_fit_themselves(keys: dict[str, Any], is_noted: bool) -> None:
    padding = {"PaddingMode": "kEXPLICIT_ROUND_DOWN", "PrePadding": [1, 1], "PostPadding": [1, 1]}
    record = {**convolution("a", "x", "y"), **padding, **keys}
    assert ("layer-contradicts" in noted([record])) is is_noted


@pytest.mark.parametrize(
    ("extents", "shapes", "mode", "is_noted"),
    [
        ([3, 3], ([1, 8, 9, 9], [1, 8, 5, 5]), "DOWN", False),
        ([3, 3], ([1, 8, 9, 9], [1, 8, 6, 5]), "DOWN", True),
        ([3, 3], ([1, 8, 10, 10], [1, 8, 6, 6]), "UP", False),
        ([3, 3, 3], ([1, 8, 9, 9, 9], [1, 8, 5, 5, 5]), "DOWN", False),
        ([3, 3, 3], ([1, 8, 9, 9, 9], [1, 8, 5, 5, 4]), "DOWN", True),
        ([3, 3], ([8, 9, 9], [8, 5, 5]), "DOWN", False),
        ([3, 3], ([1, 8, 9, 9], [1, 16, 5, 5]), "DOWN", True),
    ],
)
def test_poolings_that_do_not_fit_themselves(
    extents: list[int], shapes: tuple[list[int], list[int]], mode: str, is_noted: bool
) -> None:
    ones = [1] * len(extents)
    keys: dict[str, Any] = {
        "WindowSize": extents,
        "PrePadding": ones,
        "PostPadding": ones,
        "Stride": [2] * len(extents),
    }
    keys |= {"ParameterType": "Pooling", "PaddingMode": f"kEXPLICIT_ROUND_{mode}"}
    read, written = (tensor(name, shape) for name, shape in zip("xy", shapes, strict=True))
    record = layer("a", "CaskPooling", [read], [written], **keys)
    assert (noted([record]) == ["layer-contradicts"]) is is_noted


@pytest.mark.parametrize("kind", ["Reformat", "NoOp"])
@pytest.mark.parametrize(("shape", "is_noted"), [([32, 8, 4, 4], False), ([8, 8, 4, 4], True), ([32, 128], False)])
def test_copies_that_change_the_batch(kind: str, shape: list[int], is_noted: bool) -> None:
    copy = layer("Reformatting CopyNode for a", kind, inputs=[tensor("x", [32, 8, 4, 4])], outputs=[tensor("y", shape)])
    assert (noted([copy]) == ["layer-contradicts"]) is is_noted


@pytest.mark.parametrize("kind", ["Reformat", "Convolution", "Pooling", "PointWise"])
def test_tensors_of_any_rank_are_compared(kind: str) -> None:
    """A scalar may be read where four dimensions are written."""
    dims: tuple[list[int], ...] = (
        [],
        [1],
        [0],
        [-1, 3],
        [8, 2, 2],
        [1, 8, 4, 4],
        [-1, 8, 4, 4],
        [2, 8, 4, 4],
        [1, 1, 8, 4, 4],
    )
    for written, taken, given in product(dims, repeat=3):
        layers = [
            layer("a", inputs=["x"], outputs=[tensor("t", written)]),
            layer(
                "b", kind, [tensor("t", taken)], [tensor("y", given)], ParameterType=kind, Kernel=[1, 1], Stride=[1, 1]
            ),
        ]
        assert read(layers).layers
