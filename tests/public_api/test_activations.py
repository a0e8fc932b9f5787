"""Activations from raw records, rows and layers: types, sizes and what is unknown."""

from __future__ import annotations

import pytest

from tests.factories import chain, conv, t
from trex.activations import Activation, _regionFormatDict, create_activations
from trex.engine_plan import load_example
from trex.examples import names
from trex.plan.dataframe import build_frame


def activation(text: str, dims: list[int]) -> Activation:
    return Activation({"Name": "a", "Location": "Device", "Dimensions": dims, "Format/Datatype": text})


@pytest.mark.parametrize(
    ("text", "dims", "precision", "size"),
    [
        ("BFloat16", [4], "BF16", 8),
        ("Row major linear BFloat16 format", [4], "BF16", 8),
        ("Bool", [4], "BOOL", 4),
        ("Int4", [3], "INT4", 2),
        ("Row major linear FP4 format (kLINEAR)", [4], "FP4", 2),
        ("Half", [4096, 2], "FP16", 16384),
        ("Four wide channel vectorized row major Int8 format", [1, 3, 224, 224], "INT8", 4 * 224 * 224),
        ("Half", [1, -1], "FP16", None),
        ("no such words", [4], "Unknown", None),
    ],
)
def test_sizes_and_types(text: str, dims: list[int], precision: str, size: int | None) -> None:
    found = activation(text, dims)
    assert (found.precision, found.size_bytes) == (precision, size)


def test_shape_and_format() -> None:
    found = activation("Channel major FP16 format where channel % 8 == 0", [1, 8, -1, 4])
    assert found.name == "a"
    assert found.shape == [1, 8, None, 4]
    assert found.format == "FP16 NHWC8"
    assert found.data_size == 2
    assert found.tooltip() == "1x8x?x4\nFP16 NHWC8\nunknown size"
    assert repr(found) == "a: 1x8x?x4 FP16 NHWC8"


def test_of_a_row_and_of_a_layer() -> None:
    (layer,) = chain(conv("c", [t("x", [1, 8, 4, 4]), t("r", [1, 8, 4, 4])], [t("y", [1, 8, 4, 4])]))
    for source in (layer, build_frame((layer,)).iloc[0]):
        inputs, outputs = create_activations(source)
        assert [each.name for each in inputs] == ["x", "r"]
        assert [each.size_bytes for each in outputs] == [8 * 16 * 2]


def test_of_a_row_whose_tensors_were_made_text() -> None:
    row = build_frame(chain(conv("c", ["x"], ["y"]))).iloc[0].copy()
    row["Inputs"] = "FP16 NCHW"
    assert create_activations(row)[0] == []


def test_short_names_of_formats() -> None:
    formats = _regionFormatDict
    assert formats["Channel major FP16 format where channel % 8 == 0"] == "FP16 NHWC8"
    assert formats["Thirty-two wide channel vectorized row major Int8 format"] == "Int8 NC/32HW32"
    assert len(formats) == len(set(formats)) == 26
    seldom = "Channel major FP8 format where channel % 32 == 0"
    assert seldom in formats and formats[seldom] == formats.get(seldom) == "FP8 NHWC32"
    assert formats["Half"] == "FP16"
    assert "of no format" not in formats and formats.get("of no format", "?") == "?"
    with pytest.raises(KeyError):
        formats["of no format"]


@pytest.mark.parametrize("name", names())
def test_a_row_with_type_and_format_in_two_keys_has_the_tensors_of_its_layer(name):
    """TensorRT 11 and TensorRT for RTX write ``Datatype`` beside ``Format``; rows have the classic key."""
    plan = load_example(name)
    layers = {layer.index: layer for layer in plan.layers}
    for _, row in plan.df.iterrows():
        layer = layers[row["layer.index"]]
        of_row = [(item.precision, item.size_bytes) for items in create_activations(row) for item in items]
        assert of_row == [(tensor.precision, tensor.size_bytes) for tensor in (*layer.inputs, *layer.outputs)]
