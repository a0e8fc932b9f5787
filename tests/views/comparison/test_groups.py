"""Columns of layer groups: one value per change, which add up."""

from __future__ import annotations

import pytest
from trex.views.comparison.reading import read_comparison
from trex.views.performance.section import Detail

from tests.factories import engine
from trex.compare.plan_diff import PlanDiff
from trex.engine_plan import load_example
from trex.plan.engine_plan import EnginePlan
from trex.views.comparison.groups import FIRST, group_columns


def test_every_column_has_a_value_for_every_change():
    found = PlanDiff(load_example("resnet18-int8"), load_example("resnet18-int8-residual"))
    columns = {each.name: each for each in group_columns(found)}
    assert {len(each.values) for each in columns.values()} == {len(found.changes)} and len(columns) > FIRST
    known = [value for value in columns["difference"].values if value is not None]
    assert sum(known) == pytest.approx(found.waterfall.layers_right_ms - found.waterfall.layers_left_ms)
    names = [name for cell in columns["base_layers"].values for name in cell.split("\n") if name]
    assert sorted(names) == sorted(layer.name for layer in found.left.layers)
    for at, change in enumerate(found.changes):
        assert (columns["new"].values[at] is None) == (not change.match.right)
        assert columns["speedup"].values[at] == change.speedup


def test_work_and_roofline_of_every_group():
    found = PlanDiff(load_example("resnet18-int8"), load_example("resnet18-int8-residual"))
    columns = {each.name: each for each in group_columns(found)}
    for which, performance in (("base", found.left_performance), ("new", found.right_performance)):
        macs = [value for value in columns[f"{which}_macs"].values if value is not None]
        assert sum(macs) == pytest.approx(sum(each for each in performance.roofline.macs if each == each))
        assert sum(macs) > 5e10  # ResNet18 at batch 32
        shares = [value for value in columns[f"{which}_roofline"].values if value is not None]
        assert shares and all(0.0 < value < 150.0 for value in shares)
    data = next(content for name, _, content in read_comparison(found, Detail(5)).sections if name == "layers").data
    for at, each in enumerate(data["changes"]):
        assert each["base_multiply_adds"] == columns["base_macs"].values[at]
        assert each["new_bytes"] == columns["new_bytes"].values[at]
        assert each["new_at_roofline_pct"] == columns["new_roofline"].values[at]
        assert "\n".join(each["new_kernels"]) == columns["new_kernels"].values[at]
    assert any("kernel" in words for each in data["changes"] for words in each["new_kernels"])


def test_nothing_has_no_rows():
    nothing = EnginePlan(engine())
    assert all(list(each.values) == [] for each in group_columns(PlanDiff(nothing, nothing)))
