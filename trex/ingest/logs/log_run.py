"""LogRun: the data in the log of one run, and its reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from enum import Enum
from typing import Any

from trex.core.counted import counted
from trex.core.duration import seconds_words
from trex.core.format_timing import FormatTiming
from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.core.tactic_trial import TacticTrial
from trex.core.timings import LayerTimes
from trex.ingest.logs.banner import Banner
from trex.ingest.logs.chatter import BUILD_STARTS, ENGINE_LAYERS_HEADER, INSUFFICIENT_SCRATCH
from trex.ingest.logs.inspector_text import LAYERS_HEADER, BindingRecord, LayerRecord
from trex.ingest.logs.layer_lines import ROW_STARTS, LayerLines
from trex.ingest.logs.log_lines import LogLine
from trex.ingest.logs.log_profile_table import ProfileTable, profile_count
from trex.ingest.logs.log_sections import (
    AVERAGE_TIME,
    LogBinding,
    add_milestone,
    add_option,
    add_performance,
    add_polygraphy_run,
    parse_binding,
    parse_network_binding,
    section_name,
)
from trex.ingest.logs.run_metadata import FIRST_SECTION, OPTION_SECTIONS, RunMetadata
from trex.ingest.logs.single_run import BUILT
from trex.ingest.polygraphy_results import other_runners
from trex.ingest.spelling.latency_summaries import possible_summaries
from trex.ingest.spelling.printable import printable_name

_LAYERS_ANNOUNCED = ("Layer Information:", "Engine information")
_CRASH = re.compile(
    r"Segmentation fault|terminate called|Aborted\b|Killed\b|Bus error|Illegal instruction|Floating point exception"
    r"|(?:zsh: |\[\d{1,9}\] +(?:[+-] +)?\d{1,9} +)(?:segmentation fault|abort\b|killed\b|bus error|illegal|floating)"
)
"""What the C library and the shell print when a program ends by an error of its own."""
_BY_SCRIPT = re.compile(r": line \d{1,9}: +\d{1,9} +")
"""Where bash says in which line of a script the program was started."""
_VERSION, _RTX_VERSION = "TensorRT version:", "TensorRT for RTX version:"
_OUTCOMES = {"PASSED": True, "FAILED": False}
_LONG_BUILD_S, _NOTED_SHARE = 60.0, 0.3
_MOST_RUNNERS = 5
_FIRST_YEAR = 2020
"""No TensorRT that can be read is older; a Jetson without a battery begins at 1970."""
# Warnings by their text, although not by their severity.
_QUIET_WARNINGS = ("Some tactics do not have", "Could not read ", "Could not load ")


@dataclass(frozen=True, slots=True)
class LogRun:
    """One run of trtexec, or one engine in a Python log.

    passed: by the closing banner, None without one (prefer the exit status if known).
    raw_layers, bindings: the layer information (``--dumpLayerInfo`` or the Python inspector's text) such that
    ``inspector_document(raw_layers, bindings)`` equals the engine's JSON; raw_layers is None without it. Without a
    list in the log, ``bindings`` are the names of ``io_tensors``, or the network's inputs and outputs that the ONNX
    importer prints.
    layer_rows: records of ``Engine Layer Information:`` (verbose build logs), see ``engine_layer_rows``.
    io_tensors: inputs and outputs created for inference. milestones: ``engine_built_s``, ``engine_size_mib``,
    ``queries`` …, if printed. first_line: line number of the run's start. day: on which it began, by its own clock.
    is_rebuilt: a later run in the log built the engine again.
    notes: about the layers; the others are in ``metadata`` and ``layer_times``.
    """

    metadata: Metadata
    passed: bool | None = None
    layer_times: LayerTimes | None = None
    raw_layers: list[LayerRecord] | None = None
    layer_rows: list[dict[str, Any]] | None = None
    bindings: list[BindingRecord] = field(default_factory=list)
    io_tensors: tuple[LogBinding, ...] = ()
    first_line: int = 1
    notes: tuple[Note, ...] = ()
    day: date | None = None
    is_rebuilt: bool = False

    @property
    def all_notes(self) -> tuple[Note, ...]:
        times = self.layer_times.notes if self.layer_times else ()
        return (*self.metadata.notes, *times, *self.notes)


class _Mode(Enum):
    """The section that the next messages belong to, apart from layers."""

    IDLE = 0
    OPTIONS = 1
    PERFORMANCE = 2
    PROFILE = 3


class RunReader:
    """Takes the lines of one run in order; ``finish`` returns the LogRun."""

    def __init__(self, where: str, first_line: int) -> None:
        self.where = where
        self.has_messages = False
        self._mode = _Mode.IDLE
        self._metadata = RunMetadata(where, first_line)
        self._layers = LayerLines()
        self._section: dict[str, list[str]] = {}
        self._table: ProfileTable | None = None
        self._io_tensors: list[LogBinding] = []
        self._network_bindings: dict[str, None] = {}
        self._milestones: dict[str, float] = {}
        self._other_runners: list[str] = []
        self._with_comma: LogLine | None = None
        self._day = ""

    @property
    def is_idle(self) -> bool:
        return self._mode is _Mode.IDLE and not self._layers.is_open

    @property
    def has_data(self) -> bool:
        """Whether anything but messages was read."""
        return bool(
            not self._metadata.is_empty
            or self._layers.rows is not None
            or self._layers.has_dump
            or self._table
            or self._io_tensors
            or self._milestones
        )

    def add_banner(self, banner: Banner) -> None:
        self._idle()
        run, single = self._metadata, self._metadata.single
        if banner.kind == "RUNNING" or run.banner is None:
            run.banner = banner
            single.command, single.release = banner.command_line, banner.tensorrt_version
        is_end = banner.kind in ("PASSED", "FAILED", "WAIVED")
        if is_end and single.end(banner.command_line, banner.tensorrt_version):
            run.outcome = banner.kind

    def begins_another(self, line: LogLine) -> bool:
        """Whether this line starts another run, because it begins a part that was read already."""
        message = line.message
        if message.startswith("=== "):
            is_message = line.is_prefixed or not line.severity
            return is_message and FIRST_SECTION in self._metadata.options and section_name(message) == FIRST_SECTION
        if self._metadata.banner is not None:  # trtexec may print an engine's layers several times
            return False
        if message.startswith((ENGINE_LAYERS_HEADER, *BUILD_STARTS)):
            return self._layers.rows is not None
        return self._layers.has_dump and not self._layers.is_in_dump and message.startswith(LAYERS_HEADER)

    def add(self, line: LogLine) -> None:
        if line.is_prefixed:
            self.has_messages = True
            self._metadata.single.message()
            self._day = self._day or line.day
            if line.severity in "WEF":
                self._metadata.warnings.add(line)
            else:
                self._add_message(line)
        elif self._layers.add_continuation(line):
            self._mode = _Mode.IDLE
        elif is_crash(line.message):
            self._metadata.crash = line
        elif not line.severity:  # a log whose prefixes were removed
            self._add_message(line)

    def _idle(self) -> None:
        self._mode = _Mode.IDLE
        self._layers.close()

    def _add_message(self, line: LogLine) -> None:
        message = line.message
        text = message.strip(" \t")
        section = section_name(message)
        if section is not None:
            self._open_section(section, line.number)
        elif self._mode is _Mode.PROFILE:
            if text:
                self._add_to_table(line)
            elif self._table and self._table.rows:
                self._mode = _Mode.IDLE
        elif not text:
            self._idle()
        elif text.startswith(_VERSION):
            self._metadata.version = text[len(_VERSION) :].strip(" \t")
            self._idle()
        elif text.startswith(_RTX_VERSION):
            self._metadata.version = "for RTX " + text[len(_RTX_VERSION) :].strip(" \t")
            self._idle()
        elif self._add_layers(line, text):
            self._mode = _Mode.IDLE
        elif line.is_trt:
            self._layers.close()
            self._add_of_library(line, text)
        elif self._mode is _Mode.OPTIONS:
            self._add_option(line, text)
        elif self._mode is _Mode.PERFORMANCE:
            run = self._metadata
            has_comma = line.severity != "V" and add_performance(run.performance, run.latency, text)
            self._with_comma = self._with_comma or (line if has_comma else None)
        else:
            self._idle()
            self._add_event(line, text)

    def _add_layers(self, line: LogLine, text: str) -> bool:
        """Adds the message if it is, or announces, layers; False otherwise."""
        if text == ENGINE_LAYERS_HEADER:
            self._layers.open_rows()
        elif text.startswith(_LAYERS_ANNOUNCED):
            self._layers.open_dump(line.number, is_announced=True)
        elif text == LAYERS_HEADER:
            self._layers.open_dump(line.number)
        else:
            return line.message.startswith(ROW_STARTS) and self._layers.add_row(line)
        return True

    def _open_section(self, name: str, number: int) -> None:
        self._idle()
        if name in OPTION_SECTIONS:
            self._section = self._metadata.options.setdefault(name, {})
            self._mode = _Mode.OPTIONS
            self._metadata.single.command = self._metadata.single.command or ""
        elif name == "Performance summary":
            self._metadata.single.summary()
            self._mode = _Mode.PERFORMANCE
        elif (count := profile_count(f"=== {name} ===")) is not None:
            self._table = ProfileTable(count, number)
            self._mode = _Mode.PROFILE

    def _add_to_table(self, line: LogLine) -> None:
        if self._table is not None and not line.is_trt:
            self._table.add(line.message, line.number)

    def _add_option(self, line: LogLine, text: str) -> None:
        if not line.is_prefixed and text.startswith("--"):
            self._metadata.is_help = True
        elif not self._metadata.is_help:
            add_option(self._section, text)

    def _add_of_library(self, line: LogLine, text: str) -> None:
        if (name := parse_network_binding(text)) is not None:
            self._network_bindings.setdefault(name)
        elif INSUFFICIENT_SCRATCH in text or text.startswith(_QUIET_WARNINGS):
            self._metadata.warnings.add(line)
        else:
            if text.startswith(BUILT):
                self._metadata.single.built()
            self._metadata.memory.add(text)
            if add_milestone(self._milestones, text):
                self._with_comma = self._with_comma or line

    def _add_event(self, line: LogLine, text: str) -> None:
        binding = parse_binding(text)
        if binding is not None:
            self._io_tensors.append(binding)
        elif text == "Host Latency":
            self._metadata.is_version_7 = True
        elif "timing is not reported" in text:
            self._metadata.warnings.add(line)
        elif AVERAGE_TIME in text:
            if (runner := add_polygraphy_run(self._milestones, text)) and len(self._other_runners) < _MOST_RUNNERS:
                self._other_runners.append(runner)
        else:
            self._add_of_library(line, text)  # without a clock, TensorRT for RTX does not state the source

    def _reformat_notes(self, seconds: float, tensors: int) -> Iterator[Note]:
        """Where timing reformats took much of a long build."""
        build_s = self._milestones.get("engine_generation_s", 0.0)
        if build_s > _LONG_BUILD_S and seconds >= _NOTED_SHARE * build_s:
            share = min(100.0 * seconds / build_s, 100.0)
            message = (
                f"{share:.0f} % of the build ({seconds_words(build_s)}) timed reformats of {counted(tensors, 'tensor')}"
            )
            hint = "a timing cache saves this in the next build: --timingCacheFile=FILE; trex tactics lists the rest"
            yield Note("reformats-in-build-time", message, hint, self.where, "info")

    def _comma_notes(self) -> Iterator[Note]:
        """1,155 ms may be more than a second, or little more than one millisecond."""
        if line := self._with_comma:
            where = f"{self.where}:{line.number}" if self.where else ""
            message = f"numbers with a comma are ambiguous and not read: {printable_name(line.message.strip())[:200]}"
            yield Note("number-with-comma", message, "run trtexec with LC_ALL=C", where)

    def finish(
        self,
        trials: tuple[TacticTrial, ...] = (),
        timings: tuple[FormatTiming, ...] = (),
        reformats: tuple[float, int] = (0.0, 0),
    ) -> LogRun:
        """trials, timings: the tactic timings of the run. reformats: seconds of timing them, and how many tensors."""
        raw_layers, bindings, notes = self._layers.dumped(self.where)
        is_built = "engine_generation_s" in self._milestones
        metadata = self._metadata.metadata(is_built)
        latency, impossible = possible_summaries(metadata.latency, self.where)
        return LogRun(
            replace(
                metadata,
                latency=latency,
                milestones=self._milestones,
                trials=trials,
                format_timings=timings,
                notes=(
                    *metadata.notes,
                    *impossible,
                    *self._reformat_notes(*reformats),
                    *self._comma_notes(),
                    *([other_runners(self._other_runners, self.where)] if self._other_runners else ()),
                ),
            ),
            _OUTCOMES.get(self._metadata.outcome),
            self._table.finish(self.where) if self._table else None,
            raw_layers,
            self._layers.rows,
            bindings or list(dict.fromkeys(tensor.name for tensor in self._io_tensors)) or list(self._network_bindings),
            tuple(self._io_tensors),
            self._metadata.first_line,
            tuple(notes),
            _day_of(self._day),
        )


def _day_of(text: str) -> date | None:
    """``04/30/2026`` → the day; None for the clock of a machine that was not set, or without one."""
    try:
        month, day, year = map(int, text.split("/"))
        return date(year, month, day) if year >= _FIRST_YEAR else None
    except ValueError:
        return None


def is_crash(message: str) -> bool:
    """Whether a line without a prefix says that a program ended by an error of its own."""
    _, has_assertion, asserted = message.partition("Assertion ")
    started = _BY_SCRIPT.search(message)
    return _CRASH.match(message, started.end() if started else 0) is not None or (
        bool(has_assertion) and " failed" in asserted
    )
