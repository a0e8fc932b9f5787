"""Messages of a build that may still run → BuildProgress: where it is, what was slow, how long it may still take."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from trex.core.build_log import CACHED, LAYER, REFORMAT, TIMED, Autotuned, BuildPhase, LayerCount
from trex.ingest.build_log.build_log import BuildLogReader, ReaderState
from trex.ingest.build_log.messages import Message
from trex.ingest.build_log.milestones import BUILT, GENERATION, LOADING, SELECTION

IMPORTING = "importing the network"
OPTIMIZING = "optimizing the graph"
TIMING = "timing layers"
TIMING_REFORMATS = "timing reformats"
GENERATING = "generating the engine"
GENERATED = "engine generated"
DONE = "done"
FAILED = "failed"

_AFTER_SELECTION = "reformat"
# A build that prints no last line of its own has ended if so long nothing follows an engine's generation.
_QUIET_S = 10.0
# A file without an end that nothing was written to for so long is of a build that was cut off.
_ABANDONED_S = 3600.0
# Logs before 8.6 print no durations, only clocks of whole seconds, which mean little for a short build.
_LEAST_CLOCK_S = 10.0
# Earlier builds are compared with this one if they timed most of its layers.
_LEAST_SHARED = 0.5
_MIN_LAYERS = 2


@dataclass(frozen=True, slots=True)
class LayerSpent:
    """What timing one layer took, or all reformats. share_pct: of all timing that was done."""

    kind: str
    layer: str
    seconds: float
    share_pct: float
    timings: int


@dataclass(frozen=True, slots=True)
class EarlierBuild:
    """What an earlier build timed: {(pass, kind, layer): seconds}, reformats under "". rest_s: of all but timing."""

    name: str
    spent: Mapping[tuple[int, str, str], float]
    rest_s: float

    @property
    def total_s(self) -> float:
        return math.fsum(self.spent.values())


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """Where a build is. Unknown is "", None or NaN.

    phase: one of the words of this module. layer_number of layers: the layer that is being timed, of about so many;
    layers is the number in the optimized graph, and some need no timing. strategies: passes that have begun.
    timed, cached: runners; timings: tactics. slowest: layers, and all reformats as one, by the time that timing them
    took. elapsed_s: since the build's first line. left_s: estimated, left_from says how. quiet_s: since the last line.
    builds: how many the log has. is_over: it ended, or was abandoned.
    """

    name: str = ""
    tensorrt_version: str = ""
    builds: int = 1
    phase: str = IMPORTING
    strategies: int = 0
    layer_number: int = 0
    layers: int | None = None
    kind: str = ""
    layer: str = ""
    formats: str = ""
    runner: str = ""
    operation: str = ""
    timed: int = 0
    cached: int = 0
    timings: int = 0
    skipped: int = 0
    slowest: tuple[LayerSpent, ...] = ()
    elapsed_s: float = math.nan
    timing_s: float = math.nan
    left_s: float = math.nan
    left_from: str = ""
    quiet_s: float = 0.0
    is_verbose: bool = False
    passed: bool | None = None
    is_over: bool = False


@dataclass(slots=True)
class _Spent:
    seconds: float = 0.0
    timings: int = 0


@dataclass(slots=True)
class _CurrentBuild:
    """All that is kept of a build: one entry per layer and pass."""

    index: int = 0
    first_pass: int = 0
    strategy_pass: int = 0
    spent: dict[tuple[int, str, str], _Spent] = field(default_factory=dict)
    has_seconds: bool = False
    last: Autotuned | None = None
    timed: int = 0
    cached: int = 0
    timings: int = 0
    skipped: int = 0
    counts: list[LayerCount] = field(default_factory=list)
    layers_from_s: float = math.nan
    phases: dict[str, BuildPhase] = field(default_factory=dict)
    generated_s: float = 0.0
    passed: bool | None = None
    name: str = ""
    clock_s: float = math.nan


class BuildWatch:
    """Takes messages in order, keeps one entry per layer. earlier: a build of the same model, for the time left."""

    def __init__(self, where: str, earlier: EarlierBuild | None = None) -> None:
        self._reader = BuildLogReader(where)
        self._earlier = earlier
        self._build = _CurrentBuild()
        self._builds = 0

    def read(self, messages: Iterable[Message]) -> None:
        for number, clock, text in messages:
            self._reader.read(number, clock, text)

    def progress(self, quiet_s: float = 0.0, *, is_closed: bool = False, top: int = 5) -> BuildProgress:
        """What the messages say. quiet_s: seconds since the last one.

        is_closed: no more will come, though the build may go on.
        """
        self._take()
        state, build = self._reader.state, self._build
        is_current = state.build == build.index
        passed = state.passed if is_current and state.passed is not None else build.passed
        if is_current:
            build.name, build.clock_s = state.name or build.name, state.clock_s
            self._move(state.strategy_pass)
        is_timing = is_current and state.begun > 0 and SELECTION not in build.phases
        phase = self._phase(state, passed) if is_current else DONE if passed is not False else FAILED
        is_over = self._is_over(quiet_s, passed, is_closed) or not is_current
        now = state if is_timing and not is_over else None
        timing_s = math.fsum(spent.seconds for spent in build.spent.values())
        is_known = build.has_seconds or timing_s >= _LEAST_CLOCK_S
        result = BuildProgress(
            name=build.name,
            tensorrt_version=state.version if is_current else "",
            builds=max(self._builds, 1),
            phase=phase,
            strategies=state.strategies if is_current else 0,
            layer_number=state.begun if is_current else 0,
            layers=self._layers(state),
            kind=now.kind if now else "",
            layer=now.layer if now else "",
            formats=now.formats if now and now.runner else "",
            runner=now.runner if now else "",
            operation=now.operation if now and now.runner == "Myelin" else "",
            timed=build.timed,
            cached=build.cached,
            timings=build.timings,
            skipped=build.skipped,
            slowest=self._slowest(top) if is_known else (),
            elapsed_s=build.clock_s + (0.0 if is_over else quiet_s),
            timing_s=timing_s if is_known else math.nan,
            quiet_s=quiet_s,
            is_verbose=bool(build.counts or build.spent or state.begun),
            passed=passed,
            is_over=is_over,
        )
        if is_over or not is_timing:
            return result
        left_s, left_from = self._left(result, state)
        return replace(result, left_s=left_s, left_from=left_from)

    def as_earlier(self, name: str) -> EarlierBuild | None:
        """The build as an earlier one of another; None if it timed nothing or did not finish."""
        self._take()
        return self._as_earlier(name)

    @property
    def has_build(self) -> bool:
        """Whether any message was about building an engine."""
        return bool(self._builds) or self._reader.state.has_started

    # What was read

    def _take(self) -> None:
        rows = self._reader.take()
        phases = (row for row in rows.phases if not row.phase.startswith(LOADING))
        events: list[Autotuned | LayerCount | BuildPhase] = [*rows.autotuned, *rows.layer_counts, *phases]
        for row in sorted(events, key=lambda row: row.line):
            if row.build > self._build.index or (row.build == self._build.index and not self._builds):
                self._begin(row)
            if isinstance(row, Autotuned):
                self._add(row)
            elif isinstance(row, LayerCount):
                self._count(row)
            else:
                self._end_phase(row)
        self._build.timings += rows.timings[self._build.index]
        self._build.skipped += rows.skipped[self._build.index]
        if len(rows.builds) > self._build.index:
            ended = rows.builds[self._build.index]
            self._build.passed = ended.passed
            self._build.name, self._build.clock_s = ended.name, ended.clock_seconds

    def _begin(self, row: Autotuned | LayerCount | BuildPhase) -> None:
        """Another build; the one before in the same log is an earlier one of it."""
        if self._earlier is None:
            self._earlier = self._as_earlier("the build before")
        self._builds += 1
        if row.build != self._build.index:
            self._build = _CurrentBuild(row.build)
        self._build.first_pass = self._build.strategy_pass = row.strategy_pass

    def _as_earlier(self, name: str) -> EarlierBuild | None:
        spent = {key: value.seconds for key, value in self._build.spent.items()}
        is_finished = bool(self._build.passed) or not self._build.phases.keys().isdisjoint((GENERATION, BUILT))
        if not spent or not is_finished:
            return None
        return EarlierBuild(name, spent, max(self._build.generated_s - math.fsum(spent.values()), 0.0))

    def _move(self, strategy_pass: int) -> None:
        """A new pass begins its counts anew."""
        build = self._build
        if strategy_pass != build.strategy_pass:
            build.strategy_pass = strategy_pass
            build.counts, build.layers_from_s = [], math.nan
            build.phases.pop(SELECTION, None)
            build.phases.pop(GENERATION, None)

    def _add(self, row: Autotuned) -> None:
        self._move(row.strategy_pass)
        build = self._build
        if row.status == CACHED:
            build.cached += 1
        elif row.status == TIMED:
            build.timed += 1
        if row.kind == LAYER and math.isnan(build.layers_from_s):
            build.layers_from_s = row.clock_s
        if not math.isnan(row.seconds):
            if not build.has_seconds:
                build.has_seconds = True
                build.spent.clear()  # what was estimated from clocks
        elif not build.has_seconds and build.last is not None:
            self._spend(build.last, row.clock_s - build.last.clock_s, 0)
        self._spend(row, row.seconds, row.tried)
        build.last = row

    def _spend(self, row: Autotuned, seconds: float, timings: int) -> None:
        layer = "" if row.kind == REFORMAT else row.layer
        spent = self._build.spent.setdefault((row.strategy_pass - self._build.first_pass, row.kind, layer), _Spent())
        spent.seconds += seconds if seconds > 0 else 0.0
        spent.timings += timings

    def _count(self, row: LayerCount) -> None:
        self._move(row.strategy_pass)
        if _AFTER_SELECTION not in row.step:
            self._build.counts = [row]

    def _end_phase(self, row: BuildPhase) -> None:
        self._build.phases[row.phase] = row
        if row.phase == GENERATION:
            self._build.generated_s += row.seconds

    # What it means

    def _layers(self, state: ReaderState) -> int | None:
        counts = [row for row in self._build.counts if not state.begun_line or row.line < state.begun_line]
        number = counts[-1].layers if counts else None
        return number if number is not None and state.begun <= number else None

    def _phase(self, state: ReaderState, passed: bool | None) -> str:
        phases = self._build.phases
        if passed is not None or BUILT in phases:
            return FAILED if passed is False else DONE
        if GENERATION in phases:
            return GENERATED
        if SELECTION in phases:
            return GENERATING
        if state.begun or state.kind == REFORMAT:
            return TIMING_REFORMATS if state.kind == REFORMAT else TIMING
        return OPTIMIZING if state.has_started else IMPORTING

    def _is_over(self, quiet_s: float, passed: bool | None, is_closed: bool) -> bool:
        phases = self._build.phases
        if passed is not None or BUILT in phases:
            return True
        if GENERATION in phases:
            return is_closed or quiet_s >= _QUIET_S
        return quiet_s >= _ABANDONED_S

    def _slowest(self, top: int) -> tuple[LayerSpent, ...]:
        sums: dict[tuple[str, str], _Spent] = {}
        for (_, kind, layer), spent in self._build.spent.items():
            total = sums.setdefault((kind, layer), _Spent())
            total.seconds += spent.seconds
            total.timings += spent.timings
        all_s = math.fsum(spent.seconds for spent in sums.values())
        slowest = sorted(sums.items(), key=lambda item: -item[1].seconds)[:top]
        return tuple(
            LayerSpent(kind, layer, spent.seconds, 100.0 * spent.seconds / all_s, spent.timings)
            for (kind, layer), spent in slowest
            if all_s > 0 and spent.seconds > 0
        )

    def _left(self, progress: BuildProgress, state: ReaderState) -> tuple[float, str]:
        """(seconds, where they are from); NaN while too little is known."""
        if self._earlier is not None:
            return self._left_by(self._earlier, progress, state)
        done = progress.layer_number - 1
        if state.kind == REFORMAT or progress.layers is None or done < _MIN_LAYERS:
            return math.nan, ""
        so_far = state.clock_s + progress.quiet_s - self._build.layers_from_s
        if math.isnan(so_far):
            so_far = math.fsum(
                spent.seconds
                for (step, kind, _), spent in self._build.spent.items()
                if kind == LAYER and step == self._build.strategy_pass - self._build.first_pass
            )
        left = so_far / done * (progress.layers - done)
        return left, f"the mean of the first {done} layers, without reformats"

    def _left_by(self, earlier: EarlierBuild, progress: BuildProgress, state: ReaderState) -> tuple[float, str]:
        step = self._build.strategy_pass - self._build.first_pass
        now = (step, state.kind, "" if state.kind == REFORMAT else state.layer)
        behind = {key for key in self._build.spent if key != now and (key[1] == LAYER or key[0] < step)}
        known = behind & earlier.spent.keys()
        if len({*known, now} & earlier.spent.keys()) < _LEAST_SHARED * len({*behind, now}):
            return math.nan, f"{earlier.name} timed other layers"
        total_s, known_s = earlier.total_s, math.fsum(earlier.spent[key] for key in known)
        if total_s <= 0:
            return math.nan, f"{earlier.name} has no times"
        spent_s = math.fsum(self._build.spent[key].seconds for key in known)
        # As fast as the earlier build until enough of it is known.
        speed = spent_s / known_s if known_s >= 0.05 * total_s else 1.0
        current_s = self._build.spent[now].seconds if now in self._build.spent else 0.0
        left_s = max(speed * (total_s - known_s) - current_s, 0.0) + earlier.rest_s
        return left_s, f"{earlier.name}, where {100 * known_s / total_s:.0f} % of the timing was done at this point"
