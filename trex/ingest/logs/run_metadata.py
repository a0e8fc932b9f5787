"""RunMetadata: options, performance and warnings of a run → Metadata with Notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from trex.core.metadata import LatencySummary, Metadata
from trex.core.note import Note
from trex.core.printable import clipped
from trex.ingest.logs.banner import Banner
from trex.ingest.logs.log_lines import LogLine
from trex.ingest.logs.log_sections import joined
from trex.ingest.logs.log_warnings import Warnings
from trex.ingest.logs.memory_lines import MemoryLines
from trex.ingest.logs.raw_lines import RawLines
from trex.ingest.logs.single_run import SingleRun
from trex.ingest.logs.warning_table import NOT_CAPTURED

FIRST_SECTION = "Model Options"
OPTION_SECTIONS = {
    FIRST_SECTION: "model_options",
    "Build Options": "build_options",
    "System Options": "system_options",
    "Inference Options": "inference_options",
    "Reporting Options": "reporting_options",
    "Device Information": "device",
}
"""{title of a section: field of Metadata}"""

RUN_FAILED, RUN_CRASHED, RUN_UNFINISHED = "run-failed", "run-crashed", "run-unfinished"
MIXED_RUNS = "runs-mixed-in-log"
"""Code of the problem that lines of another run are between those of the run, and no figure may be its own."""
_LOADS_ENGINE = re.compile(r"(?:^|[ \t])--loadEngine=[^ \t]")
_WORKSPACE = re.compile(r"workspace: ([0-9]{1,20}(?:\.[0-9]{1,20})?(?:e[+-]?[0-9]{1,3})?) MiB", re.ASCII)


@dataclass
class RunMetadata:
    """Filled line by line. where, first_line: the run's address. crash: the line that a crash left. single: whether
    another run, which began before this one ended, has lines in it.
    """

    where: str
    first_line: int
    banner: Banner | None = None
    outcome: str = ""
    is_help: bool = False
    is_version_7: bool = False
    version: str = ""
    options: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    performance: dict[str, Any] = field(default_factory=dict)
    latency: dict[str, LatencySummary] = field(default_factory=dict)
    warnings: Warnings = field(default_factory=Warnings)
    memory: MemoryLines = field(default_factory=MemoryLines)
    crash: LogLine | None = None
    single: SingleRun = field(default_factory=SingleRun)

    @property
    def is_empty(self) -> bool:
        """Whether nothing but warnings was read."""
        return not (self.banner or self.outcome or self.options or self.performance)

    def metadata(self, is_built: bool = False) -> Metadata:
        """is_built: the log reports that an engine was generated."""
        banner = self.banner or Banner("", "", "")
        written = {} if self.is_help else self.options
        options = {OPTION_SECTIONS[name]: joined(values) for name, values in written.items()}
        if self.warnings.has(NOT_CAPTURED) and "inference_options" in options:
            options["inference_options"]["CUDA Graph Capture"] = "Failed"
        build = options.get("build_options", {})
        notes = [
            *self._version_notes(banner),
            *self._outcome_notes(banner),
            *self._mixed_notes(),
            *self._memory_notes(),
        ]
        notes += self.warnings.notes(self.where, is_built and self.outcome != "FAILED")
        if build and (build.get("Load engine") or _LOADS_ENGINE.search(banner.command_line)):
            del options["build_options"]
            notes.append(
                Note(
                    "build-options-of-a-loaded-engine",
                    "the run loads an engine: the build options in its log are defaults and were ignored",
                    "read the build options from the log of the build",
                    self._start,
                    "info",
                )
            )
        pool = _WORKSPACE.search(options.get("build_options", {}).get("Memory Pools", ""))
        if pool and float(pool[1]) < 1:
            notes.append(
                Note(
                    "tiny-workspace",
                    f"the engine was built with a workspace of {pool[1]} MiB: trtexec 10.1 and later parse 1024MiB as "
                    "bytes",
                    "give the size without a unit: --memPoolSize=workspace:1024",
                    self._start,
                )
            )
        return Metadata(
            **options,  # type: ignore[arg-type]
            performance=self.performance,
            latency=self.latency,
            memory=self.memory.bytes,
            tensorrt_version=self.version or banner.tensorrt_version,
            command_line=banner.command_line,
            sources=(self.where,) if self.where else (),
            notes=tuple(notes),
        )

    @property
    def _start(self) -> str:
        return f"{self.where}:{self.first_line}" if self.where else ""

    def _version_notes(self, banner: Banner) -> Iterator[Note]:
        if self._is_old(banner):
            yield Note(
                "tensorrt-7-log",
                "the log is of TensorRT 7 or older: only options and device could be read",
                "engines of TensorRT 8.2 and later are supported; build and profile with one of them",
                self._start,
            )

    def _outcome_notes(self, banner: Banner) -> Iterator[Note]:
        error = self.warnings.first_error
        if self.outcome == "FAILED" or (self.is_help and error):  # trtexec prints its help when an option is wrong
            yield Note(RUN_FAILED, "trtexec reports that the run failed", error, self._start, "problem")
        elif self.is_help:
            yield Note(
                "help-text",
                "this is trtexec's help text, not the log of a run",
                "pass the output of a run: trtexec --onnx=MODEL.onnx … 2>&1 | tee build.log",
                self._start,
                "problem",
            )
        elif not self.outcome and self.crash is not None:
            yield Note(
                RUN_CRASHED,
                f"the run crashed: {clipped(self.crash.message.strip(), 200)}",
                "try another release of TensorRT, or another --builderOptimizationLevel; report it to NVIDIA",
                f"{self.where}:{self.crash.number}",
                "problem",
            )
        elif not self.outcome and banner.kind == "RUNNING":
            yield Note(
                RUN_UNFINISHED,
                "the run has no closing banner: it was interrupted, or the log is truncated",
                "",
                self._start,
            )

    def _mixed_notes(self) -> Iterator[Note]:
        if self.single.is_mixed:
            message = "two runs wrote into this log at the same time: its figures may be of either"
            yield Note(MIXED_RUNS, message, "run them again, each with a log of its own", self._start, "problem")

    def _memory_notes(self) -> Iterator[Note]:
        if self.memory.is_of_several:
            message = "several engines were generated, and the log does not state which was kept: its memory is unknown"
            yield Note("memory-of-several-engines", message, "build with --verbose", self._start)

    def _is_old(self, banner: Banner) -> bool:
        version = self.version or banner.tensorrt_version
        return self.is_version_7 or version.startswith(("5.", "6.", "7."))


def doubled_notes(lines: RawLines, where: str) -> tuple[Note, ...]:
    """On a log whose messages stand twice. lines: all read."""
    if lines.is_mixed:
        message = "two runs of one command wrote into this log at the same time: its figures may be of either"
        return (Note(MIXED_RUNS, message, "run them again, each with a log of its own", where, "problem"),)
    if not lines.is_doubled:
        return ()
    message = "every message of the log stands twice, and was read once"
    return (Note("doubled-lines", message, "a Python logger with two handlers writes so", where, "info"),)
