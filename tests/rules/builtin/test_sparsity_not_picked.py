"""Layers eligible for sparse kernels that were given none."""

from __future__ import annotations

from tests.raw_records import chain
from tests.rules.making import answers, finding, plan_of, untold

RULE = "sparsity_not_picked"


def logged(**milestones: float):
    return plan_of(chain("a"), milestones=milestones)


def test_eligible_layers_without_sparse_kernels_are_counted():
    found = finding(RULE, logged(sparsity_eligible_layers=20, sparsity_picked_layers=0))
    assert [each.value for each in found.evidence] == [20, 0]


def test_layers_that_were_given_them_are_none():
    assert answers(RULE, logged(sparsity_eligible_layers=20, sparsity_picked_layers=10)) == []
    assert answers(RULE, logged(sparsity_eligible_layers=0, sparsity_picked_layers=0)) == []
    assert answers(RULE, plan_of(chain("a"), build={"Sparsity": "Disabled"})) == []
    assert len(answers(RULE, logged(sparsity_eligible_layers=20, sparsity_picked_layers=10), share=60.0)) == 1


def test_it_cannot_be_told_without_the_log_or_its_end():
    assert "no log" in untold(RULE, plan_of(chain("a"), build={"Sparsity": "Enabled"})).reason
    assert "ends before" in untold(RULE, logged(sparsity_eligible_layers=20)).reason
