"""CollectorJob: the stages of an engine by the collector, in a process of its own.

A separate process survives a crash of the library, can be stopped during a build, and its output is the log.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from trex.capture.backend import BUILD, FAILURE_TEXT, PROFILE
from trex.capture.child import ChildResult
from trex.capture.child_job import ChildJob
from trex.capture.outputs import Outputs
from trex.capture.tensorrt_api.log import READ_BY_TREX
from trex.capture.trtexec.failure import ErrorLines, end_words
from trex.capture.trtexec.user_options import OPT_OUTS
from trex.core.errors import TrexError

MODULE = "trex.capture.tensorrt_api"
_ROOT = Path(__file__).resolve().parents[2]
_FAILURE = re.compile(r"\[E\] \[(collector|try)\] (.*)$")


@dataclass(frozen=True)
class CollectorJob(ChildJob):
    """A library of this Python. build_options: for the collector, in addition to trtexec's."""

    build_options: tuple[str, ...] = ()
    name = "TensorRT"

    def command(self, stage: str, outputs: Outputs) -> tuple[str, ...]:
        arguments = self.lines.of_stage(stage, outputs)
        opt_outs = self._opt_outs(arguments) if stage == PROFILE else ()
        more = self.build_options if stage == BUILD else ()
        return (self.program, "-m", MODULE, *arguments, *opt_outs, *more)

    @property
    def environment(self) -> Mapping[str, str]:
        """The child finds trex and everything on this process's PYTHONPATH, and prints its log as it is."""
        path = dict.fromkeys([str(_ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))])
        own = {"PYTHONPATH": os.pathsep.join(path), "PYTHONUNBUFFERED": "1", READ_BY_TREX: "1"}
        return {**os.environ, **own}

    def failure(self, stage: str, child: ChildResult, errors: ErrorLines, outputs: Outputs) -> TrexError | None:
        if not child.exit_code:
            return None
        words = {match[1]: match[2] for line in child.last_lines if (match := _FAILURE.search(line))}
        message = words.get("collector") or errors.reason(child)
        hint = words.get("try") or "the whole output is in the log"
        end = f" ({self.name} {end_words(child.exit_code)})" if child.exit_code < 0 else ""
        return TrexError(f"{FAILURE_TEXT[stage]}{end}: {message}", hint, str(outputs.log(stage)))

    def _opt_outs(self, arguments: tuple[str, ...]) -> Iterator[str]:
        """Before 11 trtexec needs options for the collector's defaults; without one, the collector opts out."""
        if self.lines.release[0] < 11:
            for opt_out, option in OPT_OUTS.items():
                if f"--{option}" not in arguments:
                    yield f"--{opt_out}"
