"""Frames grouped, stacked, ordered and cleaned; what is given stays as it was."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from tests.factories import chain, conv, layer, t, times
from trex.plan import frames
from trex.plan.attributes import frame_by_type
from trex.plan.dataframe import build_frame

NAN = float("nan")
TABLE = pd.DataFrame(
    {
        "type": ["b", "a", "b", NAN],
        "kernel": [[3, 3], (3, 3), {"odd": 1}, [1]],
        "ms": [1.0, NAN, 2.0, 4.0],
        "n": [10, 9, 10, 9],
    }
).astype({"type": object})


@pytest.fixture(autouse=True)
def nothing_changes_the_table() -> object:
    before = TABLE.copy(deep=True)
    yield
    pd.testing.assert_frame_equal(TABLE, before)


def test_groups_are_sorted_and_an_unknown_group_is_kept() -> None:
    frame = frames.counted(TABLE, "type")
    assert list(frame.columns) == ["type", "count"]
    assert frame["count"].tolist() == [1, 2, 1]
    assert frame["type"].tolist()[:2] == ["a", "b"]
    assert math.isnan(frame["type"].tolist()[2])


def test_sums_lose_nothing_and_unknown_is_not_zero() -> None:
    frame = frames.summed(TABLE, "type", "ms")
    assert frame["ms"].sum() == TABLE["ms"].sum()
    assert math.isnan(frame["ms"][0])
    assert frames.averaged(TABLE, "type", "ms")["ms"].tolist()[1] == 1.5


def test_lists_and_dicts_can_be_grouped_by() -> None:
    frame = frames.counted(TABLE, "kernel")
    assert dict(zip(frame["kernel"], frame["count"], strict=True)) == {(1,): 1, (3, 3): 2, "{'odd': 1}": 1}


def test_numbers_are_sorted_as_numbers() -> None:
    assert frames.counted(TABLE, "n")["n"].tolist() == [9, 10]


def test_several_columns_make_one_group() -> None:
    frame = frames.summed(TABLE, ["type", "n"], ["ms"])
    assert list(frame.columns) == ["type", "n", "ms"]
    assert frame["ms"].tolist()[1] == 3.0


def test_an_empty_frame_has_no_groups() -> None:
    assert len(frames.counted(TABLE.iloc[:0], "type")) == 0
    assert list(frames.summed(TABLE.iloc[:0], "type", "ms").columns) == ["type", "ms"]


def test_stacking_keeps_the_order_of_first_appearance() -> None:
    stacked = frames.stacked([{"d": 1, "b": 2}, {"a": 3, "b": 4}], NAN)
    assert list(stacked) == ["d", "b", "a"]
    assert stacked["b"] == [2, 4]
    assert math.isnan(stacked["d"][1])


def test_a_name_that_repeats_is_added_up() -> None:
    table = pd.DataFrame({"name": ["x", "x", "y"], "ms": [1.0, 2.0, 4.0]})
    assert frames.totals(table, "name", "ms") == {"x": 3.0, "y": 4.0}


LAYERS = chain(
    conv("a", [t("x", [1, 8, 4, 4], "FP16", "NHWC8")], [t("m", [1, 8, 4, 4])], StreamId=0),
    layer("g", "gemm", [t("m", [1, 8, 4, 4], "BF16", "Unknown"), t("n", [None])], []),
)


def test_readable_tensors_show_type_and_layout() -> None:
    df = build_frame(LAYERS)
    frame = frames.with_readable_tensors(df)
    assert frame["Inputs"].tolist() == ["FP16 NHWC8", "BF16, FP16 NCHW"]
    assert frame["Outputs"].tolist() == ["FP16 NCHW", ""]
    assert isinstance(df["Inputs"][0], list)
    pd.testing.assert_frame_equal(frames.with_readable_tensors(frame), frame)


def test_columns_are_reordered_and_left_out() -> None:
    df = build_frame(LAYERS)
    assert list(frames.reordered(df).columns[:8]) == list(frames.FIRST_COLUMNS)
    assert set(frames.reordered(df).columns) == set(df.columns)
    assert list(frames.reordered(df[["precision", "type"]]).columns) == ["type", "precision"]
    assert "tactic" not in frames.without(df, ["tactic", "no such column"])
    assert "tactic" in df


def test_cleaning_leaves_attributes_and_drops_their_records() -> None:
    frame = frames.cleaned(frame_by_type(build_frame(LAYERS), "Convolution"))
    assert "attr.kernel" in frame
    assert "Kernel" not in frame
    assert "Groups" not in frame


def test_for_display_shows_no_bookkeeping() -> None:
    frame = frames.for_display(build_frame(LAYERS))
    assert list(frame.columns[:8]) == list(frames.FIRST_COLUMNS)
    assert not {"subtype", "TacticValue", "precision", "total_io_size_bytes", "layer.index"} & set(frame.columns)


def test_a_frame_of_raw_records_becomes_the_declared_one() -> None:
    raw = pd.DataFrame.from_records([item.raw for item in LAYERS], index=[7, 8])
    raw["latency.avg_time"] = [0.5, 0.25]
    before = raw.copy(deep=True)
    frame = frames.from_raw_frame(raw)
    pd.testing.assert_frame_equal(raw, before)
    assert frame.index.tolist() == [7, 8]
    assert frame["type"].tolist() == ["Convolution", "gemm"]
    assert frame["subtype"].tolist() == ["CaskConvolution", "gemm"]
    assert frame["tactic"].tolist() == ["TensorRT", "TensorRT"]
    assert frame["output_precision"].tolist() == ["FP16", "Unknown"]
    assert frame["latency.avg_time"].tolist() == [0.5, 0.25]
    assert frame["StreamId"].tolist()[0] == 0
    assert frame["weights_size"][7] == 8 * 8 * 2
    assert math.isnan(frame["total_io_size_bytes"][8])
    again = frames.from_raw_frame(frame)
    assert again is not frame
    pd.testing.assert_frame_equal(again, frame)


def test_times_of_groups_are_those_of_the_layers() -> None:
    df = build_frame(LAYERS, times(LAYERS, 1.0, 2.0))
    assert frames.summed(df, "precision", "latency.avg_time")["latency.avg_time"].sum() == 3.0
