"""ChildJob: a backend whose stages are child processes that take trtexec's options and print in trtexec's form."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from trex.capture.backend import BUILD, FAILURE_TEXT, PROFILE, CaptureJob, StageResult
from trex.capture.child import TIME_LIMIT, ChildResult, run_child
from trex.capture.nvml import gpu_name
from trex.capture.outputs import Outputs, check_engine_release
from trex.capture.phases import Phase, PhaseReader, Watcher
from trex.capture.tensorrt_api.files import PARTIAL
from trex.capture.trtexec.command_line import CommandLine
from trex.capture.trtexec.failure import ErrorLines
from trex.core.errors import TrexError

_DECISIVE = (
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_MODULE_LOADING",
    "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
    "NVIDIA_TF32_OVERRIDE",
)
"""Variables that choose the GPU, or how CUDA and its libraries compute (CUDA C++ Programming Guide; cuBLAS)."""


@dataclass(frozen=True)
class ChildJob(CaptureJob):
    """name: of the program, for messages. lines: its command lines. environment: None for trex's own."""

    lines: CommandLine
    name: ClassVar[str]

    @property
    def environment(self) -> Mapping[str, str] | None:
        return None

    def decisive(self, stage: str) -> object:
        gpu = {"GPU": self._gpu} if self._gpu else {}
        return {name: os.environ[name] for name in _DECISIVE if name in os.environ} | gpu or None

    @cached_property
    def _gpu(self) -> str:
        return gpu_name(self.lines.options.gpu)

    def run(self, stage: str, outputs: Outputs, watcher: Watcher) -> StageResult:
        """A build that does not succeed leaves no engine, and a child that was killed no part of a file."""
        notes = check_engine_release(outputs.engine, self.release) if stage == PROFILE else ()
        command, log = self.command(stage, outputs), outputs.log(stage)
        phases, errors = PhaseReader(), ErrorLines()
        watcher.phase(f"starting {self.name} to {stage} the engine")

        def take(line: str) -> None:
            errors.add(line)
            phase = phases.read(line)
            if phase is not None:
                watcher.phase(*phase)
            watcher.line(line)

        limit = self.lines.options.timeout
        succeeded = False
        try:
            child = run_child(command, log, take, limit or None, environment=self.environment, on_start=watcher.started)
            failure = None
            if child.stopped_by == TIME_LIMIT:
                failure = self._timeout(stage, phases.phase, log)
            elif not child.stopped_by:
                failure = self.failure(stage, child, errors, outputs)
            result = StageResult(command, child, failure, notes)
            succeeded = result.succeeded
        finally:
            if stage == BUILD and not succeeded:
                outputs.engine.unlink(missing_ok=True)
            if not succeeded:
                for path in outputs.folder.glob(f"*{PARTIAL}"):
                    path.unlink(missing_ok=True)
        return result

    def failure(self, stage: str, child: ChildResult, errors: ErrorLines, outputs: Outputs) -> TrexError | None:
        """Why a child failed that ended by itself; None if it succeeded."""
        raise NotImplementedError

    def _timeout(self, stage: str, phase: Phase, log: Path) -> TrexError:
        steps = "" if phase.done is None else f": {phase.done}" + ("" if phase.total is None else f" of {phase.total}")
        after = f"{self.lines.options.timeout:g} s (phase: {phase.name}{steps})"
        message = f"{FAILURE_TEXT[stage]}: {self.name} was stopped after {after}"
        return TrexError(message, "give it more time with --timeout S; 0 is no limit", str(log))
