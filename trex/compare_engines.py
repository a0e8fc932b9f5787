"""Compare engines side by side in tables and menus of a notebook.

Differs from NVIDIA's TREx: plans keep their names; layers of one name pair up first; a speed-up is NaN if an engine has
no such layer or no time; layers without inputs pair up too; a dynamic batch is that of the run.
``trex.comparison.compare`` explains differences, tests their significance and matches layers with different fusions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from trex import _reexported
from trex.classic.pairs import Dimensions, aligned, in_classic_order, io_dimensions, io_formats_text, merged
from trex.classic.views_of_facts import fact_of
from trex.compare.classic_pairs import Pair, classic_pairs
from trex.core.layer import Layer as _Layer
from trex.engine_plan import EnginePlan, summary_dict
from trex.jupyter.compared_engines import difference_charts, latency_tables, overviews, pair_tables
from trex.jupyter.highlights import speedup_ranges
from trex.jupyter.pickers import Picker
from trex.jupyter.report_card import picker
from trex.jupyter.show import Tables
from trex.layer import Layer
from trex.plan.frames import row_as_record
from trex.views.engines import tables
from trex.views.engines.names import plan_names

if TYPE_CHECKING:
    import pandas as pd

    AnyLayer = Layer | _Layer | pd.Series  # a row of plan.df

__all__ = [
    "aligned_layers",
    "aligned_merge_plans",
    "compare_engines_differences",
    "compare_engines_layer_details",
    "compare_engines_layer_latencies",
    "compare_engines_overview",
    "compare_engines_summaries_tbl",
    "get_io_dimensions",
    "get_io_formats",
    "get_io_precisions",
    "get_plans_names",
    "match_layers",
    "speedup_range_highlights",
]


def get_plans_names(plans: Sequence[EnginePlan]) -> list[str]:
    """One name per plan; repeated names become ``name (1)``, ``name (2)`` … No plan is renamed."""
    return plan_names(plans)


def compare_engines_overview(plans: Sequence[EnginePlan]) -> Picker:
    """A menu of charts of all engines: time and layers by type and precision, latency, throughput."""
    return picker(overviews(plans), "Engines:")


def compare_engines_differences(plan1: EnginePlan, plan2: EnginePlan) -> Picker:
    """A menu of charts of the difference by cause, layer and module. Not in TREx."""
    return picker(difference_charts(plan1, plan2), "Differences:")


def compare_engines_summaries_tbl(plans: Sequence[EnginePlan], orientation: str = "vertical") -> Any:
    """Shows ``trex.summary_dict`` of every engine in one column (``vertical``) or one row (``horizontal``)."""
    return Tables.show(tables.facts_of_engines(plans, orientation, summary_dict))


def get_io_dimensions(layer: AnyLayer, use_all_tensors: bool) -> Dimensions:
    """``{"inputs": [[3, 224, 224]], "outputs": [[1000]]}``: shapes without the batch, of all tensors or of the first of
    each; None for an unknown shape or dimension.
    """
    return io_dimensions(_fact(layer), use_all_tensors)


def get_io_formats(layer: AnyLayer) -> str:
    """Types, layouts and shapes: ``in: FP32 NCHW:[1, 3, 224, 224], out: Int8 NC/4HW4:[1, 3, 224, 224]``."""
    return io_formats_text(_fact(layer))


def get_io_precisions(layer: AnyLayer | None) -> tuple[str, str]:
    """Types of (inputs, outputs): ``("INT8, FP16", "FP16")``; ``("", "")`` without a layer."""
    return ("", "") if layer is None else tables.io_precisions(_fact(layer))


def match_layers(plan1: EnginePlan, plan2: EnginePlan, exact_matching: bool) -> list[Pair]:
    """[(index in plan1.layers, index in plan2.layers)], None if an engine has no such layer.

    Layers pair up by type and shapes without the batch: of all tensors if ``exact_matching``, else of the first input
    and output. Among equal layers, those of one name pair up first, then in order. A layer that only plan1 has comes
    behind the next pair.
    """
    return in_classic_order(classic_pairs(plan1, plan2, exact=exact_matching))


def aligned_merge_plans(plan1: EnginePlan, plan2: EnginePlan, matched_indices_pairs: Sequence[Pair]) -> pd.DataFrame:
    """One row per pair: type, avg_time (1) and (2) in ms, speedup (2), in-p, out-p, tactic and formats of both.

    The last two columns have the names of the layers and are called like the plans.
    speedup (2) is the time of plan1 over that of plan2, above 1 if plan2 is faster.
    """
    return merged(plan1, plan2, matched_indices_pairs)


def aligned_layers(
    plan1: EnginePlan, plan2: EnginePlan, matched_indices_pairs: Sequence[Pair], layer_type: str | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(rows of plan1, rows of plan2), one pair per row; a row without a name stands for a missing layer.

    The columns ``id`` (index in plan.layers, None for a missing layer) and ``name`` come first.
    layer_type: only pairs with layers of this type, including their ``attr.*`` columns.
    """
    return aligned(plan1, plan2, matched_indices_pairs, layer_type)


def speedup_range_highlights(col_name: str, threshold: float) -> dict[str, Any]:
    """``range_highlights`` for ``display_df``: speed-ups above 1 + threshold green, below 1 − threshold red."""
    return speedup_ranges(col_name, threshold)


def compare_engines_layer_latencies(
    plan1: EnginePlan, plan2: EnginePlan, threshold: float, exact_matching: bool
) -> Picker:
    """A menu of tables of pairs: all, those that differ in precision or in tactic, and those of each type.

    threshold: relative change (0.03 is 3 %) beyond which a speed-up is colored.
    """
    return picker(latency_tables(plan1, plan2, threshold, exact=exact_matching), "Layers:")


def compare_engines_layer_details(plan1: EnginePlan, plan2: EnginePlan) -> Picker:
    """A menu of pairs of layers with everything that the files contain about the chosen one."""
    return picker(pair_tables(plan1, plan2), "Layer:")


def _fact(layer: AnyLayer) -> _Layer:
    fact: _Layer = fact_of(layer if isinstance(layer, Layer | _Layer) else Layer(row_as_record(layer)))
    return fact


__getattr__ = _reexported(__name__)
