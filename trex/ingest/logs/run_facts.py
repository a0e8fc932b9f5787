"""RunFacts: what a run tells of itself beside its layers and their times; → Metadata and its Notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from trex.core.metadata import LatencySummary, Metadata
from trex.core.note import Note
from trex.ingest.logs.banner import Banner
from trex.ingest.logs.log_sections import joined
from trex.ingest.logs.log_warnings import Warnings
from trex.ingest.logs.memory_lines import MemoryLines

FIRST_SECTION = "Model Options"
BUILD_SECTION = "Build Options"
SYSTEM_SECTION = "System Options"
INFERENCE_SECTION = "Inference Options"
REPORTING_SECTION = "Reporting Options"
DEVICE_SECTION = "Device Information"
OPTION_SECTIONS = (
    FIRST_SECTION, BUILD_SECTION, SYSTEM_SECTION, INFERENCE_SECTION, REPORTING_SECTION, DEVICE_SECTION
)  # fmt: skip

_LOADS_ENGINE = re.compile(r"(?:^|[ \t])--loadEngine=[^ \t]")
_WORKSPACE = re.compile(r"workspace: ([0-9]{1,20}(?:\.[0-9]{1,20})?(?:e[+-]?[0-9]{1,3})?) MiB", re.ASCII)
# Source: trtexec warns from this share of the GPU's time on.
_ENQUEUE_SHARE = 0.8


@dataclass
class RunFacts:
    """Filled line by line; where and first_line are the run's address."""

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

    @property
    def is_empty(self) -> bool:
        """True when nothing was told but warnings."""
        return not (self.banner or self.outcome or self.options or self.performance)

    def metadata(self) -> Metadata:
        banner = self.banner or Banner("", "", "")
        options = {} if self.is_help else {name: joined(values) for name, values in self.options.items()}
        build = options.get(BUILD_SECTION, {})
        notes = [*self._version_notes(banner), *self._outcome_notes(banner)]
        notes += self.warnings.notes(self.where)
        if not self.is_help:
            notes += self._latency_notes()
        if build and (build.get("Load engine") or _LOADS_ENGINE.search(banner.command_line)):
            build = {}
            notes.append(
                Note(
                    "build-options-of-a-loaded-engine",
                    "the run loads an engine, so the build options it prints are defaults and were left out",
                    "read the build options from the log of the build",
                    self._start,
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
                    self._start,
                )
            )
        return Metadata(
            model_options=options.get(FIRST_SECTION, {}),
            build_options=build,
            system_options=options.get(SYSTEM_SECTION, {}),
            inference_options=options.get(INFERENCE_SECTION, {}),
            reporting_options=options.get(REPORTING_SECTION, {}),
            device=options.get(DEVICE_SECTION, {}),
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
        said = self.version
        if said and banner.tensorrt_version and said != banner.tensorrt_version:
            yield Note(
                "two-tensorrt-versions",
                f"trtexec is of TensorRT {banner.tensorrt_version} and runs with the library of {said}",
                where=self._start,
            )
        if self._is_old(banner):
            yield Note(
                "tensorrt-7-log",
                "the log is of TensorRT 7 or older: only its options and device could be read",
                "engines of TensorRT 8.2 and later are supported; build and profile with one of them",
                self._start,
            )

    def _outcome_notes(self, banner: Banner) -> Iterator[Note]:
        error = self.warnings.first_error
        if self.outcome == "FAILED" or (self.is_help and error):  # trtexec prints its help when an option is wrong
            yield Note("run-failed", "trtexec reports that the run failed", error, self._start, "problem")
        elif self.is_help:
            yield Note(
                "help-text",
                "this is the help that trtexec prints, not the log of a run",
                "pass the output of a run: trtexec --onnx=MODEL.onnx … 2>&1 | tee build.log",
                self._start,
                "problem",
            )
        elif not self.outcome and banner.kind == "RUNNING":
            yield Note(
                "run-unfinished",
                "the run has no closing banner: it was interrupted or the log was cut",
                "",
                self._start,
            )
        elif self.outcome and banner.kind != "RUNNING" and not self._is_old(banner):
            yield Note(
                "run-without-beginning",
                "the run has no opening banner: the log begins after the run did, and options may be missing",
                "",
                self._start,
                "info",
            )

    def _is_old(self, banner: Banner) -> bool:
        version = self.version or banner.tensorrt_version
        return self.is_version_7 or version.startswith(("5.", "6.", "7."))

    def _latency_notes(self) -> Iterator[Note]:
        """What trtexec would have warned of, where the warning is not in the log: stderr was not kept."""
        told = self.warnings.codes
        compute = self._median_ms("GPU Compute Time")
        enqueue, inputs, outputs = map(self._median_ms, ("Enqueue Time", "H2D Latency", "D2H Latency"))
        if not compute:
            return
        if enqueue > _ENQUEUE_SHARE * compute and "enqueue-bound" not in told:
            yield Note(
                "enqueue-bound",
                f"throughput may be bound by the CPU: it enqueues an inference in {enqueue:g} ms, the GPU computes it "
                f"in {compute:g} ms (medians)",
                "launch the layers as one CUDA graph: --useCudaGraph (the default of TensorRT 11)",
                self._start,
            )
        if inputs > compute and "host-to-device-bound" not in told:
            yield Note(
                "host-to-device-bound",
                f"throughput may be bound by the transfer of the inputs: it takes {inputs:g} ms, the GPU computes in "
                f"{compute:g} ms (medians)",
                "measure without transfers (--noDataTransfers, the default of TensorRT 11), or keep the inputs on the "
                "GPU",
                self._start,
            )
        if outputs > compute and "device-to-host-bound" not in told:
            yield Note(
                "device-to-host-bound",
                f"throughput may be bound by the transfer of the outputs: it takes {outputs:g} ms, the GPU computes in "
                f"{compute:g} ms (medians)",
                "measure without transfers (--noDataTransfers, the default of TensorRT 11), or keep the outputs on the "
                "GPU",
                self._start,
            )

    def _median_ms(self, name: str) -> float:
        summary = self.latency.get(name)
        return (summary.median_ms if summary else None) or 0.0
