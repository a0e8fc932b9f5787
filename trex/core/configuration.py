"""Configuration: what ``trex.toml`` or ``pyproject.toml`` says of the advisor and of comparisons, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Suppression:
    """Findings that are not to be told, and why.

    rule: a code, a name or a glob. layers: globs of layer names. A finding whose layers are all meant is not told; one
    of which some are is told of the others, and their time is in no price.
    expires: the last day on which it holds, None for ever. where: ``file:line``.
    """

    rule: str
    reason: str
    layers: tuple[str, ...] = ("*",)
    expires: date | None = None
    where: str = ""


@dataclass(frozen=True, slots=True)
class LintSettings:
    """select, ignore: codes, names or globs. limits: {code or name: {limit: number}}. fail_on: a severity, or ""."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    limits: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    fail_on: str = ""

    def with_more(self, more: LintSettings) -> LintSettings:
        """These settings where the others say nothing; what is ignored and limited by either is."""
        limits = {name: dict(found) for name, found in self.limits.items()}
        for name, found in more.limits.items():
            limits[name] = {**limits.get(name, {}), **found}
        return LintSettings(
            more.select or self.select, (*self.ignore, *more.ignore), limits, more.fail_on or self.fail_on
        )


@dataclass(frozen=True, slots=True)
class Preset:
    """Settings for some devices: those whose name fits ``device``, a glob, or of this compute capability (``8.7``).

    With neither it is for devices whose name holds the preset's own.
    """

    name: str
    settings: LintSettings
    device: str = ""
    compute_capability: str = ""

    def fits(self, device: str, compute_capability: tuple[int, int] | None) -> bool:
        if self.compute_capability:
            told = "" if compute_capability is None else ".".join(map(str, compute_capability))
            if told != self.compute_capability:
                return False
            if not self.device:
                return True
        return bool(device) and fnmatchcase(device.lower(), (self.device or f"*{self.name}*").lower())


@dataclass(frozen=True, slots=True)
class LintConfiguration:
    """settings: for all devices. where: the file, "" without one."""

    settings: LintSettings = field(default_factory=LintSettings)
    presets: tuple[Preset, ...] = ()
    suppressions: tuple[Suppression, ...] = ()
    where: str = ""

    @property
    def file_name(self) -> str:
        """The file without its folders; "" where nothing of it concerns findings."""
        says = self.presets or self.suppressions or self.settings != LintSettings()
        return self.where.replace("\\", "/").rpartition("/")[2] if says else ""

    def for_device(self, name: str, compute_capability: tuple[int, int] | None) -> LintConfiguration:
        """This configuration with the settings of the presets that fit the device, in the file's order."""
        settings = self.settings
        for preset in self.presets:
            if preset.fits(name, compute_capability):
                settings = settings.with_more(preset.settings)
        return replace(self, settings=settings)


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
        """The limits of this engine: those for all, overridden by the last section that fits its name."""
        chosen = dict(self.limits)
        for glob, limits in self.engines:
            if fnmatchcase(engine.lower(), glob.lower()):
                chosen.update(limits)
        return tuple(limit for limit in chosen.values() if limit.allowed)
