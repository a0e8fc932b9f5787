"""The DLA's rows among layer names."""

from __future__ import annotations

from tests.ingest.spelling.test_dla_names import GOOGLENET, YOLO
from trex.core.layer import Role
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([{"Layers": ["x to nvm", "{ForeignNode[a...b]}", "y from nvm", "y copy finish"]}])


def test_rows_have_types_of_their_own() -> None:
    layers = engine_from_documents([{"Layers": list(YOLO)}]).layers
    assert [layer.type for layer in layers] == [layer.subtype for layer in layers] == list(YOLO.values())
    assert {layer.role for layer in layers if layer.type == "DlaFinish"} == {Role.SYNC}


def test_gpu_layers_among_them_keep_theirs() -> None:
    names = [*GOOGLENET, "/conv1/Conv to nvm", "/conv2/Conv"]
    layers = engine_from_documents([{"Layers": names}]).layers
    assert [layer.type for layer in layers[-2:]] == ["DlaCopyIn", "Convolution"]
    assert layers[3].type == "Reformat", "TensorRT 7 called reformats 'input reformatter 0'"
