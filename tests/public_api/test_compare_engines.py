"""trex.compare_engines, as notebooks of TREx call it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import trex
from tests.raw_records import chain, layer, plan_of, tensor, times
from tests.simulated_examples import SIMULATED
from trex.jupyter.show import Tables, table_html

compare = trex.compare_engines


@pytest.fixture(scope="module")
def plans() -> list[trex.EnginePlan]:
    return [trex.load(str(SIMULATED / f"resnet18-{variant}")) for variant in ("int8", "int8-residual")]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would have been shown."""
    IPython = pytest.importorskip("IPython.display", reason="IPython is absent: pip install IPython")
    found: list[Any] = []
    monkeypatch.setattr(IPython, "display", lambda *objects: found.extend(objects))
    return found


def test_plans_keep_their_names(plans: list[trex.EnginePlan]) -> None:
    same = [plans[0], plans[1], plans[0]]
    assert compare.get_plans_names(same) == ["resnet18-int8 (1)", "resnet18-int8-residual", "resnet18-int8 (2)"]
    assert [plan.name for plan in plans] == ["resnet18-int8", "resnet18-int8-residual"]


def test_dimensions_formats_and_precisions_of_a_layer_or_a_row(plans: list[trex.EnginePlan]) -> None:
    plan = plans[0]
    place = next(place for place, each in enumerate(plan.layers) if len(each.inputs) > 1)
    fact = plan.layers[place]
    for each in (fact, fact.fact, plan.df.iloc[place]):
        dimensions = compare.get_io_dimensions(each, True)
        assert list(dimensions) == ["inputs", "outputs"]
        assert dimensions["inputs"] == [list((tensor.shape or ())[1:]) for tensor in fact.inputs]
        first = compare.get_io_dimensions(each, False)
        assert first == {side: shapes[:1] for side, shapes in dimensions.items()}
        assert [len(side.split(", ")) for side in compare.get_io_precisions(each)] == [len(fact.inputs), 1]
        formats = compare.get_io_formats(each)
        assert formats.startswith("in: ") and f"out: {fact.outputs[0].precision} " in formats
    assert compare.get_io_precisions(None) == ("", "")


def test_a_layer_of_one_plan_comes_behind_the_next_pair(plans: list[trex.EnginePlan]) -> None:
    left, right = trex.EnginePlan(chain("a", "b", "c", "d")), trex.EnginePlan(chain("a", "c", "d"))
    assert compare.match_layers(left, right, exact_matching=True) == [(0, 0), (2, 1), (1, None), (3, 2)]
    assert compare.match_layers(right, left, exact_matching=True) == [(0, 0), (None, 1), (1, 2), (2, 3)]


def test_pairs_become_one_table(plans: list[trex.EnginePlan]) -> None:
    pairs = compare.match_layers(*plans, exact_matching=True)
    before = [plan.df.copy() for plan in plans]
    table = compare.aligned_merge_plans(*plans, pairs)
    assert len(table) == len(pairs) and list(table.columns[-2:]) == [plan.name for plan in plans]
    pd.testing.assert_frame_equal(compare.aligned_merge_plans(*plans, matched_indices_pairs=pairs), table)
    for side, plan in enumerate(plans, 1):
        assert table[f"avg_time ({side})"].sum() == pytest.approx(plan.total_runtime)
        names = table[plan.name]
        assert sorted(names[names != ""]) == sorted(each.name for each in plan.layers)
    faster = table[table["speedup (2)"] > 1]
    assert len(faster) and (faster["avg_time (2)"] < faster["avg_time (1)"]).all()
    assert table["speedup (2)"].isna().sum() == sum(None in pair for pair in pairs)
    for plan, frame in zip(plans, before, strict=True):
        pd.testing.assert_frame_equal(plan.df, frame)


def test_rows_line_up(plans: list[trex.EnginePlan]) -> None:
    pairs = compare.match_layers(*plans, exact_matching=True)
    sides = compare.aligned_layers(*plans, pairs)
    assert len(sides[0]) == len(sides[1]) == len(pairs)
    for row, pair in enumerate(pairs):
        for side, plan, place in zip(sides, plans, pair, strict=True):
            assert side["id"][row] == place
            assert side["name"][row] == side["Name"][row] == ("" if place is None else plan.layers[place].name)
    assert (sides[0]["type"] == sides[1]["type"]).all()
    some = compare.aligned_layers(*plans, pairs, "Convolution")
    assert len(some[0]) == len(some[1]) >= 21 and "attr.macs" in some[0]
    assert set(some[0]["type"]) == {"Convolution"}
    with pytest.raises(trex.TrexError, match="neither engine") as caught:
        compare.aligned_layers(*plans, pairs, "Convolutoin")
    assert "Convolution" in caught.value.hint


def test_facts_stand_in_columns_or_rows(plans: list[trex.EnginePlan], shown: list[Any]) -> None:
    seen: list[pd.DataFrame] = []
    Tables.backend = lambda df, **options: seen.append(df)
    try:
        compare.compare_engines_summaries_tbl(plans)
        compare.compare_engines_summaries_tbl(plans, orientation="horizontal")
        with pytest.raises(trex.TrexError, match="orientation"):
            compare.compare_engines_summaries_tbl(plans, "diagonal")
    finally:
        Tables.backend = None
    assert list(seen[0].columns) == list(seen[1].index) == ["resnet18-int8", "resnet18-int8-residual"]
    pd.testing.assert_frame_equal(seen[0], seen[1].T)
    for plan, name in zip(plans, seen[0].columns, strict=True):
        facts = trex.summary_dict(plan)
        assert list(seen[0].index[:6]) == ["Inputs", "Outputs", "Average time", "Layers", "Weights", "Activations"]
        assert seen[0].loc[list(facts), name].to_dict() == facts


def test_the_overview_has_the_classic_views(plans: list[trex.EnginePlan], shown: list[Any]) -> None:
    pytest.importorskip("plotly", reason="plotly is absent: pip install plotly")
    pytest.importorskip("ipywidgets", reason="ipywidgets is absent: pip install ipywidgets")
    menu = compare.compare_engines_overview(plans)
    assert len(menu.choice_widget.options) >= 9
    for choice in menu.choice_widget.options:
        menu.dropdown_state_eventhandler(choice)
    titles = {each.layout.title.text for each in shown if hasattr(each, "layout") and hasattr(each, "data")}
    assert {"Throughput", "Latency", "Latency per layer type (ms)"} <= titles


def test_the_difference_has_charts(plans: list[trex.EnginePlan], shown: list[Any]) -> None:
    pytest.importorskip("plotly", reason="plotly is absent: pip install plotly")
    pytest.importorskip("ipywidgets", reason="ipywidgets is absent: pip install ipywidgets")
    menu = compare.compare_engines_differences(*plans)
    assert menu.choice_widget.options[0] == "Where the difference comes from"
    for choice in menu.choice_widget.options:
        menu.dropdown_state_eventhandler(choice)
    figures = [each for each in shown if hasattr(each, "layout") and hasattr(each, "data")]
    assert len(figures) > len(menu.choice_widget.options) - 1 and all(figure.data for figure in figures)


def test_pairs_are_offered_by_mismatch_and_type(plans: list[trex.EnginePlan], shown: list[Any]) -> None:
    pytest.importorskip("ipywidgets", reason="ipywidgets is absent: pip install ipywidgets")
    seen: list[pd.DataFrame] = []
    options: list[Any] = []

    def keep(df: pd.DataFrame, **words: Any) -> None:
        seen.append(df)
        options.append(words)

    Tables.backend = keep
    try:
        menu = compare.compare_engines_layer_latencies(*plans, threshold=0.03, exact_matching=True)
        choices = menu.choice_widget.options
        assert choices[:3] == ("All", "Precision Mismatch", "Tactic Mismatch") and "Convolution" in choices
        for choice in choices[1:]:
            menu.choice_widget.value = choice
    finally:
        Tables.backend = None
    tables = dict(zip(choices, seen, strict=True))
    assert sum(len(tables[choice]) for choice in choices[3:]) == len(tables["All"])
    unlike = tables["Precision Mismatch"]
    assert (
        len(unlike)
        and ((unlike["in-p (1)"] != unlike["in-p (2)"]) | (unlike["out-p (1)"] != unlike["out-p (2)"])).all()
    )
    assert (tables["Tactic Mismatch"]["tactic (1)"] != tables["Tactic Mismatch"]["tactic (2)"]).all()
    assert options[0] == {"range_highlights": compare.speedup_range_highlights("speedup (2)", 0.03)}


def test_details_of_a_pair_and_of_a_layer_without_counterpart(plans: list[trex.EnginePlan], shown: list[Any]) -> None:
    pytest.importorskip("ipywidgets", reason="ipywidgets is absent: pip install ipywidgets")
    seen: list[pd.DataFrame] = []
    Tables.backend = lambda df, **options: seen.append(df)
    try:
        menu = compare.compare_engines_layer_details(*plans)
        choices = menu.choice_widget.options
        menu.choice_widget.value = next(each for each in choices if each.endswith("(only in 1)"))
    finally:
        Tables.backend = None
    assert float(seen[0].loc["speedup (2)"].iloc[1]) > 0
    assert "speedup (2)" not in seen[-1].index and not seen[-1]["differs"].any()
    assert len(choices) == len(compare.match_layers(*plans, True))


def test_speedups_are_colored_in_the_table() -> None:
    ranges = compare.speedup_range_highlights("s", 0.03)
    frame = pd.DataFrame({"s": [1.5, 1.02, 0.5, math.nan], "name": ["<b>", "\ue000", "c", "d"]})
    html = table_html(frame, range_highlights=ranges)
    cells = html.split("<td")
    assert ["rgba" in cell for cell in cells[1:]] == [True, False, False, False, True, False, False, False]
    assert "&lt;b&gt;" in html and "1.02<" in html and ">NaN<" in html
    json.dumps(ranges)
    assert "rgba" not in table_html(frame)


# ------------------------------------------------------------------------------ what the original gets wrong


def test_a_time_of_zero_or_none_has_no_speedup(tmp_path: Path) -> None:
    sides = [
        plan_of(tmp_path, chain("a", "b", "c"), profile=times(("a", 2.0), ("b", 1.0), ("c", second)))
        for second in (1.0, 0.0)
    ]
    pairs = compare.match_layers(*sides, True)
    table = compare.aligned_merge_plans(*sides, pairs)
    assert list(table["speedup (2)"][:2]) == [1.0, 1.0] and math.isnan(table["speedup (2)"][2])
    unprofiled = trex.EnginePlan(chain("a", "b"))
    found = compare.aligned_merge_plans(unprofiled, unprofiled, [(0, 0), (1, 1)])
    assert found["speedup (2)"].isna().all() and found["avg_time (1)"].isna().all()


@pytest.mark.parametrize("exact", [True, False])
def test_layers_without_inputs_have_a_row(exact: bool) -> None:
    one, other = (trex.EnginePlan([layer("a", "Fill", [], ["y"])]) for _ in range(2))
    table = compare.aligned_merge_plans(one, other, compare.match_layers(one, other, exact))
    assert table[["in-p (1)", "out-p (1)", table.columns[-1]]].values.tolist() == [["", "FP16", "a"]]


def test_an_open_batch_is_that_of_the_run_or_unknown() -> None:
    from trex.core.metadata import Metadata
    from trex.plan.engine_plan import EnginePlan
    from trex.views.engines.plots import overview
    from trex.views.plot import Bars, Empty

    def plan(dims: list[int], shapes: str = "") -> EnginePlan:
        engine = trex.EnginePlan([layer("a", "kgen", [tensor("x", dims)], [tensor("y", dims)])]).engine
        facts = Metadata(inference_options={"Input Inference Shape": shapes}, performance={"Throughput": 10.0})
        return EnginePlan(engine, metadata=facts)

    known = overview([plan([-1, 3], "x=4x3")])["Throughput"]()
    assert isinstance(known, Bars) and list(known.values) == [40.0]
    assert isinstance(overview([plan([-1, 3])])["Latency per item of the batch"](), Empty)
