"""The section of operations of two engines."""

from __future__ import annotations

import pytest

from tests.compare.profiled import kernel, made, profiled
from tests.factories import engine
from trex.compare.plan_diff import PlanDiff
from trex.plan.engine_plan import EnginePlan
from trex.views.compare.frame import modules_frame, operations_frame
from trex.views.compare.sections.operations import make
from trex.views.document import Detail


def test_sums_and_the_largest_first():
    result = make(PlanDiff(made("resnet18-int8"), made("resnet18-int8-residual")), Detail(4))
    assert result is not None
    sums, operations, modules = result.tables
    *rows, total = sums.rows
    assert sum(row[1] for row in rows) == pytest.approx(total[1])
    assert sum(row[2] for row in rows) == pytest.approx(total[2])
    differences = [abs(row[4]) for row in operations.rows]
    assert differences == sorted(differences, reverse=True) and len(differences) == 4
    assert len(modules.rows) == 4
    ((_, rule),) = result.derivations
    assert rule.startswith("The time of a fused layer is attributed")


def test_what_is_not_named_is_unknown_not_zero():
    left = profiled([kernel(["Conv_0", "Relu_1"], "x0", "y")], [0.4])
    right = profiled([kernel(["Conv_9"], "x0", "y")], [0.2])
    result = make(PlanDiff(left, right), Detail())
    assert result is not None
    assert any("unknown, not zero" in statement for statement in result.statements)


def test_nothing_to_tell():
    nothing = EnginePlan(engine())
    assert make(PlanDiff(nothing, nothing), Detail()) is None
    bare = EnginePlan(made("resnet18-int8").engine)
    result = make(PlanDiff(bare, bare), Detail())
    assert result is not None and "is unknown" in result.statements[0] and not result.tables


def test_times_of_one_side_alone_compare_with_nothing():
    plan = made("resnet18-int8")
    result = make(PlanDiff(EnginePlan(plan.engine), plan), Detail())
    assert result is not None and "nothing is known of it" in result.statements[1]
    assert {row[1] for table in result.tables for row in table.rows} == {None}
    same = make(PlanDiff(plan, plan), Detail())
    assert same is not None and same.statements[0].startswith("No operation whose time is known")


def test_frames():
    comparison = PlanDiff(made("resnet18-int8"), made("resnet18-int8-residual"))
    frame = operations_frame(comparison)
    assert len(frame) == len(comparison.operations)
    assert frame.left_ms.sum() == pytest.approx(comparison.left_operation_times.operations_ms)
    modules = modules_frame(comparison)
    assert modules.left_ms.sum() == pytest.approx(comparison.left_operation_times.layers_ms)
    assert modules.right_ms.sum() == pytest.approx(comparison.right_operation_times.layers_ms)
    nothing = EnginePlan(engine())
    assert list(operations_frame(PlanDiff(nothing, nothing)).columns) == list(frame.columns)
    assert len(modules_frame(PlanDiff(nothing, nothing))) == 0
