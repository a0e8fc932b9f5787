"""Explore TensorRT engines: what was built, what it costs, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

# The lobby is lazy (PEP 562): a name is imported from its public file when it is first asked for, so that importing
# the package costs milliseconds and brings neither pandas nor numpy.
_NAMES = {
    "activations": ("Activation", "create_activations"),
    "build_logs": ("BuildTactics", "ChangedTactics", "tactics", "write_example_log"),
    "colors": (
        "GRID_COLOR",
        "NVDA_GREEN",
        "UNKNOWN_KEY_COLOR",
        "default_pallete",
        "layer_colormap",
        "precision_colormap",
    ),
    "df_preprocessing": (
        "annotate_convolutions",
        "change_col_order",
        "clean_df",
        "clean_for_display",
        "clean_io",
        "drop_columns",
        "filter_by_layer",
        "fix_df",
        "layer_attributes",
    ),
    "engine_plan": ("EnginePlan", "TrexError", "load", "load_all", "load_example", "print_summary", "summary_dict"),
    "graphing": (
        "DotGraph",
        "Edge",
        "LayerNode",
        "MemoryNode",
        "OnnxGraph",
        "PlanGraph",
        "PortDesc",
        "Region",
        "RegionGeneration",
        "draw",
        "latency_types",
        "layer_node_configurable_renderer",
        "layer_node_formatters",
        "layer_node_highlighter",
        "layer_node_renderer_keras",
        "layer_node_renderer_simple",
        "layer_node_renderers",
        "layer_precision_formatter",
        "layer_type_formatter",
        "region_precision_formatter",
        "render_dot",
        "to_dot",
    ),
    "layer": ("Layer", "fold_no_ops"),
    "lint": (
        "ConvLinter",
        "EngineLintResult",
        "Evidence",
        "Finding",
        "QDQLinter",
        "RankedFinding",
        "ReformatLinter",
        "Severity",
        "SliceLinter",
        "Suppression",
        "Unchecked",
        "lint_engine",
    ),
    "misc": ("group_count", "group_mean_attr", "group_sum_attr", "shape_to_str", "stack_dataframes", "stack_dicts"),
    "parser": (
        "get_builder_config",
        "get_device_properties",
        "get_performance_summary",
        "import_graph_file",
        "read_graph_file",
        "read_json",
        "read_metadata_file",
        "read_perf_metadata_file",
        "read_profiling_file",
        "read_timing_file",
    ),
    "plotting": (
        "create_layout",
        "plotly_bar2",
        "plotly_hist",
        "plotly_pie",
        "plotly_pie2",
        "rotate_columns",
        "stacked_bars",
        "stacked_tabular",
        "stacked_tabular_df",
        "trex_base_layout",
    ),
    "quantization": ("Quantization", "qdq"),
    "roofline": ("Device", "Performance", "add_performance", "find_device", "performance"),
    "run_store": ("Store", "StoredRun"),
    "simulation": ("WhatIf", "available_backend", "expected_ms", "process", "simulate", "what_if", "write_network"),
    "timing_caches": ("CacheComparison", "CachedTactics", "TacticVerification", "read_timing_cache"),
}
# ``trex.NAME`` works, ``from trex import *`` leaves their names alone
_OTHER_FILES: tuple[str, ...] = (
    "archiving",
    "compare_engines",
    "comparison",
    "excel_summary",
    "interactive",
    "notebook",
    "report_card",
)
# What ``from trex import *`` also gave in TREx: its own modules and what they had imported.
_CLASSIC_FILES = (
    "activations",
    "colors",
    "df_preprocessing",
    "engine_plan",
    "graphing",
    "layer",
    "lint",
    "misc",
    "parser",
    "plotting",
)
_CLASSIC_IMPORTS = {
    "BinaryIO": "typing",
    "Dict": "typing",
    "List": "typing",
    "OrderedDict": "collections",
    "Tuple": "typing",
    "deepcopy": "copy",
    "defaultdict": "collections",
    "functools": "",
    "json": "",
    "np": "numpy",
    "ntpath": "",
    "pd": "pandas",
    "re": "",
    "warnings": "",
}
_FILE_OF = {name: file for file, names in _NAMES.items() for name in names}

__all__ = ["__version__", *sorted({*_FILE_OF, *_CLASSIC_FILES, *_CLASSIC_IMPORTS})]

if TYPE_CHECKING:
    __version__: str
    from trex.activations import *  # noqa: F403
    from trex.build_logs import *  # noqa: F403
    from trex.colors import *  # noqa: F403
    from trex.df_preprocessing import *  # noqa: F403
    from trex.engine_plan import *  # noqa: F403
    from trex.graphing import *  # noqa: F403
    from trex.layer import *  # noqa: F403
    from trex.lint import *  # noqa: F403
    from trex.misc import *  # noqa: F403
    from trex.parser import *  # noqa: F403
    from trex.plotting import *  # noqa: F403
    from trex.quantization import *  # noqa: F403
    from trex.roofline import *  # noqa: F403
    from trex.run_store import *  # noqa: F403
    from trex.simulation import *  # noqa: F403
    from trex.timing_caches import *  # noqa: F403


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _FILE_OF:
        value = getattr(import_module(f"trex.{_FILE_OF[name]}"), name)
        globals()[name] = value
        return value
    if name in _NAMES or name in _OTHER_FILES:
        return import_module(f"trex.{name}")
    if name == "__version__":
        return globals().setdefault(name, _installed_version())
    if name in _CLASSIC_IMPORTS:
        module = import_module(_CLASSIC_IMPORTS[name] or name)
        return getattr(module, name, module)
    # name and obj let the interpreter suggest similar names
    import sys

    raise AttributeError(f"module 'trex' has no attribute {name!r}", name=name, obj=sys.modules[__name__])


def _installed_version() -> str:
    """The version that was installed; unknown for sources that were not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("tensorrt-engine-explorer")
    except PackageNotFoundError:
        return "0+unknown"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_NAMES, *_OTHER_FILES})


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext trex``: the magic ``%trex summary PATH`` shows a command's document in the cell."""
    from trex.notebook import load_magic

    load_magic(shell)


def _reexported(module: str) -> Any:
    """The ``__getattr__`` of a public file: TREx's modules also had the names that they imported from one another."""

    def other_files_name(name: str) -> Any:
        if not name.startswith("_"):
            if name in _FILE_OF or name in _CLASSIC_IMPORTS or name in _NAMES or name in _OTHER_FILES:
                return __getattr__(name)
            for file in _OTHER_FILES:
                other = __getattr__(file)
                if name in other.__all__:
                    return getattr(other, name)
        import sys

        raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name, obj=sys.modules[module])

    return other_files_name
