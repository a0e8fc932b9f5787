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

from trex.capture.backend import BUILD, PROFILE, Backend, StageEnd
from trex.capture.child import TIME_LIMIT, run_child
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs
from trex.capture.phases import PROFILING, PhaseReader
from trex.capture.probe import ask_python, is_installed
from trex.capture.release import Release, check_engine_release, release_from_text
from trex.capture.tensorrt_api.arguments import SWITCHES, VALUES
from trex.capture.tensorrt_api.library import OLDEST_RELEASE
from trex.capture.trtexec.command_line import CommandLine, command_line
from trex.capture.trtexec.complaints import Complaints
from trex.capture.watcher import Watcher
from trex.core.errors import TrexError, missing_extra
from trex.core.note import Note

_MODULE = "trex.capture.tensorrt_api"
_ROOT = Path(__file__).resolve().parents[3]
_WHAT = {BUILD: "the engine was not built", PROFILE: "the engine was not profiled"}
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

    def command(self, stage: str, outputs: Outputs) -> tuple[str, ...]:
        engine, graph = str(outputs.engine), str(outputs.graph)
        if stage == BUILD:
            cache = self.lines.options.timing_cache or str(outputs.timing_cache)
            words = self.lines.build(model=str(outputs.model), engine=engine, graph=graph, timing_cache=cache)
        else:
            times, profile = str(outputs.times), str(outputs.profile)
            words = (*self.lines.profile(engine=engine, graph=graph, profile=profile, times=times), *self._undone())
        return (self.program, "-m", _MODULE, *words)

    def run(self, stage: str, outputs: Outputs, watcher: Watcher) -> StageEnd:
        notes = check_engine_release(outputs.engine, self.release) if stage == PROFILE else ()
        log = outputs.build_log if stage == BUILD else outputs.profile_log
        told = _Told(watcher)
        watcher.phase(f"starting TensorRT {self.release} to {stage} the engine")
        limit = self.lines.options.timeout
        ended = run_child(self.command(stage, outputs), log, told.take, limit or None, environment=_environment())
        failure = None
        if ended.stopped_by == TIME_LIMIT:
            message = f"{_WHAT[stage]}: TensorRT was stopped after {limit:g} s, while {told.phase}"
            failure = TrexError(message, "give it more with --timeout S; 0 lets it take what it needs", str(log))
        elif not ended.stopped_by and ended.exit_code:
            message = told.fault.get("collector") or told.complaints.reason(ended)
            hint = told.fault.get("try") or "the whole output is in the log"
            failure = TrexError(f"{_WHAT[stage]}: {message}", hint, str(log))
        return StageEnd(
            self.command(stage, outputs),
            ended.exit_code,
            ended.started,
            ended.ended,
            ended.duration_s,
            ended.stopped_by,
            failure,
            notes,
        )

    def _undone(self) -> Iterator[str]:
        words = self.lines.profile(engine="", graph="", profile="", times="")
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
        self.phase = "starting"

    def take(self, line: str) -> None:
        self.watcher.line(line)
        self.complaints.add(line)
        if fault := _FAULT.search(line):
            self.fault[fault[1]] = fault[2]
        elif progress := _PROGRESS.search(line):
            self._move(progress[1], int(progress[2]), int(progress[3]))
        elif line.endswith("[I] Profiling the layers"):
            self._move(PROFILING)
        elif (phase := self.phases.read(line)) is not None:
            self._move(*phase)

    def _move(self, name: str, done: int | None = None, total: int | None = None) -> None:
        self.phase = name
        self.watcher.phase(name, done, total)


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
    lines = command_line(options, release)
    _check_words(word.name for word in lines.words.words)
    return TensorrtJob(release, lines)


BACKEND = Backend("tensorrt", _is_available, _prepare)
