"""TensorRT's Python API, 8.5 to 11, for machines without trtexec: the collector, in a process of its own.

A separate process survives a crash of TensorRT, can be stopped during a build, and its output is the log.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from trex.capture.backend import FAILURE_TEXT, PROFILE, Backend, CaptureJob, StageResult, timeout_error
from trex.capture.child import TIME_LIMIT, run_child
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs, check_engine_release
from trex.capture.phases import PROFILING, STARTING, Phase, PhaseReader, Watcher
from trex.capture.probe import ask_python, is_installed
from trex.capture.tensorrt_api.arguments import SWITCHES, VALUES
from trex.capture.tensorrt_api.library import OLDEST_RELEASE
from trex.capture.trtexec.command_line import CommandLine, command_line
from trex.capture.trtexec.failure import ErrorLines
from trex.capture.trtexec.user_options import OPT_OUTS, Receiver
from trex.core.errors import TrexError, missing_extra
from trex.core.release import release_from_text

_MODULE = "trex.capture.tensorrt_api"
_ROOT = Path(__file__).resolve().parents[3]
_RECEIVER = Receiver(
    "the Python API", f"python -m {_MODULE} --help lists its options", frozenset(SWITCHES) | frozenset(VALUES)
)
_PROGRESS = re.compile(r"\[I\] \[progress\] (.{1,200}): (\d{1,9}) of (\d{1,9})$", re.ASCII)
_FAILURE = re.compile(r"\[E\] \[(collector|try)\] (.*)$")


@dataclass(frozen=True)
class TensorrtJob(CaptureJob):
    """This Python's TensorRT, and the command lines for it in trtexec's options."""

    lines: CommandLine

    def command(self, stage: str, outputs: Outputs) -> tuple[str, ...]:
        arguments = self.lines.of_stage(stage, outputs)
        opt_outs = self._opt_outs(arguments) if stage == PROFILE else ()
        return (self.program, "-m", _MODULE, *arguments, *opt_outs)

    def run(self, stage: str, outputs: Outputs, watcher: Watcher) -> StageResult:
        notes = check_engine_release(outputs.engine, self.release) if stage == PROFILE else ()
        command = self.command(stage, outputs)
        log = outputs.log(stage)
        reader = _OutputReader(watcher)
        watcher.phase(f"starting TensorRT {self.release} to {stage} the engine")
        limit = self.lines.options.timeout
        result = run_child(command, log, reader.take, limit or None, environment=_environment())
        failure = None
        if result.stopped_by == TIME_LIMIT:
            failure = timeout_error(stage, "TensorRT", limit, reader.phase, log)
        elif not result.stopped_by and result.exit_code:
            message = reader.failure.get("collector") or reader.errors.reason(result)
            hint = reader.failure.get("try") or "the whole output is in the log"
            failure = TrexError(f"{FAILURE_TEXT[stage]}: {message}", hint, str(log))
        return StageResult.from_child(command, result, failure, notes)

    def _opt_outs(self, arguments: tuple[str, ...]) -> Iterator[str]:
        """Before 11 trtexec needs options for the collector's defaults; without one, the collector opts out."""
        if self.release.major < 11:
            for opt_out, option in OPT_OUTS.items():
                if f"--{option}" not in arguments:
                    yield f"--{opt_out}"


class _OutputReader:
    """Reads phases, errors and the failure from the collector's output."""

    def __init__(self, watcher: Watcher) -> None:
        self.watcher = watcher
        self.phases = PhaseReader()
        self.errors = ErrorLines()
        self.failure: dict[str, str] = {}
        self.phase = Phase(STARTING)

    def take(self, line: str) -> None:
        self.watcher.line(line)
        self.errors.add(line)
        if failure := _FAILURE.search(line):
            self.failure[failure[1]] = failure[2]
        elif progress := _PROGRESS.search(line):
            self._move(Phase(progress[1], int(progress[2]), int(progress[3])))
        elif line.endswith("[I] Profiling the layers"):
            self._move(Phase(PROFILING))
        elif (phase := self.phases.read(line)) is not None:
            self._move(phase)

    def _move(self, phase: Phase) -> None:
        self.phase = phase
        self.watcher.phase(*phase)


def _environment() -> dict[str, str]:
    """The child finds trex and everything on this process's PYTHONPATH."""
    path = dict.fromkeys([str(_ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONUNBUFFERED": "1"}


def _is_available(_: CaptureOptions) -> bool:
    return is_installed("tensorrt")


def _prepare(options: CaptureOptions) -> TensorrtJob:
    if not is_installed("tensorrt"):
        raise missing_extra("tensorrt", "tensorrt", "building through the Python API")
    answer = ask_python("import tensorrt\nanswer = str(tensorrt.__version__)")
    release = release_from_text(answer.value) if isinstance(answer.value, str) else None
    if release is None:
        raise TrexError(
            f"TensorRT's Python module cannot be loaded: {answer.problem or 'it has no version'}",
            "trex doctor reports what is missing",
        )
    if release.pair < OLDEST_RELEASE:
        raise TrexError(f"TensorRT {release} is too old for its Python API to be used", "use --backend trtexec")
    lines = command_line(options, release, receiver=_RECEIVER)
    return TensorrtJob(release, sys.executable, lines.notes, lines)


BACKEND = Backend("tensorrt", _is_available, _prepare)
