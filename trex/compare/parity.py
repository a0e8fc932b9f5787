"""Whether two runs are comparable: which recorded settings match, and what each difference means for the times."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from trex.compare.machine_shift import NAME, MachineShift
from trex.compare.run_settings import SETTINGS, STREAMS, TRANSFERS, RunSettings, SettingSeverity, plain_key
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan

_NOT_COMPARED = frozenset((
    "model", "output", "saveengine", "loadengine", "timingcachefile", "profilingverbosity", "format",
    "tempfilecontrols",
))  # fmt: skip
"""Build options that are paths or only change what is reported."""
_STRIPPED = ("stripweights", "stripallweights")
_MEANINGS = {
    "precision": "precisions the builder may use",
    **dict.fromkeys(_STRIPPED, "a stripped engine lacks its weights"),
}
_ONE_SIDE = "recorded for one engine only"


@dataclass(frozen=True, slots=True)
class SettingDifference:
    """left, right: the values as text, None if not recorded. meaning: how the difference affects the times.
    is_essential: without it, runs can't be called comparable.
    """

    name: str
    left: str | None
    right: str | None
    severity: SettingSeverity
    meaning: str
    is_essential: bool = False

    @property
    def words(self) -> str:
        return f"{self.name}: {self.left or 'unknown'} vs. {self.right or 'unknown'}"


@dataclass(frozen=True)
class Parity:
    """differences: the most severe first. matching: the settings that are equal, with their values. machine: by how
    much unchanged kernels shifted, None if too few are unchanged.
    """

    differences: tuple[SettingDifference, ...]
    matching: tuple[str, ...]
    machine: MachineShift | None = None

    def of(self, *severities: SettingSeverity) -> tuple[SettingDifference, ...]:
        return tuple(difference for difference in self.differences if difference.severity in severities)

    def other_quantity(self, names: Collection[str]) -> str:
        """Which of these settings differs, so that values of a metric are not of the same thing; "" if none does."""
        for item in self.of(SettingSeverity.CRITICAL, SettingSeverity.BUILD):
            if item.name in names:
                verb = "differ" if item.name in (TRANSFERS, STREAMS) else "differs"
                return f"{item.name} {verb} ({item.left} vs. {item.right}): {item.meaning}"
        return ""

    @cached_property
    def refusals(self) -> tuple[SettingDifference, ...]:
        """What ``--strict`` refuses: critical differences and unknown essential settings."""
        unknown = (difference for difference in self.of(SettingSeverity.UNKNOWN) if difference.is_essential)
        return (*self.of(SettingSeverity.CRITICAL), *unknown)

    @property
    def is_comparable(self) -> bool | None:
        """False with a critical difference; None if an essential setting is unknown."""
        if self.of(SettingSeverity.CRITICAL):
            return False
        return None if self.refusals else True

    @property
    def count(self) -> str:
        """``10 of 12``: matching settings of those recorded for both engines."""
        different = self.of(SettingSeverity.CRITICAL, SettingSeverity.MINOR)
        recorded = len(self.matching) + sum(difference.name != NAME for difference in different)
        return f"{len(self.matching)} of {recorded}"

    @property
    def sentence(self) -> str:
        """``Settings match (12 of 12).``, or what differs."""
        critical = ", ".join(difference.name for difference in self.of(SettingSeverity.CRITICAL))
        if critical:
            return f"Settings differ: {critical} ({self.count} match). This affects the times."
        if self.is_comparable is None:
            missing = ", ".join(difference.name for difference in self.refusals)
            return f"Can't check that the runs are comparable: {missing} unknown ({self.count} settings match)."
        minor = ", ".join(difference.name for difference in self.of(SettingSeverity.MINOR))
        return f"Settings match ({self.count}{f'; minor differences: {minor}' if minor else ''})."


def parity_of(left: Performance, right: Performance, machine: MachineShift | None = None) -> Parity:
    """Compares the settings of two runs; never raises. A setting that one engine's files omit is unknown, not equal.

    machine: the shift of unchanged kernels, which shows a difference that no setting records.
    """
    runs = RunSettings(left), RunSettings(right)
    differences: list[SettingDifference] = []
    matching: list[str] = []
    for setting in SETTINGS:
        values = setting.read(runs[0]), setting.read(runs[1])
        before, after = (None if value is None else setting.words(value) for value in values)
        severity, meaning = setting.severity, setting.meaning
        if None in values:
            severity = SettingSeverity.UNKNOWN
            meaning = "not recorded" if values == (None, None) else _ONE_SIDE
        elif setting.equal(*values):
            matching.append(f"{setting.name}: {before}")
            continue
        differences.append(SettingDifference(setting.name, before, after, severity, meaning, setting.is_essential))
    differences.extend(_build_options(runs[0].plan, runs[1].plan))
    if machine is not None and machine.is_shifted:
        severity = SettingSeverity.CRITICAL if machine.is_large else SettingSeverity.MINOR
        meaning = "another GPU, clock or load: all layers' times contain it"
        differences.append(SettingDifference(NAME, "1×", f"{machine.factor:.3g}× as long", severity, meaning))
    order = list(SettingSeverity)
    differences.sort(key=lambda difference: order.index(difference.severity))
    return Parity(tuple(differences), tuple(matching), machine)


def _build_options(left: EnginePlan, right: EnginePlan) -> Iterator[SettingDifference]:
    """Build options that differ; the precision also if only one engine's files contain it."""
    options, others = (
        {plain_key(key): (key, str(value)) for key, value in plan.builder_cfg.items() if value is not None}
        for plan in (left, right)
    )
    for key, (name, value) in options.items():
        if key in others and key not in _NOT_COMPARED and value != others[key][1]:
            meaning = _MEANINGS.get(key, "the engines were built differently")
            yield SettingDifference(f"build option {name}", value, others[key][1], SettingSeverity.BUILD, meaning)
    for key in _STRIPPED:  # releases before 10.0 print no such option
        name, value = {**others, **options}.get(key, ("", ""))
        if (key in options) != (key in others) and value == "Enabled":
            before, after = (value, None) if key in options else (None, value)
            yield SettingDifference(f"build option {name}", before, after, SettingSeverity.BUILD, _MEANINGS[key])
    if ("precision" in options) != ("precision" in others):
        name, value = {**others, **options}["precision"]
        before, after = (value, None) if "precision" in options else (None, value)
        yield SettingDifference(f"build option {name}", before, after, SettingSeverity.UNKNOWN, _ONE_SIDE)
