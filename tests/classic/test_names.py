"""Names where TREx had them: star imports, modules with the names that they imported, and what stays light."""

from __future__ import annotations

import importlib
import math

import pytest

import trex
from tests.public_api.test_lobby import imported_by
from tests.simulated_examples import load_simulated

FILES = (
    *trex._CLASSIC_FILES,
    "archiving",
    "compare_engines",
    "excel_summary",
    "interactive",
    "notebook",
    "report_card",
)
# What modules of TREx imported from one another or from libraries, and scripts came to use.
REEXPORTS = {
    "graphing": "precision_colormap layer_colormap EnginePlan Layer Activation np",
    "engine_plan": "Layer fold_no_ops import_graph_file fix_df create_activations pd np warnings",
    "report_card": "plotly_bar2 plotly_pie2 display_df section_header InteractiveDiagram partial plotting graphing pd",
    "compare_engines": "EnginePlan report_card_perf_overview display_df stacked_bars group_count pd",
    "lint": "EnginePlan pd OrderedDict",
    "df_preprocessing": "shape_to_str Activation pd",
    "excel_summary": "clean_for_display report_card_perf_overview EnginePlan",
    "interactive": "display_df",
    "layer": "Activation",
}


@pytest.mark.parametrize("file", REEXPORTS)
def test_modules_have_the_names_that_they_imported(file: str) -> None:
    module = importlib.import_module(f"trex.{file}")
    for name in REEXPORTS[file].split():
        assert getattr(module, name) is not None, name


@pytest.mark.parametrize("file", FILES)
def test_a_name_that_nobody_has_is_an_error(file: str) -> None:
    module = importlib.import_module(f"trex.{file}")
    with pytest.raises(AttributeError, match=f"module 'trex.{file}' has no attribute 'no_such_name'"):
        _ = module.no_such_name
    assert not hasattr(module, "_no_such_name")


def test_one_class_whichever_module_it_is_imported_from() -> None:
    for file in FILES:
        for name in ("EnginePlan", "Layer", "Activation"):
            assert getattr(importlib.import_module(f"trex.{file}"), name) is getattr(trex, name), (file, name)


def test_star_imports_of_notebooks() -> None:
    pytest.importorskip("plotly")
    brought: dict = {}
    exec("from trex import *\nfrom trex.notebook import *\nfrom trex.report_card import *", brought)
    exec("from trex.compare_engines import *\nfrom trex.plotting import *", brought)
    assert {"graphing", "plotting", "partial", "display", "px", "match_layers"} <= set(brought)
    assert brought["px"].__name__ == "plotly.express"


def test_functions_of_plotting_are_in_the_lobby() -> None:
    assert trex.plotly_bar2 is trex.plotting.plotly_bar2
    assert trex.Region is trex.graphing.Region and trex.LayerNode is trex.graphing.LayerNode


def test_the_lobby_stays_light() -> None:
    assert not {"pandas", "numpy", "plotly"} & imported_by("import trex; hasattr(trex, 'nothing'); dir(trex)")
    assert "plotly" not in imported_by("import trex; trex.plotting")


def test_the_latency_of_a_layer_by_name() -> None:
    plan = load_simulated("resnet18-int8")
    row = plan.df.iloc[3]
    for kind in trex.graphing.latency_types:
        assert trex.graphing._get_latency(plan, plan.find(row["Name"]), kind) == row[f"latency.{kind}"]
    stranger = trex.Layer({"Name": "no such layer", "LayerType": "NoOp", "Inputs": [], "Outputs": []})
    assert math.isnan(trex.graphing._get_latency(plan, stranger, "avg_time"))
