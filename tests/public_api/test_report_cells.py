"""Cells of charts, tables, report card and workbook as users of TREx wrote them, run on every bundled engine.

The calls follow the classic signatures; each cell stands for one kind of cell of the classic notebooks.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import Any

import pytest

from tests.simulated_examples import SIMULATED

pytest.importorskip("plotly", reason="plotly is absent: pip install plotly")
pytest.importorskip("ipywidgets", reason="ipywidgets is absent: pip install ipywidgets")
pytest.importorskip("xlsxwriter", reason="xlsxwriter is absent: pip install xlsxwriter")
pytestmark = pytest.mark.slow

EXAMPLES = ("resnet18-fp16", "resnet18-int8", "resnet18-int8-residual", "transformer-fp16")

HEAD = """
    import IPython
    import pandas as pd
    import plotly.express as px
    from ipywidgets import widgets
    from trex import *
    from trex.notebook import *
    from trex.plotting import *
    from trex.report_card import *
    from trex.interactive import *
    from trex.excel_summary import *
    from trex.graphing import *

    set_wide_display()
    plan = EnginePlan(
        f"{engine_name}.graph.json", f"{engine_name}.profile.json", f"{engine_name}.profile.metadata.json")
"""

CELLS = {
    "summary": """
        plan.summary()
        print(f"Summary of {plan.name}:\\n"); print_summary(plan)
        summary = summary_dict(plan)
    """,
    "columns and tables": """
        df = plan.df
        available = df.columns
        display_df(df)
        display_df(clean_for_display(df))
        set_table_display_backend(display_df_html)
        display_df(clean_for_display(df), range_highlights=None)
    """,
    "layer types": """
        layer_types = group_count(plan.df, 'type')
        plotly_bar2(df=layer_types, title='Layer Count By Type', values_col='count', names_col='type',
            orientation='v', color='type', colormap=layer_colormap, show_axis_ticks=(True, True))
    """,
    "slowest layers": """
        top3 = plan.df.nlargest(3, 'latency.pct_time')
        display_df(clean_for_display(top3))
    """,
    "latency bars and histogram": """
        plotly_bar2(plan.df, "% Latency Budget Per Layer", "latency.pct_time", "Name",
            color='type', use_slider=False, colormap=layer_colormap)
        plotly_hist(plan.df, "Layer Latency Distribution", "latency.pct_time", "Latency (ms)",
            color='type', colormap=layer_colormap)
    """,
    "time by type": """
        time_pct_by_type = plan.df.groupby(["type"])[["latency.pct_time", "latency.avg_time"]].sum().reset_index()
        display_df(time_pct_by_type)
        plotly_bar2(time_pct_by_type, "% Latency Budget Per Layer Type", "latency.pct_time", "type",
            orientation='h', color='type')
    """,
    "treemaps": """
        fig = px.treemap(plan.df, path=['type', 'Name'], values='latency.pct_time', title='Treemap Of Layer Latencies')
        fig = px.treemap(plan.df, path=['type', 'Name'], values='latency.pct_time', color='total_footprint_bytes')
    """,
    "memory": """
        plotly_bar2(plan.df, "Layer Sizes", "weights_size", "Name", color='type', colormap=layer_colormap)
        plotly_bar2(plan.df, "Activations", "total_io_size_bytes", "Name", color='type', colormap=layer_colormap)
        plotly_hist(plan.df, "Distribution", "total_footprint_bytes", "Size (bytes)", color='type')
    """,
    "precisions": """
        charts = []
        layer_precisions = group_count(plan.df, 'precision')
        charts.append((layer_precisions, 'Layer Count By Precision', 'count', 'precision'))
        time_by_precision = group_sum_attr(plan.df, grouping_attr='precision', reduced_attr='latency.pct_time')
        charts.append((time_by_precision, '% Latency Budget By Precision', 'latency.pct_time', 'precision'))
        plotly_pie2("Precision Statistics", charts, colormap=precision_colormap)
        plotly_pie(layer_precisions, "Precisions", 'count', 'precision', colormap=precision_colormap)
    """,
    "convolutions": """
        convs = plan.get_layers_by_type('Convolution')
        display_df(convs)
        convs = annotate_convolutions(filter_by_layer(plan.df, 'Convolution'))
        plotly_bar2(convs, "Arithmetic Intensity", "attr.arithmetic_intensity", "Name")
        plotly_bar2(convs, "Compute Efficiency", "attr.compute_efficiency", "Name", color='latency.avg_time')
        convs = plan.get_layers_by_type('Convolution')
        plotly_pie2("Convolutions", [
            (group_count(convs, 'subtype'), 'Subtypes', 'count', 'subtype'),
            (group_count(convs, 'attr.groups'), 'Groups', 'count', 'attr.groups'),
            (group_count(convs, 'attr.kernel'), 'Kernels', 'count', 'attr.kernel')])
    """,
    "report card": """
        layer_latency_sunburst(plan.df, "Layers Latency Sunburst (%)")
        report_card_table_view(plan)
        report_card_perf_overview_widget(plan)
        report_card_memory_footprint_widget(plan)
        report_card_convolutions_overview_widget(plan.get_layers_by_type('Convolution'))
        report_card_reformat_overview(plan)
        report_card_pointwise_lint(plan)
        report_card_gemm_MNK(plan)
        report_card_gemm_MNK_scatter(plan)
        report_card_efficiency_vs_latency_3d(plan)
        report_card_perf_scatter(plan)
    """,
    "graphs": """
        report_card_draw_plan_graph(plan, engine_name)
        report_card_draw_plan_graph_extended(plan, engine_name)
        graph = to_dot(plan, layer_type_formatter)
        svg_name = render_dot(graph, engine_name, 'svg')
    """,
    "timings": """
        plot_engine_timings(f"{engine_name}.timing.json")
    """,
    "tactics": """
        tactics = plan.df.groupby(["tactic"])[["latency.pct_time", "latency.avg_time"]].sum().reset_index()
        plotly_bar2(tactics, "Latency Budget Per Tactic", "latency.pct_time", "tactic", orientation='h')
        count = group_count(plan.df, 'tactic')
        plotly_bar2(count, "Tactic Count", "count", "tactic", orientation='h')
    """,
    "workbook": """
        excel_summary = ExcelSummary(plan, path="default.xlsx")
        excel_summary.generate_default_summary()
        excel_summary = ExcelSummary(plan, path="custom.xlsx")
        excel_summary.add_dataframes({"dataframe 1": plan.df, "dataframe 2": clean_for_display(plan.df)})
        excel_summary.save()
        with ExcelSummary(plan, path="with.xlsx") as excel_summary:
            excel_summary.add_dataframes({"dataframe": plan.df})
    """,
    "queries, activations and groups": """
        slow = plan.df.query("`latency.pct_time` > 3")
        for _, layer in plan.df.iterrows():
            inputs, outputs = create_activations(layer)
            assert inputs[0].size_bytes >= 0 and outputs[0].tooltip() if inputs and outputs else True
        convs = plan.get_layers_by_type('Convolution')
        convs_1x1 = convs[convs['attr.kernel'] == (1, 1)]
        mean = group_mean_attr(plan.df, grouping_attr=['type', 'precision'], reduced_attr='latency.avg_time')
    """,
    "comparison": """
        plans = [plan, EnginePlan(f"{engine_name}.graph.json", f"{engine_name}.profile.json", name="other")]
        names = [each.name for each in plans]
        display_df(pd.DataFrame([summary_dict(each) for each in plans], index=names).T)
        sums = [group_sum_attr(each.df, 'type', 'latency.avg_time') for each in plans]
        stacked_bars("Latency By Type", names, sums, 'type', 'latency.avg_time', colormap=layer_colormap)
        stacked_tabular(names, sums, 'type', 'latency.avg_time')
        latencies = stack_dataframes(sums, 'type', 'latency.avg_time')
        def each_plan(name):
            report_card_table_view(plans[names.index(name)])
        InteractiveDiagram(each_plan, names, 'Engine:')
        InteractiveDiagram_2({name: partial(print, name) for name in names}, 'Engine:')
    """,
}


@pytest.fixture(params=EXAMPLES)
def engine_name(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A bundled engine's files copied to where a cell may write; the stem of their paths."""
    folder = SIMULATED / request.param
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    return str(tmp_path / request.param)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would have been shown, in the cell or by a figure."""
    import IPython.display
    import plotly.graph_objects as go

    from trex.jupyter.show import Tables

    found: list[Any] = []
    monkeypatch.setattr(IPython.display, "display", lambda *objects: found.extend(objects))
    monkeypatch.setattr(go.Figure, "show", lambda figure: found.append(figure))
    monkeypatch.setattr(Tables, "backend", None)
    return found


@pytest.mark.parametrize("kind", CELLS)
def test_a_classic_cell_runs(kind: str, engine_name: str, shown: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    if engine_name.endswith("transformer-fp16") and "attr.kernel" in CELLS[kind]:
        pytest.skip("an engine without convolutions has no column of their kernels")
    names: dict[str, Any] = {"engine_name": engine_name}
    exec(compile(dedent(HEAD) + dedent(CELLS[kind]), f"<{kind}>", "exec"), names)
    done = SimpleNamespace(**{name: value for name, value in names.items() if not name.startswith("__")})
    assert (
        len(shown) > 1 or capsys.readouterr().out or kind in ("treemaps", "workbook", "queries, activations and groups")
    )
    if kind == "workbook":
        for name in ("default.xlsx", "custom.xlsx", "with.xlsx"):
            assert Path(name).read_bytes()[:2] == b"PK"
    if kind == "comparison":
        assert all(first == second for first, second in done.latencies.values())
