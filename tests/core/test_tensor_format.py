"""TensorFormat: padded sizes follow from the layout."""

from __future__ import annotations

import dataclasses

import pytest

from trex.core.shape import Shape
from trex.core.tensor_format import UNKNOWN_FORMAT, TensorFormat

LINEAR = TensorFormat("NCHW", "linear", channel_axis=None)
NHWC8 = TensorFormat("NHWC8", "channels-last", vector=8)
CHW4 = TensorFormat("NC/4HW4", "vectorized", vector=4)
CHW32 = TensorFormat("NC/32HW32", "vectorized", vector=32)
CDHW32 = TensorFormat("NC/32DHW32", "vectorized", vector=32, channel_axis=-4, spatial_dims=3)
HWC_LAST = TensorFormat("HWC", "channels-last", vector=16, channel_axis=2)


@pytest.mark.parametrize(
    ("layout", "shape", "padded"),
    [
        (CHW4, (1, 3, 224, 224), (1, 4, 224, 224)),
        (CHW4, (1, 4, 2, 2), (1, 4, 2, 2)),
        (CHW4, (1, 5, 2, 2), (1, 8, 2, 2)),
        (CHW32, (2, 33, 7, 7), (2, 64, 7, 7)),
        (NHWC8, (1, 1, 1, 1), (1, 8, 1, 1)),
        (HWC_LAST, (2, 2, 3), (2, 2, 16)),
        (LINEAR, (1, 3, 5, 5), (1, 3, 5, 5)),
        (CHW32, (1, 0, 7, 7), (1, 0, 7, 7)),
        (CHW32, (1, None, 7, 7), (1, None, 7, 7)),
        (CHW32, (None, 3, 7, 7), (None, 32, 7, 7)),
        (CHW32, (3, 7, 7), (32, 7, 7)),
        (CHW32, (2, 2, 3, 7, 7), (2, 2, 32, 7, 7)),
        (CDHW32, (2, 3, 4, 7, 7), (2, 32, 4, 7, 7)),
        (CDHW32, (3, 4, 7, 7), (32, 4, 7, 7)),
        (CDHW32, (4, 7, 7), None),
        (CHW32, (3, 5), None),
        (CHW32, (5,), None),
        (CHW32, (), None),
        (CHW32, None, None),
    ],
)
def test_channels_are_rounded_up_to_the_vector(layout: TensorFormat, shape: Shape | None, padded: Shape | None) -> None:
    assert layout.padded_shape(shape) == padded


def test_three_channels_occupy_four() -> None:
    assert CHW4.padded_volume((1, 3, 224, 224)) == 4 * 224 * 224 == 200_704


def test_an_unknown_dimension_leaves_the_volume_unknown() -> None:
    assert CHW4.padded_volume((None, 3, 2, 2)) is None
    assert CHW4.padded_volume(None) is None


def test_the_unknown_format_pads_nothing_and_says_so() -> None:
    assert not UNKNOWN_FORMAT.is_known
    assert LINEAR.is_known
    assert UNKNOWN_FORMAT.padded_volume((1, 3, 2, 2)) == 12
    assert str(UNKNOWN_FORMAT) == "Unknown"


def test_a_format_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        CHW4.vector = 8  # type: ignore[misc]
