"""Names become printable; records keep them verbatim."""

from __future__ import annotations

import pytest

from tests.raw_records import chain, codes, layer
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([{"Layers": chain("a\x1eb")}])


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a\x1eb", "a+b"),
        ("a\x1fb\x1ec", "a+b+c"),
        ("bell\x07", "bell\\x07"),
        ("lone\ud800", "lone\\ud800"),
        ("\u00e9", "\u00e9"),
    ],
)
def test_layers_and_tensors(written: str, shown: str) -> None:
    layers = [layer(written, inputs=["x"], outputs=[written]), layer("b", inputs=[written], outputs=["y"])]
    engine = engine_from_documents([{"Layers": layers, "Bindings": ["x", "y"]}])
    assert engine.layers[0].name == engine.layers[0].outputs[0].name == engine.layers[1].inputs[0].name == shown
    assert engine.layers[0].raw["Name"] == written
    assert ("control-characters-in-names" in codes(engine)) is (written != shown)


def test_separators_stay_part_of_the_name_grammar() -> None:
    engine = engine_from_documents([{"Layers": [layer("/a/Conv\x1e/b/Relu", inputs=["x"], outputs=["y"])]}])
    assert engine.layers[0].name_parts.operations == ("/a/Conv", "/b/Relu")


def test_bindings_match_their_tensors() -> None:
    layers = [layer("a", inputs=["x\x1ey"], outputs=["z"])]
    engine = engine_from_documents([{"Layers": layers, "Bindings": ["x\x1ey", "z"]}])
    (first, _) = engine.bindings
    assert first.tensor is not None
    assert first.tensor.name == first.name
