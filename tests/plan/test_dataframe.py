"""The frame: one row per layer, declared columns of stable dtypes, and every other key of the records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.factories import chain, conv, layer, t, time, times
from trex.plan.columns import COLUMNS
from trex.plan.dataframe import MAX_RECORD_COLUMNS, OTHER_KEYS, build_frame, typed_array

LAYERS = chain(
    conv(
        "a", [t("x", [1, 64, 8, 8])], [t("m", [1, 64, 8, 8])], (3, 3), stream=1, origins=["/conv"], TacticValue="0x1f"
    ),
    layer("p", inputs=["m"], outputs=["y"], NbOperations=2, Operations=["one", "two"]),
    layer("p", "kgen", [t("y", [None])], [], tactic="__myl_Add"),
)


def test_rows_are_layers_in_order() -> None:
    df = build_frame(LAYERS, times(LAYERS, 1.0, 3.0, None))
    assert list(df["Name"]) == ["a", "p", "p"]
    assert list(df["type"]) == ["Convolution", "PointWise", "kgen"]
    assert list(df["subtype"]) == ["CaskConvolution", "PointWise", "kgen"]
    assert list(df["tactic"]) == ["TensorRT", "TensorRT", "__myl_Add"]
    assert list(df["layer.occurrence"]) == [0, 0, 1]
    assert list(df["layer.index"]) == [0, 1, 2]
    assert df.index.equals(pd.RangeIndex(3))
    assert df["latency.avg_time"].sum() == 4.0
    assert df["latency.avg_time"].isna().tolist() == [False, False, True]
    assert df["Metadata"][0] == "[ONNX Layer: /conv]"
    assert df["TacticValue"][0] == "0x1f"
    assert df["StreamId"].isna().tolist() == [False, True, True]
    assert df["layer.origins"][0] == ("/conv",)


def test_inputs_are_lists_of_records() -> None:
    df = build_frame(LAYERS)
    assert [record["Name"] for record in df["Inputs"][1]] == ["m"]
    assert set(df["Inputs"][1][0]) == {"Name", "Location", "Dimensions", "Format/Datatype"}
    assert df["Outputs"][2] == []


def test_other_keys_keep_their_names_and_values() -> None:
    df = build_frame(LAYERS)
    assert df["Kernel"][0] == [3, 3]
    assert df["Weights"][0] == {"Type": "Half", "Count": 64 * 64 * 9}
    assert df["Kernel"].isna().tolist() == [False, True, True]
    assert df["Groups"].dtype == "float64"
    assert df["Operations"][1] == ["one", "two"]
    assert "LayerType" not in df
    assert "ParameterType" not in df


def test_dtypes_are_the_declared_ones_on_every_engine() -> None:
    for layers in (LAYERS, (), chain(layer("a", inputs=[], outputs=[]))):
        df = build_frame(layers)
        assert {name: str(df[name].dtype) for name in df.columns[: len(COLUMNS)]} == {c.name: c.dtype for c in COLUMNS}


def test_an_empty_engine_gives_an_empty_frame_with_the_columns() -> None:
    df = build_frame(())
    assert len(df) == 0
    assert list(df.columns) == [column.name for column in COLUMNS]
    assert df["latency.avg_time"].sum() == 0


def test_the_frame_is_free_to_be_changed() -> None:
    df = build_frame(LAYERS)
    df.loc[1, "Name"] = "renamed"
    df.loc[1, "tactic"] = 0
    df["mine"] = 1
    df.fillna(0, inplace=True)
    df["Inputs"][0][0]["Name"] = "renamed"
    assert LAYERS[1].name == "p"
    assert LAYERS[0].inputs[0].raw["Name"] == "x"
    assert build_frame(LAYERS)["Name"][1] == "p"


def test_classic_ways_with_a_frame_work() -> None:
    df = build_frame(LAYERS, times(LAYERS, 1.0, 3.0, None))
    assert df.query('type == "Convolution"')["Name"].tolist() == ["a"]
    assert df.groupby("precision")["latency.avg_time"].sum().sum() == 4.0
    assert df.nlargest(1, "latency.avg_time")["Name"].tolist() == ["p"]
    assert df["weights_size"].sum() == 64 * 64 * 9 * 2


def test_a_key_called_like_a_column_is_kept_beside_it() -> None:
    df = build_frame(chain(layer("a", type_="x", precision_="y")))
    assert df["type_"][0] == "x"
    odd = layer("a")
    odd.raw["precision"] = "whatever"
    df = build_frame(chain(odd))
    assert df["precision"][0] == "FP16"
    assert df["raw.precision"][0] == "whatever"


def test_times_must_be_aligned() -> None:
    with pytest.raises(ValueError, match="1 times for 3 layers"):
        build_frame(LAYERS, [time("a", 1.0)])


def test_numbers_settle_into_the_narrowest_exact_type() -> None:
    nan = float("nan")
    assert typed_array([1, 2]).dtype == "int64"
    assert typed_array([1, nan]).dtype == "float64"
    assert typed_array([nan, nan]).dtype == object
    assert typed_array([True, False]).dtype == object
    assert typed_array([2**60, nan]).tolist()[0] == 2**60
    assert typed_array([10**400, 1.5]).dtype == object
    assert typed_array([[1], [2]]).shape == (2,)
    assert typed_array([]).dtype == object
    assert np.isnan(typed_array([1.5, nan])[1])


def test_a_damaged_engine_with_countless_keys_stays_small() -> None:
    keys: list[dict[str, Any]] = [{f"key{i}": i, "common": 1} for i in range(2 * MAX_RECORD_COLUMNS)]
    layers = chain(*(layer("l", **extra) for extra in keys))
    df = build_frame(layers)
    assert len(df.columns) == len(COLUMNS) + MAX_RECORD_COLUMNS + 1
    assert df["common"].tolist() == [1] * len(layers)
    assert df[OTHER_KEYS].iloc[-1] == {f"key{len(layers) - 1}": len(layers) - 1}
