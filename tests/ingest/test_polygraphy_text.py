"""Polygraphy's listings of engines, as its releases print them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.raw_records import codes, times, written
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.ingest.files import Kind, find_engines, recognize
from trex.ingest.polygraphy_text import read_polygraphy_text

# The expected output of Polygraphy's own test (dynamic_identity, two profiles), names of tensors as of TensorRT 8.6.
IDENTITY = """\
[I] ==== TensorRT Engine ====
    Name: Unnamed Network 0 | Explicit Batch Engine

    ---- 1 Engine Input(s) ----
    {X [dtype=float32, shape=(1, 2, -1, -1)]}

    ---- 1 Engine Output(s) ----
    {Y [dtype=float32, shape=(1, 2, -1, -1)]}

    ---- Memory ----
    Device Memory: 512 bytes

    ---- 2 Profile(s) (2 Tensor(s) Each) ----
    - Profile: 0
        Tensor: X          (Input), Index: 0 | Shapes: min=(1, 2, 1, 1), opt=(1, 2, 3, 3), max=(1, 2, 5, 5)
        Tensor: Y         (Output), Index: 1 | Shape: (1, 2, -1, -1)

    - Profile: 1
        Tensor: X          (Input), Index: 0 | Shapes: min=(1, 2, 2, 2), opt=(1, 2, 4, 4), max=(1, 2, 6, 6)
        Tensor: Y         (Output), Index: 1 | Shape: (1, 2, -1, -1)

    ---- 1 Layer(s) Per Profile ----
    - Profile: 0
        Layer 0    | node_of_Y [Op: Reformat]
            {X [shape=(1, 2, -1, -1)]}
             -> {Y [shape=(1, 2, -1, -1)]}
            ---- Attributes ----
            Origin = IDENTITY
            Tactic = 0x0

    - Profile: 1
        Layer 0    | node_of_Y [profile 1] [Op: Reformat]
            {X [profile 1] [shape=(1, 2, -1, -1)]}
             -> {Y [profile 1] [shape=(1, 2, -1, -1)]}
            ---- Attributes ----
            Origin = IDENTITY
            Tactic = 0x0
"""
FP16 = "Channel major FP16 format where channel % 8 == 0"
# By the grammar of Polygraphy 0.53: types, formats, several tensors, none, and names with brackets.
NETWORK = f"""\
[I] Loading bytes from model.engine
[I] ==== TensorRT Engine ====
    Name: net | Explicit Batch Engine

    ---- 1 Engine Input(s) ----
    {{x [dtype=float16, shape=(1, 8, 4, 4)]}}

    ---- 1 Engine Output(s) ----
    {{y [dtype=float16, shape=(1, 8, 4, 4)]}}

    ---- Memory ----
    Device Memory: 4096 bytes

    ---- 1 Profile(s) (2 Tensor(s) Each) ----
    - Profile: 0
        Tensor: x          (Input), Index: 0 | Shapes: min=(1, 8, 4, 4), opt=(1, 8, 4, 4), max=(1, 8, 4, 4)
        Tensor: y         (Output), Index: 1 | Shape: (1, 8, 4, 4)

    ---- 3 Layer(s) ----
    Layer 0    | c [Op: Constant]
        {{}} -> {{c_out [dtype=float16, shape=(8,), Format: Row major linear FP16 format]}}
        ---- Attributes ----
        Origin = Unknown
        Tactic = Unknown

    Layer 1    | /conv/Conv + PWN(/act/Relu) [Op: CaskConvolution]
        {{x [dtype=float16, shape=(1, 8, 4, 4), Format: {FP16}],
         c_out [dtype=float16, shape=(8,), Format: Row major linear FP16 format]}}
         -> {{t [dtype=float16, shape=(1, 8, 4, 4), Format: {FP16}]}}
        ---- Attributes ----
        Origin = Unknown
        Tactic = 0x503619c69ae500ff

    Layer 2    | {{ForeignNode[/a/Add.../b/Mul]}} [Op: Myelin]
        {{t [dtype=float16, shape=(1, 8, 4, 4), Format: {FP16}]}}
         -> {{y [dtype=float16, shape=(1, 8, 4, 4), Format: {FP16}]}}
        ---- Attributes ----
        Origin = Unknown
        Tactic = __myl_AddMul_myl0_0
"""


def test_the_layers_of_every_profile() -> None:
    engine = read_polygraphy_text(IDENTITY, "m.txt")
    assert [(layer.name, layer.type, layer.profile, layer.tactic_value) for layer in engine.layers] == [
        ("node_of_Y", "Reformat", 0, 0),
        ("node_of_Y", "Reformat", 1, 0),
    ]
    assert engine.layers[0].inputs[0].shape == (1, 2, None, None)
    (given,) = [binding for binding in engine.bindings if binding.is_input]
    assert [shapes.maximum for shapes in given.profiles] == [(1, 2, 5, 5), (1, 2, 6, 6)]
    (note,) = [note for note in engine.notes if note.code == "engine-from-polygraphy"]
    assert "without types of tensors, attributes, weights, kernel names" in note.message


def test_types_formats_and_tactics() -> None:
    engine = read_polygraphy_text(NETWORK)
    constant, convolution, region = engine.layers
    assert [tensor.name for tensor in convolution.inputs] == ["x", "c_out"]
    assert convolution.type == "Convolution" and convolution.tactic_value == 0x503619C69AE500FF
    assert convolution.inputs[0].precision == "FP16" and convolution.inputs[0].format.label == "NHWC8"
    assert convolution.inputs[0].size_bytes == 256 and convolution.weights_size_bytes != 0
    assert region.name == "{ForeignNode[/a/Add.../b/Mul]}" and region.tactic == "__myl_AddMul_myl0_0"
    assert constant.inputs == () and [tensor.shape for tensor in constant.outputs] == [(8,)]
    assert [(binding.name, binding.is_input) for binding in engine.bindings] == [("x", True), ("y", False)]


def test_without_show_layers_the_error_says_how() -> None:
    with pytest.raises(TrexError, match="made without --show layers") as raised:
        read_polygraphy_text(NETWORK.partition("    Layer 0")[0])
    assert raised.value.hint.startswith("polygraphy inspect model MODEL.engine --show layers attrs")


def test_names_of_an_engine_without_details() -> None:
    names = """\
    ---- 2 Layer(s) ----
    Layer 0    | /conv/Conv [Op: Unknown]
        {} -> {}

    Layer 1    | p [Op: Unknown]
        {} -> {}
"""
    engine = read_polygraphy_text(NETWORK.partition("    ---- 3 Layer")[0] + names)
    assert [layer.type for layer in engine.layers] == ["Convolution", "Unknown"] and engine.verbosity == "names"


@pytest.mark.parametrize("name", ["m.txt", "m.layers.log", "m"])
def test_a_listing_and_a_profile_are_an_engine(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(NETWORK, encoding="utf-8")
    rows = times(("/conv/Conv + PWN(/act/Relu)", 1.0), ("{ForeignNode[/a/Add.../b/Mul]}", 2.0))
    written(tmp_path / "m.profile.json", rows)
    assert recognize(NETWORK.encode(), name) is Kind.POLYGRAPHY_TEXT
    (files,) = find_engines(tmp_path)
    assert files.graph == str(tmp_path / name)
    plan = load(tmp_path)
    assert plan.total_runtime == 3.0 and "engine-from-polygraphy" in codes(plan)
    assert plan.metadata.memory == {"context_bytes": 4096}


@pytest.mark.parametrize(
    "line",
    [
        "{x" + " [shape=(1," * 20_000,
        "Tensor: x" + " " * 50_000,
        "Layer 0 | x" + " [Op: " * 30_000,
        "{" * 50_000,
        "\n".join(["Tensor: " * 250 + " " * 1900 + "xy"] * 20),
    ],
)
def test_long_lines_take_linear_time(line: str) -> None:
    text = NETWORK.replace("    ---- 3 Layer(s) ----", f"    {line}|\n    ---- 3 Layer(s) ----") + line
    assert len(read_polygraphy_text(text).layers) == 3


def test_a_word_that_is_no_dimension_is_an_unknown_one() -> None:
    text = NETWORK.replace("min=(1, 8, 4, 4)", f"min=(--1, 8, {'9' * 5000}, n)")
    assert text != NETWORK
    engine = read_polygraphy_text(text)
    assert engine.binding_by_name["x"].profiles[0].minimum == (None, 8, None, None)
