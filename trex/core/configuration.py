"""Configuration: what ``trex.toml`` or ``pyproject.toml`` sets for lint and for comparisons, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase

from trex.core.baseline_key import short_name


@dataclass(frozen=True, slots=True)
class Suppression:
    """Findings to leave out, and why.

    rule: a code, a name or a glob. layers: globs of layer names. A finding is left out when all its layers match; when
    only some do, it is reported for the others, without the time of those. expires: the last day on which it holds,
    None for no end. where: ``file:line``.
    """

    rule: str
    reason: str
    layers: tuple[str, ...] = ("*",)
    expires: date | None = None
    where: str = ""


@dataclass(frozen=True, slots=True)
class LintSettings:
    """Which rules run and what is reported.

    select, ignore: codes, names or globs; without select every rule runs that is not experimental. limits: {code or
    name: {limit: number}}. fail_on: a severity, or "".
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    limits: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    fail_on: str = ""
    suppressions: tuple[Suppression, ...] = ()

    def with_more(self, more: LintSettings) -> LintSettings:
        """These settings with others on top: select and fail_on are replaced if set, the rest is added."""
        limits = {name: dict(given) for name, given in self.limits.items()}
        for name, given in more.limits.items():
            limits[name] = {**limits.get(name, {}), **given}
        return LintSettings(
            more.select or self.select,
            (*self.ignore, *more.ignore),
            limits,
            more.fail_on or self.fail_on,
            (*self.suppressions, *more.suppressions),
        )


@dataclass(frozen=True, slots=True)
class LintConfiguration:
    """where: the file, "" without one."""

    settings: LintSettings = field(default_factory=LintSettings)
    where: str = ""

    @property
    def file_name(self) -> str:
        """The file without its folders; "" if it sets nothing for lint."""
        is_used = self.settings != LintSettings()
        return self.where.replace("\\", "/").rpartition("/")[2] if is_used else ""


@dataclass(frozen=True, slots=True)
class Limit:
    """A metric's threshold as configured, unchecked. metric: ``latency`` or ``layer:GLOB``.

    allowed: ``+3%`` or ``+0.1ms``; "" if it is switched off. where: ``file:line``.
    """

    metric: str
    allowed: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class CompareConfiguration:
    """limits: {metric: limit} for every engine. engines: (glob of an engine's name, limits instead), in the file's
    order. baselines: the folder of baselines, "" if the file names none. where: the file, "" without one.
    """

    limits: Mapping[str, Limit] = field(default_factory=dict)
    engines: tuple[tuple[str, Mapping[str, Limit]], ...] = ()
    baselines: str = ""
    where: str = ""

    def limits_for(self, engine: str) -> tuple[Limit, ...]:
        """The limits of this engine: those for all, overridden by the last section that fits its name, with its file's
        endings or without.
        """
        chosen = dict(self.limits)
        for limits in self.sections_for(engine):
            chosen.update(limits)
        return tuple(limit for limit in chosen.values() if limit.allowed)

    def sections_for(self, engine: str) -> tuple[Mapping[str, Limit], ...]:
        """Of engines, those that fit its name."""
        names = (engine.lower(), short_name(engine))
        return tuple(limits for glob, limits in self.engines if any(fnmatchcase(name, glob.lower()) for name in names))
