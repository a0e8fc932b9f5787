"""Columns of layer groups: one value per change, which add up."""

from __future__ import annotations

import pytest

from tests.factories import engine
from trex.compare.comparison import Comparison
from trex.engine_plan import load_example
from trex.plan.engine_plan import EnginePlan
from trex.views.comparison.groups import FIRST, group_columns


def test_every_column_has_a_value_for_every_change():
    found = Comparison(load_example("resnet18-int8"), load_example("resnet18-int8-residual"))
    columns = {each.name: each for each in group_columns(found)}
    assert {len(each.values) for each in columns.values()} == {len(found.changes)} and len(columns) > FIRST
    known = [value for value in columns["difference"].values if value is not None]
    assert sum(known) == pytest.approx(found.waterfall.layers_right_ms - found.waterfall.layers_left_ms)
    names = [name for cell in columns["base_layers"].values for name in cell.split("\n") if name]
    assert sorted(names) == sorted(layer.name for layer in found.left.layers)
    for at, change in enumerate(found.changes):
        assert (columns["new"].values[at] is None) == (not change.match.right)
        assert columns["speedup"].values[at] == change.speedup


def test_nothing_has_no_rows():
    nothing = EnginePlan(engine())
    assert all(list(each.values) == [] for each in group_columns(Comparison(nothing, nothing)))
