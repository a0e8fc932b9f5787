"""BuildLog: what a verbose log says of each build: timed tactics, choices, skips, Myelin's tables, graph edits, phases.

Rows name their build and their pass by index. A pass is one run of the builder over the whole network: builds at
optimization level 5 make several, with different backend strategies, and keep one engine. Lines are numbered from 1,
times are milliseconds, durations are seconds, sizes are bytes, and NaN, None or "" is unknown.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from trex.core.note import Note

LAYER, REFORMAT = "layer", "reformat"
TIMED, CACHED, NO_TACTICS, NOT_TIMED = "timed", "cached", "no tactics", "not timed"
WORKSPACE, DEVICE_MEMORY, TIME_LIMIT, EXCEPTION, INFINITE, MYELIN_MEMORY, NOTHING_WORKS = (
    "workspace",
    "device memory",
    "time limit",
    "exception",
    "no finite time",
    "Myelin memory budget",
    "no implementation",
)
"""Why a tactic was not used. The last: no tactic at all implements the layer, and the build fails."""


class Build(NamedTuple):
    """One build. name: the model's file, or ``build N``. seconds: of engine generation, else between its first and last
    clock. passed: by trtexec's last line, None without one. command_line: of trtexec.
    device: the GPU, as trtexec prints it. is_finished: the log has the end of its timing, or of the build.
    """

    name: str
    tensorrt_version: str
    line: int
    last_line: int
    seconds: float
    clock_seconds: float
    passed: bool | None
    is_verbose: bool
    command_line: str = ""
    device: str = ""
    is_finished: bool = True


class StrategyPass(NamedTuple):
    """One run over the network. strategy: the number of its backend strategy, -1 if not printed. is_chosen: its engine
    is the one that was kept. estimated_ms: the builder's estimate of the inference time.
    """

    build: int
    strategy: int
    is_chosen: bool
    estimated_ms: float
    line: int


class Autotuned(NamedTuple):
    """One runner on one layer, or one reformat, in one combination of formats.

    kind: LAYER or REFORMAT. status: TIMED, CACHED (the timing cache had it), NO_TACTICS, or NOT_TIMED (announced
    only, as by TensorRT for RTX). seconds: how long
    timing took, as printed since 8.6. clock_s: when it began, in whole seconds from the build's first clock.
    fastest_tactic, fastest_ms: as printed at its end. tried: the number of its rows in ``BuildLog.times``.
    """

    build: int
    strategy_pass: int
    layer: str
    kind: str
    formats: str
    runner: str
    runner_id: int
    status: str
    seconds: float
    clock_s: float
    fastest_tactic: int | None
    fastest_ms: float
    tried: int
    line: int


class ChosenTactic(NamedTuple):
    """What the builder chose for one layer in one combination of formats: the fastest of all runners."""

    build: int
    strategy_pass: int
    layer: str
    formats: str
    runner: str
    tactic: int
    line: int


class SkippedTactic(NamedTuple):
    """A tactic that was not timed, or not used. tactic: None if unknown. reason: one of the words of this module.

    requested_bytes, available_bytes: of memory, None if not printed. text: what was printed about it.
    """

    build: int
    strategy_pass: int
    layer: str
    formats: str
    runner: str
    tactic: int | None
    reason: str
    requested_bytes: int | None
    available_bytes: int | None
    text: str
    line: int


class MyelinOperation(NamedTuple):
    """One operation that Myelin timed. layer, formats: the ForeignNode it belongs to, and the formats tried for that.

    origins: names of ONNX nodes.
    key: of the timing cache, printed if that is editable. tactic: the hash it selected. is_printed: the log names the
    selected tactic; otherwise it is the first row of the table, which is sorted by cost.
    """

    build: int
    strategy_pass: int
    layer: str
    formats: str
    operation: str
    origins: tuple[str, ...]
    key: str
    tactic: int | None
    is_printed: bool
    line: int


class GraphEdit(NamedTuple):
    """One change of the graph. kind: fused, removed, converted, swapped, reformat, retargeted or copied.

    rule: what made it. layer: what was changed. other: what it was fused with, or the types, formats or tensors of the
    change.
    """

    build: int
    strategy_pass: int
    kind: str
    rule: str
    layer: str
    other: str
    line: int


class LayerCount(NamedTuple):
    """How many layers the graph had after a step."""

    build: int
    strategy_pass: int
    step: str
    layers: int
    line: int


class BuildPhase(NamedTuple):
    """One printed duration."""

    build: int
    strategy_pass: int
    phase: str
    seconds: float
    line: int


class EngineTactic(NamedTuple):
    """One layer of the built engine, as printed at the end of its build; no NoOps. reads: its first input's type."""

    build: int
    layer: str
    tactic: int
    reads: str
    line: int


class CacheUse(NamedTuple):
    """What a build did with its timing cache. kind: local or global; None: not printed."""

    build: int
    kind: str
    entries: int | None
    hits: int | None
    saved_entries: int | None
    saved_bytes: int | None
    line: int


@dataclass(frozen=True, slots=True)
class TacticTimes:
    """All timed tactics, a column each. autotuned: index into ``BuildLog.autotuned``. kernel: "" if not printed.
    tactic: the 64-bit id without sign.
    """

    autotuned: Sequence[int] = field(default_factory=lambda: array("l"))
    tactic: Sequence[int] = field(default_factory=lambda: array("Q"))
    time_ms: Sequence[float] = field(default_factory=lambda: array("d"))
    kernel: Sequence[str] = ()
    line: Sequence[int] = field(default_factory=lambda: array("l"))

    def __len__(self) -> int:
        return len(self.time_ms)


@dataclass(frozen=True, slots=True)
class MyelinTimes:
    """All rows of Myelin's tables, a column each. operation: index into ``BuildLog.operations``.

    ratio: cost by the lowest cost of the table. correlation: of prediction and measurement, as printed. tactic: the
    hash. tunable: parameters of the kernel, as printed.
    """

    operation: Sequence[int] = field(default_factory=lambda: array("l"))
    tactic: Sequence[int] = field(default_factory=lambda: array("Q"))
    cost_ms: Sequence[float] = field(default_factory=lambda: array("d"))
    ratio: Sequence[float] = field(default_factory=lambda: array("d"))
    correlation: Sequence[float] = field(default_factory=lambda: array("d"))
    kernel: Sequence[str] = ()
    tunable: Sequence[str] = ()
    line: Sequence[int] = field(default_factory=lambda: array("l"))

    def __len__(self) -> int:
        return len(self.cost_ms)


@dataclass(frozen=True, slots=True)
class BuildLog:
    """source: the address. layer_nodes: (layer, ONNX node) where the importer named them differently."""

    source: str
    builds: tuple[Build, ...] = ()
    passes: tuple[StrategyPass, ...] = ()
    autotuned: tuple[Autotuned, ...] = ()
    times: TacticTimes = field(default_factory=TacticTimes)
    chosen: tuple[ChosenTactic, ...] = ()
    skipped: tuple[SkippedTactic, ...] = ()
    operations: tuple[MyelinOperation, ...] = ()
    myelin_times: MyelinTimes = field(default_factory=MyelinTimes)
    edits: tuple[GraphEdit, ...] = ()
    layer_counts: tuple[LayerCount, ...] = ()
    phases: tuple[BuildPhase, ...] = ()
    caches: tuple[CacheUse, ...] = ()
    engine_tactics: tuple[EngineTactic, ...] = ()
    layer_nodes: tuple[tuple[str, str], ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def last_build(self) -> int:
        """Index of the build whose engine was kept: the last verbose one, passing over failed ones if others are."""
        verbose = [index for index, build in enumerate(self.builds) if build.is_verbose]
        passed = [index for index in verbose if self.builds[index].passed is not False]
        return (passed or verbose or [max(len(self.builds) - 1, 0)])[-1]
