"""Backend: one way to build and profile an engine; each is a file of ``trex.capture.backends``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from trex.capture.child import Ended
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs
from trex.capture.phases import Phase
from trex.capture.watcher import Watcher
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.registry import Registry
from trex.core.release import Release

BUILD, PROFILE = "build", "profile"
NOT_DONE = {BUILD: "the engine was not built", PROFILE: "the engine was not profiled"}
AUTO, SIMULATED = "auto", "simulated"

_PREFERRED = ("trtexec", "tensorrt")


@dataclass(frozen=True, slots=True)
class StageEnd:
    """How a build or a profile ended. exit_code: −N for signal N. failure: None when all went well.

    stopped_by: "" when it ended by itself, "time limit", or the signal that we got. started, ended: UTC.
    """

    command: tuple[str, ...]
    exit_code: int
    started: datetime
    ended: datetime
    duration_s: float
    stopped_by: str = ""
    failure: TrexError | None = None
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(
        cls, command: tuple[str, ...], ended: Ended, failure: TrexError | None, notes: tuple[Note, ...] = ()
    ) -> StageEnd:
        """The end of a stage that was one child process."""
        return cls(
            command,
            ended.exit_code,
            ended.started,
            ended.ended,
            ended.duration_s,
            ended.stopped_by,
            failure,
            notes,
        )


class Job(Protocol):
    """One backend, ready to work: its program was found and the user's words were checked."""

    @property
    def release(self) -> Release: ...

    @property
    def program(self) -> str: ...

    @property
    def notes(self) -> tuple[Note, ...]: ...

    @property
    def uses_gpu(self) -> bool:
        """Whether it runs anything on this machine's GPU, whose clocks are then locked."""

    def command(self, stage: str, outputs: Outputs) -> tuple[str, ...]:
        """The arguments of ``build`` or ``profile``, program first."""

    def run(self, stage: str, outputs: Outputs, watcher: Watcher) -> StageEnd:
        """Does the stage and writes its files and its log. Raises TrexError where it could not be begun."""


@dataclass(frozen=True, slots=True)
class Backend:
    """prepare: the job for these options; raises TrexError where the backend cannot do it.

    is_available: whether what it needs is on this machine.
    """

    name: str
    is_available: Callable[[CaptureOptions], bool]
    prepare: Callable[[CaptureOptions], Job]


BACKENDS = Registry("trex.capture.backends", "BACKEND")


def stopped_late(stage: str, program: str, limit_s: float, phase: Phase, log: Path) -> TrexError:
    """What is told of a stage that took longer than it was given."""
    done = "" if phase.done is None else f": {phase.done}" + ("" if phase.total is None else f" of {phase.total}")
    return TrexError(
        f"{NOT_DONE[stage]}: {program} was stopped after {limit_s:g} s (phase: {phase.name}{done})",
        "give it more with --timeout S; 0 lets it take what it needs",
        str(log),
    )


def prepared(options: CaptureOptions) -> tuple[str, Job]:
    """(the backend's name, its job): the one that is asked for, or the first that this machine has.

    Raises TrexError when there is none, or none that takes these options.
    """
    if options.backend != SIMULATED:
        _refuse_wishes_of_a_prediction(options)
    if options.backend != AUTO:
        if options.backend not in BACKENDS.known_names:
            raise TrexError(f"there is no backend {options.backend}", f"one of {', '.join(BACKENDS.known_names)}")
        backend: Backend = BACKENDS.chosen(options.backend).value
        return backend.name, backend.prepare(options)
    name = available(options) or _PREFERRED[0]
    return name, BACKENDS.load(name).value.prepare(options)  # without any, this says what is missing


def available(options: CaptureOptions) -> str | None:
    """The first backend that this machine has, or whose program the options name; none that predicts."""
    for name in _PREFERRED:
        if (name == "trtexec" and options.trtexec) or BACKENDS.load(name).value.is_available(options):
            return name
    return None


def _refuse_wishes_of_a_prediction(options: CaptureOptions) -> None:
    """A GPU that is not there must not be taken for the one that is."""
    named = options.device and not options.device.isdecimal()
    for flag, value in (("device", named), ("as-release", options.as_release), ("noise", options.noise)):
        if value:
            raise TrexError(
                f"--{flag} is for predictions: nothing here runs on a GPU or a TensorRT that is not there",
                "add --backend simulated; --dev N chooses a GPU of this machine",
            )
