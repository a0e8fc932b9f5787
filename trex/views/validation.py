"""Figures of trex validate → Document: one row per engine, predicted against real."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trex.views.document import Block, Document, Section, Text
from trex.views.table import Table, TableColumn


def validation_document(
    figures: Mapping[str, Any],
    goals: Sequence[str],
    remarks: Sequence[str],
    structure: Mapping[str, Any] | None = None,
) -> Document:
    """figures: of ``trex.simulator.validation.figures``. goals: what predictions reach. remarks: engines left out.
    structure: of ``trex.simulator.structure.structure_figures``.
    """
    blocks: list[Block] = [validation_table(figures), Text(tuple(goals))]
    if remarks:
        blocks.append(Text(tuple(remarks), "hint"))
    section = Section("engines", "", tuple(blocks), data=figures)
    sections = (section,) if structure is None else (section, structure_section(structure))
    return Document("validate", "Predicted and real engines", sections=sections)


def structure_section(figures: Mapping[str, Any]) -> Section:
    """One row per family of networks and half; a share is of the larger side's groups."""
    halves = (("fitted", False), ("held out", True))
    rows = []
    for words, is_held_out in halves:
        families: dict[str, list[Mapping[str, Any]]] = {}
        for entry in figures["networks"]:
            if entry["is_held_out"] is is_held_out:
                families.setdefault(entry["family"], []).append(entry)
        rows += [_family_row(family, words, entries) for family, entries in families.items()]
        rows.append(_family_row("all", words, [entry for entries in families.values() for entry in entries]))
    table = Table("", _STRUCTURE_COLUMNS, tuple(rows), "structure")
    left_out = len(figures["left_out"])
    lines = [
        f"real: built by {figures['builder']} on a CPU on {figures['judged']}; trex validate --backend tensorrt-rtx "
        "builds them again",
        "a group is the set of ONNX nodes of one kernel; reshapes, constants, dequantizers, kernels without nodes and "
        "layers that launch nothing have none",
        "fitted: the rules of the simulator were adjusted to these networks; held out: they were not",
        f"{left_out} more networks were refused by the builder or cannot be predicted",
    ]
    blocks = (table, Text(tuple(lines), "hint"))
    return Section("structure", "Structure, against builds without a GPU", blocks, data=figures)


_STRUCTURE_COLUMNS = (
    TableColumn("family", readable=30),
    TableColumn("half", readable=12),
    TableColumn("networks", "count"),
    TableColumn("groups equal", "pct", "%"),
    TableColumn("all groups equal"),
    TableColumn("kernels", meaning="predicted of real"),
    TableColumn("merged GEMMs", meaning="equal of real"),
    TableColumn("attentions", meaning="equal of real"),
)


def _family_row(family: str, half: str, entries: Sequence[Mapping[str, Any]]) -> tuple[Any, ...]:
    larger = sum(max(entry["groups"][:2]) for entry in entries)
    equal = sum(entry["groups"][2] for entry in entries)
    exact = sum(len(set(entry["groups"])) == 1 for entry in entries)
    kernels = [sum(entry["kernels"][side] for entry in entries) for side in (0, 1)]
    merged, attentions = (
        [sum(entry[key][index] for entry in entries) for index in (2, 1)] for key in ("merged_gemms", "attentions")
    )
    return (
        family,
        half,
        len(entries),
        100 * equal / larger if larger else None,
        _pair([exact, len(entries)]),
        _pair(kernels),
        _pair(merged) if merged[1] else None,
        _pair(attentions) if attentions[1] else None,
    )


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
