"""NVIDIA's trtexec, of TensorRT 8.2 to 11: one run builds the engine, another measures it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from trex.capture.backend import BUILD, NOT_DONE, PROFILE, Backend, StageEnd, stopped_late
from trex.capture.child import TIME_LIMIT, run_child
from trex.capture.engine_release import check_engine_release
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs
from trex.capture.phases import PhaseReader
from trex.capture.trtexec.command_line import CommandLine, command_line
from trex.capture.trtexec.complaints import Complaints
from trex.capture.trtexec.find import Trtexec, ask_trtexec, find_trtexec
from trex.capture.watcher import Watcher
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.release import Release

_VERBS = {BUILD: "build", PROFILE: "profile"}
_DEVICE_WORDS = ("Cannot find device ID", "invalid device ordinal")
_SPACE_WORDS = ("Saving engine to file failed", "No space left")
_MODEL_WORDS = ("ModelProto", "Failed to parse ONNX", "Could not parse the ONNX")
_ENDINGS = {"graph": b"}", "profile": b"]", "times": b"]"}
_TAIL_BYTES = 256


@dataclass(frozen=True, slots=True)
class TrtexecJob:
    """A trtexec that answered, and the command lines for it."""

    trtexec: Trtexec
    lines: CommandLine

    @property
    def release(self) -> Release:
        return self.trtexec.release

    @property
    def program(self) -> str:
        return self.trtexec.path

    @property
    def notes(self) -> tuple[Note, ...]:
        return self.lines.notes

    @property
    def uses_gpu(self) -> bool:
        return True

    def command(self, stage: str, outputs: Outputs) -> tuple[str, ...]:
        return (self.trtexec.path, *self.lines.stage(stage, outputs))

    def run(self, stage: str, outputs: Outputs, watcher: Watcher) -> StageEnd:
        notes = check_engine_release(outputs.engine, self.release) if stage == PROFILE else ()
        command = self.command(stage, outputs)
        log = outputs.log(stage)
        phases, complaints = PhaseReader(), Complaints()
        watcher.phase(f"starting trtexec to {_VERBS[stage]} the engine")

        def take(line: str) -> None:
            complaints.add(line)
            phase = phases.read(line)
            if phase is not None:
                watcher.phase(*phase)
            watcher.line(line)

        limit = self.lines.options.timeout
        try:
            ended = run_child(command, log, take, limit or None)
        except BaseException:
            _drop_half_an_engine(stage, outputs)
            raise
        failure = None
        if ended.stopped_by == TIME_LIMIT:
            failure = stopped_late(stage, "trtexec", limit, phases.phase, log)
        elif not ended.stopped_by and ended.exit_code:
            failure = _failure(stage, complaints.reason(ended), ended.exit_code, log)
        elif not ended.stopped_by and stage == BUILD and not _has_bytes(outputs.engine):
            failure = _failure(stage, "trtexec wrote no engine", 0, log)
        if failure is None and not ended.stopped_by:
            notes += _unfinished(stage, outputs)
        if failure or ended.stopped_by:
            _drop_half_an_engine(stage, outputs)
        return StageEnd.of(command, ended, failure, notes)


def _failure(stage: str, reason: str, code: int, log: Path) -> TrexError:
    hint = "the whole output is in the log"
    if any(words in reason for words in _SPACE_WORDS):
        hint = "is there space left? the whole output is in the log"
    elif any(words in reason for words in _MODEL_WORDS):
        hint = "is it an ONNX model, and whole? onnx.checker tells more; the whole output is in the log"
    elif any(words in reason for words in _DEVICE_WORDS):
        hint = "nvidia-smi -L lists the GPUs, --dev N chooses one (CUDA_VISIBLE_DEVICES renumbers them)"
    return TrexError(f"{NOT_DONE[stage]} (trtexec ended with {code}): {reason}", hint, str(log))


def _drop_half_an_engine(stage: str, outputs: Outputs) -> None:
    if stage == BUILD:
        outputs.engine.unlink(missing_ok=True)


def _has_bytes(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _unfinished(stage: str, outputs: Outputs) -> tuple[Note, ...]:
    """trtexec does not look whether its exports were written; a full disk cuts them short unnoticed."""
    wanted = {"graph": outputs.graph}
    if stage == PROFILE:
        wanted.update(profile=outputs.profile, times=outputs.times)
    notes = []
    for kind, path in wanted.items():
        ending = _last_byte(path)
        if ending != _ENDINGS[kind]:
            what = "is missing" if ending is None else "was not written to its end"
            notes.append(
                Note(
                    "export-incomplete",
                    f"what trtexec should have exported {what}",
                    "check the space on the disk and run it again with --force",
                    str(path),
                    "problem",
                )
            )
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
    return TrtexecJob(trtexec, command_line(options, trtexec.release, trtexec.listed))


BACKEND = Backend("trtexec", _is_available, _prepare)
