"""DataType: widths, rounding of sub-byte types, unknown types."""

from __future__ import annotations

import copy
import pickle

import pytest

from trex.core.data_type import DataType

WIDTHS = {
    "FP64": 64, "FP32": 32, "FP16": 16, "BF16": 16, "FP8": 8, "FP4": 4, "E8M0": 8,
    "INT64": 64, "INT32": 32, "INT16": 16, "INT8": 8, "INT4": 4,
    "UINT64": 64, "UINT32": 32, "UINT16": 16, "UINT8": 8, "BOOL": 8,
    "COMPLEX64": 64, "COMPLEX128": 128, "Unknown": None,
}  # fmt: skip


def test_every_type_has_its_width() -> None:
    assert {t.label: t.bits for t in DataType} == WIDTHS


def test_types_are_distinct_although_some_are_equally_wide() -> None:
    assert len(DataType) == len(WIDTHS)
    assert DataType.FP16 is not DataType.BF16
    assert len({t: t.label for t in DataType}) == len(WIDTHS)


@pytest.mark.parametrize(
    ("data_type", "count", "size"),
    [
        (DataType.INT4, 0, 0),
        (DataType.INT4, 1, 1),
        (DataType.INT4, 2, 1),
        (DataType.INT4, 3, 2),
        (DataType.FP4, 5, 3),
        (DataType.FP8, 5, 5),
        (DataType.E8M0, 5, 5),
        (DataType.BOOL, 4, 4),
        (DataType.BF16, 4, 8),
        (DataType.FP32, 150_528, 602_112),
        (DataType.INT64, 3, 24),
        (DataType.COMPLEX128, 1, 16),
    ],
)
def test_sizes_are_whole_bytes(data_type: DataType, count: int, size: int) -> None:
    size_bytes = data_type.size_bytes(count)
    assert size_bytes == size
    assert type(size_bytes) is int


def test_sizes_beyond_floating_point_are_exact() -> None:
    assert DataType.INT4.size_bytes(2**60 + 1) == 2**59 + 1


def test_unknown_type_or_count_gives_an_unknown_size() -> None:
    assert DataType.UNKNOWN.size_bytes(7) is None
    assert DataType.FP16.size_bytes(None) is None
    assert DataType.UNKNOWN.item_bytes is None
    assert not DataType.UNKNOWN.is_known


def test_bytes_per_element() -> None:
    assert DataType.INT4.item_bytes == 0.5
    assert DataType.FP16.item_bytes == 2


def test_floats() -> None:
    floats = {t.label for t in DataType if t.is_float}
    assert floats == {"FP64", "FP32", "FP16", "BF16", "FP8", "FP4"}


def test_a_type_prints_as_its_label() -> None:
    assert f"{DataType.BF16}" == "BF16"


def test_members_stay_themselves_through_copies() -> None:
    assert copy.deepcopy(DataType.FP8) is DataType.FP8
    assert pickle.loads(pickle.dumps(DataType.FP8)) is DataType.FP8
