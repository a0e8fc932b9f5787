"""Backend: one way to build and profile an engine; each is a file of ``trex.capture.backends``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from trex.capture.child import ChildResult
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs
from trex.capture.phases import Phase, Watcher
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.registry import Registry
from trex.core.release import Release

BUILD, PROFILE = "build", "profile"
FAILURE_TEXT = {BUILD: "the engine was not built", PROFILE: "the engine was not profiled"}
AUTO, SIMULATED = "auto", "simulated"

_PREFERRED = ("trtexec", "tensorrt")


@dataclass(frozen=True, slots=True)
class StageResult:
    """How a build or a profile ended. exit_code: −N for signal N. failure: None if it succeeded.

    stopped_by: "" if it ended by itself, "time limit", or the signal that trex got. started, ended: UTC.
    """

    command: tuple[str, ...]
    exit_code: int
    started: datetime
    ended: datetime
    duration_s: float
    stopped_by: str = ""
    failure: TrexError | None = None
    notes: tuple[Note, ...] = ()

    @property
    def succeeded(self) -> bool:
        return self.failure is None and not self.stopped_by

    @classmethod
    def from_child(
        cls, command: tuple[str, ...], child: ChildResult, failure: TrexError | None, notes: tuple[Note, ...] = ()
    ) -> StageResult:
        """The result of a stage that was one child process."""
        return cls(
            command,
            child.exit_code,
            child.started,
            child.ended,
            child.duration_s,
            child.stopped_by,
            failure,
            notes,
        )


@dataclass(frozen=True)
class CaptureJob:
    """One backend, ready to run: its program was found and the user's options were checked.

    uses_gpu: whether it runs on this machine's GPU, whose clocks are then locked.
    """

    release: Release
    program: str
    notes: tuple[Note, ...]
    uses_gpu: ClassVar[bool] = True

    def command(self, stage: str, outputs: Outputs) -> tuple[str, ...]:
        """The command line of ``build`` or ``profile``, program first."""
        raise NotImplementedError

    def run(self, stage: str, outputs: Outputs, watcher: Watcher) -> StageResult:
        """Runs the stage and writes its files and its log. Raises TrexError if it could not start."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Backend:
    """is_available: whether this machine has what it needs. prepare: the job; raises TrexError where it cannot run."""

    name: str
    is_available: Callable[[CaptureOptions], bool]
    prepare: Callable[[CaptureOptions], CaptureJob]


BACKENDS = Registry("trex.capture.backends", "BACKEND")


def timeout_error(stage: str, program: str, limit_s: float, phase: Phase, log: Path) -> TrexError:
    steps = "" if phase.done is None else f": {phase.done}" + ("" if phase.total is None else f" of {phase.total}")
    return TrexError(
        f"{FAILURE_TEXT[stage]}: {program} was stopped after {limit_s:g} s (phase: {phase.name}{steps})",
        "give it more time with --timeout S; 0 is no limit",
        str(log),
    )


def prepare_backend(options: CaptureOptions) -> tuple[str, CaptureJob]:
    """(name, job) of the chosen backend, or of the first that this machine has. Raises TrexError if none can run."""
    if options.backend != SIMULATED:
        _refuse_options_of_predictions(options)
    if options.backend != AUTO:
        if options.backend not in BACKENDS.known_names:
            raise TrexError(f"there is no backend {options.backend}", f"one of {', '.join(BACKENDS.known_names)}")
        backend: Backend = BACKENDS.chosen(options.backend).value
        return backend.name, backend.prepare(options)
    name = available(options) or _PREFERRED[0]
    return name, BACKENDS.load(name).value.prepare(options)  # if there is none, this reports what is missing


def available(options: CaptureOptions) -> str | None:
    """The first backend that this machine has, or whose program the options name; never the simulated one."""
    for name in _PREFERRED:
        if (name == "trtexec" and options.trtexec) or BACKENDS.load(name).value.is_available(options):
            return name
    return None


def _refuse_options_of_predictions(options: CaptureOptions) -> None:
    is_name = options.device and not options.device.isdecimal()
    for flag, value in (("device", is_name), ("as-release", options.as_release), ("noise", options.noise)):
        if value:
            raise TrexError(
                f"--{flag} is for predictions; trtexec and TensorRT run on a GPU of this machine",
                "add --backend simulated, or choose a GPU of this machine with --dev N",
            )
