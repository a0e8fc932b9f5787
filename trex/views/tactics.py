"""Tactics → Document: how long a build took and where, near ties, skipped tactics, what would make it shorter."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any

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
)
from trex.builder.tactics import Tactics
from trex.builder.ties import TIE
from trex.core.build_log import LAYER, Build
from trex.core.counted import counted
from trex.core.duration import seconds_words
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.views.document import Block, Document, Fact, Facts, Section, Text, folder_of
from trex.views.table import Table, TableColumn
from trex.views.tactic_tables import (
    LAYER_COLUMN,
    MARGIN_COLUMN,
    OPERATION_COLUMN,
    TRIED_COLUMN,
    accumulation_table,
    candidates,
    choices_table,
    edit_rows,
    edits_table,
    finite,
    grouped_candidates,
    phases_table,
    precision_table,
    rows_of,
    runners_table,
    skipped_rows,
    skipped_table,
    texts_of,
)

TOP = 5
_FEW = 3
_MOST_NAMES = 8
_MOST_BUILDS = 50
_NOTHING_TIMED = (
    "Either it is TensorRT for RTX, which chooses kernels when the engine runs, or a timing cache had all of them."
)


def tactics_document(
    tactics: Tactics, build: int | None = None, top: int = TOP, layer: str = "", *, is_short: bool = False
) -> Document:
    """build: index of the one to show, None for all (at most 50). top: rows of rankings. is_short: of several builds
    only what must be known first. layer: a glob of layers or ONNX nodes, to show every candidate and graph change.

    Raises TrexError if the log has no such build or layer.
    """
    count = len(tactics.log.builds)
    builds = range(min(count, _MOST_BUILDS)) if build is None else [checked_build(tactics, build)]
    is_cut = build is None and len(builds) < count
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
        searched = f"the first {len(builds)} builds contain" if is_cut else "the log contains"
        raise TrexError(f"{searched} no layer or ONNX node like {layer!r}", _near(tactics), tactics.source)
    title, subtitle = _heading(tactics, builds)
    notes = tactics.notes
    if is_cut:
        message = f"only the first {len(builds)} of {count} builds are shown"
        notes = (*notes, Note("builds-not-shown", message, "--build N shows one", tactics.source))
    return Document(
        "tactics", title, sections=tuple(sections), notes=notes, folder=folder_of(tactics.source),
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
        count = len(tactics.log.builds)
        first = f", the first {len(builds)} here" if len(builds) < count else ""
        return tactics.source, f"{count} builds{first}: --build N shows one"
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
        "build_s": finite(spent.seconds),
        "timing_s": finite(spent.timing_s),
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
    columns = [LAYER_COLUMN, TableColumn("timings", "count"), TableColumn("runners", "count")]
    values: list[Any] = [frame["layer"].astype(str), frame["timings"], frame["runners"]]
    if is_known:
        columns += [
            TableColumn("time", "rate", "s", identifier="seconds"),
            TableColumn("time", "pct", "%", meaning="share of the time spent timing tactics", identifier="share_pct"),
            TableColumn("share", "bar"),
        ]
        values += [frame["seconds"], frame["share_pct"], frame["share_pct"]]
    table = Table(title, tuple(columns), rows_of(*values), "time_by_layer", is_headed=True)
    yield Section("time", "", (table.first(top),))


def _ties(tactics: Tactics, build: int, top: int) -> Iterator[Section]:
    choices, _ = engine_choices(tactics, build)
    ties = choices[choices["margin_pct"].abs() <= 100.0 * TIE].sort_values("margin_pct", key=abs, kind="stable")
    if ties.empty:
        return
    columns = (
        LAYER_COLUMN,
        OPERATION_COLUMN,
        TableColumn("chosen", "rate", "ms", identifier="time_ms"),
        MARGIN_COLUMN,
        TRIED_COLUMN,
    )
    rows = rows_of(
        ties["layer"].astype(str),
        texts_of(ties["operation"]),
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
        LAYER_COLUMN,
        TableColumn("type"),
        TableColumn("best", "rate", "ms", identifier="time_ms"),
        TableColumn("FP32", "rate", "ms", identifier="fp32_ms"),
        TableColumn("slower", "rate", "%", identifier="slower_pct"),
    )
    rows = rows_of(slower["layer"], slower["type"], slower["time_ms"], slower["fp32_ms"], slower["slower_pct"].round(1))
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
        facts = (Fact(one.option, one.words, {"seconds": finite(one.seconds), "words": one.words}) for one in options)
        yield Section("savings", "A shorter build", (Facts(tuple(facts)),))


def _details(tactics: Tactics, build: int) -> Iterator[Section]:
    """Tables for programs and for -v."""
    tables = [
        phases_table(tactics, build),
        runners_table(tactics, build),
        choices_table(tactics, build),
        precision_table(tactics, build),
        accumulation_table(tactics, build),
        skipped_table(tactics, build),
        edits_table(tactics, build),
    ]
    tables = [table for table in tables if table.rows]
    if tables:
        yield Section("details", "Details", tuple(tables), is_folded=True)


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
        blocks += grouped_candidates(own, top) if is_short else [candidates(own)]
    edits = tactics.fusions
    edits = edits[edits["build"] == build]
    texts = edits["layer"].astype(str) + " " + edits["other"].astype(str)
    edits = edits[[_is_like_part(text, pattern) for text in texts]] if len(edits) else edits
    if len(edits):
        blocks.append(edit_rows(edits, "Changes of the graph", "fusions"))
    skipped = tactics.skipped
    skipped = skipped[(skipped["build"] == build) & skipped["layer"].isin(wanted)]
    if len(skipped):
        blocks.append(skipped_rows(skipped))
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
