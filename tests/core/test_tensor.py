"""Tensor: sizes and texts of tensors."""

from __future__ import annotations

import dataclasses

import pytest

from trex.core.data_type import DataType
from trex.core.shape import Shape
from trex.core.tensor import Binding, Tensor, of_binding
from trex.core.tensor_format import UNKNOWN_FORMAT, TensorFormat

CHW4 = TensorFormat("NC/4HW4", "vectorized", vector=4)


def tensor(shape: Shape | None, data_type: DataType = DataType.FP16, layout: TensorFormat = CHW4) -> Tensor:
    return Tensor("t", shape, data_type, layout, None, "Device", {"Name": "t"})


def test_the_volume_is_logical_and_the_size_is_padded() -> None:
    image = tensor((1, 3, 224, 224), DataType.INT8)
    assert image.volume == 150_528
    assert image.size_bytes_at((1, 3, 224, 224)) == 200_704


def test_it_reads_as_one_line() -> None:
    assert str(tensor((1, None, 4))) == "t: 1x?x4 FP16 NC/4HW4"
    assert str(tensor(None, DataType.UNKNOWN, UNKNOWN_FORMAT)) == "t: ? Unknown"
    pretty = pytest.importorskip("IPython.lib.pretty", reason="IPython is absent: pip install IPython").pretty
    assert pretty([tensor((2,))]) == "[t: 2 FP16 NC/4HW4]"


def test_a_dynamic_tensor_has_a_size_at_each_profile_shape() -> None:
    dynamic = tensor((None, 3, 2, 2))
    assert dynamic.volume is None
    assert [dynamic.size_bytes_at((batch, 3, 2, 2)) for batch in (1, 8, 32)] == [32, 256, 1024]


def test_sub_byte_tensors_are_rounded_up_as_a_whole() -> None:
    assert tensor((3,), DataType.INT4, UNKNOWN_FORMAT).size_bytes_at((3,)) == 2
    assert tensor((3,), DataType.INT4).data_size == 0.5


def test_an_unknown_type_has_no_size() -> None:
    unknown = tensor((1, 3, 2, 2), DataType.UNKNOWN)
    assert unknown.size_bytes_at((1, 3, 2, 2)) is None
    assert unknown.data_size is None
    assert unknown.precision == "Unknown"


def test_scalars_and_empty_tensors() -> None:
    linear = TensorFormat("NCHW", "linear")
    assert tensor((), DataType.FP32, linear).size_bytes_at(()) == 4
    assert tensor((0, 3), DataType.FP32, linear).size_bytes_at((0, 3)) == 0
    assert tensor((1, 0, 3), DataType.FP32).size_bytes_at((1, 0, 3)) == 0


def test_a_tensor_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        tensor((1,)).name = "u"
    assert not hasattr(tensor((1,)), "__dict__")


def test_a_binding_has_unknown_facts_by_default() -> None:
    binding = Binding("x", None, None)
    assert binding.profiles == ()
    assert binding.is_input is None


def test_the_tooltip_has_shape_type_and_size() -> None:
    known = Tensor("t", (1, 3, 2, 2), DataType.INT8, CHW4, 1234, "Device", {})
    assert known.tooltip() == "1x3x2x2\nINT8 NC/4HW4\n1,234 bytes"
    assert tensor((None, 3), layout=UNKNOWN_FORMAT).tooltip() == "?x3\nFP16\nunknown size"


@pytest.mark.parametrize(
    ("own", "seen", "shape"),
    [
        ((4, 64, 256), (256, 256), (4, 64, 256)),  # as TensorRT for RTX has the input of a matrix product
        ((None, 64, 256), (None, 256), (None, 64, 256)),
        ((4, 8), (8, 8), (8, 8)),  # another profile
        ((None, 8), (4, 8), (4, 8)),
        (None, (4, 8), (4, 8)),
        ((4, 8), None, None),
    ],
)
def test_an_input_has_the_shape_that_the_engine_states(
    own: Shape | None, seen: Shape | None, shape: Shape | None
) -> None:
    assert of_binding(own, tensor(seen)).shape == shape
