"""Layers and LayerTimes → Join: which record timed which layer, and how much of each side found the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.layer import Layer, Role
from trex.core.note import Note
from trex.core.timings import LayerTime, LayerTimes
from trex.ingest.spelling.layer_names import FOREIGN_OPENING, myelin_region, profile_suffix

PAIR_HINT = "pair the graph with the profile that was exported from the same engine file"
_FOREIGN_SHARE = 0.5
_EXAMPLES = 3
_REGION = re.compile(r"_myl[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Join:
    """Times beside layers.

    times: one entry per layer, None where the layer has no record (not profiled, which is not zero).
    unmatched: records of this optimization profile that found no layer. other_profiles: records that name, or belong
    to, another optimization profile.
    layers_covered_pct: share of the layers that do work (role KERNEL; of all layers when none does) with a record.
    time_covered_pct: share of the profile's time that found a layer. Both None when there is nothing to divide.
    """

    times: tuple[LayerTime | None, ...]
    unmatched: tuple[LayerTime, ...] = ()
    other_profiles: tuple[LayerTime, ...] = ()
    layers_covered_pct: float | None = None
    time_covered_pct: float | None = None
    notes: tuple[Note, ...] = ()


def join_times(layers: Sequence[Layer], layer_times: LayerTimes, *, where: str = "") -> Join:
    """Joins the layers of one optimization profile with a layer profile, by (name, occurrence).

    Order does not matter. ``[profile N]`` suffixes of records are taken off; trtexec also exports other profiles than
    the first without them. In a profile other than the first, Myelin regions may carry another number in the records:
    what is left over is then paired by name without it, if regions correspond one to one. Position counts only for
    records without any name, when there are as many as layers.

    Raises TrexError when fewer than half of the records, by number and by time, name a layer, and fewer than half of
    the layers have a record: the profile is of another engine.
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
                f"the profile names none of its {counted(len(records), 'record')}; layers were found by position",
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
        # A file in which some names carry this profile's number tells profiles apart: a bare name beside the same name
        # with the number is the first profile's.
        numbered = {name for _, name, is_numbered in own if is_numbered and self.profile}
        self.first_name = own[0][1] if own else ""
        places = self._places(Counter(name for _, name, is_numbered in own if is_numbered or name not in numbered))
        seen: dict[str, int] = {}
        left: list[tuple[LayerTime, str]] = []
        times, others = self.times, self.others
        for record, name, is_numbered in own:
            if not is_numbered and name in numbered:
                others.append(record)
                continue
            occurrence = seen.get(name, 0)
            seen[name] = occurrence + 1
            place = places.get((name, occurrence))
            if place is None:
                left.append((record, name))
            else:
                times[place] = record
        if left and self.profile:
            left = self._by_renumbered_region(left)
        if numbered:
            others += [record for record, name in left if name not in numbered]
            left = [(record, name) for record, name in left if name in numbered]
        elif self.profile and own:
            self.note(
                "profile-number-unsaid",
                f"no record names an optimization profile; all were taken to be of profile {self.profile}",
                severity="info",
            )
        self.unmatched = [record for record, _ in left]
        if self.others:
            self._note_others(len(own))

    def _places(self, recorded: Counter[str]) -> dict[tuple[str, int], int]:
        """(name, occurrence) → position of the layer it times.

        Where a name has more layers than records, and as many kernels as records, the records are the kernels': a
        Constant or a NoOp may carry the name of the kernel it serves, and trtexec leaves it out.
        """
        places: dict[tuple[str, int], int] = {}
        shared: dict[str, list[int]] = {}
        for position, layer in enumerate(self.layers):
            places.setdefault((layer.name, layer.occurrence), position)
            if layer.occurrence:
                shared.setdefault(layer.name, []).append(position)
        for name, others in shared.items():
            every = [places[name, 0], *others] if (name, 0) in places else others
            kernels = [position for position in every if self.layers[position].role is Role.KERNEL]
            if len(every) > len(kernels) == recorded[name]:
                places.update({(name, number): position for number, position in enumerate(kernels)})
        return places

    def _by_renumbered_region(self, left: list[tuple[LayerTime, str]]) -> list[tuple[LayerTime, str]]:
        """Pairs records and layers whose names differ only in the Myelin region's number; returns what remains."""
        free: dict[str, list[int]] = {}
        for position, layer in enumerate(self.layers):
            if self.times[position] is None and "_myl" in layer.name:
                free.setdefault(_REGION.sub("_myl", layer.name), []).append(position)
        waiting: dict[str, list[int]] = {}
        for number, (_, name) in enumerate(left):
            if "_myl" in name:
                waiting.setdefault(_REGION.sub("_myl", name), []).append(number)
        pairs = [
            (number, place, myelin_region(left[number][1]), myelin_region(self.layers[place].name))
            for key, numbers in waiting.items()
            if len(free.get(key, ())) == len(numbers)
            for number, place in zip(numbers, free[key])
        ]
        regions = {(of_record, of_layer) for _, _, of_record, of_layer in pairs}
        record_regions = Counter(of_record for of_record, _ in regions)
        layer_regions = Counter(of_layer for _, of_layer in regions)
        taken = set()
        for number, place, of_record, of_layer in pairs:
            if record_regions[of_record] == layer_regions[of_layer] == 1:
                self.times[place] = left[number][0]
                taken.add(number)
        if taken:
            self.note(
                "myelin-regions-renumbered",
                f"{counted(len(taken), 'Myelin record')} with another region number than the layer has in "
                "optimization profile "
                f"{self.profile}: joined by the rest of the name",
                severity="info",
            )
        return [item for number, item in enumerate(left) if number not in taken]

    def _note_others(self, own: int) -> None:
        numbers = sorted({number for r in self.others if (number := profile_suffix(r.name)[1]) is not None} or {0})
        listed = ", ".join(map(str, numbers[:8]))
        self.note(
            "profile-records-of-other-profiles",
            f"{len(self.others)} of {counted(len(self.layer_times.records), 'record')} left to another optimization "
            "profile "
            f"than {self.profile} (to {listed})",
            "" if own else f"select that profile: profile_id={numbers[0]}",
            "info" if own else "warning",
        )

    def refuse_other_engine(self) -> None:
        """Raises TrexError when most records, by number and by time, name no layer and most layers have no record."""
        found = sum(time is not None for time in self.times)
        total = found + len(self.unmatched)
        share = self._time_share()
        if not total or found / total >= _FOREIGN_SHARE or (share is not None and share >= _FOREIGN_SHARE):
            return
        if found / len(self.layers) >= _FOREIGN_SHARE:  # a part of the engine, say of a file that was cut off
            return
        timed = "" if share is None else f", {share * 100:.1f} % of the time,"
        hint = PAIR_HINT
        if any(layer.name.startswith(FOREIGN_OPENING) for layer in self.layers) and any(
            "_myl" in record.name for record in self.unmatched
        ):
            hint += (
                "; layers read from a build log name Myelin regions as a whole: use --exportLayerInfo for their parts"
            )
        raise TrexError(
            f"this profile is of another engine: {found} of {counted(total, 'record')}{timed} found a layer among the "
            f"{len(self.layers)}. The profile has {_examples([r.name for r in self.unmatched])}; "
            f"the engine has {_examples(self._untimed_names())}",
            hint,
            self.where,
        )

    def _untimed_names(self) -> list[str]:
        return [layer.name for layer, time in zip(self.layers, self.times) if time is None]

    def _time_share(self) -> float | None:
        matched = sum(self.weight(time) for time in self.times if time is not None)
        total = matched + sum(map(self.weight, self.unmatched))
        return matched / total if total > 0 else None

    def note_counts(self) -> None:
        """Notes on names and iteration counts that make trtexec's profile doubtful."""
        records = [time for time in self.times if time is not None] + self.unmatched
        names = Counter(layer.name for layer in self.layers)
        recorded = Counter(profile_suffix(record.name)[0] for record in records)
        uneven = [name for name, times in recorded.items() if 0 < names[name] != times and max(names[name], times) > 1]
        if uneven:
            name = uneven[0]
            self.note(
                "repeated-names-uneven",
                f"{counted(len(uneven), 'name has', 'names have')} another number of records than of layers "
                f"({_quoted(name)}: {recorded[name]} "
                f"and {names[name]}); they were matched in order",
            )
        first = self.first_name
        if names[first] > 1 or recorded[first] > 1:
            self.note(
                "first-layer-name-repeats",
                f"the name of the first profiled layer, {_quoted(first)}, is carried by "
                f"{counted(names[first], 'layer')} "
                f"and {counted(recorded[first], 'record')}: trtexec takes it for the start of a new iteration, so "
                "that times may "
                "stand at wrong layers and count may be too high",
                "profile through the TensorRT API instead, where a profiler can tell layers apart by position",
                "problem" if names[first] > recorded[first] else "warning",
            )
        self._note_iterations(records)

    def _note_iterations(self, records: list[LayerTime]) -> None:
        count = self.layer_times.count
        if not count:
            return
        drifting = [(record, ran) for record in records if (ran := _other_iterations(record, count)) is not None]
        if drifting:
            record, ran = drifting[0]
            self.note(
                "iteration-count-differs",
                f"{len(drifting)} of {counted(len(records), 'record')} tell another number of iterations than the "
                f"{count} the profile counts ({_quoted(record.name)}: about {ran:.0f}): the layers that run vary, and "
                "times may stand at wrong layers",
            )

    def join(self) -> Join:
        working = [place for place, layer in enumerate(self.layers) if layer.role is Role.KERNEL]
        working = working or list(range(len(self.layers)))
        untimed = [place for place in working if self.times[place] is None]
        covered = 100.0 * (len(working) - len(untimed)) / len(working) if working else None
        share = self._time_share()
        time_pct = None if share is None else 100.0 * share
        timed = "" if time_pct is None else f" ({100.0 - time_pct:.1f} % of the profile's time)"
        if untimed and self.layer_times.records:
            names = _examples([self.layers[place].name for place in untimed])
            self.note(
                "layers-not-profiled",
                f"no profile record for {len(untimed)} of {counted(len(working), 'layer')}; the times are unknown, "
                "not zero: "
                f"{names}",
            )
        if self.unmatched and self.layers:
            names = _examples([record.name for record in self.unmatched])
            self.note(
                "profile-records-unmatched",
                f"{counted(len(self.unmatched), 'profile record')}{timed} without a layer in the graph: {names}",
                PAIR_HINT,
            )
        return Join(tuple(self.times), tuple(self.unmatched), tuple(self.others), covered, time_pct, tuple(self.notes))


def _weight(records: Sequence[LayerTime]) -> Callable[[LayerTime], float]:
    """What a record counts by time: its average, or its total in a profile that has no averages."""
    if any(record.average_ms is not None for record in records):
        return lambda record: record.average_ms or 0.0
    return lambda record: record.total_ms or 0.0


def _other_iterations(record: LayerTime, count: int) -> float | None:
    """How often the layer ran, total / average, when that cannot be ``count``; None when it can.

    Allows for the coarsest printing there is, trtexec's table of 8.x (totals of two decimals, averages of four).
    """
    total, average = record.total_ms, record.average_ms
    if total is None or average is None or average <= 0.0001:
        return None
    fewest, most = (total - 0.005) / (average + 0.00005), (total + 0.005) / (average - 0.00005)
    return None if fewest * 0.99 <= count <= most * 1.01 else total / average


def _examples(names: Sequence[str]) -> str:
    listed = ", ".join(map(_quoted, names[:_EXAMPLES]))
    more = len(names) - _EXAMPLES
    return (f"{listed} and {more} more" if more > 0 else listed) or "nothing else"


def _quoted(name: str) -> str:
    return repr(name if len(name) <= 80 else f"{name[:77]}...")
