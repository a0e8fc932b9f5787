"""The classic linters: rows by layer name, TREx's words in front, trex's behind, over every engine."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

import pandas as pd
import pytest

import trex
from tests.factories import conv, engine, gemm, t
from tests.rules.cases import TENSOR_HALF
from trex.plan.engine_plan import EnginePlan

COMMON = ["name", "tactic", "subtype", "hazard", "mitigation", "help"]
CONVERSIONS = ["origin", "type conversion", "shape conversion"]
OWN = ["rule", "finding", "fix", "sources"]
CONVOLUTION_HAZARDS = {
    "Convolution is not accelerated.",
    "Quantized Convolution has float outputs.",
    "Convolution has outputs of another data type.",
    "Convolution channels are not optimally aligned.",
}


@pytest.mark.parametrize("name", ["ConvLinter", "ReformatLinter", "SliceLinter", "QDQLinter"])
def test_tables_of_every_engine(address: str, name: str) -> None:
    plan = trex.load(address)
    table = getattr(trex, name)(plan).lint()
    assert type(table) is pd.DataFrame and {kind.kind for kind in table.dtypes} <= {"O"}
    assert list(table.columns) == COMMON + (CONVERSIONS if name in ("ReformatLinter", "SliceLinter") else []) + OWN
    assert table.index.is_unique and set(table["name"]) <= set(plan.df["Name"])
    for label, row in table.iterrows():
        assert label == row["name"] or str(label).startswith(f"{row['name']} (")
    for layer in table["name"].unique():
        assert table.loc[layer]["name"] == layer
    assert all(table["hazard"]) and all(isinstance(cell, str) for row in table.to_numpy() for cell in row)


def test_hazards_of_convolutions(address: str) -> None:
    plan = trex.load(address)
    linter = trex.ConvLinter(plan)
    assert set(linter.lint()["hazard"]) <= CONVOLUTION_HAZARDS
    for hazards in (linter.tc_lint(), linter.mixed_precision_lint(), linter.alignment_lint()):
        assert type(hazards) is OrderedDict and set(hazards) <= set(plan.df["Name"])
        assert all(list(row) == COMMON + OWN and row["name"] == name for name, row in hazards.items())


def test_mixed_precision_comes_before_alignment_and_both_before_tensor_cores() -> None:
    odd = conv("c", [t("x", [8, 6, 32, 32], "INT8")], [t("y", [8, 6, 32, 32], "FP16")], weights="INT8")
    odd = replace(odd, tactic="volta_int8x4_icudnn_int8x4_128x32_relu_small_nn_v1")
    table = trex.ConvLinter(EnginePlan(engine(odd))).lint()
    assert list(table.index) == ["c", "c (2)", "c (3)"]
    assert list(table["hazard"]) == [
        "Quantized Convolution has float outputs.",
        "Convolution channels are not optimally aligned.",
        "Convolution is not accelerated.",
    ]
    assert list(table["name"]) == ["c"] * 3


def test_a_row_has_the_rule_and_what_it_found() -> None:
    odd = conv("c", [t("x", [8, 60, 14, 14])], [t("y", [8, 100, 14, 14])], tactic=TENSOR_HALF)
    reader = gemm("next", t("y", [8, 100, 14, 14]), t("w", [64, 64]), t("z", [64, 64]))
    row = trex.ConvLinter(EnginePlan(engine(odd, reader))).lint().loc["c"]
    assert row["hazard"] == "Convolution channels are not optimally aligned."
    assert row["rule"] == "unaligned-channels" and "C = 60 → 64" in row["finding"] and row["fix"]


def test_hazards_without_a_finding_have_no_rule() -> None:
    image = conv("c", [t("x", [8, 3, 14, 14])], [t("y", [8, 64, 14, 14])], tactic=TENSOR_HALF)
    table = trex.ConvLinter(EnginePlan(engine(image))).lint()
    assert list(table["hazard"]) == ["Convolution channels are not optimally aligned."]
    assert not any(table.loc["c", OWN])


def test_labels_do_not_collide_with_names() -> None:
    from trex.classic.linters import _unique

    assert _unique(["a", "a (2)", "a", "a", "b"]) == ["a", "a (2)", "a (3)", "a (4)", "b"]
