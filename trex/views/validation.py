"""Figures of trex validate → Document: one row per engine, predicted against real."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trex.views.document import Block, Document, Section, Text
from trex.views.table import Table, TableColumn


def validation_document(
    figures: Mapping[str, Any], goals: Sequence[str], remarks: Sequence[str], *more: Section
) -> Document:
    """figures: of ``trex.simulator.validation.figures``. goals: what predictions reach. remarks: engines left out.
    more: further sections, as of ``published_section``.
    """
    blocks: list[Block] = [validation_table(figures), Text(tuple(goals))]
    sections = [Section("engines", "", tuple(blocks), data=figures), *more]
    if remarks:
        sections.append(Section("remarks", "", (Text(tuple(remarks), "hint"),)))
    return Document("validate", "Predicted and real engines", sections=tuple(sections))


def published_section(rows: Sequence[Mapping[str, Any]], goals: Sequence[str], sources: Sequence[str]) -> Section:
    """One row for each family of networks and precision, of ``trex.simulator.published``, as are goals and sources."""
    blocks = (published_table(rows), Text(tuple(goals)), Text(tuple(sources), "hint"))
    return Section("published", "Published times, by family", blocks)


def published_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """rows: of ``published.family_rows``; each family is predicted without its engines and figures."""
    columns = (
        TableColumn("family"),
        TableColumn("precision"),
        TableColumn("GPUs"),
        TableColumn("figures", "count"),
        TableColumn("in error bar", "count"),
        TableColumn("median", "number", "×", meaning="predicted over published time"),
        TableColumn("not judged", "pct", "%", meaning="time in work that no engine of another family has judged"),
    )
    cells = tuple(
        (
            row["family"],
            row["precision"],
            ", ".join(row["devices"]),
            row["figures"],
            row["inside"],
            row["ratio"],
            100 * row["unjudged"],
        )
        for row in rows
    )
    return Table("", columns, cells, "published")


def validation_table(document: Mapping[str, Any]) -> Table:
    """One row per engine of ``trex.simulator.validation.figures``; ratios are predicted over real."""
    columns = (
        TableColumn("engine", readable=22),
        TableColumn("layers"),
        TableColumn("type distance", "number"),
        TableColumn("groups equal", "pct", "%"),
        TableColumn("reformats"),
        TableColumn("reformats equal", "pct", "%"),
        TableColumn("rank correlation", "number"),
        TableColumn("sum of layers", "number", "×"),
        TableColumn("GPU compute", "number", "×"),
        TableColumn("in error bar"),
    )
    return Table("", columns, tuple(_row(entry) for entry in document["engines"]), "engines")


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
