"""BuildProgress → lines for a terminal, and the Document of a build that has ended."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from trex.builder.build_watch import DONE, GENERATED, IMPORTING, TIMING, TIMING_REFORMATS, BuildProgress, LayerSpent
from trex.core.build_log import REFORMAT
from trex.core.counted import counted
from trex.core.duration import seconds_words
from trex.core.note import Note
from trex.core.printable import shell_word
from trex.views.document import Document, Section, Text
from trex.views.table import Table, TableColumn

NOT_VERBOSE = "the log is not verbose: it has no layers and no tactics"
VERBOSE_HINT = "build with --verbose (trtexec), or with a logger of severity VERBOSE (Python)"
_LONG_QUIET_S = 60.0


def status_words(progress: BuildProgress) -> str:
    """One line: ``layer 4 of about 13: conv1 (CaskConvolution), 2 min 5 s, about 5 min 10 s left``."""
    now = f": {_now_words(progress)}" if progress.layer else ""
    since = "" if math.isnan(progress.elapsed_s) else f", {seconds_words(progress.elapsed_s)}"
    return f"{where_words(progress)}{now}{since}{left_words(progress)}"


def where_words(progress: BuildProgress) -> str:
    """The phase with its numbers: ``pass 2, layer 4 of about 13``."""
    words = progress.phase
    if progress.phase == TIMING:
        number = f"layer {progress.layer_number:,}"
        words = f"{number} of about {progress.layers:,}" if progress.layers else number
    elif progress.phase == TIMING_REFORMATS and not progress.layer_number:
        words = f"{words}, then layers"
    return f"pass {progress.strategies}, {words}" if progress.strategies > 1 else words


def now_lines(progress: BuildProgress) -> Iterator[tuple[str, str]]:
    """(label, words) of what a live display shows above the slowest layers."""
    yield "now", where_words(progress) + ("" if math.isnan(progress.elapsed_s) else _since_words(progress))
    if progress.layer:
        yield "timing", _now_words(progress)
    if progress.operation:
        yield "operation", progress.operation
    if progress.timings or progress.cached:
        yield "timed", _counts_words(progress)
    if not math.isnan(progress.left_s):
        yield "left", f"about {_about(progress.left_s)}, by {progress.left_from}"
    elif progress.left_from:
        yield "left", f"unknown: {progress.left_from}"
    if progress.quiet_s >= _LONG_QUIET_S and not progress.is_over:
        yield "quiet", f"no new line for {seconds_words(progress.quiet_s)}"
    if _is_mute(progress):
        yield "note", f"{NOT_VERBOSE}; {VERBOSE_HINT}"


def slowest_table(progress: BuildProgress) -> Table:
    """The layers that took longest to time."""
    rows = tuple(
        (_spent_name(spent), spent.seconds, spent.share_pct, spent.timings, spent.share_pct)
        for spent in progress.slowest
    )
    columns = (
        TableColumn("layer", "name", readable=30, meaning="all reformats are one row"),
        TableColumn(
            "timing", "rate", "s", meaning="time that the builder took to time its tactics", identifier="timing_s"
        ),
        TableColumn("share", "pct", "%", meaning="of the time that timing took", identifier="share_pct"),
        TableColumn("tactics", "count", meaning="timed tactics"),
        TableColumn("", "bar"),
    )
    return Table("Slowest to time", columns, rows, "slowest", is_headed=True)


def watch_document(progress: BuildProgress, source: str, notes: tuple[Note, ...] = ()) -> Document:
    """What the build was when watching ended."""
    if _is_mute(progress):
        notes = (*notes, Note("log-not-verbose", NOT_VERBOSE, VERBOSE_HINT, source))
    words = [_end_words(progress)]
    if progress.timings or progress.cached:
        words.append(f"{_counts_words(progress)}.")
    elif progress.is_over and progress.is_verbose:
        words.append("No tactic was timed: TensorRT for RTX chooses kernels when the engine runs.")
    if not math.isnan(progress.left_s):
        words.append(f"About {_about(progress.left_s)} left, by {progress.left_from}.")
    if progress.builds > 1:
        words.append(f"The log has {progress.builds} builds; this is the last one.")
    sections = [Section("build", "", (Text(tuple(words)),), data=dict(_data(progress)))]
    if progress.slowest:
        more = Text((f"every layer and tactic: trex tactics {shell_word(source)}",), "hint")
        sections.append(Section("slowest", "", (slowest_table(progress), *((more,) if source != "-" else ()))))
    return Document(
        "watch", progress.name or ("standard input" if source == "-" else source), sections=tuple(sections), notes=notes
    )


def _data(progress: BuildProgress) -> Iterator[tuple[str, Any]]:
    """For programs; unknown is null."""
    yield "phase", progress.phase
    yield "is_over", progress.is_over
    yield "passed", progress.passed
    yield "tensorrt", progress.tensorrt_version or None
    yield "builds", progress.builds
    yield "passes", progress.strategies
    yield "layer_number", progress.layer_number
    yield "layers", progress.layers
    yield "layer", progress.layer or None
    for key in ("elapsed_s", "timing_s", "left_s"):
        value = getattr(progress, key)
        yield key, None if math.isnan(value) else round(value, 3)
    yield "left_from", progress.left_from or None
    for key in ("timings", "skipped", "cached"):
        yield key, getattr(progress, key)


def _end_words(progress: BuildProgress) -> str:
    took = "" if math.isnan(progress.elapsed_s) else f" {seconds_words(progress.elapsed_s)}"
    if not progress.is_over:
        return f"Building{f' for{took}' if took else ''}: {where_words(progress)}."
    after = f" after{took}" if took else ""
    if progress.passed is False:
        return f"Build failed{after}."
    if progress.phase in (GENERATED, DONE):
        return f"Build ended{after}."
    return f"The log was cut off{after}: {where_words(progress)}."


def _is_mute(progress: BuildProgress) -> bool:
    """The builder is past the import and has printed no layer."""
    return not progress.is_verbose and progress.phase != IMPORTING


def _now_words(progress: BuildProgress) -> str:
    runner = f" ({progress.runner})" if progress.runner else ""
    formats = f", {progress.formats}" if progress.formats else ""
    return f"{progress.layer}{runner}{formats}"


def _since_words(progress: BuildProgress) -> str:
    return f", {seconds_words(progress.elapsed_s)} since the build began"


def left_words(progress: BuildProgress) -> str:
    """``, about 5 min 10 s left``, "" if unknown."""
    return "" if math.isnan(progress.left_s) else f", about {_about(progress.left_s)} left"


def _about(seconds: float) -> str:
    return seconds_words(max(round(seconds), 1))


def _counts_words(progress: BuildProgress) -> str:
    parts = [counted(progress.timings, "tactic") + " timed"]
    if not math.isnan(progress.timing_s) and progress.timing_s:
        parts[0] += f" in {seconds_words(progress.timing_s)}"
    if progress.skipped:
        parts.append(f"{progress.skipped:,} skipped")
    if progress.cached:
        parts.append(f"{counted(progress.cached, 'runner')} from the cache")
    return ", ".join(parts)


def _spent_name(spent: LayerSpent) -> str:
    return "reformats" if spent.kind == REFORMAT else spent.layer or "unknown layer"
