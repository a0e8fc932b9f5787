"""attr.* columns per type, and the cost of convolutions and matrix products."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from tests.factories import chain, conv, gemm, layer, t, times
from trex.core.layer import Layer
from trex.ingest.spelling.shapes import MAX_DIM
from trex.plan.attributes import COST_COLUMNS, attribute_name, frame_by_type, layers_by_type, with_costs
from trex.plan.dataframe import build_frame


def table(*layers: Layer, type: str = "Convolution", ms: float | None = None) -> pd.DataFrame:
    numbered = chain(*layers)
    measured = times(numbered, *[ms] * len(numbered))
    return layers_by_type(numbered, measured, build_frame(numbered, measured), type)


CONV = conv("c", [t("x", [1, 64, 8, 8])], [t("y", [1, 64, 8, 8])], weights="INT8")
POOL = layer(
    "pool", "Pooling", subtype="CaskPooling", PoolingType="MAX", WindowSize=[3, 3], PaddingMode="kA", Stride=[2, 2]
)
POINTWISE = layer(
    "p", "PointWise", subtype="PointWiseV2", NbOperations=2, NbInputArgs=1, Operations=["a", "b"], InputArgs=["arg0"]
)


def test_int8_weights_of_an_fp16_convolution_count_one_byte() -> None:
    row = table(CONV, ms=0.5).iloc[0]
    assert row["attr.macs"] == 262144
    assert row["attr.arithmetic_intensity"] == pytest.approx(262144 / (8192 * 2 + 4096))
    assert row["attr.compute_efficiency"] == 262144 / 0.5
    assert row["attr.memory_efficiency"] == (8192 * 2 + 4096) / 0.5
    assert (row["attr.M"], row["attr.N"], row["attr.K"]) == (64, 64, 64)


def test_depthwise_and_three_dimensional_convolutions_stand_in_one_table() -> None:
    deep = conv("d", [t("x", [1, 64, 8, 8])], [t("y", [1, 64, 8, 8])], (3, 3), groups=64)
    solid = conv("s", [t("x", [1, 8, 4, 4, 4])], [t("y", [1, 8, 4, 4, 4])], (3, 3, 3))
    rows = table(CONV, deep, solid)
    assert rows["attr.K"].tolist() == [64, 9, 8 * 27]
    assert rows["attr.macs"].tolist() == [262144, 36864, 64 * 8 * 8 * 27]
    assert rows["attr.kernel"].tolist() == [(1, 1), (3, 3), (3, 3, 3)]


def test_extents_whose_product_is_no_double_have_no_costs() -> None:
    huge = conv("h", [t("x", [MAX_DIM] * 16)], [t("y", [MAX_DIM] * 16)], (MAX_DIM,) * 14)
    rows = table(CONV, huge, ms=0.5)
    assert rows["attr.macs"].isna().tolist() == rows["attr.arithmetic_intensity"].isna().tolist() == [False, True]


def test_classic_names_of_convolutions() -> None:
    rows = table(CONV)
    expected = ["groups", "out_maps", "stride", "kernel", "has_bias", "activation", "has_relu", "dilation"]
    assert {f"attr.{name}" for name in [*expected, "operations", "n_operations"]} <= set(rows.columns)
    assert rows["attr.out_maps"].tolist() == [64]
    assert rows["attr.groups"].dtype == "int64"
    assert rows.groupby("attr.kernel").size().to_dict() == {(1, 1): 1}


def test_bias_and_relu_follow_from_other_keys_when_not_stated() -> None:
    bare = conv("c", ["x"], ["y"], bias="FP32", Activation="RELU")
    del bare.raw["HasBias"], bare.raw["HasReLU"]
    row = table(bare).iloc[0]
    assert (row["attr.has_bias"], row["attr.has_relu"]) == (1, 1)
    assert table(CONV).iloc[0]["attr.has_bias"] == 0


@pytest.mark.parametrize(
    ("example", "type", "expected"),
    [
        (POOL, "Pooling", {"pooling_type": "MAX", "window_size": (3, 3), "padding_mode": "kA", "stride": (2, 2)}),
        (POINTWISE, "PointWise", {"operations": ("a", "b"), "n_operations": 2, "n_input_args": 1}),
        (POINTWISE, "PointWiseV2", {"n_operations": 2}),
        (layer("r", "Reformat", Origin="QDQ"), "Reformat", {"origin": "QDQ"}),
        (
            layer(
                "s", "Scale", Mode="CHANNEL", Shift={"Count": 1}, Scale={}, Power={}, Activation="NONE", ChannelAxis=1
            ),
            "Scale",
            {"mode": "CHANNEL", "shift": {"Count": 1}, "scale": {}, "power": {}, "activation": "NONE", "ch_axis": 1},
        ),
        (
            layer("s", "Shuffle", FirstTranspose=[0, 1], Reshape="nbDims=-1", SecondTranspose=[1, 0]),
            "Shuffle",
            {"first_transpose": (0, 1), "second_transpose": (1, 0), "reshape": "nbDims=-1"},
        ),
        (
            layer("s", "Slice", Start=[0], Stride=[1], Size=[4], Mode="FILL"),
            "Slice",
            {"start": (0,), "stride": (1,), "size": (4,), "mode": "FILL"},
        ),
        (layer("s", "Resize", Mode="NEAREST", Scales=[1, 2.0]), "Resize", {"mode": "NEAREST", "scales": (1, 2.0)}),
        (layer("s", "SoftMax", subtype="CudaSoftMax", Axes=2, HasLog=0), "SoftMax", {"axes": 2, "has_log": 0}),
        (layer("p", "PluginV2", PluginType="NMS", PluginVersion="1"), "PluginV2", {"plugin_type": "NMS"}),
        (layer("e", "ElementWise", ElementWiseOperation="PROD"), "ElementWise", {"element_wise_operation": "PROD"}),
    ],
)
def test_attributes_of_each_type(example: Layer, type: str, expected: dict[str, object]) -> None:
    row = table(CONV, example, type=type).iloc[0]
    assert {name: row[f"attr.{name}"] for name in expected} == expected
    from_frame = frame_by_type(build_frame(chain(CONV, example)), type).iloc[0]
    for name in expected:
        assert from_frame[f"attr.{name}"] == row[f"attr.{name}"], name


@pytest.mark.parametrize("prefix", ["Conv", "Convolution"])
def test_a_fused_convolution_and_pooling_has_the_attributes_of_both(prefix: str) -> None:
    record = {f"{prefix}Kernel": [7, 7], f"{prefix}Groups": 1, f"{prefix}Bias": {"Type": "Float", "Count": 64}}
    fused = layer("f", "ConvActPool", subtype="CaskConvActPool", PoolingPoolingType="MAX", PoolingStride=[2, 2])
    fused.raw.update(record)
    row = table(fused, type="ConvActPool").iloc[0]
    assert (row["attr.kernel"], row["attr.groups"], row["attr.has_bias"]) == ((7, 7), 1, 1)
    assert (row["attr.pooling_type"], row["attr.pooling_stride"]) == ("MAX", (2, 2))


def test_only_costly_types_have_costs() -> None:
    assert not set(COST_COLUMNS) & set(table(POOL, type="Pooling").columns)
    assert set(COST_COLUMNS) <= set(table(type="Convolution").columns)


def test_the_type_may_be_a_subtype_any_case_or_a_family() -> None:
    product = gemm("g", t("a", [4, 8]), t("w", [8, 16]), t("y", [4, 16]))
    plugin = layer("m", "MatrixMultiply", [t("a", [4, 8]), t("b", [8, 16])], [t("y", [4, 16])])
    layers = (CONV, POOL, product, plugin)
    names = lambda type: table(*layers, type=type)["Name"].tolist()  # noqa: E731
    assert names("Convolution") == names("CaskConvolution") == names("convolution") == ["c"]
    assert names("gemm") == ["g"]
    assert names("MatMul") == ["g", "m"]
    assert table(*layers, type="MatMul")["attr.macs"].tolist() == [512, 512]
    assert table(*layers, type="gemm")["weights_size"].tolist() == [256]


def test_an_unknown_type_gives_an_empty_table() -> None:
    rows = table(CONV, type="NoSuchThing")
    assert len(rows) == 0
    assert {"Name", "type", "latency.avg_time"} <= set(rows.columns)
    assert len(frame_by_type(build_frame(chain(CONV)), "NoSuchThing")) == 0
    assert len(layers_by_type((), (), build_frame(()), "Convolution")) == 0


def test_what_is_not_known_is_nan_never_zero_or_infinite() -> None:
    dynamic = conv("c", [t("x", [None, 64, 8, 8])], [t("y", [None, 64, 8, 8])])
    row = table(dynamic).iloc[0]
    assert all(math.isnan(row[name]) for name in COST_COLUMNS)
    unmeasured, never = table(CONV).iloc[0], table(CONV, ms=0.0).iloc[0]
    for variant in (unmeasured, never):
        assert math.isnan(variant["attr.compute_efficiency"])
        assert math.isnan(variant["attr.memory_efficiency"])
        assert variant["attr.arithmetic_intensity"] > 0


def test_the_users_own_columns_rows_and_order_stay() -> None:
    layers = chain(CONV, POOL, conv("d", ["x"], ["y"]), conv("e", ["x"], ["y"]))
    none = (None,) * len(layers)
    frame = build_frame(layers, none)
    frame["mine"] = [10, 20, 30, 40]
    frame = frame[frame["Name"] != "d"].iloc[::-1]
    rows = layers_by_type(layers, none, frame, "Convolution")
    assert rows["Name"].tolist() == ["e", "c"]
    assert rows["mine"].tolist() == [40, 10]
    assert rows.index.tolist() == [3, 0]
    assert "attr.kernel" not in frame


def test_a_frame_without_layer_index_must_be_aligned() -> None:
    layers = chain(CONV, POOL)
    frame = build_frame(layers).drop(columns="layer.index")
    assert layers_by_type(layers, (None, None), frame, "Convolution")["Name"].tolist() == ["c"]
    with pytest.raises(ValueError, match=r"layer\.index"):
        layers_by_type(layers, (None, None), frame.iloc[:1], "Convolution")


def test_record_keys_of_other_types_are_left_out() -> None:
    rows = table(CONV, POOL, type="Pooling")
    assert "WindowSize" in rows
    assert "Kernel" not in rows


def test_costs_from_a_frame_equal_those_from_the_layers() -> None:
    layers = chain(CONV, conv("d", [t("x", [1, 8, 4, 4, 4])], [t("y", [1, 8, 4, 4, 4])], (3, 3, 3), bias="FP16"), POOL)
    measured = times(layers, 1.0, None, 2.0)
    frame = build_frame(layers, measured)
    expected = layers_by_type(layers, measured, frame, "Convolution")
    pd.testing.assert_frame_equal(frame_by_type(frame, "Convolution"), expected)
    record_keys = ["Kernel", "Groups", "OutMaps", "Stride", "Dilation", "Weights", "Bias"]
    bare = expected.drop(columns=[*COST_COLUMNS, *record_keys])
    before = bare.copy(deep=True)
    pd.testing.assert_frame_equal(with_costs(bare), expected.drop(columns=record_keys))
    pd.testing.assert_frame_equal(bare, before)


def test_costs_of_a_frame_whose_records_were_made_text_are_nan() -> None:
    frame = build_frame(chain(CONV))
    frame["Inputs"] = "FP16 NCHW"
    assert with_costs(frame)["attr.macs"].isna().all()


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("WindowSize", "attr.window_size"),
        ("NbOperations", "attr.n_operations"),
        ("negativeInfinityPadding", "attr.negative_infinity_padding"),
        ("dimensions", "attr.dimensions"),
        ("ConvXAsActInputIdx", "attr.conv_x_as_act_input_idx"),
        ("轴", "attr.轴"),
    ],
)
def test_names_of_attributes_without_a_table(key: str, name: str) -> None:
    assert attribute_name(key) == name
