"""Raw records become an Engine: typed layers, wired bindings, Notes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.raw_records import chain, codes, convolution, layer, tensor
from trex.core.data_type import DataType
from trex.core.engine import Engine
from trex.core.errors import TrexError
from trex.core.layer import Role
from trex.ingest.graph_json import engine_from_documents, layers_from_raw, read_graph


def read(layers: Any, bindings: Any = ("x", "y"), **keys: Any) -> Engine:
    document = {"Layers": layers} | ({} if bindings is None else {"Bindings": list(bindings)}) | keys
    return read_graph(json.dumps(document).encode(), "m.graph.json")


@pytest.mark.parametrize("torn", ['{"Layers": [ {"Name": nope', '{"Bindings": ["x"], "Layers": ['])
def test_a_file_torn_before_its_first_layer_says_where(torn: str) -> None:
    with pytest.raises(TrexError) as caught:
        read_graph(torn.encode(), "m.graph.json")
    assert caught.value.where == f"m.graph.json:1:{len(torn) + 1}"
    assert torn[:20] in str(caught.value)
    assert "export the file again" in caught.value.hint


def test_a_convolution_with_everything() -> None:
    record = convolution(
        "/conv/Conv + /relu/Relu",
        tensor("x", [1, 8, 4, 4], "Channel major FP16 format where channel % 8 == 0"),
        "y",
        Bias={"Type": "Float", "Count": 8},
        TacticName="sm80_xmma_fprop_f16f16_f16f32_f16",
        TacticValue="0x00000000000000ff",
        StreamId=2,
        Metadata="[ONNX Layer: /conv/Conv]\x1e[ONNX Layer: /relu/Relu]",
    )
    (item,) = read([record]).layers
    assert (item.name, item.type, item.subtype, item.role) == (
        "/conv/Conv + /relu/Relu",
        "Convolution",
        "CaskConvolution",
        Role.KERNEL,
    )
    assert (item.index, item.occurrence, item.profile, item.stream) == (0, 0, 0, 2)
    assert (item.tactic, item.tactic_value) == ("sm80_xmma_fprop_f16f16_f16f32_f16", 255)
    assert item.origins == ("/conv/Conv", "/relu/Relu")
    assert item.module == "/conv"
    assert item.precision == "FP16"
    assert [(w.kind, w.size_bytes) for w in item.weights] == [("weights", 1152), ("bias", 32)]
    assert item.inputs[0].format.label == "NHWC8"
    assert item.inputs[0].location == "Device"
    assert item.raw == record


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("0x8b12a4a1b5b2c3d4", 0x8B12A4A1B5B2C3D4),
        ("-1", 2**64 - 1),
        (-1, 2**64 - 1),
        (7, 7),
        ("", None),
        ("none", None),
        (None, None),
        (1.5, None),
        (True, None),
        ("9" * 5000, int("9" * 40) % 2**64),
    ],
)
def test_tactic_values(written: object, value: int | None) -> None:
    (item,) = read([layer("a", inputs=["x"], outputs=["y"], TacticValue=written)]).layers
    assert item.tactic_value == value


def test_occurrences_are_counted_per_profile() -> None:
    names = ["a", "b", "a", "a [profile 1]", "b [profile 1]", "a [profile 1]"]
    layers = read([layer(name, inputs=["x"], outputs=["y"]) for name in names]).layers
    assert [(item.name, item.profile, item.occurrence) for item in layers] == [
        ("a", 0, 0),
        ("b", 0, 0),
        ("a", 0, 1),
        ("a", 1, 0),
        ("b", 1, 0),
        ("a", 1, 1),
    ]


def test_records_that_differ_only_in_name_are_distinct() -> None:
    same_name = [layer("a", inputs=[tensor("x", [4])], outputs=["t"]), layer("b", inputs=[tensor("x", [8])])]
    first, second = read(same_name).layers
    assert (first.inputs[0].shape, second.inputs[0].shape) == ((4,), (8,))
    assert first.outputs[0] is not second.inputs[0]


def test_bindings_take_the_side_of_the_tensors() -> None:
    engine = read(chain("a", "b"), ("y", "x", "unused"))
    assert [(b.name, b.is_input, b.tensor is not None) for b in engine.bindings] == [
        ("y", False, True),
        ("x", True, True),
        ("unused", None, False),
    ]


def test_a_binding_that_is_written_and_read_is_an_output() -> None:
    layers = [layer("a", inputs=["x"], outputs=["t"]), layer("b", inputs=["t"], outputs=["y"])]
    engine = read(layers, ("x", "t", "y"))
    assert [b.is_input for b in engine.bindings] == [True, False, False]


def test_an_input_is_as_its_first_reader_and_an_output_as_its_last_writer_sees_it() -> None:
    layers = [
        layer("a", inputs=[tensor("x", [4])], outputs=[tensor("y", [1])]),
        layer("b", inputs=[tensor("x", [2, 2])], outputs=[tensor("y", [2])]),
    ]
    x, y = read(layers).bindings
    assert x.tensor is not None and y.tensor is not None
    assert (x.tensor.shape, y.tensor.shape) == ((4,), (2,))


def test_a_binding_listed_twice_is_one() -> None:
    assert [b.name for b in read(chain("a"), ("x", "y", "x", "")).bindings] == ["x", "y"]


def test_keys_next_to_the_layers_are_kept() -> None:
    assert read(chain("a"), Made="by hand", Layers2=[1]).extra == {"Made": "by hand", "Layers2": [1]}


def test_what_was_not_understood_is_noted_with_numbers() -> None:
    layers = [
        layer("a", inputs=[tensor("x", [4], "Tetra9"), tensor("u", [-1, 4])], outputs=[tensor("t", [4], "Half")]),
        layer("b", inputs=[tensor("t", [4], "Half"), tensor("v", [4], LONG)], outputs=[{"Name": "y"}]),
    ]
    notes = {note.code: note for note in read(layers, ("x", "u", "v", "y")).notes}
    assert notes["unknown-data-type"].message.startswith("2 tensors")
    assert "'Tetra9'" in notes["unknown-data-type"].message
    assert notes["dynamic-dimensions"].message.startswith("1 tensor with")
    assert notes["unknown-shape"].message.startswith("1 tensor with")
    assert "layout of 1 tensor is" in notes["layout-not-reported"].message
    strided = layer("a", inputs=[tensor("x", [4], "Half") | {"Strides": [1]}], outputs=[tensor("y", [4], LONG)])
    assert not [note for note in read([strided], ("x", "y")).notes if note.code == "layout-not-reported"]
    assert {note.where for note in notes.values()} == {"m.graph.json"}


LONG = "Row major linear FP32"


def test_an_engine_that_is_understood_has_no_notes() -> None:
    assert read(chain("a", "b")).notes == ()


def test_weights_that_are_not_reported_are_noted() -> None:
    layers = [
        layer("{ForeignNode[a...b]}", "Myelin", ["x"], ["t"]),
        layer("gemm_myl0_1", "gemm", ["t"], ["u"]),
        layer("attention_myl0_2", "gemm", ["t", "u"], ["y"]),
    ]
    engine = read(layers)
    assert [item.weights_size_bytes for item in engine.layers] == [None, None, 0]
    assert [item.total_footprint_bytes for item in engine.layers] == [None, None, 3 * 256]
    (note,) = [note for note in engine.notes if note.code == "weights-not-reported"]
    assert "2 layers" in note.message


def test_layers_from_raw_need_no_engine() -> None:
    (item,) = layers_from_raw([layer("a", inputs=["x"], outputs=["y"])])
    assert item.inputs[0].size_bytes == 256
    assert layers_from_raw([]) == ()


@pytest.mark.parametrize("data", [b"{}", b"[]", b'{"Layers": []}', b'{"Layers": {}}', b"7", b'"x"', b"null"])
def test_no_layers_is_an_error_with_a_next_step(data: bytes) -> None:
    with pytest.raises(TrexError) as caught:
        read_graph(data, "m.graph.json")
    assert caught.value.where.startswith("m.graph.json")
    assert caught.value.hint


def test_entries_that_are_no_layers_are_counted() -> None:
    engine = read([*chain("a"), None, 3, ["x"]])
    (note,) = [note for note in engine.notes if note.code == "layer-not-an-object"]
    assert note.message.startswith("3 of 4")
    assert note.severity == "problem"


def test_the_records_given_are_not_changed() -> None:
    layers = [layer("a\x1eb [profile 3]", "NoOp", ["x\x1e"], ["y [profile 3]"], ParameterType="Shuffle")]
    before = json.dumps(layers)
    engine_from_documents([{"Layers": layers}])
    assert json.dumps(layers) == before


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 2**70)
    | st.floats()
    | st.sampled_from(["", "x", "a [profile 2]", "Half"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["Name", "Count", "Type"]), inner),
    max_leaves=4,
)
KEYS = ("Name", "LayerType", "ParameterType", "Inputs", "Outputs", "Weights", "TacticValue", "Metadata", "StreamId")
TENSORS = st.lists(
    st.dictionaries(
        st.sampled_from(["Name", "Dimensions", "Format/Datatype", "Datatype", "Format", "Location"]), VALUES
    )
    | VALUES,
    max_size=3,
)
RECORDS = st.fixed_dictionaries(
    {}, optional={key: (TENSORS | VALUES if key in ("Inputs", "Outputs") else VALUES) for key in KEYS}
)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.lists(RECORDS | VALUES, max_size=4), st.none() | st.lists(VALUES, max_size=3), st.booleans())
def test_any_values_give_an_engine_or_a_trex_error(layers: list, bindings: list | None, lower: bool) -> None:
    document: dict[str, Any] = {"Layers": layers}
    if bindings is not None:
        document["Bindings" if lower else "I/O Tensors"] = bindings
    try:
        engine = engine_from_documents([document], "m")
    except TrexError as error:
        assert error.hint
        return
    for item in engine.layers:
        assert item.total_footprint_bytes is None or item.total_footprint_bytes >= 0
        assert isinstance(item.compute.data_type, DataType)
    assert engine.for_profile(engine.profiles[0]).layers
    assert codes(engine) is not None


def test_a_format_in_vectors_needs_three_dimensions() -> None:
    written = "Thirty-two wide channel vectorized row major Int8 format"
    layers = [layer("a", inputs=[tensor("x", [3, 7, 7], written)], outputs=[tensor("y", [3, 7], written)])]
    engine = engine_from_documents([{"Layers": layers}])
    (read,), (output,) = engine.layers[0].inputs, engine.layers[0].outputs
    assert (read.size_bytes, output.size_bytes) == (32 * 7 * 7, None)
    (note,) = [note for note in engine.notes if note.code == "unknown-shape"]
    assert note.message.startswith("1 tensor with too few")
