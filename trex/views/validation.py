"""Figures of trex validate → Table: an engine a row, what was predicted beside what is real."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trex.views.table import Table, TableColumn

TITLE = "Simulated engines beside real ones"


def validation_table(document: Mapping[str, Any]) -> Table:
    """One row per engine of ``trex.simulator.validation.figures``; ratios are predicted over real."""
    columns = (
        TableColumn("engine"),
        TableColumn("layers"),
        TableColumn("type distance", "number"),
        TableColumn("groups equal", "pct", "%"),
        TableColumn("copies"),
        TableColumn("copies equal", "pct", "%"),
        TableColumn("rank correlation", "number"),
        TableColumn("sum of layers", "number", "×"),
        TableColumn("GPU compute", "number", "×"),
        TableColumn("as expected"),
    )
    return Table(TITLE, columns, tuple(_row(each) for each in document["engines"]))


def _row(entry: Mapping[str, Any]) -> tuple[Any, ...]:
    inside = entry["is_expected"]
    return (
        entry["engine"],
        _pair(entry["layers"]),
        _rounded(entry["type_distance"]),
        100 * entry["groups_equal"],
        _pair(entry["copies"]),
        100 * entry["copies_equal"],
        _rounded(entry["spearman"]),
        _rounded(entry["total_ratio"]),
        _rounded(entry["compute_ratio"]),
        None if inside is None else "yes" if inside else "no",
    )


def _pair(pair: list[int]) -> str:
    predicted, real = pair
    return f"{predicted:,} of {real:,}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
