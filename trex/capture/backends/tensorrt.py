"""TensorRT's Python API, 8.5 to 11, for machines without trtexec: the collector, in a process of its own.

In a process of its own a crash of TensorRT's takes nobody with it, a build can be stopped, and what TensorRT prints is
the log.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from trex.capture.backend import NOT_DONE, PROFILE, Backend, StageEnd, stopped_late
from trex.capture.child import TIME_LIMIT, run_child
from trex.capture.engine_release import check_engine_release
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs
from trex.capture.phases import PROFILING, STARTING, Phase, PhaseReader
from trex.capture.probe import ask_python, is_installed
from trex.capture.tensorrt_api.arguments import SWITCHES, VALUES
from trex.capture.tensorrt_api.library import OLDEST_RELEASE
from trex.capture.trtexec.command_line import CommandLine, command_line
from trex.capture.trtexec.complaints import Complaints
from trex.capture.watcher import Watcher
from trex.capture.words import Taker
from trex.core.errors import TrexError, missing_extra
from trex.core.note import Note
from trex.core.release import Release, release_from_text

_MODULE = "trex.capture.tensorrt_api"
_ROOT = Path(__file__).resolve().parents[3]
_TAKER = Taker(
    "the Python API", f"python -m {_MODULE} --help lists its options", frozenset(SWITCHES) | frozenset(VALUES)
)
_OTHER_WORDS = {"vc": "versionCompatible"}
# Where trtexec must be told before 11, the collector does so by itself and is told otherwise.
_DEFAULTS = (
    ("--useCudaGraph", "--noCudaGraph"),
    ("--useSpinWait", "--noSpinWait"),
    ("--noDataTransfers", "--includeDataTransfers"),
)
_PROGRESS = re.compile(r"\[I\] \[progress\] (.{1,200}): (\d{1,9}) of (\d{1,9})$", re.ASCII)
_FAULT = re.compile(r"\[E\] \[(collector|try)\] (.*)$")


@dataclass(frozen=True, slots=True)
class TensorrtJob:
    """This Python's TensorRT, and the command lines for it in trtexec's words."""

    release: Release
    lines: CommandLine
    program: str = sys.executable

    @property
    def notes(self) -> tuple[Note, ...]:
        return self.lines.notes

    @property
    def uses_gpu(self) -> bool:
        return True

    def command(self, stage: str, outputs: Outputs) -> tuple[str, ...]:
        words = self.lines.stage(stage, outputs)
        undone = self._undone(words) if stage == PROFILE else ()
        return (self.program, "-m", _MODULE, *words, *undone)

    def run(self, stage: str, outputs: Outputs, watcher: Watcher) -> StageEnd:
        notes = check_engine_release(outputs.engine, self.release) if stage == PROFILE else ()
        command = self.command(stage, outputs)
        log = outputs.log(stage)
        told = _Told(watcher)
        watcher.phase(f"starting TensorRT {self.release} to {stage} the engine")
        limit = self.lines.options.timeout
        ended = run_child(command, log, told.take, limit or None, environment=_environment())
        failure = None
        if ended.stopped_by == TIME_LIMIT:
            failure = stopped_late(stage, "TensorRT", limit, told.phase, log)
        elif not ended.stopped_by and ended.exit_code:
            message = told.fault.get("collector") or told.complaints.reason(ended)
            hint = told.fault.get("try") or "the whole output is in the log"
            failure = TrexError(f"{NOT_DONE[stage]}: {message}", hint, str(log))
        return StageEnd.of(command, ended, failure, notes)

    def _undone(self, words: tuple[str, ...]) -> Iterator[str]:
        if self.release.major < 11:
            for given, otherwise in _DEFAULTS:
                if given not in words:
                    yield otherwise


class _Told:
    """What the collector's lines tell."""

    def __init__(self, watcher: Watcher) -> None:
        self.watcher = watcher
        self.phases = PhaseReader()
        self.complaints = Complaints()
        self.fault: dict[str, str] = {}
        self.phase = Phase(STARTING)

    def take(self, line: str) -> None:
        self.watcher.line(line)
        self.complaints.add(line)
        if fault := _FAULT.search(line):
            self.fault[fault[1]] = fault[2]
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
    """The child finds trex, and what this process has put on its path."""
    path = dict.fromkeys([str(_ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONUNBUFFERED": "1"}


def _check_words(names: Iterable[str]) -> None:
    for name in names:
        if _OTHER_WORDS.get(name, name) not in SWITCHES and name not in VALUES:
            raise TrexError(
                f"--{name} is an option of trtexec's that the Python API has no part in",
                "leave it out, or use --backend trtexec",
                name,
            )


def _is_available(_: CaptureOptions) -> bool:
    return is_installed("tensorrt")


def _prepare(options: CaptureOptions) -> TensorrtJob:
    if not is_installed("tensorrt"):
        raise missing_extra("tensorrt", "tensorrt", "building through the Python API")
    answer = ask_python("import tensorrt\nanswer = str(tensorrt.__version__)")
    release = release_from_text(answer.value) if isinstance(answer.value, str) else None
    if release is None:
        raise TrexError(
            f"TensorRT's Python module cannot be loaded: {answer.problem or 'it tells no version'}",
            "trex doctor tells what is missing",
        )
    if release.pair < OLDEST_RELEASE:
        raise TrexError(f"TensorRT {release} is too old to be driven from Python", "use --backend trtexec")
    lines = command_line(options, release, taker=_TAKER)
    _check_words(word.name for word in lines.words.words)
    return TensorrtJob(release, lines)


BACKEND = Backend("tensorrt", _is_available, _prepare)
