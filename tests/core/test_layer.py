"""Layer: byte counts, known and unknown."""

from __future__ import annotations

import dataclasses

import pytest

from trex.core.data_type import DataType
from trex.core.layer import NO_PRECISION, Layer, NameParts, Precision, Role, Weights
from trex.core.tensor import Tensor
from trex.core.tensor_format import UNKNOWN_FORMAT


def tensor(name: str, size_bytes: int | None) -> Tensor:
    return Tensor(name, None, DataType.FP16, UNKNOWN_FORMAT, size_bytes, "", {})


def layer(
    inputs: tuple[Tensor, ...] = (),
    outputs: tuple[Tensor, ...] = (),
    weights: tuple[Weights, ...] = (),
    compute: Precision = NO_PRECISION,
    raw: dict | None = None,
    occurrence: int = 0,
) -> Layer:
    return Layer(
        index=0, name="conv", occurrence=occurrence, type="Convolution", subtype="CaskConvolution", role=Role.KERNEL,
        inputs=inputs, outputs=outputs, weights=weights, compute=compute, tactic="", tactic_value=None, stream=None,
        profile=0, origins=(), name_parts=NameParts(("conv",)), module="", raw=raw or {},
    )  # fmt: skip


def test_it_reads_as_one_line() -> None:
    known = layer(
        (tensor("x", 1), tensor("r", 1)), (tensor("y", 1),), compute=Precision(DataType.INT8, 1.0, "in the file")
    )
    assert str(known) == "conv (Convolution, INT8): [x: ? FP16, r: ? FP16] -> [y: ? FP16]"
    pretty = pytest.importorskip("IPython.lib.pretty", reason="IPython is absent: pip install IPython").pretty
    assert pretty((layer(),)) == "(conv (Convolution, Unknown): [] -> [],)"


def test_footprint_is_inputs_outputs_and_weights() -> None:
    result = layer(
        (tensor("x", 100), tensor("y", 20)),
        (tensor("z", 3),),
        (Weights("weights", DataType.INT8, 4096, 4096), Weights("bias", DataType.FP32, 32, 128)),
    )
    assert result.inputs_size_bytes == 120
    assert result.outputs_size_bytes == 3
    assert result.total_io_size_bytes == 123
    assert result.weights_size_bytes == 4224
    assert result.total_footprint_bytes == 4347


def test_a_tensor_read_twice_is_counted_once() -> None:
    assert layer((tensor("x", 100), tensor("x", 100))).inputs_size_bytes == 100
    assert layer((tensor("x", 100), tensor("x", 100), tensor("y", 1))).inputs_size_bytes == 101
    for part, whole in ((1, 100), (100, 1)):
        assert layer((tensor("x", part), tensor("x", whole))).inputs_size_bytes == 100


def test_one_unknown_size_makes_the_sum_unknown() -> None:
    partial = layer((tensor("x", 100), tensor("y", None)), (tensor("z", 3),))
    assert partial.inputs_size_bytes is None
    assert partial.outputs_size_bytes == 3
    assert partial.total_io_size_bytes is None
    assert partial.total_footprint_bytes is None


def test_unknown_weights_are_not_zero_but_no_weights_are() -> None:
    assert layer().weights_size_bytes == 0
    unknown = layer(weights=(Weights("weights", DataType.UNKNOWN, 64, None),))
    assert unknown.weights_size_bytes is None
    assert unknown.total_footprint_bytes is None


def test_a_layer_without_inputs_or_outputs_moves_nothing() -> None:
    assert layer(raw={"Name": "conv", "Inputs": [], "Outputs": []}).total_io_size_bytes == 0


def test_a_layer_with_only_a_name_has_unknown_sizes() -> None:
    assert layer(raw={"Name": "conv"}).total_io_size_bytes is None
    assert layer(raw={"Name": "conv"}).total_footprint_bytes is None


def test_precision_is_a_label_and_unknown_by_default() -> None:
    assert layer().precision == "Unknown"
    assert NO_PRECISION.confidence == 0
    assert layer(compute=Precision(DataType.BF16, 1.0, "weights BFloat16")).precision == "BF16"


def test_the_key_distinguishes_repeated_names() -> None:
    assert layer().key == ("conv", 0)
    assert layer(occurrence=2).key == ("conv", 2)


@pytest.mark.parametrize(
    ("raw", "metadata"), [({"Metadata": "a\x1eb\x1fc"}, "a+b+c"), ({}, ""), ({"Metadata": None}, "")]
)
def test_metadata_has_no_separators(raw: dict, metadata: str) -> None:
    assert layer(raw=raw).metadata == metadata


def test_raw_dict_is_the_record_itself() -> None:
    raw = {"Name": "conv"}
    assert layer(raw=raw).raw_dict is raw


def test_a_layer_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        layer().name = "other"


def test_roles_are_keys() -> None:
    assert {role: role.value for role in Role}[Role.SYNC] == "sync"


def test_a_record_that_was_cut_off_has_no_size_of_zero() -> None:
    cut = layer(raw={"Name": "relu", "LayerType": "PointWise"})
    assert cut.total_io_size_bytes is None
    assert not cut.lists_tensors

    half = layer((tensor("x", 100),), raw={"Name": "relu", "LayerType": "PointWise", "Inputs": [{}]})
    assert half.inputs_size_bytes == 100
    assert half.outputs_size_bytes is None
    assert not half.lists_tensors


def test_what_is_stored_has_its_classic_names() -> None:
    result = layer(weights=(Weights("weights", DataType.INT8, 4096, 4096), Weights("bias", DataType.FP32, 32, 128)))
    assert (result.weights_cnt, result.weights_type, result.weights_size) == (4096, "INT8", 4096 + 128)
    assert (result.bias_cnt, result.bias_type, result.bias_size) == (32, "FP32", 128)
    assert (layer().weights_cnt, layer().weights_type, layer().bias_size) == (0, None, 0)
    assert layer(weights=(Weights("weights", DataType.INT8, None, None),)).weights_cnt is None


def test_the_tooltip_is_the_record_in_sorted_lines() -> None:
    assert (
        layer(raw={"Name": "a", "Inputs": [], "Stride": [1, 1], "Groups": 2}).tooltip() == "Groups: 2\nStride: [1, 1]"
    )
