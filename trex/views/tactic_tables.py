"""Tables of a build: phases, runners, choices, times by type, skipped tactics, changes of the graph, candidates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from trex.builder.build_statements import (
    duration,
    fp16_accumulation,
    phases,
    time_by_runner,
)
from trex.builder.tactics import Tactics
from trex.core.printable import clipped
from trex.views.table import Table, TableColumn

LAYER_COLUMN = TableColumn("layer", "name", readable=30)
OPERATION_COLUMN = TableColumn("operation", "name", if_known=True)
FORMATS_COLUMN = TableColumn("formats")
MARGIN_COLUMN = TableColumn(
    "margin", "rate", "%", meaning="how much slower the runner-up is than the chosen tactic", identifier="margin_pct"
)
_LONGEST_NAME = 1000
TRIED_COLUMN = TableColumn("tried", "count", meaning="timed tactics")


def phases_table(tactics: Tactics, build: int) -> Table:
    frame = phases(tactics, build)
    columns = (
        TableColumn("phase"),
        TableColumn("within", if_known=True, meaning="the phase that contains it; phases inside one may overlap"),
        TableColumn("time", "rate", "s", identifier="seconds"),
        TableColumn("share", "pct", "%", meaning="of engine generation", identifier="share_pct"),
    )
    rows = rows_of(frame["phase"], texts_of(frame["within"]), frame["seconds"], frame["share_pct"])
    return Table("Phases", columns, rows, "phases")


def runners_table(tactics: Tactics, build: int) -> Table:
    frame = time_by_runner(tactics, build)
    columns = (
        TableColumn("runner"),
        TableColumn("timings", "count"),
        TableColumn("time", "rate", "s", identifier="seconds"),
        TableColumn("share", "pct", "%", identifier="share_pct"),
        TableColumn("chosen", "count", meaning="how often it has the fastest tactic for a layer and its formats"),
    )
    is_known = not math.isnan(duration(tactics, build).timing_s)
    seconds, share = (frame["seconds"], frame["share_pct"]) if is_known else (pd.Series([None] * len(frame)),) * 2
    rows = rows_of(frame["runner"].astype(str), frame["timings"], seconds, share, frame["chosen"])
    return Table("Runners", columns, rows, "runners")


def choices_table(tactics: Tactics, build: int) -> Table:
    frame = tactics.choices
    frame = frame[(frame["build"] == build) & frame["is_kept"].astype(bool)]
    columns = (
        LAYER_COLUMN,
        OPERATION_COLUMN,
        FORMATS_COLUMN,
        TableColumn("in engine", if_known=True),
        TableColumn("chosen", "rate", "ms", identifier="time_ms"),
        TableColumn("runner-up", "rate", "ms", identifier="runner_up_ms"),
        MARGIN_COLUMN,
        TRIED_COLUMN,
        TableColumn("runner"),
        TableColumn("kernel", "name", readable=36, if_known=True),
        TableColumn("runner-up kernel", "name", readable=36, if_known=True, identifier="runner_up_kernel"),
        TableColumn("tactic", "name"),
        TableColumn("runner-up tactic", "name", if_known=True, identifier="runner_up"),
    )
    in_engine = [None if value is pd.NA else ("yes" if value else "no") for value in frame["in_engine"]]
    rows = rows_of(
        frame["layer"].astype(str),
        texts_of(frame["operation"]),
        frame["formats"].astype(str),
        pd.Series(in_engine, dtype=object),
        frame["time_ms"],
        frame["runner_up_ms"],
        frame["margin_pct"],
        frame["tried"],
        frame["runner"].astype(str),
        texts_of(frame["kernel"]),
        texts_of(frame["runner_up_kernel"]),
        frame["tactic"],
        frame["runner_up"],
    )
    return Table("Choices", columns, rows, "choices")


def precision_table(tactics: Tactics, build: int) -> Table:
    frame = tactics.by_precision
    frame = frame[frame["build"] == build]
    types = [column for column in frame.columns if str(column).endswith("_ms")]
    columns = (
        LAYER_COLUMN,
        *(TableColumn(type_.removesuffix("_ms"), "rate", "ms", if_known=True, identifier=type_) for type_ in types),
    )
    rows = rows_of(frame["layer"].astype(str), *(frame[type_] for type_ in types))
    return Table("Best time by type of the first input", columns, rows, "by_precision")


def accumulation_table(tactics: Tactics, build: int) -> Table:
    frame = fp16_accumulation(tactics, build)
    columns = (
        LAYER_COLUMN,
        OPERATION_COLUMN,
        TableColumn("kernel", "name", readable=36),
        TableColumn("chosen", "rate", "ms", identifier="time_ms"),
        TableColumn("FP32 kernel", "name", readable=36, identifier="fp32_kernel"),
        TableColumn("FP32", "rate", "ms", identifier="fp32_ms"),
        TableColumn("price", "rate", "%", identifier="price_pct"),
    )
    rows = rows_of(
        frame["layer"].astype(str),
        texts_of(frame["operation"]),
        frame["kernel"],
        frame["time_ms"],
        frame["fp32_kernel"],
        frame["fp32_ms"],
        frame["price_pct"],
    )
    return Table("Kernels that accumulate in FP16, by their names", columns, rows, "fp16_accumulation")


def skipped_table(tactics: Tactics, build: int) -> Table:
    frame = tactics.skipped
    return skipped_rows(frame[frame["build"] == build])


def skipped_rows(frame: pd.DataFrame) -> Table:
    columns = (
        LAYER_COLUMN,
        TableColumn("runner", if_known=True),
        TableColumn("tactic", "name", if_known=True),
        TableColumn("reason"),
        TableColumn("requested", "bytes", identifier="requested_bytes", if_known=True),
        TableColumn("available", "bytes", identifier="available_bytes", if_known=True),
    )
    rows = rows_of(
        frame["layer"],
        texts_of(frame["runner"]),
        frame["tactic"],
        frame["reason"],
        frame["requested_bytes"],
        frame["available_bytes"],
    )
    return Table("Skipped tactics", columns, rows, "skipped")


def edits_table(tactics: Tactics, build: int) -> Table:
    frame = tactics.fusions
    return edit_rows(frame[frame["build"] == build], "Changes of the graph", "fusions")


def edit_rows(frame: pd.DataFrame, title: str, key: str) -> Table:
    columns = (
        TableColumn("change"),
        TableColumn("by", if_known=True),
        TableColumn("layer", "name", readable=20),
        TableColumn("other", "name", if_known=True, readable=20),
    )
    rows = rows_of(frame["kind"], texts_of(frame["rule"]), frame["layer"], texts_of(frame["other"]))
    return Table(title, columns, rows, key)


def candidates(rows: pd.DataFrame) -> Table:
    columns = (
        LAYER_COLUMN,
        OPERATION_COLUMN,
        FORMATS_COLUMN,
        TableColumn("time", "rate", "ms", identifier="time_ms"),
        TableColumn("slower", "rate", "%", identifier="slower_pct"),
        TableColumn("chosen", if_known=True),
        TableColumn("kernel", "name", readable=36, if_known=True),
        TableColumn("runner"),
        TableColumn("tactic", "name"),
    )
    values = rows_of(
        _cut(rows["layer"].astype(str).tolist()),
        _cut(texts_of(rows["operation"])),
        _cut(rows["formats"].astype(str).tolist()),
        rows["time_ms"],
        rows["slower_pct"].round(2),
        rows["is_chosen"].map({True: "yes", False: None}),
        texts_of(rows["kernel"]),
        rows["runner"].astype(str),
        rows["tactic"],
    )
    return Table("Candidates", columns, values, "candidates")


def _cut(texts: Sequence[str | None]) -> list[str | None]:
    """What all candidates of a layer repeat, each at most ``_LONGEST_NAME`` characters."""
    return [None if text is None else clipped(text, _LONGEST_NAME) for text in texts]


def grouped_candidates(rows: pd.DataFrame, top: int) -> Iterator[Table]:
    """A table for each layer and its formats, under their names."""
    for _, group in rows.groupby("group", sort=False):
        table = candidates(group)
        layer, operation, formats = table.rows[0][:3]
        title = f"{operation or layer}: {formats}" if formats else operation or layer
        yield replace(table.with_columns([*range(3, len(table.columns))]), title=title).first(top)


def rows_of(*columns: Any) -> tuple[tuple[Any, ...], ...]:
    """Plain values: missing is None."""
    lists = [
        [None if value is None or value is pd.NA or value != value else value for value in pd.Series(column).tolist()]
        for column in columns
    ]
    return tuple(zip(*lists, strict=True))


def texts_of(column: pd.Series) -> list[str | None]:
    """None for an empty text."""
    return [None if pd.isna(value) or value == "" else str(value) for value in column]


def finite(value: float) -> float | None:
    return None if math.isnan(value) else value
