"""The menus of tables: a choice for each type of layer, and none hides another."""

from __future__ import annotations

from tests.factories import engine, layer
from trex.jupyter.compared_engines import latency_tables
from trex.jupyter.report_card import tables
from trex.plan.engine_plan import EnginePlan


def test_a_type_hides_no_choice_of_ours() -> None:
    plan = EnginePlan(engine(layer("a", "All", outputs=["t"]), layer("b", "Tactic Mismatch", inputs=["t"])))
    assert list(tables(plan)) == ["All", "type All", "Tactic Mismatch"]
    menu = latency_tables(plan, plan, 0.01, exact=True)
    assert list(menu) == ["All", "Precision Mismatch", "Tactic Mismatch", "type All", "type Tactic Mismatch"]
