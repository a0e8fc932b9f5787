"""Lines of trtexec's and TensorRT's output → the phase of a run, with its progress, for the Watcher that shows it.

The grammar is that of TensorRT 8.2 to 10.16; 11 is assumed to be like 10.16. A build prints its progress only with
--verbose. Unknown lines do not change the phase.
"""

from __future__ import annotations

import re
from typing import NamedTuple

STARTING = "starting"
IMPORTING = "importing the network"
OPTIMIZING = "optimizing the graph"
TIMING = "timing the tactics of layers"
SERIALIZING = "serializing the engine"
DESERIALIZING = "deserializing the engine"
PREPARING = "preparing the run"
MEASURING = "warm-up and iterations"
PROFILING = "profiling the layers"
EXPORTING = "exporting"


class Phase(NamedTuple):
    """name: one of the phases above, or TensorRT's own. done of total: its steps. share: of all that the builder does,
    0 to 1, by steps, not by time. None where unknown.
    """

    name: str
    done: int | None = None
    total: int | None = None
    share: float | None = None


_PREFIX = re.compile(r"(?:\[[^\]]{0,30}\] ?)?(?:\[TRT\] )?\[([VIWEF])\](?: \[TRT\])? ?", re.ASCII)
_LAYERS = re.compile(r"(?:Original|After [A-Za-z -]{1,60}): (\d{1,7}) layers$", re.ASCII)
PROGRESS = "[progress]"
_PROGRESS = re.compile(  # the collector's
    r"\[progress\] (.{1,200}): (\d{1,9}) of (\d{1,9})(?:, (\d{1,3}\.\d) %)?$", re.ASCII
)
_TIMES_LAYER = "=============== Computing costs for"
_WANTS_PROFILE = re.compile(r" --(?:export|dump)Profile\b")

_BUILT = "Engine built in"

# (beginning of a message, the phase that begins with it)
_MARKS = (
    ("Start parsing network model", IMPORTING),
    ("Finish parsing network model", OPTIMIZING),
    ("Finished parsing network model", OPTIMIZING),
    ("Applying generic optimizations to the graph", OPTIMIZING),
    ("Building graph using backend strategy", OPTIMIZING),
    ("Formats and tactics selection completed", SERIALIZING),
    ("Engine generation completed", SERIALIZING),
    (_BUILT, SERIALIZING),
    ("Loaded engine size", DESERIALIZING),
    ("Engine loaded in", DESERIALIZING),
    ("Engine deserialized in", PREPARING),
    ("Starting inference", MEASURING),
    ("Profiling the layers", PROFILING),  # the collector's
    ("Timing trace has", EXPORTING),
    ("=== Profile (", EXPORTING),
)
_MORE_WORDS = {"Original:", "After", "===============", "Explanations", PROGRESS}
_MARK_WORDS = tuple({mark.split()[0] for mark, _ in _MARKS} | _MORE_WORDS)


class PhaseReader:
    """Reads the lines of one run in order; ``read`` returns the phase if it changed or moved on, else None."""

    def __init__(self) -> None:
        self.phase = Phase(STARTING)
        self._layers: int | None = None  # in the optimized graph: at most so many are timed
        self._wants_profile = False
        self._is_told = False  # TensorRT itself reports its progress: until its end nothing else is one

    def read(self, line: str) -> Phase | None:
        if line.startswith("&&&& RUNNING"):
            self._wants_profile = _WANTS_PROFILE.search(line) is not None
            return self._move(Phase(STARTING))
        prefix = _PREFIX.match(line)
        if prefix is None:
            return None
        start = prefix.end()
        if not line.startswith(_MARK_WORDS, start):
            return None
        return self._move(self._phase_of(line[start:].rstrip()))

    def _phase_of(self, message: str) -> Phase | None:
        if match := _PROGRESS.match(message):
            self._is_told = True
            share = None if match[4] is None else float(match[4]) / 100
            return Phase(match[1], int(match[2]), int(match[3]), share)
        if self._is_told:
            if not message.startswith(_BUILT):
                return None
            self._is_told = False
        if message.startswith(_TIMES_LAYER):
            done = (self.phase.done or 0) + 1 if self.phase.name == TIMING else 1
            total = self._layers if self._layers is not None and done <= self._layers else None
            return Phase(TIMING, done, total)
        if match := _LAYERS.match(message):
            if self.phase.name != TIMING:  # later counts include reformats
                self._layers = int(match[1])
            return Phase(OPTIMIZING) if self.phase.name in (STARTING, IMPORTING) else None
        if message.startswith(("Explanations of the performance metrics", "Timing trace has")):
            return Phase(PROFILING if self._wants_profile else EXPORTING)
        for mark, name in _MARKS:
            if message.startswith(mark):
                if name == SERIALIZING and self.phase.name == DESERIALIZING:
                    return None
                return Phase(name)
        return None

    def _move(self, phase: Phase | None) -> Phase | None:
        if phase is None or phase == self.phase:
            return None
        self.phase = phase
        return phase


class Watcher:
    """Gets the progress of a run and shows nothing; the shells override it.

    phase: called when a phase begins or moves on, with what Phase says. line: called with each line of the child's
    output, without its end; control characters are kept. started: called with the id of a child process.
    """

    def phase(self, name: str, done: int | None = None, total: int | None = None, share: float | None = None) -> None:
        pass

    def line(self, text: str) -> None:
        pass

    def started(self, process: int) -> None:
        pass
