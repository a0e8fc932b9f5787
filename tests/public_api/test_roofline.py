"""What ``trex.roofline`` offers: ``trex.performance`` and ``trex.add_performance``."""

from __future__ import annotations

import math
import warnings

import pytest

import trex
from tests.simulated_examples import load_simulated
from trex.perf.columns import PERFORMANCE_COLUMNS

NAMES = [column.name for column in PERFORMANCE_COLUMNS]


@pytest.fixture
def plan():
    return load_simulated("resnet18-fp16")


def test_the_readings(plan):
    found = trex.performance(plan, "A100-SXM4-40GB")
    assert found.device is not None and len(found.works) == len(plan.layers) == len(found.roofline.attainable_ms)
    with pytest.raises(trex.TrexError):
        trex.performance(plan, "no such GPU")


def test_the_model_may_be_given_later(tmp_path):
    pytest.importorskip("onnx")
    from tests.onnx_models import resnet18

    file = resnet18().save(tmp_path / "m.onnx")
    plan = load_simulated("resnet18-fp16")
    found = trex.performance(plan, onnx=file)
    assert found.plan.model is not None and plan.model is None
    assert len(found.works) == len(plan.layers)
    with pytest.raises(trex.TrexError):
        trex.performance(plan, onnx=tmp_path / "none.onnx")


def test_columns_are_added(plan):
    frame = plan.df
    before = list(frame.columns)
    assert trex.add_performance(plan, "A100-SXM4-40GB") is plan.df is frame
    assert list(frame.columns) == [*before, *NAMES]
    for column in PERFORMANCE_COLUMNS:
        assert frame[column.name].dtype == column.dtype, column.name
    found = trex.performance(plan, "A100-SXM4-40GB").roofline
    assert frame["perf.macs"].tolist() == pytest.approx(found.macs.tolist(), nan_ok=True)
    assert frame["perf.bound"].tolist() == [bound.value for bound in found.bounds]


def test_rows_as_the_user_has_them_survive(plan):
    whole = trex.add_performance(plan, "A100-SXM4-40GB").copy()
    plan.df = plan.new_frame()
    plan.df = plan.df[plan.df["type"] == "Convolution"].sort_values("latency.avg_time", ascending=False)
    plan.df["mine"] = range(len(plan.df))
    kept = plan.df["layer.index"].tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = trex.add_performance(plan, "A100-SXM4-40GB")
    assert frame["layer.index"].tolist() == kept and "mine" in frame
    wanted = whole.set_index("layer.index")["perf.macs"]
    assert frame["perf.macs"].tolist() == [wanted[index] for index in kept]


def test_rows_that_are_no_layers_have_no_values(plan):
    plan.df = plan.df.head(2)
    plan.df.loc[99, "layer.index"] = 10_000
    assert math.isnan(trex.add_performance(plan)["perf.macs"].iloc[2])


def test_again_with_another_device(plan):
    first = trex.add_performance(plan, "A100-SXM4-40GB")["perf.attainable_ms"].sum()
    second = trex.add_performance(plan, "T4")["perf.attainable_ms"].sum()
    assert second > first and list(plan.df.columns).count("perf.attainable_ms") == 1


def test_without_the_column_that_names_the_layers(plan):
    plan.df = plan.df.drop(columns="layer.index")
    with pytest.raises(trex.TrexError, match=r"layer\.index"):
        trex.add_performance(plan)


def test_every_column_is_described():
    assert len(set(NAMES)) == len(NAMES)
    assert all(c.meaning and c.source and c.name.startswith("perf.") for c in PERFORMANCE_COLUMNS)
