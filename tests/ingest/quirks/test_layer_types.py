"""The kernel determines the type of deconvolutions, and of layers of a build log."""

from __future__ import annotations

import pytest

from tests.raw_records import chain, layer
from trex.ingest.graph_json import engine_from_documents, layers_from_raw
from trex.ingest.logs.engine_layer_rows import parse_layer_row
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([{"Layers": chain("a", kind="CaskConvolution")}], verbosity="log")


def kind_of(subtype: str, verbosity: str = "log", **keys: str) -> tuple[str, str]:
    engine = engine_from_documents([{"Layers": [layer("a", subtype, ["x"], ["y"], **keys)]}], "a", verbosity=verbosity)
    (item,) = engine.layers
    return item.type, item.subtype


@pytest.mark.parametrize(
    ("subtype", "kind"),
    [
        ("CaskConvolution", "Convolution"),
        ("CaskGemmConvolution", "Convolution"),
        ("CublasConvolution", "Convolution"),
        ("CudnnConvolution", "Convolution"),
        ("CudaDepthwiseConvolution", "Convolution"),
        ("FusedConvActConvolution", "Convolution"),
        ("TiledPooling", "Pooling"),
        ("CaskConvActPool", "ConvActPool"),
        ("CudaSoftMax", "SoftMax"),
        ("CaskSoftMaxV2", "SoftMax"),
        ("CaskPoolingV2", "Pooling"),
        ("CaskConvolutionV2", "Convolution"),
        ("CaskFlattenConvolution", "Convolution"),
        ("CaskGemmConvolutionV2", "Convolution"),
        ("CaskGemmMatrixMultiplyV2", "MatrixMultiply"),
        ("CublasFullyConnected", "FullyConnected"),
        ("PointWiseV2", "PointWise"),
        ("Padding", "Slice"),
        ("CaskDeconvolutionV2", "Deconvolution"),
        ("CudnnDeconvolution", "Deconvolution"),
    ],
)
def test_the_type_of_a_kernel(subtype: str, kind: str) -> None:
    assert kind_of(subtype) == (kind, subtype)


@pytest.mark.parametrize("subtype", ["LogSoftmaxTopK", "gemm", "conv", "kgen", "Myelin", "Shuffle", "PluginV2", "NoOp"])
def test_an_uncertain_type_stays(subtype: str) -> None:
    assert kind_of(subtype) == (subtype, subtype)


def test_a_type_from_the_file_stays() -> None:
    assert kind_of("CaskConvolution", ParameterType="MatrixMultiply") == ("MatrixMultiply", "CaskConvolution")


def test_the_type_in_a_graph_file_stays() -> None:
    assert kind_of("CaskConvolution", verbosity="detailed") == ("CaskConvolution", "CaskConvolution")


def test_the_rows_of_a_build_log() -> None:
    rows = [
        "Layer(CublasConvolution): fc, Tactic: 0x0, x (Half[1,8,1,1]) -> t (Half[1,4,1,1])",
        "Layer(CaskPooling): pool, Tactic: 0x1, t (Half[1,4,1,1]) -> y (Half[1,4,1,1])",
    ]
    engine = engine_from_documents([{"Layers": [parse_layer_row(row) for row in rows]}], "a.log", verbosity="log")
    assert [layer.type for layer in engine.layers] == ["Convolution", "Pooling"]


@pytest.mark.parametrize("subtype", ["CaskDeconvolutionV2", "CaskDeconvolution", "CudnnDeconvolution"])
@pytest.mark.parametrize("kind", [{}, {"ParameterType": "Convolution"}, {"ParameterType": "Deconvolution"}])
def test_deconvolutions_have_their_type(subtype: str, kind: dict) -> None:
    (item,) = layers_from_raw([layer("a", subtype, ["x"], ["y"], **kind)])
    assert (item.type, item.subtype) == ("Deconvolution", subtype)


def test_convolutions_stay_convolutions() -> None:
    (item,) = layers_from_raw([layer("a", "CaskConvolution", ["x"], ["y"], ParameterType="Convolution")])
    assert item.type == "Convolution"
