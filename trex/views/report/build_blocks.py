"""Subject → blocks about the engine's build: what must be known, all choices, and the candidates of every layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, partial
from typing import Any

import pandas as pd

from trex.builder.build_savings import savings
from trex.builder.build_statements import accumulation_words, fp16_accumulation, memory_skips, statements
from trex.builder.engine_build import EngineBuild
from trex.core.counted import counted
from trex.views.chart import Subject
from trex.views.document import Block, DetailsBlock, LayerDetails, TableBlock, Text
from trex.views.table import Table, TableColumn

SHOWN = 10
"""How many columns of the choices pages and documents show at first."""


def build_blocks(subject: Subject) -> Iterator[Block]:
    """Nothing without a verbose log of the build."""
    build = subject.build
    if build is None:
        return
    yield Text(tuple(_sentences(build)))
    if options := savings(build.tactics, build.build):
        yield Text(tuple(f"{option.option}: {option.words}" for option in options), "hint")
    if len(build.choices):
        yield TableBlock(
            "choices", "All choices", cache(partial(choices_table, build)), "choices", SHOWN, "margin<2", is_list=True
        )
        yield DetailsBlock("candidates", "Tactics that the builder timed", cache(partial(candidate_details, build)))


def choices_table(build: EngineBuild) -> Table:
    """One row per layer, or operation of Myelin, and combination of formats."""
    frame = build.choices
    columns = (
        TableColumn("layer", "name", readable=30),
        TableColumn(
            "operation", if_known=True, meaning="of Myelin, in the region that the builder calls a ForeignNode"
        ),
        TableColumn("formats", meaning="of its inputs and outputs, as the log prints them"),
        TableColumn("in engine", if_known=True, meaning="whether the engine has this tactic, reading this type"),
        TableColumn("chosen", "ms", "ms", meaning="time of the chosen tactic", identifier="time_ms"),
        TableColumn("runner-up", "ms", "ms", meaning="time of the fastest other tactic", identifier="runner_up_ms"),
        TableColumn(
            "margin",
            "rate",
            "%",
            meaning="how much slower the runner-up is than the chosen tactic",
            identifier="margin_pct",
        ),
        TableColumn("timed", "count", meaning="timed tactics", identifier="tried"),
        TableColumn(
            "kernel", "name", readable=36, meaning="of the chosen tactic; its number where the log has no name"
        ),
        TableColumn("runner-up kernel", "name", readable=36, if_known=True, identifier="runner_up_kernel"),
        TableColumn("runner", meaning="the part of the builder that has the chosen tactic"),
        TableColumn("layer.index", "count", meaning="of the engine's layer of that name", identifier="layer.index"),
    )
    values: tuple[Iterable[Any], ...] = (
        frame["layer"].astype(str),
        [operation or None for operation in frame["operation"]],
        frame["formats"].astype(str),
        _yes(frame["in_engine"], "no"),
        frame["time_ms"],
        frame["runner_up_ms"],
        frame["margin_pct"].round(3),
        frame["tried"],
        [kernel or tactic for kernel, tactic in zip(frame["kernel"], frame["tactic"], strict=True)],
        [kernel or tactic for kernel, tactic in zip(frame["runner_up_kernel"], frame["runner_up"], strict=True)],
        frame["runner"].astype(str),
        frame["layer_index"],
    )
    return Table("All choices", columns, tuple(zip(*(map(_cell, column) for column in values), strict=True)), "choices")


def candidate_details(build: EngineBuild) -> LayerDetails:
    """Of every choice whose layer the engine has, the fastest tactics, and those that were not used."""
    choices, candidates = build.choices, build.candidates()
    choices = choices[choices["layer_index"].notna()]
    # What the engine uses comes first, then what is fastest.
    choices = choices.assign(is_other=~choices["in_engine"].fillna(False).astype(bool))
    choices = choices.sort_values(["layer_index", "is_other", "time_ms"], kind="stable")
    numbers = pd.Series(range(len(choices)), index=choices.index)
    rows = candidates[candidates["choice"].isin(choices.index)]
    groups = numbers.reindex(rows["choice"]).to_numpy()
    timed = rows[rows["skipped"] == ""].groupby("choice").size().reindex(choices.index).fillna(0).astype(int)
    left_out = (choices["tried"] - timed).clip(lower=0)
    heads = zip(
        choices["layer_index"],
        choices["operation"],
        choices["formats"].astype(str),
        _yes(choices["in_engine"], ""),
        left_out,
        strict=True,
    )
    group_rows = tuple(
        (int(index), f"{operation}: {formats}" if operation else formats, used, int(left))
        for index, operation, formats, used, left in heads
    )
    group_table = Table(
        "",
        (
            TableColumn("layer.index", "count"),
            TableColumn("title"),
            TableColumn("in_engine"),
            TableColumn("left_out", "count"),
        ),
        group_rows,
        "groups",
    )
    row_table = Table(
        "",
        (
            TableColumn("group", "count"),
            TableColumn("kernel", "name", readable=36),
            TableColumn("tactic", "name"),
            TableColumn("runner"),
            TableColumn("time_ms", "ms"),
            TableColumn("chosen", "count"),
            TableColumn("skipped"),
        ),
        tuple(
            zip(
                map(int, groups),
                rows["kernel"].fillna("").tolist(),
                [tactic or "" for tactic in rows["tactic"]],
                rows["runner"].astype(str),
                map(_cell, rows["time_ms"]),
                rows["is_chosen"].astype(int).tolist(),
                rows["skipped"].tolist(),
                strict=True,
            )
        ),
        "rows",
    )
    return LayerDetails(group_table, row_table)


def _sentences(build: EngineBuild) -> Iterator[str]:
    tactics, index = build.tactics, build.build
    yield from statements(tactics, index)
    differing, compared = build.differing
    if differing:
        whose = f"{differing} of {counted(compared, 'layer')}"
        may = "is" if differing == compared else "may be"
        yield f"The engine has another tactic than this log chose in {whose}: the log {may} of another build."
    for skips in memory_skips(tactics, index):
        yield f"{skips.words}."
    if accumulation := accumulation_words(fp16_accumulation(tactics, index)):
        yield accumulation if accumulation.endswith(".") else f"{accumulation}."
    if len(tactics.log.builds) > 1:
        yield f"The log contains {counted(len(tactics.log.builds), 'build')}; this is number {index + 1}."


def _yes(values: Iterable[Any], no: str) -> list[str | None]:
    return [None if pd.isna(value) else "yes" if value else no for value in values]


def _cell(value: Any) -> Any:
    """A plain number or text; None if unknown."""
    return None if pd.isna(value) else value.item() if hasattr(value, "item") else value
