"""A spelling of some release or tool, and its correction."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="ingest/quirks",
    plug='''\
"""One sentence: how these files differ from all others.

What it finds: layers of type ``$camel``: the spelling, as it stands in the file.
Why it matters: since which release or tool, and what would be wrong without this quirk.
What it does: gives them the type ``Replaced``.
"""

from trex.ingest.quirk import Quirk, QuirkStage
from trex.ingest.raw_engine import RawEngine


def applies(raw: RawEngine) -> bool:
    return "$camel" in raw.subtypes


def apply(raw: RawEngine) -> None:
    for layer in raw.layers:
        if layer.subtype == "$camel":
            layer.type = "Replaced"


QUIRK = Quirk(QuirkStage.MEANING, applies, apply)
''',
    test='''\
"""The quirk ``$name``."""

from trex.core.engine import Engine
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.quirk import QUIRKS
from trex.ingest.raw_engine import RawEngine


def document(layer_type: str) -> dict:
    return {"Layers": [{"Name": "layer", "LayerType": layer_type, "Inputs": [], "Outputs": []}], "Bindings": []}


def read(layer_type: str) -> Engine:
    return engine_from_documents([document(layer_type)])


def test_what_it_finds_is_corrected() -> None:
    (layer,) = read("$camel").layers
    assert layer.type == "Replaced"
    assert layer.subtype == "$camel"


def test_other_engines_are_left_alone() -> None:
    raw = RawEngine([document("Convolution")])
    raw.open()
    assert not QUIRKS["$name"].value.applies(raw)
''',
)
