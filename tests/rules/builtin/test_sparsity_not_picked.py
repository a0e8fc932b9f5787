"""Layers eligible for sparse kernels that were given none."""

from __future__ import annotations

from tests.raw_records import chain
from tests.rules.cases import finding, only_unchecked, plan_of, reports
from tests.rules.planting import Planter, setting, whole

RULE = "sparsity-not-picked"


def logged(**milestones: float):
    return plan_of(chain("a"), milestones=milestones)


def test_eligible_layers_without_sparse_kernels_are_counted():
    found = finding(RULE, logged(sparsity_eligible_layers=20, sparsity_picked_layers=0))
    assert [each.value for each in found.evidence] == [20, 0]


def test_layers_that_were_given_them_are_none():
    assert reports(RULE, logged(sparsity_eligible_layers=20, sparsity_picked_layers=10)) == []
    assert reports(RULE, logged(sparsity_eligible_layers=0, sparsity_picked_layers=0)) == []
    assert reports(RULE, plan_of(chain("a"), build={"Sparsity": "Disabled"})) == []
    assert len(reports(RULE, logged(sparsity_eligible_layers=20, sparsity_picked_layers=10), share=60.0)) == 1


def test_it_is_unchecked_without_the_log_or_its_end():
    assert "no build log" in only_unchecked(RULE, plan_of(chain("a"), build={"Sparsity": "Enabled"})).reason
    assert "ends before" in only_unchecked(RULE, logged(sparsity_eligible_layers=20)).reason


# ---- The defect that tests plant into engines, and its sound twin


PLANTER = Planter(
    whole(setting(milestones={"sparsity_eligible_layers": 20.0, "sparsity_picked_layers": 1.0})),
    whole(setting(milestones={"sparsity_eligible_layers": 20.0, "sparsity_picked_layers": 18.0})),
)
