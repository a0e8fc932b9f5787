"""Extents, windows and activations of a layer's record."""

from __future__ import annotations

import pytest

from trex.ingest.spelling.layer_names import GENERATED_OPERATIONS
from trex.perf.work.named_operations import activation_in_names, concatenation_in_names, gemm_in_names
from trex.perf.work.parameters import activation_operations, part_read, pooling_operations, touched, whole_numbers
from trex.perf.work.tokens import GEMMS, token_operations


@pytest.mark.parametrize(
    ("extent", "outputs", "window", "stride", "dilation", "before"),
    [(56, 28, 1, 2, 1, 0), (56, 19, 2, 3, 1, 0), (224, 112, 7, 2, 1, 3), (9, 3, 3, 2, 2, 1), (5, 9, 1, 1, 1, 2)]
    + [(40, 20, 5, stride, dilation, before) for stride, dilation in ((1, 3), (3, 6), (6, 3)) for before in (-2, 3)],
)
def test_positions_that_windows_touch(extent, outputs, window, stride, dilation, before):
    """Against the definition: every position of every window, those in the padding left out."""
    reached = {o * stride + i * dilation - before for o in range(outputs) for i in range(window)}
    expected = len([position for position in reached if 0 <= position < extent])
    assert touched(extent, outputs, window, stride, dilation, before) == expected


def test_a_huge_strided_axis_is_not_tried_one_by_one():
    assert touched(2**40, 2**39, 1, 2) == 2**39


def test_the_part_read_is_known_only_if_the_stride_skips():
    record = {"Kernel": [1, 1], "Stride": [2, 2]}
    assert part_read((1, 64, 56, 56), (1, 128, 28, 28), record, ("Kernel", "")) == (1, 64, 28, 28)
    assert part_read((1, 64, 56, 56), (1, 128, 56, 56), record | {"Stride": [1, 1]}, ("Kernel", "")) is None
    assert part_read((1, 64, 56, 56), (1, 128, 28, 28), {"Kernel": ["a"], "Stride": [2]}, ("Kernel", "")) is None
    assert part_read(None, (1, 128, 28, 28), record, ("Kernel", "")) is None
    assert part_read((1, 64, None, 56), (1, 128, 28, 28), record, ("Kernel", "")) is None


def test_whole_numbers():
    assert whole_numbers(None, 2, 1) == (1, 1)
    assert whole_numbers([3, 5], 2, 1) == (3, 5)
    for damaged in ([3], [3.0, 5], "35", [True, 1], [2**50, 1]):
        assert whole_numbers(damaged, 2, 1) is None


def test_activations():
    assert activation_operations({}) == 0
    assert activation_operations({"HasReLU": 1}) == 1
    assert activation_operations({"Activation": "NONE"}) == 0
    assert activation_operations({"Activation": "kSIGMOID"}) == 4
    assert activation_operations({"ConvActivation": "RELU"}, "Conv") == 1
    assert activation_operations({"Activation": "FUTURE"}) is None
    assert activation_operations({"Activation": 3}) is None


def test_poolings():
    window = {"WindowSize": [3, 3]}
    assert pooling_operations(window | {"PoolingType": "MAX"}) == (8, True)
    assert pooling_operations(window | {"PoolingType": "AVERAGE"}) == (9, True)
    assert pooling_operations(window | {"PoolingType": "MAX_AVERAGE_BLEND"}) == (8 + 9 + 3, True)
    assert pooling_operations(window) == (8, False)
    assert pooling_operations({}) == pooling_operations({"WindowSize": [0, 3]}) == (None, False)


def test_names_of_nodes():
    assert activation_in_names(("/classifier/classifier.1/Gemm", "/classifier/classifier.2/Relu")) == 1
    assert activation_in_names(("/blocks.0/act/Erf_1", "/blocks.0/act/Sigmoid")) == 1 + 4
    assert activation_in_names(("/relu/Conv", "/value/Add")) == 0
    assert gemm_in_names(("/a/Add", "/blocks.0/MatMul_12")) == "/blocks.0/MatMul_12"
    assert gemm_in_names(("/conv1/Relu", "/linear/Add")) == ""
    assert concatenation_in_names(("/a/Concat_3",)) and not concatenation_in_names(("/concat/Add",))


def test_every_token_of_the_glossary_is_counted():
    for token in GENERATED_OPERATIONS:
        reading = token_operations((token,))
        assert not reading.unknown, token
        assert bool(reading.gemms) == (token in GEMMS)


def test_tokens_cut_to_three_letters():
    assert token_operations(("Mea", "Sub", "Exp")) == token_operations(("Mean", "Sub", "Exp"))
    assert token_operations(("Res", "Tra", "Cas")).elementwise == 0
    assert token_operations(("Con",)).unknown == ("Con",)  # a concatenation or a convolution
    assert not token_operations(("Con",), concatenates=True).unknown
    assert token_operations(("Xyzw",)).unknown == ("Xyzw",)


def test_a_multiplication_before_a_sum_may_be_a_product():
    assert token_operations(("Mul", "Cast", "Sum")).is_gemv
    assert not token_operations(("Sum", "Mul")).is_gemv


def test_a_window_without_dimensions_touches_all() -> None:
    record: dict[str, list[int]] = {"WindowSize": [], "Stride": []}
    assert part_read((1, 8), (1, 8), record, ("WindowSize", "")) is None
