"""The classic linters: their columns, and what NVIDIA's TREx got wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import trex
from tests.factories import conv, engine, layer, t
from trex.plan.engine_plan import EnginePlan

COLUMNS = ["name", "tactic", "subtype", "hazard", "mitigation", "help"]
MORE = ["origin", "type conversion", "shape conversion"]
LINTERS = (trex.ConvLinter, trex.ReformatLinter, trex.SliceLinter, trex.QDQLinter)


def plan_of(*layers) -> EnginePlan:
    return EnginePlan(engine(*layers))


@pytest.mark.parametrize("linter", LINTERS)
def test_columns_are_the_classic_ones(linter) -> None:
    wanted = COLUMNS + (MORE if linter in (trex.ReformatLinter, trex.SliceLinter) else [])
    for plan in (trex.load_example("resnet18-int8"), plan_of()):
        table = linter(plan).lint()
        assert list(table.columns) == wanted
        assert all(isinstance(cell, str) for row in table.itertuples(index=False) for cell in row)


def test_types_that_differ_in_spelling_only_are_no_conversion() -> None:
    same = layer("r", "Reformat", [t("x", [1, 8], "FP16")], [t("y", [1, 8], "FP16", "NHWC")])
    other = layer("s", "Reformat", [t("y", [1, 8], "FP16")], [t("z", [1, 8], "INT8")])
    table = trex.ReformatLinter(plan_of(same, other)).lint()
    conversions = dict(zip(table["name"], table["type conversion"]))
    assert conversions["s"] == "FP16 -> INT8" and conversions.get("r", "") == ""
    assert all(table[table["name"] == "s"]["mitigation"])
    assert set(table["origin"]) <= {"", "QDQ", "REFORMAT"}  # an engine without Origin is no error


def test_slices_that_convert() -> None:
    table = trex.SliceLinter(plan_of(layer("cut", "Slice", [t("x", [1, 8], "FP32")], [t("y", [1, 4], "FP16")]))).lint()
    assert list(table["name"]) and set(table["type conversion"]) == {"FP32 -> FP16"}
    assert set(table["shape conversion"]) == {"[1, 8] -> [1, 4]"}


@pytest.mark.parametrize("type", ["INT8", "FP8"])
def test_unfused_quantisation_is_found_whatever_its_type(type: str) -> None:
    quantise = layer("/q/QuantizeLinear", "Quantize", [t("x", [1, 8], "FP16")], [t("y", [1, 8], type)])
    table = trex.QDQLinter(plan_of(quantise, layer("p", "Pooling", ["y"], ["z"]))).lint()
    assert set(table["name"]) == {"/q/QuantizeLinear"}


def test_a_layer_with_two_hazards_has_two_rows() -> None:
    # An INT8 convolution on CUDA cores whose 6 channels are no multiple of 16.
    odd = conv("c", [t("x", [8, 6, 32, 32], "INT8")], [t("y", [8, 6, 32, 32], "INT8")])
    from dataclasses import replace

    odd = replace(odd, tactic="volta_int8x4_icudnn_int8x4_128x32_relu_small_nn_v1")
    linter = trex.ConvLinter(plan_of(odd))
    hazards = [*linter.tc_lint(), *linter.alignment_lint(), *linter.mixed_precision_lint()]
    assert len(linter.lint()) == len(hazards)
    rules = {name for plan in [linter] for name in plan._rules()}
    from trex.rules.rule import RULES

    if {"idle-tensor-cores", "unaligned-channels"} <= rules & set(RULES):
        assert list(linter.tc_lint()) == list(linter.alignment_lint()) == ["c"]
        assert list(linter.lint()["name"]) == ["c", "c"]


def test_the_published_engines(shared_engines: Path) -> None:
    qat = trex.load(shared_engines / "trt8.4-resnet18-a100-qat")
    assert len(trex.ConvLinter(qat).mixed_precision_lint()) >= 13
    conversions = trex.ReformatLinter(qat).lint()
    assert conversions["name"].nunique() == 12
    mobilenet = trex.load(shared_engines / "trt8.4-mobilenetv2-qat")
    assert len(trex.ConvLinter(mobilenet).lint()) >= 41  # what NVIDIA's linter finds there
