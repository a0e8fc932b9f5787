"""The lobby: ``import trex`` is light, every name it promises is there, and star imports bring the classic names."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import trex

PACKAGE = Path(trex.__file__).resolve().parent
ROOT = PACKAGE.parent

# What ``from trex import *`` gave in TREx 0.2.1, by the module that defines it; leaked imports left out.
CLASSIC = {
    "activations": "Activation create_activations",
    "colors": "GRID_COLOR NVDA_GREEN UNKNOWN_KEY_COLOR default_pallete layer_colormap precision_colormap",
    "df_preprocessing": "annotate_convolutions change_col_order clean_df clean_for_display clean_io drop_columns "
    "filter_by_layer fix_df layer_attributes",
    "engine_plan": "EnginePlan print_summary summary_dict",
    # of ``trex.graphing``, which no star import brought; here it does
    "graphing": "DotGraph OnnxGraph PlanGraph latency_types layer_node_formatters layer_node_renderers "
    "layer_precision_formatter layer_type_formatter render_dot to_dot",
    "layer": "Layer fold_no_ops",
    "lint": "ConvLinter QDQLinter ReformatLinter SliceLinter",
    "misc": "group_count group_mean_attr group_sum_attr shape_to_str stack_dataframes stack_dicts",
    "parser": "get_builder_config get_device_properties get_performance_summary import_graph_file read_graph_file "
    "read_json read_metadata_file read_perf_metadata_file read_profiling_file read_timing_file",
}


def public_files() -> set[str]:
    return {file.stem for file in PACKAGE.glob("*.py") if not file.stem.startswith("__")}


def imported_by(code: str) -> set[str]:
    """Modules loaded after a fresh interpreter has run ``code``."""
    program = f"import sys, json\nsys.path.insert(0, {str(ROOT)!r})\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_importing_the_package_brings_no_library() -> None:
    modules = imported_by("import trex; trex.__version__; dir(trex)")
    assert not {"pandas", "numpy", "orjson", "rich", "plotly", "zstandard"} & modules
    assert {m for m in modules if m.startswith("trex")} == {"trex"}


@pytest.mark.parametrize("name", trex.__all__)
def test_every_promised_name_is_there(name: str) -> None:
    assert getattr(trex, name) is not None
    assert name in dir(trex)


def test_every_public_file_is_an_attribute() -> None:
    assert {*trex._NAMES, *trex._OTHER_FILES} == public_files()
    for name in sorted(public_files()):
        assert getattr(trex, name) is importlib.import_module(f"trex.{name}")


def test_submodules_need_no_import_of_their_own() -> None:
    assert "trex.engine_plan" in imported_by("import trex; trex.engine_plan.EnginePlan")


@pytest.mark.parametrize("file", trex._NAMES)
def test_the_lobby_offers_what_a_public_file_offers(file: str) -> None:
    module = importlib.import_module(f"trex.{file}")
    assert sorted(trex._NAMES[file]) == sorted(set(module.__all__) - {"px"})
    for name in trex._NAMES[file]:
        assert getattr(trex, name) is getattr(module, name)


def test_star_import_brings_the_classic_names() -> None:
    brought: dict = {}
    exec("from trex import *", brought)
    there = public_files()
    expected = {name for module, names in CLASSIC.items() if module in there for name in names.split()}
    assert expected <= set(brought)
    assert {"load", "load_example"} <= set(brought)
    assert {"graphing", "plotting", "engine_plan", "pd", "np", "json", "re", "defaultdict", "Tuple"} <= set(brought)
    assert {"Edge", "Region", "plotly_bar2"} <= set(brought)
    assert brought["graphing"] is trex.graphing and brought["pd"].__name__ == "pandas"


def test_the_lobby_draws() -> None:
    names = "to_dot render_dot PlanGraph DotGraph OnnxGraph layer_type_formatter layer_precision_formatter draw"
    for name in names.split():
        assert getattr(trex, name) is getattr(trex.graphing, name)
    modules = imported_by("import trex; trex.to_dot; trex.draw; trex.render_dot")
    assert not {"pandas", "graphviz", "onnx", "IPython", "typst"} & modules


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    imports = [f"from trex.{file} import *" for file in trex._NAMES]
    assert [ast.unparse(node) for node in block.body] == ["__version__: str", *imports]


def test_a_misspelled_name_is_corrected() -> None:
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import trex; trex.EnginPlan"
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "module 'trex' has no attribute 'EnginPlan'. Did you mean: 'EnginePlan'?" in done.stderr


def test_a_missing_name_is_an_attribute_error() -> None:
    assert not hasattr(trex, "no_such_name")
    with pytest.raises(ImportError):
        exec("from trex import no_such_name")
