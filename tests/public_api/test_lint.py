"""The classic linters: their columns, and what NVIDIA's TREx got wrong."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import trex
from tests import raw_records as raw
from tests.factories import conv, engine, layer, t
from tests.simulated_examples import load_simulated
from trex.plan.engine_plan import EnginePlan

OWN = ["rule", "finding", "fix", "sources"]
COLUMNS = ["name", "tactic", "subtype", "hazard", "mitigation", "help"]
MORE = ["origin", "type conversion", "shape conversion"]
LINTERS = (trex.ConvLinter, trex.ReformatLinter, trex.SliceLinter, trex.QDQLinter)


def plan_of(*layers) -> EnginePlan:
    return EnginePlan(engine(*layers))


@pytest.mark.parametrize("linter", LINTERS)
def test_columns_are_the_classic_ones(linter) -> None:
    wanted = COLUMNS + (MORE if linter in (trex.ReformatLinter, trex.SliceLinter) else []) + OWN
    for plan in (load_simulated("resnet18-int8"), plan_of()):
        table = linter(plan).lint()
        assert list(table.columns) == wanted
        assert all(isinstance(cell, str) for row in table.itertuples(index=False) for cell in row)


def test_types_that_differ_in_spelling_only_are_no_conversion() -> None:
    same = layer("r", "Reformat", [t("x", [1, 8], "FP16")], [t("y", [1, 8], "FP16", "NHWC")])
    other = layer("s", "Reformat", [t("y", [1, 8], "FP16")], [t("z", [1, 8], "INT8")])
    table = trex.ReformatLinter(plan_of(same, other)).lint()
    conversions = dict(zip(table["name"], table["type conversion"]))
    assert conversions["s"] == "FP16 -> Int8" and conversions.get("r", "") == ""
    assert all(table[table["name"] == "s"]["mitigation"])
    assert set(table["origin"]) <= {"", "QDQ", "REFORMAT"}  # an engine without Origin is no error


def test_slices_that_convert() -> None:
    table = trex.SliceLinter(plan_of(layer("cut", "Slice", [t("x", [1, 8], "FP32")], [t("y", [1, 4], "FP16")]))).lint()
    assert list(table["name"]) and set(table["type conversion"]) == {"FP32 -> FP16"}
    assert set(table["shape conversion"]) == {"[1, 8] -> [1, 4]"}


@pytest.mark.parametrize("type", ["INT8", "FP8"])
def test_unfused_quantization_is_found_whatever_its_type(type: str) -> None:
    quantize = layer("/q/QuantizeLinear", "Quantize", [t("x", [1, 8], "FP16")], [t("y", [1, 8], type)])
    table = trex.QDQLinter(plan_of(quantize, layer("p", "Pooling", ["y"], ["z"]))).lint()
    assert set(table["name"]) == {"/q/QuantizeLinear"}


@pytest.mark.parametrize("type", ["INT8", "FP8", "INT4", "FP4"])
def test_quantization_by_a_scale_is_found_whatever_its_name(type: str) -> None:
    quantize = layer("node_7", "Scale", [t("x", [1, 8], "FP16")], [t("y", [1, 8], type)])
    dequantize = layer("node_8", "Scale", [t("y", [1, 8], type)], [t("z", [1, 8], "FP16")])
    normalize = layer("node_9", "Scale", [t("z", [1, 8], "FP16")], [t("w", [1, 8], "FP32")])
    table = trex.QDQLinter(plan_of(quantize, dequantize, normalize)).lint()
    assert list(table["name"]) == ["node_7", "node_8"]


def as_written(folder: Path, *records) -> EnginePlan:
    """The plan of records as TensorRT writes them."""
    return raw.plan_of(folder, list(records))


def test_two_spellings_of_a_type_are_one(tmp_path: Path) -> None:
    def reformat(read: str, written: str) -> pd.DataFrame:
        tensors = [raw.tensor(name, [8, 64], spelling) for name, spelling in (("x", read), ("y", written))]
        return trex.ReformatLinter(as_written(tmp_path, raw.layer("r", "Reformat", tensors[:1], tensors[1:]))).lint()

    assert not any(reformat("Half", raw.LINEAR)["type conversion"])
    assert set(reformat("Int8", raw.LINEAR)["type conversion"]) == {"Int8 -> FP16"}
    assert all(reformat("Row major linear Int8 format", "Half")["mitigation"])


def test_tensor_cores_are_known_by_more_than_four_words(tmp_path: Path) -> None:
    def idle(tactic: str) -> list[str]:
        x, y = raw.tensor("x", [8, 64, 32, 32]), raw.tensor("y", [8, 64, 32, 32])
        stored = {"OutMaps": 64, "Weights": {"Type": "Half", "Count": 64 * 64 * 9}}
        record = raw.convolution("c", x, y, TacticName=tactic, **stored)
        return list(trex.ConvLinter(as_written(tmp_path, record)).tc_lint())

    assert idle("cutlass_tensorop_f16_s16816fprop_optimized_f16_128x128_32x4_nhwc_align8") == []
    assert idle("ampere_scudnn_128x64_relu_small_nn_v1") == ["c"]


def test_a_layer_with_two_hazards_has_two_rows() -> None:
    # An INT8 convolution on CUDA cores whose 6 channels are no multiple of 16.
    odd = conv("c", [t("x", [8, 6, 32, 32], "INT8")], [t("y", [8, 6, 32, 32], "INT8")])
    from dataclasses import replace

    odd = replace(odd, tactic="volta_int8x4_icudnn_int8x4_128x32_relu_small_nn_v1")
    linter = trex.ConvLinter(plan_of(odd))
    hazards = [*linter.tc_lint(), *linter.alignment_lint(), *linter.mixed_precision_lint()]
    assert len(linter.lint()) == len(hazards)
    assert list(linter.tc_lint()) == list(linter.alignment_lint()) == ["c"]
    assert list(linter.lint()["name"]) == ["c", "c"]


def test_the_published_engines(shared_engines: Path) -> None:
    qat = trex.load(shared_engines / "trt8.4-resnet18-a100-qat")
    assert len(trex.ConvLinter(qat).mixed_precision_lint()) >= 13
    conversions = trex.ReformatLinter(qat).lint()
    assert conversions["name"].nunique() == 12
    mobilenet = trex.load(shared_engines / "trt8.4-mobilenetv2-qat")
    assert len(trex.ConvLinter(mobilenet).lint()) >= 41  # what NVIDIA's linter finds there
