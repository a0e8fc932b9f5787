"""The section of causes: possible misreadings are explained."""

from __future__ import annotations

from array import array

import pytest

from tests.compare.profiled import chained
from trex.compare.plan_diff import PlanDiff
from trex.core.timings import QueryTimes
from trex.plan.engine_plan import EnginePlan
from trex.views.compare.sections.causes import SECTION
from trex.views.document import Detail


def whole(plan: EnginePlan, ms: float) -> EnginePlan:
    values = array("d", [ms * (1.0 + 0.001 * (at % 7)) for at in range(400)])
    return EnginePlan(plan.engine, plan.layer_times, QueryTimes({"computeMs": values, "latencyMs": values}))


@pytest.mark.parametrize(("per_layer", "is_said"), [(-0.006, True), (0.006, False)])
@pytest.mark.parametrize("fewer", [True, False])
def test_that_measuring_layers_costs_time_is_said_where_more_of_them_seem_to_save_it(per_layer, is_said, fewer):
    sides = [whole(chained([0.1] * count), count * (0.1 + per_layer)) for count in (5, 8)]
    base, new = reversed(sides) if fewer else sides
    content = SECTION.make(PlanDiff(base, new), Detail())
    assert content is not None
    texts = [words for words in content.statements if words.startswith("Number of launches: profiling adds")]
    assert bool(texts) is is_said
