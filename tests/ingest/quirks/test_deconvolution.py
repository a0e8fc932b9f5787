"""Deconvolutions have their type whatever the file says."""

from __future__ import annotations

import pytest

from tests.raw_records import chain, layer
from trex.ingest.graph_json import layers_from_raw
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([{"Layers": chain("a", kind="CaskDeconvolutionV2")}])


@pytest.mark.parametrize("subtype", ["CaskDeconvolutionV2", "CaskDeconvolution", "CudnnDeconvolution"])
@pytest.mark.parametrize("kind", [{}, {"ParameterType": "Convolution"}, {"ParameterType": "Deconvolution"}])
def test_their_type(subtype: str, kind: dict) -> None:
    (item,) = layers_from_raw([layer("a", subtype, ["x"], ["y"], **kind)])
    assert (item.type, item.subtype) == ("Deconvolution", subtype)


def test_convolutions_stay_convolutions() -> None:
    (item,) = layers_from_raw([layer("a", "CaskConvolution", ["x"], ["y"], ParameterType="Convolution")])
    assert item.type == "Convolution"
