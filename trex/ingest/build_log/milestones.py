"""Messages about whole builds → phases, the use of timing caches, and the model that is built."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import takewhile

from trex.core.build_log import BuildPhase, CacheUse
from trex.ingest.build_log.numbers import seconds
from trex.ingest.build_log.position import Position

SELECTION, GENERATION, BUILT = "Formats and tactics selection", "Engine generation", "Engine built"
_S, _US, _MS = 1.0, 1e-6, 1e-3
_SECONDS = re.compile(
    r"(Graph construction and optimization|Graph construction|Formats and tactics selection|Subgraph compilation"
    r"|\[MS\] Multi stream splitting|Engine generation|Cleaning up profiling) completed in ([0-9.e+-]{1,24}) seconds"
)
_OTHERS = (
    (re.compile(r"Graph optimization time: ([0-9.e+-]{1,24}) seconds"), "Graph optimization", _S),
    (re.compile(r"Finish(?:ed)? parsing network model\. Parse time: ([0-9.e+-]{1,24})"), "Parsing", _S),
    (re.compile(r"Engine built in ([0-9.e+-]{1,24}) sec"), BUILT, _S),
    (re.compile(r"Engine deserialized in ([0-9.e+-]{1,24}) sec"), "Deserialization by trtexec", _S),
    (re.compile(r"Deserialization required ([0-9]{1,18}) microseconds"), "Deserialization", _US),
    (re.compile(r"\[BlockAssignment\] Algorithm \S+ took ([0-9.e+-]{1,24})ms"), "Memory assignment", _MS),
)
_LOCAL_OR_GLOBAL = re.compile(r"(Local|Global) timing cache in use")
_SERVED = re.compile(r"Deleting timing cache: (\d{1,9}) entries, served (\d{1,9}) hits")
_SERIALIZED = re.compile(r"Serialized (\d{1,9}) timing cache entries")
_SAVED = re.compile(r"Saved (\d{1,12}) bytes of timing cache")
_LOADED = re.compile(r"Loaded (\d{1,9}) timing cache entries")
_FILE = re.compile(r"Input filename: +(.*)")
_DEVICE = re.compile(r"Selected Device: +(.{1,200})")
_OPTION = re.compile(r"--(?:onnx|uff|model)=(\S+)")

LOADING = "Deserialization"
MILESTONE_WORDS = frozenset(
    (
        b"Graph ",
        b"Format",
        b"Subgra",
        b"[MS] M",
        b"Engine",
        b"Cleani",
        b"Finish",
        b"Deseri",
        b"[Block",
        b"Local ",
        b"Global",
        b"Deleti",
        b"Serial",
        b"Saved ",
        b"Loaded",
        b"Input ",
        b"Select",
    )
)
"""First six bytes of what ``read`` understands."""


@dataclass(slots=True)
class _Use:
    """A CacheUse that is being read."""

    kind: str = ""
    entries: int | None = None
    hits: int | None = None
    saved_entries: int | None = None
    saved_bytes: int | None = None
    line: int = 0


class Milestones:
    """Takes messages in order. file, device: the names of the model and the GPU in the current build."""

    def __init__(self, position: Position) -> None:
        self._position = position
        self.phases: list[BuildPhase] = []
        self.caches: list[CacheUse] = []
        self.file = self.device = ""
        self._use = _Use()
        self._seconds: dict[int, list[float]] = {}  # {build with a phase of building: seconds of engine generation}

    def read(self, text: bytes) -> None:
        words = text.decode("utf-8", "replace").rstrip()
        if (phase := _SECONDS.match(words)) is not None:
            self._add(phase[1], seconds(phase[2].encode()))
            return
        for pattern, name, unit in _OTHERS:
            if (printed := pattern.match(words)) is not None:
                self._add(name, unit * seconds(printed[1].encode()))
                return
        if (file := _FILE.match(words)) is not None:
            self.file = file[1].strip()
        elif (device := _DEVICE.match(words)) is not None:
            self.device = device[1]
        else:
            self._read_cache(words)

    def command_line(self, words: str) -> None:
        if (option := _OPTION.search(words)) is not None:
            self.file = option[1]

    def is_build(self, build: int) -> bool:
        """Whether a phase is of building, not of loading an engine."""
        return build in self._seconds

    @property
    def uses_cache(self) -> bool:
        """Whether the current build has printed which timing cache it uses, which it does before it times anything."""
        return bool(self._use.line)

    def generation_s(self, build: int) -> float:
        """Seconds of all passes of a build; NaN if not printed."""
        seconds = self._seconds.get(build)
        return math.fsum(seconds) if seconds else math.nan

    def end_line(self, build: int) -> int:
        """The last line that says that a network of this build is timed, or its engine done; 0 without one."""
        own = takewhile(lambda phase: phase.build == build, reversed(self.phases))
        return next((phase.line for phase in own if phase.phase in (SELECTION, GENERATION, BUILT)), 0)

    def end(self) -> None:
        use = self._use
        if use.line:
            values = (use.kind, use.entries, use.hits, use.saved_entries, use.saved_bytes, use.line)
            self.caches.append(CacheUse(self._position.build, *values))
        self._use = _Use()

    def _add(self, phase: str, seconds: float) -> None:
        if math.isfinite(seconds):
            phase = phase.removeprefix("[MS] ")
            self.phases.append(BuildPhase(*self._position.at, phase, seconds, self._position.line))
            if not phase.startswith(LOADING):
                own = self._seconds.setdefault(self._position.build, [])
                if phase == GENERATION:
                    own.append(seconds)

    def _read_cache(self, words: str) -> None:
        use = self._use
        if (kind := _LOCAL_OR_GLOBAL.match(words)) is not None:
            use.kind = kind[1].lower()
        elif (served := _SERVED.match(words)) is not None:
            use.entries, use.hits = int(served[1]), int(served[2])
        elif (serialized := _SERIALIZED.match(words)) is not None:
            use.saved_entries = int(serialized[1])
        elif (saved := _SAVED.match(words)) is not None:
            use.saved_bytes = int(saved[1])
        elif (loaded := _LOADED.match(words)) is not None:
            use.entries = int(loaded[1])
        else:
            return
        use.line = use.line or self._position.line
