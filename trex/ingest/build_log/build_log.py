"""Log bytes → BuildLog."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

from trex.core.build_log import (
    CACHED,
    LAYER,
    TIMED,
    Autotuned,
    Build,
    BuildLog,
    BuildPhase,
    EngineTactic,
    LayerCount,
    MyelinOperation,
    StrategyPass,
)
from trex.core.counted import counted
from trex.core.errors import EXCERPT_CHARS, TrexError
from trex.core.note import Note
from trex.ingest.build_log.autotuning import AutotuningReader
from trex.ingest.build_log.graph_edits import EDIT_WORDS, ORIGINAL, GraphEdits
from trex.ingest.build_log.messages import messages
from trex.ingest.build_log.milestones import MILESTONE_WORDS, Milestones
from trex.ingest.build_log.myelin_tables import MyelinTables
from trex.ingest.build_log.position import Position
from trex.ingest.logs.banner import parse_banner
from trex.ingest.logs.engine_layer_rows import parse_layer_row
from trex.ingest.logs.raw_lines import LogData, RawLines
from trex.ingest.logs.run_metadata import MIXED_RUNS, doubled_notes
from trex.ingest.logs.single_run import BUILT, OPTIONS, SUMMARY, SingleRun
from trex.ingest.signature import refuse_binary
from trex.ingest.source import read_blocks

_STRATEGY = re.compile(rb"Building graph using backend strategy (\d{1,9})")
_USED = re.compile(
    rb"(?:Use|Chose this engine with|Skip) backend strategy (\d{1,9}) ?(?:with estimated inference time"
    rb"|since its estimated inference time) \(([0-9.e+-]{1,24})\)"
)
_NO_OP = "NoOp"
UNFINISHED = "build-unfinished"
"""Code of the Note on builds that have no end in the log."""
_VERSION = re.compile(rb"TensorRT version: (\d[0-9.]{1,20})")

# First six bytes of the most frequent messages that nothing here reads.
_CHATTER = frozenset(
    (
        b"      ",
        b"    In",
        b"    Ou",
        b"Search",
        b"Parsin",
        b"Import",
        b"Static",
        b"Averag",
        b"Plugin",
        b"Block ",
        b"Layer:",
        b"Kernel",
        b"Name: ",
    )
)
_VERBOSE_HINT = "build with --verbose (trtexec), or with a logger of severity VERBOSE (Python)"


def read_build_log(path: str | os.PathLike[str]) -> BuildLog:
    """The builds in a log file. Raises TrexError if it cannot be read, or contains no message of a build."""
    notes: list[Note] = []
    log = parse_build_log(read_blocks(path, notes), os.fspath(path))
    return replace(log, notes=(*notes, *log.notes))


def parse_build_log(data: LogData, where: str) -> BuildLog:
    """As ``read_build_log``, of bytes, a binary file, or blocks of bytes.

    Memory grows with the timed tactics (about 50 bytes each), not with the log. A build begins at trtexec's first line,
    and where the builder begins anew with an imported network.
    """
    reader = BuildLogReader(where)
    lines = RawLines(data)
    for number, clock, text in messages(lines):
        reader.read(number, clock, text)
    log = reader.finish()
    if not log.builds:
        refuse_binary(lines.head, where, "a log")
        raise TrexError(
            "this is not the log of a build: no line is about optimizing, timing or generating an engine",
            hint=_VERBOSE_HINT + ": … 2>&1 | tee build.log",
            where=where,
            excerpt=lines.head[:EXCERPT_CHARS].decode("utf-8", "replace"),
        )
    return replace(log, notes=(*doubled_notes(lines, where), *log.notes))


class NewRows(NamedTuple):
    """What ``BuildLogReader.take`` returns. builds: all that have ended.

    timings, skipped: numbers of tactics by the index of their build.
    """

    builds: tuple[Build, ...]
    autotuned: tuple[Autotuned, ...]
    layer_counts: tuple[LayerCount, ...]
    phases: tuple[BuildPhase, ...]
    timings: Counter[int]
    skipped: Counter[int]


class ReaderState(NamedTuple):
    """What the reader has reached. name, version: of the current build, "" if unknown.

    strategies: how many passes of it have begun. begun, begun_line: as of ``AutotuningReader``. operation: of Myelin.
    kind, layer, formats, runner: what is being timed. has_started: the builder is past the import.
    """

    build: int
    name: str
    version: str
    passed: bool | None
    strategy_pass: int
    strategies: int
    begun: int
    begun_line: int
    kind: str
    layer: str
    formats: str
    runner: str
    operation: str
    clock_s: float
    has_started: bool


class BuildLogReader:
    """Messages → BuildLog, by their first six bytes. A log that is still being written is read by ``take``."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._position = Position()
        self._autotuning = AutotuningReader(self._position)
        self._myelin = MyelinTables(self._position)
        self._edits = GraphEdits(self._position)
        self._milestones = Milestones(self._position)
        self._builds: list[Build] = []
        self._last_line = self._mixed_line = 0
        self._run = SingleRun()  # the last that began, which may build several times
        self._taken_phases, self._kept_rows, self._kept_counts = 0, 0, 0
        self._counted: tuple[int, ...] = ()
        self._engine: list[EngineTactic] = []
        self._passes: list[StrategyPass] = []
        self._start_build(0)
        self._words = {
            b"------": self._autotuning.runner,
            b"******": self._autotuning.formats,
            b"======": self._autotuning.costs,
            b">>>>>>": self._autotuning.chose,
            b"Fastes": self._autotuning.fastest,
            b"Fast s": self._autotuning.fastest,
            b"Skippi": self._autotuning.skipping,
            b" (fore": self._foreign_node,
            b"(forei": self._foreign_node,
            b"Autotu": self._foreign_node,
            b"tactic": self._foreign_node,
            b"The se": self._foreign_node,
            b"Buildi": self._strategy,
            b"Use ba": self._verdict,
            b"Chose ": self._verdict,
            b"Skip b": self._verdict,
            b"&&&& R": self._banner,
            b"&&&& P": self._banner,
            b"&&&& F": self._banner,
            b"Tensor": self._library,
            b"Layer(": self._engine_layer,
            b"=== Mo": self._section,
            b"=== Pe": self._section,
            **dict.fromkeys(EDIT_WORDS, self._edits.read),
            **dict.fromkeys(MILESTONE_WORDS, self._milestones.read),
            b"Engine": self._engine_time,
        }

    def read(self, number: int, clock: bytes, text: bytes) -> None:
        position = self._position
        position.line = number
        if clock:
            position.clock = clock
            self._run.message()
            if not position.started:
                position.started = clock
        word = text[:6]
        if word == b"Tactic":
            self._autotuning.tactic(text)
            return
        if word in _CHATTER:
            if word[:1] == b" ":
                self._table_row(text)
            return
        reader = self._words.get(word)
        if reader is not None:
            if word == b"Origin":
                self._begin_if_another()
            reader(text)
            self._last_line = number if word[:1] != b"&" else self._last_line
        elif (word[:1] == b" " or word[:1].isdigit()) and self._table_row(text):
            pass
        elif not self._autotuning.other(text) and b"using " in text:
            self._edits.fusion(text)

    @property
    def state(self) -> ReaderState:
        kind, layer, formats, runner = self._autotuning.now
        position, milestones = self._position, self._milestones
        operations = self._myelin.operations
        return ReaderState(
            position.build,
            milestones.file,
            self._version,
            self._passed,
            position.strategy_pass,
            len(self._strategies),
            self._autotuning.begun,
            self._autotuning.begun_line,
            kind,
            layer,
            formats,
            runner,
            operations[-1].operation if operations and operations[-1].layer == layer else "",
            position.clock_s,
            milestones.uses_cache
            or self._seen_rows()[:-1] != self._counted[:-1]
            or milestones.is_build(position.build),
        )

    def take(self) -> NewRows:
        """What was read since the last call; the reader forgets it, so that memory does not grow with the log."""
        own, edits, myelin = self._autotuning, self._edits, self._myelin
        before = self._seen_rows()
        timings = myelin.timings(self._kept_rows)
        for row in own.autotuned:
            timings[row.build] += row.tried
        rows = NewRows(
            tuple(self._builds),
            tuple(own.autotuned),
            tuple(edits.counts[self._kept_counts :]),
            tuple(self._milestones.phases[self._taken_phases :]),
            timings,
            Counter(row.build for row in (*own.skipped, *myelin.skipped)),
        )
        own.forget()
        edits.forget()
        myelin.forget()
        self._engine.clear()
        self._taken_phases = len(self._milestones.phases)
        self._kept_rows, self._kept_counts = myelin.rows, len(edits.counts)
        # What is forgotten still counts for its build.
        self._counted = tuple(
            count - seen + kept for count, seen, kept in zip(self._counted, before, self._seen_rows(), strict=True)
        )
        return rows

    def finish(self) -> BuildLog:
        self._myelin.finish()
        self._end_build()
        notes = [*self._autotuning.notes(self._where), *self._myelin.notes(self._where), *self._own_notes()]
        return BuildLog(
            self._where,
            tuple(self._builds),
            tuple(self._passes),
            tuple(self._autotuning.autotuned),
            self._autotuning.times(),
            tuple(self._autotuning.chosen),
            tuple(sorted((*self._autotuning.skipped, *self._myelin.skipped), key=lambda skip: skip.line)),
            tuple(self._myelin.operations),
            self._myelin.times(),
            tuple(self._edits.edits),
            tuple(self._edits.counts),
            tuple(self._milestones.phases),
            tuple(self._milestones.caches),
            tuple(self._engine),
            tuple(self._edits.nodes.items()),
            tuple(notes),
        )

    def _own_notes(self) -> list[Note]:
        notes = []
        if self._mixed_line:
            message = "two runs wrote into this log at the same time: its figures may be of either"
            where = f"{self._where}:{self._mixed_line}"
            notes.append(Note(MIXED_RUNS, message, "build again, each with a log of its own", where, "problem"))
        if len(self._builds) > 1:
            notes.append(
                Note("several-builds", f"the log contains {len(self._builds)} builds", "", self._where, "info")
            )
        quiet = [build for build in self._builds if not build.is_verbose]
        if quiet:
            message = f"{counted(len(quiet), 'build')} without details: the log is not verbose"
            where = f"{self._where}:{quiet[0].line}"
            notes.append(Note("log-not-verbose", message, _VERBOSE_HINT, where))
        cut = [index for index, build in enumerate(self._builds) if build.is_verbose and not build.is_finished]
        if cut:
            message = f"{counted(len(cut), 'build')} did not end in the log: {self._progress(cut[0])}"
            where = f"{self._where}:{self._builds[cut[0]].last_line}"
            notes.append(Note(UNFINISHED, message, "a build that runs: trex watch LOG", where))
        timed = {row.build for row in self._autotuning.autotuned if row.status in (TIMED, CACHED)}
        timed.update(row.build for row in self._myelin.operations)
        untimed = [build for index, build in enumerate(self._builds) if build.is_verbose and index not in timed]
        if untimed:
            message = f"{counted(len(untimed), 'build')} timed no tactics"
            hint = "TensorRT for RTX chooses kernels when the engine runs; a full timing cache leaves nothing to time"
            notes.append(Note("no-tactic-times", message, hint, f"{self._where}:{untimed[0].line}", "info"))
        return notes

    def _progress(self, build: int) -> str:
        """``12 of about 79 layers were timed``."""
        rows = [row for row in self._autotuning.autotuned if row.build == build and row.kind == LAYER]
        begun = rows[0].line if rows else math.inf
        counts = [row.layers for row in self._edits.counts if row.build == build and row.line < begun]
        of = f" of about {counts[-1]:,}" if counts else ""
        return f"{len({row.layer for row in rows}):,}{of} layers were timed"

    # Builds and passes

    def _start_build(self, line: int) -> None:
        position = self._position
        position.build, position.strategy_pass = len(self._builds), len(self._passes)
        position.started = b""
        self._first_line = line
        self._last_line = line
        self._version = ""
        self._command_line = ""
        self._passed: bool | None = None
        self._counted = self._seen_rows()
        self._milestones.file = self._milestones.device = ""
        self._strategies: list[StrategyPass] = []
        self._estimates: dict[int, tuple[int, float]] = {}  # {strategy: (passes begun before its verdict, ms)}
        self._chosen_strategy = -1

    def _seen_rows(self) -> tuple[int, ...]:
        own = self._autotuning
        return (
            len(own.autotuned),
            len(own.costed),
            len(self._myelin.operations),
            len(self._edits.counts),
            len(self._milestones.phases),
        )

    def _end_build(self) -> None:
        self._autotuning.end()
        self._myelin.end()
        self._milestones.end()
        before, now = self._counted, self._seen_rows()
        position = self._position
        build = len(self._builds)
        if now[:-1] == before[:-1] and not self._milestones.is_build(build):
            return  # an engine that was loaded, or nothing
        seconds = self._milestones.generation_s(build)
        clock_s = position.clock_s
        self._builds.append(
            Build(
                self._milestones.file or f"build {build + 1}",
                self._version,
                self._first_line or 1,
                self._last_line,
                seconds,
                clock_s,
                self._passed,
                now[:-1] != before[:-1],
                self._command_line,
                self._milestones.device,
                self._passed is True or self._milestones.end_line(build) > self._timing_line(build),
            )
        )
        passes = self._strategies or [StrategyPass(build, -1, True, math.nan, self._first_line or 1)]
        for index, tried in enumerate(passes):
            is_chosen = len(passes) == 1 or tried.strategy == self._chosen_strategy
            begun, estimated_ms = self._estimates.get(tried.strategy, (0, math.nan))
            estimated_ms = estimated_ms if index < begun else math.nan
            self._passes.append(tried._replace(is_chosen=is_chosen, estimated_ms=estimated_ms))

    def _timing_line(self, build: int) -> int:
        """Where the last timing of this build began; 0 without one."""
        rows: list[Autotuned | MyelinOperation] = [*self._autotuning.autotuned[-1:], *self._myelin.operations[-1:]]
        return max((row.line for row in rows if row.build == build), default=0)

    def _begin_another(self) -> None:
        self._end_build()
        self._start_build(self._position.line)

    def _begin_if_another(self) -> None:
        """A network is optimized: another build if this one has optimized one."""
        if any(count.build == self._position.build and count.step == ORIGINAL for count in self._edits.counts[-200:]):
            file, device = self._milestones.file, self._milestones.device
            self._begin_another()
            self._milestones.file = file if not self._builds else ""
            self._milestones.device = device

    def _banner(self, text: bytes) -> None:
        banner = parse_banner(text.decode("utf-8", "replace"))
        if banner is None:
            return
        if banner.kind == "RUNNING":
            self._begin_another()
            self._first_line = self._position.line
            self._version = banner.tensorrt_version
            self._command_line = banner.command_line
            self._run = SingleRun(banner.command_line, banner.tensorrt_version)
            self._milestones.command_line(banner.command_line)
        elif self._run.end(banner.command_line, banner.tensorrt_version):
            self._passed = {"PASSED": True, "FAILED": False}.get(banner.kind, self._passed)
            self._note_mixed()

    def _section(self, text: bytes) -> None:
        name = text.rstrip().decode("utf-8", "replace")
        if name == SUMMARY:
            self._run.summary()
            self._note_mixed()
        elif name == OPTIONS and not (self._run.command and self._run.ended is None):
            self._run = SingleRun("")  # its first line was cut

    def _engine_time(self, text: bytes) -> None:
        self._milestones.read(text)
        if text.startswith(BUILT.encode()):
            self._run.built()
            self._note_mixed()

    def _note_mixed(self) -> None:
        if self._run.is_mixed:
            self._mixed_line = self._mixed_line or self._position.line

    def _library(self, text: bytes) -> None:
        if (version := _VERSION.match(text)) is not None:
            self._version = version[1].decode()

    def _engine_layer(self, text: bytes) -> None:
        """``Layer(TYPE): NAME, Tactic: ID, TENSORS``."""
        row = parse_layer_row(text.decode("utf-8", "replace"))
        if row is not None and row["LayerType"] != _NO_OP:
            reads = str(row["Inputs"][0]["Format/Datatype"]) if row["Inputs"] else ""
            tactic, position = int(row["TacticValue"], 16), self._position
            self._engine.append(EngineTactic(position.build, row["Name"], tactic, reads, position.line))

    def _strategy(self, text: bytes) -> None:
        if (strategy := _STRATEGY.match(text)) is None:
            return
        self._autotuning.end()
        position = self._position
        self._strategies.append(StrategyPass(position.build, int(strategy[1]), False, math.nan, position.line))
        position.strategy_pass = len(self._passes) + len(self._strategies) - 1

    def _verdict(self, text: bytes) -> None:
        verdict = _USED.match(text)
        if verdict is None or not self._strategies:
            return
        strategy, estimated_ms = int(verdict[1]), float(verdict[2])
        self._estimates[strategy] = len(self._strategies), estimated_ms
        if not text.startswith(b"Skip"):
            self._chosen_strategy = strategy

    # Myelin

    def _foreign_node(self, text: bytes) -> None:
        _, _, message = text.partition(b"(foreignNode)") if b"(foreignNode)" in text[:16] else (b"", b"", text)
        self._myelin.read(message, self._autotuning.layer, self._autotuning.open_formats)

    def _table_row(self, text: bytes) -> bool:
        return self._myelin.read(text, self._autotuning.layer, self._autotuning.open_formats)
