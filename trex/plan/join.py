"""Layers and LayerTimes → Join: the time of each layer, and how much of both is matched."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.layer import Layer, Role
from trex.core.note import Note
from trex.core.timings import LayerTime, LayerTimes
from trex.ingest.spelling.layer_names import FOREIGN_OPENING, REGION_NUMBER, myelin_region, profile_suffix
from trex.plan.profile_contradictions import NOT_MEASURED, SHARES_OFF

PAIR_HINT = "pair the graph with the profile that was exported from the same engine file"
OTHER_ITERATIONS = "iteration-count-differs"
"""Code of the Note on totals and averages of single layers that contradict each other: a problem unless the percentages
are those of the averages.
"""
TIMED_NO_OPS = "time-of-no-ops"
WRONG_RECORDS = ("profile-without-names", "first-layer-name-repeats", TIMED_NO_OPS)
"""Codes of Notes that, as problems, leave no layer's time to be believed."""
_MEASURABLE_MS, _NO_OPS_SHARE = 0.01, 0.05
"""Of NoOps: 0 ms in the profiles of 17 real engines."""
LOST_LAYERS = (
    "truncated", "damaged-compression", "layer-not-an-object", "unreadable-layer-row", "unreadable-inspector-row",
    "unreadable-profile-row", "binary-data-in-text", "duplicate-top-level-key", "damaged-string", NOT_MEASURED,
)  # fmt: skip
"""Codes of Notes that, as problems of the graph or the profile, say that layers or their times are missing."""
UNMATCHED_RECORDS = "profile-records-unmatched"
_LEAST_COVERED_PCT = 99.0
_FOREIGN_SHARE = 0.5
_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Join:
    """The times of layers.

    times: one per layer, None if the layer has no record (not profiled, which is not zero).
    unmatched: records of this optimization profile without a layer. other_profiles: records of other optimization
    profiles.
    layers_covered_pct: share of the layers with a record, of those that do work (role KERNEL; without any, of all).
    time_covered_pct: share of the profile's time in matched records. Both None if undefined.
    """

    times: tuple[LayerTime | None, ...]
    unmatched: tuple[LayerTime, ...] = ()
    other_profiles: tuple[LayerTime, ...] = ()
    layers_covered_pct: float | None = None
    time_covered_pct: float | None = None
    notes: tuple[Note, ...] = ()

    @property
    def lacks_layers(self) -> bool:
        """Whether more than a hundredth of the profile's time is of no layer: half an engine would look like time
        saved.
        """
        return self.time_covered_pct is not None and self.time_covered_pct < _LEAST_COVERED_PCT


def join_times(layers: Sequence[Layer], layer_times: LayerTimes, *, where: str = "") -> Join:
    """Joins the layers of one optimization profile with a layer profile, by (name, occurrence).

    Order does not matter. ``[profile N]`` suffixes of records are ignored; trtexec also exports profiles other than the
    first without them. In such profiles, Myelin regions may have other numbers in the records: the remaining records
    are matched by name without the number, if regions match one to one. Records are matched by position only if none
    has a name and there are as many as layers.

    Raises TrexError if fewer than half of the records, by number and by time, match a layer, and fewer than half of the
    layers have a record: the profile is of another engine.
    """
    joiner = _Joiner(layers, layer_times, where or layer_times.source)
    records = layer_times.records
    if not records:
        joiner.note("profile-without-records", "the profile has no layer records: no layer has a time")
    elif not layers:
        joiner.unmatched = list(records)
        joiner.note(
            "profile-without-layers",
            f"the profile has {counted(len(records), 'record')}, but there are no layers to time",
        )
    elif not any(record.name.strip() for record in records):
        joiner.by_position()
    else:
        joiner.by_name()
        joiner.refuse_other_engine()
        joiner.note_counts()
    return joiner.join()


class _Joiner:
    """Working state of one join."""

    def __init__(self, layers: Sequence[Layer], layer_times: LayerTimes, where: str) -> None:
        self.layers = layers
        self.layer_times = layer_times
        self.where = where
        self.profile = layers[0].profile if layers else 0
        self.times: list[LayerTime | None] = [None] * len(layers)
        self.unmatched: list[LayerTime] = []
        self.others: list[LayerTime] = []
        self.notes: list[Note] = []
        self.first_name = ""
        self.weight = _weight(layer_times.records)

    def note(self, code: str, message: str, hint: str = "", severity: str = "warning") -> None:
        self.notes.append(Note(code, message, hint, self.where, severity))

    def by_position(self) -> None:
        records = self.layer_times.records
        if len(records) == len(self.layers):
            self.times = list(records)
            self.note(
                "joined-by-position",
                f"no name in {counted(len(records), 'profile record')}; layers were matched by position",
                "build with --profilingVerbosity=detailed to get names",
            )
            return
        self.unmatched = list(records)
        self.note(
            "profile-without-names",
            f"{counted(len(records), 'profile record')} without names cannot be joined with "
            f"{counted(len(self.layers), 'layer')}",
            "build with --profilingVerbosity=detailed to get names",
            "problem",
        )

    def by_name(self) -> None:
        own: list[tuple[LayerTime, str, bool]] = []
        for record in self.layer_times.records:
            name, profile = profile_suffix(record.name)
            if profile is None or profile == self.profile:
                own.append((record, name, profile is not None))
            else:
                self.others.append(record)
        # If some names contain this profile's number, the same name without the number belongs to the first profile.
        numbered = {name for _, name, is_numbered in own if is_numbered and self.profile}
        self.first_name = own[0][1] if own else ""
        positions = self._positions(
            Counter(name for _, name, is_numbered in own if is_numbered or name not in numbered)
        )
        seen: dict[str, int] = {}
        left: list[tuple[LayerTime, str]] = []
        times, others = self.times, self.others
        for record, name, is_numbered in own:
            if not is_numbered and name in numbered:
                others.append(record)
                continue
            occurrence = seen.get(name, 0)
            seen[name] = occurrence + 1
            position = positions.get((name, occurrence))
            if position is None:
                left.append((record, name))
            else:
                times[position] = record
        if left and self.profile:
            left = self._by_renumbered_region(left)
        if numbered:
            others += [record for record, name in left if name not in numbered]
            left = [(record, name) for record, name in left if name in numbered]
        elif self.profile and own:
            self.note(
                "profile-number-unsaid",
                f"no record contains an optimization profile; all were assigned to profile {self.profile}",
                severity="info",
            )
        self.unmatched = [record for record, _ in left]
        if self.others:
            self._note_others(len(own))

    def _positions(self, recorded: Counter[str]) -> dict[tuple[str, int], int]:
        """{(name, occurrence) of a record: position of its layer}.

        If a name has more layers than records, and as many kernels as records, the records are the kernels': a Constant
        or a NoOp may have the name of the kernel it serves, and trtexec omits it.
        """
        positions: dict[tuple[str, int], int] = {}
        shared: dict[str, list[int]] = {}
        for position, layer in enumerate(self.layers):
            positions.setdefault((layer.name, layer.occurrence), position)
            if layer.occurrence:
                shared.setdefault(layer.name, []).append(position)
        for name, others in shared.items():
            every = [positions[name, 0], *others] if (name, 0) in positions else others
            kernels = [position for position in every if self.layers[position].role is Role.KERNEL]
            if len(every) > len(kernels) == recorded[name]:
                positions.update({(name, number): position for number, position in enumerate(kernels)})
        return positions

    def _by_renumbered_region(self, left: list[tuple[LayerTime, str]]) -> list[tuple[LayerTime, str]]:
        """Matches records and layers whose names differ only in the Myelin region's number; returns the rest."""
        free: dict[str, list[int]] = {}
        for position, layer in enumerate(self.layers):
            if self.times[position] is None and "_myl" in layer.name:
                free.setdefault(REGION_NUMBER.sub("_myl", layer.name), []).append(position)
        waiting: dict[str, list[int]] = {}
        for number, (_, name) in enumerate(left):
            if "_myl" in name:
                waiting.setdefault(REGION_NUMBER.sub("_myl", name), []).append(number)
        pairs = [
            (number, position, myelin_region(left[number][1]), myelin_region(self.layers[position].name))
            for key, numbers in waiting.items()
            if len(free.get(key, ())) == len(numbers)
            for number, position in zip(numbers, free[key])
        ]
        regions = {(of_record, of_layer) for _, _, of_record, of_layer in pairs}
        record_regions = Counter(of_record for of_record, _ in regions)
        layer_regions = Counter(of_layer for _, of_layer in regions)
        taken = set()
        for number, position, of_record, of_layer in pairs:
            if record_regions[of_record] == layer_regions[of_layer] == 1:
                self.times[position] = left[number][0]
                taken.add(number)
        if taken:
            self.note(
                "myelin-regions-renumbered",
                f"the region numbers of {counted(len(taken), 'Myelin record')} differ from those of the layers in "
                f"optimization profile {self.profile}: matched by the rest of the name",
                severity="info",
            )
        return [item for number, item in enumerate(left) if number not in taken]

    def _note_others(self, own: int) -> None:
        numbers = sorted({number for r in self.others if (number := profile_suffix(r.name)[1]) is not None} or {0})
        listed = ", ".join(map(str, numbers[:8]))
        self.note(
            "profile-records-of-other-profiles",
            f"{len(self.others)} of {counted(len(self.layer_times.records), 'record')} are of optimization profiles "
            f"other than {self.profile} ({listed})",
            "" if own else f"select that profile: profile_id={numbers[0]}",
            "info" if own else "warning",
        )

    def refuse_other_engine(self) -> None:
        """Raises TrexError if most records, by number and by time, match no layer and most layers have no record."""
        matched = sum(time is not None for time in self.times)
        total = matched + len(self.unmatched)
        share = self._time_share()
        if not total or matched / total >= _FOREIGN_SHARE or (share is not None and share >= _FOREIGN_SHARE):
            return
        if matched / len(self.layers) >= _FOREIGN_SHARE:  # a part of the engine, such as a truncated file
            return
        timed = "" if share is None else f", {share * 100:.1f} % of the time,"
        hint = PAIR_HINT
        if any(layer.name.startswith(FOREIGN_OPENING) for layer in self.layers) and any(
            "_myl" in record.name for record in self.unmatched
        ):
            hint += "; a build log has one layer per Myelin region: use --exportLayerInfo for their kernels"
        raise TrexError(
            f"this profile is of another engine: {matched} of {counted(total, 'record')}{timed} match one of "
            f"{counted(len(self.layers), 'layer')}. The profile has {_examples([r.name for r in self.unmatched])}; "
            f"the engine has {_examples([layer.name for layer, t in zip(self.layers, self.times) if t is None])}",
            hint,
            self.where,
        )

    def _time_share(self) -> float | None:
        matched = sum(self.weight(time) for time in self.times if time is not None)
        total = matched + sum(map(self.weight, self.unmatched))
        return matched / total if total > 0 else None

    def note_counts(self) -> None:
        """Adds notes on names and iteration counts that make trtexec's profile doubtful."""
        records = [time for time in self.times if time is not None] + self.unmatched
        names = Counter(layer.name for layer in self.layers)
        recorded = Counter(profile_suffix(record.name)[0] for record in records)
        uneven = [name for name, times in recorded.items() if 0 < names[name] != times and max(names[name], times) > 1]
        if uneven:
            name = uneven[0]
            self.note(
                "repeated-names-uneven",
                f"{counted(len(uneven), 'name has', 'names have')} different numbers of records and layers "
                f"({_quoted(name)}: {recorded[name]} and {names[name]}); they were matched in order",
            )
        first = self.first_name
        if names[first] > 1 or recorded[first] > 1:
            self.note(
                "first-layer-name-repeats",
                f"{counted(names[first], 'layer has', 'layers have')} the name of the first profiled layer, "
                f"{_quoted(first)}, and {counted(recorded[first], 'record')}: trtexec starts a new iteration at this "
                "name, so times may be assigned to wrong layers and the iteration count may be too high",
                "profile through the TensorRT API instead, whose profiler distinguishes layers by position",
                "problem" if names[first] > recorded[first] else "warning",
            )
        self._note_iterations(records)

    def _note_iterations(self, records: list[LayerTime]) -> None:
        count = self.layer_times.count or _usual_iterations(records)
        if not count:
            return
        drifting = [(record, ran) for record in records if (ran := _other_iterations(record, count)) is not None]
        if drifting:
            record, ran = drifting[0]
            number = f"about {ran:.0f}" if math.isfinite(ran) else f"{record.total_ms:g} ms in all, 0 ms on average"
            sums = (
                math.fsum(one.average_ms or 0.0 for one in records),
                math.fsum(one.total_ms or 0.0 for one in records),
            )
            has_right_averages = all(_has_share_of_average(one, *sums) for one, _ in drifting)
            self.note(
                OTHER_ITERATIONS,
                f"{len(drifting)} of {counted(len(records), 'record')} have another number of iterations than the "
                f"profile's {count} ({_quoted(record.name)}: {number}): the set of layers that run varies, and times "
                "may be assigned to wrong layers",
                severity="warning" if has_right_averages else "problem",
            )

    def _note_no_ops(self) -> None:
        timed = [
            (layer.role, time.average_ms)
            for layer, time in zip(self.layers, self.times, strict=True)
            if time is not None and time.average_ms is not None
        ]
        idle = [ms for role, ms in timed if role is Role.NOOP]
        whole = math.fsum(ms for _, ms in timed)
        if max(idle, default=0.0) > _MEASURABLE_MS and math.fsum(idle) > _NO_OPS_SHARE * whole:
            share = 100.0 * math.fsum(idle) / whole
            self.note(
                TIMED_NO_OPS,
                f"NoOp layers, which run nothing, have {share:.1f} % of the layers' time: the times may be those of "
                "other layers",
                "export the profile again: a script may have shifted its rows",
                "problem",
            )

    def join(self) -> Join:
        self._note_no_ops()
        working = [position for position, layer in enumerate(self.layers) if layer.role is Role.KERNEL]
        working = working or list(range(len(self.layers)))
        untimed = [position for position in working if self.times[position] is None]
        covered = 100.0 * (len(working) - len(untimed)) / len(working) if working else None
        share = self._time_share()
        time_pct = None if share is None else 100.0 * share
        timed = "" if time_pct is None else f" ({100.0 - time_pct:.1f} % of the profile's time)"
        if untimed and self.layer_times.records:
            names = _examples([self.layers[position].name for position in untimed])
            self.note(
                "layers-not-profiled",
                f"no profile record for {len(untimed)} of {counted(len(working), 'layer')}, whose times are unknown, "
                f"not zero: {names}",
            )
        if self.unmatched and self.layers:
            names = _examples([record.name for record in self.unmatched])
            self.note(
                UNMATCHED_RECORDS,
                f"{counted(len(self.unmatched), 'profile record')}{timed} without a layer in the graph: {names}",
                PAIR_HINT,
            )
        return Join(tuple(self.times), tuple(self.unmatched), tuple(self.others), covered, time_pct, tuple(self.notes))


def _weight(records: Sequence[LayerTime]) -> Callable[[LayerTime], float]:
    """Weight of a record by time: its average, or its total in a profile without averages."""
    if any(record.average_ms is not None for record in records):
        return lambda record: record.average_ms or 0.0
    return lambda record: record.total_ms or 0.0


def _usual_iterations(records: Sequence[LayerTime]) -> int:
    """By totals and averages, for a profile whose number of iterations is lost: at least 1, 0 if unknown."""
    pairs = ((record.total_ms, record.average_ms) for record in records)
    ran = [number for total, average in pairs if total and average and math.isfinite(number := total / average)]
    return max(round(median(ran)), 1) if ran else 0


def _other_iterations(record: LayerTime, count: int) -> float | None:
    """Number of runs of the layer, total / average, if it cannot be ``count``; infinite without an average; else None.

    Allows for the rounding of trtexec's table in 8.x (totals with two decimals, averages with four).
    """
    total, average = record.total_ms, record.average_ms
    if total is None or average is None:
        return None
    fewest = (total - 0.005) / (average + 0.00005)
    most = math.inf if average <= 0.0001 else (total + 0.005) / (average - 0.00005)
    return None if fewest * 0.99 <= count <= most * 1.01 else total / average if average else math.inf


def _has_share_of_average(record: LayerTime, averages_ms: float, totals_ms: float) -> bool:
    """Whether the record's percentage is that of its average, and not of its total. averages_ms, totals_ms: of all
    records.
    """
    pairs = ((record.average_ms, averages_ms), (record.total_ms, totals_ms))
    average, total = (100.0 * (ms or 0.0) / whole if whole > 0.0 else math.inf for ms, whole in pairs)
    return record.share_pct is not None and abs(record.share_pct - average) <= SHARES_OFF < abs(
        record.share_pct - total
    )


def _examples(names: Sequence[str]) -> str:
    listed = ", ".join(map(_quoted, names[:_EXAMPLES]))
    more = len(names) - _EXAMPLES
    return (f"{listed} and {more} more" if more > 0 else listed) or "nothing else"


def _quoted(name: str) -> str:
    return repr(name if len(name) <= 80 else f"{name[:77]}...")
