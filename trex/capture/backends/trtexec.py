"""NVIDIA's trtexec, of TensorRT 8.2 to 11: one run builds the engine, another measures it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from trex.capture.backend import BUILD, FAILURE_TEXT, PROFILE, Backend, CaptureJob, StageResult, timeout_error
from trex.capture.child import TIME_LIMIT, run_child
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs, check_engine_release
from trex.capture.phases import PhaseReader, Watcher
from trex.capture.trtexec.command_line import CommandLine, command_line
from trex.capture.trtexec.failure import ErrorLines, next_step
from trex.capture.trtexec.find import ask_trtexec, find_trtexec
from trex.core.errors import TrexError
from trex.core.note import Note

_ENDINGS = {"graph": b"}", "profile": b"]", "times": b"]"}
_TAIL_BYTES = 256


@dataclass(frozen=True)
class TrtexecJob(CaptureJob):
    """A trtexec that answered, and the command lines for it."""

    lines: CommandLine

    def command(self, stage: str, outputs: Outputs) -> tuple[str, ...]:
        return (self.program, *self.lines.of_stage(stage, outputs))

    def run(self, stage: str, outputs: Outputs, watcher: Watcher) -> StageResult:
        notes = check_engine_release(outputs.engine, self.release) if stage == PROFILE else ()
        command = self.command(stage, outputs)
        log = outputs.log(stage)
        phases, errors = PhaseReader(), ErrorLines()
        watcher.phase(f"starting trtexec to {stage} the engine")

        def take(line: str) -> None:
            errors.add(line)
            phase = phases.read(line)
            if phase is not None:
                watcher.phase(*phase)
            watcher.line(line)

        limit = self.lines.options.timeout
        try:
            result = run_child(command, log, take, limit or None)
        except BaseException:
            _delete_partial_engine(stage, outputs)
            raise
        failure = None
        if result.stopped_by == TIME_LIMIT:
            failure = timeout_error(stage, "trtexec", limit, phases.phase, log)
        elif not result.stopped_by and result.exit_code:
            failure = _failure(stage, errors.reason(result), result.exit_code, log)
        elif not result.stopped_by and stage == BUILD and not _has_bytes(outputs.engine):
            failure = _failure(stage, "trtexec wrote no engine", 0, log)
        if failure or result.stopped_by:
            _delete_partial_engine(stage, outputs)
        else:
            notes += _incomplete_exports(stage, outputs)
        return StageResult.from_child(command, result, failure, notes)


def _failure(stage: str, reason: str, code: int, log: Path) -> TrexError:
    return TrexError(f"{FAILURE_TEXT[stage]} (trtexec ended with {code}): {reason}", next_step(reason), str(log))


def _delete_partial_engine(stage: str, outputs: Outputs) -> None:
    if stage == BUILD:
        outputs.engine.unlink(missing_ok=True)


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
    trtexec = ask_trtexec(find_trtexec(options.trtexec))
    lines = command_line(options, trtexec.release, trtexec.listed)
    return TrtexecJob(trtexec.release, trtexec.path, lines.notes, lines)


BACKEND = Backend("trtexec", _is_available, _prepare)
