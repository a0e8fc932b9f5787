"""All groups of matched layers as a table: one value per change, which add up."""

from __future__ import annotations

from typing import Any

import pytest

from tests.factories import engine
from tests.simulated_examples import load_simulated
from trex.compare.plan_diff import PlanDiff
from trex.plan.engine_plan import EnginePlan
from trex.views.compare.groups import SHOWN, groups_table


@pytest.fixture(scope="module")
def comparison() -> PlanDiff:
    return PlanDiff(load_simulated("resnet18-int8"), load_simulated("resnet18-int8-residual"))


@pytest.fixture(scope="module")
def columns(comparison: PlanDiff) -> dict[str, tuple[Any, ...]]:
    table = groups_table(comparison)
    assert len(table.rows) == len(comparison.changes) and len(table.columns) > SHOWN
    return {column.name: values for column, values in zip(table.columns, zip(*table.rows, strict=True), strict=True)}


def test_differences_and_names_add_up(comparison, columns):
    known = [value for value in columns["difference"] if value is not None]
    fall = comparison.waterfall
    assert sum(known) == pytest.approx(fall.layers_right_ms - fall.layers_left_ms)
    names = [name for cell in columns["base_layers"] for name in cell.split("\n") if name]
    assert sorted(names) == sorted(layer.name for layer in comparison.left.working_layers)
    for new, speedup, change in zip(columns["new"], columns["speedup"], comparison.changes, strict=True):
        assert (new is None) == (not change.match.right) and speedup == change.speedup


def test_work_and_roofline_of_every_group(comparison, columns):
    for side, performance in (("base", comparison.left_performance), ("new", comparison.right_performance)):
        macs = [value for value in columns[f"{side}_macs"] if value is not None]
        assert sum(macs) == pytest.approx(sum(value for value in performance.roofline.macs if value == value))
        assert sum(macs) > 5e10  # ResNet18 at batch 32
        shares = [value for value in columns[f"{side}_roofline"] if value is not None]
        assert shares and all(0.0 < value < 150.0 for value in shares)
    assert any("kernel" in words for words in columns["new_kernels"])


def test_columns_have_their_kinds(comparison):
    kinds = {column.name: column.kind for column in groups_table(comparison).columns}
    assert (kinds["difference"], kinds["speedup"], kinds["new_bytes"], kinds["new_roofline"], kinds["cause"]) == (
        "ms", "number", "bytes", "pct", "text",
    )  # fmt: skip


def test_nothing_has_no_rows():
    nothing = EnginePlan(engine())
    assert groups_table(PlanDiff(nothing, nothing)).rows == ()
