"""Words for layer types."""

from __future__ import annotations

import pytest

from trex.engine_plan import load_all
from trex.plan.loading import example_addresses
from trex.views.glossary import LAYER_TYPES, explain_layer_type


@pytest.mark.parametrize("name", ["kgen", "KGEN", "TrainStation", "trainstation", "shape_call"])
def test_types_in_any_case(name):
    assert explain_layer_type(name)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("CaskConvolution", "CASK"),
        ("CaskGemmConvolution", "matrix-product kernel of CASK"),
        ("CudnnPooling", "cuDNN"),
        ("CublasConvolution", "cuBLAS"),
        ("CudaDepthwiseConvolution", "one channel at a time"),
        ("TiledPooling", "tiles"),
        ("CaskDeconvolutionV2", "CASK"),
        ("CaskConvActPool", "CASK"),
        ("CaskSoftMaxV2", "SoftMax run by a kernel of CASK"),
    ],
)
def test_subtypes_say_whose_kernel_does_what(name, words):
    assert words in (explain_layer_type(name) or "")


@pytest.mark.parametrize("name", ["", "Cask", "CaskSomething", "nothing", "x" * 10_000])
def test_unknown_types_are_unknown(name):
    assert explain_layer_type(name) is None


def test_every_text_is_a_sentence():
    for name, text in LAYER_TYPES.items():
        assert text.endswith((".", ")")), name
        assert text[0].isupper() or text[0] == "y", name


def unexplained(addresses) -> set[str]:
    layers = (layer for address in addresses for plan in load_all(address) for layer in plan.engine.layers)
    return {word for layer in layers for word in (layer.type, layer.subtype) if not explain_layer_type(word)}


def test_every_type_of_the_examples_is_explained():
    assert unexplained(example_addresses()) == set()


def test_every_type_of_real_engines_is_explained(shared_engines):
    assert unexplained(path for path in shared_engines.iterdir() if path.is_dir()) == set()
