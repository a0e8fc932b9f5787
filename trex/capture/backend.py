"""Backend: one way to build and profile an engine; each is a file of ``trex.capture.backends``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trex.capture.child import ChildResult
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs
from trex.capture.phases import Watcher
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.registry import Registry
from trex.core.release import Release

BUILD, PROFILE = "build", "profile"
FAILURE_TEXT = {BUILD: "the engine was not built", PROFILE: "the engine was not profiled"}
AUTO, SIMULATED, TENSORRT_RTX = "auto", "simulated", "tensorrt-rtx"

_PREFERRED = ("trtexec", "tensorrt")


@dataclass(frozen=True, slots=True)
class StageResult:
    """How a build or a profile ended. child: its process. failure: None if it succeeded."""

    command: tuple[str, ...]
    child: ChildResult
    failure: TrexError | None = None
    notes: tuple[Note, ...] = ()

    @property
    def succeeded(self) -> bool:
        return self.failure is None and not self.child.stopped_by


@dataclass(frozen=True)
class CaptureJob:
    """One backend, ready to run: its program was found and the user's options were checked.

    stages: those that it can run.
    """

    release: Release
    program: str
    notes: tuple[Note, ...]

    @property
    def uses_gpu(self) -> bool:
        """Whether it runs on this machine's GPU, whose clocks are then locked."""
        return True

    @property
    def stages(self) -> tuple[str, ...]:
        return BUILD, PROFILE

    def command(self, stage: str, outputs: Outputs) -> tuple[str, ...]:
        """The command line of ``build`` or ``profile``, program first."""
        raise NotImplementedError

    def decisive(self, stage: str) -> object:
        """What else than the command decides what a stage writes, as text that is the same in every process."""
        return None

    def run(self, stage: str, outputs: Outputs, watcher: Watcher) -> StageResult:
        """Runs the stage and writes its files and its log. Raises TrexError if it could not start."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Backend:
    """is_available: whether this machine has what it needs. prepare: the job; raises TrexError where it cannot run.

    edits_timing_cache: whether it records and replays tactics.
    """

    name: str
    is_available: Callable[[CaptureOptions], bool]
    prepare: Callable[[CaptureOptions], CaptureJob]
    edits_timing_cache: bool = False


BACKENDS = Registry("trex.capture.backends", "BACKEND", kind=Backend)


def prepare_backend(options: CaptureOptions) -> tuple[str, CaptureJob]:
    """(name, job) of the chosen backend, or of the first that this machine has. Raises TrexError if none can run."""
    if options.backend != SIMULATED:
        _refuse_options_of_predictions(options)
    if options.record_tactics or options.replay_tactics:
        return _prepare_with_tactics(options)
    if options.backend != AUTO:
        if options.backend not in BACKENDS.known_names:
            raise TrexError(f"there is no backend {options.backend}", f"one of {', '.join(BACKENDS.known_names)}")
        backend: Backend = BACKENDS.chosen(options.backend).value
        return backend.name, backend.prepare(options)
    name = available(options)
    if name is not None:
        return name, BACKENDS.load(name).value.prepare(options)
    try:
        return _PREFERRED[0], BACKENDS.load(_PREFERRED[0]).value.prepare(options)
    except TrexError as error:  # what is missing
        hint = f"{error.hint}; without a GPU: --backend {TENSORRT_RTX}"
        raise TrexError(error.message, hint, error.where, error.excerpt) from None


def _prepare_with_tactics(options: CaptureOptions) -> tuple[str, CaptureJob]:
    """The backend that records and replays tactics, or the one that was chosen if it can."""
    able = [name for name in BACKENDS.names if BACKENDS.load(name).value.edits_timing_cache]
    name = able[0] if options.backend == AUTO else options.backend
    if name not in able:
        flag = "--record-tactics" if options.record_tactics else "--replay-tactics"
        raise TrexError(f"{name} has no {flag}", f"--backend {able[0]} has, with TensorRT 10.8 or later")
    return name, BACKENDS.load(name).value.prepare(options)


def available(options: CaptureOptions) -> str | None:
    """The first backend that this machine has, or whose program the options name; never the simulated one."""
    for name in _PREFERRED:
        if (name == "trtexec" and options.trtexec) or BACKENDS.load(name).value.is_available(options):
            return name
    return None


def _refuse_options_of_predictions(options: CaptureOptions) -> None:
    is_name = options.device and not options.device.isdecimal() and options.backend != TENSORRT_RTX
    for flag, value in (("device", is_name), ("as-release", options.as_release), ("noise", options.noise)):
        if value:
            raise TrexError(
                f"--{flag} is for predictions; trtexec and TensorRT run on a GPU of this machine",
                "add --backend simulated, or choose a GPU of this machine with --dev N",
            )
    if options.target and options.backend not in (AUTO, TENSORRT_RTX):
        raise TrexError(f"--target is for --backend {TENSORRT_RTX}", "leave it out: this backend builds for one GPU")
