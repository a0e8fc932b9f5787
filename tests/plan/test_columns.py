"""Each column's values, and the page the declarations print."""

from __future__ import annotations

import math

import pytest

from tests.factories import chain, conv, layer, stored, t, time, times
from trex.core.layer import Layer
from trex.core.timings import LayerTime
from trex.plan.columns import COLUMN_BY_NAME, COLUMNS, COVERED_KEYS, Rows, page, shares_pct, tensor_record


def value(name: str, of: Layer, its_time: LayerTime | None = None) -> object:
    return COLUMN_BY_NAME[name].values(Rows((of,), (its_time,)))[0]


def test_names_are_declared_once_and_the_classic_ones_come_first() -> None:
    names = [column.name for column in COLUMNS]
    assert len(set(names)) == len(names)
    assert names[:6] == ["Name", "type", "subtype", "precision", "output_precision", "tactic"]
    assert {"Name", "LayerType", "Inputs", "Outputs"} <= COVERED_KEYS


def test_every_column_has_meaning_source_and_a_known_dtype() -> None:
    for column in COLUMNS:
        assert column.meaning and column.source, column.name
        assert column.dtype in ("object", "float64", "int64"), column.name
        assert (column.unit != "") <= (column.dtype == "float64"), column.name


def test_the_page_has_one_line_per_column() -> None:
    text = page()
    assert text.startswith("# Columns")
    for column in COLUMNS:
        assert text.count(f"\n| `{column.name}` |") == 1
    assert all(line.count("|") == 6 for line in text.splitlines() if line.startswith("|"))


def test_a_layer_without_tactic_is_tensorrts_own() -> None:
    assert value("tactic", layer("a")) == "TensorRT"
    assert value("tactic", layer("a", tactic="sm80_gemm")) == "sm80_gemm"


def test_output_precision_is_the_first_outputs() -> None:
    assert value("output_precision", layer("a", outputs=[t("y", [1], "INT8"), t("z", [1], "FP32")])) == "INT8"
    assert value("output_precision", layer("a", outputs=[])) == "Unknown"


def test_sizes_count_each_in_its_own_type() -> None:
    convolution = conv("c", [t("x", [1, 64, 8, 8])], [t("y", [1, 64, 8, 8])], weights="INT8", bias="FP32")
    assert value("total_io_size_bytes", convolution) == 2 * 8192
    assert value("weights_size", convolution) == 64 * 64 + 4 * 64
    assert value("total_footprint_bytes", convolution) == 2 * 8192 + 4096 + 256


def test_unknown_sizes_are_nan_and_no_weights_are_zero() -> None:
    dynamic = layer("a", inputs=[t("x", [None, 8])])
    assert math.isnan(value("total_io_size_bytes", dynamic))
    assert value("weights_size", dynamic) == 0
    unknown = layer("a", weights=[stored("weights", "Unknown", 8)])
    assert math.isnan(value("weights_size", unknown))
    assert math.isnan(value("total_footprint_bytes", unknown))


def test_a_layer_that_was_not_profiled_has_nan_times() -> None:
    for name in ("latency.avg_time", "latency.median_time", "latency.time", "latency.pct_time"):
        assert math.isnan(value(name, layer("a"))), name
    assert value("latency.avg_time", layer("a"), time("a", 0.0)) == 0.0
    assert value("latency.time", layer("a"), time("a", 0.5)) == 5.0


def test_shares_are_the_records_own_else_of_the_known_averages() -> None:
    assert shares_pct([time("a", 1.0, share_pct=12.5), None])[0] == 12.5
    shares = shares_pct([time("a", 1.0), None, time("b", 3.0), time("c", None)])
    assert shares[0] == pytest.approx(25.0)
    assert shares[2] == pytest.approx(75.0)
    assert math.isnan(shares[1])
    assert math.isnan(shares[3])
    assert all(math.isnan(share) for share in shares_pct(times(chain(layer("a")), 0.0)))


def test_records_are_copies_in_the_classic_keys() -> None:
    tensor = t("x", [1, None, 4], "BF16")
    record = tensor_record(tensor)
    assert list(record) == ["Name", "Location", "Dimensions", "Format/Datatype"]
    assert record["Dimensions"] == [1, -1, 4]
    record["Name"] = "changed"
    assert tensor.raw["Name"] == "x"


def test_records_of_other_spellings_are_completed() -> None:
    tensor = t("x", [2, None], "BF16")
    tensor.raw.clear()
    tensor.raw["Datatype"] = "BFloat16"
    assert tensor_record(tensor) == {
        "Datatype": "BFloat16",
        "Name": "x",
        "Location": "Device",
        "Dimensions": [2, -1],
        "Format/Datatype": "BF16",
    }
