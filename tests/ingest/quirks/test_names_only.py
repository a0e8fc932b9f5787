"""Names alone: types are inferred from their words, everything else is unknown."""

from __future__ import annotations

import pytest

from tests.raw_records import chain, codes
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.quirks.names_only import inferred_type
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([{"Layers": ["conv1", "relu1"]}])


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("/layer1/0/conv1/Conv + /layer1/0/relu/Relu", "Convolution"),
        ("Reformatting CopyNode for Input Tensor 0 to /conv1/Conv", "Reformat"),
        ("{ForeignNode[/norm/Conv.../mlp/Add]}", "Myelin"),
        ("__myl_MaxrSubExpSum_myl7_3", "kgen"),
        ("__mye258_0_myl7_0", "shape_call"),
        ("PWN(/act/Sigmoid, /act/Mul)", "PointWise"),
        ("/up/ConvTranspose", "Deconvolution"),
        ("/fc/Gemm", "MatrixMultiply"),
        ("node_linear_1", "MatrixMultiply"),
        ("/pool/MaxPool", "Pooling"),
        ("/softmax/Softmax", "SoftMax"),
        ("/x/Transpose", "Shuffle"),
        ("/nothing/known", "Unknown"),
        ("", "Unknown"),
    ],
)
def test_types_by_words(name: str, kind: str) -> None:
    assert inferred_type(name) == kind


def test_everything_else_is_unknown() -> None:
    engine = engine_from_documents([{"Layers": ["/a/Conv", "/b/MaxPool"], "Bindings": ["x", "y"]}])
    assert engine.verbosity == "names"
    for layer in engine.layers:
        assert layer.precision == "Unknown"
        assert layer.total_io_size_bytes is layer.weights_size_bytes is layer.total_footprint_bytes is None
    assert [(b.name, b.tensor) for b in engine.bindings] == [("x", None), ("y", None)]


def test_names_among_records_are_reported() -> None:
    engine = engine_from_documents([{"Layers": [*chain("a"), "/b/Conv"], "Bindings": ["x", "y"]}])
    assert engine.verbosity == "detailed"
    assert [layer.total_io_size_bytes for layer in engine.layers] == [512, None]
    (note,) = [note for note in engine.notes if note.code == "names-only-engine"]
    assert " 1 layer:" in note.message
    assert "--profilingVerbosity=detailed" in note.hint


def test_records_are_not_touched() -> None:
    assert "names-only-engine" not in codes(engine_from_documents([{"Layers": chain("a")}]))


def test_long_names_have_a_type_or_none() -> None:
    for name in ("conv2d_" * 200_000 + "x", "_me" * 200_000):
        assert isinstance(inferred_type(name), str)
