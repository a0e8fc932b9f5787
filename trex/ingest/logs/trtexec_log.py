"""Log bytes → LogContents: the runs of trtexec or TensorRT's Python logger in a log."""

from __future__ import annotations

from dataclasses import dataclass, replace

from trex.core.errors import EXCERPT_CHARS, TrexError
from trex.core.note import Note
from trex.ingest.logs.banner import parse_banner
from trex.ingest.logs.chatter import INSUFFICIENT_SCRATCH, READ_STARTS
from trex.ingest.logs.inspector_text import LAYERS_HEADER
from trex.ingest.logs.layer_lines import ROW_STARTS
from trex.ingest.logs.log_lines import BANNER, log_lines
from trex.ingest.logs.log_run import LogRun, RunReader, is_crash
from trex.ingest.logs.log_sections import SUMMED, LogBinding
from trex.ingest.logs.raw_lines import LogData, RawLines
from trex.ingest.logs.run_metadata import MIXED_RUNS, doubled_notes
from trex.ingest.logs.tactic_lines import TacticLines
from trex.ingest.signature import refuse_binary

__all__ = ["LogBinding", "LogContents", "LogRun", "read_log"]

# First words of lines without a prefix that are read outside a list of layers: banners, layers and their rows.
_UNPREFIXED_STARTS = (BANNER, LAYERS_HEADER, *ROW_STARTS)
_MOST_RUNS = 20_000
"""Each takes 2 KB, however short: a log of nothing but beginnings would take 40 times its size."""


@dataclass(frozen=True, slots=True)
class LogContents:
    """The runs of a log, in order, and the notes about the whole file (each run has its own)."""

    runs: tuple[LogRun, ...]
    notes: tuple[Note, ...] = ()

    @property
    def all_notes(self) -> tuple[Note, ...]:
        return (*self.notes, *(note for run in self.runs for note in run.all_notes))


def read_log(data: LogData, where: str) -> LogContents:
    """The runs in a log of trtexec or of TensorRT's Python logger, or in several concatenated logs.

    A run begins at ``&&&& RUNNING``, or where a section or a list of layers repeats.
    data: the log's bytes, a file opened in binary mode, or blocks of bytes cut anywhere, in any encoding that
    ``text.decode`` supports. Only one block is in memory: memory grows with the layers, not with the log.
    where: its name, for addresses.
    Raises TrexError if no line is from trtexec or TensorRT, and for more than 20,000 runs.
    """
    runs: list[LogRun] = []
    reader = RunReader(where, 1)
    has_messages = False
    raw_lines, tactics = RawLines(data), TacticLines()
    for line in log_lines(raw_lines, skip_chatter=True, tactics=tactics):
        message = line.message
        is_ours = line.is_prefixed or not line.severity or message.startswith(_UNPREFIXED_STARTS) or is_crash(message)
        if not is_ours and reader.is_idle:
            continue  # output of other programs
        if line.is_trt and reader.is_idle and line.severity in "VI" and not _is_read(message):
            has_messages = True
            continue
        if len(runs) >= _MOST_RUNS:
            message = f"the log has more than {_MOST_RUNS:,} runs"
            raise TrexError(message, "pass a part of it: tail -n LINES LOG > LAST.log", f"{where}:{line.number}")
        if message.startswith(BANNER):
            banner = parse_banner(message)
            if banner is None:
                continue
            if banner.kind == "RUNNING" and reader.has_data:
                runs.append(reader.finish(tactics.take(), tactics.take_timings(), tactics.take_reformats()))
                reader = RunReader(where, line.number)
            reader.add_banner(banner)
            continue
        if reader.begins_another(line):
            runs.append(reader.finish(tactics.take(), tactics.take_timings(), tactics.take_reformats()))
            reader = RunReader(where, line.number)
        reader.add(line)
    if reader.has_data or ((has_messages or reader.has_messages) and not runs):
        runs.append(reader.finish(tactics.take(), tactics.take_timings(), tactics.take_reformats()))
    if not runs:
        refuse_binary(raw_lines.head, where, "a log")
        raise TrexError(
            "no line of this file is from trtexec or TensorRT",
            hint="pass the output of a run: trtexec --onnx=MODEL.onnx --verbose … 2>&1 | tee build.log",
            where=where,
            excerpt=raw_lines.head[:EXCERPT_CHARS].decode("utf-8", "replace"),
        )
    notes = doubled_notes(raw_lines, where)
    if any(note.code == MIXED_RUNS for note in (*notes, *(note for run in runs for note in run.metadata.notes))):
        runs = [_without_sum(run) for run in runs]
    if len(runs) > 1:
        notes += (Note("several-runs-in-log", f"the log contains {len(runs)} consecutive runs", "", where, "info"),)
    return LogContents(tuple(runs), notes)


def _without_sum(run: LogRun) -> LogRun:
    """The builder's time adds up, so in lines of two runs it is of neither."""
    milestones = {name: value for name, value in run.metadata.milestones.items() if name != SUMMED}
    return replace(run, metadata=replace(run.metadata, milestones=milestones))


def _is_read(message: str) -> bool:
    return message.startswith(READ_STARTS) or INSUFFICIENT_SCRATCH in message
