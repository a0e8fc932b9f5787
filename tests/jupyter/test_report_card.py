"""The menus of tables and charts: a choice for each type of layer, none hides another, and all say what is in doubt."""

from __future__ import annotations

import pytest

from tests.compare.profiled import chained
from tests.factories import engine, layer
from trex.core.note import Note
from trex.jupyter import compared_engines
from trex.jupyter.compared_engines import difference_charts, latency_tables
from trex.jupyter.report_card import tables
from trex.plan.engine_plan import EnginePlan
from trex.views.engines.tables import details, merged
from trex.views.plot import Empty, Plot


def test_a_type_hides_no_choice_of_ours() -> None:
    plan = EnginePlan(engine(layer("a", "All", outputs=["t"]), layer("b", "Tactic Mismatch", inputs=["t"])))
    assert list(tables(plan)) == ["All", "type All", "Tactic Mismatch"]
    menu = latency_tables(plan, plan, 0.01, exact=True)
    assert list(menu) == ["All", "Precision Mismatch", "Tactic Mismatch", "type All", "type Tactic Mismatch"]


def test_tables_and_charts_of_a_pair_say_that_times_are_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    sound, doubted = chained([0.1, 0.2]), chained([0.1, 0.3])
    failed = EnginePlan(
        doubted.engine, doubted.layer_times, name="failed", notes=(Note("run-failed", "wrong", severity="problem"),)
    )
    shown: list[Plot | Empty] = []
    monkeypatch.setattr(compared_engines, "figure_of", shown.append)
    monkeypatch.setattr(compared_engines, "show_figure", lambda figure: figure)
    for right, words in ((failed, " · times in doubt"), (doubted, "")):
        for frame in (merged(sound, right, [(0, 0)]), details(sound, right, (0, 0))):
            statement = frame.attrs.get("statement", "")
            assert statement == ("failed: times can't be trusted (run-failed): wrong" if words else "")
        for title, show in difference_charts(sound, right).items():
            show()
            plot = shown.pop()
            assert isinstance(plot, Plot) and plot.title == f"{title}{words}"
