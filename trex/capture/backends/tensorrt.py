"""TensorRT's Python API, 8.5 to 11, for machines without trtexec: the collector, in a process of its own.

A separate process survives a crash of TensorRT, can be stopped during a build, and its output is the log.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from trex.capture.backend import FAILURE_TEXT, PROFILE, Backend
from trex.capture.child import ChildResult
from trex.capture.child_job import ChildJob
from trex.capture.options import CaptureOptions
from trex.capture.outputs import Outputs
from trex.capture.probe import ask_python, is_installed
from trex.capture.tensorrt_api.arguments import SWITCHES, VALUES
from trex.capture.tensorrt_api.library import OLDEST_RELEASE
from trex.capture.trtexec.command_line import command_line
from trex.capture.trtexec.failure import ErrorLines
from trex.capture.trtexec.user_options import OPT_OUTS, Receiver
from trex.core.errors import TrexError, missing_extra
from trex.core.release import release_from_text

_MODULE = "trex.capture.tensorrt_api"
_ROOT = Path(__file__).resolve().parents[3]
_RECEIVER = Receiver(
    "the Python API", f"python -m {_MODULE} --help lists its options", frozenset(SWITCHES) | frozenset(VALUES)
)
_FAILURE = re.compile(r"\[E\] \[(collector|try)\] (.*)$")


@dataclass(frozen=True)
class TensorrtJob(ChildJob):
    """This Python's TensorRT."""

    name = "TensorRT"

    def command(self, stage: str, outputs: Outputs) -> tuple[str, ...]:
        arguments = self.lines.of_stage(stage, outputs)
        opt_outs = self._opt_outs(arguments) if stage == PROFILE else ()
        return (self.program, "-m", _MODULE, *arguments, *opt_outs)

    @property
    def environment(self) -> Mapping[str, str]:
        """The child finds trex and everything on this process's PYTHONPATH."""
        path = dict.fromkeys([str(_ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))])
        return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONUNBUFFERED": "1"}

    def failure(self, stage: str, child: ChildResult, errors: ErrorLines, outputs: Outputs) -> TrexError | None:
        if not child.exit_code:
            return None
        words = {match[1]: match[2] for line in child.last_lines if (match := _FAILURE.search(line))}
        message = words.get("collector") or errors.reason(child)
        hint = words.get("try") or "the whole output is in the log"
        return TrexError(f"{FAILURE_TEXT[stage]}: {message}", hint, str(outputs.log(stage)))

    def _opt_outs(self, arguments: tuple[str, ...]) -> Iterator[str]:
        """Before 11 trtexec needs options for the collector's defaults; without one, the collector opts out."""
        if self.release.major < 11:
            for opt_out, option in OPT_OUTS.items():
                if f"--{option}" not in arguments:
                    yield f"--{opt_out}"


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
