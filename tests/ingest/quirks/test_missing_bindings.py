"""Without a list, inputs and outputs are inferred from the tensors."""

from __future__ import annotations

import pytest

from tests.raw_records import chain, codes, layer, tensor
from trex.core.engine import Engine
from trex.core.note import Note
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([{"Layers": chain("a")}])


def border(engine: Engine) -> tuple[list[str], list[str]]:
    return [b.name for b in engine.bindings if b.is_input], [b.name for b in engine.bindings if not b.is_input]


@pytest.mark.parametrize("listed", [{}, {"Bindings": []}, {"Bindings": None}, {"Bindings": [""]}, {"Bindings": "x"}])
def test_bindings_are_never_written_or_never_read(listed: dict) -> None:
    engine = engine_from_documents([{"Layers": chain("a", "b")} | listed])
    assert border(engine) == (["x"], ["y"])
    assert "bindings-inferred" in codes(engine)


def test_the_note_states_what_may_be_missing() -> None:
    layers = [layer("a", inputs=["x"], outputs=["y"]), layer("b", inputs=["y"], outputs=["z"])]
    engine = engine_from_documents([{"Layers": layers}], verbosity="log")
    assert border(engine) == (["x"], ["z"])
    (note,) = [note for note in engine.notes if note.code == "bindings-inferred"]
    assert "2 bindings inferred" in note.message
    assert "outputs that a layer also reads are missing" in note.message
    assert "--exportLayerInfo" in note.hint


def test_a_list_of_bindings_is_used() -> None:
    engine = engine_from_documents([{"Layers": chain("a", "b"), "Bindings": ["x", "t1", "y"]}])
    assert [b.name for b in engine.bindings] == ["x", "t1", "y"]
    assert codes(engine) == set()


def test_names_of_constants_are_no_inputs() -> None:
    layers = [layer("g_myl0_0", "gemm", ["x", "__mye5_dconst", "b _ ONNXTRT_Broadcast_constantHalf"], ["y"])]
    engine = engine_from_documents([{"Layers": layers}])
    assert border(engine) == (["x"], ["y"])
    assert [w.name for w in engine.layers[0].weights] == ["__mye5_dconst", "b _ ONNXTRT_Broadcast_constantHalf"]


def test_a_list_that_was_cut_off_is_completed() -> None:
    cut = Note("truncated", "the file ends in the middle", severity="problem")
    layers = [layer("g", "gemm", [tensor("x"), tensor("second")], ["y"])]
    engine = engine_from_documents([{"Layers": layers, "Bindings": ["x"]}], "m", [cut])
    assert border(engine) == (["x", "second"], ["y"])
    assert engine.layers[0].weights == ()


def test_tensors_without_a_name_are_no_bindings() -> None:
    layers = [layer("a", inputs=[tensor("")], outputs=[tensor("")])]
    assert engine_from_documents([{"Layers": layers}]).bindings == ()


def test_suffixes_of_profiles_are_gone() -> None:
    layers = [
        layer(f"a{mark}", "CaskConvolution", [f"x{mark}"], [f"y{mark}"], ParameterType="Convolution")
        for mark in ("", " [profile 1]")
    ]
    assert border(engine_from_documents([{"Layers": layers}])) == (["x"], ["y"])
