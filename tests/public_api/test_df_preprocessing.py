"""The classic frame helpers, with frames as the classic notebooks make them."""

from __future__ import annotations

import pandas as pd

from tests.factories import chain, conv, layer, t, times
from trex import df_preprocessing as pre
from trex.plan.dataframe import build_frame

LAYERS = chain(
    conv("c", [t("x", [1, 64, 8, 8])], [t("y", [1, 64, 8, 8])], weights="INT8"),
    conv("v", [t("x", [1, 8, 4, 4, 4])], [t("y", [1, 8, 4, 4, 4])], (3, 3, 3)),
    layer("p", "Pooling", subtype="CaskPooling", PoolingType="MAX", WindowSize=[3, 3]),
)
FRAME = build_frame(LAYERS, times(LAYERS, 0.5, 1.0, None))


def unchanged(df: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(df, build_frame(LAYERS, times(LAYERS, 0.5, 1.0, None)))


def test_filter_by_layer_annotates_convolutions_of_any_rank() -> None:
    convs = pre.filter_by_layer(FRAME, "Convolution")
    assert convs["Name"].tolist() == ["c", "v"]
    assert convs["attr.macs"].tolist() == [262144, 64 * 8 * 8 * 27]
    assert convs["attr.arithmetic_intensity"][0] == 262144 / (8192 * 2 + 4096)
    assert pre.annotate_convolutions(convs.copy())["attr.macs"].equals(convs["attr.macs"])
    assert pre.filter_by_layer(FRAME, "Pooling")["attr.window_size"].tolist() == [(3, 3)]
    assert len(pre.filter_by_layer(FRAME, "Nothing")) == 0
    unchanged(FRAME)


def test_drop_columns_changes_its_frame() -> None:
    frame = FRAME.copy()
    assert pre.drop_columns(frame, ["tactic", "not there"]) is frame
    assert list(frame.columns) == [name for name in FRAME.columns if name != "tactic"]


def test_annotate_convolutions_changes_its_frame() -> None:
    convs = pre.filter_by_layer(FRAME, "Convolution")
    wanted = convs["attr.macs"].tolist()
    pre.drop_columns(convs, ["attr.macs", "attr.M"])
    assert pre.annotate_convolutions(convs) is convs
    assert convs["attr.macs"].tolist() == wanted


def test_clean_io_and_change_col_order() -> None:
    frame = FRAME.copy()
    assert pre.clean_io(frame) is frame
    assert list(frame.columns) == list(FRAME.columns)
    found = pre.change_col_order(frame)
    assert list(found.columns[:3]) == ["Name", "type", "Inputs"]
    assert found["Inputs"][0] == "FP16 NCHW"
    unchanged(FRAME)


def test_clean_df_in_place_and_not() -> None:
    copy = FRAME.copy()
    clean = pre.clean_df(FRAME, inplace=False)
    unchanged(FRAME)
    assert pre.clean_df(copy) is copy
    pd.testing.assert_frame_equal(copy, clean)
    assert "Kernel" not in copy
    assert copy["Outputs"][0] == "FP16 NCHW"


def test_clean_for_display_is_a_copy_without_bookkeeping() -> None:
    found = pre.clean_for_display(FRAME)
    assert not {"subtype", "TacticValue", "precision", "total_io_size_bytes"} & set(found.columns)
    unchanged(FRAME)


def test_fix_df_makes_the_classic_columns_of_raw_records() -> None:
    raw = pd.DataFrame([each.raw for each in LAYERS])
    found = pre.fix_df(raw)
    assert found["type"].tolist() == ["Convolution", "Convolution", "Pooling"]
    assert found["tactic"].tolist() == ["TensorRT"] * 3
    assert found["output_precision"].tolist() == ["FP16"] * 3
    assert found is raw and "LayerType" not in raw
    before = raw.copy()
    pd.testing.assert_frame_equal(pre.fix_df(raw), before)


def test_layer_attributes_name_the_classic_columns() -> None:
    assert pre.layer_attributes["Convolution"]["OutMaps"] == "attr.out_maps"
    assert pre.layer_attributes["PointWiseV2"]["NbInputArgs"] == "attr.n_input_args"
    assert pre.layer_attributes["Scale"]["ChannelAxis"] == "attr.ch_axis"
    assert pre.layer_attributes["Reformat"] == {"Origin": "attr.origin"}
    assert {"Pooling", "Shuffle", "Resize", "Slice", "PointWise", "Common"} <= set(pre.layer_attributes)
