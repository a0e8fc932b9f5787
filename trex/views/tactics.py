"""Tactics → Document: how long a build took and where, near ties, skipped tactics, what would make it shorter."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

import pandas as pd

from trex.builder.build_savings import savings
from trex.builder.build_statements import (
    BUILT,
    GENERATION,
    accumulation_words,
    duration,
    engine_choices,
    fp16_accumulation,
    graph_words,
    memory_skips,
    phases,
    reformat_share,
    reproducibility,
    slower_than_fp32,
    statements,
    time_by_layer,
    time_by_runner,
)
from trex.builder.tactics import Tactics
from trex.builder.ties import TIE
from trex.core.build_log import LAYER, Build
from trex.core.counted import counted
from trex.core.duration import seconds_words
from trex.core.errors import TrexError
from trex.views.document import Block, Document, Fact, Facts, Section, Text, folder_of
from trex.views.table import Table, TableColumn

TOP = 5
_FEW = 3
_MOST_NAMES = 8
_NOTHING_TIMED = (
    "Either it is TensorRT for RTX, which chooses kernels when the engine runs, or a timing cache had all of them."
)
_LAYER = TableColumn("layer", "name", readable=30)
_OPERATION = TableColumn("operation", "name", if_known=True)
_FORMATS = TableColumn("formats")
_MARGIN = TableColumn(
    "margin", "rate", "%", meaning="how much slower the runner-up is than the chosen tactic", identifier="margin_pct"
)
_TRIED = TableColumn("tried", "count", meaning="timed tactics")


def tactics_document(
    tactics: Tactics, build: int | None = None, top: int = TOP, layer: str = "", *, is_short: bool = False
) -> Document:
    """build: index of the one to show, None for all. top: rows of rankings. is_short: of several builds only what must
    be known first. layer: a glob of layers or ONNX nodes, to show every candidate and change of the graph.

    Raises TrexError if the log has no such build or layer.
    """
    builds = range(len(tactics.log.builds)) if build is None else [checked_build(tactics, build)]
    sections: list[Section] = []
    for index in builds:
        is_alone = len(builds) == 1
        parts = _of_layer(tactics, index, layer, top, is_short) if layer else _of_build(tactics, index, top)
        if is_short and not is_alone and not layer:
            parts = iter((_head(tactics, index),))
        name = "" if is_alone else f"build_{index + 1}_"
        for part in parts:
            title = part.title if is_alone else f"{_build_name(tactics, index)}{': ' * bool(part.title)}{part.title}"
            sections.append(Section(name + part.name, title, part.blocks, part.notes, part.data, part.is_folded))
    if layer and not any(isinstance(block, Table) for section in sections for block in section.blocks):
        raise TrexError(f"the log contains no layer or ONNX node like {layer!r}", _near(tactics), tactics.source)
    title, subtitle = _heading(tactics, builds)
    return Document(
        "tactics", title, sections=tuple(sections), notes=tactics.notes, folder=folder_of(tactics.source),
        source=tactics, subtitle=subtitle,
    )  # fmt: skip


def checked_build(tactics: Tactics, build: int) -> int:
    """The index of a build. Raises TrexError if the log has none of that number."""
    count = len(tactics.log.builds)
    if not 0 <= build < count:
        names = ", ".join(f"{index + 1} ({name.name})" for index, name in enumerate(tactics.log.builds[:_MOST_NAMES]))
        raise TrexError(f"the log contains {counted(count, 'build')}", f"--build takes one of {names}", tactics.source)
    return build


def _heading(tactics: Tactics, builds: Sequence[int]) -> tuple[str, str]:
    if len(builds) != 1:
        return tactics.source, f"{len(builds)} builds: --build N shows one"
    info = tactics.log.builds[builds[0]]
    parts = [f"TensorRT {info.tensorrt_version}"] if info.tensorrt_version else []
    if len(tactics.log.builds) > 1:
        parts.append(f"build {builds[0] + 1} of {len(tactics.log.builds)}")
    if info.passed is False:
        parts.append("failed")
    return _short_name(info), ", ".join(parts)


def _short_name(info: Build) -> str:
    return info.name.replace("\\", "/").rpartition("/")[2] or info.name


def _build_name(tactics: Tactics, index: int) -> str:
    name = _short_name(tactics.log.builds[index])
    return name.capitalize() if name == f"build {index + 1}" else f"Build {index + 1} ({name})"


def _of_build(tactics: Tactics, build: int, top: int) -> Iterator[Section]:
    yield _head(tactics, build)
    yield from _time(tactics, build, top)
    yield from _ties(tactics, build, top)
    yield from _precisions(tactics, build, top)
    yield from _hints(tactics, build)
    yield from _savings(tactics, build)
    yield from _details(tactics, build)


def _head(tactics: Tactics, build: int) -> Section:
    info = tactics.log.builds[build]
    spent = duration(tactics, build)
    lines = list(statements(tactics, build))
    if not info.is_verbose:
        lines = [spent.words.partition(";")[0].rstrip(".") + ".", "The log is not verbose, so it contains no tactics."]
    elif not spent.timings and not spent.cached:
        lines.append(_NOTHING_TIMED)
    lines += [words for words in (_phase_words(tactics, build), graph_words(tactics, build)) if words]
    again = reproducibility(tactics, build)
    share = reformat_share(tactics, build)
    data: dict[str, Any] = {
        "build": build + 1,
        "name": info.name,
        "tensorrt_version": info.tensorrt_version or None,
        "is_verbose": info.is_verbose,
        "passed": info.passed,
        "build_s": _known(spent.seconds),
        "timing_s": _known(spent.timing_s),
        "timings": spent.timings,
        "cached": spent.cached,
        "reformat_share_pct": None if share is None else share.share_pct,
        "reformat_tensors": None if share is None else share.tensors,
        "ties": None if again is None else again.ties,
        "chosen": None if again is None else again.chosen,
        "ties_within_pct": 100.0 * TIE,
        "chosen_are_of_engine": None if again is None else again.is_of_engine,
        "regret_ms": None if again is None else again.regret_ms,
    }
    return Section("build", "", (Text(tuple(lines)),), data=data)


def _phase_words(tactics: Tactics, build: int) -> str:
    """``Phases: formats and tactics selection 14.1 s (subgraph compilation 7.4 s), …``, from 1 % of the build."""
    frame = phases(tactics, build)
    frame = frame[~frame["phase"].isin([GENERATION, BUILT]) & (frame["phase"] != "Timing tactics")]
    outer = frame[(frame["within"] == "") & (frame["share_pct"] >= 1.0)].sort_values("seconds", ascending=False)
    words = []
    for row in outer.itertuples():
        inner = frame[(frame["within"] == row.phase) & (frame["share_pct"] >= 1.0)]
        parts = ", ".join(f"{_lower(one.phase)} {seconds_words(one.seconds)}" for one in inner.itertuples())
        words.append(f"{_lower(row.phase)} {seconds_words(row.seconds)}" + (f" (in it {parts})" if parts else ""))
    return f"Phases: {', '.join(words)}." if words else ""


def _lower(phase: str) -> str:
    return phase[:1].lower() + phase[1:]


def _time(tactics: Tactics, build: int, top: int) -> Iterator[Section]:
    frame = time_by_layer(tactics, build)
    if frame.empty:
        return
    is_known = not math.isnan(duration(tactics, build).timing_s)
    if not is_known:
        frame = frame.sort_values("timings", ascending=False, kind="stable")
    title = "Slowest to time" if is_known else "Most timings (durations are not in the log)"
    columns = [_LAYER, TableColumn("timings", "count"), TableColumn("runners", "count")]
    values: list[Any] = [frame["layer"].astype(str), frame["timings"], frame["runners"]]
    if is_known:
        columns += [
            TableColumn("time", "rate", "s", identifier="seconds"),
            TableColumn("time", "pct", "%", meaning="share of the time spent timing tactics", identifier="share_pct"),
            TableColumn("share", "bar"),
        ]
        values += [frame["seconds"], frame["share_pct"], frame["share_pct"]]
    table = Table(title, tuple(columns), _rows(*values), "time_by_layer", is_headed=True)
    yield Section("time", "", (table.first(top),))


def _ties(tactics: Tactics, build: int, top: int) -> Iterator[Section]:
    choices, _ = engine_choices(tactics, build)
    ties = choices[choices["margin_pct"].abs() <= 100.0 * TIE].sort_values("margin_pct", key=abs, kind="stable")
    if ties.empty:
        return
    columns = (
        _LAYER,
        _OPERATION,
        TableColumn("chosen", "rate", "ms", identifier="time_ms"),
        _MARGIN,
        _TRIED,
    )
    rows = _rows(
        ties["layer"].astype(str),
        _texts(ties["operation"]),
        ties["time_ms"],
        ties["margin_pct"],
        ties["tried"],
    )
    regret = float((ties["runner_up_ms"] - ties["time_ms"]).clip(lower=0.0).sum())
    words = f"The runner-up in all {len(ties)}: {regret:.3g} ms more."
    table = Table("Near ties", columns, rows, "ties", is_headed=True).first(top)
    yield Section("ties", "", (table, Text((words,), "hint")))


def _precisions(tactics: Tactics, build: int, top: int) -> Iterator[Section]:
    slower = slower_than_fp32(tactics, build)
    if slower.empty:
        return
    columns = (
        _LAYER,
        TableColumn("type"),
        TableColumn("best", "rate", "ms", identifier="time_ms"),
        TableColumn("FP32", "rate", "ms", identifier="fp32_ms"),
        TableColumn("slower", "rate", "%", identifier="slower_pct"),
    )
    rows = _rows(slower["layer"], slower["type"], slower["time_ms"], slower["fp32_ms"], slower["slower_pct"].round(1))
    table = Table("Slower than in FP32", columns, rows, "slower_than_fp32", is_headed=True)
    yield Section("precisions", "", (table.first(top if top > TOP else _FEW),))


def _hints(tactics: Tactics, build: int) -> Iterator[Section]:
    facts = [
        Fact(
            "Skipped",
            skips.words + (f": {skips.flag}, in MiB without a unit, times them" if skips.flag else ""),
            {"tactics": skips.tactics, "most_bytes": skips.most_bytes, "available_bytes": skips.available_bytes},
            f"skipped_for_{skips.reason.lower().replace(' ', '_')}",
        )
        for skips in memory_skips(tactics, build)
    ]
    accumulation = fp16_accumulation(tactics, build)
    if words := accumulation_words(accumulation):
        facts.append(Fact("FP16 sums", words, len(accumulation), "fp16_accumulation"))
    if facts:
        yield Section("hints", "Hints", (Facts(tuple(facts)),))


def _savings(tactics: Tactics, build: int) -> Iterator[Section]:
    options = savings(tactics, build)
    if options:
        facts = (Fact(one.option, one.words, {"seconds": _known(one.seconds), "words": one.words}) for one in options)
        yield Section("savings", "A shorter build", (Facts(tuple(facts)),))


def _details(tactics: Tactics, build: int) -> Iterator[Section]:
    """Tables for programs and for -v."""
    tables = [
        _phases_table(tactics, build),
        _runners_table(tactics, build),
        _choices_table(tactics, build),
        _precision_table(tactics, build),
        _accumulation_table(tactics, build),
        _skipped_table(tactics, build),
        _edits_table(tactics, build),
    ]
    tables = [table for table in tables if table.rows]
    if tables:
        yield Section("details", "Details", tuple(tables), is_folded=True)


def _phases_table(tactics: Tactics, build: int) -> Table:
    frame = phases(tactics, build)
    columns = (
        TableColumn("phase"),
        TableColumn("within", if_known=True, meaning="the phase that contains it; phases inside one may overlap"),
        TableColumn("time", "rate", "s", identifier="seconds"),
        TableColumn("share", "pct", "%", meaning="of engine generation", identifier="share_pct"),
    )
    rows = _rows(frame["phase"], _texts(frame["within"]), frame["seconds"], frame["share_pct"])
    return Table("Phases", columns, rows, "phases")


def _runners_table(tactics: Tactics, build: int) -> Table:
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
    rows = _rows(frame["runner"].astype(str), frame["timings"], seconds, share, frame["chosen"])
    return Table("Runners", columns, rows, "runners")


def _choices_table(tactics: Tactics, build: int) -> Table:
    frame = tactics.choices
    frame = frame[(frame["build"] == build) & frame["is_kept"].astype(bool)]
    columns = (
        _LAYER,
        _OPERATION,
        _FORMATS,
        TableColumn("in engine", if_known=True),
        TableColumn("chosen", "rate", "ms", identifier="time_ms"),
        TableColumn("runner-up", "rate", "ms", identifier="runner_up_ms"),
        _MARGIN,
        _TRIED,
        TableColumn("runner"),
        TableColumn("kernel", "name", readable=36, if_known=True),
        TableColumn("runner-up kernel", "name", readable=36, if_known=True, identifier="runner_up_kernel"),
        TableColumn("tactic", "name"),
        TableColumn("runner-up tactic", "name", if_known=True, identifier="runner_up"),
    )
    in_engine = [None if value is pd.NA else ("yes" if value else "no") for value in frame["in_engine"]]
    rows = _rows(
        frame["layer"].astype(str),
        _texts(frame["operation"]),
        frame["formats"].astype(str),
        pd.Series(in_engine, dtype=object),
        frame["time_ms"],
        frame["runner_up_ms"],
        frame["margin_pct"],
        frame["tried"],
        frame["runner"].astype(str),
        _texts(frame["kernel"]),
        _texts(frame["runner_up_kernel"]),
        frame["tactic"],
        frame["runner_up"],
    )
    return Table("Choices", columns, rows, "choices")


def _precision_table(tactics: Tactics, build: int) -> Table:
    frame = tactics.by_precision
    frame = frame[frame["build"] == build]
    types = [column for column in frame.columns if str(column).endswith("_ms")]
    columns = (
        _LAYER,
        *(TableColumn(type_.removesuffix("_ms"), "rate", "ms", if_known=True, identifier=type_) for type_ in types),
    )
    rows = _rows(frame["layer"].astype(str), *(frame[type_] for type_ in types))
    return Table("Best time by type of the first input", columns, rows, "by_precision")


def _accumulation_table(tactics: Tactics, build: int) -> Table:
    frame = fp16_accumulation(tactics, build)
    columns = (
        _LAYER,
        _OPERATION,
        TableColumn("kernel", "name", readable=36),
        TableColumn("chosen", "rate", "ms", identifier="time_ms"),
        TableColumn("FP32 kernel", "name", readable=36, identifier="fp32_kernel"),
        TableColumn("FP32", "rate", "ms", identifier="fp32_ms"),
        TableColumn("price", "rate", "%", identifier="price_pct"),
    )
    rows = _rows(
        frame["layer"].astype(str),
        _texts(frame["operation"]),
        frame["kernel"],
        frame["time_ms"],
        frame["fp32_kernel"],
        frame["fp32_ms"],
        frame["price_pct"],
    )
    return Table("Kernels that accumulate in FP16, by their names", columns, rows, "fp16_accumulation")


def _skipped_table(tactics: Tactics, build: int) -> Table:
    frame = tactics.skipped
    return _skipped_rows(frame[frame["build"] == build])


def _skipped_rows(frame: pd.DataFrame) -> Table:
    columns = (
        _LAYER,
        TableColumn("runner", if_known=True),
        TableColumn("tactic", "name", if_known=True),
        TableColumn("reason"),
        TableColumn("requested", "bytes", identifier="requested_bytes", if_known=True),
        TableColumn("available", "bytes", identifier="available_bytes", if_known=True),
    )
    rows = _rows(
        frame["layer"],
        _texts(frame["runner"]),
        frame["tactic"],
        frame["reason"],
        frame["requested_bytes"],
        frame["available_bytes"],
    )
    return Table("Skipped tactics", columns, rows, "skipped")


def _edits_table(tactics: Tactics, build: int) -> Table:
    frame = tactics.fusions
    return _edit_rows(frame[frame["build"] == build], "Changes of the graph", "fusions")


def _edit_rows(frame: pd.DataFrame, title: str, key: str) -> Table:
    columns = (
        TableColumn("change"),
        TableColumn("by", if_known=True),
        TableColumn("layer", "name", readable=20),
        TableColumn("other", "name", if_known=True, readable=20),
    )
    rows = _rows(frame["kind"], _texts(frame["rule"]), frame["layer"], _texts(frame["other"]))
    return Table(title, columns, rows, key)


def _candidates(rows: pd.DataFrame) -> Table:
    columns = (
        _LAYER,
        _OPERATION,
        _FORMATS,
        TableColumn("time", "rate", "ms", identifier="time_ms"),
        TableColumn("slower", "rate", "%", identifier="slower_pct"),
        TableColumn("chosen", if_known=True),
        TableColumn("kernel", "name", readable=36, if_known=True),
        TableColumn("runner"),
        TableColumn("tactic", "name"),
    )
    values = _rows(
        rows["layer"].astype(str),
        _texts(rows["operation"]),
        rows["formats"].astype(str),
        rows["time_ms"],
        rows["slower_pct"].round(2),
        rows["is_chosen"].map({True: "yes", False: None}),
        _texts(rows["kernel"]),
        rows["runner"].astype(str),
        rows["tactic"],
    )
    return Table("Candidates", columns, values, "candidates")


def _grouped_candidates(rows: pd.DataFrame, top: int) -> Iterator[Table]:
    """A table for each layer and its formats, under their names."""
    for _, group in rows.groupby("group", sort=False):
        table = _candidates(group)
        layer, operation, formats = table.rows[0][:3]
        title = f"{operation or layer}: {formats}" if formats else operation or layer
        yield replace(table.with_columns([*range(3, len(table.columns))]), title=title).first(top)


def _of_layer(tactics: Tactics, build: int, glob: str, top: int, is_short: bool) -> Iterator[Section]:
    """Every candidate of the layers of that name, and what became of the ONNX nodes of that name."""
    pattern = glob.lower()
    sources = tactics.df
    own = sources[sources["build"] == build]
    names = own["layer"].cat.categories if len(own) else []
    operations = own["operation"].cat.categories if len(own) else []
    wanted = {name for name in (*names, *operations) if name and _is_like(name, pattern)}
    own = own[own["layer"].isin(wanted) | own["operation"].isin(wanted)]
    blocks: list[Block] = []
    if len(own):
        own = own[own["is_kept"].astype(bool)].sort_values(["group", "time_ms"], kind="stable")
        blocks += _grouped_candidates(own, top) if is_short else [_candidates(own)]
    edits = tactics.fusions
    edits = edits[edits["build"] == build]
    texts = edits["layer"].astype(str) + " " + edits["other"].astype(str)
    edits = edits[[_is_like_part(text, pattern) for text in texts]] if len(edits) else edits
    if len(edits):
        blocks.append(_edit_rows(edits, "Changes of the graph", "fusions"))
    skipped = tactics.skipped
    skipped = skipped[(skipped["build"] == build) & skipped["layer"].isin(wanted)]
    if len(skipped):
        blocks.append(_skipped_rows(skipped))
    if blocks:
        yield Section("layer", "", tuple(blocks))


def _is_like(name: str, pattern: str) -> bool:
    """Whether a glob without regard to case matches the whole name, or one ONNX node in it."""
    parts = (name, *(part.strip() for part in name.replace(" + ", "\n").split("\n")))
    return any(fnmatchcase(part.lower(), pattern) for part in parts)


def _is_like_part(text: str, pattern: str) -> bool:
    return any(fnmatchcase(part.strip("(),[]"), pattern) for part in text.lower().split()) or _is_like(text, pattern)


def _near(tactics: Tactics) -> str:
    names = list(dict.fromkeys(row.layer for row in tactics.log.autotuned if row.kind == LAYER))
    if not names:
        return "the log names no timed layer"
    return f"--layer takes a name or a glob, such as {names[0]!r} or '*conv*'"


def _rows(*columns: Any) -> tuple[tuple[Any, ...], ...]:
    """Plain values: missing is None."""
    lists = [
        [None if value is None or value is pd.NA or value != value else value for value in pd.Series(column).tolist()]
        for column in columns
    ]
    return tuple(zip(*lists, strict=True))


def _texts(column: pd.Series) -> list[str | None]:
    """None for an empty text."""
    return [None if pd.isna(value) or value == "" else str(value) for value in column]


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
