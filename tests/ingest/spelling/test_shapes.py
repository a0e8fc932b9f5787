"""Written dimensions: counts are kept, anything else is unknown."""

from __future__ import annotations

import pytest

from trex.ingest.spelling.shapes import MAX_DIM, MAX_RANK, read_dim, read_shape


@pytest.mark.parametrize(
    ("written", "shape"),
    [
        ([1, 3, 224, 224], (1, 3, 224, 224)),
        ([], ()),
        ([0, 4], (0, 4)),
        ([-1, 3], (None, 3)),
        ([-2, -7], (None, None)),
        ([4.0, 2.5], (4, None)),
        ([True, "3", None, [2]], (None, None, None, None)),
        ([MAX_DIM, MAX_DIM + 1], (MAX_DIM, None)),
        ([float("nan"), float("inf")], (None, None)),
    ],
)
def test_dimensions(written: list, shape: tuple) -> None:
    assert read_shape(written) == shape


@pytest.mark.parametrize("written", [None, "1x3", 3, {"0": 1}, (1, 2), [1] * (MAX_RANK + 1)])
def test_other_values_are_no_shape(written: object) -> None:
    assert read_shape(written) is None


def test_a_dimension_is_an_int() -> None:
    assert type(read_dim(8.0)) is int
    assert read_dim(2**80) is None
