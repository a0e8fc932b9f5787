"""The lines of one run → LogRun: its options, device, times, layers and warnings."""

from __future__ import annotations

import re
from enum import Enum
from typing import Any

from trex.core.counted import counted
from trex.core.metadata import LatencySummary, Metadata
from trex.core.note import Note
from trex.ingest.logs import engine_layer_rows, inspector_text
from trex.ingest.logs.engine_layer_rows import parse_layer_row
from trex.ingest.logs.inspector_text import BINDINGS_HEADERS, LAYERS_HEADER, TYPE_MARK, parse_inspector_text
from trex.ingest.logs.log_lines import LogLine
from trex.ingest.logs.log_profile_table import ProfileTable, profile_count
from trex.ingest.logs.log_run import LogRun
from trex.ingest.logs.log_sections import (
    BORDER_STARTS,
    Banner,
    LogBinding,
    add_milestone,
    add_option,
    add_performance,
    joined,
    parse_binding,
    parse_border,
    section_name,
)
from trex.ingest.logs.log_warnings import Warnings

ENGINE_LAYERS_HEADER = "Engine Layer Information:"
FIRST_SECTION = "Model Options"

_OPTION_SECTIONS = (
    FIRST_SECTION,
    "Build Options",
    "System Options",
    "Inference Options",
    "Reporting Options",
    "Device Information",
)
_LAYERS_ANNOUNCED = ("Layer Information:", "Engine information")
_VERSION = "TensorRT version:"
_OUTCOMES = {"PASSED": True, "FAILED": False}
_LOADS_ENGINE = re.compile(r"(?:^|[ \t])--loadEngine=[^ \t]")
_WORKSPACE = re.compile(r"workspace: ([0-9]{1,20}(?:\.[0-9]{1,20})?(?:e[+-]?[0-9]{1,3})?) MiB", re.ASCII)


class _Mode(Enum):
    """What the lines that follow belong to."""

    IDLE = 0
    OPTIONS = 1
    PERFORMANCE = 2
    PROFILE = 3
    LAYERS = 4
    BELOW_LAYERS = 5
    BINDINGS = 6
    ROWS = 7


_DUMP = (_Mode.LAYERS, _Mode.BELOW_LAYERS, _Mode.BINDINGS)


class RunReader:
    """Takes the lines of one run in order; ``finish`` makes the LogRun."""

    def __init__(self, where: str, first_line: int) -> None:
        self.where = where
        self.first_line = first_line
        self.mode = _Mode.IDLE
        self.has_messages = False
        self.is_help = False
        self.outcome: str | None = None
        self.banner: Banner | None = None
        self.options: dict[str, dict[str, list[str]]] = {}
        self.rows: list[dict[str, Any]] | None = None
        self.has_dump = False
        self._dump: list[str] = []
        self._section: dict[str, list[str]] = {}
        self._is_announced = False
        self._dump_line = 0
        self._bad_rows: list[int] = []
        self._version = ""
        self._is_version_7 = False
        self._performance: dict[str, Any] = {}
        self._latency: dict[str, LatencySummary] = {}
        self._table: ProfileTable | None = None
        self._io_tensors: list[LogBinding] = []
        self._border: dict[str, None] = {}
        self._milestones: dict[str, float] = {}
        self._warnings = Warnings()

    @property
    def is_idle(self) -> bool:
        return self.mode is _Mode.IDLE

    @property
    def has_data(self) -> bool:
        """Whether there is more than messages that are not kept."""
        return bool(
            self.banner
            or self.outcome
            or self.options
            or self.rows is not None
            or self.has_dump
            or self._table
            or self._performance
            or self._io_tensors
            or self._milestones
        )

    def add_banner(self, banner: Banner) -> None:
        self.mode = _Mode.IDLE
        if banner.kind == "RUNNING" or self.banner is None:
            self.banner = banner
        if banner.kind in ("PASSED", "FAILED", "WAIVED"):
            self.outcome = banner.kind

    def begins_another(self, line: LogLine) -> bool:
        """Whether this line can only belong to another run: what it begins has been read already."""
        message = line.message
        if message.startswith("=== "):
            is_said = line.is_prefixed or not line.severity
            return is_said and FIRST_SECTION in self.options and section_name(message) == FIRST_SECTION
        if self.banner is not None:  # trtexec may print an engine's layers several times
            return False
        if message.startswith((ENGINE_LAYERS_HEADER, *BORDER_STARTS)):
            return self.rows is not None
        return self.mode not in _DUMP and self.has_dump and message.startswith(LAYERS_HEADER)

    def add(self, line: LogLine) -> None:
        if line.is_prefixed:
            self.has_messages = True
            if line.severity in "WEF":
                self._warnings.add(line)
            else:
                self._add_message(line)
        elif not self._add_continuation(line) and not line.severity:  # a log whose prefixes were cut off
            self._add_message(line)

    def _add_continuation(self, line: LogLine) -> bool:
        message = line.message
        text = message.rstrip(" \t")
        if message.startswith((engine_layer_rows.ROW_START, inspector_text.ROW_START)) and self._add_row(line):
            return True
        if text == LAYERS_HEADER:
            self._open_dump(line.number)
            return True
        if self.mode in _DUMP:
            return self._add_to_dump(text)
        if self.mode is _Mode.ROWS and text:
            self._bad_rows.append(line.number)
            return True
        return False

    def _add_to_dump(self, text: str) -> bool:
        if text in BINDINGS_HEADERS:
            self.mode = _Mode.BINDINGS
        elif not text:
            self.mode = _Mode.BELOW_LAYERS if self.mode is _Mode.LAYERS else self.mode
            if self.mode is _Mode.BINDINGS:
                self.mode = _Mode.IDLE
            return True
        elif self.mode is _Mode.BELOW_LAYERS:
            self.mode = _Mode.IDLE
            return False
        self._dump.append(text)
        return True

    def _add_row(self, line: LogLine) -> bool:
        """A layer's row, recognised by itself: also in logs of which someone kept but these lines."""
        message = line.message
        if message.startswith(engine_layer_rows.ROW_START):
            row = parse_layer_row(message)
            if row is None:
                return False
            if self.rows is None:
                self.rows = []
            self.mode = _Mode.ROWS
            self.rows.append(row)
            if "UnreadTensors" in row:
                self._bad_rows.append(line.number)
            return True
        if TYPE_MARK not in message:
            return False
        if not self.has_dump:
            self._open_dump(line.number - 1)
        self.mode = _Mode.LAYERS
        self._is_announced = True
        self._dump.append(message)
        return True

    def _open_dump(self, number: int) -> None:
        self.has_dump = True
        self._dump = []
        self._dump_line = number + 1
        self.mode = _Mode.LAYERS

    def _add_message(self, line: LogLine) -> None:
        message = line.message
        text = message.strip(" \t")
        section = section_name(message)
        if section is not None:
            self._open_section(section, line.number)
        elif self.mode is _Mode.PROFILE:
            if text:
                self._add_to_table(line)
            elif self._table and self._table.rows:
                self.mode = _Mode.IDLE
        elif not text:
            self.mode = _Mode.IDLE
        elif text.startswith(_VERSION):
            self._version = text[len(_VERSION) :].strip(" \t")
            self.mode = _Mode.IDLE
        elif text == ENGINE_LAYERS_HEADER:
            self.rows = []
            self._bad_rows = []
            self.mode = _Mode.ROWS
        elif text.startswith(_LAYERS_ANNOUNCED):
            self._open_dump(line.number)
            self._is_announced = True
        elif text == LAYERS_HEADER:
            self._open_dump(line.number)
        elif message.startswith((engine_layer_rows.ROW_START, inspector_text.ROW_START)) and self._add_row(line):
            return
        elif line.is_trt:
            if (name := parse_border(text)) is not None:
                self._border.setdefault(name)
            self.mode = _Mode.IDLE if self.mode in _DUMP or self.mode is _Mode.ROWS else self.mode
        elif self.mode is _Mode.OPTIONS:
            self._add_option(line, text)
        elif self.mode is _Mode.PERFORMANCE:
            if line.severity != "V":
                add_performance(self._performance, self._latency, text)
        else:
            self.mode = _Mode.IDLE
            self._add_event(line, text)

    def _open_section(self, name: str, number: int) -> None:
        self.mode = _Mode.IDLE
        if name in _OPTION_SECTIONS:
            self._section = self.options.setdefault(name, {})
            self.mode = _Mode.OPTIONS
        elif name == "Performance summary":
            self.mode = _Mode.PERFORMANCE
        elif (count := profile_count(f"=== {name} ===")) is not None:
            self._table = ProfileTable(count, number)
            self.mode = _Mode.PROFILE

    def _add_to_table(self, line: LogLine) -> None:
        if self._table is not None and not line.is_trt:
            self._table.add(line.message, line.number)

    def _add_option(self, line: LogLine, text: str) -> None:
        if not line.is_prefixed and text.startswith("--"):
            self.is_help = True
        elif not self.is_help:
            add_option(self._section, text)

    def _add_event(self, line: LogLine, text: str) -> None:
        binding = parse_binding(text)
        if binding is not None:
            self._io_tensors.append(binding)
        elif text == "Host Latency":
            self._is_version_7 = True
        elif "timing is not reported" in text:
            self._warnings.add(line)
        else:
            add_milestone(self._milestones, text)

    def finish(self) -> LogRun:
        raw_layers, bindings, notes = self._layers()
        if self._bad_rows and self.rows is not None:
            notes.append(
                Note(
                    "unreadable-layer-row",
                    f"{counted(len(self._bad_rows), 'line')} of the engine layer information could be read in part "
                    "or not at all",
                    where=self._at(self._bad_rows[0]),
                    severity="problem",
                )
            )
        return LogRun(
            self._metadata(),
            _OUTCOMES.get(self.outcome or ""),
            self._table.finish(self.where) if self._table else None,
            raw_layers,
            self.rows,
            bindings or list(dict.fromkeys(tensor.name for tensor in self._io_tensors)) or list(self._border),
            tuple(self._io_tensors),
            self._milestones,
            self.first_line,
            tuple(notes),
        )

    def _at(self, number: int) -> str:
        return f"{self.where}:{number}" if self.where else ""

    def _layers(self) -> tuple[list[dict[str, Any] | str] | None, list[str], list[Note]]:
        if not self.has_dump:
            return None, [], []
        layers, bindings, notes = parse_inspector_text(self._dump, self.where, self._dump_line)
        if not self._is_announced and not bindings:  # some other program's "Layers:"
            return None, [], []
        return layers, bindings, notes

    def _metadata(self) -> Metadata:
        banner = self.banner or Banner("", "", "")
        options = {} if self.is_help else {name: joined(values) for name, values in self.options.items()}
        build = options.get("Build Options", {})
        notes = self._notes(banner)
        if build and (build.get("Load engine") or _LOADS_ENGINE.search(banner.command_line)):
            build = {}
            notes.append(
                Note(
                    "build-options-of-a-loaded-engine",
                    "the run loads an engine, so the build options it prints are defaults and were left out",
                    "read the build options from the log of the build",
                    self._at(self.first_line),
                    "info",
                )
            )
        pool = _WORKSPACE.search(build.get("Memory Pools", ""))
        if pool and float(pool[1]) < 1:
            notes.append(
                Note(
                    "tiny-workspace",
                    f"the engine was built with a workspace of {pool[1]} MiB: trtexec 10.1 and later read 1024MiB as "
                    "bytes",
                    "give the size without a unit: --memPoolSize=workspace:1024",
                    self._at(self.first_line),
                )
            )
        return Metadata(
            model_options=options.get(FIRST_SECTION, {}),
            build_options=build,
            system_options=options.get("System Options", {}),
            inference_options=options.get("Inference Options", {}),
            reporting_options=options.get("Reporting Options", {}),
            device=options.get("Device Information", {}),
            performance=self._performance,
            latency=self._latency,
            tensorrt_version=self._version or banner.tensorrt_version,
            command_line=banner.command_line,
            sources=(self.where,) if self.where else (),
            notes=tuple(notes),
        )

    def _notes(self, banner: Banner) -> list[Note]:
        notes: list[Note] = []
        start = self._at(self.first_line)
        said = self._version
        if said and banner.tensorrt_version and said != banner.tensorrt_version:
            notes.append(
                Note(
                    "two-tensorrt-versions",
                    f"trtexec is of TensorRT {banner.tensorrt_version} and runs with the library of {said}",
                    where=start,
                )
            )
        version = said or banner.tensorrt_version
        if self._is_version_7 or version.startswith(("5.", "6.", "7.")):
            notes.append(
                Note(
                    "tensorrt-7-log",
                    "the log is of TensorRT 7 or older: only its options and device could be read",
                    "engines of TensorRT 8.2 and later are supported; build and profile with one of them",
                    start,
                )
            )
        error = self._warnings.first_error
        if self.outcome == "FAILED" or (self.is_help and error):  # trtexec prints its help when an option is wrong
            notes.append(Note("run-failed", "trtexec reports that the run failed", error, start, "problem"))
        elif self.is_help:
            notes.append(
                Note(
                    "help-text",
                    "this is the help that trtexec prints, not the log of a run",
                    "pass the output of a run: trtexec --onnx=MODEL.onnx … 2>&1 | tee build.log",
                    start,
                    "problem",
                )
            )
        elif self.outcome is None and banner.kind == "RUNNING":
            notes.append(
                Note(
                    "run-unfinished", "the run has no closing banner: it was interrupted or the log was cut", "", start
                )
            )
        return [*notes, *self._warnings.notes(self.where)]
