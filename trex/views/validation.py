"""Figures of trex validate → Document: predicted against real, one row per engine, or one pair of the user's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trex.core.note import Note
from trex.perf.expected import NOTED_SHARE, unjudged_words
from trex.views.document import Block, Document, Fact, Facts, Section, Text
from trex.views.table import Table, TableColumn, milliseconds


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
        TableColumn("median", "number", "×", meaning="predicted over published time, family left out"),
        TableColumn("by all engines", "number", "×", meaning="the same by all measured engines"),
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
            row["all_ratio"],
            100 * row["unjudged"],
        )
        for row in rows
    )
    return Table("", columns, cells, "published")


def pair_document(figures: Mapping[str, Any], notes: Sequence[Note] = ()) -> Document:
    """figures: of ``trex.simulator.own_pair``. notes: on the measured engine. Whether the time lies in the error bar;
    what differs; errors by kind of work, the largest first.
    """
    facts = Facts(tuple(_pair_facts(figures)))
    verdict = Text((_verdict(figures),))
    unjudged = figures["unjudged"]
    is_noted = sum(unjudged.values()) >= NOTED_SHARE
    words = (Text((unjudged_words(unjudged),), "hint"),) if is_noted else ()
    explanation = Text(
        (
            "Layer times as the profiler measures them. predicted: of the predicted layers; on real layers: predicted "
            "for the layers of the real engine. The first difference is of structure, the second of the time model.",
        ),
        "hint",
    )
    sections = (
        Section("pair", "", (verdict, *words, facts), data=figures),
        Section("works", "Errors by kind of work", (works_table(figures["works"]), explanation)),
    )
    return Document("validate", f"{figures['engine']}: predicted and measured", sections=sections, notes=tuple(notes))


def _verdict(figures: Mapping[str, Any]) -> str:
    low, high = milliseconds(figures["from_ms"]), milliseconds(figures["to_ms"])
    predicted, measured = figures["predicted_ms"], figures["measured_ms"]
    bar = f"GPU compute predicted {milliseconds(predicted)} ms, error bar {low} to {high} ms"
    if measured is None:
        return f"{bar}; no measured GPU compute time (add queries of one inference stream: trtexec --exportTimes=FILE)"
    where = "inside" if figures["validation"]["is_expected"] else "outside"
    return f"{bar}; measured {milliseconds(measured)} ms: {where} the error bar, predicted {predicted / measured:.2f}×"


def _pair_facts(figures: Mapping[str, Any]) -> Iterator[Fact]:
    validation = figures["validation"]
    types = "strongly typed" if figures["strongly_typed"] else "+".join(("FP32", *figures["types"]))
    unreported = "" if figures["knows_release"] else " (not reported; --as-release names another)"
    yield Fact("Assumed", f"{figures['device']}, TensorRT {figures['release']}{unreported}, {types}")
    reported = figures["reported_device"]
    if reported and reported != figures["device"]:
        yield Fact("Reported GPU", f"{reported}; --device names another one", reported)
    yield Fact("Layers", f"{_pair(validation['layers'])} (predicted of real)", list(validation["layers"]))
    share = f"{validation['groups_equal']:.0%}".replace("%", " %")
    yield Fact("Fused groups equal", share, validation["groups_equal"])
    yield Fact("Reformats", f"{_pair(validation['copies'])} (predicted of real)", list(validation["copies"]))
    if validation["spearman"] is not None:
        yield Fact("Rank correlation", f"{validation['spearman']:.2f} of layer times", validation["spearman"])
    if validation["total_ratio"] is not None:
        ratio = validation["total_ratio"]
        yield Fact("Sum of layers", f"predicted {ratio:.2f}× of measured", ratio)


def works_table(works: Sequence[Mapping[str, Any]]) -> Table:
    """One row per kind of work of an own pair."""
    columns = (
        TableColumn("work"),
        TableColumn("layers", meaning="predicted of real"),
        TableColumn("measured", "ms", "ms"),
        TableColumn("predicted", "ms", "ms"),
        TableColumn("on real layers", "ms", "ms", meaning="predicted for the layers of the real engine"),
        TableColumn("error", "ms", "ms", meaning="predicted minus measured"),
        TableColumn("judged", meaning="by measured engines of trex"),
    )
    rows = tuple(
        (
            work["work"],
            _pair(work["layers"]),
            work["measured_ms"],
            work["predicted_ms"],
            work["on_real_layers_ms"],
            None if work["measured_ms"] is None else work["predicted_ms"] - work["measured_ms"],
            "yes" if work["is_judged"] else "no",
        )
        for work in works
    )
    return Table("", columns, rows, "works")


def validation_table(document: Mapping[str, Any]) -> Table:
    """One row per engine of ``trex.simulator.validation.figures``; ratios are predicted over real."""
    columns = (
        TableColumn("engine", "name", readable=22),
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


def _pair(pair: Sequence[int]) -> str:
    predicted, real = pair
    return f"{predicted:,} of {real:,}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
