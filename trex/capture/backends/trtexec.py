"""NVIDIA's trtexec, of TensorRT 8.2 to 11: one run builds the engine, another measures it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from trex.capture.backend import BUILD, FAILURE_TEXT, PROFILE, Backend, StageResult
from trex.capture.child import ChildResult
from trex.capture.child_job import ChildJob
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs
from trex.capture.phases import Watcher
from trex.capture.trtexec.command_line import command_line
from trex.capture.trtexec.failure import ErrorLines, end_words, next_step
from trex.capture.trtexec.find import HELP_TIME_LIMIT_S, ask_trtexec, find_trtexec
from trex.core.errors import TrexError
from trex.core.note import Note

_ENDINGS = {"graph": b"}", "profile": b"]", "times": b"]"}
_TAIL_BYTES = 256


@dataclass(frozen=True)
class TrtexecJob(ChildJob):
    """A trtexec that answered."""

    name = "trtexec"

    def command(self, stage: str, outputs: Outputs) -> tuple[str, ...]:
        return (self.program, *self.lines.of_stage(stage, outputs))

    def run(self, stage: str, outputs: Outputs, watcher: Watcher) -> StageResult:
        result = super().run(stage, outputs, watcher)
        if not result.succeeded:
            return result
        return replace(result, notes=(*result.notes, *_incomplete_exports(stage, outputs)))

    def failure(self, stage: str, child: ChildResult, errors: ErrorLines, outputs: Outputs) -> TrexError | None:
        if child.exit_code or any(line.startswith("&&&& FAILED") for line in child.last_lines):
            reason = errors.reason(child)
        elif stage == BUILD and not _has_bytes(outputs.engine):
            reason = "trtexec wrote no engine"
        else:
            return None
        message = f"{FAILURE_TEXT[stage]} (trtexec {end_words(child.exit_code)}): {reason}"
        return TrexError(message, next_step(reason), str(outputs.log(stage)))


def _has_bytes(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _incomplete_exports(stage: str, outputs: Outputs) -> tuple[Note, ...]:
    """trtexec does not check its exports: a full disk truncates them silently."""
    exports = {"graph": outputs.graph}
    if stage == PROFILE:
        exports.update(profile=outputs.profile, times=outputs.times)
    notes = []
    for kind, path in exports.items():
        last_byte = _last_byte(path)
        if last_byte != _ENDINGS[kind]:
            problem = "is missing" if last_byte is None else "is truncated"
            hint = "check the space on the disk and run it again with --force"
            notes.append(Note("export-incomplete", f"a file exported by trtexec {problem}", hint, str(path), "problem"))
    return tuple(notes)


def _last_byte(path: Path) -> bytes | None:
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
            return file.read().rstrip()[-1:]
    except OSError:
        return None


def _is_available(options: CaptureOptions) -> bool:
    try:
        find_trtexec(options.trtexec)
    except TrexError:
        return False
    return True


def _prepare(options: CaptureOptions) -> TrtexecJob:
    trtexec = ask_trtexec(find_trtexec(options.trtexec), min(options.timeout or HELP_TIME_LIMIT_S, HELP_TIME_LIMIT_S))
    lines = command_line(options, trtexec.release, trtexec.listed)
    return TrtexecJob(trtexec.release, trtexec.path, lines.notes, lines)


BACKEND = Backend("trtexec", _is_available, _prepare)
